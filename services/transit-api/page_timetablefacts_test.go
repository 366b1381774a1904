package transitapi

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/proto"
)

func TestFactsOfTimetables(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	now := in(t, "2026-03-04 06:00:00")
	w.clockAt(now)
	late, gone := updateOf("early", 1), updateOf("back")
	late.TripUpdate.StopTimeUpdate[0].Departure = &rt.TripUpdate_StopTimeEvent{Delay: proto.Int32(125)}
	gone.TripUpdate.Trip.ScheduleRelationship = rt.TripDescriptor_CANCELED.Enum()
	w.sent(t, "trip_updates", now, late, gone)

	// The API has the stop times of each trip of the day, and the realtime state of today's trips.
	names := map[string]string{}
	for _, d := range w.sidesOf(t, "/feeds/metro/agencies/M%20T/routes/R%2F1") {
		for _, s := range d.Stops {
			names[s.ID] = cmp.Or(s.Name, s.ID)
		}
	}
	const routeAPI = "/feeds/metro/agencies/M%20T/routes/R%2F1"
	runs := map[string]string{}
	for stop := range names {
		leaving := w.departures(t, "stop_id=metro:"+url.QueryEscape(stop)+"&route_id=metro:R%2F1&minutes=180")
		for _, d := range leaving.Data.Departures {
			switch {
			case d.ScheduleRelationship == "CANCELED":
				runs[d.TripID] = "cancelled"
			case d.Origin != "scheduled" && d.Delay != nil:
				runs[d.TripID] = fmt.Sprintf("%.0f min late", math.Round(float64(*d.Delay)/60))
			}
		}
	}
	if len(runs) != 2 {
		t.Fatalf("the API has %v", runs)
	}
	var want []string
	for _, trip := range dataOf[[]struct {
		ID      string `json:"trip_id"`
		Service string `json:"service_id"`
		Dir     string `json:"direction_id"`
	}](t, w, routeAPI+"/trips") {
		if trip.Service != "wk" {
			continue
		}
		calls := dataOf[[]struct {
			Stop    string  `json:"stop_id"`
			Arrives *string `json:"arrival_time"`
			Departs *string `json:"departure_time"`
		}](t, w, routeAPI+"/trips/"+url.PathEscape(trip.ID)+"/stop_times")
		for i, call := range calls {
			at := call.Departs
			if i == len(calls)-1 {
				at = call.Arrives
			}
			if at == nil || names[call.Stop] == "" {
				continue
			}
			part := strings.Split(*at, ":")
			hour, err := strconv.Atoi(part[0])
			if err != nil {
				t.Fatal(err)
			}
			minute, err := strconv.Atoi(part[1])
			if err != nil {
				t.Fatal(err)
			}
			text := time.Date(2026, 3, 4, hour%24, minute, 0, 0, time.UTC).Format("3:04 pm")
			if hour >= 24 {
				text += "+1"
			}
			want = append(want, cmp.Or(trip.Dir, "0")+" "+names[call.Stop]+" "+text+" "+runs[trip.ID])
		}
	}
	slices.Sort(want)

	for _, target := range []string{linePage + "/timetable", linePage + "/timetable?all=true",
		"/embed/timetable?feed_alias=metro&agency_id=M%20T&route_id=R%2F1"} {
		page := parsePage(t, w.wholePage(t, target, "Accept-Language", "en"))
		if status := page.all("p.status"); len(status) != 1 ||
			!strings.Contains(status[0].text(), "Live times, updated 0 s ago") {
			t.Errorf("%s does not show the age of its live times", target)
		}
		var shown []string
		for _, table := range page.all("table") {
			dir := strings.TrimPrefix(regionOf(table), "dir-")
			heads := table.all("thead")[0].all("th")
			for _, tr := range table.all("tr") {
				cells := tr.all("td")
				if len(tr.all("th")) == 0 || len(cells) == 0 { // this row is a headway, or the link to earlier trips
					continue
				}
				for i, td := range cells {
					stop, now := heads[i+1], tr.all("th")[0]
					if strings.Contains(target, "all=") {
						stop, now = tr.all("th")[0], heads[i+1]
					}
					run := ""
					for _, small := range now.all("small.now") {
						run = small.text()
					}
					if text := td.text(); text != "–" && !strings.HasPrefix(text, "~") {
						shown = append(shown, dir+" "+strings.TrimSpace(stop.text())+" "+text+" "+run)
					}
				}
			}
		}
		slices.Sort(shown)
		sameFacts(t, target, shown, want)
	}
	// Tomorrow's timetable and a timetable for readers without the permission have no live times.
	for _, body := range []string{w.wholePage(t, linePage+"/timetable?date=2026-03-05"),
		w.with(t, "  roles: {anonymous: [discovery, static]}").wholePage(t, linePage+"/timetable")} {
		if page := parsePage(t, body); len(page.all("p.status"))+len(page.all("small.now")) > 0 {
			t.Errorf("the page has live times:\n%s", body)
		}
	}
}

// regionOf returns the id of the heading above a table.
func regionOf(table leaf) string {
	heading := ""
	for n := table.Node; n != nil; n = n.Parent {
		for s := n.PrevSibling; s != nil && heading == ""; s = s.PrevSibling {
			if s.Data == "h2" {
				heading = leaf{s}.attr("id")
			}
		}
	}
	return heading
}

package townline_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/sample"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
	transitapi "github.com/townline/townline/services/transit-api"
)

// The OneBusAway API of the demo and of real feeds. Every id in an answer is in its references,
// every answer has the keys of the schema and those that the iPhone app requires, and timetables
// equal the CSV files. With TOWNLINE_EVERYTHING=1 it tests all collected feeds; TOWNLINE_WALK
// selects one.
func TestOneBusAway(t *testing.T) {
	t.Parallel()
	files := appFeeds(t)
	db := pgtest.URL(t)
	importer := deps(open(t, db, pg.Options{}))
	config := transitConfig(t, "access: {roles: {anonymous: [discovery, static, realtime, display]}}\n")
	base := serveTransit(t, db, transitapi.Config{File: config, OneBusAway: "on"})
	for _, file := range files {
		t.Run(aliasOf(file), func(t *testing.T) {
			alias := aliasOf(file)
			_, err := gtfsimport.Import(t.Context(), importer, gtfsimport.Request{Alias: alias, Source: file})
			if errors.Is(err, gtfsimport.ErrRefused) && mayBeRefused(file) {
				t.Skip("the feed was refused, which is allowed")
			}
			if err != nil {
				t.Fatal(err)
			}
			awaitFeed(t, base, alias)
			host, _ := strings.CutSuffix(base, "/gtfs/api/v2")
			newApps(t, host+"/oba/"+alias, readModel(t, alias, file)).check()
		})
	}
}

// incomparable lists feeds with invalid times: a trip arrives before it leaves, or has no last
// time.
var incomparable = []string{"crafted-times-odd", "tf-missing_endpoint_times"}

func appFeeds(t *testing.T) []string {
	t.Helper()
	only := os.Getenv("TOWNLINE_WALK")
	if only == "" && !everything() {
		files := []string{demoFeed(t)}
		for _, name := range []string{"bart-2019", "raba", "ggl-features"} {
			if file := sample.Find(t, "gtfs/"+name+".zip"); file != "" {
				files = append(files, file)
			} else {
				t.Log(sample.Absent)
			}
		}
		return files
	}
	var files []string
	err := filepath.WalkDir(sample.Folder(t, "gtfs"), func(path string, d fs.DirEntry, err error) error {
		wanted := only == aliasOf(path) || only == "" && !slices.Contains(incomparable, aliasOf(path))
		if err == nil && strings.HasSuffix(path, ".zip") && wanted {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// apps sends requests to a feed's OneBusAway API.
type apps struct {
	t      *testing.T
	base   string
	schema *appSchema // nil without ../shared
	m      *feedModel
	main   string // the agency whose id is in the ids of stops
	zone   *time.Location
	day    time.Time // noon of a day on which most services run

	// calls and the following fields cache what the model computes from the files.
	calls   map[string][]csvCall
	shifts  map[string][]int
	running map[string]map[string]bool // services by date
}

func newApps(t *testing.T, base string, m *feedModel) *apps {
	t.Helper()
	a := &apps{t: t, base: base + "/api/where/", schema: readAppSchema(t), m: m, zone: time.UTC,
		calls: map[string][]csvCall{}, shifts: map[string][]int{}, running: map[string]map[string]bool{}}
	if len(m.agencies) > 0 {
		a.main = m.agencies[0].get("agency_id")
		if zone, err := time.LoadLocation(m.agencies[0].get("agency_timezone")); err == nil {
			a.zone = zone
		}
	}
	day := m.busyDay()
	a.day = time.Date(day.Year(), day.Month(), day.Day(), 12, 0, 0, 0, a.zone)
	return a
}

// begins returns the start of the service day that is later days after day.
func (a *apps) begins(later int) time.Time { return a.day.AddDate(0, 0, later).Add(-12 * time.Hour) }

func (a *apps) tripID(trip string) string {
	return a.m.routeOf[a.m.tripOf[trip].get("route_id")].get("agency_id") + "_" + trip
}

func (a *apps) check() {
	a.checkServer()
	for _, g := range a.m.agencies {
		a.checkAgency(g.get("agency_id"))
	}
	for _, s := range every(a.m.stops, 4000) {
		a.checkStop(s.get("stop_id"))
	}
	trips := slices.Sorted(maps.Keys(a.m.calls))
	for _, id := range every(trips, 400) {
		a.checkTrip(id)
	}
	blocks := map[string][]string{}
	for _, id := range trips {
		if b := a.m.tripOf[id].get("block_id"); b != "" && a.hasTimes(id) {
			blocks[b] = append(blocks[b], id)
		}
	}
	for _, b := range every(slices.Sorted(maps.Keys(blocks)), 100) {
		a.checkBlock(b, blocks[b])
	}
	a.checkPlaces()
}

// every returns evenly spaced entries of a list, approximately most.
func every[E any](all []E, most int) (some []E) {
	for i := 0; i < len(all); i += len(all)/most + 1 {
		some = append(some, all[i])
	}
	return some
}

func (a *apps) checkServer() {
	for _, path := range []string{"agency/none.json", "stops-for-agency/none.json", "routes-for-agency/none.json",
		"vehicles-for-agency/none.json", "stop/" + a.main + "_%20none.json", "route/none.json", "trip/none_none.json",
		"block/none_.json", "shape/none_none.json", "trip-for-vehicle/none_1.json", "none.json",
		"report-problem-with-stop/none_1.json", "report-problem-with-trip/none_1.json"} {
		a.request(path, http.StatusNotFound)
	}
	for _, path := range []string{"stops-for-location.json?lat=north", "search/stop.json",
		"trips-for-location.json?lat=91", "schedule-for-stop/1_1.json?date=today"} {
		a.request(path, http.StatusBadRequest)
	}
	a.get("config", "")
	a.get("current-time", "")
	covered := a.get("agencies-with-coverage", "")["list"].([]any)
	if len(covered) != len(a.m.agencies) {
		a.t.Errorf("%d agencies, want %d", len(covered), len(a.m.agencies))
	}
}

func (a *apps) checkAgency(id string) {
	a.get("agency", id)
	a.get("vehicles-for-agency", id)
	var routes []string
	for _, r := range a.m.routes[id] {
		routes = append(routes, id+"_"+r.get("route_id"))
	}
	var stops []string
	for _, s := range a.m.stops {
		kind := s.get("location_type")
		if kind != "" && kind != "0" && kind != "1" {
			continue
		}
		isOurs := func(route string) bool { return slices.Contains(routes, route) }
		if slices.ContainsFunc(a.routesAt(s.get("stop_id")), isOurs) {
			stops = append(stops, a.main+"_"+s.get("stop_id"))
		}
	}
	a.same("routes of "+id, idsOf(a.get("routes-for-agency", id)["list"]), routes)
	a.same("route ids of "+id, idsOf(a.get("route-ids-for-agency", id)["list"]), routes)
	a.same("stops of "+id, idsOf(a.get("stops-for-agency", id)["list"]), stops)
	a.same("stop ids of "+id, idsOf(a.get("stop-ids-for-agency", id)["list"]), stops)
	for i, r := range a.m.routes[id] {
		a.get("route", routes[i])
		a.checkRouteStops(routes[i], r.get("route_id"))
		a.checkRouteSchedule(routes[i], r.get("route_id"))
		a.checkRouteTrips(routes[i])
	}
}

// routesAt returns the ids of the routes that serve a stop or its children.
func (a *apps) routesAt(stop string) []string {
	all := map[string]bool{}
	for call := range a.m.callsAt[stop] {
		trip := a.m.tripOf[call[:strings.LastIndex(call, " ")]]
		all[a.m.routeOf[trip.get("route_id")].get("agency_id")+"_"+trip.get("route_id")] = true
	}
	return slices.Sorted(maps.Keys(all))
}

func (a *apps) checkStop(stop string) {
	id := a.main + "_" + stop
	entry := a.get("stop", id)["entry"].(tree)
	row := a.m.stopOf[stop]
	if name := row.get("stop_name"); entry["name"] != name && name != "" || entry["id"] != id {
		a.t.Errorf("stop %s is %v %q, want %q", id, entry["id"], entry["name"], name)
	}
	parent := ""
	if p := row.get("parent_station"); p != "" {
		parent = a.main + "_" + p
	}
	if entry["parent"] != parent {
		a.t.Errorf("the parent of stop %s is %v, want %s", id, entry["parent"], parent)
	}
	a.same("routes at "+id, idsOf(entry["routeIds"]), a.routesAt(stop))
	a.checkStopSchedule(id, stop)
	a.checkArrivals(id, stop, a.begins(0).Add(8*time.Hour+10*time.Minute))
	a.checkArrivals(id, stop, a.begins(1).Add(20*time.Minute)) // trips over midnight
}

func (a *apps) checkPlaces() {
	checked := 0
	for _, s := range every(a.m.stops, 40) {
		lat, lon := s.get("stop_lat"), s.get("stop_lon")
		kind, stop := s.get("location_type"), s.get("stop_id")
		if lat == "" || kind != "" && kind != "0" || len(a.m.callsAt[stop]) == 0 {
			continue
		}
		checked++
		at := "?lat=" + url.QueryEscape(lat) + "&lon=" + url.QueryEscape(lon)
		for _, more := range []string{"", "&radius=300", "&latSpan=0.01&lonSpan=0.01",
			"&latSpan=0&lonSpan=0&radius=300", "&query=" + url.QueryEscape(s.get("stop_name")),
			"&query=" + url.QueryEscape(stop)} {
			got := a.get("stops-for-location", "", at+more)
			if !slices.Contains(idsOf(got["list"]), a.main+"_"+stop) && got["limitExceeded"] == false {
				a.t.Errorf("stops-for-location%s: %s is missing", at+more, stop)
			}
			if got["outOfRange"] != false {
				a.t.Errorf("stops-for-location%s is out of range", at+more)
			}
		}
		routes := a.routesAt(stop)
		got := a.get("routes-for-location", "", at+"&radius=50")
		for _, r := range routes {
			if !slices.Contains(idsOf(got["list"]), r) && got["limitExceeded"] == false {
				a.t.Errorf("routes-for-location%s: %s is missing", at, r)
			}
		}
		when := fmt.Sprint("&time=", a.begins(0).Add(9*time.Hour).UnixMilli())
		a.get("trips-for-location", "", at+"&latSpan=0.05&lonSpan=0.05&includeSchedule=true"+when)
		a.get("arrivals-and-departures-for-location", "", at+"&latSpan=0.02&lonSpan=0.02"+when)
		if name := s.get("stop_name"); name != "" {
			a.get("search/stop", "", "?input="+url.QueryEscape(name))
		}
	}
	a.get("search/route", "", "?input=1&maxCount=3")
	far := a.get("stops-for-location", "", "?lat=-89&lon=0")
	if far["outOfRange"] != true || len(far["list"].([]any)) > 0 {
		a.t.Error("the South Pole is in range")
	}
	a.t.Logf("%d places", checked)
}

// idsOf returns ids, or the ids of entities, in order.
func idsOf(list any) (all []string) {
	for _, one := range anys(list) {
		id, isID := one.(string)
		if !isID {
			id, _ = one.(tree)["id"].(string)
		}
		all = append(all, id)
	}
	return all
}

// same compares sets. Duplicates in a list count as a difference.
func (a *apps) same(what string, got, want []string) {
	a.t.Helper()
	got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	if slices.Equal(got, want) {
		return
	}
	more := slices.DeleteFunc(slices.Clone(got), func(s string) bool { return slices.Contains(want, s) })
	less := slices.DeleteFunc(slices.Clone(want), func(s string) bool { return slices.Contains(got, s) })
	a.t.Errorf("%s: %d, want %d; unexpected %.600v; missing %.600v", what, len(got), len(want), more, less)
}

// busyDay returns the day with most services. It considers the first and last days of calendars,
// and the exceptions.
func (m *feedModel) busyDay() time.Time {
	var best time.Time
	most := -1
	tried := map[string]bool{}
	try := func(date string) {
		day, err := time.Parse("20060102", date)
		for range 7 {
			if n := len(m.running(day)); err == nil && !tried[day.Format("20060102")] && n > most {
				best, most = day, n
			}
			tried[day.Format("20060102")] = true
			day = day.AddDate(0, 0, 1)
		}
	}
	for _, s := range m.services {
		try(s.get("start_date"))
	}
	for id := range m.dates {
		if len(tried) < 200 {
			try(m.dates[id][0].get("date"))
		}
	}
	return best
}

// running returns the services that run on a day, by calendar.txt and calendar_dates.txt.
func (m *feedModel) running(day time.Time) map[string]bool {
	all := map[string]bool{}
	date := day.Format("20060102")
	weekday := strings.ToLower(day.Weekday().String())
	for _, s := range m.services {
		id := s.get("service_id")
		if s.get("start_date") <= date && date <= s.get("end_date") && s.get(weekday) == "1" {
			all[id] = true
		}
		for _, d := range m.dates[id] {
			if d.get("date") == date {
				all[id] = d.get("exception_type") == "1"
			}
		}
		if !all[id] {
			delete(all, id)
		}
	}
	return all
}

// get requests an endpoint, checks the answer, and returns its data.
func (a *apps) get(endpoint, id string, query ...string) tree {
	a.t.Helper()
	path := endpoint
	if id != "" {
		path += "/" + url.PathEscape(id)
	}
	path += ".json" + strings.Join(query, "")
	answer := a.request(path, http.StatusOK)
	data := answer["data"].(tree)
	for _, problem := range closure(data) {
		a.t.Errorf("%s: %s", path, problem)
	}
	if a.schema != nil {
		for _, problem := range a.schema.violations(endpoint, answer) {
			a.t.Errorf("%s: %s", path, problem)
		}
	}
	return data
}

// request returns the answer of an address. Both the HTTP status and the status in the envelope
// must match.
func (a *apps) request(path string, status int) (answer tree) {
	t := a.t
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, a.base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, _ := io.ReadAll(res.Body)
	err = json.Unmarshal(body, &answer)
	if err != nil || res.StatusCode != status || answer["code"] != float64(status) ||
		answer["version"] != 2.0 || answer["text"] == "" || answer["currentTime"] == nil {
		t.Fatalf("%s: %d %.300s", path, res.StatusCode, body)
	}
	return answer
}

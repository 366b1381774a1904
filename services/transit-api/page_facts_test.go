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
	"github.com/paulmach/orb"
	"github.com/paulmach/orb/planar"
	"golang.org/x/net/html"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/services/transit-api/internal/static"
)

// This file parses the facts of maps, lines and timetables from their HTML, independently of the
// views, and compares them with the public JSON.

// A leaf is a parsed element of a page.
type leaf struct{ *html.Node }

func parsePage(t *testing.T, body string) leaf {
	t.Helper()
	n, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return leaf{n}
}

// all returns the descendants with a tag and, optionally, a class or id: "td", "tr.old",
// "tbody#vehicles".
func (l leaf) all(what string) (found []leaf) {
	tag, id, _ := strings.Cut(what, "#")
	tag, class, _ := strings.Cut(tag, ".")
	for n := range l.Descendants() {
		e := leaf{n}
		if n.Type == html.ElementNode && n.Data == tag && (id == "" || e.attr("id") == id) &&
			(class == "" || slices.Contains(strings.Fields(e.attr("class")), class)) {
			found = append(found, e)
		}
	}
	return found
}

func (l leaf) attr(name string) string {
	for _, a := range l.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// text returns the visible text of an element, without text for screen readers.
func (l leaf) text() string {
	if l.Type == html.TextNode {
		return l.Data
	}
	if slices.Contains(strings.Fields(l.attr("class")), "said") {
		return ""
	}
	var b strings.Builder
	for c := range l.ChildNodes() {
		b.WriteString(leaf{c}.text())
	}
	return b.String()
}

func (l leaf) cells() (texts []string) {
	for c := range l.ChildNodes() {
		if c.Data == "td" || c.Data == "th" {
			texts = append(texts, strings.Join(strings.Fields(leaf{c}.text()), " "))
		}
	}
	return texts
}

// dataOf requests a path and decodes the answer's data.
func dataOf[T any](t *testing.T, w *world, path string) (data T) {
	t.Helper()
	return decoded[struct{ Data T }](t, w, path).Data
}

func sameFacts(t *testing.T, what string, page, api []string) {
	t.Helper()
	if !slices.Equal(page, api) {
		t.Errorf("%s:\npage %q\n API %q", what, page, api)
	}
	if len(api) == 0 {
		t.Errorf("%s: no data to compare", what)
	}
}

// A factSide is a direction of a line in the API.
type factSide struct {
	ID    string `json:"direction_id"`
	Name  string `json:"direction"`
	Stops []factStop
}

type factStop struct {
	ID   string `json:"stop_id"`
	Name string `json:"stop_name"`
}

func (w *world) sidesOf(t *testing.T, route string) []factSide {
	t.Helper()
	sides := dataOf[[]factSide](t, w, route+"/directions")
	for i := range sides {
		sides[i].Stops = dataOf[[]factStop](t, w, route+"/stops/"+sides[i].ID)
	}
	return sides
}

// linesOf returns the lines of the GeoJSON of routes.
func (w *world) linesOf(t *testing.T, routes ...string) (all [][][2]float64) {
	t.Helper()
	for _, route := range routes {
		all = append(all, dataOf[struct {
			Geometry struct{ Coordinates [][][2]float64 }
		}](t, w, route+"/geojson").Geometry.Coordinates...)
	}
	return all
}

// frameOf returns west, north, units per degree across and down, and the size of a picture.
func frameOf(t *testing.T, frame string) (f []float64) {
	t.Helper()
	for _, part := range strings.Split(frame, ",") {
		v, err := strconv.ParseFloat(part, 64)
		if err != nil {
			t.Fatalf("frame %q: %v", frame, err)
		}
		f = append(f, v)
	}
	return f
}

// placesOf returns the positions of the lines of a picture.
func placesOf(t *testing.T, picture leaf, frame string) (lines [][][2]float64) {
	t.Helper()
	f := frameOf(t, frame)
	for _, way := range picture.all("path.way") {
		var line [][2]float64
		x, y := 0.0, 0.0
		for i, step := range strings.FieldsFunc(way.attr("d"), func(r rune) bool { return r == 'M' || r == 'l' }) {
			parts := strings.Fields(strings.ReplaceAll(step, "-", " -"))
			dx, errX := strconv.ParseFloat(parts[0], 64)
			dy, errY := strconv.ParseFloat(parts[1], 64)
			if errX != nil || errY != nil || i > 0 && way.attr("d")[0] != 'M' {
				t.Fatalf("path %q", way.attr("d"))
			}
			x, y = x+dx, y+dy
			line = append(line, [2]float64{f[0] + x/f[2], f[1] - y/f[3]})
		}
		lines = append(lines, line)
	}
	return lines
}

// near checks that each position of some lines is on one of the others, within some units of the
// picture.
func near(t *testing.T, what string, some, others [][][2]float64, frame string, within float64) {
	t.Helper()
	f := frameOf(t, frame)
	unit := func(p [2]float64) orb.Point { return orb.Point{(p[0] - f[0]) * f[2], (f[1] - p[1]) * f[3]} }
	for _, line := range some {
		for _, p := range line {
			if at := unit(p); at[0] < 0 || at[0] > f[4] || at[1] < 0 || at[1] > f[5] {
				continue // the picture need not show it
			}
			best := math.Inf(1)
			for _, other := range others {
				for i := range other {
					best = min(best, planar.DistanceFromSegment(unit(other[i]), unit(other[min(i+1, len(other)-1)]), unit(p)))
				}
			}
			if best > within {
				t.Errorf("%s: %v is %.1f units away", what, p, best)
			}
		}
	}
}

func TestFactsOfMaps(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.town(t)
	status := map[string]string{"INCOMING_AT": "arriving at ", "STOPPED_AT": "at ", "IN_TRANSIT_TO": "next stop ",
		"NEAR": "near "}
	for target, c := range map[string]struct {
		vehicles string
		lines    bool
	}{
		linePage + "/map":                   {"&route_id=R%2F1", false},
		"/f/metro/map":                      {"", true},
		"/embed/map?feed=metro":             {"", true},
		"/embed/map?feed=metro&route=R%2F1": {"&route_id=R%2F1", false},
	} {
		page := parsePage(t, w.wholePage(t, target, "Accept-Language", "en"))
		var want, spots []string
		box := page.all("div#map")[0]
		f := frameOf(t, box.attr("data-frame"))
		for _, raw := range dataOf[struct{ Vehicles []map[string]any }](t, w, "/rt/map?feed=metro"+c.vehicles).Vehicles {
			s := func(key string) string { text, _ := raw[key].(string); return text }
			n := func(key string) float64 { v, _ := raw[key].(float64); return v }
			age := noon.Unix() - int64(n("timestamp"))
			if age > 300 {
				continue
			}
			where := "unnamed place"
			if s("stop_name") != "" {
				where = status[s("status")] + s("stop_name")
				if s("occupancy_status") == "FULL" {
					where += ", full"
				}
			}
			ago := fmt.Sprintf("%d s ago", age)
			if age >= 90 {
				ago = fmt.Sprintf("%d min ago", age/60)
			}
			row := []string{s("id"), cmp.Or(s("headsign"), s("route_long_name")), where, ago}
			if c.lines {
				row = slices.Insert(row, 1, cmp.Or(s("route_short_name"), s("route_long_name"), s("route_id")))
			}
			want = append(want, strings.Join(row, "|"))
			if x, y := (n("lon")-f[0])*f[2], (f[1]-n("lat"))*f[3]; x >= 0 && x <= f[4] && y >= 0 && y <= f[5] {
				turn := "-"
				if b, ok := raw["bearing"]; ok {
					turn = fmt.Sprintf("rotate(%v)", b)
				}
				spots = append(spots, fmt.Sprintf("%s %t %.0f %.0f %s", s("id"), age > 90, math.Round(x), math.Round(y), turn))
			}
		}
		var rows, drawn []string
		for _, tr := range page.all("tbody#vehicles")[0].all("tr") {
			rows = append(rows, strings.Join(append([]string{tr.attr("data-id")}, tr.cells()...), "|"))
		}
		for _, g := range page.all("g.spot") {
			turn := "-"
			for _, p := range g.all("path") {
				turn = p.attr("transform")
			}
			at := strings.NewReplacer("translate(", "", ")", "").Replace(g.attr("transform"))
			drawn = append(drawn, fmt.Sprintf("%s %t %s %s", g.attr("data-id"), slices.Contains(strings.Fields(g.attr("class")),
				"old"), at, turn))
		}
		for _, all := range [][]string{rows, want, drawn, spots} {
			slices.Sort(all)
		}
		sameFacts(t, target+": the list", rows, want)
		sameFacts(t, target+": the drawing", drawn, spots)

		// The lines are those of the GeoJSON; the lines of a feed are a separate picture.
		picture, routes := box, []string{"/feeds/metro/agencies/M%20T/routes/R%2F1"}
		if c.lines {
			picture = parsePage(t, w.page(t, box.all("img")[0].attr("src")).Body.String())
			routes = nil
			for _, agency := range dataOf[[]struct {
				ID string `json:"agency_id"`
			}](t, w, "/feeds/metro/agencies") {
				of := "/feeds/metro/agencies/" + url.PathEscape(agency.ID) + "/routes"
				for _, r := range dataOf[[]struct {
					ID string `json:"route_id"`
				}](t, w, of) {
					routes = append(routes, of+"/"+url.PathEscape(r.ID))
				}
			}
		}
		ways, lines := placesOf(t, picture, box.attr("data-frame")), w.linesOf(t, routes...)
		if len(ways) == 0 || len(lines) == 0 {
			t.Fatalf("%s draws %d lines, the API has %d", target, len(ways), len(lines))
		}
		near(t, target+": a way", ways, lines, box.attr("data-frame"), 2)
		near(t, target+": a line", lines, ways, box.attr("data-frame"), 5)
	}
}

func TestFactsOfLines(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	now := in(t, "2026-03-04 05:55:00")
	w.clockAt(now)
	w.sent(t, "alerts", now, &rt.FeedEntity{Id: proto.String("a"), Alert: &rt.Alert{
		InformedEntity: []*rt.EntitySelector{{StopId: proto.String("C")}},
		HeaderText: &rt.TranslatedString{Translation: []*rt.TranslatedString_Translation{
			{Text: proto.String("Cedar moved")}}}}})
	page := parsePage(t, w.wholePage(t, linePage, "Accept-Language", "en"))
	route := dataOf[struct {
		Short string `json:"route_short_name"`
		Long  string `json:"route_long_name"`
	}](t, w, "/feeds/metro/agencies/M%20T/routes/R%2F1")
	if name := strings.TrimSpace(page.all("h1")[0].text()); name != route.Short+" "+route.Long {
		t.Errorf("the name on the page is %q, in the API %+v", name, route)
	}
	d := w.sidesOf(t, "/feeds/metro/agencies/M%20T/routes/R%2F1")
	sides := page.all("section.side")
	direction := []int{0, 0, 1} // the second direction has two branches
	if len(sides) != len(direction) || len(d) != 2 {
		t.Fatalf("%d paths, the API has %d directions", len(sides), len(d))
	}
	shown := map[string]bool{}
	next := map[int][]string{} // by direction: each departure stands on the branch that it takes
	for n, side := range sides {
		i := direction[n]
		var stops []string
		for _, li := range side.all("ol.line")[0].all("li") {
			address, err := url.PathUnescape(strings.TrimPrefix(li.all("a")[0].attr("href"), "/f/metro/stops/"))
			if err != nil {
				t.Fatal(err)
			}
			stops = append(stops, address+" "+li.all("a")[0].text())
		}
		for _, s := range stops {
			shown[strconv.Itoa(i)+" "+s] = true
		}
		for _, s := range d[i].Stops {
			if len(stops) > 0 && stops[0] == s.ID+" "+cmp.Or(s.Name, s.ID) {
				stops = stops[1:]
			}
		}
		if len(stops) > 0 {
			t.Errorf("stops of %s are not in the API: %s", d[i].Name, stops)
		}
		for _, ul := range side.all("ul.next") {
			for _, li := range ul.all("li") {
				next[i] = append(next[i], li.all("b")[0].text())
			}
		}
	}
	for i := range d {
		var leaves []string
		for _, x := range w.departures(t, "stop_id=metro:"+url.QueryEscape(d[i].Stops[0].ID)+
			"&route_id=metro:R%2F1&minutes=180&direction_id="+strconv.Itoa(i)).Data.Departures {
			if len(leaves) < 3 && x.StopID == d[i].Stops[0].ID {
				leaves = append(leaves, time.Unix(x.PredictedDepartureEpoch, 0).In(now.Location()).Format("3:04 pm"))
			}
		}
		sameFacts(t, "departures of "+d[i].Name, next[i], leaves)
	}
	for i, way := range d {
		for _, s := range way.Stops {
			if !shown[strconv.Itoa(i)+" "+s.ID+" "+cmp.Or(s.Name, s.ID)] {
				t.Errorf("%s is missing from the lists of %s", s.ID, way.Name)
			}
		}
	}
	var alerts, want []string
	for _, a := range page.all("details.notice") {
		alerts = append(alerts, strings.TrimPrefix(strings.TrimSpace(a.all("summary")[0].text()), "! "))
	}
	for _, a := range w.departures(t, "stop_id=metro:C").Data.Alerts {
		want = append(want, a.HeaderText.Translation[0].Text)
	}
	sameFacts(t, "alerts", alerts, want)
}

// The page of the report has the same facts as its JSON, with the feed's cells escaped.
func TestReportPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	a := w.page(t, "/f/metro/report?lang=es")
	lacks(t, "the page", a.Body.String(), "Sobre los datos de Metro &amp; Co", "foreign_key_violation", "&lt;b&gt;&#34;é",
		"What an older release said", "filas omitidas", `lang="en"`, "notes.txt",
		"/gtfs/api/v2/feeds/metro/report?_format=json")
	if n := strings.Count(a.Body.String(), "<td>stop_times.txt</td>"); n != static.MaxExamples {
		t.Errorf("%d examples, want %d", n, static.MaxExamples)
	}
	w.pageStatuses(t, map[string]int{"/f/nobody/report": 404})
}

package townline_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/sample"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
)

// The OneBusAway API of the demo and of real feeds: every id in an answer is in its references, every
// answer has the keys of the schema and those that the iPhone app cannot do without, and schedules are
// those of the CSV files.
func TestOneBusAway(t *testing.T) {
	t.Parallel()
	files := []string{demoFeed(t)}
	for _, name := range []string{"bart-2019", "raba", "ggl-features"} {
		if file := sample.Find(t, "gtfs/"+name+".zip"); file != "" {
			files = append(files, file)
		} else {
			t.Log(sample.Absent)
		}
	}
	db := pgtest.URL(t)
	importer, base := deps(open(t, db, pg.Options{})), serve(t, db, 1<<20)
	for _, file := range files {
		t.Run(aliasOf(file), func(t *testing.T) {
			alias := aliasOf(file)
			_, err := gtfsimport.Import(t.Context(), importer, gtfsimport.Request{Alias: alias, Source: file})
			if err != nil {
				t.Fatal(err)
			}
			awaitFeed(t, base, alias)
			host, _ := strings.CutSuffix(base, "/gtfs/api/v2")
			a := &apps{t: t, base: host + "/oba/" + alias + "/api/where/", schema: readAppSchema(t)}
			a.check(readModel(t, alias, file))
		})
	}
}

// apps requests a feed's OneBusAway API.
type apps struct {
	t      *testing.T
	base   string
	schema map[string]any // nil without ../shared
}

type tree = map[string]any

func (a *apps) check(m *feedModel) {
	t := a.t
	a.get("agency/none.json", "", 404)
	a.get("stops-for-agency/none.json", "", 404)
	a.get("config.json", "config.json", 200)
	a.get("current-time.json", "current-time.json", 200)
	covered := a.get("agencies-with-coverage.json", "agencies-with-coverage.json", 200)["list"].([]any)
	if len(covered) != len(m.agencies) {
		t.Errorf("%d agencies, want %d", len(covered), len(m.agencies))
	}
	main := m.agencies[0].get("agency_id")
	for _, g := range m.agencies {
		id := g.get("agency_id")
		a.of("agency", id)
		a.of("stops-for-agency", id)
		a.of("stop-ids-for-agency", id)
		a.of("route-ids-for-agency", id)
		if n := len(a.of("routes-for-agency", id)["list"].([]any)); n != len(m.routes[id]) {
			t.Errorf("%d routes of %s, want %d", n, id, len(m.routes[id]))
		}
		for _, r := range m.routes[id] {
			route := id + "_" + r.get("route_id")
			a.of("route", route)
			a.of("stops-for-route", route)
		}
	}
	day := m.busyDay()
	for i, r := range slices.Sorted(maps.Keys(m.routeOf)) {
		if i < 10 {
			a.of("schedule-for-route", m.routeOf[r].get("agency_id")+"_"+r, "?date="+day.Format(time.DateOnly))
		}
	}
	for i, s := range m.stops {
		id := main + "_" + s.get("stop_id")
		entry := a.of("stop", id)["entry"].(tree)
		if entry["name"] != s.get("stop_name") && s.get("stop_name") != "" {
			t.Errorf("stop %s is named %q, want %q", id, entry["name"], s.get("stop_name"))
		}
		if i%7 == 0 {
			a.compareSchedule(m, id, s.get("stop_id"), day)
		}
	}
	a.places(m)
	blocks := map[string]bool{}
	for i, id := range slices.Sorted(maps.Keys(m.tripOf)) {
		trip := m.tripOf[id]
		agency := m.routeOf[trip.get("route_id")].get("agency_id")
		if i%97 == 0 {
			a.of("trip", agency+"_"+id)
			if shape := trip.get("shape_id"); shape != "" && len(m.points[shape]) > 0 {
				got := a.of("shape", agency+"_"+shape)["entry"].(tree)
				if int(got["length"].(float64)) != len(m.points[shape]) {
					t.Errorf("shape %s has %v points, want %d", shape, got["length"], len(m.points[shape]))
				}
			}
		}
		if b := trip.get("block_id"); b != "" && !blocks[b] && len(blocks) < 20 && len(m.calls[id]) > 0 {
			blocks[b] = true
			a.of("block", agency+"_"+b)
		}
	}
}

func (a *apps) places(m *feedModel) {
	for _, s := range m.stops {
		lat, lon := s.get("stop_lat"), s.get("stop_lon")
		kind, calls := s.get("location_type"), m.callsAt[s.get("stop_id")]
		if lat == "" || kind != "" && kind != "0" || len(calls) == 0 {
			continue
		}
		at := "?lat=" + url.QueryEscape(lat) + "&lon=" + url.QueryEscape(lon)
		id := m.agencies[0].get("agency_id") + "_" + s.get("stop_id")
		for _, more := range []string{"", "&radius=300", "&latSpan=0.01&lonSpan=0.01",
			"&latSpan=0&lonSpan=0&radius=300"} {
			got := a.get("stops-for-location.json"+at+more, "stops-for-location.json", 200)
			found := slices.ContainsFunc(got["list"].([]any), func(s any) bool { return s.(tree)["id"] == id })
			if !found && got["limitExceeded"] == false {
				a.t.Errorf("stops-for-location%s: %s is not there", at+more, id)
			}
		}
		a.get("routes-for-location.json"+at, "routes-for-location.json", 200)
		name := url.QueryEscape(s.get("stop_name"))
		a.get("search/stop.json?input="+name, "search/stop.json", 200)
		a.get("search/route.json?input=1", "search/route.json", 200)
		break
	}
	if far := a.get("stops-for-location.json?lat=-89&lon=0", "", 200); far["outOfRange"] != true {
		a.t.Error("the South Pole is in range")
	}
}

// busyDay is the weekday in the middle of the calendar on which most services run.
func (m *feedModel) busyDay() time.Time {
	var best time.Time
	most := -1
	for _, s := range m.services {
		for _, cell := range []string{s.get("start_date"), s.get("end_date")} {
			day, err := time.Parse("20060102", cell)
			if n := len(m.running(day)); err == nil && n > most {
				best, most = day, n
			}
		}
	}
	for id := range m.dates {
		for _, d := range m.dates[id] {
			day, err := time.Parse("20060102", d.get("date"))
			if n := len(m.running(day)); err == nil && n > most {
				best, most = day, n
			}
		}
	}
	return best
}

// running returns the services of a day, by calendar.txt and calendar_dates.txt.
func (m *feedModel) running(day time.Time) map[string]bool {
	all := map[string]bool{}
	date := day.Format("20060102")
	for _, s := range m.services {
		id := s.get("service_id")
		weekday := strings.ToLower(day.Weekday().String())
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

// compareSchedule compares the departures of a stop on a day with those of stop_times.txt.
func (a *apps) compareSchedule(m *feedModel, id, stop string, day time.Time) {
	got := a.of("schedule-for-stop", id, "?date="+day.Format(time.DateOnly))["entry"].(tree)
	begins := int64(got["date"].(float64))
	var api, file []string
	for _, r := range got["stopRouteSchedules"].([]any) {
		for _, d := range r.(tree)["stopRouteDirectionSchedules"].([]any) {
			for _, at := range d.(tree)["scheduleStopTimes"].([]any) {
				call := at.(tree)
				api = append(api, fmt.Sprint(call["tripId"], " ", (int64(call["departureTime"].(float64))-begins)/1000))
			}
		}
	}
	zone, err := time.LoadLocation(m.agencies[0].get("agency_timezone"))
	if err != nil {
		zone = time.UTC
	}
	noon := time.Date(day.Year(), day.Month(), day.Day(), 12, 0, 0, 0, zone)
	if begins != noon.Add(-12*time.Hour).UnixMilli() {
		a.t.Errorf("%s begins at %d", day, begins)
	}
	running := m.running(day)
	for trip, calls := range m.calls {
		of := m.tripOf[trip]
		if !running[of.get("service_id")] || len(m.windows[trip]) > 0 {
			continue
		}
		for _, c := range calls {
			seconds, timed := secondsOf(c.get("departure_time"))
			if timed && m.isAt(c.get("stop_id"), stop) {
				agency := m.routeOf[of.get("route_id")].get("agency_id")
				file = append(file, agency+"_"+trip+" "+strconv.Itoa(seconds))
			}
		}
	}
	api = slices.DeleteFunc(api, func(s string) bool { // times that the file leaves out, and trips by frequency
		return !slices.Contains(file, s) && m.isComputed(s)
	})
	slices.Sort(api)
	slices.Sort(file)
	if !slices.Equal(api, file) {
		a.t.Errorf("departures at %s on %s: %d, want %d\n%.400v\n%.400v", id, day.Format(time.DateOnly), len(api),
			len(file), api, file)
	}
}

// isAt reports whether a stop is another one or below it.
func (m *feedModel) isAt(stop, other string) bool {
	for range 3 {
		if stop == other {
			return true
		}
		s := m.stopOf[stop]
		if s == nil {
			return false
		}
		stop = s.get("parent_station")
	}
	return false
}

// isComputed reports whether a trip has calls without times, or frequencies.
func (m *feedModel) isComputed(call string) bool {
	for id := range m.windows {
		if strings.Contains(call, "_"+id+" ") {
			return true
		}
	}
	trip, _, _ := strings.Cut(call, " ")
	for _, g := range m.agencies {
		for _, c := range m.calls[strings.TrimPrefix(trip, g.get("agency_id")+"_")] {
			if c.get("departure_time") == "" {
				return true
			}
		}
	}
	return false
}

// of requests a thing by its id.
func (a *apps) of(endpoint, id string, query ...string) tree {
	a.t.Helper()
	kind := map[string]string{"schedule-for-stop": "stopID", "schedule-for-route": "routeID"}[endpoint]
	if kind == "" {
		kind = endpoint[strings.LastIndex(endpoint, "-")+1:] + "ID"
	}
	return a.get(endpoint+"/"+url.PathEscape(id)+".json"+strings.Join(query, ""), endpoint+"/{"+kind+"}.json", 200)
}

// get requests an address, checks the answer by the template of its path, and returns its data.
func (a *apps) get(path, template string, status int) tree {
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
	var answer tree
	if err := json.Unmarshal(body, &answer); err != nil || res.StatusCode != status ||
		answer["code"] != float64(status) {
		t.Fatalf("%s: %d %.300s", path, res.StatusCode, body)
	}
	if status != http.StatusOK {
		return nil
	}
	data := answer["data"].(tree)
	for _, problem := range closure(data) {
		t.Errorf("%s: %s", path, problem)
	}
	if a.schema != nil && template != "" {
		for _, problem := range a.valid(template, answer) {
			t.Errorf("%s: %s", path, problem)
		}
	}
	return data
}

// iphone has the keys without which the iPhone app refuses an answer.
var iphone = map[string][]string{
	"agencies": {"id", "lang", "name", "phone", "privateService", "timezone", "url"},
	"stops":    {"code", "id", "name", "lat", "lon", "locationType", "routeIds"},
	"routes":   {"agencyId", "id", "shortName", "type"},
	"trips": {"blockId", "id", "routeId", "routeShortName", "serviceId", "tripShortName",
		"timeZone"},
	"situations": {"activeWindows", "allAffects", "consequences", "creationTime", "publicationWindows", "reason",
		"severity"},
	"stopTimes": {},
}

// named are the keys whose values are ids, by the list of references that resolves them.
var named = map[string]string{"agencyId": "agencies", "routeId": "routes", "routeIds": "routes",
	"staticRouteIds": "routes", "stopId": "stops", "stopIds": "stops", "parent": "stops", "tripId": "trips",
	"tripIds": "trips", "situationIds": "situations"}

// closure returns each id that the references do not resolve, each missing key and each null.
func closure(data tree) (problems []string) {
	refs, _ := data["references"].(tree)
	known := map[string]map[string]bool{}
	for list, keys := range iphone {
		all, ok := refs[list].([]any)
		if !ok {
			problems = append(problems, "references has no "+list)
		}
		known[list] = map[string]bool{}
		for _, one := range all {
			entity := one.(tree)
			id, _ := entity["id"].(string)
			if known[list][id] {
				problems = append(problems, list+" has twice "+id)
			}
			known[list][id] = true
			for _, key := range keys {
				if entity[key] == nil {
					problems = append(problems, list+" has no "+key+" of "+id)
				}
			}
		}
	}
	var visit func(key string, v any)
	visit = func(key string, v any) {
		switch v := v.(type) {
		case nil:
			problems = append(problems, "null "+key)
		case string:
			if list := named[key]; list != "" && v != "" && !known[list][v] {
				problems = append(problems, key+" "+v+" is not in "+list)
			}
		case []any:
			for _, one := range v {
				visit(key, one)
			}
		case tree:
			for name, one := range v {
				if name != "frequency" {
					visit(name, one)
				}
			}
		}
	}
	visit("", data)
	return slices.Compact(slices.Sorted(slices.Values(problems)))
}

// readAppSchema reads OneBusAway's schema; nil without ../shared.
func readAppSchema(t *testing.T) (schema tree) {
	t.Helper()
	file := sample.Find(t, "onebusaway/openapi.yml")
	if file == "" {
		return nil
	}
	text, err := os.ReadFile(file)
	if err == nil {
		err = yaml.Unmarshal(text, &schema)
	}
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// valid checks an answer against the schema of a path.
func (a *apps) valid(template string, answer tree) []string {
	path, ok := a.schema["paths"].(tree)["/api/where/"+template].(tree)
	if !ok {
		return []string{"the schema has no " + template}
	}
	s := path["get"].(tree)["responses"].(tree)["200"].(tree)["content"].(tree)
	return a.violations("answer", s["application/json"].(tree)["schema"].(tree), answer)
}

func (a *apps) violations(at string, s tree, v any) (all []string) {
	if ref, ok := s["$ref"].(string); ok {
		s = a.schema["components"].(tree)["schemas"].(tree)[ref[strings.LastIndex(ref, "/")+1:]].(tree)
	}
	for _, part := range anys(s["allOf"]) {
		all = append(all, a.violations(at, part.(tree), v)...)
	}
	right := true
	switch s["type"] {
	case "string":
		_, right = v.(string)
	case "integer":
		n, number := v.(float64)
		right = number && n == float64(int64(n))
	case "number":
		_, right = v.(float64)
	case "boolean":
		_, right = v.(bool)
	case "array":
		_, right = v.([]any)
		items, _ := s["items"].(tree)
		for _, one := range anys(v) {
			all = append(all, a.violations(at, items, one)...)
		}
	}
	if !right {
		return append(all, fmt.Sprintf("%s is no %v: %.40v", at, s["type"], v))
	}
	of, _ := v.(tree)
	for _, key := range anys(s["required"]) {
		if of[key.(string)] == nil {
			all = append(all, fmt.Sprintf("%s has no %s", at, key))
		}
	}
	properties, _ := s["properties"].(tree)
	for key, one := range properties {
		if of[key] != nil {
			all = append(all, a.violations(at+"."+key, one.(tree), of[key])...)
		}
	}
	return all
}

func anys(v any) []any {
	list, _ := v.([]any)
	return list
}

package transitapi

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/rest/resttest"
)

func TestQueries(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	resttest.CheckQueries(t, w.db, rest.Made()...)
}

// Every endpoint and the OpenAPI description have a golden answer, and each golden answer has an
// endpoint. The cases are requests that differ from the usual one of an endpoint.
func TestAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	type asked struct{ name, path string }
	cases := []asked{
		{"openapi", "/openapi.json"},
		{"static.agency-bare", "/feeds/metro/agencies/ferry"},
		{"static.route_geojson-nowhere", "/feeds/metro/agencies/M%20T/routes/idle/geojson"},
		{"static.route_wkt-nowhere", "/feeds/metro/agencies/M%20T/routes/idle/wkt"},
		{"static.route_directions-none", "/feeds/metro/agencies/M%20T/routes/idle/directions"},
		{"static.route_direction", "/feeds/metro/agencies/M%20T/routes/R%2F1/directions/1"},
		{"static.route_stops", "/feeds/metro/agencies/M%20T/routes/R%2F1/stops/1,0,1?limit=5&offset=2"},
		{"static.route_stops-loop", "/feeds/metro/agencies/M%20T/routes/loop/stops/0"},
		{"static.stop_search", "/stops?q=station&near=54.73,-25.6"},
		{"static.trips", "/feeds/metro/agencies/M%20T/routes/loop/trips"},
		{"static.trip", "/feeds/metro/agencies/M%20T/routes/R%2F1/trips/branch%2F%C3%A9"},
		{"static.trip_stop_times-arrivals", "/feeds/metro/agencies/M%20T/routes/R%2F1/trips/branch%2F%C3%A9/stop_times"},
		{"static.trip_stop_times-flex", "/feeds/metro/agencies/ferry/routes/F/trips/f2/stop_times"},
		{"static.trip_stop_times-none", "/feeds/metro/agencies/M%20T/routes/loop/trips/empty/stop_times"},
		{"static.trip_stops", "/feeds/metro/agencies/M%20T/routes/loop/trips/l1/stops"},
		{"static.trip_stops-flex", "/feeds/metro/agencies/ferry/routes/F/trips/f1/stops"},
		{"static.trip_geojson-stops", "/feeds/metro/agencies/M%20T/routes/R%2F1/trips/branch%2F%C3%A9/geojson"},
		{"static.trip_geojson-nowhere", "/feeds/metro/agencies/M%20T/routes/loop/trips/empty/geojson"},
		{"static.schedule-loop", "/feeds/metro/agencies/M%20T/routes/loop/schedules/wk/0"},
		{"static.schedule-flex", "/feeds/metro/agencies/ferry/routes/F/schedules/xmas/1"},
		{"static.schedule-empty", "/feeds/metro/agencies/M%20T/routes/R%2F1/schedules/none%2F0/0"},
		{"static.service-dates", "/feeds/metro/services/xmas"},
		{"static.service-plain", "/feeds/metro/services/none%2F0"},
		{"static.shape-steps", "/feeds/metro/shapes/sh%2F2?offset=1"},
		{"static.stops-page", "/feeds/metro/stops?offset=4&limit=2&_format=json&x=y"},
		{"static.stops-near", "/feeds/metro/stops?near=54.731,-25.6&bbox=-25.605,54.7,-25.6,54.8&limit=2"},
		{"static.stops-lang", "/feeds/metro/stops?lang=fr-CA&limit=4"},
		{"static.stop_routes", "/feeds/metro/stops/C/routes"},
		{"static.stop_directions", "/feeds/metro/stops/C/directions"},
		{"static.stop_directions-page", "/feeds/metro/stops/C/directions?limit=1&offset=1"},
		{"static.stop_trips", "/feeds/metro/stops/100/trips"},
		{"static.stop_trips-page", "/feeds/metro/stops/100/trips?offset=3&limit=2"},
		{"static.stop_stop_times", "/feeds/metro/stops/100/stop_times"},
		{"static.stop_stop_times-station", "/feeds/metro/stops/S/stop_times"},
		{"static.stop_trips-none", "/feeds/metro/stops/lost/trips"},
		{"static.files", "/feeds/metro/files?offset=1&limit=10"},
		{"static.file", "/feeds/metro/files/wagons.txt?offset=1"},
		{"static.file-further", "/feeds/metro/files/stops.txt"},
	}
	notJSON := []string{"static.gtfs_zip", "static.feed_report_csv", "realtime.performance_tides"}
	for _, e := range w.api.table {
		isAsked := slices.ContainsFunc(cases, func(c asked) bool { return c.name == e.ID })
		otherTest := e.Kind == rest.Realtime || strings.HasPrefix(e.Path, "/tiles") || slices.Contains(notJSON, e.ID)
		if !isAsked && !otherTest {
			cases = append(cases, asked{e.ID, expanded(e.Path)})
		}
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { golden(t, c.name, w.ask(t, c.path)) })
	}
	files, err := os.ReadDir(answers)
	if err != nil {
		t.Fatal(err)
	}
	stored := map[string]bool{}
	for _, f := range files {
		id, _, _ := strings.Cut(strings.TrimSuffix(f.Name(), ".json"), "-")
		stored[id] = true
	}
	delete(stored, "openapi")
	for _, e := range w.api.table {
		if !stored[e.ID] && !slices.Contains(notJSON, e.ID) {
			t.Errorf("endpoint %s has no golden answer: store one in its test", e.ID)
		}
		delete(stored, e.ID)
	}
	for id := range stored {
		t.Errorf("%s in %s is a golden answer without an endpoint", id, answers)
	}
}

var answers = filepath.Join("testdata", "answers")

func golden(t *testing.T, name string, body []byte) {
	t.Helper()
	var got bytes.Buffer
	if err := json.Indent(&got, body, "", " "); err != nil {
		t.Fatalf("%v in %.200s", err, body)
	}
	got.WriteByte('\n')
	file := filepath.Join(answers, name+".json")
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v: make golden writes it", err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s: -want +got\n%s", file, diff)
	}
}

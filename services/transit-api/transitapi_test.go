package transitapi

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/townline/townline/pkg/events"
	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/rest/resttest"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/transit-api/internal/live"
	"github.com/townline/townline/services/transit-api/internal/notice"
)

var update = flag.Bool("update", false, "write golden files anew")

// public is the address that the API under test believes to have.
const public = "https://transit.example" + basePath

// A world is the API over a database of its own, not running: tests ask it directly.
type world struct {
	*resttest.API
	db   *pgxpool.Pool
	api  *api
	srv  *rest.Server
	time atomic.Pointer[time.Time] // nil: the clock
}

// now is the time that the API goes by.
func (w *world) now() time.Time {
	if at := w.time.Load(); at != nil {
		return *at
	}
	return time.Now()
}

// clockAt sets the time that the API goes by.
func (w *world) clockAt(at time.Time) { w.time.Store(&at) }

const testConfig = `
feeds:
  - alias: metro
    route_extras:
      "R/1": {badge: express, route_id: no}
access:
  roles:
    anonymous: [discovery, static, realtime, display]
`

func newWorld(t testing.TB, alter func(*Config)) *world {
	t.Helper()
	return newWorldOn(t, alter, nil)
}

func newWorldOn(t testing.TB, alter func(*Config), bus *events.Bus) *world {
	t.Helper()
	w := &world{db: pgtest.New(t)}
	sql, err := os.ReadFile("testdata/feed.sql")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.db.Exec(t.Context(), string(sql)); err != nil {
		t.Fatalf("testdata/feed.sql: %v", err)
	}
	cfg := Config{PublicURL: "https://transit.example", File: configFile(t, testConfig), AccessLog: "off", now: w.now}
	if alter != nil {
		alter(&cfg)
	}
	deps := testDeps(w.db)
	deps.Events = bus
	a, srv, err := open(cfg, deps)
	if err != nil {
		t.Fatal(err)
	}
	w.api, w.srv, w.API = a, srv, documented(t, srv)
	refreshFeeds(t, a)
	w.look(t)
	return w
}

// again is another API over the same database, that has read nothing yet.
func (w *world) again(t *testing.T) *world {
	t.Helper()
	next := &world{db: w.db}
	a, srv, err := open(Config{PublicURL: "https://transit.example", File: configFile(t, testConfig), AccessLog: "off", now: next.now}, testDeps(w.db))
	if err != nil {
		t.Fatal(err)
	}
	next.api, next.srv, next.API = a, srv, w.For(srv)
	return next
}

// reimport changes the rows of the feed as another import would.
func (w *world) reimport(t testing.TB, sql string) {
	t.Helper()
	if _, err := w.db.Exec(t.Context(), sql+`; UPDATE transit.feed_version SET sha256 = sha256 || '\x01' WHERE version_id = 2`); err != nil {
		t.Fatal(err)
	}
	refreshFeeds(t, w.api)
}

// documented holds a server to its description, which is read and checked once: all worlds have the same table.
var documented = func() func(testing.TB, *rest.Server) *resttest.API {
	var once sync.Once
	var first *resttest.API
	return func(t testing.TB, srv *rest.Server) *resttest.API {
		t.Helper()
		once.Do(func() { first = resttest.Open(t, srv) })
		if first == nil {
			t.Fatal("the description is not valid; see the first test")
		}
		return first.For(srv)
	}
}()

// configFile is a transit.yaml with that text.
func configFile(t testing.TB, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "transit.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// refreshFeeds makes the API read every change of the feeds, and waits for it.
func refreshFeeds(t testing.TB, a *api) {
	t.Helper()
	if err := a.dir.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.dir.Wait()
}

// look lets the API see what has changed beside the feeds.
func (w *world) look(t testing.TB) {
	t.Helper()
	for _, look := range []func(context.Context) error{w.api.live.Refresh, w.api.notices.Refresh, w.api.keys.Refresh} {
		if err := look(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func testDeps(db *pgxpool.Pool) run.Deps {
	return run.Deps{DB: db, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Metrics: prometheus.NewRegistry(), Ready: &run.Health{}}
}

// get asks for a path below the base, in JSON.
func (w *world) get(t *testing.T, path string) resttest.Answer {
	t.Helper()
	return w.Get(t, basePath+path, "Accept", "application/json")
}

// ask is get for paths that must answer.
func (w *world) ask(t *testing.T, path string) []byte {
	t.Helper()
	a := w.get(t, path)
	if a.Status != http.StatusOK {
		t.Fatalf("%s: %d %s", path, a.Status, a.Body)
	}
	return a.Body
}

func TestQueries(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	resttest.CheckQueries(t, w.db, slices.Concat(w.api.table.Queries(), live.Queries(), notice.Queries())...)
}

// Every endpoint has a golden answer, and so has the description; one that has none fails the test, and so does an answer of nothing.
func TestAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	seen := map[string]bool{"static.tile": true, "static.tiles": true, "static.map_style": true} // in TestTiles
	type asked struct{ name, path string }
	cases := []asked{
		{"openapi", "/openapi.json"},
		{"discovery.resources", "/"},
		{"discovery.feeds", "/feeds"},
		{"discovery.feed", "/feeds/metro"},
		{"static.feed_report", "/feeds/metro/report"},
		{"static.agencies", "/feeds/metro/agencies"},
		{"static.agency", "/feeds/metro/agencies/M%20T"},
		{"static.agency-bare", "/feeds/metro/agencies/ferry"},
		{"static.routes", "/feeds/metro/agencies/M%20T/routes"},
		{"static.route", "/feeds/metro/agencies/M%20T/routes/R%2F1"},
		{"static.route_geojson", "/feeds/metro/agencies/M%20T/routes/R%2F1/geojson"},
		{"static.route_geojson-nowhere", "/feeds/metro/agencies/M%20T/routes/idle/geojson"},
		{"static.route_wkt", "/feeds/metro/agencies/M%20T/routes/R%2F1/wkt"},
		{"static.route_wkt-nowhere", "/feeds/metro/agencies/M%20T/routes/idle/wkt"},
		{"static.route_directions", "/feeds/metro/agencies/M%20T/routes/R%2F1/directions"},
		{"static.route_directions-none", "/feeds/metro/agencies/M%20T/routes/idle/directions"},
		{"static.route_direction", "/feeds/metro/agencies/M%20T/routes/R%2F1/directions/1"},
		{"static.route_stops", "/feeds/metro/agencies/M%20T/routes/R%2F1/stops/1,0,1?limit=5&offset=2"},
		{"static.route_stops-loop", "/feeds/metro/agencies/M%20T/routes/loop/stops/0"},
		{"static.route_drawing", "/feeds/metro/agencies/M%20T/routes/R%2F1/drawing"},
		{"static.route_drawing-nowhere", "/feeds/metro/agencies/M%20T/routes/idle/drawing"},
		{"static.feed_drawing", "/feeds/metro/drawing"},
		{"static.stop_search", "/stops?q=station&near=54.73,-25.6"},
		{"static.trips", "/feeds/metro/agencies/M%20T/routes/loop/trips"},
		{"static.trip", "/feeds/metro/agencies/M%20T/routes/R%2F1/trips/branch%2F%C3%A9"},
		{"static.trip_stop_times", "/feeds/metro/agencies/M%20T/routes/R%2F1/trips/late/stop_times"},
		{"static.trip_stop_times-arrivals", "/feeds/metro/agencies/M%20T/routes/R%2F1/trips/branch%2F%C3%A9/stop_times"},
		{"static.trip_stop_times-flex", "/feeds/metro/agencies/ferry/routes/F/trips/f2/stop_times"},
		{"static.trip_stop_times-none", "/feeds/metro/agencies/M%20T/routes/loop/trips/empty/stop_times"},
		{"static.trip_stops", "/feeds/metro/agencies/M%20T/routes/loop/trips/l1/stops"},
		{"static.trip_stops-flex", "/feeds/metro/agencies/ferry/routes/F/trips/f1/stops"},
		{"static.trip_geojson", "/feeds/metro/agencies/M%20T/routes/R%2F1/trips/late/geojson"},
		{"static.trip_geojson-stops", "/feeds/metro/agencies/M%20T/routes/R%2F1/trips/branch%2F%C3%A9/geojson"},
		{"static.trip_geojson-nowhere", "/feeds/metro/agencies/M%20T/routes/loop/trips/empty/geojson"},
		{"static.schedule", "/feeds/metro/agencies/M%20T/routes/R%2F1/schedules/wk/0"},
		{"static.schedule-loop", "/feeds/metro/agencies/M%20T/routes/loop/schedules/wk/0"},
		{"static.schedule-flex", "/feeds/metro/agencies/ferry/routes/F/schedules/xmas/1"},
		{"static.schedule-empty", "/feeds/metro/agencies/M%20T/routes/R%2F1/schedules/none%2F0/0"},
		{"static.services", "/feeds/metro/services"},
		{"static.service", "/feeds/metro/services/wk"},
		{"static.service-dates", "/feeds/metro/services/xmas"},
		{"static.service-plain", "/feeds/metro/services/none%2F0"},
		{"static.shapes", "/feeds/metro/shapes"},
		{"static.shape", "/feeds/metro/shapes/sh%201"},
		{"static.shape-steps", "/feeds/metro/shapes/sh%2F2?offset=1"},
		{"static.shape_geojson", "/feeds/metro/shapes/sh%201/geojson"},
		{"static.stops", "/feeds/metro/stops"},
		{"static.stops-page", "/feeds/metro/stops?offset=4&limit=2&_format=json&x=y"},
		{"static.stops-near", "/feeds/metro/stops?near=54.731,-25.6&bbox=-25.605,54.7,-25.6,54.8&limit=2"},
		{"static.stop", "/feeds/metro/stops/B%2050%25%2Fx"},
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
		{"static.locations", "/feeds/metro/locations"},
	}
	for _, def := range gtfs.Tables() {
		if def.Title != "" {
			cases = append(cases, asked{"static." + def.Resource(), "/feeds/metro/" + def.Resource()})
		}
	}
	for _, c := range cases {
		id, _, _ := strings.Cut(c.name, "-")
		seen[id] = true
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
		if e.ID == "static.gtfs_zip" {
			continue // it is no JSON
		}
		if !seen[e.ID] && e.Kind != rest.Realtime || !stored[e.ID] { // those have tests of their own
			t.Errorf("endpoint %s has no golden answer", e.ID)
		}
		delete(stored, e.ID)
	}
	for id := range stored {
		t.Errorf("%s in %s is the golden answer of no endpoint", id, answers)
	}
}

// answers is where the golden answers lie.
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
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s: -want +got\n%s", file, diff)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, c := range []struct {
		path   string
		status int
	}{
		{"/feeds/metro/stops/nowhere", 404},
		{"/feeds/nobody", 404},
		{"/feeds/nobody/stops", 404},
		{"/feeds/soon", 404},
		{"/feeds/soon/stops", 404},
		{"/feeds/gone/stops", 404},
		{"/feeds/metro/", 404},
		{"/feeds/metro/unknown", 404},
		{"/feeds/metro/agencies/nobody", 404},
		{"/feeds/metro/agencies/nobody/routes", 404},
		{"/feeds/metro/agencies/ferry/routes/loop", 404},
		{"/feeds/metro/agencies/ferry/routes/loop/trips", 404},
		{"/feeds/metro/agencies/ferry/routes/loop/directions", 404},
		{"/feeds/metro/agencies/ferry/routes/loop/directions/0", 404},
		{"/feeds/metro/agencies/ferry/routes/loop/stops/0", 404},
		{"/feeds/metro/agencies/ferry/routes/loop/geojson", 404},
		{"/feeds/metro/agencies/ferry/routes/loop/wkt", 404},
		{"/feeds/metro/agencies/ferry/routes/loop/schedules/wk/0", 404},
		{"/feeds/metro/agencies/ferry/routes/loop/trips/l1", 404},
		{"/feeds/metro/agencies/ferry/routes/loop/trips/l1/stop_times", 404},
		{"/feeds/metro/agencies/ferry/routes/loop/trips/l1/stops", 404},
		{"/feeds/metro/agencies/ferry/routes/loop/trips/l1/geojson", 404},
		{"/feeds/metro/agencies/M%20T/routes/loop/trips/early", 404},
		{"/feeds/metro/agencies/M%20T/routes/loop/trips/early/stop_times", 404},
		{"/feeds/metro/agencies/M%20T/routes/loop/directions/1", 404},
		{"/feeds/metro/agencies/M%20T/routes/loop/directions/2", 404},
		{"/feeds/metro/agencies/M%20T/routes/loop/stops/1", 404},
		{"/feeds/metro/agencies/M%20T/routes/loop/stops/0,", 404},
		{"/feeds/metro/agencies/M%20T/routes/loop/stops/x", 404},
		{"/feeds/metro/agencies/M%20T/routes/idle/stops/0", 404},
		{"/feeds/metro/agencies/M%20T/routes/loop/schedules/nobody/0", 404},
		{"/feeds/metro/agencies/M%20T/routes/loop/schedules/wk/1", 404},
		{"/feeds/metro/agencies/M%20T/routes/loop/schedules/wk/9", 404},
		{"/feeds/metro/services/nobody", 404},
		{"/feeds/metro/shapes/nobody", 404},
		{"/feeds/metro/shapes/nobody/geojson", 404},
		{"/feeds/metro/stops/nobody/routes", 404},
		{"/feeds/metro/stops/nobody/directions", 404},
		{"/feeds/metro/stops/nobody/trips", 404},
		{"/feeds/metro/stops/nobody/stop_times", 404},
		{"/feeds/metro/stops?limit=0", 400},
		{"/feeds/metro/stops?limit=", 400},
		{"/feeds/metro/stops?limit=x", 400},
		{"/feeds/metro/stops?limit=99999999999999999999", 400},
		{"/feeds/metro/stops?offset=-1", 400},
		{"/feeds/metro/stops?limit=1&limit=2", 400},
		{"/feeds/metro/stops?offset=9223372036854775807&limit=10000", 200},
		{"/feeds/metro/stops/100/trips?offset=9223372036854775807", 200},
		{"/feeds/metro/agencies/M%20T/routes/loop/trips?offset=9223372036854775807", 200},
		{"/feeds/metro/stops?limit=1&limit=1", 200},
		{"/feeds/metro/agencies/ferry/routes/loop/drawing", 404},
		{"/stops", 400},
		{"/stops?q=", 400},
		{"/stops?q=%2C%20%21", 200},
		{"/stops?q=a&feed=nobody", 404},
		{"/stops?q=a&radius=5", 400},
		{"/stops?near=5", 400},
		{"/stops?near=91,0", 400},
		{"/stops?near=NaN,0", 400},
		{"/stops?near=1,2,3", 400},
		{"/rt/departures", 400},
		{"/rt/departures?stop_id=100", 400},
		{"/rt/departures?stop_id=metro:", 400},
		{"/rt/departures?stop_id=nobody:100", 404},
		{"/rt/departures?stop_id=metro:100&route_id=loop", 400},
		{"/rt/departures?stop_id=metro:nobody", 200},
		{"/rt/departures?stop_id=metro:" + strings.Join(strings.Split("abcdefghijklmnopqrstu", ""), "&stop_id=metro:"), 400},
	} {
		a := w.get(t, c.path)
		if a.Status != c.status {
			t.Errorf("%s: %d %s, want %d", c.path, a.Status, a.Body, c.status)
		}
		var body struct{ Message string }
		if c.status >= 400 {
			a.JSON(t, &body)
			if body.Message == "" {
				t.Errorf("%s: no message in %s", c.path, a.Body)
			}
		}
	}
}

// Whoever follows links from the root reaches every resource, and every link answers.
func TestLinks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	reached := map[string]bool{}
	queue := []string{public + "/"}
	seen := map[string]bool{queue[0]: true}
	for len(queue) > 0 {
		href := queue[0]
		queue = queue[1:]
		body := w.ask(t, strings.TrimPrefix(href, public))
		for _, e := range w.api.table {
			if matches(e.Path, strings.TrimPrefix(href, public)) {
				reached[e.ID] = true
			}
		}
		var v any
		if err := json.Unmarshal(body, &v); err != nil {
			t.Fatal(err)
		}
		for _, next := range hrefs(v) {
			if !strings.HasPrefix(next, public) {
				t.Errorf("%s: link %s leads elsewhere", href, next)
			} else if !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	for _, e := range w.api.table {
		// Realtime ids are not those of a feed. A search has no address of its own, and what earlier versions answer gets no further links:
		// the root tells of both, and of maps, which are no envelopes.
		// Files that this feed does not have are listed by those that do: transfers.txt stands for them. A zip has no links, and a test of its own.
		table, is := gtfs.TableOf(strings.TrimPrefix(e.ID, "static.") + ".txt")
		if (is && e.ID != "static.transfers" && (table.Unchanged() || table.Plain)) || e.ID == "static.gtfs_zip" {
			continue
		}
		if !reached[e.ID] && e.Kind != rest.Realtime && e.ID != "static.stop_search" && e.ID != "static.route_drawing" && e.ID != "static.feed_drawing" && !strings.HasPrefix(e.Path, "/tiles") {
			t.Errorf("no link leads to %s", e.ID)
		}
	}
}

// matches reports whether a path of a request is one of a template.
func matches(template, path string) bool {
	path, _, _ = strings.Cut(path, "?")
	pattern := regexp.MustCompile(`\\\{[a-z_]+\\\}`).ReplaceAllString(regexp.QuoteMeta(template), `[^/]+`)
	return regexp.MustCompile("^" + pattern + "$").MatchString(path)
}

// hrefs finds the strings in every "links" and "link" of a decoded body.
func hrefs(v any) []string {
	var out []string
	switch v := v.(type) {
	case map[string]any:
		for key, child := range v {
			if links, ok := child.(map[string]any); ok && key == "links" {
				for _, href := range links {
					if s, ok := href.(string); ok {
						out = append(out, s)
					}
				}
				continue
			}
			if s, ok := child.(string); ok && key == "link" {
				out = append(out, s)
				continue
			}
			out = append(out, hrefs(child)...)
		}
	case []any:
		for _, child := range v {
			out = append(out, hrefs(child)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Templates of the root expand to addresses that answer.
func TestTemplates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	values := map[string]string{"feed_alias": "metro", "agency_id": "M T", "route_id": "R/1", "trip_id": "late", "stop_id": "B 50%/x",
		"service_id": "wk", "shape_id": "sh 1", "direction_id": "0", "direction_ids": "0,1",
		"entity_type": "stops", "entity_id": "100", "file": "wagons.txt", "z": "10", "x": "440", "y": "326"}
	var root struct{ Data []ResourceDescriptor }
	if err := json.Unmarshal(w.ask(t, "/"), &root); err != nil {
		t.Fatal(err)
	}
	if len(root.Data) != len(w.api.table) {
		t.Errorf("%d resources for %d endpoints", len(root.Data), len(w.api.table))
	}
	for _, d := range root.Data {
		if strings.Contains(d.URITemplate, "gtfs.zip") { // the feed has none; TestZipOfAFeed
			continue
		}
		path := regexp.MustCompile(`\{\?[^}]*\}$`).ReplaceAllString(d.URITemplate, "?_format=json&q=a&stop_id=metro:100&feed=metro&near=54.7,-25.3")
		path = regexp.MustCompile(`\{[a-z_]+\}`).ReplaceAllStringFunc(path, func(name string) string {
			return url.PathEscape(values[name[1:len(name)-1]])
		})
		w.ask(t, strings.TrimPrefix(path, public))
	}
}

// The description as the linters of scripts/lint-descriptions.sh read it, which asks for it by name.
func TestDescriptionForLinters(t *testing.T) {
	dir := os.Getenv("TOWNLINE_DESCRIPTIONS")
	if dir == "" {
		t.Skip("TOWNLINE_DESCRIPTIONS is not set; make check sets it")
	}
	t.Parallel()
	answer := newWorld(t, nil).Get(t, basePath+"/openapi.json")
	if err := os.WriteFile(filepath.Join(dir, "transit.json"), answer.Body, 0o600); err != nil || answer.Status != 200 {
		t.Fatal(answer.Status, err)
	}
}

// Each operation has an example, which is what it answers.
func TestExamples(t *testing.T) {
	t.Parallel()
	newWorld(t, nil).CheckExamples(t, "getDescription")
}

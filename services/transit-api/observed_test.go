package transitapi

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/townline/townline/pkg/sample"
)

// The figures and visits of an observed feed, by route, day, stop and hour.
func TestWhatReallyRan(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	golden(t, "realtime.performance", w.ask(t, "/feeds/metro/performance"))
	golden(t, "realtime.performance-day", w.ask(t, "/feeds/metro/performance?by=day&early=0&late=45"))
	golden(t, "realtime.performance-stop", w.ask(t, "/feeds/metro/performance?by=stop&timepoints=true"))
	golden(t, "realtime.performance-hour", w.ask(t, "/feeds/metro/performance?by=hour&route_id=R%2F1"))
	golden(t, "realtime.performance-agency", w.ask(t, "/feeds/metro/performance?by=agency"))
	golden(t, "realtime.performance_visits", w.ask(t, "/feeds/metro/performance/visits"))
	golden(t, "realtime.performance_visits-vehicle",
		w.ask(t, "/feeds/metro/performance/visits?vehicle_id=bus%207&limit=1"))
	for path, status := range map[string]int{
		"/feeds/tiny/performance":                                http.StatusNotFound,
		"/feeds/metro/performance?by=hour&stop_id=100":           http.StatusBadRequest,
		"/feeds/metro/performance?from=2026-03-04&to=2026-03-03": http.StatusBadRequest,
		"/feeds/metro/performance?from=2020-01-01":               http.StatusBadRequest,
	} {
		if got := w.get(t, path); got.Status != status {
			t.Errorf("%s: %d %s", path, got.Status, got.Body)
		}
	}
}

// Each write of the observer changes the ETag, also one between two times that a day is added up.
func TestWritesOfTheObserverChangeTheETag(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	const path = "/feeds/metro/performance/visits"
	before := w.get(t, path)
	w.exec(t, `UPDATE transit.stop_visit SET vehicle_id = 'bus 8' WHERE vehicle_id = 'bus 7'`)
	w.exec(t, `UPDATE transit.observer SET renewed_at = now(), messages = messages + 1`)
	after := w.Get(t, basePath+path, "Accept", "application/json", "If-None-Match", before.Header.Get("Etag"))
	if after.Status != http.StatusOK || !strings.Contains(string(after.Body), "bus 8") {
		t.Errorf("after a write: %d %s", after.Status, after.Body)
	}
}

// The resource of an observed feed leads to its figures.
func TestAnObservedFeedLinksToItsFigures(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	const link = `/feeds/metro/performance"`
	if text := string(w.ask(t, "/feeds/metro")); strings.Contains(text, link) {
		t.Error(text)
	}
	observes := w.again(t, func(c *Config) {
		c.File = configFile(t, `
feeds:
  - alias: metro
    observe: true
    realtime: [{kind: trip_updates, url: "https://agency.example/tu.pb"}]
access: {roles: {anonymous: [discovery, static, realtime, display]}}
`)
	})
	refreshFeeds(t, observes.api)
	if text := string(observes.ask(t, "/feeds/metro")); !strings.Contains(text, link) {
		t.Error(text)
	}
}

// The page shows coverage first, and a line by hour and stop; the table is there as CSV.
func TestPageOfWhatReallyRan(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	text := w.page(t, "/f/metro/performance").Body.String()
	lacks(t, "the page", text, "Seen to run: 1 (50%)", "Not seen although there was data: 1 (50%)",
		"March 3, 2026 is provisional", `<th scope="row">March 3, 2026</th>`, "route_id=R%2F1", "performance.csv?by=day")
	if strings.Index(text, "Seen to run") > strings.Index(text, "On time") {
		t.Error("punctuality is before coverage")
	}
	lacks(t, "the line", w.page(t, "/f/metro/performance?route_id=R%2F1").Body.String(), "6:00", "All lines")
	rows, err := csv.NewReader(w.page(t, "/f/metro/performance.csv").Body).ReadAll()
	if err != nil || len(rows) != 2 || rows[1][1] != "R/1" || rows[1][3] != "1" {
		t.Errorf("%q, %v", rows, err)
	}
}

// A feed whose vehicles name neither a stop nor a stop_sequence is not measurable, and says so.
func TestFeedsThatCannotBeMeasured(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	const text, answer = "Not measurable", `"measurable": false`
	says := func() (page, api bool) {
		t.Helper()
		return strings.Contains(w.page(t, "/f/metro/performance?from=2026-03-03").Body.String(), text),
			strings.Contains(strings.ReplaceAll(string(w.ask(t, "/feeds/metro/performance")), `":false`, `": false`), answer)
	}
	w.exec(t, `UPDATE transit.observer SET visits = 0, placed = 0`)
	if page, api := says(); !page || !api {
		t.Errorf("the page says so: %t, the API: %t", page, api)
	}
}

// Of a day that was not observed, or whose visits are no longer kept, there is no empty answer: that
// would say that nothing ran. Its figures stay, and days without figures are not called silent.
func TestDaysThatAreNotKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	day := func(path, date string) int {
		return w.get(t, "/feeds/metro/performance"+strings.ReplaceAll(path, "DATE", date)).Status
	}
	for _, path := range []string{"/visits?date=DATE", "/tides/DATE.zip"} {
		if kept, before := day(path, "2026-03-03"), day(path, "2026-03-02"); kept != 200 || before != 404 {
			t.Errorf("%s: %d, and %d of a day that was not observed", path, kept, before)
		}
	}
	w.exec(t, `SELECT transit.drop_visit_day('2026-03-03')`)
	w.exec(t, `UPDATE transit.observer SET renewed_at = now()`)
	for _, path := range []string{"/visits?date=DATE", "/tides/DATE.zip"} {
		if status := day(path, "2026-03-03"); status != 404 {
			t.Errorf("%s: %d once the visits are dropped", path, status)
		}
	}
	lacks(t, "the figures", string(w.ask(t, "/feeds/metro/performance?from=2026-03-01&to=2026-03-03")), `"ran":1,`,
		`"silent_seconds":300,`)
	lacks(t, "the page", w.page(t, "/f/metro/performance?from=2026-03-01&to=2026-03-03").Body.String(),
		"No figures are kept of days before March 3, 2026", "Minutes without any data: 5.", "Seen to run: 1 (50%)")
}

// TestTIDES checks the files against the schemas of TIDES 1.0.
func TestTIDES(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.exec(t, `INSERT INTO transit.stop_visit (service_date, start_time, stop_sequence, scheduled_departure, departure, seen, kind,
		place, timepoint, counted, alias, trip_id, route_id, direction_id, stop_id, vehicle_id)
		VALUES ('2026-03-03', -1, 2, 64000, 64010, 'p', 's', 'm', true, false, 'metro', 'under way', 'R/1', '0', 'C', 'bus 9')`)
	body := w.ask(t, "/feeds/metro/performance/tides/2026-03-03.zip")
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err, string(body))
	}
	files := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	for table, want := range map[string]string{
		"stop_visits":     "2026-03-03,extra_250000,1,,bus 8,30,C,true,,,",
		"trips_performed": "2026-03-03,early,bus 7,early,R/1,Bus,0,100,D,",
	} {
		if !strings.Contains(string(files[table+".csv"]), want) {
			t.Errorf("%s lacks %q:\n%s", table, want, files[table+".csv"])
		}
		// A trip that is under way has neither end yet.
		const half = "2026-03-03,under way,bus 9,under way,R/1,Bus,0,,,,,,,In service,Scheduled"
		if table == "trips_performed" && !strings.Contains(string(files[table+".csv"]), half) {
			t.Errorf("%s lacks %q:\n%s", table, half, files[table+".csv"])
		}
		rows, err := csv.NewReader(bytes.NewReader(files[table+".csv"])).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		checkTable(t, table, rows)
	}
	var about struct {
		Title     string
		Profile   string
		Resources []struct{ Name, Path, Profile, Schema string }
	}
	if err := json.Unmarshal(files["datapackage.json"], &about); err != nil || about.Title == "" ||
		!strings.HasSuffix(about.Profile, "/spec/tides-datapackage-profile.json") || len(about.Resources) != 2 {
		t.Errorf("%+v, %v", about, err)
	}
}

// checkTable checks rows against a table schema: names, types, enums, bounds and keys.
func checkTable(t *testing.T, table string, rows [][]string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(sample.Folder(t, "tides"), table+".schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		PrimaryKey []string
		Fields     []struct {
			Name, Type  string
			Constraints struct {
				Required bool
				Enum     []any
				Minimum  *float64
			}
		}
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	order, keys := -1, map[string]bool{}
	for i, field := range schema.Fields {
		column := slices.Index(rows[0], field.Name)
		if column < 0 {
			if field.Constraints.Required {
				t.Errorf("%s lacks %s", table, field.Name)
			}
			continue
		}
		if column < order {
			t.Errorf("%s: %s is not in the order of the schema (%d)", table, field.Name, i)
		}
		order = column
		for _, row := range rows[1:] {
			cell, bad := row[column], false
			switch {
			case cell == "":
				bad = field.Constraints.Required
			case field.Type == "integer":
				n, err := strconv.Atoi(cell)
				bad = err != nil || field.Constraints.Minimum != nil && float64(n) < *field.Constraints.Minimum
			case field.Type == "boolean":
				bad = cell != "true" && cell != "false"
			case field.Type == "date":
				_, err := time.Parse(time.DateOnly, cell)
				bad = err != nil
			case field.Type == "datetime":
				_, err := time.Parse(time.RFC3339, cell)
				bad = err != nil
			}
			if len(field.Constraints.Enum) > 0 && cell != "" {
				bad = bad || !slices.ContainsFunc(field.Constraints.Enum, func(v any) bool { return fmt.Sprint(v) == cell })
			}
			if bad {
				t.Errorf("%s.%s: %q", table, field.Name, cell)
			}
		}
	}
	for _, row := range rows[1:] {
		key := ""
		for _, name := range schema.PrimaryKey {
			key += row[slices.Index(rows[0], name)] + "\x00"
		}
		if keys[key] {
			t.Errorf("%s has %q twice", table, key)
		}
		keys[key] = true
	}
}

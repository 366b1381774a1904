package gtfsimport_test

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/pgtest"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
)

// files are the files of a small feed, by name.
type files map[string]string

// small is a feed with a bit of everything: a loop, a short turn, a branch, times past
// midnight, a station with a platform, exceptions, a frequency, an extra column.
func small() files {
	return files{
		"agency.txt":         "agency_id,agency_name,agency_url,agency_timezone\nM,Metro,https://metro.example,America/Los_Angeles\nN,Night,https://night.example,America/Los_Angeles\n",
		"stops.txt":          "stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station\nS,Station,45.0,-122.0,1,\n1,Platform,45.001,-122.0,,S\nB,Bridge,45.1,-122.1,,\nC,Court,45.2,-122.2,,\nD,Dock,45.3,-122.3,,\n",
		"routes.txt":         "route_id,agency_id,route_short_name,route_long_name,route_type,route_color,badge\nR2,N,N1,Night,3,00ff00,moon\nR1,M,10,Loop,3,FFFFFF,\n",
		"calendar.txt":       "service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date\nWK,1,1,1,1,1,0,0,20260101,20261231\n",
		"calendar_dates.txt": "service_id,date,exception_type\nWK,20260704,2\nSU,20260705,1\nSU,20260712,1\n",
		"trips.txt": "trip_id,route_id,service_id,trip_headsign,direction_id,shape_id\nT1,R1,WK,Loop,0,H1\nT2,R1,WK,Loop,0,H1\nT3,R2,SU,Dock,1,\nT4,R1,WK,Court,0,\n" +
			"T5,R1,WK,Loop,0,H1\n",
		"stop_times.txt": "trip_id,arrival_time,departure_time,stop_id,stop_sequence,pickup_type\n" +
			"T1,6:00:00,6:00:00,1,1,0\nT1,6:10:00,6:11:00,B,2,0\nT1,6:20:00,6:20:00,C,3,0\nT1,6:30:00,6:30:00,1,4,1\n" +
			"T2,7:00:00,7:00:00,1,1,0\nT2,7:10:00,7:11:00,B,2,0\nT2,7:20:00,7:20:00,C,3,0\nT2,7:30:00,7:30:00,1,4,1\n" +
			"T3,25:10:00,25:10:00,B,5,\nT3,,,D,10,\nT3,26:00:00,,C,20,\n" +
			"T4,08:00:00,08:00:00,B,1,\nT4,08:09:00,08:09:00,C,2,\n",
		"shapes.txt":      "shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence,shape_dist_traveled\nH1,45.001,-122.0,1,0\nH1,45.1,-122.10,2,\nH1,45.2,-122.2,3,12.50\n",
		"frequencies.txt": "trip_id,start_time,end_time,headway_secs\nT4,8:00:00,10:00:00,600\n",
		"feed_info.txt":   "feed_publisher_name,feed_publisher_url,feed_lang\nMetro,https://metro.example,en\n",
		"translations.txt": "table_name,field_name,language,translation,record_id,record_sub_id,field_value\nstops,stop_name,es,Muelle,D,,\n" +
			"trips,trip_headsign,fr,Boucle,,,Loop\nstop_times,stop_headsign,fr,Tour,T1,1,\n",
		"levels.txt": "level_id,level_index\nL,0\n",
	}
}

// with returns a copy with one file changed by replacing text.
func (f files) with(name, old, new string) files {
	g := maps.Clone(f)
	if !strings.Contains(g[name], old) {
		panic(name + " does not contain " + old)
	}
	g[name] = strings.Replace(g[name], old, new, 1)
	return g
}

func (f files) without(name string) files {
	g := maps.Clone(f)
	delete(g, name)
	return g
}

// pack writes the files as a zip and returns its path.
func (f files) pack(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "feed.zip")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(out)
	for _, name := range slices.Sorted(maps.Keys(f)) {
		e, err := w.Create(name)
		if err == nil {
			_, err = io.WriteString(e, f[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), out.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// load imports the files under an alias and fails the test if that fails.
func load(t testing.TB, db *pgxpool.Pool, alias string, f files) *gtfsimport.Report {
	t.Helper()
	r, err := gtfsimport.Import(t.Context(), deps(t, db), gtfsimport.Request{Alias: alias, Source: f.pack(t), Today: judgement})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// judgement is the day as of which feeds of tests are judged.
var judgement = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)

// done are the lines of a report about what the import did, and those about single cells.
func done(r *gtfsimport.Report) []gtfsimport.Line {
	return slices.DeleteFunc(slices.Clone(r.Lines), func(l gtfsimport.Line) bool {
		return l.Effect == gtfs.Noted && l.Code != gtfs.BadFloat && l.Code != gtfs.ManualTargetMissing
	})
}

// dump returns all that the tables hold of the live version of a feed, derived tables
// included, without numbers that are the version's own.
func dump(t testing.TB, db *pgxpool.Pool, alias string) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, table := range []string{"agency", "route", "stop", "service", "service_date", "trip", "pattern", "profile", "shape", "frequency",
		"feed_info", "translation", "route_direction", "route_pattern", "stop_index", "file", "file_row"} {
		all[table] = query(t, db, `SELECT (to_jsonb(x) - 'version_id')::text FROM transit.feed f JOIN transit.`+table+` x USING (version_id)
			WHERE f.alias = $1 ORDER BY 1`, alias)
	}
	return all
}

// query returns the first column of a query as text.
func query(t testing.TB, db *pgxpool.Pool, sql string, args ...any) []string {
	t.Helper()
	rows, err := db.Query(context.Background(), sql, args...)
	if err != nil {
		t.Fatal(err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return got
}

func TestImportOfASmallFeed(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	f := small()
	r := load(t, db, "metro", f)
	if r.Outcome != gtfsimport.Imported || r.Generation != 1 || len(done(r)) != 0 || r.TimeZone != "America/Los_Angeles" ||
		r.FirstDay != "2026-01-01" || r.LastDay != "2026-12-31" {
		t.Errorf("report %+v", r)
	}
	data, err := os.ReadFile(f.pack(t))
	if err != nil {
		t.Fatal(err)
	}
	checkFeed(t, db, "metro", data, "", r)
	for _, c := range []struct{ what, sql, want string }{
		{"routes are listed by agency", `SELECT string_agg(route_id || ' ' || ord || ' ' || first_trip || ' ' || trip_count, ', ' ORDER BY ord) FROM transit.route`,
			"R1 0 0 4, R2 1 4 1"},
		{"unknown columns of routes", `SELECT string_agg(extra::text, ', ' ORDER BY ord) FROM transit.route`, `{"badge": null}, {"badge": "moon"}`},
		{"a loop has two rows for the stop it starts at", `SELECT stop_id::text FROM transit.route_direction WHERE route_id = 'R1'`, "{1,B,C,1}"},
		{"directions are called by most trips", `SELECT string_agg(direction, ', ' ORDER BY ord) FROM transit.route_direction`, "Loop, Dock"},
		{"the heaviest pattern is first", `SELECT string_agg(n || ' ' || trip_count || ' ' || rows::text, ', ' ORDER BY n) FROM transit.route_pattern WHERE route_id = 'R1'`,
			"0 2 {0,1,2,3}, 1 1 {1,2}"},
		{"trips share patterns and profiles", `SELECT count(DISTINCT pattern) || ' ' || count(DISTINCT profile) FROM transit.trip`, "3 3"},
		{"a trip without calls has none", `SELECT coalesce(pattern, -1) || ' ' || coalesce(profile, -1) FROM transit.trip WHERE trip_id = 'T5'`, "-1 -1"},
		{"a station answers for its platforms", `SELECT trip_count || ' ' || call_count || ' ' || positions::text FROM transit.stop_index WHERE stop_id = 'S'`, "2 4 {1,4}"},
		{"a plain whole number is its own", `SELECT num::text FROM transit.stop WHERE stop_id = '1'`, "1"},
		{"a service of exceptions alone", `SELECT monday || ' ' || start_date || ' ' || end_date || ' ' || in_calendar FROM transit.service WHERE service_id = 'SU'`,
			"0 2026-07-05 2026-07-12 false"},
		{"times past midnight, an empty one, and none", `SELECT string_agg(coalesce(arrival_time, '-') || ' ' || coalesce(departure_time, '-'), ', ' ORDER BY stop_sequence)
			FROM transit.stop_times WHERE trip_id = 'T3'`, "25:10:00 25:10:00, - -, 26:00:00 -"},
		{"one shape is one row", `SELECT shape_pt_lon || ' ' || shape_dist_traveled FROM transit.shape`, "-122.0,-122.10,-122.2 0,,12.50"},
	} {
		if got := query(t, db, c.sql); len(got) != 1 || got[0] != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

func TestTheSameBytesImportNothing(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	first := load(t, db, "metro", small())
	again := load(t, db, "metro", small())
	if again.Outcome != gtfsimport.Unchanged || again.VersionID != first.VersionID || again.Generation != first.Generation {
		t.Errorf("second import: %+v", again)
	}
	renamed, err := gtfsimport.Import(t.Context(), deps(t, db), gtfsimport.Request{Alias: "metro", Name: "Metro Transit", Source: small().pack(t)})
	if err != nil || renamed.Generation != first.Generation+1 || renamed.VersionID != first.VersionID {
		t.Errorf("under another name: %+v, %v", renamed, err)
	}
	forced, err := gtfsimport.Import(t.Context(), deps(t, db), gtfsimport.Request{Alias: "metro", Source: small().pack(t), Force: true})
	if err != nil || forced.Outcome != gtfsimport.Imported || forced.VersionID == first.VersionID || forced.Name != "Metro Transit" {
		t.Errorf("by force: %+v, %v", forced, err)
	}
	for _, f := range forced.Files {
		if f.Used && (f.Added+f.Changed+f.Removed != 0 || f.Unchanged != f.Read) {
			t.Errorf("nothing changed, but %+v", f)
		}
	}
}

func TestABAGivesTheSameRows(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	a := small()
	b := a.with("stop_times.txt", "T1,6:20:00,6:20:00,C,3,0\n", "").with("routes.txt", "00ff00", "0000ff").without("frequencies.txt")
	load(t, db, "metro", a)
	before := dump(t, db, "metro")
	load(t, db, "metro", b)
	if cmp.Equal(before, dump(t, db, "metro")) {
		t.Error("B gives the same rows as A")
	}
	load(t, db, "metro", a)
	if diff := cmp.Diff(before, dump(t, db, "metro")); diff != "" {
		t.Errorf("A after B after A (-first +last):\n%s", diff)
	}
}

func TestDifference(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	a := small()
	load(t, db, "metro", a)
	b := a.with("stops.txt", "D,Dock,45.3", "D,Dock East,45.3").with("stops.txt", "C,Court", "E,Exchange,45.4,-122.4,,\nC,Court").
		with("trips.txt", "T4,R1,WK,Court,0,\n", "").with("trips.txt", "T2,R1,WK,Loop", "T2,R1,SU,Loop").
		with("stop_times.txt", "T4,08:00:00,08:00:00,B,1,\nT4,08:09:00,08:09:00,C,2,\n", "").
		with("stop_times.txt", "T2,7:10:00,7:11:00,B,2,0\n", "T2,7:10:00,7:12:00,B,2,0\nT2,7:15:00,7:15:00,D,9,0\n").
		with("shapes.txt", "H1,45.1,-122.10,2,", "H1,45.1,-122.1,2,").
		with("translations.txt", "Boucle", "Circuit").with("translations.txt", "es,Muelle,D", "es,Muelle,B").
		with("frequencies.txt", "T4,8", "T1,8").with("calendar_dates.txt", "SU,20260712,1", "SU,20260719,1").
		without("feed_info.txt")
	r := load(t, db, "metro", b)
	got := map[string][4]int64{}
	for _, f := range r.Files {
		got[f.File] = [4]int64{f.Added, f.Changed, f.Removed, f.Unchanged}
	}
	want := map[string][4]int64{
		"agency.txt":         {0, 0, 0, 2},
		"stops.txt":          {1, 1, 0, 4},
		"routes.txt":         {0, 0, 0, 2},
		"calendar.txt":       {0, 0, 0, 1},
		"calendar_dates.txt": {1, 0, 1, 2},
		"trips.txt":          {0, 1, 1, 3},
		"stop_times.txt":     {1, 1, 2, 10},
		"shapes.txt":         {0, 1, 0, 2},
		"frequencies.txt":    {1, 0, 1, 0},
		"feed_info.txt":      {0, 0, 1, 0},
		"translations.txt":   {1, 1, 1, 1},
		"levels.txt":         {0, 0, 0, 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("added, changed, removed, unchanged (-want +got):\n%s", diff)
	}
}

// The difference of stop times, which is counted by patterns, is what a comparison row by row
// gives, whatever changed.
func TestDifferenceOfStopTimesRowByRow(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	calls := func() map[string]string {
		all := map[string]string{}
		for _, row := range query(t, db, `SELECT trip_id || ' ' || stop_sequence || '=' || to_jsonb(c)::text FROM transit.stop_times c`) {
			key, cells, _ := strings.Cut(row, "=")
			all[key] = cells
		}
		return all
	}
	var before map[string]string
	for round := range 6 {
		f := small()
		trips, times := strings.Builder{}, strings.Builder{}
		trips.WriteString("trip_id,route_id,service_id\n")
		times.WriteString("trip_id,arrival_time,departure_time,stop_id,stop_sequence,stop_headsign\n")
		for i := range 40 {
			if rnd.IntN(8) == 0 {
				continue
			}
			fmt.Fprintf(&trips, "T%d,R1,WK\n", i)
			start := 6*3600 + i%4*60*rnd.IntN(2)
			for s := range 5 {
				if rnd.IntN(20) == 0 {
					continue
				}
				at := string(gtfs.AppendTime(nil, start+s*300+60*(rnd.IntN(12)/11)))
				if rnd.IntN(15) == 0 {
					at = ""
				}
				fmt.Fprintf(&times, "T%d,%s,%s,%c,%d,%s\n", i, at, at, "1BCD"[s%4], s+1, []string{"", "", "", "", "X"}[rnd.IntN(5)])
			}
		}
		f["trips.txt"], f["stop_times.txt"] = trips.String(), times.String()
		delete(f, "frequencies.txt")
		r := load(t, db, "metro", f)
		after := calls()
		if round > 0 {
			var want [4]int64
			for k, c := range after {
				switch old, ok := before[k]; {
				case !ok:
					want[0]++
				case old != c:
					want[1]++
				default:
					want[3]++
				}
			}
			for k := range before {
				if _, ok := after[k]; !ok {
					want[2]++
				}
			}
			i := slices.IndexFunc(r.Files, func(f gtfsimport.FileReport) bool { return f.File == "stop_times.txt" })
			if got := [4]int64{r.Files[i].Added, r.Files[i].Changed, r.Files[i].Removed, r.Files[i].Unchanged}; got != want {
				t.Errorf("round %d: added, changed, removed, unchanged %v, want %v", round, got, want)
			}
		}
		before = after
	}
}

// However the rows of stop_times.txt and shapes.txt are ordered, the version is the same.
func TestOrderOfRowsDoesNotMatter(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	var trips, times, shapes []string
	for i := range 700 { // more than are kept open at the same time
		trips = append(trips, fmt.Sprintf("T%d,R1,WK,H%d", i, i%90))
		for s := range 4 + i%3 {
			at := string(gtfs.AppendTime(nil, 6*3600+i%7*60+s*90))
			times = append(times, fmt.Sprintf("T%d,%s,%s,%c,%d", i, at, at, "1BCD"[(s+i)%4], s))
		}
	}
	for h := range 90 {
		for p := range 5 {
			shapes = append(shapes, fmt.Sprintf("H%d,45.%d,-122.%d,%d,%d", h, h+p, p, p*(1+h%2), p))
		}
	}
	build := func() files {
		f := small()
		f["trips.txt"] = "trip_id,route_id,service_id,shape_id\n" + strings.Join(trips, "\n")
		f["stop_times.txt"] = "trip_id,arrival_time,departure_time,stop_id,stop_sequence\n" + strings.Join(times, "\n")
		f["shapes.txt"] = "shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence,shape_dist_traveled\n" + strings.Join(shapes, "\n")
		return f.without("frequencies.txt")
	}
	views := func() map[string][]string {
		all := map[string][]string{}
		for _, v := range []string{"stop_times", "shapes", "trips"} {
			all[v] = query(t, db, `SELECT to_jsonb(x)::text FROM transit.`+v+` x ORDER BY 1`)
		}
		all["directions"] = query(t, db, `SELECT stop_id::text FROM transit.feed JOIN transit.route_direction USING (version_id)`)
		all["index"] = query(t, db, `SELECT stop_id || ' ' || trip_count || ' ' || call_count FROM transit.feed JOIN transit.stop_index USING (version_id) ORDER BY 1`)
		return all
	}
	load(t, db, "metro", build())
	sorted := views()
	rnd := rand.New(rand.NewPCG(3, 4))
	rnd.Shuffle(len(times), func(i, j int) { times[i], times[j] = times[j], times[i] })
	rnd.Shuffle(len(shapes), func(i, j int) { shapes[i], shapes[j] = shapes[j], shapes[i] })
	r := load(t, db, "metro", build())
	if diff := cmp.Diff(sorted, views()); diff != "" {
		t.Errorf("sorted and shuffled (-sorted +shuffled):\n%s", diff)
	}
	for _, f := range r.Files {
		if f.Used && f.Added+f.Changed+f.Removed > 0 {
			t.Errorf("nothing changed, but %+v", f)
		}
	}
	if got := r.Counts["stop_time"]; got != int64(len(times)) {
		t.Errorf("%d stop times, want %d", got, len(times))
	}
}

// What cannot be used is refused, with a reason, and what was live stays live.
func TestRefusals(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	first := load(t, db, "metro", small())
	before := dump(t, db, "metro")
	for name, c := range map[string]struct {
		files  files
		reason string
	}{
		"no stops.txt":           {small().without("stops.txt"), "no usable stops: there is no stops.txt"},
		"no rows of stops":       {small().with("stops.txt", small()["stops.txt"], "stop_id\n"), "no usable stops: stops.txt has no rows"},
		"no stop_id":             {small().with("stops.txt", "stop_id", "id"), "none of the 5 rows of stops.txt can be used"},
		"no routes.txt":          {small().without("routes.txt"), "no usable routes"},
		"no trips.txt":           {small().without("trips.txt"), "no usable trips"},
		"no calendar":            {small().without("calendar.txt").without("calendar_dates.txt"), "no usable service: there is neither"},
		"routes of nobody":       {small().with("routes.txt", "R2,N", "R2,X").with("routes.txt", "R1,M", "R1,X"), "none of the 2 rows of routes.txt"},
		"trips of unknown route": {small().with("routes.txt", "R1,", "R9,").with("routes.txt", "R2,", "R8,"), "none of the 5 rows of trips.txt"},
	} {
		r, err := gtfsimport.Import(t.Context(), deps(t, db), gtfsimport.Request{Alias: "metro", Source: c.files.pack(t)})
		if !errors.Is(err, gtfsimport.ErrRefused) || r == nil || r.Outcome != gtfsimport.Refused || !strings.Contains(r.Reason, c.reason) || r.VersionID != first.VersionID {
			t.Errorf("%s: %+v, %v; want a refusal for %q", name, r, err, c.reason)
			continue
		}
		stored, err := gtfsimport.OneReport(t.Context(), deps(t, db), "metro", 0)
		if err != nil || stored.Reason != r.Reason || len(stored.Lines) != len(r.Lines) {
			t.Errorf("%s: stored report %+v, %v", name, stored, err)
		}
		f, err := gtfsimport.OneFeed(t.Context(), deps(t, db), "metro")
		if err != nil || f.CheckError == nil || *f.CheckError != r.Reason {
			t.Errorf("%s: feed %+v, %v", name, f, err)
		}
	}
	if diff := cmp.Diff(before, dump(t, db, "metro")); diff != "" {
		t.Errorf("the live version changed:\n%s", diff)
	}
	notZip := filepath.Join(t.TempDir(), "feed.zip")
	if err := os.WriteFile(notZip, []byte("<html>sorry</html>"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, check := range []bool{false, true, true} {
		r, err := gtfsimport.Import(t.Context(), deps(t, db), gtfsimport.Request{Alias: "metro", Source: notZip, Check: check})
		if !errors.Is(err, gtfsimport.ErrRefused) || !strings.Contains(r.Reason, "not a valid zip") {
			t.Errorf("a page instead of a zip: %+v, %v", r, err)
		}
	}
	if n := len(query(t, db, `SELECT '' FROM transit.feed_version WHERE reason LIKE '%not a valid zip%'`)); n != 1 {
		t.Errorf("the page was judged %d times; a schedule judges the same bytes once", n)
	}
	if r := load(t, db, "metro", small()); r.Outcome != gtfsimport.Unchanged {
		t.Errorf("the live bytes again: %+v", r)
	}
	if f, err := gtfsimport.OneFeed(t.Context(), deps(t, db), "metro"); err != nil || f.CheckError != nil {
		t.Errorf("after a good import: %+v, %v", f, err)
	}
}

// One bad cell never costs the feed, and the audit says where it was.
func TestAudit(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	long := strings.Repeat("x", 600)
	f := small().
		with("stops.txt", "B,Bridge,45.1,", "B,Bridge,145.1,").
		with("stops.txt", "D,Dock,45.3,-122.3,,\n", "D,Dock,45.3,-122.3,,\nB,Again,1,1,,\n,Nameless,1,1,,\nQ,Quay,45,-122,,ZZ\n"+long+",Long,1,1,,\n").
		with("routes.txt", "FFFFFF", "#FFF").
		with("calendar.txt", "WK,1,1", "WK,yes,1").
		with("calendar_dates.txt", "SU,20260712,1", "SU,20260231,1\nSU,20260705,1\nSU,20260712,7\nSU,20260713,1").
		with("trips.txt", "T4,R1,WK", "T4,R1,WK,Court,0,\nT1,R1,WK,Twice,0,\nT7,R9,WK,,0,\nT8,R1,XX,,0,\nT9,R1,WK,,5,NOSHAPE\nT6,R1,").
		with("stop_times.txt", "T2,7:10:00,7:11:00,B,2,0\n", "T2,7:10,7:11:00,B,2,0\nT2,7:12:00,7:12:00,B,2,9\nTX,7:12:00,7:12:00,B,2,9\nT2,7:15:00,7:15:00,XX,3,0\nT2,7:16:00,7:16:00,,4,0\nT2,7:16:00,7:16:00,B,x,0\n").
		with("shapes.txt", "H1,45.1,-122.10,2,\n", "H1,45.1,-122.10,2,far\nH1,,1,9,\nH1,45,-122,2,\n").
		with("frequencies.txt", "T4,8:00:00,10:00:00,600", "T4,8:00:00,10:00:00,0\nT4,8:00:00,10:00:00,600\nT4,08:00:00,11:00:00,600\nNO,8:00:00,10:00:00,600")
	r := load(t, db, "metro", f)
	var got []string
	for _, l := range r.Lines {
		if len(l.Value) > 20 {
			l.Value = l.Value[:5] + "…"
		}
		got = append(got, fmt.Sprintf("%s %d %s: %s %q, %s", l.File, l.Line, l.Field, l.Code, l.Value, l.Effect))
	}
	want := []string{
		`calendar.txt 2 monday: invalid_integer "yes", cell emptied`,
		`calendar_dates.txt 4 date: invalid_date "20260231", cell emptied`,
		`calendar_dates.txt 4 : missing_required_field "", row left out`,
		`calendar_dates.txt 5 : duplicate_key "SU", row left out`,
		`calendar_dates.txt 6 exception_type: unexpected_enum_value "7", cell emptied`,
		`calendar_dates.txt 6 : missing_required_field "", row left out`,
		`feed_info.txt 2 : missing_feed_contact_email_and_url "", noted`,
		`feed_info.txt 2 feed_version: missing_recommended_field "", noted`,
		`frequencies.txt 2 headway_secs: number_out_of_range "0", cell emptied`,
		`frequencies.txt 2 : missing_required_field "", row left out`,
		`frequencies.txt 4 trip_id: duplicate_key "T4", row left out`,
		`frequencies.txt 5 trip_id: foreign_key_violation "NO", row left out`,
		`routes.txt 1 badge: unknown_column "", noted`,
		`routes.txt 3 route_color: invalid_color "#FFF", cell emptied`,
		`shapes.txt 3 shape_dist_traveled: invalid_float "far", noted`,
		`shapes.txt 4 shape_pt_lat: missing_required_field "", row left out`,
		`shapes.txt 5 shape_pt_sequence: duplicate_key "H1", row left out`,
		`stop_times.txt 0 arrival_time: stop_time_with_only_arrival_or_departure_time "T2", noted`,
		`stop_times.txt 7 arrival_time: invalid_time "7:10", cell emptied`,
		`stop_times.txt 8 stop_sequence: duplicate_key "T2", row left out`,
		`stop_times.txt 9 trip_id: foreign_key_violation "TX", row left out`,
		`stop_times.txt 10 stop_id: foreign_key_violation "XX", row left out`,
		`stop_times.txt 11 stop_id: missing_required_field "", row left out`,
		`stop_times.txt 12 stop_sequence: missing_required_field "x", row left out`,
		`stop_times.txt 17 arrival_time: stop_time_with_only_arrival_or_departure_time "T3", noted`,
		`stops.txt 4 stop_lat: number_out_of_range "145.1", cell emptied`,
		`stops.txt 4 stop_lat: stop_without_location "", noted`,
		`stops.txt 7 stop_id: duplicate_key "B", row left out`,
		`stops.txt 8 stop_id: missing_required_field "", row left out`,
		`stops.txt 9 parent_station: foreign_key_violation "ZZ", cell emptied`,
		`stops.txt 9 : stop_without_stop_time "Q", noted`,
		`stops.txt 10 stop_id: id_too_long "xxxxx…", cell emptied`,
		`stops.txt 10 stop_id: missing_required_field "", row left out`,
		`trips.txt 6 trip_id: duplicate_key "T1", row left out`,
		`trips.txt 7 route_id: foreign_key_violation "R9", row left out`,
		`trips.txt 8 service_id: foreign_key_violation "XX", row left out`,
		`trips.txt 9 direction_id: unexpected_enum_value "5", cell emptied`,
		`trips.txt 9 shape_id: foreign_key_violation "NOSHAPE", cell emptied`,
		`trips.txt 9 trip_id: unused_trip "T9", noted`,
		`trips.txt 10 service_id: missing_required_field "", row left out`,
		`trips.txt 11 trip_id: unused_trip "T5", noted`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
	data, err := os.ReadFile(f.pack(t))
	if err != nil {
		t.Fatal(err)
	}
	checkFeed(t, db, "metro", data, "", r)
	if got := query(t, db, `SELECT (lat IS NULL AND lon IS NULL AND stop_lon = '-122.1')::text FROM transit.stop WHERE stop_id = 'B'`)[0]; got != "true" {
		t.Error("half a position is none")
	}
}

// Of feeds that are silent about agencies.
func TestAgencies(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for i, c := range []struct{ name, agency, routes, agencies, routeAgencies string }{
		{"no ids at all", "agency_name,agency_timezone\nMetro,Europe/Paris\n", "route_id,route_type\nR1,3\nR2,3\n", "ALIAS Metro", "ALIAS ALIAS"},
		{"routes without", "agency_id,agency_name\nM,Metro\n", "route_id,agency_id\nR1,\nR2,M\n", "M Metro", "M M"},
		{"an agency without, called by some id", "agency_id,agency_name\n,Metro\n", "route_id,agency_id\nR1,X\nR2,\n", "ALIAS Metro", "ALIAS ALIAS"},
		{"two, one without", "agency_id,agency_name\nM,Metro\n,Other\n", "route_id,agency_id\nR1,\nR2,M\n", "M Metro, ALIAS Other", "ALIAS M"},
		{"two, and a route of neither", "agency_id,agency_name\nM,Metro\nN,Night\n", "route_id,agency_id\nR1,\nR2,N\n", "M Metro, N Night", "M N"},
		{"none", "", "route_id,agency_id\nR1,X\nR2,\n", "X ALIAS, ALIAS ALIAS", "X ALIAS"},
	} {
		alias := fmt.Sprintf("feed%d", i)
		f := small()
		f["agency.txt"], f["routes.txt"] = c.agency, c.routes
		load(t, db, alias, f)
		agencies := query(t, db, `SELECT string_agg(agency_id || ' ' || agency_name, ', ' ORDER BY ord) FROM transit.feed JOIN transit.agency USING (version_id) WHERE alias = $1`, alias)[0]
		routes := query(t, db, `SELECT string_agg(agency_id, ' ' ORDER BY route_id) FROM transit.feed JOIN transit.route USING (version_id) WHERE alias = $1`, alias)[0]
		if want := strings.ReplaceAll(c.agencies, "ALIAS", alias); agencies != want {
			t.Errorf("%s: agencies %s, want %s", c.name, agencies, want)
		}
		if want := strings.ReplaceAll(c.routeAgencies, "ALIAS", alias); routes != want {
			t.Errorf("%s: agencies of routes %s, want %s", c.name, routes, want)
		}
	}
}

func TestDirectionNames(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	f := small().with("trips.txt", "T3,R2,SU,Dock,1,", "T3,R2,SU,,1,")
	f["directions.txt"] = "route_id,direction_id,direction\nR1,0,Clockwise\nR9,0,Nowhere\nR1,0,Again\n"
	f["direction_names.txt"] = "station_id,headsign_direction_0\nS,Uptown\n"
	r := load(t, db, "metro", f)
	if got := query(t, db, `SELECT string_agg(direction, ', ' ORDER BY ord) FROM transit.route_direction`)[0]; got != "Clockwise, Inbound" {
		t.Errorf("directions %s", got)
	}
	for _, file := range r.Files {
		if file.File == "directions.txt" && (file.Read != 3 || file.LeftOut != 2) || file.File == "direction_names.txt" && file.Used {
			t.Errorf("%+v", file)
		}
	}
}

// Two stops that are each other's station are no stations: each has its own calls, and no others.
func TestStationsInACircle(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	f := small().with("stops.txt", "C,Court,45.2,-122.2,,", "C,Court,45.2,-122.2,,D").with("stops.txt", "D,Dock,45.3,-122.3,,", "D,Dock,45.3,-122.3,,C")
	load(t, db, "metro", f)
	if got := query(t, db, `SELECT string_agg(stop_id || ' ' || call_count || ' ' || trip_count, ', ' ORDER BY stop_id) FROM transit.stop_index WHERE stop_id IN ('C', 'D')`)[0]; got != "C 4 4, D 1 1" {
		t.Errorf("calls %s", got)
	}
}

func TestFetching(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	content, etag, asked := []byte(nil), "", []string(nil)
	serve := func(f files, tag string) {
		data, err := os.ReadFile(f.pack(t))
		if err != nil {
			t.Fatal(err)
		}
		content, etag = data, tag
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Header.Get("If-None-Match")+" "+r.Header.Get("X-Api-Key"))
		if r.URL.Path != "/feed.zip" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("ETag", etag)
		if r.Header.Get("If-None-Match") == etag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = w.Write(content)
	}))
	defer srv.Close()
	serve(small(), `"1"`)
	req := gtfsimport.Request{Alias: "metro", Source: srv.URL + "/feed.zip?key=secret", Headers: map[string]string{"X-Api-Key": "k"}, Check: true}
	if _, err := gtfsimport.Import(t.Context(), deps(t, db), req); err == nil || !strings.Contains(err.Error(), "private") || strings.Contains(err.Error(), "secret") {
		t.Errorf("a private address: %v", err)
	}
	req.AllowPrivate = true
	for i, want := range []gtfsimport.Outcome{gtfsimport.Imported, gtfsimport.Unchanged} {
		r, err := gtfsimport.Import(t.Context(), deps(t, db), req)
		if err != nil || r.Outcome != want || strings.Contains(r.Source, "secret") {
			t.Fatalf("import %d: %+v, %v", i, r, err)
		}
	}
	if diff := cmp.Diff([]string{" k", `"1" k`}, asked); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	// A source that forgets its ETag sends the same bytes again.
	serve(small(), `"2"`)
	if r, err := gtfsimport.Import(t.Context(), deps(t, db), req); err != nil || r.Outcome != gtfsimport.Unchanged {
		t.Errorf("same bytes, other tag: %+v, %v", r, err)
	}
	// Without a source the feed's own is meant.
	serve(small().with("stops.txt", "Dock", "Pier"), `"3"`)
	r, err := gtfsimport.Import(t.Context(), deps(t, db), gtfsimport.Request{Alias: "metro", AllowPrivate: true})
	if err != nil || r.Outcome != gtfsimport.Imported || r.Generation != 2 {
		t.Errorf("from where it came: %+v, %v", r, err)
	}
	req.Source = srv.URL + "/gone.zip"
	if _, err := gtfsimport.Import(t.Context(), deps(t, db), req); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("a source that is gone: %v", err)
	}
	f, err := gtfsimport.OneFeed(t.Context(), deps(t, db), "metro")
	if err != nil || f.CheckError == nil || !strings.Contains(*f.CheckError, "404") || f.URL == nil || strings.Contains(*f.URL, "secret") {
		t.Errorf("feed %+v, %v", f, err)
	}
}

func TestFolderAsSource(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	dir := t.TempDir()
	for name, text := range small() {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []gtfsimport.Outcome{gtfsimport.Imported, gtfsimport.Unchanged} {
		r, err := gtfsimport.Import(t.Context(), deps(t, db), gtfsimport.Request{Alias: "metro", Source: dir})
		if err != nil || r.Outcome != want {
			t.Errorf("import %d: %+v, %v", i, r, err)
		}
	}
	load(t, db, "other", small())
	if diff := cmp.Diff(dump(t, db, "other"), dump(t, db, "metro")); diff != "" {
		t.Errorf("zip and folder (-zip +folder):\n%s", diff)
	}
}

func TestOneImportPerFeedAtATime(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	path := small().pack(t)
	inside, leave := make(chan struct{}), make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(inside)
		<-leave
		http.ServeFile(w, r, path)
	}))
	defer slow.Close()
	done := make(chan error)
	go func() {
		_, err := gtfsimport.Import(t.Context(), deps(t, db), gtfsimport.Request{Alias: "metro", Source: slow.URL, AllowPrivate: true})
		done <- err
	}()
	<-inside
	if _, err := gtfsimport.Import(t.Context(), deps(t, db), gtfsimport.Request{Alias: "metro", Source: path}); !errors.Is(err, gtfsimport.ErrBusy) {
		t.Errorf("a second import: %v, want ErrBusy", err)
	}
	if _, err := gtfsimport.Import(t.Context(), deps(t, db), gtfsimport.Request{Alias: "other", Source: path}); err != nil {
		t.Errorf("another feed: %v", err)
	}
	waited := make(chan *gtfsimport.Report)
	go func() {
		r, err := gtfsimport.Import(t.Context(), deps(t, db), gtfsimport.Request{Alias: "metro", Source: path, Wait: true})
		if err != nil {
			t.Error(err)
		}
		waited <- r
	}()
	close(leave)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if r := <-waited; r == nil || r.Outcome != gtfsimport.Unchanged {
		t.Errorf("who waited: %+v", r)
	}
}

func TestBadRequests(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	pipe := filepath.Join(t.TempDir(), "pipe.zip")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, req := range map[string]gtfsimport.Request{
		"pipe":         {Alias: "metro", Source: pipe},
		"alias":        {Alias: "../metro", Source: "x.zip"},
		"no source":    {Alias: "metro"},
		"no such file": {Alias: "metro", Source: filepath.Join(t.TempDir(), "missing.zip")},
		"encoding":     {Alias: "metro", Source: small().pack(t), Encoding: "klingon"},
	} {
		if r, err := gtfsimport.Import(t.Context(), deps(t, db), req); err == nil || r != nil {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	if got := query(t, db, `SELECT c.relname FROM pg_class c WHERE relnamespace = 'transit'::regnamespace AND relispartition`); len(got) > 0 {
		t.Errorf("left behind: %v", got)
	}
}

func TestReadersSeeOneVersion(t *testing.T) {
	t.Parallel()
	const readers = 4
	db := pgtest.New(t)
	versions := []files{small(), small().with("stop_times.txt", "T4,08:09:00,08:09:00,C,2,\n", "T4,08:09:00,08:09:00,C,2,\nT4,08:19:00,08:19:00,D,3,\n").with("stops.txt", "D,Dock", "D,Pier")}
	paths := []string{versions[0].pack(t), versions[1].pack(t)}
	load(t, db, "metro", versions[0])
	ctx, stop := context.WithCancel(t.Context())
	errs := make(chan error, readers)
	for range readers {
		go func() {
			errs <- func() error {
				for ctx.Err() == nil {
					var version int32
					var generation int64
					if err := db.QueryRow(t.Context(), `SELECT version_id, generation FROM transit.feed WHERE alias = 'metro'`).Scan(&version, &generation); err != nil {
						return err
					}
					var pier, calls bool
					if err := db.QueryRow(t.Context(), `SELECT stop_name = 'Pier' FROM transit.stop WHERE version_id = $1 AND stop_id = 'D'`, version).Scan(&pier); err != nil {
						return fmt.Errorf("stop of version %d: %w", version, err)
					}
					err := db.QueryRow(t.Context(), `
						SELECT cardinality(p.stop_sequence) = 3 FROM transit.trip t JOIN transit.pattern p USING (version_id, pattern)
						WHERE version_id = $1 AND trip_id = 'T4'`, version).Scan(&calls)
					if err != nil {
						return fmt.Errorf("trip of version %d: %w", version, err)
					}
					if pier != calls {
						return fmt.Errorf("version %d mixes two imports", version)
					}
				}
				return nil
			}()
		}()
	}
	for i := range 6 {
		r, err := gtfsimport.Import(t.Context(), deps(t, db), gtfsimport.Request{Alias: "metro", Source: paths[(i+1)%2]})
		if err != nil || r.Outcome != gtfsimport.Imported {
			t.Fatalf("import %d: %+v, %v", i, r, err)
		}
		// What was replaced long enough ago is dropped under the readers.
		if err := gtfsimport.Sweep(t.Context(), deps(t, db), 3*time.Second); err != nil {
			t.Errorf("sweep: %v", err)
		}
	}
	stop()
	for range readers {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

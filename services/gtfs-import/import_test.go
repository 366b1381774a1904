package gtfsimport_test

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/operator"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/wait"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
)

// files maps the names of a small feed's files to their contents.
type files map[string]string

// small has a loop trip, a short-turn trip, a branch, times past midnight, a station with a
// platform, exceptions, a frequency, and an extra column.
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

// with returns a copy of f in which one file has a replacement.
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

func (f files) bytes(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile(f.pack(t))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func execSQL(t testing.TB, db *pgxpool.Pool, sql string, args ...any) {
	t.Helper()
	if _, err := db.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

// manual stores manual rows, such as "patch stops.txt stop_id=B;stop_name=New Bridge".
func manual(t *testing.T, db *pgxpool.Pool, rows ...string) {
	t.Helper()
	var all []operator.ManualRow
	for _, text := range rows {
		words := strings.SplitN(text, " ", 3)
		cells := map[string]string{}
		for pair := range strings.SplitSeq(words[2], ";") {
			name, value, _ := strings.Cut(pair, "=")
			cells[name] = value
		}
		m, err := operator.NewManualRow(words[0], words[1], cells)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, *m)
	}
	if err := operator.StoreManual(t.Context(), db, "metro", all); err != nil {
		t.Fatal(err)
	}
}

// serve runs the service with the feeds of transit.yaml until the returned function is called.
func serve(t *testing.T, d run.Deps, feeds string) (stop func()) {
	t.Helper()
	config := filepath.Join(t.TempDir(), "transit.yaml")
	if err := os.WriteFile(config, []byte("feeds:\n"+feeds), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- gtfsimport.Run(ctx, gtfsimport.Config{TransitConfig: config, AllowPrivate: true, Grace: time.Minute,
			AtOnce: 2}, d)
		cancel()
	}()
	return func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the service: %v", err)
		}
	}
}

// await repeats a query until its result is true.
func await(t *testing.T, db *pgxpool.Pool, sql string, args ...any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for done := false; !done; {
		if !wait.For(ctx, 10*time.Millisecond) {
			t.Fatalf("not true within a minute: %s", sql)
		}
		if err := db.QueryRow(ctx, sql, args...).Scan(&done); err != nil {
			t.Fatal(err)
		}
	}
}

func load(t testing.TB, db *pgxpool.Pool, alias string, f files) *gtfsimport.Report {
	t.Helper()
	zip := f.pack(t)
	r, err := gtfsimport.Import(t.Context(), deps(t, db), gtfsimport.Request{Alias: alias, Source: zip, Today: today})
	if err != nil {
		t.Fatal(err)
	}
	if r.Outcome == gtfsimport.Imported && query(t, db, "SELECT count(*)::text FROM transit.manual_row")[0] == "0" {
		sameFindings(t, zip, r)
	}
	return r
}

// today is the current day in tests of feeds.
var today = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)

// done returns the findings without notes, but always with invalid_float and
// manual_target_missing.
func done(r *gtfsimport.Report) []gtfsimport.Line {
	return slices.DeleteFunc(slices.Clone(r.Lines), func(l gtfsimport.Line) bool {
		return l.Effect == gtfs.Noted && l.Code != "invalid_float" && l.Code != "manual_target_missing"
	})
}

// dump returns all tables of the live version, without the version's number.
func dump(t testing.TB, db *pgxpool.Pool, alias string) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, table := range []string{"agency", "route", "stop", "service", "service_date", "trip", "pattern", "profile",
		"shape", "frequency",
		"feed_info", "translation", "route_direction", "route_pattern", "stop_index", "file", "file_row"} {
		all[table] = query(t, db, `SELECT (to_jsonb(x) - 'version_id')::text FROM transit.feed f
			JOIN transit.`+table+` x USING (version_id)
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
	checkFeed(t, db, "metro", f.bytes(t), "", r)
	for _, c := range []struct{ what, sql, want string }{
		{"routes are listed by agency", `SELECT string_agg(route_id || ' ' || ord || ' ' || first_trip || ' ' || trip_count,
			', ' ORDER BY ord) FROM transit.route`,
			"R1 0 0 4, R2 1 4 1"},
		{"unknown columns of routes", `SELECT string_agg(extra::text, ', '
			ORDER BY ord) FROM transit.route`, `{"badge": null}, {"badge": "moon"}`},
		{"a loop has two rows for the stop it starts at", `SELECT stop_id::text FROM transit.route_direction
			WHERE route_id = 'R1'`, "{1,B,C,1}"},
		{"directions are called by most trips", `SELECT string_agg(direction, ', ' ORDER BY ord)
			FROM transit.route_direction`, "Loop, Dock"},
		{"the heaviest pattern is first", `SELECT string_agg(n || ' ' || trip_count || ' ' || rows::text, ', ' ORDER BY n)
			FROM transit.route_pattern WHERE route_id = 'R1'`,
			"0 2 {0,1,2,3}, 1 1 {1,2}"},
		{"trips share patterns and profiles", `SELECT count(DISTINCT pattern) || ' ' || count(DISTINCT profile)
			FROM transit.trip`, "3 3"},
		{"a trip without calls has none", `SELECT coalesce(pattern, -1) || ' ' || coalesce(profile, -1)
			FROM transit.trip WHERE trip_id = 'T5'`, "-1 -1"},
		{"a station answers for its platforms",
			`SELECT trip_count || ' ' || call_count || ' ' || positions::text FROM transit.stop_index WHERE stop_id = 'S'`,
			"2 4 {1,4}"},
		{"a plain whole number is its own", `SELECT num::text FROM transit.stop WHERE stop_id = '1'`, "1"},
		{"a service of exceptions alone", `SELECT monday || ' ' || start_date || ' ' || end_date || ' ' || in_calendar
			FROM transit.service WHERE service_id = 'SU'`,
			"0 2026-07-05 2026-07-12 false"},
		{"times past midnight, an empty one, and none", `SELECT string_agg(coalesce(arrival_time,
			'-') || ' ' || coalesce(departure_time, '-'), ', ' ORDER BY stop_sequence)
			FROM transit.stop_times WHERE trip_id = 'T3'`, "25:10:00 25:10:00, - -, 26:00:00 -"},
		{"one shape is one row", `SELECT shape_pt_lon || ' ' || shape_dist_traveled
			FROM transit.shape`, "-122.0,-122.10,-122.2 0,,12.50"},
	} {
		if got := query(t, db, c.sql); len(got) != 1 || got[0] != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

func TestUnchangedBytesAreNotImported(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	first := load(t, db, "metro", small())
	again := load(t, db, "metro", small())
	if again.Outcome != gtfsimport.Unchanged || again.VersionID != first.VersionID ||
		again.Generation != first.Generation {
		t.Errorf("second import: %+v", again)
	}
	renamed, err := gtfsimport.Import(t.Context(), deps(t, db), gtfsimport.Request{Alias: "metro", Name: "Metro Transit",
		Source: small().pack(t)})
	if err != nil || renamed.Generation != first.Generation+1 || renamed.VersionID != first.VersionID {
		t.Errorf("import under another name: %+v, %v", renamed, err)
	}
	forced, err := gtfsimport.Import(t.Context(), deps(t, db), gtfsimport.Request{Alias: "metro", Source: small().pack(t),
		Force: true})
	if err != nil || forced.Outcome != gtfsimport.Imported || forced.VersionID == first.VersionID ||
		forced.Name != "Metro Transit" {
		t.Errorf("import with Force: %+v, %v", forced, err)
	}
	for _, f := range forced.Files {
		if f.Used && (f.Added+f.Changed+f.Removed != 0 || f.Unchanged != f.Read) {
			t.Errorf("unchanged import: %+v", f)
		}
	}
}

func TestReadersSeeOneVersion(t *testing.T) {
	t.Parallel()
	const readers = 4
	db := pgtest.New(t)
	versions := []files{small(), small().with("stop_times.txt", "T4,08:09:00,08:09:00,C,2,\n",
		"T4,08:09:00,08:09:00,C,2,\nT4,08:19:00,08:19:00,D,3,\n").with("stops.txt", "D,Dock", "D,Pier")}
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
					if err := db.QueryRow(t.Context(), `SELECT version_id, generation
						FROM transit.feed WHERE alias = 'metro'`).Scan(&version, &generation); err != nil {
						return err
					}
					var pier, calls bool
					if err := db.QueryRow(t.Context(), `SELECT stop_name = 'Pier' FROM transit.stop
						WHERE version_id = $1 AND stop_id = 'D'`, version).Scan(&pier); err != nil {
						return fmt.Errorf("stop of version %d: %w", version, err)
					}
					err := db.QueryRow(t.Context(), `
						SELECT cardinality(p.stop_sequence) = 3 FROM transit.trip t JOIN transit.pattern p USING (version_id, pattern)
						WHERE version_id = $1 AND trip_id = 'T4'`, version).Scan(&calls)
					if err != nil {
						return fmt.Errorf("trip of version %d: %w", version, err)
					}
					if pier != calls {
						return fmt.Errorf("version %d has rows of two imports", version)
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
		// Drop retired versions while readers run.
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

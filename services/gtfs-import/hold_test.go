package gtfsimport_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/gtfs/notice"
	"github.com/townline/townline/pkg/lang"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/wait"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
)

// weekly is a feed whose only service runs on all days of a period, with one trip an hour.
func weekly(from, to string) files {
	f := small().without("calendar_dates.txt").without("frequencies.txt").without("shapes.txt").without("translations.txt")
	f["calendar.txt"] = "service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date\nWK,1,1,1,1,1,1,1," +
		from + "," + to + "\n"
	f["trips.txt"] = "trip_id,route_id,service_id,trip_headsign\n"
	f["stop_times.txt"] = "trip_id,arrival_time,departure_time,stop_id,stop_sequence\n"
	for hour := range 10 {
		f["trips.txt"] += fmt.Sprintf("T%d,R1,WK,Court\n", hour)
		f["stop_times.txt"] += fmt.Sprintf("T%[1]d,%02[2]d:00:00,%02[2]d:00:00,B,1\nT%[1]d,%02[2]d:10:00,%02[2]d:10:00,C,2\n",
			hour, hour+8)
	}
	return f
}

// attempt imports a feed as the schedule does.
func attempt(t *testing.T, db *pgxpool.Pool, f files) (*gtfsimport.Report, error) {
	t.Helper()
	return gtfsimport.Import(t.Context(), deps(t, db), gtfsimport.Request{Alias: "metro", Source: f.pack(t), Today: today,
		Check: true, Wait: true})
}

// A version that would take away most departures, or that cannot be read, does not replace a
// working feed. In Los Angeles today is a Sunday, the 31st of May.
func TestVersionsAreHeld(t *testing.T) {
	t.Parallel()
	whole := weekly("20260101", "20261231")
	for _, c := range []struct {
		name string
		next files
		// reason is a part of the reason; "" if the version becomes live. from is its day.
		reason, from string
	}{
		{"another name", whole.with("stops.txt", "Dock", "Pier"), "", ""},
		{"AM and PM", whole.replaced("stop_times.txt", ":00,", ":00 AM,"),
			`most times of stop_times.txt cannot be read: 40 of 40, such as "08:00:00 AM"`, ""},
		{"two digits", whole.replaced("stop_times.txt", ":00:00", ":00"), "", ""},
		{"weekdays in words", whole.replaced("calendar.txt", "1,1,1,1,1,1,1", "x,x,x,x,x,1,1"),
			"most weekdays of calendar.txt", ""},
		{"weekdays TRUE", whole.replaced("calendar.txt", "1,1,1,1,1,1,1", "TRUE,TRUE,TRUE,TRUE,TRUE,TRUE,TRUE"), "", ""},
		{"days with the month first", whole.replaced("calendar.txt", "20260101,20261231", "01/01/2026,12/31/2026"),
			"most dates of calendar.txt cannot be read: 2 of 2", ""},
		{"days with dashes", whole.replaced("calendar.txt", "20260101,20261231", "2026-01-01,2026-12-31"), "", ""},
		{"stops with other ids", whole.replaced("stop_times.txt", ",B,1", ",b,1").replaced("stop_times.txt", ",C,2", ",c,2"),
			"it has 0 departures in the next 7 days, and the live version has 140", ""},
		{"trips without a service", whole.replaced("trips.txt", ",WK,", ",NO,").with("trips.txt", ",NO,", ",WK,"),
			"it has 14 departures in the next 7 days", ""},
		{"no sequence", whole.replaced("stop_times.txt", ",B,1", ",B,x").replaced("stop_times.txt", ",C,2", ",C,"),
			`most rows of stop_times.txt cannot be read: 20 of 20; line 2: stop_sequence "x" (invalid_integer)`, ""},
		{"no weekdays", whole.replaced("calendar.txt", "1,1,1,1,1,1,1", "0,0,0,0,0,0,1"),
			"it has 20 departures in the next 7 days, and the live version has 140", ""},
		{"half", whole.replaced("calendar.txt", "1,1,1,1,1,1,1", "1,1,0,0,1,1,0"), "", ""},
		{"from Thursday on", whole.replaced("calendar.txt", "20260101", "20260604"),
			"its service begins later, and the live version runs until then; it becomes live on 2026-06-04", "2026-06-04"},
		{"from autumn on", whole.replaced("calendar.txt", "20260101", "20260901"), "its service begins later", "2026-09-01"},
		{"from Thursday on, and on a past day", whole.replaced("calendar.txt", "20260101", "20260604").plus(
			"calendar_dates.txt", "service_id,date,exception_type\nWK,20260101,1\n"), "its service begins later", "2026-06-04"},
		{"a little service before", whole.replaced("calendar.txt", "20260101", "20260611").plus("calendar_dates.txt",
			"service_id,date,exception_type\nEX,20260531,1\nEX,20260603,1\n").plus("trips.txt", whole["trips.txt"]+
			"E,R1,EX,Court\n").plus("stop_times.txt", whole["stop_times.txt"]+"E,09:00:00,09:00:00,B,1\n"),
			"it has 2 departures in the next 7 days, and the live version has 140; it becomes live on 2026-06-11", "2026-06-11"},
		{"over", whole.replaced("calendar.txt", "20261231", "20260530"), "it has 0 departures", ""},
		{"no trips today", whole.plus("calendar_dates.txt", "service_id,date,exception_type\nWK,20260531,2\n"), "", ""},
		{"few trips", whole.plus("trips.txt", "trip_id,route_id,service_id\nT1,R1,WK\nT2,R1,WK\n"),
			"it has 28 departures in the next 7 days", ""},
		{"headways", whole.plus("trips.txt", "trip_id,route_id,service_id\nT0,R1,WK\n").plus("stop_times.txt",
			"trip_id,arrival_time,departure_time,stop_id,stop_sequence\nT0,0:00:00,0:00:00,B,1\nT0,0:10:00,0:10:00,C,2\n").plus(
			"frequencies.txt", "trip_id,start_time,end_time,headway_secs\nT0,08:00:00,17:00:00,3600\n"), "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			db := pgtest.New(t)
			first := load(t, db, "metro", whole)
			r, err := attempt(t, db, c.next)
			if c.reason == "" {
				if err != nil || r.Outcome != gtfsimport.Imported {
					t.Fatalf("%+v, %v", r, err)
				}
				return
			}
			if r == nil || r.Outcome != gtfsimport.Held || !strings.Contains(r.Reason, c.reason) ||
				errors.Is(err, gtfsimport.ErrHeld) != (c.from == "") {
				t.Fatalf("%+v, %v, want held for %q", r, err, c.reason)
			}
			checkHold(t, r)
			if r.LiveFrom != nil {
				if from := r.LiveFrom.Format("2006-01-02 15:04 -0700"); from != c.from+" 00:00 -0700" {
					t.Errorf("live from %s, want %s", from, c.from)
				}
			} else if c.from != "" {
				t.Errorf("no day, want %s", c.from)
			}
			f, err := gtfsimport.OneFeed(t.Context(), deps(t, db), "metro")
			if err != nil || *f.VersionID != first.VersionID || f.Held == nil || f.Held.Reason != r.Reason ||
				f.Generation != 2 || (f.CheckError == nil) != (c.from != "") {
				t.Errorf("feed %+v, %v", f, err)
			}
			again, err := attempt(t, db, c.next)
			if again == nil || again.Outcome != gtfsimport.Held || again.Reason != r.Reason ||
				errors.Is(err, gtfsimport.ErrHeld) != (c.from == "") {
				t.Errorf("next check: %+v, %v", again, err)
			}
			if got := query(t, db, `SELECT count(*)::text FROM transit.feed_version`)[0]; got != "2" {
				t.Errorf("%s versions; the next check imported the same bytes", got)
			}
			forced, err := gtfsimport.Import(t.Context(), deps(t, db),
				gtfsimport.Request{Alias: "metro", Force: true, Held: true, Wait: true})
			if err != nil || forced.Outcome != gtfsimport.Imported || forced.SHA256 != r.SHA256 {
				t.Errorf("forced: %+v, %v", forced, err)
			}
			if got := query(t, db, `SELECT DISTINCT state FROM transit.feed_version WHERE state = 'held'`); len(got) > 0 {
				t.Error("the version is still held")
			}
		})
	}
}

// checkHold checks that the reason has a sentence in each language, with all fields filled in.
func checkHold(t *testing.T, r *gtfsimport.Report) {
	t.Helper()
	if r.Hold == nil || !strings.HasPrefix(r.Reason, r.Hold.Text(notice.English())) {
		t.Fatalf("held for %+v, reason %q", r.Hold, r.Reason)
	}
	for _, tag := range []string{"en", "es", "fr"} {
		say := lang.Words{}
		if err := say.Read(notice.Sentences(), tag); err != nil {
			t.Fatal(err)
		}
		if text := r.Hold.Text(say); strings.ContainsAny(text, "{}") || strings.HasPrefix(text, "held.") {
			t.Errorf("%s: %s", tag, text)
		}
	}
}

// replaced returns a copy of f in which a file has all replacements.
func (f files) replaced(name, old, new string) files {
	g := f.with(name, old, new)
	g[name] = strings.ReplaceAll(f[name], old, new)
	return g
}

// plus returns a copy of f with another content of a file.
func (f files) plus(name, content string) files {
	g := f.without(name)
	g[name] = content
	return g
}

// A feed that was never live may begin later, but not be unreadable.
func TestFirstVersion(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	whole := weekly("20260701", "20261231")
	r, err := attempt(t, db, whole.replaced("stop_times.txt", ":00,", ":00 AM,"))
	if !errors.Is(err, gtfsimport.ErrHeld) || r.Outcome != gtfsimport.Held {
		t.Fatalf("%+v, %v", r, err)
	}
	if f, err := gtfsimport.OneFeed(t.Context(), deps(t, db), "metro"); err != nil || f.VersionID != nil || f.Held == nil {
		t.Errorf("%+v, %v", f, err)
	}
	if r, err := attempt(t, db, whole); err != nil || r.Outcome != gtfsimport.Imported {
		t.Errorf("%+v, %v", r, err)
	}
	if got := query(t, db, `SELECT state FROM transit.feed_version ORDER BY version_id`); !slices.Equal(got,
		[]string{"dropped", "live"}) {
		t.Errorf("versions %v", got)
	}
}

// A held version becomes live on its day, once, by one of several services, without a download and
// with the manual rows of that day. The service was restarted in between.
func TestHeldVersionBecomesLive(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	now := time.Now().UTC()
	day := func(days int) string { return now.AddDate(0, 0, days).Format("20060102") }
	load := func(f files) (*gtfsimport.Report, error) {
		return gtfsimport.Import(t.Context(), deps(t, db), gtfsimport.Request{Alias: "metro", Source: f.pack(t), Wait: true})
	}
	if _, err := load(weekly(day(-30), day(30))); err != nil {
		t.Fatal(err)
	}
	next := weekly(day(3), day(90)).with("stops.txt", "Dock", "Pier").bytes(t)
	var fetched atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fetched.Add(1)
		_, _ = w.Write(next)
	}))
	defer server.Close()
	r, err := gtfsimport.Import(t.Context(), deps(t, db), gtfsimport.Request{Alias: "metro", Source: server.URL,
		AllowPrivate: true, Wait: true})
	if err != nil || r.Outcome != gtfsimport.Held || r.LiveFrom == nil {
		t.Fatalf("%+v, %v", r, err)
	}
	if _, err := gtfsimport.Reimport(t.Context(), deps(t, db), "metro", nil); err != nil {
		t.Fatal(err)
	}
	manual(t, db, "patch stops stop_id=C;stop_name=Square")
	serve := func(replicas int) (stop func()) {
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for range replicas {
			all.Go(func() {
				d := deps(t, db)
				d.Environ = conf.Environ{}
				if err := gtfsimport.Run(ctx, gtfsimport.Config{AtOnce: 2, Grace: time.Hour}, d); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			})
		}
		return func() { cancel(); all.Wait() }
	}
	names := func() string {
		return strings.Join(query(t, db, `SELECT stop_name FROM transit.stops WHERE stop_id IN ('C', 'D') ORDER BY stop_id`),
			" ")
	}
	// The day has not come.
	stop := serve(1)
	r, err = gtfsimport.Import(t.Context(), deps(t, db), gtfsimport.Request{Alias: "metro", Held: true, Wait: true})
	stop()
	if err != nil || r.Outcome != gtfsimport.Unchanged || names() != "Court Dock" {
		t.Fatalf("%+v, %v, stops %s", r, err, names())
	}
	// The clock of the database is not ours: the day comes by moving it, and the timetable.
	execSQL(t, db, `UPDATE transit.feed_version SET live_from = now() - interval '1 minute' WHERE state = 'held'`)
	forceDay(t, db)
	stop = serve(3)
	eventually(t, func() bool { return names() == "Square Pier" })
	stop()
	if got := query(t, db,
		`SELECT count(*)::text FROM transit.feed_version WHERE imported_at IS NOT NULL`)[0]; got != "3" {
		t.Errorf("%s imports, want 3: the first, its re-import, and the held version once", got)
	}
	if fetched.Load() != 1 {
		t.Errorf("fetched %d times", fetched.Load())
	}
	r, err = gtfsimport.Import(t.Context(), deps(t, db),
		gtfsimport.Request{Alias: "metro", Check: true, AllowPrivate: true})
	if err != nil || r.Outcome != gtfsimport.Unchanged {
		t.Errorf("the next check: %+v, %v", r, err)
	}
}

// forceDay ends the service of the live version yesterday, so that nothing is lost by replacing it.
func forceDay(t *testing.T, db *pgxpool.Pool) {
	t.Helper()
	execSQL(t, db, `UPDATE transit.service SET end_date = current_date - 2`)
}

func eventually(t *testing.T, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !is(); {
		if time.Now().After(deadline) {
			t.Fatal("it never happened")
		}
		wait.For(t.Context(), 20*time.Millisecond)
	}
}

// Operators see held versions, and a later version replaces them.
func TestHeldVersionIsReplaced(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	whole := weekly("20260101", "20261231")
	load(t, db, "metro", whole)
	if _, err := attempt(t, db, whole.replaced("calendar.txt", "20260101", "20260604")); err != nil {
		t.Fatal(err)
	}
	states := func() string {
		return strings.Join(query(t, db, `SELECT state FROM transit.feed_version ORDER BY version_id`), " ")
	}
	if _, err := attempt(t, db, files{"stops.txt": "x"}); !errors.Is(err, gtfsimport.ErrRefused) {
		t.Error(err)
	}
	if got := states(); got != "live held refused" {
		t.Errorf("after a refused version: %s", got)
	}
	if _, err := attempt(t, db, whole.replaced("calendar.txt", "20260101", "20260605")); err != nil {
		t.Fatal(err)
	}
	if got := states(); got != "live dropped refused held" {
		t.Errorf("after a later version: %s", got)
	}
	versions, err := gtfsimport.ListVersions(t.Context(), deps(t, db), "metro")
	if err != nil || versions[0].LiveFrom == nil || !versions[0].Kept || versions[2].Kept {
		t.Errorf("%+v, %v", versions, err)
	}
	if _, err := gtfsimport.Rollback(t.Context(), deps(t, db), "metro", nil); err == nil {
		t.Error("a roll-back used the held zip")
	}
	if _, err := attempt(t, db, whole.with("stops.txt", "Dock", "Pier")); err != nil {
		t.Fatal(err)
	}
	if got := states(); got != "retired dropped refused dropped live" {
		t.Errorf("after a version that is live: %s", got)
	}
}

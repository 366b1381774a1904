package gtfsimport_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/events"
	"github.com/townline/townline/pkg/operator"
	"github.com/townline/townline/pkg/pgtest"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
)

func TestRollback(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	d := deps(t, db)
	a, b := small(), small().with("stops.txt", "Dock", "Pier")
	c := small().with("stops.txt", "Dock", "Quay")
	if _, err := gtfsimport.Rollback(t.Context(), d, "metro", nil); !errors.Is(err, gtfsimport.ErrNoFeed) {
		t.Errorf("rollback of an unknown feed: %v", err)
	}
	load(t, db, "metro", a)
	if _, err := gtfsimport.Rollback(t.Context(), d, "metro", nil); err == nil ||
		!strings.Contains(err.Error(), "no other zip") {
		t.Errorf("rollback without an earlier version: %v", err)
	}
	load(t, db, "metro", b)
	wantB := dump(t, db, "metro")
	load(t, db, "metro", c)
	wantC := dump(t, db, "metro")
	for i, want := range []map[string][]string{wantB, wantC, wantB} {
		r, err := gtfsimport.Rollback(t.Context(), d, "metro", nil)
		if err != nil || r.Outcome != gtfsimport.Imported || r.Generation != int64(4+i) {
			t.Fatalf("roll-back %d: %+v, %v", i, r, err)
		}
		if diff := cmp.Diff(want, dump(t, db, "metro")); diff != "" {
			t.Errorf("roll-back %d (-want +got):\n%s", i, diff)
		}
	}
	// The schedule does not import bytes that were rolled back; an operator can.
	r, err := gtfsimport.Import(t.Context(), d, gtfsimport.Request{Alias: "metro", Source: c.pack(t), Check: true})
	if err != nil || r.Outcome != gtfsimport.Unchanged {
		t.Errorf("import by schedule: %+v, %v", r, err)
	}
	if r := load(t, db, "metro", c); r.Outcome != gtfsimport.Imported {
		t.Errorf("import by hand: %+v", r)
	}
	if err := gtfsimport.Sweep(t.Context(), d, 0); err != nil {
		t.Fatal(err)
	}
	if got := query(t, db, `SELECT count(DISTINCT sha256)::text FROM transit.feed_zip`)[0]; got != "2" {
		t.Errorf("%s zips are kept, want 2", got)
	}
	versions, err := gtfsimport.ListVersions(t.Context(), d, "metro")
	if err != nil || len(versions) != 7 || versions[0].State != "live" || versions[6].Kept || !versions[1].Kept {
		t.Errorf("versions %+v, %v", versions, err)
	}
}

func TestManualRows(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	d := deps(t, db)
	load(t, db, "metro", small())
	manual(t, db, "add stops stop_id=X;stop_name=Extra;stop_lat=45.4;stop_lon=-122.4",
		"add routes.txt route_id=R3;agency_id=M;route_type=3;badge=star",
		"add trips trip_id=T9;route_id=R3;service_id=WK",
		"add stop_times trip_id=T9;stop_sequence=1;stop_id=X;departure_time=9:00:00",
		"add stop_times trip_id=T9;stop_sequence=2;stop_id=1;departure_time=9:10:00",
		"patch stops stop_id=B;stop_name=New Bridge;stop_lat=46",
		"patch stop_times trip_id=T1;stop_sequence=2;pickup_type=3;stop_headsign=Via X",
		"patch routes route_id=R1;badge=sun;route_color=",
		"hide trips trip_id=T2", "hide calendar_dates service_id=SU;date=20260712",
		"patch shapes shape_id=H1;shape_pt_sequence=2;shape_pt_lat=45.15", "patch trips trip_id=GONE;trip_headsign=Nowhere")
	r, err := gtfsimport.Reimport(t.Context(), d, "metro", nil)
	if err != nil {
		t.Fatal(err)
	}
	check := func(when string) {
		t.Helper()
		for _, c := range []struct{ what, sql, want string }{
			{"added rows", `SELECT string_agg(stop_id || ' ' || departure_time, ', '
				ORDER BY stop_sequence) FROM transit.stop_times WHERE trip_id = 'T9'`, "X 09:00:00, 1 09:10:00"},
			{"derived from added rows", `SELECT stop_id::text FROM transit.feed JOIN transit.route_direction
				USING (version_id) WHERE route_id = 'R3'`, "{X,1}"},
			{"patched stop", `SELECT stop_name || ' ' || lat FROM transit.feed JOIN transit.stop
				USING (version_id) WHERE stop_id = 'B'`, "New Bridge 46"},
			{"patched call", `SELECT pickup_type || ' ' || stop_headsign || ' ' || departure_time
				FROM transit.stop_times WHERE trip_id = 'T1' AND stop_sequence = 2`, "3 Via X 06:11:00"},
			{"patched route", `SELECT coalesce(route_color, '-') || extra::text FROM transit.routes
				WHERE route_id = 'R1'`, `-{"badge": "sun"}`},
			{"added route", `SELECT extra::text FROM transit.routes WHERE route_id = 'R3'`, `{"badge": "star"}`},
			{"hidden trip", `SELECT count(*)::text FROM transit.trips WHERE trip_id = 'T2'`, "0"},
			{"hidden exception", `SELECT count(*)::text FROM transit.calendar_dates WHERE service_id = 'SU'`, "1"},
			{"patched point", `SELECT shape_pt_lat FROM transit.shapes WHERE shape_pt_sequence = 2`, "45.15"},
		} {
			if got := query(t, db, c.sql); len(got) != 1 || got[0] != c.want {
				t.Errorf("%s, %s: %q, want %q", when, c.what, got, c.want)
			}
		}
	}
	check("at first")
	var findings []string
	for _, l := range done(r) {
		findings = append(findings, fmt.Sprintf("%s %s %d", l.File, l.Code, l.Line))
	}
	// The stop times of the hidden trip are omitted.
	want := []string{"stop_times.txt foreign_key_violation 6", "stop_times.txt foreign_key_violation 7",
		"stop_times.txt foreign_key_violation 8",
		"stop_times.txt foreign_key_violation 9", "trips.txt manual_target_missing 0"}
	if diff := cmp.Diff(want, findings); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	before := dump(t, db, "metro")
	// The new feed has a row with the same key as an added manual row.
	load(t, db, "metro", small().with("stops.txt", "D,Dock", "X,Theirs,1,1,,\nD,Dock"))
	check("over a feed with the same key")
	r, err = gtfsimport.OneReport(t.Context(), d, "metro", 0)
	if err != nil || !slices.ContainsFunc(r.Findings, func(f gtfsimport.Finding) bool {
		return f.Code == "manual_over_feed" && f.Count == 1
	}) {
		t.Errorf("findings %+v, %v", r.Findings, err)
	}
	load(t, db, "metro", small())
	check("after A, B, A")
	if diff := cmp.Diff(before, dump(t, db, "metro")); diff != "" {
		t.Errorf("import of A, B and A again (-before +after):\n%s", diff)
	}
	rows, err := operator.ListManual(t.Context(), db, "metro")
	if err != nil || len(rows) != 12 {
		t.Fatalf("%d manual rows, %v", len(rows), err)
	}
	var ids []int32
	for _, m := range rows {
		ids = append(ids, m.ManualID)
	}
	if err := operator.RemoveManual(t.Context(), db, "metro", append(ids, 999)...); err == nil ||
		!strings.Contains(err.Error(), "no manual row 999") {
		t.Errorf("remove a missing row: %v", err)
	}
	if err := operator.RemoveManual(t.Context(), db, "metro", ids...); err != nil {
		t.Fatal(err)
	}
	if _, err := gtfsimport.Reimport(t.Context(), d, "metro", nil); err != nil {
		t.Fatal(err)
	}
	load(t, db, "plain", small())
	if diff := cmp.Diff(dump(t, db, "plain"), dump(t, db, "metro")); diff != "" {
		t.Errorf("after all manual rows are removed (-plain +metro):\n%s", diff)
	}
	if err := operator.StoreManual(t.Context(), db, "nobody", rows[:1]); !errors.Is(err, operator.ErrNoFeed) {
		t.Errorf("rows of an unknown feed: %v", err)
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	d := deps(t, db)
	load(t, db, "metro", small())
	load(t, db, "other", small())
	manual(t, db, "hide stops stop_id=D")
	if err := gtfsimport.Remove(t.Context(), d, "metro"); err != nil {
		t.Fatal(err)
	}
	if _, err := gtfsimport.OneFeed(t.Context(), d, "metro"); !errors.Is(err, gtfsimport.ErrNoFeed) {
		t.Errorf("the removed feed: %v", err)
	}
	if err := gtfsimport.Remove(t.Context(), d, "metro"); !errors.Is(err, gtfsimport.ErrNoFeed) {
		t.Errorf("second removal: %v", err)
	}
	feeds, err := gtfsimport.ListFeeds(t.Context(), d)
	if err != nil || len(feeds) != 1 || feeds[0].Alias != "other" {
		t.Errorf("feeds %+v, %v", feeds, err)
	}
	if err := gtfsimport.Sweep(t.Context(), d, 0); err != nil {
		t.Fatal(err)
	}
	if got := query(t, db, `SELECT alias FROM transit.feed`); !slices.Equal(got, []string{"other"}) {
		t.Errorf("remaining rows of feeds: %v", got)
	}
	partitions := query(t, db, `SELECT c.relname::text FROM pg_class c WHERE relnamespace = 'transit'::regnamespace
		AND relkind = 'r' AND relname ~ '_[0-9]+$' ORDER BY 1`)
	for _, p := range partitions {
		if !strings.HasSuffix(p, "_2") {
			t.Errorf("left: %s", p)
		}
	}
	if len(partitions) == 0 {
		t.Error("the other feed's tables are missing, too")
	}
	// A new feed can use the alias again, without old data.
	r := load(t, db, "metro", small())
	if r.Outcome != gtfsimport.Imported || r.Counts["stop"] != 5 {
		t.Errorf("import under the removed alias: %+v", r)
	}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	d := deps(t, db)
	load(t, db, "metro", small().with("stops.txt", "Dock", "Quay"))
	load(t, db, "metro", small())
	execSQL(t, db, `UPDATE transit.feed_version SET retired_at = now() - interval '30 minutes' WHERE state = 'retired'`)
	load(t, db, "metro", small().with("stops.txt", "Dock", "Pier"))
	tables := func() []string {
		return query(t, db, `SELECT c.relname::text FROM pg_class c WHERE relnamespace = 'transit'::regnamespace
			AND relname ~ '^trip_[0-9]+$' ORDER BY 1`)
	}
	if len(tables()) != 3 {
		// A sweep drops the replaced version.
		t.Errorf("after an import: tables %v, want all three", tables())
	}
	for i, grace := range []time.Duration{time.Hour, 10 * time.Minute} {
		if err := gtfsimport.Sweep(t.Context(), d, grace); err != nil || len(tables()) != 3-i {
			t.Errorf("sweep with grace %s: %v, %v; want %d versions", grace, tables(), err, 3-i)
		}
	}
	// A previous sweep was interrupted: one table is detached but not dropped, another is still
	// attached.
	execSQL(t, db, `ALTER TABLE transit.trip DETACH PARTITION transit.trip_2; DROP TABLE transit.stop_2`)
	for range 2 {
		if err := gtfsimport.Sweep(t.Context(), d, 0); err != nil || !slices.Equal(tables(), []string{"trip_3"}) {
			t.Errorf("after the interrupted sweep: %v, %v", tables(), err)
		}
	}
	if got := query(t, db, `SELECT state FROM transit.feed_version
		ORDER BY version_id`); !slices.Equal(got, []string{"dropped", "dropped", "live"}) {
		t.Errorf("states %v", got)
	}
	// An import was killed between its two transactions.
	execSQL(t, db, `UPDATE transit.feed_version SET state = 'staging' WHERE state = 'live'; UPDATE transit.feed
		SET version_id = NULL`)
	if err := gtfsimport.Sweep(t.Context(), d, time.Hour); err != nil || len(tables()) != 0 {
		t.Errorf("after the killed import: %v, %v", tables(), err)
	}
}

func TestService(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	nats := pgtest.NATS(t)
	path := small().pack(t)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, path)
	}))
	defer srv.Close()
	d := deps(t, db)
	bus, err := events.Open(events.Options{Dial: nats.Connect, Name: "test"}, d.Log)
	if err != nil {
		t.Fatal(err)
	}
	defer bus.Close()
	d.Events = bus
	imported := make(chan *eventsv1.FeedImported, 10)
	if err := events.Subscribe(t.Context(), bus, func(m *eventsv1.FeedImported) { imported <- m }); err != nil {
		t.Fatal(err)
	}
	stop := serve(t, d, "  - {alias: metro, name: Metro, url: "+srv.URL+"/feed.zip, every: 1h}\n")
	// A request does not wait for the schedule.
	if err := bus.Submit(t.Context(), &eventsv1.ImportFeed{Alias: "metro", Force: true}); err != nil {
		t.Fatal(err)
	}
	if m := <-imported; m.GetAlias() != "metro" || m.GetGeneration() == 0 || m.GetVersionId() == 0 {
		t.Errorf("announced: %v", m)
	}
	if err := bus.Submit(t.Context(), &eventsv1.ImportFeed{Alias: "night", Url: srv.URL + "/feed.zip"}); err != nil {
		t.Fatal(err)
	}
	for m := range imported {
		if m.GetAlias() == "night" {
			break
		}
	}
	// A message must not name a file.
	if err := bus.Submit(t.Context(), &eventsv1.ImportFeed{Alias: "evil", Url: "/etc"}); err != nil {
		t.Fatal(err)
	}
	if err := bus.Submit(t.Context(), &eventsv1.ImportFeed{Alias: "metro", Force: true}); err != nil {
		t.Fatal(err)
	}
	for m := range imported {
		if m.GetAlias() == "evil" {
			t.Error("a message imported a file")
		}
		if m.GetAlias() == "metro" {
			break
		}
	}
	found, err := events.Diagnose(t.Context(), events.Options{URL: nats.URL()})
	if err != nil || len(found.Refused) != 1 || !strings.Contains(found.Refused[0].Request, "evil") ||
		!strings.Contains(found.Refused[0].Reason, "http or https URL") {
		t.Errorf("request that was refused: %+v, %v", found.Refused, err)
	}
	stop()
	f, err := gtfsimport.OneFeed(t.Context(), d, "metro")
	if err != nil || f.Name != "Metro" || f.VersionID == nil {
		t.Errorf("feed %+v, %v", f, err)
	}
}

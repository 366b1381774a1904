package transitapi

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/static"
)

// This file tests feeds that would exhaust the API's memory or time.

// boarded has the part of an answer with a board that tests compare.
type boarded struct {
	Meta struct {
		DataCount int
		Truncated bool
		Missing   []string
	}
	Data []board.Prediction
}

func (w *world) boarded(t *testing.T, path string) boarded {
	t.Helper()
	l := decoded[boarded](t, w, path)
	return l
}

// everySecond adds trips that leave Alder every second of their day.
const everySecond = `
	INSERT INTO transit.trip (version_id, ord, pattern, profile, start_time, trip_id, route_id, service_id)
	SELECT 2, 1000 + i, 3, 2, 0, 'second ' || i, 'loop', 'wk' FROM generate_series(1, 300) i;
	INSERT INTO transit.frequency (version_id, ord, trip_id, start_time, end_time, headway_secs)
	SELECT 2, 1000 + i, 'second ' || i, 0, 90000, 1 FROM generate_series(1, 300) i;
	UPDATE transit.route SET trip_count = 2000 WHERE version_id = 2 AND route_id = 'loop';`

// patient raises the timeout: these tests check the size of answers, even on busy machines.
func patient(c *Config) { c.timeout = time.Minute }

// A board has the soonest lines and is marked as truncated.
func TestBoardsOfHeadwaysOfASecond(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.reimport(t, everySecond)
	now := in(t, "2026-03-04 05:55:00")
	w.clockAt(now)
	l := w.boarded(t, "/rt/predictions/C?minutes=60")
	if len(l.Data) != board.MaxLines || !l.Meta.Truncated {
		t.Fatalf("%d lines, truncated: %v", len(l.Data), l.Meta.Truncated)
	}
	// 300 trips leave per second: all lines of each second except the last are listed.
	at := map[int64]int{}
	for _, p := range l.Data {
		at[p.PredictedArrivalEpoch]++
	}
	for second := now.Unix(); second < now.Unix()+15; second++ {
		if at[second] < 300 {
			t.Errorf("%d lines in second %d of the board, want at least 300", at[second], second-now.Unix())
		}
	}
	if l := w.boarded(t, "/rt/predictions/E?minutes=1&feed=metro"); len(l.Data) != board.MaxLines || !l.Meta.Truncated {
		t.Errorf("board of one minute: %d lines", len(l.Data))
	}
}

// The longest possible headway gives one departure.
func TestBoardsOfTheLongestHeadway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, patient)
	w.reimport(t, `UPDATE transit.frequency SET start_time = 21600, headway_secs = 2147483647`)
	w.clockAt(in(t, "2026-03-04 05:55:00"))
	if got := strings.Join(w.board(t, "C?minutes=30"), "\n"); strings.Count(got, " every ") != 1 ||
		!strings.Contains(got, "03-04 06:01:40 every C") {
		t.Error(got)
	}
	if body := string(w.ask(t, "/feeds/metro/agencies/M%20T/routes/loop/schedules/wk/0")); strings.Count(body,
		`"trip_id":"every"`) != 1 {
		t.Errorf("%.2000s", body)
	}
}

// Too many trips are refused, with advice about a parameter. A board of all feeds omits the feed.
func TestBoardsOfTooManyTrips(t *testing.T) {
	t.Parallel()
	w := newWorld(t, patient)
	w.reimport(t, fmt.Sprintf(`
		INSERT INTO transit.trip (version_id, ord, pattern, profile, start_time, trip_id, route_id, service_id)
		SELECT 2, 1000 + i, 3, 2, 21600, 'crowd ' || i, 'loop', 'wk' FROM generate_series(1, %d) i`, 20_000+1))
	w.clockAt(in(t, "2026-03-04 05:55:00"))
	if a := w.get(t, "/rt/predictions/C?minutes=60&feed=metro"); a.Status != http.StatusBadRequest ||
		!strings.Contains(string(a.Body), "minutes") {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if l := w.boarded(t, "/rt/predictions/C?minutes=60"); len(l.Data) != 0 ||
		!slices.Equal(l.Meta.Missing, []string{"metro"}) {
		t.Errorf("%+v", l.Meta)
	}
}

// A timetable has the first columns and is marked as truncated.
func TestSchedulesOfHeadwaysOfASecond(t *testing.T) {
	t.Parallel()
	w := newWorld(t, patient)
	w.reimport(t, `
		UPDATE transit.pattern SET stop_sequence = (SELECT array_agg(i) FROM generate_series(1, 3000) i),
		  stop_id = (SELECT array_agg('C'::text) FROM generate_series(1, 3000))
		WHERE version_id = 2 AND pattern = 3;
		UPDATE transit.profile SET departures = (SELECT array_agg(i) FROM generate_series(0, 2999) i) WHERE version_id = 2
		  AND profile = 2;
		UPDATE transit.route_direction SET stop_id = (SELECT array_agg('C'::text) FROM generate_series(1, 3000))
		  WHERE version_id = 2 AND route_id = 'loop';
		UPDATE transit.route_pattern SET rows = (SELECT array_agg(i) FROM generate_series(0, 2999) i) WHERE version_id = 2
		  AND route_id = 'loop';
		UPDATE transit.frequency SET start_time = 0, end_time = 80000, headway_secs = 1`)
	var a struct {
		Meta struct{ Truncated bool }
		Data static.Schedule
	}
	w.GetUnchecked(t, basePath+"/feeds/metro/agencies/M%20T/routes/loop/schedules/wk/0", "Accept", "application/json").
		JSON(t, &a)
	cols, rows := len(a.Data.Schedule.Trips), len(a.Data.Schedule.Stops)
	if !a.Meta.Truncated || rows != 3000 || cols == 0 || cols*rows > board.MaxGridCalls ||
		(cols+1)*rows <= board.MaxGridCalls {
		t.Fatalf("%d columns of %d rows, truncated: %v", cols, rows, a.Meta.Truncated)
	}
	if first := a.Data.Schedule.Trips[0].StopTimes[0].ArrivalTimeSeconds; first != 0 {
		t.Errorf("the first column starts at %d", first)
	}
	w.exec(t, fmt.Sprintf(`
		INSERT INTO transit.trip (version_id, ord, trip_id, route_id, service_id, pattern, profile, start_time)
		SELECT 2, 1000 + i, 'crowd ' || i, 'loop', 'wk', 3, 2, 0 FROM generate_series(1, %d) i;
		UPDATE transit.route SET trip_count = 100000 WHERE version_id = 2 AND route_id = 'loop';
		UPDATE transit.feed SET generation = generation + 1 WHERE alias = 'metro';
		UPDATE transit.feed_version SET sha256 = '\xabce' WHERE version_id = 2`, static.MaxScheduledTrips))
	refreshFeeds(t, w.api)
	got := w.get(t, "/feeds/metro/agencies/M%20T/routes/loop/schedules/wk/0")
	if got.Status != http.StatusUnprocessableEntity || !strings.Contains(string(got.Body), "more than 50000 trips") {
		t.Errorf("%d %s", got.Status, got.Body)
	}
}

// A century of exceptions is truncated; a shape with a million points is refused as one geometry.
func TestAnswersWithoutPagesAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, patient)
	w.exec(t, `
		INSERT INTO transit.service_date (version_id, ord, service_id, date, exception_type) SELECT 2, 10 + i, 'none/0',
		  DATE '2000-01-01' + i, '1' FROM generate_series(0, 20000) i;
		UPDATE transit.shape SET point_count = 1000001, shape_pt_lat = repeat('1,', 1000000) || '1',
		  shape_pt_lon = repeat('1,', 1000000) || '1' WHERE version_id = 2 AND shape_id = 'sh 1';
		UPDATE transit.feed_version SET sha256 = '\xabce' WHERE version_id = 2`)
	refreshFeeds(t, w.api)
	a := decoded[struct {
		Meta struct{ Truncated bool }
		Data struct{ Exceptions []static.Exception }
	}](t, w, "/feeds/metro/services/none%2F0")
	if len(a.Data.Exceptions) != static.MaxExceptions || !a.Meta.Truncated ||
		!strings.HasPrefix(a.Data.Exceptions[0].Date, "2000-01-01") {
		t.Errorf("%d exceptions, truncated: %v", len(a.Data.Exceptions), a.Meta.Truncated)
	}
	for _, path := range []string{"/feeds/metro/shapes/sh%201/geojson", "/feeds/metro/agencies/M%20T/routes/R%2F1/geojson",
		"/feeds/metro/agencies/M%20T/routes/R%2F1/wkt", "/feeds/metro/agencies/M%20T/routes/R%2F1/trips/early/geojson"} {
		if got := w.get(t, path); got.Status != http.StatusUnprocessableEntity ||
			!strings.Contains(string(got.Body), "paged") {
			t.Errorf("%s: %d %.200s", path, got.Status, got.Body)
		}
	}
}

// Stations that contain each other list each call once.
func TestStationsInACircle(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(*Config) {})
	w.exec(t, `
		UPDATE transit.stop SET parent_station = CASE stop_id WHEN 'C' THEN 'D' WHEN 'D' THEN 'E' WHEN 'E' THEN 'D' END
		  WHERE version_id = 2 AND stop_id IN ('C', 'D', 'E');
		UPDATE transit.feed_version SET sha256 = '\xabce' WHERE version_id = 2`)
	refreshFeeds(t, w.api)
	for _, station := range []string{"C", "D", "E"} {
		if stops := w.api.dir.Feed("metro").StopIDs(station)[1:]; len(
			slices.Compact(slices.Sorted(slices.Values(stops)))) != len(stops) || slices.Contains(stops, station) {
			t.Errorf("stops of %s: %v", station, stops)
		}
	}
}

// bigFeed adds a feed with version 3. It has the stops of the first feed, and a calendar with many
// days.
func (w *world) bigFeed(t *testing.T, services, days int) {
	t.Helper()
	w.exec(t, fmt.Sprintf(`
		DO $$
		DECLARE parent regclass;
		BEGIN
		  FOR parent IN SELECT partrelid::regclass FROM pg_partitioned_table JOIN pg_class ON pg_class.oid = partrelid
		                WHERE relnamespace = 'transit'::regnamespace
		                  AND pg_get_partkeydef(partrelid) = 'LIST (version_id)' LOOP
		    EXECUTE format('CREATE TABLE %%s PARTITION OF %%s FOR VALUES IN (3)', parent::text || '_3', parent);
		  END LOOP;
		END $$;
		INSERT INTO transit.stop (version_id, ord, stop_id, stop_name, num) SELECT 3, ord, stop_id, stop_name, num FROM transit.stop WHERE version_id = 2;
		INSERT INTO transit.service (version_id, ord, service_id, monday, tuesday, wednesday, thursday, friday, saturday, sunday, start_date, end_date, in_calendar)
		SELECT 3, i, 'service ' || i, '0', '0', '0', '0', '0', '0', '0', '2000-01-01', '2100-01-01', false FROM generate_series(1, %d) i;
		INSERT INTO transit.service_date (version_id, ord, service_id, date, exception_type)
		SELECT 3, i * %[2]d + k, 'service ' || i, DATE '2000-01-01' + k, '1' FROM generate_series(1, %[1]d) i, generate_series(1, %[2]d) k;
		UPDATE transit.feed_version SET counts = '{"stop": 9}' WHERE version_id = 3;
		INSERT INTO transit.feed (alias, name, generation, updated_at, version_id) VALUES ('big', 'Big', 1, now(), 3)`,
		services, days))
}

// A feed with an excessive calendar has no boards; a feed that is too large is refused. Both give
// the reason, and other feeds are not affected.
func TestFeedsThatAreTooLarge(t *testing.T) {
	t.Parallel()
	bus := newBus(t)
	w := newWorldOn(t, func(c *Config) { c.FeedBytes = 60_000 }, bus)
	w.bigFeed(t, 10, 2000)
	w.clockAt(in(t, "2026-03-04 05:55:00"))
	refreshFeeds(t, w.api)
	l := w.boarded(t, "/rt/predictions/C?minutes=30")
	if len(l.Data) != 3 || !slices.Equal(l.Meta.Missing, []string{"big"}) {
		t.Errorf("board of all feeds: %+v", l)
	}
	if a := w.get(t, "/rt/predictions/C?feed=big"); a.Status != http.StatusServiceUnavailable ||
		!strings.Contains(string(a.Body), "TRANSIT_FEED_BYTES") {
		t.Errorf("board of the feed: %d %s", a.Status, a.Body)
	}
	if a := w.get(t, "/feeds/big/stops"); a.Status != http.StatusOK {
		t.Errorf("stops of the feed: %d %s", a.Status, a.Body)
	}
	if err := w.api.dir.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	w.exec(t, `INSERT INTO transit.stop (version_id, ord, stop_id, stop_desc, num) SELECT 3, 100 + i, 'stop ' || i,
		repeat('x', 1000), i FROM generate_series(1, 100) i;
		UPDATE transit.feed_version SET sha256 = '\xff' WHERE version_id = 3`)
	refreshFeeds(t, w.api)
	for _, path := range []string{"/feeds/big/stops", "/feeds/big", "/rt/predictions/C?feed=big"} {
		if a := w.get(t, path); a.Status != http.StatusServiceUnavailable || !strings.Contains(string(a.Body), "too large") {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
		}
	}
	if l := w.boarded(t, "/rt/predictions/C?minutes=30"); len(l.Data) != 3 {
		t.Errorf("board of all feeds: %+v", l)
	}
	if a := w.get(t, "/feeds"); !strings.Contains(string(a.Body), `"big"`) {
		t.Errorf("%s", a.Body)
	}
	// Operators see the reason, and so do clients after a restart.
	w.watch(t)
	said := ""
	for said == "" {
		answers, err := bus.AskServed(t.Context(), time.Second)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range answers {
			for _, f := range a.Feeds {
				said += fmt.Sprintf("%s %d %d %q; ", f.Alias, f.VersionId, f.NewestId, f.Problem)
			}
		}
	}
	const why = "the feed is too large: about 75000 of 60000 bytes; the operator can raise TRANSIT_FEED_BYTES"
	if want := fmt.Sprintf(`big 0 3 %q; metro 2 2 ""; `, why); said != want {
		t.Errorf("%s, want %s", said, want)
	}
	next := w.again(t, func(c *Config) { c.FeedBytes = 60_000 })
	refreshFeeds(t, next.api)
	if a := next.get(t, "/feeds/big/stops"); !strings.Contains(string(a.Body), why) ||
		next.api.dir.Ready(t.Context()) != nil {
		t.Errorf("%s, %v", a.Body, next.api.dir.Ready(t.Context()))
	}
}

// While one feed loads, the other feeds are served. All requests wait for the same load.
func TestLoadingOneFeedDoesNotBlockOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.bigFeed(t, 10, 100)
	other, err := pgx.Connect(t.Context(), w.db.Config().ConnString()) // a separate connection, outside the API's pool
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close(context.WithoutCancel(t.Context())) }() // releases the lock if the test fails
	lock, err := other.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lock.Exec(t.Context(), `LOCK TABLE transit.service_date_3 IN ACCESS EXCLUSIVE MODE`); err != nil {
		t.Fatal(err)
	}
	var reads readings
	next := w.traced(t, &reads)
	a := next.api
	a.dir.Period = 5 * time.Millisecond
	next.watch(t)
	next.eventually(t, "/feeds/metro/stops", `"Alder"`)
	next.refresh(t)
	next.clockAt(in(t, "2026-03-04 05:55:00"))
	if a.dir.Ready(t.Context()) == nil {
		t.Error("ready before the feed was loaded")
	}
	var all sync.WaitGroup
	for n := range 30 {
		all.Go(func() {
			// The queries differ, so that no answer is cached.
			got := next.Get(t, fmt.Sprintf("%s/rt/predictions/C?minutes=%d", basePath, 30+n), "Accept", "application/json")
			if got.Status != http.StatusOK || !strings.Contains(string(got.Body), `"missing":["big"]`) ||
				!strings.Contains(string(got.Body), `"early"`) {
				t.Errorf("%d %.200s", got.Status, got.Body)
			}
		})
	}
	all.Wait()
	for _, path := range []string{"/rt/predictions/C?feed=big", "/feeds/big/stops"} {
		if got := next.get(t, path); got.Status != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" {
			t.Errorf("%s: %d %s", path, got.Status, got.Body)
		}
	}
	if err := lock.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	next.eventually(t, "/feeds/big/stops", `"C"`)
	if l := next.boarded(t, "/rt/predictions/C?minutes=29"); l.Meta.Missing != nil {
		t.Errorf("%+v", l.Meta)
	}
	if err := a.dir.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	if n := reads.Load(); n != 2 {
		t.Errorf("two feeds were loaded %d times", n)
	}
}

// traced is again with a tracer for all statements.
func (w *world) traced(t *testing.T, tracer pgx.QueryTracer) *world {
	t.Helper()
	config := w.db.Config()
	config.ConnConfig.Tracer = tracer
	db, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	w.db = db
	return w.again(t)
}

// readings counts the loads of feeds.
type readings struct{ atomic.Int64 }

func (r *readings) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	if strings.Contains(q.SQL, "FROM transit.stop s\n") {
		r.Add(1)
	}
	return ctx
}

func (r *readings) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func TestNewKeysWorkAtOnce(t *testing.T) {
	t.Parallel()
	open := newWorld(t, nil)
	w := open.with(t, `
  roles:
    kiosk: [display]`)
	key := open.key(t, "kiosk", "kiosk", "")
	got := w.Get(t, basePath+"/display/annotations/stops/100", "Accept", "application/json", "X-Api-Key", key)
	if got.Status != http.StatusOK {
		t.Errorf("%d %s", got.Status, got.Body)
	}
}

// A lagging database replica does not restore a revoked key.
func TestRevokedKeysStayRevoked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	key := w.key(t, "kiosk", "all", "")
	w.exec(t, `UPDATE transit.api_key SET revoked_at = now(), changed = 100`)
	w.refresh(t)
	w.exec(t, `UPDATE transit.api_key SET revoked_at = NULL, changed = 99`)
	w.refresh(t)
	got := w.Get(t, basePath+"/feeds", "Accept", "application/json", "X-Api-Key", key)
	if got.Status != http.StatusUnauthorized {
		t.Errorf("%d", got.Status)
	}
}

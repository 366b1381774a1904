package rtpoller

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/pkg/gtfsrt/judge"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/sample"
)

// judgeAll judges all waiting messages and returns their number.
func judgeAll(t testing.TB, j *judges) (n int) {
	t.Helper()
	for p, m := j.next(); p != nil; p, m = j.next() {
		if err := j.judge(t.Context(), p, m); err != nil {
			t.Fatal(err)
		}
		j.forget(m)
		n++
	}
	return n
}

func found(t *testing.T, pool *pgxpool.Pool) (all map[string]int, messages int) {
	t.Helper()
	status, err := ListStatus(t.Context(), pool)
	if err != nil || len(status) != 1 {
		t.Fatal(status, err)
	}
	all = map[string]int{}
	for _, f := range status[0].Findings {
		all[string(f.Code)] = f.Count
		if time.Since(f.Since) > time.Minute || len(f.Examples) == 0 {
			t.Errorf("%+v", f)
		}
	}
	err = pool.QueryRow(t.Context(), `SELECT coalesce(sum(messages), 0) FROM transit.judgement_count WHERE code = ''`).
		Scan(&messages)
	if err != nil {
		t.Fatal(err)
	}
	return all, messages
}

// Published messages are judged, and also messages that were refused because their timestamp goes
// back.
func TestPublishedMessagesAreJudged(t *testing.T) {
	t.Parallel()
	pool, up, p := alone(t, time.Millisecond)
	poll(t, p)
	if n := judgeAll(t, p.judges); n != 1 {
		t.Fatalf("%d messages waited", n)
	}
	if all, n := found(t, pool); n != 1 || all["E041"] != 1 || all["E018"] != 0 || all["E003"] != 0 {
		t.Errorf("findings %v in %d messages", all, n)
	}
	due(t, pool)
	up.set(200, feed(t, time.Now().Unix()-30, 2))
	poll(t, p)
	judgeAll(t, p.judges)
	if all, n := found(t, pool); n != 2 || all["E041"] != 2 || all["E018"] != 1 {
		t.Errorf("findings %v in %d messages", all, n)
	}
	due(t, pool)
	up.set(200, []byte("<html>"))
	poll(t, p)
	if n := judgeAll(t, p.judges); n != 0 {
		t.Errorf("%d messages of an error page wait", n)
	}
}

// The headers are compared as the source sent them, also if its clock is ahead of ours.
func TestClockAheadIsJudged(t *testing.T) {
	t.Parallel()
	pool, up, p := alone(t, time.Millisecond)
	ahead := time.Now().Unix() + 100
	for n, c := range []struct {
		sent       int64
		trips      int
		back, same int // E018 and E017 of the message
	}{{ahead, 1, 0, 0}, {ahead - 5, 2, 1, 0}, {ahead - 5, 3, 0, 1}, {ahead + 1, 4, 0, 0}} {
		due(t, pool)
		up.set(200, feed(t, c.sent, c.trips))
		poll(t, p)
		judgeAll(t, p.judges)
		if all, judged := found(t, pool); judged != n+1 || all["E018"] != c.back || all["E017"] != c.same {
			t.Errorf("message %d: findings %v in %d messages", n, all, judged)
		}
	}
}

// Only the newest waiting message of a source is judged. Messages that exceed the memory limit are
// not judged.
func TestTheNewestMessageIsJudged(t *testing.T) {
	t.Parallel()
	pool, _, p := alone(t, time.Millisecond)
	poll(t, p)
	newest := &published{poll: 7}
	newest.Message, newest.Now = &gtfsrt.Message{Version: "9"}, time.Now()
	p.judges.offer(p, newest, []byte("x"))
	p.judges.offer(&poller{}, &published{Input: newest.Input}, make([]byte, judgeBytes+1))
	large := newest.Input
	for range judge.MaxCalls + 1 {
		large.Calls.Add(gtfsrt.Call{})
	}
	p.judges.offer(&poller{}, &published{Input: large}, nil)
	if n := judgeAll(t, p.judges); n != 1 {
		t.Fatalf("%d messages", n)
	}
	if all, n := found(t, pool); n != 1 || all["E038"] != 1 {
		t.Errorf("findings %v in %d messages", all, n)
	}
	older := &published{poll: 1}
	older.Message, older.Now = &gtfsrt.Message{Version: "1.0", HasIncrementality: true}, time.Now()
	p.judges.offer(p, older, nil)
	judgeAll(t, p.judges)
	if all, n := found(t, pool); n != 2 || all["E038"] != 1 {
		t.Errorf("an older judgement replaced a later one: findings %v in %d messages", all, n)
	}
}

// A stop at which no trip calls is read when a call names it.
func TestStopsOutsideOfTheTimetable(t *testing.T) {
	t.Parallel()
	message := func(stops ...string) []byte {
		return feed(t, time.Now().Unix(), 1, func(m *rt.FeedMessage) {
			for i, id := range stops {
				m.Entity[0].TripUpdate.StopTimeUpdate = append(m.Entity[0].TripUpdate.StopTimeUpdate,
					&rt.TripUpdate_StopTimeUpdate{StopSequence: proto.Uint32(uint32(i)), StopId: proto.String(id)})
			}
		})
	}
	pool, up, p := alone(t, time.Millisecond)
	importFeed(t, pool, message("A", "B"))
	execSQL(t, pool, `INSERT INTO transit.stop (version_id, ord, num, stop_id, location_type)
		VALUES (1, 10, 10, 'station', '1'), (1, 11, 11, 'C', NULL)`)
	for _, stops := range [][]string{{"A", "station", "C", "no"}, {"no", "C", "B", "station", "other"}} {
		due(t, pool)
		up.set(200, message(stops...))
		poll(t, p)
		judgeAll(t, p.judges)
		if all, _ := found(t, pool); all["E011"] != len(stops)-3 || all["E015"] != 1 {
			t.Errorf("%v: %v", stops, all)
		}
	}
}

// The source that has waited longest is judged first, so that one with a message every moment does
// not hold the others.
func TestSourcesAreJudgedInTurn(t *testing.T) {
	t.Parallel()
	j := newJudges(run.Deps{}, func(*poller, string) {})
	busy, other := &poller{source: "busy"}, &poller{source: "other"}
	third := &poller{source: "third"}
	offer := func(all ...*poller) {
		for _, p := range all {
			j.offer(p, &published{Input: judge.Input{Message: &gtfsrt.Message{}}}, nil)
		}
	}
	var order []string
	offer(busy, other, busy)
	for range 4 {
		p, m := j.next()
		if p == nil {
			break
		}
		order = append(order, p.source)
		j.forget(m)
		if p == busy && len(order) == 1 {
			offer(third, busy)
		}
	}
	if got := fmt.Sprint(order); got != "[busy other third busy]" || len(j.order)+len(j.waiting)+j.bytes != 0 {
		t.Errorf("judged in the order %s; left: %d", got, len(j.order))
	}
}

// After a panic the next message is judged.
func TestJudgingSurvivesAPanic(t *testing.T) {
	t.Parallel()
	pool, _, p := alone(t, time.Millisecond)
	outcomes := make(chan string, 10)
	p.judges.count = func(_ *poller, outcome string) { outcomes <- outcome }
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.judges.loop(ctx)
	}()
	p.judges.offer(p, &published{Input: judge.Input{Message: &gtfsrt.Message{}, Others: []*judge.Pairs{nil}}}, nil)
	if got := <-outcomes; got != "failed" {
		t.Error(got)
	}
	poll(t, p)
	if got := <-outcomes; got != "done" {
		t.Error(got)
	}
	cancel()
	<-ended
	if _, n := found(t, pool); n != 1 {
		t.Errorf("%d messages were judged", n)
	}
}

// largeMessage returns 3 MB of a real agency's trip updates.
func largeMessage(b *testing.B) []byte {
	b.Helper()
	data, err := os.ReadFile(filepath.Join(sample.Folder(b, "gtfs-rt"), "halifax", "TripUpdates.pb"))
	if err != nil {
		b.Fatal(err)
	}
	m := &rt.FeedMessage{}
	if err := proto.Unmarshal(data, m); err != nil {
		b.Fatal(err)
	}
	one := m.Entity
	m.Entity, m.Header.Timestamp = nil, proto.Uint64(uint64(time.Now().Unix()))
	for i := range 6 {
		for _, e := range one {
			e = proto.Clone(e).(*rt.FeedEntity)
			e.Id = proto.String(fmt.Sprint(i, e.GetId()))
			m.Entity = append(m.Entity, e)
		}
	}
	data, err = proto.Marshal(m)
	if err != nil {
		b.Fatal(err)
	}
	return data
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// importFeed imports a feed that has the trips, calls and stops of a message.
func importFeed(b testing.TB, pool *pgxpool.Pool, body []byte) {
	b.Helper()
	m, err := gtfsrt.Scan(body)
	if err != nil {
		b.Fatal(err)
	}
	execSQL(b, pool, `INSERT INTO transit.feed (alias, name) VALUES ('demo', 'Demo')`)
	execSQL(b, pool,
		`INSERT INTO transit.feed_version (feed_id, state, sha256, bytes, source) VALUES (1, 'live', '', 0, '')`)
	execSQL(b, pool, `UPDATE transit.feed SET version_id = 1`)
	for _, table := range []string{"agency", "route", "trip", "pattern", "profile", "stop", "frequency", "shape"} {
		execSQL(b, pool, fmt.Sprintf("CREATE TABLE transit.%s_1 PARTITION OF transit.%[1]s FOR VALUES IN (1)", table))
	}
	batch := &pgx.Batch{}
	for i, u := range m.TripUpdates {
		var sequences []int32
		var stops []string
		for _, c := range u.Prediction(nil).Calls {
			sequences, stops = append(sequences, int32(c.Sequence)), append(stops, string(c.StopID))
		}
		batch.Queue(`INSERT INTO transit.trip (version_id, ord, pattern, trip_id, route_id, service_id)
			VALUES (1, $1, $1, $2, $3, '') ON CONFLICT DO NOTHING`, i, string(u.TripID), string(u.RouteID))
		batch.Queue(`INSERT INTO transit.route (version_id, ord, route_id, agency_id, first_trip, trip_count, first_direction,
			direction_count) VALUES (1, $1, $2, '', 0, 0, 0, 0) ON CONFLICT DO NOTHING`, i, string(u.RouteID))
		batch.Queue(`INSERT INTO transit.pattern (version_id, pattern, trip_count, stop_sequence, stop_id, digest)
			VALUES (1, $1, 1, $2, $3, '')`, i, sequences, stops)
		batch.Queue(`INSERT INTO transit.stop (version_id, ord, num, stop_id)
			SELECT 1, 1000 * $1 + n, 1000 * $1 + n, id FROM unnest($2::text[]) WITH ORDINALITY AS s (id, n)
			ON CONFLICT DO NOTHING`, i, stops)
	}
	if err := pool.SendBatch(b.Context(), batch).Close(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkPoll measures the processor time of a poll of 3 MB: without judgement, judged without a
// feed, and judged with a feed that has all its trips.
func BenchmarkPoll(b *testing.B) {
	body := largeMessage(b)
	for _, c := range []struct {
		name             string
		imported, judged bool
	}{{"published", false, false}, {"judged without a feed", false, true}, {"judged", true, true}} {
		b.Run(c.name, func(b *testing.B) {
			pool := pgtest.New(b)
			if c.imported {
				importFeed(b, pool, body)
			}
			up, url := answering(b, 200, body)
			p := replica(b, pool, url, time.Millisecond)
			p.maxBytes = 1 << 24
			b.SetBytes(int64(len(body)))
			start, n := time.Duration(0), 0
			for b.Loop() {
				if n == 1 {
					start = cpuTime() // the first judgement reads the facts
				}
				n++
				up.set(200, append(body[:len(body):len(body)], fmt.Appendf(nil, "\xba\x3e\x08%08d", n)...))
				due(b, pool)
				poll(b, p)
				if c.judged {
					judgeAll(b, p.judges)
				}
			}
			b.ReportMetric(float64((cpuTime()-start).Microseconds())/float64(n-1), "cpu-µs/op")
		})
	}
}

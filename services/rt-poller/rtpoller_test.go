package rtpoller

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/fetch"
	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/run"
)

// feed returns a message with n trip updates and a header timestamp.
func feed(t testing.TB, timestamp int64, n int, change ...func(*rt.FeedMessage)) []byte {
	t.Helper()
	m := &rt.FeedMessage{Header: &rt.FeedHeader{GtfsRealtimeVersion: proto.String("2.0"),
		Timestamp: proto.Uint64(uint64(timestamp))}}
	for i := range n {
		id := fmt.Sprint(i)
		m.Entity = append(m.Entity, &rt.FeedEntity{Id: &id,
			TripUpdate: &rt.TripUpdate{Trip: &rt.TripDescriptor{TripId: &id}}})
	}
	for _, f := range change {
		f(m)
	}
	data, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestInspect(t *testing.T) {
	t.Parallel()
	now := time.Now()
	good := feed(t, now.Unix(), 3)
	differential := feed(t, now.Unix(), 3, func(m *rt.FeedMessage) {
		m.Header.Incrementality = rt.FeedHeader_DIFFERENTIAL.Enum()
	})
	detours := feed(t, now.Unix(), 1, func(m *rt.FeedMessage) {
		m.Entity[0].TripUpdate = nil
		m.Entity[0].ProtoReflect().SetUnknown(protowire.AppendBytes(
			protowire.AppendTag(nil, 8, protowire.BytesType), nil))
	})
	for _, c := range []struct {
		name, kind string
		body       []byte
		before     int64
		want       string // in the error; "" means no error
	}{
		{name: "good", kind: conf.TripUpdates, body: good},
		{name: "same time again", kind: conf.TripUpdates, body: good, before: now.Unix()},
		{name: "no timestamp", kind: conf.TripUpdates, body: feed(t, 0, 1), before: now.Unix()},
		{name: "older", kind: conf.TripUpdates, body: good, before: now.Unix() + 7, want: "older than the last one by 7 s"},
		{name: "from the future", kind: conf.TripUpdates, body: feed(t, now.Add(time.Hour).Unix(), 1),
			want: "in the future"},
		{name: "empty", kind: conf.TripUpdates, want: "empty"},
		{name: "truncated", kind: conf.TripUpdates, body: good[:len(good)-1], want: "not a whole GTFS-Realtime message"},
		{name: "error page", kind: conf.TripUpdates, body: []byte("<html><body>503</body></html>"), want: "text/html"},
		{name: "JSON", kind: conf.TripUpdates, body: []byte(`{"error": "quota"}`), want: "text/plain"},
		{name: "header only", kind: conf.VehiclePositions, body: feed(t, now.Unix(), 0), want: "no entities"},
		{name: "header only, mixed", kind: conf.Mixed, body: feed(t, now.Unix(), 0), want: "no entities"},
		{name: "only trip modifications", kind: conf.TripUpdates, body: detours},
		{name: "only trip modifications, mixed", kind: conf.Mixed, body: detours},
		{name: "only trip modifications, of vehicles", kind: conf.VehiclePositions, body: detours, want: "no entities"},
		{name: "another kind", kind: conf.VehiclePositions, body: good,
			want: "holds 3 trip updates, 0 vehicles and 0 alerts, so it is no " +
				"source of kind vehicle_positions"},
		{name: "a mixed source of which only the alerts are wanted", kind: conf.Alerts, body: good},
		{name: "milliseconds", kind: conf.TripUpdates, body: feed(t, now.UnixMilli(), 1), before: now.Unix() - 1},
		{name: "milliseconds, older", kind: conf.TripUpdates, body: feed(t, now.UnixMilli()-9000, 1), before: now.Unix(),
			want: "older than the last one by 9 s"},
		{name: "no time at all", kind: conf.TripUpdates, body: feed(t, math.MinInt64, 1), want: "in the future"},
		{name: "no alerts is good news", kind: conf.Alerts, body: feed(t, now.Unix(), 0)},
		{name: "differential", kind: conf.TripUpdates, body: differential, want: "DIFFERENTIAL"},
	} {
		m, err := inspect(c.body, c.kind, c.before, now)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
		if c.name == "good" && m.tripUpdates != 3 {
			t.Errorf("counted %+v", m)
		}
	}
}

// FuzzInspect checks that readers can decode each accepted message.
func FuzzInspect(f *testing.F) {
	f.Add([]byte(nil))
	f.Add([]byte("<html>"))
	f.Add([]byte{0x0a, 0x05, 0x0a, 0x03, '2', '.', '0'})
	whole, err := proto.Marshal(&rt.FeedMessage{Header: &rt.FeedHeader{GtfsRealtimeVersion: proto.String("2.0")},
		Entity: []*rt.FeedEntity{
			{Id: proto.String("1"), TripUpdate: &rt.TripUpdate{Trip: &rt.TripDescriptor{TripId: proto.String("t")},
				StopTimeUpdate: []*rt.TripUpdate_StopTimeUpdate{{StopId: proto.String("s")}}}},
			{Id: proto.String("2"), Vehicle: &rt.VehiclePosition{Position: &rt.Position{Latitude: proto.Float32(1),
				Longitude: proto.Float32(2)}}},
			{Id: proto.String("3"), Alert: &rt.Alert{InformedEntity: []*rt.EntitySelector{{StopId: proto.String("s")}}}},
		}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Fuzz(func(t *testing.T, body []byte) {
		m, err := inspect(body, conf.Mixed, 0, time.Unix(1_800_000_000, 0))
		if err != nil {
			return
		}
		feed, err := gtfsrt.Scan(body)
		if err != nil {
			t.Fatal(err)
		}
		if len(feed.TripUpdates) != m.tripUpdates || len(feed.Vehicles) != m.vehicles || len(feed.Alerts) != m.alerts {
			t.Fatalf("counted %+v", m)
		}
		decode := func(body []byte, into proto.Message) {
			if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(body, into); err != nil {
				t.Fatalf("inspect accepted a message that cannot be decoded: %v", err)
			}
		}
		for _, u := range feed.TripUpdates {
			decode(u.Body, &rt.TripUpdate{})
		}
		for _, v := range feed.Vehicles {
			decode(v.Body, &rt.VehiclePosition{})
		}
		for _, a := range feed.Alerts {
			decode(a.Body, &rt.Alert{})
		}
	})
}

// An upstream sends the answer that was set last.
type upstream struct {
	mu       sync.Mutex
	body     []byte
	status   int
	requests atomic.Int64
}

func (u *upstream) set(status int, body []byte) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.status, u.body = status, body
}

func (u *upstream) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	u.requests.Add(1)
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.status != 200 {
		w.Header().Set("Retry-After", "90")
	}
	w.WriteHeader(u.status)
	_, _ = w.Write(u.body)
}

// listen serves until the test ends.
func listen(t testing.TB, handler http.Handler) (url string) {
	t.Helper()
	srv := httptest.NewServer(handler)
	t.Cleanup(srv.Close)
	return srv.URL
}

// answering returns an upstream that sends an answer.
func answering(t testing.TB, status int, body []byte) (up *upstream, url string) {
	t.Helper()
	up = &upstream{}
	up.set(status, body)
	return up, listen(t, up)
}

// replica returns a poller process on the test's database.
func replica(t testing.TB, pool *pgxpool.Pool, url string, minInterval time.Duration) *poller {
	t.Helper()
	deps := run.Deps{DB: pool, Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry(),
		Ready: &run.Health{}}
	transit := &conf.Transit{Feeds: []conf.Feed{
		{Alias: "demo", Realtime: []conf.Source{{Kind: conf.TripUpdates, URL: url, MinInterval: minInterval}}}}}
	if err := transit.Validate(); err != nil {
		t.Fatal(err)
	}
	metrics, err := newMetrics(deps)
	if err != nil {
		t.Fatal(err)
	}
	all := newPollers(Config{AllowPrivate: true, MaxBytes: 1 << 20, MaxPause: 15 * time.Minute}, transit, deps, metrics)
	if err := newRegistry(deps, all).register(t.Context()); err != nil {
		t.Fatal(err)
	}
	return all[0]
}

// alone returns a database, and the only poller of a source with a current feed.
func alone(t testing.TB, minInterval time.Duration) (*pgxpool.Pool, *upstream, *poller) {
	t.Helper()
	up, url := answering(t, 200, feed(t, time.Now().Unix(), 1))
	pool := pgtest.New(t)
	return pool, up, replica(t, pool, url, minInterval)
}

// served is the snapshot that readers get, with its source's row.
type served struct {
	Data     []byte
	Failures int
	Error    string
	Fetched  time.Time
	Next     time.Time
	Kept     int
}

func look(t *testing.T, pool *pgxpool.Pool) served {
	t.Helper()
	var s served
	err := pool.QueryRow(t.Context(), `
		SELECT n.data, s.failures, coalesce(s.error, ''), s.fetched_at, s.next_poll_at,
		       (SELECT count(*) FROM transit.snapshot)
		FROM transit.source s JOIN transit.snapshot n USING (snapshot_id)`).Scan(&s.Data, &s.Failures, &s.Error, &s.Fetched,
		&s.Next, &s.Kept)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func execSQL(t testing.TB, pool *pgxpool.Pool, sql string) {
	t.Helper()
	if _, err := pool.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

func poll(t testing.TB, p *poller) {
	t.Helper()
	if err := p.poll(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
}

func due(t testing.TB, pool *pgxpool.Pool) {
	t.Helper()
	execSQL(t, pool, `UPDATE transit.source SET next_poll_at = now()`)
}

func TestBadAnswersLeaveTheLastGoodSnapshot(t *testing.T) {
	t.Parallel()
	pool, up, p := alone(t, time.Second)
	first := feed(t, time.Now().Unix()-10, 2)
	up.set(200, first)
	poll(t, p)
	good := look(t, pool)
	if !bytes.Equal(good.Data, first) || good.Failures != 0 {
		t.Fatalf("got %+v", good)
	}
	for i, bad := range []struct {
		status int
		body   []byte
	}{{200, nil}, {200, first[:len(first)-2]}, {200, []byte("<html>busy</html>")}, {503, first},
		{200, feed(t, time.Now().Unix()-99, 2)}, {404, nil},
		{200, feed(t, time.Now().Unix(), 0)}, {200, feed(t, time.Now().Unix()+3600, 2)},
		{200, bytes.Repeat([]byte{0x12, 0x00}, 1<<20)}, {200, []byte(`{"quota": "exceeded"}`)}, {500, []byte("\xff\x00")}} {
		due(t, pool)
		up.set(bad.status, bad.body)
		poll(t, p)
		got := look(t, pool)
		if !bytes.Equal(got.Data, first) || !got.Fetched.Equal(good.Fetched) || got.Failures != i+1 || got.Error == "" {
			t.Fatalf("after bad answer %d: snapshot %+v", i, got)
		}
		if bad.status == 503 && time.Until(got.Next) < time.Minute {
			t.Errorf("Retry-After was not kept: next poll in %s", time.Until(got.Next))
		}
	}
	due(t, pool)
	second := feed(t, time.Now().Unix(), 5)
	up.set(200, second)
	poll(t, p)
	if got := look(t, pool); !bytes.Equal(got.Data, second) || got.Failures != 0 || got.Error != "" || got.Kept != 1 {
		t.Fatalf("no recovery after a good answer: %+v", got)
	}
}

// The pause grows with each failure, from min_interval.
func TestBackoff(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		min      time.Duration
		failures int
		want     time.Duration
	}{
		{10 * time.Second, 0, 10 * time.Second}, {10 * time.Second, 1, 20 * time.Second},
		{10 * time.Second, 2, 40 * time.Second}, {10 * time.Second, 3, time.Minute},
		{10 * time.Second, 1 << 30, time.Minute}, {10 * time.Minute, 0, 10 * time.Minute},
		{10 * time.Minute, 7, 10 * time.Minute}, {1 << 62, 9, 1 << 62}, {time.Millisecond, 3, 8 * time.Millisecond},
	} {
		if got := backoff(c.min, c.failures); got != c.want {
			t.Errorf("%s after %d failures: %s, want %s", c.min, c.failures, got, c.want)
		}
	}
}

func TestManyRequestsAndReplicasMakeOnePoll(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	up, url := answering(t, 200, feed(t, time.Now().Unix(), 1))
	one, two := replica(t, pool, url, time.Hour), replica(t, pool, url, time.Hour)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			for _, p := range []*poller{one, two} {
				if err := p.poll(t.Context(), 0); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := up.requests.Load(); n != 1 {
		t.Fatalf("the source got %d requests within its min_interval", n)
	}
}

// A database that hangs ends one attempt, not all polls of the source.
func TestAttemptsEndWhileTheDatabaseHangs(t *testing.T) {
	t.Parallel()
	pool, _, p := alone(t, time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // bounds the test, not the statements
	defer cancel()
	p.dbTimeout = 50 * time.Millisecond
	conn, err := pgx.ConnectConfig(ctx, pool.Config().ConnConfig)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	for name, do := range map[string]func() error{
		"claim":  func() error { _, _, err := p.claim(ctx, 0); return err },
		"record": func() error { return p.record(ctx, state{poll: 1}, fetch.Meta{}, nil, message{}) },
		"fail":   func() error { return p.fail(ctx, state{poll: 1}, errors.New("no answer")) },
		"poll":   func() error { return p.poll(ctx, 0) },
	} {
		if _, err := conn.Exec(ctx, `BEGIN; SELECT FROM transit.source FOR UPDATE`); err != nil {
			t.Fatal(err)
		}
		if err := do(); !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := conn.Exec(ctx, `
			SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'; -- otherwise it may continue
			ROLLBACK`); err != nil {
			t.Fatal(err)
		}
	}
	p.dbTimeout = statementTimeout
	due(t, pool)
	if err := p.poll(ctx, 0); err != nil || look(t, pool).Data == nil {
		t.Errorf("no poll after the database recovered: %v", err)
	}
}

func TestUnchangedAnswerMovesFetchedOnly(t *testing.T) {
	t.Parallel()
	pool, _, p := alone(t, time.Millisecond)
	poll(t, p)
	before := look(t, pool)
	due(t, pool)
	poll(t, p)
	after := look(t, pool)
	if !after.Fetched.After(before.Fetched) || after.Kept != 1 {
		t.Fatalf("before %+v, after %+v", before, after)
	}
}

// A message is stored even if its ETag is not valid text, which HTTP allows.
func TestValidatorsThatAreNoText(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	body := feed(t, time.Now().Unix(), 1)
	url := listen(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Etag"] = []string{"\"\xe9t\xe9\""}
		_, _ = w.Write(body)
	}))
	p := replica(t, pool, url, time.Second)
	poll(t, p)
	if got := look(t, pool); !bytes.Equal(got.Data, body) {
		t.Errorf("%+v", got)
	}
}

// A source with a new address starts without the history of the old one.
func TestNewAddressStartsEmpty(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	urls := make([]string, 2)
	for i := range urls {
		_, urls[i] = answering(t, 200, feed(t, time.Now().Unix()-int64(i)*500, i+1))
	}
	outdated := replica(t, pool, urls[0], time.Hour)
	poll(t, outdated)
	first := look(t, pool)
	replica(t, pool, urls[0], time.Minute) // the same source with other settings
	if again := look(t, pool); !bytes.Equal(again.Data, first.Data) {
		t.Error("the snapshot was lost")
	}
	expireLeases(t, pool)
	p := replica(t, pool, urls[1], time.Hour)
	var n int
	if err := pool.QueryRow(t.Context(), `SELECT count(*) FROM transit.snapshot`).Scan(&n); err != nil || n != 0 {
		t.Fatalf("the other source has %d snapshots, %v", n, err)
	}
	poll(t, outdated) // a replica that still has the old configuration
	poll(t, p)        // its message is older, but the source is new
	if got := look(t, pool); bytes.Equal(got.Data, first.Data) || got.Error != "" {
		t.Errorf("%+v", got)
	}
}

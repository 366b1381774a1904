package townline_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/pkg/embed/natsd"
	"github.com/townline/townline/pkg/events"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/sample"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
	rtpoller "github.com/townline/townline/services/rt-poller"
	"github.com/townline/townline/services/townline/demo/agency"
	transitapi "github.com/townline/townline/services/transit-api"
)

// demoSeries returns a snapshot for each of some minutes of the demo town's agency, with vehicles
// and trip updates in one message.
func demoSeries(t *testing.T, minutes int) (out [][]byte) {
	t.Helper()
	at := time.Date(2026, 3, 2, 15, 0, 0, 0, time.UTC)
	a, err := agency.New(func() time.Time { return at })
	if err != nil {
		t.Fatal(err)
	}
	for range minutes {
		at = at.Add(time.Minute)
		m := a.TripUpdates(at)
		m.Entity = append(m.Entity, a.Vehicles(at).Entity...)
		data, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, data)
	}
	return out
}

// realSeries returns the snapshots of an hour of one source, in order.
func realSeries(t *testing.T, feeds string) [][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(feeds, "..", "gtfs-rt", "nyct-ace-series", "*.pb"))
	if err != nil || len(files) < 40 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	slices.Sort(files)
	out := make([][]byte, len(files))
	for i, f := range files {
		out[i], err = os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// rewound returns a message with a different time in its header, so that a series can be repeated.
func rewound(t *testing.T, data []byte, at uint64) []byte {
	t.Helper()
	m := &rt.FeedMessage{}
	if err := proto.Unmarshal(data, m); err != nil {
		t.Fatal(err)
	}
	m.Header.Timestamp = &at
	out, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Snapshots follow each other quickly, in two rounds, while clients read. Every answer is of one
// snapshot, and never older than a previous answer. With TOWNLINE_EVERYTHING=1 there are forty real
// snapshots.
func TestReplay(t *testing.T) {
	t.Parallel()
	const rounds = 2
	static, snapshots := demoFeed(t), demoSeries(t, 5)
	readers, stop := 2, "1001"
	if everything() {
		feeds := sample.Folder(t, "gtfs")
		static, snapshots = filepath.Join(feeds, "nyct-subway-2023.zip"), realSeries(t, feeds)
		readers, stop = 4, "A27N"
	}
	address := pgtest.URL(t)
	db := open(t, address, pg.Options{})
	if _, err := gtfsimport.Import(t.Context(), deps(db), gtfsimport.Request{Alias: "nyct", Source: static}); err != nil {
		t.Fatal(err)
	}
	// whole has the content of each snapshot: all vehicles, and the trip updates of a busy stop.
	paths := []string{"/rt/vehicles", "/rt/tripupdates/" + stop}
	whole := map[string]int{} // number of the snapshot by path and canonical entities
	for n, data := range snapshots {
		m := &rt.FeedMessage{}
		if err := proto.Unmarshal(data, m); err != nil {
			t.Fatal(err)
		}
		d := newDump(t, db, []*rt.FeedMessage{m})
		for _, path := range paths {
			whole[path+strings.Join(d.expected[path], "")] = n
		}
	}
	if len(whole) != len(paths)*len(snapshots) {
		t.Fatalf("%d of %d answers are distinct", len(whole), len(paths)*len(snapshots))
	}
	up := &upstream{}
	up.answer(http.StatusOK, rewound(t, snapshots[0], 1_707_400_000)) // older than all others
	file := transitConfig(t, fmt.Sprintf(`
access: {roles: {anonymous: [realtime]}}
feeds: [{alias: nyct, realtime: [{kind: mixed, url: %q, min_interval: 1ms, idle_interval: 1ms}]}]`, up.serve(t)))
	d := deps(db)
	runUntilEnd(t, func(ctx context.Context) error {
		return rtpoller.Run(ctx, rtpoller.Config{TransitConfig: file, AllowPrivate: true, MaxBytes: 1 << 24}, d)
	})
	bus := newBuses(t)
	base := bus.transit(t, address, file)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var g sync.WaitGroup
	var reads atomic.Int64
	var seen sync.Map // numbers of snapshots
	for r := range readers {
		path := paths[r%len(paths)]
		g.Go(func() {
			dump := &dump{seen: map[string]string{}}
			last, restarts := -1, 0
			for ctx.Err() == nil {
				status, body := request(t, base+path)
				if status != http.StatusOK {
					t.Errorf("%s: %d %s", path, status, body)
					return
				}
				n, ok := whole[path+strings.Join(dump.entities(t, body), "")]
				if !ok && reads.Load() > 0 && !strings.Contains(string(body), `"last_fetched":0`) {
					t.Errorf("%s: the answer matches no snapshot", path)
					return
				}
				if n < last {
					restarts++
				}
				if restarts >= rounds { // number of restarts of the series
					t.Errorf("%s: snapshot %d after %d", path, n, last)
				}
				last = n
				seen.Store(n, true)
				reads.Add(1)
			}
		})
	}
	for round := range rounds {
		for n := range snapshots {
			stamp := uint64(1_707_500_000 + round*100_000 + n*60)
			up.answer(http.StatusOK, rewound(t, snapshots[n], stamp))
			stored := func() error {
				var at int64
				err := db.QueryRow(t.Context(), `SELECT header_timestamp FROM transit.source JOIN transit.snapshot
					USING (snapshot_id)`).Scan(&at)
				if err == nil && at != int64(stamp) {
					err = fmt.Errorf("snapshot %d is still served", at)
				}
				return err
			}
			eventually(t, stored)
		}
	}
	eventually(t, func() error { // the series may end before the API reads again
		different := 0
		seen.Range(func(any, any) bool { different++; return true })
		if different < 2 || reads.Load() < 20 {
			return fmt.Errorf("%d reads saw %d of %d snapshots", reads.Load(), different, len(snapshots))
		}
		return nil
	})
	cancel()
	g.Wait()
}

// buses has the connections of several processes to one NATS server.
type buses struct{ server *natsd.Server }

func newBuses(t testing.TB) *buses {
	t.Helper()
	srv := pgtest.NATS(t)
	return &buses{srv}
}

func (b *buses) connect(t testing.TB) *events.Bus {
	t.Helper()
	bus, err := events.Open(events.Options{Dial: b.server.Connect, Name: t.Name()}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(bus.Close)
	return bus
}

// transit runs a transit API that is connected to NATS.
func (b *buses) transit(t testing.TB, address, file string) string {
	t.Helper()
	return serveTransitOn(t, address, transitapi.Config{File: file}, b.connect(t))
}

func (b *buses) poller(t testing.TB, address, file string) {
	t.Helper()
	d := deps(open(t, address, pg.Options{}))
	d.Events = b.connect(t)
	runUntilEnd(t, func(ctx context.Context) error {
		return rtpoller.Run(ctx, rtpoller.Config{TransitConfig: file, AllowPrivate: true, MaxBytes: 1 << 26}, d)
	})
}

// With many readers at three APIs and two pollers, a stale source is requested exactly once per
// min_interval. If the source fails, only the age of the data changes.
func TestDemand(t *testing.T) {
	t.Parallel()
	readers, interval := 200, 250*time.Millisecond
	spells := 10
	if everything() {
		readers, interval = 1000, time.Second
	}
	up := &upstream{}
	address := pgtest.URL(t)
	up.answer(http.StatusOK, updatesOf(t, "a", "b"))
	file := transitConfig(t, fmt.Sprintf(`
access: {roles: {anonymous: [realtime]}}
feeds: [{alias: metro, realtime: [{kind: trip_updates, url: %q, min_interval: %s, stale_after: 1ms}]}]`, up.serve(t),
		interval))
	b := newBuses(t)
	for range 2 {
		b.poller(t, address, file)
	}
	if n := up.requests.Load(); n > 0 {
		t.Fatalf("%d requests before the first read", n)
	}
	bases := []string{b.transit(t, address, file), b.transit(t, address, file), b.transit(t, address, file)}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: readers}}
	defer client.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	start := time.Now()
	// On a busy machine, the second request can come after the intervals.
	reading := func() bool {
		return ctx.Err() == nil && (time.Since(start) < time.Duration(spells)*interval || up.requests.Load() < 2)
	}
	var g sync.WaitGroup
	var reads atomic.Int64
	for r := range readers {
		g.Go(func() {
			tick := time.NewTicker(time.Second)
			defer tick.Stop()
			for ; reading(); <-tick.C {
				req, err := http.NewRequestWithContext(ctx, http.MethodGet, bases[r%len(bases)]+"/rt/tripupdates/1004?_format=json",
					nil)
				if err != nil {
					t.Error(err)
					return
				}
				res, err := client.Do(req)
				if err != nil {
					continue // the time is over
				}
				if res.StatusCode != http.StatusOK {
					t.Errorf("%s", res.Status)
				}
				_ = res.Body.Close()
				reads.Add(1)
			}
		})
	}
	g.Wait()
	took := time.Since(start)
	up.mu.Lock()
	times := slices.Clone(up.times)
	up.mu.Unlock()
	for i := 1; i < len(times); i++ {
		if gap := times[i].Sub(times[i-1]); gap < interval {
			t.Errorf("two requests within %s", gap)
		}
	}
	// There is at most one request more than whole intervals; on a busy machine there may be fewer.
	if n, most := len(times), int(took/interval)+2; n > most || n < 2 {
		t.Errorf("%d requests in %s", n, took)
	}
	t.Logf("%d reads by %d readers in %s, %d requests to the source", reads.Load(), readers, took.Round(time.Millisecond),
		len(times))

	// While the source fails, the data and the time of the last successful poll stay.
	up.answer(http.StatusServiceUnavailable, []byte("<html>down</html>"))
	db := open(t, address, pg.Options{})
	failed := func() (n int) {
		if err := db.QueryRow(t.Context(), `SELECT failures FROM transit.source`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	answers := func() (all []string) {
		for _, base := range bases {
			status, body := request(t, base+"/rt/tripupdates/1004")
			if status != http.StatusOK {
				t.Fatalf("while the source fails: %d %s", status, body)
			}
			all = append(all, strings.ReplaceAll(string(body), base, bases[0]))
		}
		return slices.Compact(all)
	}
	before := ""
	eventually(t, func() error { // each API reads the time of the last good poll at its own moment
		all := answers()
		if failed() == 0 {
			return errors.New("the source has not failed yet")
		}
		var fetched int64
		if err := db.QueryRow(t.Context(), `SELECT floor(extract(epoch FROM fetched_at))::bigint
			FROM transit.source`).Scan(&fetched); err != nil {
			t.Fatal(err)
		}
		if before = all[0]; len(all) > 1 || !strings.Contains(before, fmt.Sprintf(`"last_fetched":%d`, fetched)) {
			return fmt.Errorf("the last good poll was at %d: %s", fetched, all)
		}
		return nil
	})
	eventually(t, func() error {
		if all := answers(); len(all) > 1 || all[0] != before {
			t.Fatalf("while the source fails: %s, want %s", all, before)
		}
		if n := failed(); n < 3 {
			return fmt.Errorf("only %d polls failed", n)
		}
		return nil
	})
}

package townline_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/townline/townline/pkg/gtfs/gtfstest"
	"github.com/townline/townline/pkg/pg"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
)

// This file measures the costs of a deployment with many feeds or many listeners. The API is a
// separate process, so that its memory can be measured.

// smallTrips is the number of trips in each of many feeds: about 14,000 calls.
const smallTrips = 400

// BenchmarkScaleFeeds measures deployments with 1, 100 and 500 feeds: the import of another feed,
// an uncached answer, the time from the start of the API to its first answer, and the memory per
// feed after its boards were read.
//
//	go test -run - -bench ScaleFeeds -benchtime 1x ./services/townline
func BenchmarkScaleFeeds(b *testing.B) {
	f := newFleet(b, "access: {roles: {anonymous: [discovery, static, realtime, display]}}")
	db := open(b, f.db.URL(), pg.Options{MaxConns: 8})
	zip := made(b, smallTrips)
	imports := func(alias string) time.Duration {
		began := time.Now()
		if _, err := gtfsimport.Import(b.Context(), deps(db), gtfsimport.Request{Alias: alias, Source: zip}); err != nil {
			b.Fatal(err)
		}
		return time.Since(began)
	}
	name := func(i int) string { return fmt.Sprintf("feed-%d", i) }
	imports(name(0))
	stops := paths(b, db, `SELECT stop_id FROM transit.stops ORDER BY md5(stop_id)`)
	addr := freeAddress(b)
	base := "http://" + addr + "/gtfs/api/v2"
	have := 1
	var first struct{ importing, miss, memory float64 }
	for _, n := range []int{1, 100, 500} {
		for ; have < n; have++ {
			imports(name(have))
		}
		var importing []float64
		for i := range 3 {
			importing = append(importing, imports(fmt.Sprintf("more-%d-%d", n, i)).Seconds())
		}
		began := time.Now()
		api := f.service("transit-api", addr)
		eventually(b, func() error { return answers(base + "/feeds/" + name(n-1) + "/stops/" + stops[0]) })
		restart := time.Since(began)
		for i := range n { // requests get 503 while the index is loading
			eventually(b, func() error { return answers(base + "/feeds/" + name(i) + "/stops/" + stops[0]) })
		}
		every := time.Since(began)
		var misses []float64
		for i := range min(300, n*(len(stops)-1)) { // each request differs
			began := time.Now()
			if err := answers(base + "/feeds/" + name(i%n) + "/stops/" + stops[(1+i/n)%len(stops)]); err != nil {
				b.Fatal(err)
			}
			misses = append(misses, float64(time.Since(began).Microseconds())/1000)
		}
		for i := range n {
			// Sources are read after the feeds.
			eventually(b, func() error { return answers(base + "/rt/predictions/" + stops[0] + "?feed=" + name(i)) })
		}
		memory := anonymous(b, api.pid())
		api.kill()
		slices.Sort(importing)
		slices.Sort(misses)
		if n == 1 {
			first.importing, first.miss = importing[1], misses[len(misses)/2]
			first.memory = memory
		}
		report(b, fmt.Sprint(n, "/import-of-one-more"), map[string]float64{"s": importing[1],
			"s-with-1-feed": first.importing, "ratio": importing[1] / first.importing, "at-most": 1.5})
		report(b, fmt.Sprint(n, "/miss"), map[string]float64{"ms": misses[len(misses)/2], "ms-with-1-feed": first.miss,
			"ratio": misses[len(misses)/2] / first.miss, "at-most": 1.5})
		report(b, fmt.Sprint(n, "/miss-p99"), map[string]float64{"ms": misses[len(misses)*99/100]})
		report(b, fmt.Sprint(n, "/restart-to-first-answer"), map[string]float64{"ms": float64(restart.Milliseconds())})
		report(b, fmt.Sprint(n, "/restart-to-every-feed-answered"), map[string]float64{"ms": float64(every.Milliseconds())})
		report(b, fmt.Sprint(n, "/memory"), map[string]float64{"MB": memory})
		if n > 1 {
			report(b, fmt.Sprint(n, "/memory-per-feed"), map[string]float64{"MB": (memory - first.memory) / float64(n-1)})
		}
	}
}

func made(b *testing.B, trips int) string {
	b.Helper()
	file, err := os.Create(filepath.Join(b.TempDir(), "feed.zip"))
	if err == nil {
		err = errors.Join(gtfstest.Write(file, trips), file.Close())
	}
	if err != nil {
		b.Fatal(err)
	}
	return file.Name()
}

// answers requests JSON at an address and expects status 200.
func answers(address string) error {
	req, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", address, res.Status)
	}
	return err
}

// anonymous returns the private memory of a process, in MB.
func anonymous(b *testing.B, pid int) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Skipf("cannot read the memory of a process: %v", err)
	}
	_, rest, _ := strings.Cut(string(text), "RssAnon:")
	kilobytes, err := strconv.Atoi(strings.Fields(rest + " -")[0])
	if err != nil {
		b.Fatal(err)
	}
	return float64(kilobytes) / 1024
}

// Parameters of BenchmarkScaleListeners.
const (
	boards    = 500
	listeners = 10_000
	snapshot  = 3 << 20
	polled    = 15 * time.Second
)

// BenchmarkScaleListeners has 10,000 listeners on 500 departure boards, while a realtime source of
// 3 MB has new data every 15 seconds. It measures the time from the source's answer to the poller
// until the listeners receive the data, and the memory per listener in the API. The listeners are
// in this process, on the same cores as the API.
//
//	go test -run - -bench ScaleListeners -benchtime 4x ./services/townline
func BenchmarkScaleListeners(b *testing.B) {
	source, f, stops := boardsOfFleet(b)
	addr := freeAddress(b)
	api := f.service("transit-api", addr, fmt.Sprintf("TRANSIT_STREAMS=%d", 2*listeners))
	f.service("rt-poller", "")
	eventually(b, func() error {
		return answers("http://" + addr + "/gtfs/api/v2/rt/predictions/" + stops[0] + "?feed=bench")
	})

	ctx, stop := context.WithCancel(b.Context())
	var all errgroup.Group
	heard := &tally{}
	join := func(from, to int) {
		gate := make(chan struct{}, 64) // bounds concurrent connects
		for i := from; i < to; i++ {
			gate <- struct{}{}
			in := sync.OnceFunc(func() { <-gate })
			all.Go(func() error {
				defer in()
				return listenTo(ctx, addr, "/gtfs/api/v2/rt/predictions/"+url.PathEscape(stops[i%len(stops)])+"?feed=bench",
					func(fetched int64) {
						in()
						heard.note(fetched, time.Now())
					})
			})
		}
		for range cap(gate) {
			gate <- struct{}{}
		}
	}
	defer func() {
		stop()
		if err := all.Wait(); err != nil {
			b.Error(err)
		}
	}()
	join(0, len(stops)) // one listener per board
	source.await(b, 2)
	before := anonymous(b, api.pid())
	join(len(stops), listeners)
	source.await(b, 1) // some listeners may still have been connecting
	heard.clear()
	for b.Loop() {
		source.await(b, 1)
	}
	source.await(b, 1) // the last message is not measured, but completes the previous one
	per := (anonymous(b, api.pid()) - before) * 1024 / float64(listeners-len(stops))
	took, polls := heard.since(source.times())
	slices.Sort(took)
	if len(took) < listeners*polls*99/100 || polls == 0 {
		b.Errorf("%d listeners received data %d times from %d messages", listeners, len(took), polls)
	}
	if len(took) == 0 {
		return
	}
	at := func(q float64) float64 { return took[int(q*float64(len(took)-1))] }
	report(b, "poll-to-listener-p50", map[string]float64{"ms": at(0.5)})
	report(b, "poll-to-listener-p99", map[string]float64{"ms": at(0.99), "at-most": 1000})
	report(b, "poll-to-listener-worst", map[string]float64{"ms": at(1)})
	report(b, "memory-per-listener", map[string]float64{"kB": per, "at-most": 40})
}

// boardsOfFleet returns a fleet without services and the stops of its boards. It has a large feed
// with a realtime source that has a new message for each poll.
func boardsOfFleet(b *testing.B) (*ticking, *fleet, []string) {
	b.Helper()
	source := &ticking{}
	server := source.serve(b)
	f := newFleet(b, fmt.Sprintf(`
access: {roles: {anonymous: [static, realtime, display]}}
feeds: [{alias: bench, realtime: [{kind: trip_updates, url: %q, min_interval: %[2]s, stale_after: %[2]s, idle_interval: %[2]s}]}]`, server, polled))
	db := open(b, f.db.URL(), pg.Options{})
	if _, err := gtfsimport.Import(b.Context(), deps(db),
		gtfsimport.Request{Alias: "bench", Source: made(b, 20_000)}); err != nil {
		b.Fatal(err)
	}
	source.message = liveMessage(b, db, snapshot)
	stops := paths(b, db, fmt.Sprintf(`SELECT stop_id FROM transit.stop_times GROUP BY stop_id
		ORDER BY md5(stop_id) LIMIT %d`, boards))
	return source, f, stops
}

// A ticking source has new data for each request.
type ticking struct {
	message func(stamp int64) []byte
	mu      sync.Mutex
	next    []byte // prepared for the next request
	began   []time.Time
	asked   atomic.Int64
}

func (s *ticking) serve(b *testing.B) string {
	b.Helper()
	ln, err := (&net.ListenConfig{}).Listen(b.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	srv := &http.Server{Handler: s}
	go func() { _ = srv.Serve(ln) }()
	b.Cleanup(func() { _ = srv.Close() })
	return "http://" + ln.Addr().String()
}

func (s *ticking) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == nil {
		s.next = s.message(time.Now().Unix())
	}
	s.began = append(s.began, time.Now())
	_, _ = w.Write(s.next)
	s.asked.Add(1)
	s.next = s.message(time.Now().Add(polled).Unix())
}

// await waits for a number of polls, and then until their data has arrived.
func (s *ticking) await(b *testing.B, polls int64) {
	b.Helper()
	for want := s.asked.Load() + polls; s.asked.Load() < want; {
		select {
		case <-b.Context().Done():
			b.Fatal(b.Context().Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (s *ticking) times() []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.began)
}

// A tally has the times at which listeners received each poll.
type tally struct {
	mu    sync.Mutex
	heard []hearing
}

type hearing struct {
	fetched int64 // Unix time of the poll, as in the answer
	at      time.Time
}

func (t *tally) note(fetched int64, at time.Time) {
	t.mu.Lock()
	t.heard = append(t.heard, hearing{fetched, at})
	t.mu.Unlock()
}

func (t *tally) clear() {
	t.mu.Lock()
	t.heard = nil
	t.mu.Unlock()
}

// since returns the delays in ms of all listeners for all polls except the first and the last, and
// the number of these polls. A listener may receive a poll again when its board advances; only the
// first time counts.
func (t *tally) since(began []time.Time) (took []float64, polls int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	counted := map[int]int{}
	for i, at := range began {
		if len(t.heard) > 0 && at.After(t.heard[0].at) && i+1 < len(began) {
			counted[i] = 0
		}
	}
	slices.SortFunc(t.heard, func(a, b hearing) int { return a.at.Compare(b.at) })
	for _, h := range t.heard {
		i := slices.IndexFunc(began, func(at time.Time) bool {
			return max(at.Unix()-h.fetched, h.fetched-at.Unix()) < int64(polled/time.Second)/2
		})
		if n, there := counted[i]; there && n < listeners {
			counted[i]++
			took = append(took, float64(h.at.Sub(began[i]).Microseconds())/1000)
		}
	}
	return took, len(counted)
}

// listenTo reads a stream until the context ends, and calls news for each new poll in its events.
func listenTo(ctx context.Context, addr, path string, news func(fetched int64)) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	defer func() { _ = conn.Close() }()
	if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: transit.example\r\nAccept: text/event-stream\r\n\r\n",
		path); err != nil {
		return err
	}
	res, err := http.ReadResponse(bufio.NewReaderSize(conn, 2048), nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", path, res.Status)
	}
	mark := []byte(`"last_fetched":`)
	var known int64
	buffer, kept := make([]byte, 2048), 0
	for {
		n, err := res.Body.Read(buffer[kept:])
		if err != nil && ctx.Err() != nil {
			return nil
		}
		text := buffer[:kept+n]
		for {
			_, rest, there := bytes.Cut(text, mark)
			digits, _, whole := bytes.Cut(rest, []byte("}"))
			if there && whole {
				if fetched, err := strconv.ParseInt(string(digits), 10, 64); err == nil && fetched != known {
					known = fetched
					news(fetched)
				}
				text = rest
				continue
			}
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		kept = copy(buffer, text[max(0, len(text)-len(mark)-20):])
	}
}

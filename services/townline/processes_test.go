package townline_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/townline/townline/pkg/pg"
)

// Whatever is killed, in whatever order, and comes back: the API answers as long as it lives itself, and the bus goes on.
func TestHealing(t *testing.T) {
	t.Parallel()
	source := &route{}
	srv := httptest.NewServer(source)
	t.Cleanup(srv.Close)
	f := newFleet(t, fmt.Sprintf(`
access: {roles: {anonymous: [realtime]}}
feeds: [{alias: metro, realtime: [{kind: vehicle_positions, url: %q, min_interval: 100ms, stale_after: 100ms, timeout: 1s}]}]`, srv.URL))
	addr := freeAddress(t)
	base := "http://" + addr
	api := f.service("transit-api", addr)
	parts := []*part{f.service("rt-poller", ""), api, f.postgres(), {name: "NATS", kill: f.nats.cut, start: func() {
		if err := f.nats.join(); err != nil {
			t.Fatal(err)
		}
	}}}
	var last float64
	moves := func(after string) {
		t.Helper()
		eventually(t, func() error {
			at, _, err := bus(t.Context(), base)
			if err == nil && at <= last {
				err = fmt.Errorf("the bus stands at %v since %s", at, after)
			}
			last = max(last, at)
			return err
		})
	}
	moves("the start")
	for _, p := range parts {
		p.kill()
		if p != api {
			for range 5 {
				if at, _, err := bus(t.Context(), base); err != nil || at < last {
					t.Errorf("without %s: %v %v", p.name, at, err)
				}
			}
		}
		p.start()
		moves(p.name + " came back")
	}
	orders := [][]int{{2, 0, 3, 1}}
	if everything() {
		orders = permutations([]int{0, 1, 2, 3})
	}
	for n, order := range orders {
		back := orders[(n*7+5)%len(orders)] // they come back in another order
		var names []string
		for _, i := range order {
			parts[i].kill()
		}
		for _, i := range back {
			// A process that finds no Postgres waits for it; the address of the one that was killed stays the same.
			parts[i].start()
			names = append(names, parts[i].name)
		}
		moves(strings.Join(names, ", ") + " came back")
	}
}

func permutations(of []int) [][]int {
	if len(of) < 2 {
		return [][]int{of}
	}
	var all [][]int
	for i, first := range of {
		for _, rest := range permutations(slices.Delete(slices.Clone(of), i, i+1)) {
			all = append(all, append([]int{first}, rest...))
		}
	}
	return all
}

// A thousand readers at three APIs, with two pollers, all in processes of their own: a stale source is asked once per min_interval,
// and not once more. While it is down, what readers get stays the same, but for its age.
func TestDemandOfProcesses(t *testing.T) {
	t.Parallel()
	if !everything() {
		t.Skip("only with TOWNLINE_EVERYTHING: TestDemand shows the same in one process")
	}
	const readers, interval, spells, outage = 1000, time.Second, 20, 30 * time.Second
	up := &upstream{}
	up.answer(http.StatusOK, updatesOf(t, "a", "b"))
	f := newFleet(t, fmt.Sprintf(`
access: {roles: {anonymous: [realtime]}}
feeds: [{alias: metro, realtime: [{kind: trip_updates, url: %q, min_interval: %s, stale_after: 1ms}]}]`, up.serve(t), interval))
	f.service("rt-poller", "")
	f.service("rt-poller", "")
	var bases []string
	for range 3 {
		addr := freeAddress(t)
		f.service("transit-api", addr)
		bases = append(bases, "http://"+addr+"/gtfs/api/v2/rt/tripupdates/1004")
	}
	for _, base := range bases {
		eventually(t, func() error {
			if status, body := requestOrNot(t, base); status != http.StatusOK || !strings.Contains(body, `"totalCount":2`) {
				return fmt.Errorf("%s: %d %s", base, status, body)
			}
			return nil
		})
	}
	read := func(lasting time.Duration, check func(body string)) (reads int64) {
		client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: readers}}
		defer client.CloseIdleConnections()
		ctx, cancel := context.WithTimeout(t.Context(), lasting)
		defer cancel()
		var g sync.WaitGroup
		var count atomic.Int64
		for r := range readers {
			g.Go(func() {
				tick := time.NewTicker(time.Second)
				defer tick.Stop()
				for ; ctx.Err() == nil; <-tick.C {
					req, err := http.NewRequestWithContext(ctx, http.MethodGet, bases[r%len(bases)]+"?_format=json", nil)
					if err != nil {
						t.Error(err)
						return
					}
					res, err := client.Do(req)
					if err != nil {
						continue // over
					}
					body, err := io.ReadAll(res.Body)
					_ = res.Body.Close()
					if res.StatusCode != http.StatusOK {
						t.Error(res.Status)
					}
					if err == nil {
						check(string(body))
						count.Add(1)
					}
				}
			})
		}
		g.Wait()
		return count.Load()
	}
	up.mu.Lock()
	up.times = nil
	up.mu.Unlock()
	start := time.Now()
	reads := read(spells*interval, func(string) {})
	took := time.Since(start)
	up.mu.Lock()
	times := slices.Clone(up.times)
	up.mu.Unlock()
	for i := 1; i < len(times); i++ {
		if gap := times[i].Sub(times[i-1]); gap < interval {
			t.Errorf("two requests within %s", gap)
		}
	}
	if n := len(times); n > int(took/interval)+1 || n < 2 {
		t.Errorf("%d requests in %s", n, took)
	}
	t.Logf("%d reads by %d readers at 3 APIs with 2 pollers in %s: %d requests to the source", reads, readers, took.Round(time.Millisecond), len(times))

	up.answer(http.StatusServiceUnavailable, []byte("<html>down</html>"))
	eventually(t, func() error {
		requestOrNot(t, bases[0])
		var n int
		if err := open(t, f.db.URL(), pg.Options{}).QueryRow(t.Context(), `SELECT failures FROM transit.source`).Scan(&n); err != nil || n == 0 {
			return fmt.Errorf("%d failures, %v", n, err)
		}
		return nil
	})
	_, before := requestOrNot(t, bases[0])
	before = before[strings.Index(before, `"last_fetched"`):]
	before0 := up.requests.Load()
	reads = read(outage, func(body string) {
		if body[strings.Index(body, `"last_fetched"`):] != before {
			t.Errorf("while the source is down: %s, want …%s", body, before)
		}
	})
	t.Logf("%d reads while the source was down for %s all gave the same data and time; it was asked %d times", reads, outage, up.requests.Load()-before0)
}

// requestOrNot is request of a process that may not be there yet.
func requestOrNot(t *testing.T, address string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"?_format=json", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err.Error()
	}
	return res.StatusCode, string(text)
}

package main

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/wait"
)

// An audience is the listeners of event streams. Like browsers, they reconnect when a stream ends.
type audience struct {
	p    *proof
	away *atomic.Bool // Postgres is down, so new streams may be refused

	mu        sync.Mutex
	seen      []map[string]bool // versions seen, by listener
	connected []bool
	cuts      int
}

// comeBack is the time before a listener reconnects.
const comeBack = time.Second

// listen runs n listeners of a path until ctx ends.
func (a *audience) listen(g *run.Group, b *pool, path string, n int) {
	for range n {
		a.mu.Lock()
		i := len(a.seen)
		a.seen = append(a.seen, map[string]bool{})
		a.connected = append(a.connected, false)
		a.mu.Unlock()
		to := b.pick()
		g.Watch(func(ctx context.Context) {
			last := ""
			for ctx.Err() == nil {
				last = a.stream(ctx, b, to, path, i, last)
				wait.For(ctx, comeBack)
			}
		})
	}
}

// stream reads one stream of a listener to its end, and returns the last version that it had.
func (a *audience) stream(ctx context.Context, b *pool, to *target, path string, i int, last string) string {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+to.address+path, nil)
	if err != nil {
		a.p.violated("%s: %v", path, err)
		return last
	}
	client := &http.Client{Transport: to.client.Transport} // the same transport without the timeout
	req.Host = strings.TrimPrefix(b.public, "https://")
	req.Header.Set("Accept", "text/event-stream")
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	away := a.away.Load()
	res, err := client.Do(req)
	if ctx.Err() != nil {
		return last
	}
	away = away || a.away.Load()
	if err != nil {
		a.p.violated("stream of %s by %s: %v", path, to.name, err)
		return last
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		if !away || res.StatusCode != http.StatusServiceUnavailable {
			a.p.violated("stream of %s by %s: %s", path, to.name, res.Status)
		}
		return last
	}
	a.note(func() { a.connected[i] = true })
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		if id, is := strings.CutPrefix(lines.Text(), "id: "); is {
			last = id
			a.note(func() { a.seen[i][id] = true })
		}
	}
	if ctx.Err() == nil {
		a.note(func() { a.connected[i] = false; a.cuts++ })
	}
	return last
}

func (a *audience) note(change func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	change()
}

// lost returns the number of disconnected listeners in a range, and of versions that only some of
// them saw.
func (a *audience) lost(from, to int) (absent, missed, versions int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := map[string]bool{}
	for i := from; i < to; i++ {
		for id := range a.seen[i] {
			all[id] = true
		}
	}
	for i := from; i < to; i++ {
		missed += len(all) - len(a.seen[i])
		if !a.connected[i] {
			absent++
		}
	}
	return absent, missed, len(all)
}

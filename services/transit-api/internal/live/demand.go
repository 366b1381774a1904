package live

import (
	"context"
	"sync"
	"time"

	"github.com/townline/townline/pkg/rest"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
)

// requestAgain is how long readers wait before one of them repeats a refresh request, which may have been lost.
const requestAgain = time.Second

// maxSkew is how far the clocks of database and API may differ. A poll beyond that in the future was dated by another clock than this
// one: it says nothing about its age.
const maxSkew = time.Minute

// due reports whether to request a refresh of the source now, and notes that it was requested. A clock that is set back, or is behind,
// does not stop requests: what is noted or fetched in the future does not count.
func (s *Source) due(now time.Time) bool {
	if s.FetchedAt != nil {
		if age := now.Sub(*s.FetchedAt); age >= -maxSkew && age <= s.StaleAfter {
			return false
		}
	}
	last := s.requested.Load()
	if since := time.Duration(now.UnixNano() - last); since.Abs() < requestAgain {
		return false
	}
	return s.requested.CompareAndSwap(last, now.UnixNano())
}

// request publishes refresh requests for the stale sources of a view. Readers do not wait for it. Many readers at
// once cause one request.
func (l *Live) request(ctx context.Context, v *View, now time.Time) {
	for _, s := range v.all {
		if s.due(now) {
			l.bus.Publish(ctx, &eventsv1.RefreshSource{Alias: s.Alias, Source: s.Source})
		}
	}
}

// RequestStale requests stale sources on behalf of streams, which read only when there is news. Run calls it after each refresh.
func (l *Live) RequestStale(ctx context.Context, now time.Time) {
	m := l.now.Load()
	if m == nil || !l.news.awaited(now) {
		return
	}
	for _, views := range m.views {
		for _, v := range views {
			if v.read.Load() {
				l.request(ctx, v, now)
			}
		}
	}
}

// awaitedFor is how long a stream that waits for news is treated as a reader. Each heartbeat renews it.
const awaitedFor = 2 * rest.Heartbeat

// News reports changes to streams.
type News struct {
	mu     sync.Mutex
	ch     chan struct{}
	waited time.Time // when a stream last began to wait for the next change; zero: never
}

// NewNews makes a News without waiting streams.
func NewNews() *News { return &News{ch: make(chan struct{})} }

// Changed returns a channel that is closed at the next change.
func (n *News) Changed() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.waited = time.Now()
	return n.ch
}

// awaited reports whether a stream waits for the next change.
func (n *News) awaited(now time.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return now.Sub(n.waited) < awaitedFor
}

// Tell wakes all streams that wait for a change.
func (n *News) Tell() {
	n.mu.Lock()
	defer n.mu.Unlock()
	close(n.ch)
	n.ch, n.waited = make(chan struct{}), time.Time{}
}

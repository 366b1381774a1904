package transitapi

import (
	"context"
	"sync"
	"time"

	"github.com/townline/townline/pkg/rest"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
)

// This file asks for sources that are stale: when somebody reads, and as long as a stream waits for what is new.

// askAgain is how long a request to refresh a source stands before the next reader repeats it; it may have been lost.
const askAgain = time.Second

// listenFor is how long a stream that waits for news counts as somebody who looks; at each heartbeat it says that it still does.
const listenFor = 2 * rest.Heartbeat

// demand asks for those sources of a view that are stale. Readers do not wait for it, and of many who ask at once one is heard.
func (l *live) demand(ctx context.Context, v *view, now time.Time) {
	for _, s := range v.sources {
		if s.FetchedAt != nil && now.Sub(*s.FetchedAt) <= s.StaleAfter {
			continue
		}
		last := s.asked.Load()
		if now.UnixNano()-last < int64(askAgain) || !s.asked.CompareAndSwap(last, now.UnixNano()) {
			continue
		}
		l.bus.Publish(ctx, &eventsv1.RefreshSource{Alias: s.Alias, Source: s.Source})
	}
}

// attend asks for what is stale in the name of streams: they read when there is news only, and it is them whom news is for.
func (l *live) attend(ctx context.Context, now time.Time) {
	m := l.now.Load()
	if m == nil || !l.news.awaited(now) {
		return
	}
	for _, views := range m.views {
		for _, v := range views {
			if v.read.Load() {
				l.demand(ctx, v, now)
			}
		}
	}
}

// news tells streams that something has changed.
type news struct {
	mu     sync.Mutex
	ch     chan struct{}
	waited time.Time // when somebody last said that he waits for the next change; zero: nobody does
}

func newNews() *news { return &news{ch: make(chan struct{})} }

// changed is closed at the next change.
func (n *news) changed() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.waited = time.Now()
	return n.ch
}

// awaited tells whether somebody waits for the next change.
func (n *news) awaited(now time.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return now.Sub(n.waited) < listenFor
}

func (n *news) tell() {
	n.mu.Lock()
	defer n.mu.Unlock()
	close(n.ch)
	n.ch, n.waited = make(chan struct{}), time.Time{}
}

package live

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/pkg/rest"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
)

// requestAgain is how long readers wait before one of them repeats a refresh request, which may
// have been lost.
const requestAgain = time.Second

// maxSkew is how far the clocks of database and API may differ. A poll beyond that in the future
// was dated by another clock than this one: it says nothing about its age.
const maxSkew = time.Minute

// due reports whether to request a refresh of the source now, and notes that it was requested. A
// clock that is set back, or is behind, does not stop requests: what is noted or fetched in the
// future does not count.
func (s *SourceState) due(now time.Time) bool {
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

// request publishes refresh requests for the stale sources of a view. Readers do not wait for it.
// Many readers at once cause one request.
func (l *Live) request(ctx context.Context, v *View, now time.Time) {
	for _, s := range v.all {
		if s.due(now) {
			l.bus.Publish(ctx, &eventsv1.RefreshSource{Alias: s.Alias, Source: s.Source})
		}
	}
}

// RequestStale requests stale sources on behalf of streams, which read only when there is news. Run
// calls it after each refresh.
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

// awaitedFor is how long a stream that waits for news is treated as a reader. Each heartbeat renews
// it.
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

// How long the word of a source holds.
const (
	// wordHolds is how long after the last poll that succeeded: predictions that are older do harm. A
	// source that may be stale for longer is believed twice as long as that.
	wordHolds = 3 * time.Minute
	// stampHolds is how long after the time that the message itself gives; some feeds change it with
	// their content only.
	stampHolds = 10 * time.Minute
)

// A RealtimeState is what is known of the sources of a view.
type RealtimeState string

// The states: no source is configured; none was ever polled with success; the last word of each is
// too old; at least one speaks.
const (
	StateNone   RealtimeState = "none"
	StateNever  RealtimeState = "never"
	StateSilent RealtimeState = "silent"
	StateLive   RealtimeState = "live"
)

// Values lists the states.
func (RealtimeState) Values() []string {
	return []string{string(StateNone), string(StateNever), string(StateSilent), string(StateLive)}
}

func (s *SourceState) silent(now time.Time) bool { return now.After(s.holds()) }

// holds is until when the last word of a source may be passed on; zero when it never spoke.
func (s *SourceState) holds() time.Time {
	if s.FetchedAt == nil || s.Snapshot == nil {
		return time.Time{}
	}
	until := s.FetchedAt.Add(max(wordHolds, 2*s.StaleAfter))
	if at := stampOf(s.Message); at != 0 {
		if made := time.Unix(at, 0).Add(max(stampHolds, 2*s.StaleAfter)); made.Before(until) {
			return made
		}
	}
	return until
}

// Until is when the state changes by the clock alone, from live to silent; zero when only news
// changes it.
func (v *View) Until(now time.Time) (until time.Time) {
	for _, s := range v.Sources {
		if at := s.holds().Add(time.Millisecond); at.After(now) && at.After(until) {
			until = at
		}
	}
	return until
}

// stampOf is when the feed made a message, by its own word; 0 when it says nothing.
func stampOf(m *gtfsrt.Message) int64 { return gtfsrt.Seconds(int64(min(m.Timestamp, math.MaxInt64))) }

// Fresh is the view without sources that are silent.
func (v *View) Fresh(now time.Time) *View {
	fresh := &View{Generation: v.Generation, LastFetched: v.LastFetched}
	for _, s := range v.Sources {
		if !s.silent(now) {
			fresh.Sources = append(fresh.Sources, s)
		}
	}
	return fresh
}

// State is what is known of the sources, and the oldest timestamp of their messages; 0 when none
// gives one.
func (v *View) State(now time.Time) (state RealtimeState, timestamp int64) {
	switch {
	case len(v.all) == 0:
		return StateNone, 0
	case v.LastFetched == 0:
		return StateNever, 0
	}
	state = StateSilent
	for _, s := range v.Sources {
		if at := stampOf(s.Message); at != 0 && (timestamp == 0 || at < timestamp) {
			timestamp = at
		}
		if !s.silent(now) {
			state = StateLive
		}
	}
	return state, timestamp
}

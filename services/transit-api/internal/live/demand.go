package live

import (
	"context"
	"iter"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/pkg/rest"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
)

// requestAgain is the time after which a refresh request is repeated, because it may have been
// lost.
const requestAgain = time.Second

// maxSkew is how far the clocks of database and API may differ. If a poll is further in the future,
// its age is unknown.
const maxSkew = time.Minute

// coldFor is Live.ColdFor outside of tests.
const coldFor = 1500 * time.Millisecond

// A demand has the requests for polls of a source. All states of the source share it.
type demand struct {
	requested atomic.Int64 // when a refresh was last requested, in Unix nanoseconds
	mu        sync.Mutex
	asked     time.Time // last request of a client
	cold      time.Time // when clients began to wait for the poll after the one at polled
	polled    time.Time
}

// isStale reports whether the source was not polled for longer than its stale_after. It ignores
// times in the future, so that requests continue after a clock was set back.
func (s *SourceState) isStale(now time.Time) bool {
	if s.FetchedAt == nil {
		return true
	}
	age := now.Sub(*s.FetchedAt)
	return age < -maxSkew || age > s.StaleAfter
}

// polled returns the time of the last successful poll; zero if there was none.
func (s *SourceState) polled() time.Time {
	if s.FetchedAt == nil {
		return time.Time{}
	}
	return *s.FetchedAt
}

// isDue reports whether to request a refresh of the source now, and records the request.
func (s *SourceState) isDue(now time.Time) bool {
	if !s.isStale(now) {
		return false
	}
	last := s.demand.requested.Load()
	if since := time.Duration(now.UnixNano() - last); since.Abs() < requestAgain {
		return false
	}
	return s.demand.requested.CompareAndSwap(last, now.UnixNano())
}

// awaited returns until when a client waits for the poll of the source. Clients wait for a time after
// the first of them, so that a source that does not answer delays the first ones only. Nobody waits
// for a poll that min_interval does not allow yet.
func (s *SourceState) awaited(now time.Time, most time.Duration) (until time.Time) {
	d, polled := s.demand, s.polled()
	d.mu.Lock()
	defer d.mu.Unlock()
	quiet := now.Sub(d.asked) > s.StaleAfter
	d.asked = now
	if !s.isStale(now) {
		return until
	}
	if quiet || !d.polled.Equal(polled) || d.cold.IsZero() {
		d.cold, d.polled = now, polled
	}
	until = d.cold.Add(most)
	if s.FetchedAt != nil && polled.Add(s.MinInterval).After(until) {
		return time.Time{}
	}
	return until
}

// request publishes refresh requests for the stale sources of a view. One request is for many
// readers.
func (l *Live) request(ctx context.Context, v *View, now time.Time) {
	for _, s := range v.all {
		if s.isDue(now) {
			l.bus.Publish(ctx, &eventsv1.RefreshSource{Alias: s.Alias, Source: s.Source})
		}
	}
}

// Await requests polls of the stale sources of feeds, and waits until each was polled once, or for
// ColdFor. Clients call it before they read, for all that they read at once. Without NATS it does
// not wait, because nothing can be requested, nor does a stream with news of another source.
func (l *Live) Await(ctx context.Context, aliases []string, kinds ...string) {
	m, now := l.now.Load(), time.Now()
	until := time.Time{}
	if m.number == 0 {
		until = now.Add(l.ColdFor)
	}
	polled := map[*demand]time.Time{} // the last polls of the sources that the client waits for
	for v := range m.of(aliases, kinds) {
		v.read.Store(m.number)
		l.request(ctx, v, now)
		for _, s := range v.all {
			at := s.awaited(now, l.ColdFor)
			if at.After(now) {
				polled[s.demand] = s.polled()
			}
			if at.After(until) {
				until = at
			}
		}
	}
	if !until.After(now) || rest.IsLaterAnswer(ctx) || l.bus.Check(ctx) != nil {
		return
	}
	end := time.NewTimer(until.Sub(now))
	defer end.Stop()
	for m.awaits(polled, aliases, kinds) {
		select {
		case <-m.replaced:
		case <-end.C:
			return
		case <-ctx.Done():
			return
		}
		m = l.now.Load()
	}
}

// of yields the views of feeds and kinds. An alias "" stands for all feeds.
func (m *moment) of(aliases, kinds []string) iter.Seq[*View] {
	return func(yield func(*View) bool) {
		for _, alias := range aliases {
			for _, kind := range kinds {
				if v := m.views[alias][kind]; v != nil && !yield(v) {
					return
				}
			}
		}
	}
}

// awaits reports whether a source was not polled since polled was read, or nothing was read yet. A
// poll ends the wait even if the source is stale again by now.
func (m *moment) awaits(polled map[*demand]time.Time, aliases, kinds []string) bool {
	for v := range m.of(aliases, kinds) {
		if slices.ContainsFunc(v.all, func(s *SourceState) bool {
			before, waited := polled[s.demand]
			return waited && s.polled().Equal(before)
		}) {
			return true
		}
	}
	return m.number == 0
}

// RequestStale requests refreshes on behalf of streams, which read only after a change. Run calls
// it after each refresh.
func (l *Live) RequestStale(ctx context.Context, now time.Time) {
	m := l.now.Load()
	if !l.news.hasReaders(now) {
		return
	}
	for _, views := range m.views {
		for _, v := range views {
			if v.read.Load() == m.number && m.number > 0 {
				l.request(ctx, v, now)
			}
		}
	}
}

// awaitedFor is how long a waiting stream counts as a reader. Each heartbeat renews it.
const awaitedFor = 2 * rest.Heartbeat

// News notifies streams of changes.
type News struct {
	mu     sync.Mutex
	ch     chan struct{}
	waited time.Time // when a stream last began to wait for the next change; zero means never
}

func NewNews() *News { return &News{ch: make(chan struct{})} }

// Changed returns a channel that is closed at the next change.
func (n *News) Changed() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.waited = time.Now()
	return n.ch
}

// hasReaders reports whether a stream waits for the next change.
func (n *News) hasReaders(now time.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return now.Sub(n.waited) < awaitedFor
}

// Notify wakes all streams that wait for a change.
func (n *News) Notify() {
	n.mu.Lock()
	defer n.mu.Unlock()
	close(n.ch)
	n.ch, n.waited = make(chan struct{}), time.Time{}
}

// How long a message is served. If twice stale_after is longer, that counts instead.
const (
	// maxPollAge bounds the time since the last successful poll: older predictions do harm.
	maxPollAge = 3 * time.Minute
	// maxMessageAge bounds the age by the message's own timestamp, which some feeds update only
	// when their content changes.
	maxMessageAge = 10 * time.Minute
)

// A RealtimeState is the state of the sources of a view.
type RealtimeState string

const (
	StateNone   RealtimeState = "none"   // no source is configured
	StateNever  RealtimeState = "never"  // no poll has succeeded yet
	StateSilent RealtimeState = "silent" // all messages are too old
	StateLive   RealtimeState = "live"
)

// Values lists the states.
func (RealtimeState) Values() []string {
	return []string{string(StateNone), string(StateNever), string(StateSilent), string(StateLive)}
}

func (s *SourceState) isSilent(now time.Time) bool { return now.After(s.validUntil()) }

// validUntil returns until when the last message may be served; zero if there is no message.
func (s *SourceState) validUntil() time.Time {
	if s.FetchedAt == nil || s.Snapshot == nil {
		return time.Time{}
	}
	until := s.FetchedAt.Add(max(maxPollAge, 2*s.StaleAfter))
	if at := timestampOf(s.Message); at != 0 {
		if made := time.Unix(at, 0).Add(max(maxMessageAge, 2*s.StaleAfter)); made.Before(until) {
			return made
		}
	}
	return until
}

// Until returns when the state becomes silent without a change; zero if it does not.
func (v *View) Until(now time.Time) (until time.Time) {
	for _, s := range v.Sources {
		if at := s.validUntil().Add(time.Millisecond); at.After(now) && at.After(until) {
			until = at
		}
	}
	return until
}

func timestampOf(m *gtfsrt.Message) int64 {
	return gtfsrt.Seconds(int64(min(m.Timestamp, math.MaxInt64)))
}

// Fresh returns the view without silent sources.
func (v *View) Fresh(now time.Time) *View {
	return v.keep(func(s *SourceState) bool { return !s.isSilent(now) })
}

// PolledBy returns the view without sources that were polled long after an instant, because their
// messages are about another time.
func (v *View) PolledBy(at time.Time) *View {
	return v.keep(func(s *SourceState) bool { return !s.FetchedAt.After(at.Add(maxMessageAge)) })
}

func (v *View) keep(wanted func(*SourceState) bool) *View {
	kept := &View{Generation: v.Generation, LastFetched: v.LastFetched}
	for _, s := range v.Sources {
		if wanted(s) {
			kept.Sources = append(kept.Sources, s)
		}
	}
	return kept
}

// State returns the state of the sources, and the oldest timestamp of their messages; 0 if none has
// a timestamp.
func (v *View) State(now time.Time) (state RealtimeState, timestamp int64) {
	switch {
	case len(v.all) == 0:
		return StateNone, 0
	case v.LastFetched == 0:
		return StateNever, 0
	}
	state = StateSilent
	for _, s := range v.Sources {
		if at := timestampOf(s.Message); at != 0 && (timestamp == 0 || at < timestamp) {
			timestamp = at
		}
		if !s.isSilent(now) {
			state = StateLive
		}
	}
	return state, timestamp
}

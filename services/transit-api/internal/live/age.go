package live

import (
	"math"
	"time"

	"github.com/townline/townline/pkg/gtfsrt"
)

// How long the word of a source holds.
const (
	// wordHolds is how long after the last poll that succeeded: predictions that are older do harm. A source that may be stale for
	// longer is believed twice as long as that.
	wordHolds = 3 * time.Minute
	// stampHolds is how long after the time that the message itself gives; some feeds change it with their content only.
	stampHolds = 10 * time.Minute
)

// A RealtimeState is what is known of the sources of a view.
type RealtimeState string

// The states: no source is configured; none was ever polled with success; the last word of each is too old; at least one speaks.
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

// silent reports whether the last word of a source is too old to be passed on.
func (s *Source) silent(now time.Time) bool { return now.After(s.holds()) }

// holds is until when the last word of a source may be passed on; zero when it never spoke.
func (s *Source) holds() time.Time {
	if s.FetchedAt == nil || s.Snapshot == nil {
		return time.Time{}
	}
	until := s.FetchedAt.Add(max(wordHolds, 2*s.StaleAfter))
	if at := s.timestamp(); at != 0 {
		if made := time.Unix(at, 0).Add(max(stampHolds, 2*s.StaleAfter)); made.Before(until) {
			return made
		}
	}
	return until
}

// Until is when the state changes by the clock alone, from live to silent; zero when only news changes it.
func (v *View) Until(now time.Time) (until time.Time) {
	for _, s := range v.Sources {
		if at := s.holds().Add(time.Millisecond); at.After(now) && at.After(until) {
			until = at
		}
	}
	return until
}

// timestamp is when the feed made the message, by its own word; 0 when it says nothing.
func (s *Source) timestamp() int64 {
	return gtfsrt.Seconds(int64(min(s.Message.Timestamp, math.MaxInt64)))
}

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

// State is what is known of the sources, and the oldest timestamp of their messages; 0 when none gives one.
func (v *View) State(now time.Time) (state RealtimeState, timestamp int64) {
	switch {
	case len(v.all) == 0:
		return StateNone, 0
	case v.LastFetched == 0:
		return StateNever, 0
	}
	state = StateSilent
	for _, s := range v.Sources {
		if at := s.timestamp(); at != 0 && (timestamp == 0 || at < timestamp) {
			timestamp = at
		}
		if !s.silent(now) {
			state = StateLive
		}
	}
	return state, timestamp
}

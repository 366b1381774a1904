package pg

import "time"

// Patience is how long the database must return an earlier state before it is accepted. This
// happens after a restore, or a failover that lost commits. A replica that lags longer than
// Patience is also accepted; it also lacks the rows of the later state.
const Patience = 30 * time.Second

// A State is a counter of changes with the time of the last one. After a restore the counter
// repeats, but the time differs.
type State struct {
	Counter int64
	Time    time.Time
}

// IsBefore reports whether a state is earlier than another.
func (s State) IsBefore(other State) bool {
	return s.Counter < other.Counter || s.Counter == other.Counter && s.Time.Before(other.Time)
}

// A Rewind delays the acceptance of a state that is earlier than a state seen before. A lagging
// replica returns such states for a moment, a restored database for good.
type Rewind struct{ since time.Time }

// Pending reports whether an earlier state waits to be accepted.
func (r *Rewind) Pending() bool { return !r.since.IsZero() }

// Accept reports whether to accept a state. It accepts a later state at once, and an earlier state
// if no later state was seen for [Patience].
func (r *Rewind) Accept(earlier bool, now time.Time) bool {
	switch {
	case !earlier:
		r.since = time.Time{}
		return true
	case r.since.IsZero():
		r.since = now
	case now.Sub(r.since) >= Patience:
		r.since = time.Time{}
		return true
	}
	return false
}

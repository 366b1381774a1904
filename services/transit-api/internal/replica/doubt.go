package replica

import (
	"time"
)

// Patience is how long the database must return an earlier state before it is accepted. A replica that lags
// returns one too; if it lags longer than this, it does not have the rows of the later state either, so going back
// is right. A restored database returns it from then on.
const Patience = 30 * time.Second

// A Doubt holds back a state of the database that is earlier than one already seen.
type Doubt struct{ since time.Time }

// Pending reports whether an earlier state waits to be accepted.
func (d *Doubt) Pending() bool { return !d.since.IsZero() }

// Believe reports whether to accept a state. It accepts a state that is not earlier at once, and an earlier one if no
// later state was seen for [Patience].
func (d *Doubt) Believe(earlier bool, now time.Time) bool {
	switch {
	case !earlier:
		d.since = time.Time{}
		return true
	case d.since.IsZero():
		d.since = now
	case now.Sub(d.since) >= Patience:
		d.since = time.Time{}
		return true
	}
	return false
}

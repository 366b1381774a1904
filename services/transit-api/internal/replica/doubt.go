package replica

import (
	"time"
)

// Patience is how long the database must report an earlier state before it is believed. A replica
// that lags reports one too; one that lags longer has not got the rows of the later state either, so going back
// is right then. A database that was restored reports it for good.
const Patience = 30 * time.Second

// A Doubt is about a state of the database that is earlier than one already seen.
type Doubt struct{ since time.Time }

// Pending reports whether an earlier state waits to be believed.
func (d *Doubt) Pending() bool { return !d.since.IsZero() }

// Believe reports whether to accept a state: one that is not earlier at once, an earlier one when nothing has
// contradicted it for [Patience].
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

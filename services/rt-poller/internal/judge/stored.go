package judge

import "github.com/townline/townline/pkg/gtfsrt"

// Calls are the stop time updates of a message. They are decoded when the message is checked, and
// wait to be judged in half the memory of [gtfsrt.Call].
type Calls struct {
	updates [][]storedCall // by trip update; nil if there are more than MaxCalls
	stops   []byte         // all stop_ids, one after another
	count   int
}

// MaxCalls bounds the calls of a message that is judged: ten times those of a large agency.
const MaxCalls = 600_000

type storedCall struct {
	Arrival, Departure gtfsrt.Event
	Sequence           int64  // -1 if absent
	stopFrom, stopTo   uint32 // of the stop_id in Calls.stops
	hasStop            bool
	hasRelationship    bool
	skipped, noData    bool // values of schedule_relationship
}

const callBytes = 56

// Add adds the calls of the next trip update.
func (c *Calls) Add(calls []gtfsrt.Call) {
	c.count += len(calls)
	if c.AreTooMany() {
		c.updates, c.stops = nil, nil
		return
	}
	stored := make([]storedCall, len(calls))
	for i := range calls {
		of := &calls[i]
		from := len(c.stops)
		c.stops = append(c.stops, of.StopID...)
		stored[i] = storedCall{of.Arrival, of.Departure, of.Sequence, uint32(from), uint32(len(c.stops)), of.StopID != nil,
			of.HasRelationship, of.Relationship == skipped, of.Relationship == noData}
	}
	c.updates = append(c.updates, stored)
}

// AreTooMany reports whether the message cannot be judged.
func (c *Calls) AreTooMany() bool { return c.count > MaxCalls }

// Bytes returns the memory of the calls.
func (c *Calls) Bytes() int { return callBytes*c.count + len(c.stops) }

func (c *Calls) stopID(of *storedCall) []byte { return c.stops[of.stopFrom:of.stopTo] }

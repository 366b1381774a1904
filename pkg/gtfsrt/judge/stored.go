package judge

import "github.com/townline/townline/pkg/gtfsrt"

// Calls are the stop time updates of a message. They are decoded when the message is checked, and
// stored in half the memory of [gtfsrt.Call] until they are judged.
type Calls struct {
	all   []storedCall // empty if there are more than MaxCalls
	stops []byte       // all stop_ids, concatenated
	count int
	room  int // estimated number of calls, to allocate all once
}

// MaxCalls bounds the calls of a message that is judged. It is ten times the number in messages of
// a large agency.
const MaxCalls = 600_000

type storedCall struct {
	Arrival, Departure gtfsrt.Event
	Sequence           int64  // -1 if absent
	stopFrom, stopTo   uint32 // range of the stop_id in Calls.stops
	hasStop            bool
	hasRelationship    bool
	skipped, noData    bool // values of schedule_relationship
}

const (
	callBytes    = 56
	bytesPerCall = 30 // in messages of real agencies
)

// NewCalls returns empty Calls for a message of a size in bytes.
func NewCalls(bytes int) Calls { return Calls{room: min(bytes/bytesPerCall, MaxCalls)} }

// Add adds a call. Beyond MaxCalls it only counts.
func (c *Calls) Add(of gtfsrt.Call) {
	if c.count == 0 {
		c.all = make([]storedCall, 0, c.room)
	}
	c.count++
	if c.AreTooMany() {
		c.all, c.stops = nil, nil
		return
	}
	from := uint32(len(c.stops))
	c.stops = append(c.stops, of.StopID...)
	c.all = append(c.all, storedCall{of.Arrival, of.Departure, of.Sequence, from, uint32(len(c.stops)), of.StopID != nil,
		of.HasRelationship, of.Relationship == skipped, of.Relationship == noData})
}

// AreTooMany reports whether the message cannot be judged.
func (c *Calls) AreTooMany() bool { return c.count > MaxCalls }

// Bytes returns the memory of the calls.
func (c *Calls) Bytes() int { return callBytes*c.count + len(c.stops) }

func (c *Calls) stopID(of *storedCall) []byte { return c.stops[of.stopFrom:of.stopTo] }

package judge

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/pkg/lang"
)

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
	c.all = append(c.all, storedCall{Arrival: of.Arrival, Departure: of.Departure, Sequence: of.Sequence,
		stopFrom: from, stopTo: uint32(len(c.stops)), hasStop: of.StopID != nil,
		hasRelationship: of.HasRelationship, skipped: of.Relationship == skipped, noData: of.Relationship == noData})
}

// AreTooMany reports whether the message cannot be judged.
func (c *Calls) AreTooMany() bool { return c.count > MaxCalls }

// Bytes returns the memory of the calls.
func (c *Calls) Bytes() int { return callBytes*c.count + len(c.stops) }

// Append appends the calls from an index to before another to all. They have no assigned stop. There
// are none if AreTooMany.
func (c *Calls) Append(all []gtfsrt.Call, from, to int) []gtfsrt.Call {
	n := len(all)
	all = slices.Grow(all, to-from)[:n+to-from]
	clear(all[n:])
	for i := from; i < to; i++ {
		c.read(i, &all[n+i-from])
	}
	return all
}

// read fills in an empty call.
func (c *Calls) read(i int, call *gtfsrt.Call) {
	of := &c.all[i]
	call.Arrival, call.Departure = of.Arrival, of.Departure
	call.HasRelationship = of.hasRelationship
	call.Sequence = of.Sequence
	if of.hasStop {
		call.StopID = c.stopID(of)
	}
	switch {
	case of.skipped:
		call.Relationship = skipped
	case of.noData:
		call.Relationship = noData
	}
}

func (c *Calls) stopID(of *storedCall) []byte { return c.stops[of.stopFrom:of.stopTo] }

type update struct {
	tripped
	calls int
}

var updateRules = []rule[*update]{
	{code: "E041", broken: func(u *update) bool {
		r := u.Relationship
		return u.calls == 0 && r != canceled && r != deleted && r != duplicated
	}},
	{code: "E047", broken: func(u *update) bool {
		return len(u.vehicleID) > 0 && u.anyPairs(func(o *Pairs) bool {
			return o.vehicles.contradicts(u.TripID, u.vehicleID)
		})
	}},
	{code: "W003", broken: func(u *update) bool {
		return u.twoKinds && len(u.vehicleID) > 0 && !u.anyPairs(func(o *Pairs) bool {
			_, found := o.fleet[string(u.vehicleID)]
			return found
		})
	}},
}

// A call is a stop time update and its position in the trip.
type call struct {
	*update
	*storedCall
	stopID               []byte
	before               *storedCall // nil for the first call
	stopBefore           []byte
	index                int   // index in the pattern; -1 if unknown
	latest               int64 // highest stop_sequence so far
	reached              int64 // latest time of the previous calls
	at                   *stop // stop in the timetable
	unsorted, unnumbered bool  // a stop_sequence is not higher than all previous ones; one is missing
	unmarked             bool  // a schedule_relationship is missing
}

func (c *call) place() string {
	var parts []string
	if c.Sequence >= 0 {
		parts = append(parts, fmt.Sprintf("stop_sequence %d", c.Sequence))
	}
	if c.hasStop {
		parts = append(parts, "stop_id "+string(c.stopID))
	}
	return strings.Join(parts, ", ")
}

// broken counts a call that breaks a rule. value formats the call for an example.
func (c *call) broken(code Code, value func(*call) string) {
	c.add(code, func() Example {
		e := c.example()
		e.Value = value(c)
		return e
	})
}

// differs is like broken, for values with words.
func (c *call) differs(code Code, fields func(*call) lang.Fields) {
	c.add(code, func() Example {
		e := c.example()
		e.Fields = fields(c)
		return e
	})
}

func (c *call) next(to *storedCall, stopID []byte) {
	c.before, c.stopBefore = c.storedCall, c.stopID
	if c.before != nil {
		c.reached = max(c.reached, c.before.Arrival.Time, c.before.Departure.Time)
	}
	c.storedCall, c.stopID = to, stopID
	c.at = nil
	c.unnumbered = c.unnumbered || to.Sequence < 0
	c.unmarked = c.unmarked || !to.hasRelationship
	sequence := to.Sequence
	var p *pattern
	if c.fact != nil {
		p = c.fact.calls
	}
	switch {
	case p == nil:
	case sequence >= 0:
		c.index = p.index(sequence, c.index+1)
	default:
		c.index = p.find(stopID, c.index)
		if c.index >= 0 {
			sequence = int64(p.sequences[c.index])
		}
	}
	if p != nil && c.index >= 0 {
		c.at = p.stops[c.index]
	}
	if sequence >= 0 {
		c.unsorted = c.unsorted || sequence <= c.latest
		c.latest = sequence
	}
}

// find returns the index of the first call at a stop after an index or, if there is none, of the
// first call before it; -1 if the pattern does not call there.
func (p *pattern) find(stopID []byte, after int) int {
	is := func(s *stop) bool { return s != nil && s.ID == string(stopID) }
	if i := slices.IndexFunc(p.stops[after+1:], is); i >= 0 {
		return after + 1 + i
	}
	return slices.IndexFunc(p.stops, is)
}

// isUntimed reports whether an event has only a delay and the timetable has no time for it.
func (c *call) isUntimed(e *gtfsrt.Event) bool {
	if !e.HasDelay || e.HasTime || c.index < 0 {
		return false
	}
	_, found := slices.BinarySearch(c.fact.Untimed, int32(c.index))
	return found
}

func isBadTime(e *gtfsrt.Event) bool {
	return e.HasTime && (e.Scaled || e.Time < firstPOSIX || e.Time > lastPOSIX)
}

func isValueless(e *gtfsrt.Event) bool { return e.Present && !e.HasTime && !e.HasDelay }

func (c *call) timesText() string {
	return fmt.Sprintf("%s: arrival %d, departure %d", c.place(), c.Arrival.Time, c.Departure.Time)
}

// judge applies the rules about single calls. They are code, not a table, because messages have a
// hundred thousand calls.
func (c *call) judge() {
	arrival, departure := &c.Arrival, &c.Departure
	if isBadTime(arrival) || isBadTime(departure) {
		c.broken("E001", (*call).timesText)
	}
	if arrival.HasTime && arrival.Time <= c.reached || departure.HasTime && departure.Time <= c.reached {
		c.differs("E022", func(c *call) lang.Fields {
			return lang.Fields{"times": c.timesText(), "before": strconv.FormatInt(c.reached, 10)}
		})
	}
	if arrival.HasTime && departure.HasTime && departure.Time < arrival.Time {
		c.broken("E025", (*call).timesText)
	}
	if c.before != nil && c.Sequence >= 0 && c.Sequence == c.before.Sequence {
		c.broken("E036", (*call).place)
	}
	if len(c.stopID) > 0 && string(c.stopID) == string(c.stopBefore) {
		c.broken("E037", (*call).place)
	}
	if c.Sequence < 0 && !c.hasStop {
		c.broken("E040", (*call).place)
	}
	if c.noData && (arrival.Present || departure.Present) {
		c.broken("E042", (*call).place)
	}
	if !c.noData && !c.skipped && !arrival.Present && !departure.Present {
		c.broken("E043", (*call).place)
	}
	if !c.skipped && (isValueless(arrival) || isValueless(departure)) {
		c.broken("E044", (*call).place)
	}
	if c.at != nil && c.Sequence >= 0 && c.hasStop && c.at.ID != string(c.stopID) {
		c.differs("E045", func(c *call) lang.Fields { return lang.Fields{"place": c.place(), "expected": c.at.ID} })
	}
	if c.isUntimed(arrival) || c.isUntimed(departure) {
		c.broken("E046", (*call).place)
	}
	if c.Sequence >= 0 && c.index < 0 && c.fact != nil && c.fact.calls != nil {
		c.broken("E051", (*call).place)
	}
}

// judgeAll applies the rules about all calls of an update. It runs after the last call.
func (c *call) judgeAll() {
	if c.unsorted {
		c.add("E002", c.example)
	}
	if c.unnumbered && c.fact != nil && c.fact.calls != nil && c.fact.calls.twice {
		c.add("E009", c.example)
	}
	if c.unmarked {
		c.add("W009", func() Example {
			e := c.example()
			e.Value = "stop_time_update"
			return e
		})
	}
}

package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/gtfsrt"
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
	{Rule{"E041", "A trip update has no stop time updates, and the trip is not cancelled.",
		"Add the next stops, or leave out the trip update."},
		func(u *update) bool {
			r := u.Relationship
			return u.calls == 0 && r != canceled && r != deleted && r != duplicated
		}, nil},
	{Rule{Code: "E047"}, func(u *update) bool {
		return len(u.vehicleID) > 0 && u.anyPairs(func(o *Pairs) bool {
			return o.vehicles.contradicts(u.TripID, u.vehicleID)
		})
	}, nil},
	{Rule{Code: "W003"}, func(u *update) bool {
		return u.twoKinds && len(u.vehicleID) > 0 && !u.anyPairs(func(o *Pairs) bool {
			_, found := o.fleet[string(u.vehicleID)]
			return found
		})
	}, nil},
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
func (c *call) broken(code string, value func(*call) string) {
	c.add(code, func() Example {
		e := c.example()
		e.Value = value(c)
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

// callRules are the rules that judge and judgeAll apply.
var callRules = []Rule{
	{"E002", "The stop time updates of a trip are not in the order of its stops.",
		"Sort them by increasing stop_sequence."},
	{"E009", "The trip calls at a stop twice, and a stop time update has no stop_sequence.",
		"Fill in stop_sequence, so that it is clear which of the two calls is meant."},
	{"E022", "The times of a trip do not increase from stop to stop.",
		"Correct the predictions: a vehicle reaches each stop after it has left the previous stop."},
	{"E025", "A vehicle departs from a stop before it arrives there.", "Correct the predicted arrival or departure."},
	{"E036", "Two stop time updates in a row have the same stop_sequence.", "Write one stop time update for each call."},
	{"E037", "Two stop time updates in a row are for the same stop.", "Write one stop time update for each call."},
	{"E040", "A stop time update has neither stop_id nor stop_sequence.", "Fill in both."},
	{"E042", "A stop time update without data has an arrival or a departure.", "Leave out both for NO_DATA."},
	{"E043", "A stop time update has neither arrival nor departure.",
		"Fill in at least one of the two, or write SKIPPED or NO_DATA."},
	{"E044", "An arrival or departure has neither a time nor a delay.",
		"Fill in time, or leave out the arrival or departure."},
	{"E045", "A stop time update has the stop_sequence of another stop.",
		"Write stop_id and stop_sequence of the same row of stop_times.txt."},
	{"E046", "A delay is for a stop for which the timetable has no time.",
		"Write the expected time instead of the delay, or fill in the times of the timetable."},
	{"E051", "The trip has no call of this stop_sequence.",
		"Write the stop_sequence of stop_times.txt, and publish both feeds from the same data."},
}

// judge applies the rules about single calls. They are code, not a table, because messages have a
// hundred thousand calls.
func (c *call) judge() {
	arrival, departure := &c.Arrival, &c.Departure
	if isBadTime(arrival) || isBadTime(departure) {
		c.broken("E001", (*call).timesText)
	}
	if arrival.HasTime && arrival.Time <= c.reached || departure.HasTime && departure.Time <= c.reached {
		c.broken("E022", func(c *call) string { return fmt.Sprintf("%s, before: %d", c.timesText(), c.reached) })
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
		c.broken("E045", func(c *call) string { return c.place() + ", not " + c.at.ID })
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

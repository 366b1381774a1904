package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/gtfsrt"
)

type update struct {
	tripped
	calls []gtfsrt.Call
}

var updateRules = []rule[*update]{
	{"E009", func(u *update) bool {
		return u.fact != nil && u.fact.calls != nil && u.fact.calls.twice &&
			slices.ContainsFunc(u.calls, func(c gtfsrt.Call) bool { return c.Sequence < 0 })
	}, nil},
	{"E041", func(u *update) bool {
		r := u.Relationship
		return len(u.calls) == 0 && r != canceled && r != deleted && r != duplicated
	}, nil},
	{"E047", func(u *update) bool {
		return len(u.vehicleID) > 0 && u.anyPairs(func(o *Pairs) bool { return o.vehicles.contradicts(u.TripID, u.vehicleID) })
	}, nil},
	{"W003", func(u *update) bool {
		return u.twoKinds && len(u.vehicleID) > 0 && !u.anyPairs(func(o *Pairs) bool {
			_, found := o.fleet[string(u.vehicleID)]
			return found
		})
	}, nil},
	{"W009", func(u *update) bool {
		return slices.ContainsFunc(u.calls, func(c gtfsrt.Call) bool { return !c.HasRelationship })
	}, func(*update) string { return "stop_time_update" }},
}

// A call is a stop time update with its place in the trip.
type call struct {
	*update
	*gtfsrt.Call
	before   *gtfsrt.Call // nil at the first one
	index    int          // in the pattern; -1 if unknown
	latest   int64        // latest sequence number so far
	reached  int64        // latest time of the calls before
	unsorted bool
	at       *stop // of the timetable
}

func (c *call) example() Example {
	e := c.update.example()
	var parts []string
	if c.Sequence >= 0 {
		parts = append(parts, fmt.Sprintf("stop_sequence %d", c.Sequence))
	}
	if c.StopID != nil {
		parts = append(parts, "stop_id "+string(c.StopID))
	}
	e.Value = strings.Join(parts, ", ")
	return e
}

// next moves to the next stop time update.
func (c *call) next(to *gtfsrt.Call) {
	if c.before = c.Call; c.before != nil {
		c.reached = max(c.reached, c.before.Arrival.Time, c.before.Departure.Time)
	}
	c.Call = to
	c.at = nil
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
		c.index = p.find(to.StopID, c.index)
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

// find returns the index of the next call at a stop after one, else of an earlier one; -1 if there
// is none.
func (p *pattern) find(stopID []byte, after int) int {
	is := func(s *stop) bool { return s != nil && s.ID == string(stopID) }
	if i := slices.IndexFunc(p.stops[after+1:], is); i >= 0 {
		return after + 1 + i
	}
	return slices.IndexFunc(p.stops, is)
}

// isUntimed reports whether the timetable has no time for an event that has only a delay.
func (c *call) isUntimed(e *gtfsrt.Event) bool {
	return e.HasDelay && !e.HasTime && c.index >= 0 && slices.Contains(c.fact.Untimed, int32(c.index))
}

func isBadTime(e *gtfsrt.Event) bool {
	return e.HasTime && (e.Scaled || e.Time < firstPOSIX || e.Time > lastPOSIX)
}

func isValueless(e *gtfsrt.Event) bool { return e.Present && !e.HasTime && !e.HasDelay }

func (c *call) timesText() string {
	return fmt.Sprintf("%s: arrival %d, departure %d", c.example().Value, c.Arrival.Time, c.Departure.Time)
}

var callRules = []rule[*call]{
	{"E001", func(c *call) bool { return isBadTime(&c.Arrival) || isBadTime(&c.Departure) }, (*call).timesText},
	{"E022", func(c *call) bool {
		return c.Arrival.HasTime && c.Arrival.Time <= c.reached || c.Departure.HasTime && c.Departure.Time <= c.reached
	}, func(c *call) string { return fmt.Sprintf("%s, before: %d", c.timesText(), c.reached) }},
	{"E025", func(c *call) bool {
		return c.Arrival.HasTime && c.Departure.HasTime && c.Departure.Time < c.Arrival.Time
	}, (*call).timesText},
	{"E036", func(c *call) bool { return c.before != nil && c.Sequence >= 0 && c.Sequence == c.before.Sequence }, nil},
	{"E037", func(c *call) bool {
		return c.before != nil && len(c.StopID) > 0 && string(c.StopID) == string(c.before.StopID)
	}, nil},
	{"E040", func(c *call) bool { return c.Sequence < 0 && c.StopID == nil }, nil},
	{"E042", func(c *call) bool {
		return c.Call.Relationship == noData && (c.Arrival.Present || c.Departure.Present)
	}, nil},
	{"E043", func(c *call) bool {
		return !c.Arrival.Present && !c.Departure.Present && c.Call.Relationship != skipped && c.Call.Relationship != noData
	}, nil},
	{"E044", func(c *call) bool {
		return c.Call.Relationship != skipped && (isValueless(&c.Arrival) || isValueless(&c.Departure))
	}, nil},
	{"E045", func(c *call) bool {
		return c.at != nil && c.Sequence >= 0 && c.StopID != nil && c.at.ID != string(c.StopID)
	}, func(c *call) string { return c.example().Value + ", not " + c.at.ID }},
	{"E046", func(c *call) bool { return c.isUntimed(&c.Arrival) || c.isUntimed(&c.Departure) }, nil},
	{"E051", func(c *call) bool {
		return c.Sequence >= 0 && c.index < 0 && c.fact != nil && c.fact.calls != nil
	}, nil},
}

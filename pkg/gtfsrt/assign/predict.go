package assign

import (
	"math"
	"slices"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"

	"github.com/townline/townline/pkg/gtfsrt"
)

// An Origin says where the times of a call come from.
type Origin int

// Origins of times.
const (
	Scheduled  Origin = iota // the timetable
	Propagated               // the delay of another call
	Asserted                 // the update
)

// Values of StopTimeUpdate.ScheduleRelationship.
const (
	skipped = int32(rt.TripUpdate_StopTimeUpdate_SKIPPED)
	noData  = int32(rt.TripUpdate_StopTimeUpdate_NO_DATA)
)

// A Call is what an update predicts for one call of a run. Times are Unix times.
type Call struct {
	Index              int // in the timetable
	Arrival, Departure int64
	Delay              int64 // of the arrival, in seconds
	Origin             Origin
	Skipped            bool
	Passed             bool         // the vehicle has left
	Update             *gtfsrt.Call // nil if the update does not name the call
}

// Call returns a call of a run by the timetable.
func (t *Timetable) Call(i int, start int64) Call {
	return Call{Index: i, Arrival: start + int64(t.Arrivals[i]), Departure: start + t.Departure(i)}
}

// Leaves returns when the vehicle leaves the stop.
func (c *Call) Leaves() int64 { return max(c.Arrival, c.Departure) }

// Predict appends the calls of a run to buffer. matched are the updates of the calls from
// [Timetable.Find], now is a Unix time.
//
// A call without an event has the delay of the last event before it, unless NO_DATA follows. The
// delay of the whole trip counts only in an update without events. Before the first event the
// timetable applies, except to calls that the vehicle has passed.
func (t *Timetable) Predict(
	p *gtfsrt.Prediction, matched []*gtfsrt.Call, start, now int64, buffer []Call,
) []Call {
	from, first := len(buffer), slices.IndexFunc(matched, hasEvent)
	late, known := int64(p.Delay), p.HasDelay && first < 0 && abs(int64(p.Delay)) < Tolerance
	for i, s := range matched {
		c := t.Call(i, start)
		c.Update = s
		switch {
		case hasEvent(s):
			late, known = c.assert(s, late, known), true
		case s != nil && s.Relationship == noData:
			known = false
		default:
			c.Skipped = s != nil && s.Relationship == skipped
			if known {
				c.carry(late)
			}
		}
		c.Passed = c.Origin != Scheduled && c.Leaves() < now
		buffer = append(buffer, c)
	}
	if first >= 0 {
		t.pass(buffer[from:], first, start, now)
	}
	return buffer
}

func hasEvent(s *gtfsrt.Call) bool {
	return s != nil && s.Relationship != skipped && s.Relationship != noData && (s.Arrival.Given() || s.Departure.Given())
}

// pass moves calls without an event into the past if the vehicle has passed them: calls before one
// that it has reached and, because feeds omit passed calls, those before the first event that would
// be over with the delay of that event.
func (t *Timetable) pass(calls []Call, first int, start, now int64) {
	reached := int64(math.MaxInt64) // when the vehicle reached a later call
	lead := calls[first].Arrival - start - int64(t.Arrivals[first])
	for i := len(calls) - 1; i >= 0; i-- {
		c := &calls[i]
		if hasEvent(c.Update) {
			if c.Arrival < now {
				reached = min(reached, c.Arrival)
			}
			continue
		}
		over := i < first && start+t.Departure(i)+lead < now
		if over {
			planned := t.Call(i, start)
			c.Arrival, c.Departure = planned.Arrival, planned.Departure
			c.carry(lead)
		}
		if !over && reached >= now {
			continue
		}
		if c.Leaves() > reached {
			c.Arrival, c.Departure = min(c.Arrival, reached), min(c.Departure, reached)
			c.Delay, c.Origin = c.Arrival-start-int64(t.Arrivals[i]), Propagated
		}
		c.Passed = true
	}
}

// Lateness returns the delay of the vehicle in seconds at its next call with live data or, if there
// is none, at the last such call. known is false without live data.
func (t *Timetable) Lateness(calls []Call, start, now int64) (late int64, known bool) {
	for i := range calls {
		c := &calls[i]
		if c.Origin == Scheduled || c.Skipped {
			continue
		}
		late, known = c.Arrival-start-int64(t.Arrivals[c.Index]), true
		if c.Departure >= now {
			break
		}
	}
	return late, known
}

// carry applies the delay of another call.
func (c *Call) carry(late int64) {
	c.Arrival += late
	c.Departure += late
	c.Delay, c.Origin = late, Propagated
}

// assert applies the events of an update and returns the delay of the departure. late is the delay
// before the call. known is false if that delay is unknown.
func (c *Call) assert(s *gtfsrt.Call, late int64, known bool) int64 {
	planned := *c
	at := func(e gtfsrt.Event, plan int64) int64 {
		if e.Time != 0 {
			return e.Time
		}
		return plan + int64(e.Delay)
	}
	switch {
	case s.Arrival.Given() && s.Departure.Given():
		c.Arrival, c.Departure = at(s.Arrival, planned.Arrival), at(s.Departure, planned.Departure)
	case s.Arrival.Given():
		c.Arrival = at(s.Arrival, planned.Arrival)
		c.Departure = max(c.Arrival, planned.Departure+c.Arrival-planned.Arrival)
	default:
		c.Departure = at(s.Departure, planned.Departure)
		if !known {
			late = c.Departure - planned.Departure
		}
		c.Arrival = min(c.Departure, planned.Arrival+late)
	}
	c.Delay, c.Origin = c.Arrival-planned.Arrival, Asserted
	if s.Arrival.HasDelay {
		c.Delay = int64(s.Arrival.Delay) // may differ from the time minus our timetable
	}
	return c.Departure - planned.Departure
}

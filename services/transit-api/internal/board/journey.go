package board

import (
	"cmp"
	"iter"
	"slices"
	"strconv"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"

	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/services/transit-api/internal/edition"
)

// Values of [Prediction.Origin].
const (
	asserted   = "asserted"   // the feed gives the time
	propagated = "propagated" // the feed gives a delay for an earlier call
	scheduled  = "scheduled"  // the timetable gives the time
)

type journey struct {
	trip        *edition.Trip
	id          string // trip_id; a duplicate has its own
	day         edition.Day
	start       int32           // first departure in seconds of the service day
	window      *edition.Window // nil unless the trip runs by frequency
	approximate bool            // the trip keeps the headway, not these times
	run         *edition.Run
}

func journeyOf(v *edition.Visit, start int32, run *edition.Run) *journey {
	j := &journey{trip: v.Trip, id: v.ID, day: v.Day, start: start, run: run}
	if v.Window != nil {
		j.window, j.approximate = v.Window, !v.Window.Exact
	}
	return j
}

func (j *journey) key() string {
	return j.id + "\x00" + strconv.Itoa(j.day.Number) + "\x00" + strconv.Itoa(int(j.start))
}

// arrival returns the scheduled arrival of call i in Unix seconds.
func (j *journey) arrival(i int) int64 {
	return j.day.Start + int64(j.start) + int64(j.run.Expected[i])
}

func (j *journey) departure(i int) int64 { return j.day.Start + int64(j.start) + j.run.Leaves(i) }

type expectedCall struct {
	call      int // index in the run, or in the update if the trip is not in the timetable
	stop      string
	arrival   int64
	departure int64
	delay     int64 // delay of the arrival
	hasDelay  bool  // false if there is no timetable to compare with
	origin    string
	skipped   bool
	planned   *plannedCall // times that the update plans for a trip without a timetable; nil if it does not
}

type plannedCall struct{ arrival, departure int64 }

func (j *journey) scheduled(i int) expectedCall {
	c := expectedCall{call: i, arrival: j.arrival(i), departure: j.departure(i), hasDelay: true, origin: scheduled}
	if stop := j.run.StopID[i]; stop != nil {
		c.stop = *stop
	}
	return c
}

// Values of StopTimeUpdate.ScheduleRelationship.
const (
	skipped = int32(rt.TripUpdate_StopTimeUpdate_SKIPPED)
	noData  = int32(rt.TripUpdate_StopTimeUpdate_NO_DATA)
)

// expectedCalls appends the calls of a journey to buffer, without past calls.
//
// A call without an update has the delay of the last update before it, unless that is NO_DATA.
// Before the first update the timetable applies. But feeds omit past calls: a call before the first
// update is past if it would be past with that update's delay.
func (j *journey) expectedCalls(
	p gtfsrt.Prediction, matched []*gtfsrt.Call, now int64, e *edition.Edition, buffer []expectedCall,
) []expectedCall {
	late, known := int64(p.Delay), p.HasDelay
	first, lead := -1, int64(0)
	for i := range j.run.StopID {
		c := j.scheduled(i)
		s := matched[i]
		switch {
		case s == nil || s.Relationship != skipped && s.Relationship != noData && !s.Arrival.Given() && !s.Departure.Given():
			if known {
				c.carry(late)
			}
		case s.Relationship == skipped:
			c.skipped = true
			if known {
				c.carry(late)
			}
		case s.Relationship == noData:
			known = false
		default:
			late, known = c.assert(s, late, known), true
			if first < 0 {
				first, lead = i, c.arrival-j.arrival(i)
			}
		}
		if s != nil {
			if e.Stop(string(s.StopID)) != nil && !e.IsSameStop(s.StopID, c.stop) {
				c.stop = string(s.StopID)
			}
			if len(s.Assigned) > 0 {
				c.stop = string(s.Assigned)
			}
		}
		buffer = append(buffer, c)
	}
	return slices.DeleteFunc(buffer, func(c expectedCall) bool {
		return c.call < first && c.origin == scheduled && j.departure(c.call)+lead < now
	})
}

// lateness returns the delay of the vehicle in seconds at its next call with live data or, if there
// is none, at the last such call. It returns nil without live data.
func (j *journey) lateness(calls []expectedCall, clock int64) *int64 {
	var late *int64
	for i := range calls {
		c := &calls[i]
		if c.origin == scheduled || c.skipped {
			continue
		}
		d := c.arrival - j.arrival(c.call)
		late = &d
		if c.departure >= clock {
			break
		}
	}
	return late
}

// match finds the stop time update of each call of the run by stop_sequence, stop_id or both. If
// they contradict each other and the trip calls at the stop, the stop_id decides, because some
// feeds have their own sequence numbers. If the trip does not call there, the call was moved to
// another stop. The result reuses buffer.
func (j *journey) match(updates []gtfsrt.Call, e *edition.Edition, buffer []*gtfsrt.Call) []*gtfsrt.Call {
	out := slices.Grow(buffer[:0], len(j.run.StopID))[:len(j.run.StopID)]
	clear(out)
	next := 0
	var at map[string][]int // calls by each name of their stop
	for u := range updates {
		u := &updates[u]
		i := -1
		if u.Sequence >= 0 {
			if k, ok := slices.BinarySearchFunc(j.run.StopSequence, u.Sequence, func(s int32, want int64) int {
				return cmp.Compare(int64(s), want)
			}); ok {
				i = k
			}
		}
		if len(u.StopID) > 0 && (i < 0 || j.run.StopID[i] == nil || !e.IsSameStop(u.StopID, *j.run.StopID[i])) {
			if at == nil {
				at = j.callsByName(e)
			}
			calls := at[string(u.StopID)]
			first, _ := slices.BinarySearch(calls, next)
			for n := range calls { // also try earlier calls, because some feeds do not keep the order
				if k := calls[(first+n)%len(calls)]; out[k] == nil {
					i = k
					break
				}
			}
		}
		if i >= 0 {
			out[i], next = u, i+1
		}
	}
	return out
}

func (j *journey) callsByName(e *edition.Edition) map[string][]int {
	at := map[string][]int{}
	for i, id := range j.run.StopID {
		if id == nil {
			continue
		}
		at[*id] = append(at[*id], i)
		if s := e.Stop(*id); s != nil && s.StopCode != nil && *s.StopCode != *id {
			at[*s.StopCode] = append(at[*s.StopCode], i)
		}
	}
	return at
}

// carry applies the delay of an earlier call.
func (c *expectedCall) carry(late int64) {
	c.arrival += late
	c.departure += late
	c.delay, c.origin = late, propagated
}

// assert applies the feed's times to the call and returns the delay of the departure. late is the
// delay before the call. known is false if that delay is unknown.
func (c *expectedCall) assert(s *gtfsrt.Call, late int64, known bool) int64 {
	planned := *c
	at := func(e gtfsrt.Event, plan int64) int64 {
		if e.Time != 0 {
			return e.Time
		}
		return plan + int64(e.Delay)
	}
	switch {
	case s.Arrival.Given() && s.Departure.Given():
		c.arrival, c.departure = at(s.Arrival, planned.arrival), at(s.Departure, planned.departure)
	case s.Arrival.Given():
		c.arrival = at(s.Arrival, planned.arrival)
		c.departure = max(c.arrival, planned.departure+c.arrival-planned.arrival)
	default:
		c.departure = at(s.Departure, planned.departure)
		if !known {
			late = c.departure - planned.departure
		}
		c.arrival = min(c.departure, planned.arrival+late)
	}
	c.delay, c.origin = c.arrival-planned.arrival, asserted
	if s.Arrival.HasDelay {
		c.delay = int64(s.Arrival.Delay) // may differ from the time minus our timetable
	}
	return c.departure - planned.departure
}

// unscheduledCalls appends the calls of a trip without a timetable to buffer.
func unscheduledCalls(calls []gtfsrt.Call, buffer []expectedCall) []expectedCall {
	for i, s := range calls {
		if s.Relationship == skipped {
			continue
		}
		stop := s.StopID
		if len(s.Assigned) > 0 {
			stop = s.Assigned
		}
		a, d := predictedTime(s.Arrival), predictedTime(s.Departure)
		if a == 0 && d == 0 {
			continue // it has only a delay, and there is no timetable
		}
		if a == 0 {
			a = d
		}
		c := expectedCall{call: i, stop: string(stop), arrival: a, departure: max(a, d),
			delay: int64(s.Arrival.Delay), hasDelay: s.Arrival.HasDelay, origin: asserted}
		if at, leaves := s.Arrival.Planned, s.Departure.Planned; at != 0 || leaves != 0 {
			c.planned = &plannedCall{cmp.Or(at, leaves), max(at, leaves)}
			if !c.hasDelay {
				c.delay, c.hasDelay = c.arrival-c.planned.arrival, true
			}
		}
		buffer = append(buffer, c)
	}
	return buffer
}

// predictedTime returns the predicted time of an event of a trip without a timetable; 0 if unknown.
func predictedTime(e gtfsrt.Event) int64 {
	if e.Time == 0 && e.HasDelay && e.Planned != 0 {
		return e.Planned + int64(e.Delay)
	}
	return e.Time
}

// A publishedTime is a time in an update; the zero value means that there is none.
type publishedTime struct {
	call    int
	at      int64
	arrival bool
}

func firstPublishedTime(matched []*gtfsrt.Call) publishedTime {
	for i, s := range matched {
		switch {
		case s == nil:
		case s.Arrival.Time != 0:
			return publishedTime{i, s.Arrival.Time, true}
		case s.Departure.Time != 0:
			return publishedTime{i, s.Departure.Time, false}
		}
	}
	return publishedTime{}
}

// distance returns the seconds between a published time and its schedule. Without a published time,
// it is the distance of the journey from now.
func (j *journey) distance(t publishedTime, now int64) int64 {
	switch {
	case t.at != 0 && t.arrival:
		return abs(t.at - j.arrival(t.call))
	case t.at != 0:
		return abs(t.at - j.departure(t.call))
	}
	begin, end := j.departure(0), j.arrival(len(j.run.Expected)-1)
	return max(0, begin-now, now-end)
}

// starts yields the start times of a visit in order. For a trip by frequency, these are the
// departures with a call between two instants; last is the time in seconds from the start to the
// last such call.
func starts(v *edition.Visit, from, to, last int64) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		if v.Window == nil {
			yield(v.Start)
			return
		}
		if v.Only != nil {
			yield(*v.Only)
			return
		}
		for at := range v.Window.Starts(from-last-v.Day.Start, to-v.Day.Start) {
			if !yield(at) {
				return
			}
		}
	}
}

// nearest returns the start of a trip by frequency that is nearest to a time, and its window. If
// the trip keeps a headway, its vehicle need not leave at that second.
func nearest(at int32, of []edition.Window) (start int32, window *edition.Window) {
	best := int64(at)
	for i := range of {
		w := &of[i]
		first, headway := int64(w.Start), w.Every()
		n := (int64(w.End) - first - 1) / headway
		k := min(max((int64(at)-first+headway/2)/headway, 0), n)
		if start := first + k*headway; i == 0 || abs(start-int64(at)) < abs(best-int64(at)) {
			best, window = start, w
		}
	}
	return int32(best), window
}

func abs(n int64) int64 { return max(n, -n) }

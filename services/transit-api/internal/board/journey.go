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

// Where a predicted time comes from.
const (
	asserted   = "asserted"   // given by the feed
	propagated = "propagated" // the delay that the feed gives for an earlier call
	scheduled  = "scheduled"  // the timetable
)

// A journey is one trip on one day.
type journey struct {
	trip  *edition.Trip
	id    string // of the trip, or of its duplicate
	day   edition.Day
	start int32 // first departure, seconds of the service day
	every int64 // of a trip by frequency: seconds between two departures
	about bool  // it leaves as often, not at these times
	run   *edition.Run
}

// visited is the journey of a visit that starts at a time.
func visited(v *edition.Visit, start int32, run *edition.Run) *journey {
	j := &journey{trip: v.Trip, id: v.ID, day: v.Day, start: start, run: run}
	if v.Window != nil {
		j.every, j.about = v.Window.Every(), !v.Window.Exact
	}
	return j
}

// key identifies the journey.
func (j *journey) key() string {
	return j.id + "\x00" + strconv.Itoa(j.day.Number) + "\x00" + strconv.Itoa(int(j.start))
}

// arrival and departure return the times of call i by the timetable, in Unix seconds.
func (j *journey) arrival(i int) int64 {
	return j.day.Start + int64(j.start) + int64(j.run.Expected[i])
}

func (j *journey) departure(i int) int64 {
	if d := j.run.Departures[i]; d.Valid {
		return j.day.Start + int64(j.start) + int64(d.Int32)
	}
	return j.arrival(i)
}

// A stopping is one expected call of a journey.
type stopping struct {
	call      int // in the run; in the update for a trip without a timetable
	stop      string
	arrival   int64
	departure int64
	delay     int64 // of the arrival
	hasDelay  bool  // false without a timetable to compare with
	origin    string
	skipped   bool
}

// planned returns call i by the timetable.
func (j *journey) planned(i int) stopping {
	c := stopping{call: i, arrival: j.arrival(i), departure: j.departure(i), hasDelay: true, origin: scheduled}
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

// predicted returns the calls of a journey by a trip update, without those that are surely over. It
// appends to buffer.
//
// Times that the feed gives are used. A call that the feed does not mention is as late as the last
// mentioned one before it; NO_DATA ends that. Before the first mentioned call the timetable
// applies. But feeds drop calls that are over: with the delay of the first mentioned call, an
// earlier call that the vehicle must have left is over.
func (j *journey) predicted(p gtfsrt.Prediction, matched []*gtfsrt.Call, now int64, e *edition.Edition,
	buffer []stopping) []stopping {
	late, known := int64(p.Delay), p.HasDelay
	first, lead := -1, int64(0)
	for i := range j.run.StopID {
		c := j.planned(i)
		s := matched[i]
		switch {
		case s == nil || s.Relationship != skipped && s.Relationship != noData && !s.Arrival.Given() && !s.Departure.Given():
			if known {
				c.carry(late)
			}
		case s.Relationship == skipped:
			c.skipped = true
			if known {
				c.carry(late) // when the vehicle passes
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
			if e.Stop(string(s.StopID)) != nil && !e.SameStop(s.StopID, c.stop) {
				c.stop = string(s.StopID)
			}
			if len(s.Assigned) > 0 {
				c.stop = string(s.Assigned)
			}
		}
		buffer = append(buffer, c)
	}
	return slices.DeleteFunc(buffer, func(c stopping) bool {
		return c.call < first && c.origin == scheduled && j.departure(c.call)+lead < now
	})
}

// match finds the stop time update of each call, by sequence, by stop, or by both: a feed may give
// either. If they contradict each other and the trip calls at the stop, the stop decides: some
// feeds number calls in their own way. If the trip does not call there, it calls at another stop
// than planned. The result has one element a call of the run; it uses buffer if that is large
// enough.
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
		if len(u.StopID) > 0 && (i < 0 || j.run.StopID[i] == nil || !e.SameStop(u.StopID, *j.run.StopID[i])) {
			if at == nil {
				at = j.callsByName(e)
			}
			calls := at[string(u.StopID)]
			first, _ := slices.BinarySearch(calls, next)
			for n := range calls { // then earlier calls: not every feed keeps the order
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

// callsByName returns the calls at each stop, in order, by its id and by its code.
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

// carry makes the call as late as the one before it.
func (c *stopping) carry(late int64) {
	c.arrival += late
	c.departure += late
	c.delay, c.origin = late, propagated
}

// assert gives the call the feed's times and returns how late the vehicle leaves. late is how late
// it was before, if known.
func (c *stopping) assert(s *gtfsrt.Call, late int64, known bool) int64 {
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
		c.delay = int64(s.Arrival.Delay) // the delay that the feed gives; it may differ from our timetable
	}
	return c.departure - planned.departure
}

// announced returns the calls of a trip that has no timetable, from the update alone. It appends to
// buffer.
func announced(calls []gtfsrt.Call, buffer []stopping) []stopping {
	for i, s := range calls {
		if s.Relationship == skipped {
			continue
		}
		stop := s.StopID
		if len(s.Assigned) > 0 {
			stop = s.Assigned
		}
		a, d := s.Arrival.Time, s.Departure.Time
		if a == 0 && d == 0 {
			continue // no time, and no timetable to add a delay to
		}
		if a == 0 {
			a = d
		}
		buffer = append(buffer, stopping{call: i, stop: string(stop), arrival: a, departure: max(a, d),
			delay: int64(s.Arrival.Delay), hasDelay: s.Arrival.HasDelay, origin: asserted})
	}
	return buffer
}

// A givenTime is a time that an update gives for a call; at is 0 if it gives none.
type givenTime struct {
	call    int
	at      int64
	arrival bool
}

// firstGiven returns the first time that an update gives for one of the journey's calls.
func firstGiven(matched []*gtfsrt.Call) givenTime {
	for i, s := range matched {
		switch {
		case s == nil:
		case s.Arrival.Time != 0:
			return givenTime{i, s.Arrival.Time, true}
		case s.Departure.Time != 0:
			return givenTime{i, s.Departure.Time, false}
		}
	}
	return givenTime{}
}

// distance returns how far a given time is from the timetable of the journey; without a given time,
// how far the journey is from now.
func (j *journey) distance(t givenTime, now int64) int64 {
	switch {
	case t.at != 0 && t.arrival:
		return abs(t.at - j.arrival(t.call))
	case t.at != 0:
		return abs(t.at - j.departure(t.call))
	}
	begin, end := j.departure(0), j.arrival(len(j.run.Expected)-1)
	return max(0, begin-now, now-end)
}

// starts are the first departures of a visit, in their order: one, or those of its frequency that
// matter between two instants, where the call that matters is so long after the first departure.
func starts(v *edition.Visit, from, to, last int64) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		if v.Window == nil {
			yield(v.Start)
			return
		}
		at, every := int64(v.Window.Start), v.Window.Every()
		if skip := from - last - every - v.Day.Start - at; skip > 0 {
			at += skip / every * every
		}
		for ; at < int64(v.Window.End) && v.Day.Start+at <= to && yield(int32(at)); at += every {
		}
	}
}

// nearest is the departure of a trip that runs by frequency which is nearest to a time, and its
// headway: a vehicle that keeps a headway need not leave at the second that the headway says.
func nearest(at int32, of []edition.Window) (start int32, every int64) {
	best := int64(at)
	for i, w := range of {
		first, headway := int64(w.Start), w.Every()
		n := (int64(w.End) - first - 1) / headway
		k := min(max((int64(at)-first+headway/2)/headway, 0), n)
		if start := first + k*headway; i == 0 || abs(start-int64(at)) < abs(best-int64(at)) {
			best, every = start, headway
		}
	}
	return int32(best), every
}

func abs(n int64) int64 { return max(n, -n) }

package board

import (
	"cmp"
	"iter"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"

	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/pkg/gtfsrt/assign"
	"github.com/townline/townline/services/transit-api/internal/edition"
)

// Values of [Prediction.Origin].
const (
	asserted   = "asserted"   // the feed gives the time
	propagated = "propagated" // the feed gives a delay for another call
	scheduled  = "scheduled"  // the timetable gives the time
)

func originOf(c *assign.Call) string {
	return [...]string{assign.Scheduled: scheduled, assign.Propagated: propagated, assign.Asserted: asserted}[c.Origin]
}

// A Journey identifies a run of a trip on a service day.
type Journey struct {
	Feed, TripID string
	Day          int   // number of the service day; 0 if unknown
	Start        int32 // first departure in seconds of the service day; 0 if unknown
}

// Journey returns the journey of a departure.
func (d *Departure) Journey() Journey {
	day, _ := edition.ParseDay(d.StartDate) // 0 for a trip that only the realtime feed has
	return Journey{Feed: d.Feed, TripID: d.TripID, Day: day, Start: d.Start.Seconds}
}

// A journey is a run of a trip on a service day, with its calls.
type journey struct {
	trip        *edition.Trip
	id          string // trip_id; a duplicate has its own
	day         edition.Day
	start       int32           // first departure in seconds of the service day
	window      *edition.Window // nil unless the trip runs by frequency
	approximate bool            // the trip keeps the headway, not these times
	// own is set for a vehicle's run of a trip that keeps a headway. It leaves when it leaves, so it is
	// neither early nor late. grid is the departure of the timetable for which it stands.
	own    bool
	grid   int32
	run    *edition.Run
	detour *detour // nil if the journey keeps to the calls of its timetable
}

func journeyOf(v *edition.Visit, start int32, run *edition.Run) *journey {
	j := &journey{trip: v.Trip, id: v.TripID, day: v.Day, start: start, run: run}
	if v.Window != nil {
		j.window, j.approximate = v.Window, !v.Window.Exact
	}
	return j
}

func (m *merger) key(j *journey) Journey {
	return Journey{Feed: m.Alias, TripID: j.id, Day: j.day.Number, Start: j.start}
}

// planned returns the journey by its timetable.
func (j *journey) planned(run *edition.Run) *journey {
	planned := *j
	planned.run, planned.detour = run, nil
	return &planned
}

// begins returns the first departure in Unix seconds.
func (j *journey) begins() int64 { return j.day.Start + int64(j.start) }

// timetableOf returns a run for package assign.
func timetableOf(run *edition.Run, e *edition.Edition) *assign.Timetable {
	return &assign.Timetable{Sequences: run.StopSequence, StopIDs: run.StopID, Arrivals: run.Expected,
		Departure: run.Leaves, Code: func(id string) string {
			if s := e.Stop(id); s != nil && s.StopCode != nil {
				return *s.StopCode
			}
			return ""
		}}
}

type expectedCall struct {
	assign.Call
	stop     string
	hasDelay bool         // false if there is no timetable to compare with
	planned  *plannedCall // times that the update plans for a trip without a timetable; nil if it does not
}

type plannedCall struct{ arrival, departure int64 }

// scheduled returns a call as the timetable has it.
func (j *journey) scheduled(i int) expectedCall {
	at := j.begins()
	return j.expected(assign.Call{Index: i, Arrival: at + int64(j.run.Expected[i]), Departure: at + j.run.Leaves(i)}, nil)
}

// expected adds the stop to a call.
func (j *journey) expected(of assign.Call, e *edition.Edition) expectedCall {
	c := expectedCall{Call: of, hasDelay: !j.own}
	if d := j.detour; d != nil && d.planned[c.Index] < 0 {
		c.hasDelay, c.Origin = false, max(c.Origin, assign.Propagated)
	} else if d != nil && d.shift[c.Index] != 0 {
		c.Delay += d.shift[c.Index]
		c.Origin = max(c.Origin, assign.Propagated)
	}
	if stop := j.run.StopID[c.Index]; stop != nil {
		c.stop = *stop
	}
	if s := c.Update; s != nil {
		if e.Stop(string(s.StopID)) != nil && !e.IsSameStop(s.StopID, c.stop) {
			c.stop = string(s.StopID)
		}
		if len(s.Assigned) > 0 {
			c.stop = string(s.Assigned)
		}
	}
	return c
}

// unscheduledCalls appends the calls of a trip without a timetable to buffer.
func unscheduledCalls(calls []gtfsrt.Call, buffer []expectedCall) []expectedCall {
	for i, s := range calls {
		if s.Relationship == int32(rt.TripUpdate_StopTimeUpdate_SKIPPED) {
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
		c := expectedCall{Call: assign.Call{Index: i, Arrival: a, Departure: max(a, d), Delay: int64(s.Arrival.Delay),
			Origin: assign.Asserted}, stop: string(stop), hasDelay: s.Arrival.HasDelay}
		if at, leaves := s.Arrival.Planned, s.Departure.Planned; at != 0 || leaves != 0 {
			c.planned = &plannedCall{cmp.Or(at, leaves), max(at, leaves)}
			if !c.hasDelay {
				c.Delay, c.hasDelay = c.Arrival-c.planned.arrival, true
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

// nearest returns the start of a trip by frequency that is nearest to a second of the service day,
// and its window. If the trip keeps a headway, its vehicle need not leave at that second.
func nearest(at int64, of []edition.Window) (start int32, window *edition.Window) {
	var best int64
	for i := range of {
		w := &of[i]
		first, headway := int64(w.Start), w.Every()
		n := (int64(w.End) - first - 1) / headway
		k := min(max((at-first+headway/2)/headway, 0), n)
		if start := first + k*headway; window == nil || max(start-at, at-start) < max(best-at, at-best) {
			best, window = start, w
		}
	}
	return int32(best), window
}

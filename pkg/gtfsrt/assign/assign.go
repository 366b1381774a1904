// Package assign decides to which run of a trip a trip update belongs, what it predicts for each
// call, and which calls the vehicle has passed. It is pure: departure boards ask it, and so does
// everything else that counts runs, calls or delays.
package assign

import (
	"slices"

	"github.com/townline/townline/pkg/gtfsrt"
)

// Tolerance is the maximum difference in seconds between a prediction and the timetable. A
// prediction that is further away is about another run, or wrong.
const Tolerance = 4 * 3600

// A Timetable has the calls of a trip in order. Times are in seconds from the start of the trip.
type Timetable struct {
	Sequences []int32 // stop_sequence, ascending
	StopIDs   []*string
	Arrivals  []int32
	// Departure returns the departure of a call.
	Departure func(call int) int64
	// Code returns the stop_code of a stop; "" if there is none.
	Code func(stop string) string
}

// IsStop reports whether a published id names the stop of a call, by its stop_id or stop_code.
func (t *Timetable) IsStop(published []byte, call int) bool {
	id := t.StopIDs[call]
	return id != nil && (string(published) == *id || string(published) == t.Code(*id))
}

// Find returns the run to which the stop time updates belong, and the update of each of its calls.
// It clears events that can't be true. run is the index of its start in starts, which are Unix
// times; -1 if the times fit no run. If stated is set, the update names the first run, which is
// preferred if it fits. Without times, Find returns that run or, if none is stated, the one that is
// nearest to the Unix time at. The result reuses buffer.
func (t *Timetable) Find(
	updates []gtfsrt.Call, starts []int64, stated bool, at int64, buffer []*gtfsrt.Call,
) (run int, matched []*gtfsrt.Call) {
	run = -1
	most := 0
	least := int64(0)
	matchedRun := -1
	matched = buffer
	for i, start := range starts {
		matched, matchedRun = t.match(updates, start, matched), i
		if len(starts) == 1 { // nothing to compare with
			if !t.canBe(matched, start) {
				return -1, matched
			}
			run = i
			break
		}
		fitting, given, off := t.fit(matched, start)
		if off < 0 {
			off = t.distance(start, at)
		}
		switch {
		case given > 0 && fitting == 0:
			continue
		case run < 0 || fitting > most || fitting == most && off < least:
			run = i
			most = fitting
			least = off
		}
		if i == 0 && stated {
			break
		}
	}
	if run < 0 {
		return -1, matched
	}
	if matchedRun != run {
		matched = t.match(updates, starts[run], matched)
	}
	for i, s := range matched {
		if s != nil {
			limit(&s.Arrival, starts[run]+int64(t.Arrivals[i]))
			limit(&s.Departure, starts[run]+t.Departure(i))
		}
	}
	return run, matched
}

// canBe reports whether an event is plausible for a run, or none is given.
func (t *Timetable) canBe(matched []*gtfsrt.Call, start int64) bool {
	anyGiven := false
	for i, s := range matched {
		if s == nil {
			continue
		}
		if plausible(s.Arrival, start+int64(t.Arrivals[i])).Given() || plausible(s.Departure, start+t.Departure(i)).Given() {
			return true
		}
		anyGiven = anyGiven || s.Arrival.Given() || s.Departure.Given()
	}
	return !anyGiven
}

// fit returns how many of the given events are plausible for a run, and how far the first time is
// from the timetable; -1 if there is none.
func (t *Timetable) fit(matched []*gtfsrt.Call, start int64) (fitting, given int, off int64) {
	off = -1
	for i, s := range matched {
		if s == nil {
			continue
		}
		for k, e := range [...]gtfsrt.Event{s.Arrival, s.Departure} {
			if !e.Given() {
				continue
			}
			given++
			planned := start + int64(t.Arrivals[i])
			if k == 1 {
				planned = start + t.Departure(i)
			}
			e = plausible(e, planned)
			if e.Given() {
				fitting++
			}
			if e.Time != 0 && off < 0 {
				off = abs(e.Time - planned)
			}
		}
	}
	return fitting, given, off
}

// distance returns the seconds between a run and a time; 0 while the trip is under way.
func (t *Timetable) distance(start, at int64) int64 {
	return max(0, start+t.Departure(0)-at, at-start-int64(t.Arrivals[len(t.Arrivals)-1]))
}

// plausible drops the values of an event that are too far from the timetable.
func plausible(e gtfsrt.Event, planned int64) gtfsrt.Event {
	limit(&e, planned)
	return e
}

// limit is plausible in place.
func limit(e *gtfsrt.Event, planned int64) {
	if e.Time != 0 && (e.Time <= planned-Tolerance || e.Time >= planned+Tolerance) {
		e.Time = 0
	}
	if e.Delay <= -Tolerance || e.Delay >= Tolerance {
		e.Delay, e.HasDelay = 0, false
	}
}

// First returns the first call with a published time, and that time minus its time in the
// timetable. It ignores times before 1990, such as seconds since midnight.
func (t *Timetable) First(updates []gtfsrt.Call) (start int64, ok bool) {
	for i, s := range t.match(updates, 0, nil) {
		switch {
		case s == nil:
		case s.Arrival.Time > earliest:
			return s.Arrival.Time - int64(t.Arrivals[i]), true
		case s.Departure.Time > earliest:
			return s.Departure.Time - t.Departure(i), true
		}
	}
	return 0, false
}

const earliest = 631_152_000 // 1990-01-01

// match finds the update of each call by stop_sequence, stop_id or both. If they contradict each
// other and the trip calls at the stop, the stop_id decides, because some feeds have their own
// sequence numbers. If the trip does not call there, the call was moved to another stop. Of several
// calls at a stop it takes the one that fits the time for a run with this start.
func (t *Timetable) match(updates []gtfsrt.Call, start int64, buffer []*gtfsrt.Call) []*gtfsrt.Call {
	out := slices.Grow(buffer[:0], len(t.StopIDs))[:len(t.StopIDs)]
	clear(out)
	var open []visit
	var at map[string][]int // calls by each name of their stop
	next := 0               // the call after that of the last update
	for n := range updates {
		u := &updates[n]
		call, known := next, false
		if u.Sequence >= 0 && !t.hasSequence(next, u.Sequence) {
			call, known = slices.BinarySearchFunc(t.Sequences, u.Sequence, compareSequence)
		} else if u.Sequence >= 0 {
			known = true
		}
		next = call + 1
		if known && (len(u.StopID) == 0 || t.IsStop(u.StopID, call)) {
			out[call] = u
			continue
		}
		if at == nil && len(u.StopID) > 0 {
			at = t.callsByName()
		}
		calls := at[string(u.StopID)]
		switch {
		case len(u.StopID) == 0:
		case len(calls) > 0:
			open = append(open, visit{update: u, calls: calls, order: n})
		case known:
			out[call] = u
		}
	}
	t.place(open, updates, start, out)
	return out
}

// hasSequence reports whether a call has a stop_sequence.
func (t *Timetable) hasSequence(call int, sequence int64) bool {
	return call < len(t.Sequences) && int64(t.Sequences[call]) == sequence
}

func compareSequence(s int32, want int64) int {
	switch {
	case int64(s) < want:
		return -1
	case int64(s) > want:
		return 1
	}
	return 0
}

// callsByName returns the calls at each stop, by its stop_id and stop_code.
func (t *Timetable) callsByName() map[string][]int {
	at := map[string][]int{}
	for i, id := range t.StopIDs {
		if id == nil {
			continue
		}
		at[*id] = append(at[*id], i)
		if code := t.Code(*id); code != "" && code != *id {
			at[code] = append(at[code], i)
		}
	}
	return at
}

// A visit is an update that only its stop identifies.
type visit struct {
	update *gtfsrt.Call
	calls  []int // calls at the stop, ascending; not empty
	order  int   // index of the update in the message
}

func (v *visit) time() (at int64, arrival bool) {
	if v.update.Arrival.Time != 0 {
		return v.update.Arrival.Time, true
	}
	return v.update.Departure.Time, false
}

// place adds updates that only their stop identifies. If there are as many updates of a stop as
// free calls, they are in order. Otherwise an update belongs to the call whose time fits the delay
// of the other calls or, without a time, to the next call at the stop.
func (t *Timetable) place(open []visit, updates []gtfsrt.Call, start int64, out []*gtfsrt.Call) {
	byStop := map[int][]visit{} // by first call at the stop
	var stops, later []int
	for _, v := range open {
		if byStop[v.calls[0]] == nil {
			stops = append(stops, v.calls[0])
		}
		byStop[v.calls[0]] = append(byStop[v.calls[0]], v)
	}
	free := map[int][]int{}
	for _, stop := range stops {
		all := byStop[stop]
		free[stop] = slices.DeleteFunc(slices.Clone(all[0].calls), func(call int) bool { return out[call] != nil })
		if len(all) < len(free[stop]) {
			later = append(later, stop)
			continue
		}
		for i, call := range free[stop] {
			out[call] = all[i].update
		}
	}
	if later == nil {
		return
	}
	callOf := map[*gtfsrt.Call]int{}
	for i, s := range out {
		if s != nil {
			callOf[s] = i
		}
	}
	late, _ := t.lateness(out, start)
	for _, stop := range later {
		calls := free[stop]
		for i, v := range byStop[stop] {
			k := 0
			if at, arrival := v.time(); at != 0 {
				k = t.nearest(calls, at-late-start, arrival)
			} else if v.order > 0 {
				if before, found := callOf[&updates[v.order-1]]; found {
					k, _ = slices.BinarySearch(calls, before+1)
					k %= len(calls)
				}
			}
			left := len(byStop[stop]) - 1 - i // calls to leave for the other updates
			k = max(0, min(k, len(calls)-1-left))
			callOf[v.update], out[calls[k]] = calls[k], v.update
			calls = calls[k+1:]
		}
	}
}

// lateness returns the delay at the first call with a plausible event.
func (t *Timetable) lateness(matched []*gtfsrt.Call, start int64) (late int64, known bool) {
	for i, s := range matched {
		if s == nil {
			continue
		}
		for k, e := range [...]gtfsrt.Event{s.Arrival, s.Departure} {
			planned := start + int64(t.Arrivals[i])
			if k == 1 {
				planned = start + t.Departure(i)
			}
			switch e = plausible(e, planned); {
			case e.Time != 0:
				return e.Time - planned, true
			case e.HasDelay:
				return int64(e.Delay), true
			}
		}
	}
	return 0, false
}

// nearest returns the index of the call whose time is nearest to a time in seconds from the start.
func (t *Timetable) nearest(calls []int, at int64, arrival bool) int {
	off := func(i int) int64 {
		if arrival {
			return abs(int64(t.Arrivals[calls[i]]) - at)
		}
		return abs(t.Departure(calls[i]) - at)
	}
	after, _ := slices.BinarySearchFunc(calls, at, func(call int, want int64) int {
		return int(max(-1, min(int64(t.Arrivals[call])-want, 1)))
	})
	if after == len(calls) || after > 0 && off(after-1) <= off(after) {
		return after - 1
	}
	return after
}

func abs(n int64) int64 { return max(n, -n) }

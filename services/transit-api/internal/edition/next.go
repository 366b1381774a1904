package edition

import (
	"context"
	"maps"
	"slices"
	"time"
)

// A Departing is one call of a trip by the timetable, on a day of service.
type Departing struct {
	*Trip
	Day  Day
	Call int
	At   int64 // departure, Unix seconds
	Run  *Run
}

const (
	// maxNextTrips is how many trips may call at the stops for which the next departure is looked for, and maxNextCalls how many calls
	// the runs of one day may have.
	maxNextTrips = 100_000
	maxNextCalls = 500_000
	maxNextRows  = 50_000 // of frequencies.txt
)

// Wanted is which calls of which trips count.
type Wanted struct {
	Trip func(*Trip) bool
	Call func(p *Pattern, call int) bool
}

// Serves reports whether any trip calls at stops in the service of a day. More than one answer may be made of is [ErrTooMuch].
func (e *Edition) Serves(ctx context.Context, stops []string, day int, wanted Wanted) (bool, error) {
	if e == nil {
		return false, nil
	}
	calling, _, err := e.calling(ctx, stops, wanted)
	return slices.ContainsFunc(calling, func(t *Trip) bool { return t.Service.Runs(day) }), err
}

// Next is the first departure at stops from an instant on, within so many days; nil when there is none.
// More than one answer may be made of is [ErrTooMuch].
func (e *Edition) Next(ctx context.Context, stops []string, from time.Time, days int, zone *time.Location, wanted Wanted) (next *Departing, err error) {
	if e == nil {
		return nil, nil
	}
	calling, calls, err := e.calling(ctx, stops, wanted)
	if err != nil {
		return nil, err
	}
	begin := DayNumber(from, zone)
	for n := begin - e.DayLength()/86400 - 1; n <= begin+days; n++ {
		day := DayOf(n, zone)
		if next != nil && day.Start > next.At {
			break
		}
		var running []*Trip
		var ways []Way
		for _, t := range calling {
			if t.Service.Runs(n) {
				running, ways = append(running, t), append(ways, t.Way())
			}
		}
		if len(running) == 0 {
			continue
		}
		runs, err := e.Runs(ctx, ways, maxNextCalls)
		if err != nil {
			return nil, err
		}
		windows, err := e.Windows(ctx, running, maxNextRows)
		if err != nil {
			return nil, err
		}
		for _, t := range running {
			run := runs[t.Way()]
			if run == nil {
				continue
			}
			for _, call := range calls[t.Pattern] {
				at, ok := t.firstFrom(from.Unix()-day.Start-run.leaves(call), windows[t.ID])
				at += day.Start + run.leaves(call)
				if ok && (next == nil || at < next.At) {
					next = &Departing{t, day, call, at, run}
				}
			}
		}
	}
	return next, nil
}

// calling are the trips with times of which some call at the stops is wanted, and which calls of their patterns.
func (e *Edition) calling(ctx context.Context, stops []string, wanted Wanted) (trips []*Trip, calls map[int32][]int, err error) {
	positions, err := e.positionsAt(ctx, stops)
	if err != nil {
		return nil, nil, err
	}
	patterns, err := e.Patterns(ctx, slices.Collect(maps.Keys(positions)), maxNextCalls)
	if err != nil {
		return nil, nil, err
	}
	calls = map[int32][]int{}
	for number, p := range patterns {
		for _, position := range positions[number] {
			if call := int(position) - 1; call < len(p.StopID) && wanted.Call(p, call) {
				calls[number] = append(calls[number], call)
			}
		}
		if calls[number] == nil {
			continue
		}
		for _, t := range e.Following(number) {
			if t.Profile >= 0 && wanted.Trip(t) {
				trips = append(trips, t)
			}
		}
		if len(trips) > maxNextTrips {
			return nil, nil, ErrTooMuch
		}
	}
	return trips, calls, nil
}

// leaves is the departure of a call, in seconds from the start of the trip; as far as that is known.
func (r *Run) leaves(call int) int64 {
	if d := r.Departures[call]; d.Valid {
		return int64(d.Int32)
	}
	return int64(r.Expected[call])
}

// firstFrom is the first start of the trip at a second of the service day or after it; ok is false where there is none.
func (t *Trip) firstFrom(second int64, windows []Window) (start int64, ok bool) {
	if !t.Repeated {
		return int64(t.Start), int64(t.Start) >= second
	}
	for _, w := range windows {
		at := int64(w.Start)
		if late := second - at; late > 0 {
			at += (late + w.Every() - 1) / w.Every() * w.Every()
		}
		if at < int64(w.End) && (!ok || at < start) {
			start, ok = at, true
		}
	}
	return start, ok
}

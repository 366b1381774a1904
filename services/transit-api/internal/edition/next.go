package edition

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/townline/townline/services/transit-api/internal/kept"
)

// A ScheduledCall is one call of a trip on a service day, as scheduled.
type ScheduledCall struct {
	*Trip
	Day       Day
	Call      int
	Departure int64 // Unix seconds
	Run       *Run
}

// Start returns the start of the trip in seconds of the service day.
func (c *ScheduledCall) Start() int32 { return int32(c.Departure - c.Day.Start - c.Run.Leaves(c.Call)) }

// isBefore orders calls as boards do. A nil call comes last.
func (c *ScheduledCall) isBefore(other *ScheduledCall) bool {
	return other == nil || cmp.Or(cmp.Compare(c.Departure, other.Departure), cmp.Compare(c.TripID, other.TripID),
		cmp.Compare(c.Call, other.Call)) < 0
}

// Bounds of the search for the next departure.
const (
	maxNextTrips   = 100_000 // trips that call at the stops
	maxNextCalls   = 500_000 // calls of the runs of one day
	maxNextWindows = 50_000  // windows of one day
)

// A CallFilter selects calls of trips.
type CallFilter struct {
	Trip func(*Trip) bool
	Call func(p *Pattern, call int) bool
	// Run selects departures; nil selects all.
	Run func(ScheduledCall) bool
}

// Serves reports whether any trip calls at the stops on a service day. It returns [kept.ErrTooMuch]
// above the bounds of the search.
func (e *Edition) Serves(ctx context.Context, stops []string, day int, filter CallFilter) (bool, error) {
	if e == nil {
		return false, nil
	}
	trips, _, err := e.calling(ctx, stops, filter)
	return slices.ContainsFunc(trips, func(t *Trip) bool { return t.Service.Runs(day) }), err
}

// Next returns the first departure at the stops, from an instant until a number of days later; nil
// if there is none. It returns [kept.ErrTooMuch] above the bounds of the search.
func (e *Edition) Next(
	ctx context.Context, stops []string, from time.Time, days int, zone *time.Location, filter CallFilter,
) (next *ScheduledCall, err error) {
	if e == nil {
		return nil, nil
	}
	trips, calls, err := e.calling(ctx, stops, filter)
	if err != nil {
		return nil, err
	}
	begin := DayNumber(from, zone)
	for n := begin - e.DayLength()/86400 - 1; n <= begin+days; n++ {
		day := DayOf(n, zone)
		if next != nil && day.Start > next.Departure {
			break
		}
		first, err := e.nextOn(ctx, day, from, trips, calls, filter)
		if err != nil {
			return nil, err
		}
		if first != nil && first.isBefore(next) {
			next = first
		}
	}
	return next, nil
}

// nextOn returns the first departure of a service day from an instant on; nil if there is none.
// calls is keyed by pattern.
func (e *Edition) nextOn(
	ctx context.Context, day Day, from time.Time, trips []*Trip, calls map[int32][]int, filter CallFilter,
) (next *ScheduledCall, err error) {
	var running []*Trip
	var ways []RunKey
	for _, t := range trips {
		if t.Service.Runs(day.Number) {
			running, ways = append(running, t), append(ways, t.RunKey())
		}
	}
	if len(running) == 0 {
		return nil, nil
	}
	runs, err := e.Runs(ctx, ways, maxNextCalls)
	if err != nil {
		return nil, err
	}
	windows, err := e.Windows(ctx, running, maxNextWindows)
	if err != nil {
		return nil, err
	}
	for _, t := range running {
		run := runs[t.RunKey()]
		if run == nil {
			continue
		}
		for _, call := range calls[t.Pattern] {
			offset := run.Leaves(call)
			start, ok := t.firstStart(from.Unix()-day.Start-offset, windows[t.TripID], func(start int64) bool {
				return filter.Run == nil || filter.Run(ScheduledCall{Trip: t, Day: day, Call: call,
					Departure: day.Start + start + offset, Run: run})
			})
			candidate := ScheduledCall{Trip: t, Day: day, Call: call, Departure: day.Start + start + offset, Run: run}
			if ok && candidate.isBefore(next) {
				first := candidate // a copy, so that candidate does not escape to the heap
				next = &first
			}
		}
	}
	return next, nil
}

// calling returns the trips with times that pass the filter and call at the stops, and the calls of
// their patterns at these stops.
func (e *Edition) calling(
	ctx context.Context, stops []string, filter CallFilter,
) (trips []*Trip, calls map[int32][]int, err error) {
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
			if call := int(position) - 1; call < len(p.StopID) && filter.Call(p, call) {
				calls[number] = append(calls[number], call)
			}
		}
		if calls[number] == nil {
			continue
		}
		for _, t := range e.Following(number) {
			if t.Profile >= 0 && filter.Trip(t) {
				trips = append(trips, t)
			}
		}
		if len(trips) > maxNextTrips {
			return nil, nil, kept.ErrTooMuch
		}
	}
	return trips, calls, nil
}

// Leaves returns the departure of a call, or the arrival if the departure is missing, in seconds
// from the start of the trip.
func (r *Run) Leaves(call int) int64 {
	if d := r.Departures[call]; d.Valid {
		return int64(d.Int32)
	}
	return int64(r.Expected[call])
}

// firstStart returns the first start of the trip that runs, at or after a second of the service
// day; ok is false if there is none.
func (t *Trip) firstStart(second int64, windows []Window, runs func(int64) bool) (start int64, ok bool) {
	if !t.Repeated {
		return int64(t.Start), int64(t.Start) >= second && runs(int64(t.Start))
	}
	for _, w := range windows {
		at := int64(w.Start)
		if late := second - at; late > 0 {
			at += (late + w.Every() - 1) / w.Every() * w.Every()
		}
		for at < int64(w.End) && (!ok || at < start) && !runs(at) {
			at += w.Every()
		}
		if at < int64(w.End) && (!ok || at < start) {
			start, ok = at, true
		}
	}
	return start, ok
}

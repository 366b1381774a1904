package edition

import (
	"context"
	"math"
	"time"
)

// MaxRunningCalls bounds the number of calls of the runs in [Edition.Running].
const MaxRunningCalls = 2_000_000

// Running returns the trips that are scheduled to be under way between two instants. Each departure
// of a trip by frequency is a separate visit. It calls take with the number of its calls before it
// adds a visit, and returns the error. It returns [ErrTooMuch] above MaxRunningCalls.
func (e *Edition) Running(
	ctx context.Context, trips []*Trip, from, to time.Time, zone *time.Location, take func(calls int) error,
) ([]Visit, error) {
	once, repeated, err := e.candidates(ctx, trips, from, to, zone, All)
	if err != nil {
		return nil, err
	}
	visits, err := e.departing(ctx, once[:len(once):len(once)], repeated, from.Unix(), to.Unix())
	if err != nil {
		return nil, err
	}
	keys := make([]RunKey, len(visits))
	for i, v := range visits {
		keys[i] = v.RunKey()
	}
	runs, err := e.Runs(ctx, keys, MaxRunningCalls)
	if err != nil {
		return nil, err
	}
	var running []Visit
	for _, v := range visits {
		r := runs[v.RunKey()]
		if r == nil || len(r.Expected) == 0 {
			continue
		}
		low, high := from.Unix()-v.Day.Start-int64(r.Expected[len(r.Expected)-1]), to.Unix()-v.Day.Start
		if v.Window == nil {
			if int64(v.Start) < low || int64(v.Start) > high {
				continue
			}
			if err := take(len(r.Expected)); err != nil {
				return nil, err
			}
			running = append(running, v)
			continue
		}
		for start := range v.Window.Starts(low, high) {
			if err := take(len(r.Expected)); err != nil {
				return nil, err
			}
			running = append(running, Visit{Trip: v.Trip, Day: v.Day, Window: v.Window, Only: &start})
		}
	}
	return running, nil
}

// Passing returns the trips, by rank, for which the bounding box of their calls overlaps an area.
func (e *Edition) Passing(ctx context.Context, a Area) ([]*Trip, error) {
	var numbers []int32
	for _, i := range e.byPattern {
		if t := &e.trips[i]; t.HasTimes() && (len(numbers) == 0 || numbers[len(numbers)-1] != t.Pattern) {
			numbers = append(numbers, t.Pattern)
		}
	}
	patterns, err := e.Patterns(ctx, numbers, All)
	if err != nil {
		return nil, err
	}
	passes := make(map[int32]bool, len(patterns))
	for n, p := range patterns {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		passes[n] = a.meets(e.boxOf(p))
	}
	var all []*Trip
	for i := range e.trips {
		if t := &e.trips[i]; t.HasTimes() && passes[t.Pattern] {
			all = append(all, t)
		}
	}
	return all, nil
}

func (e *Edition) boxOf(p *Pattern) Box {
	b := nowhere
	for _, at := range e.positions(p) {
		if !math.IsNaN(at[0]) {
			b = b.with(at[1], at[0])
		}
	}
	return b
}

// meets reports whether a box may overlap the area. The box must not cross the antimeridian.
func (a *Area) meets(b Box) bool {
	if b == nowhere {
		return false
	}
	if a.Box != nil {
		east := b[2] >= a.Box[0] && b[0] <= a.Box[2]
		if a.Box[0] > a.Box[2] {
			east = b[2] >= a.Box[0] || b[0] <= a.Box[2]
		}
		if !east || b[3] < a.Box[1] || b[1] > a.Box[3] {
			return false
		}
	}
	if a.Near != nil {
		lat, lon := max(b[1], min(a.Near.Lat, b[3])), max(b[0], min(a.Near.Lon, b[2]))
		return metres(a.Near.Lat, a.Near.Lon, lat, lon) <= a.Near.Radius
	}
	return true
}

package edition

import (
	"context"
	"math"
	"time"
)

// MaxRunningCalls is the largest number of calls of the runs of [Edition.Running].
const MaxRunningCalls = 2_000_000

const maxRunning = 50_000 // journeys of an answer

// Running returns the journeys of trips that are under way between two instants, by the timetable: a
// visit for each departure, also of trips by frequency. It returns [ErrTooMuch] above its limits.
func (e *Edition) Running(
	ctx context.Context, trips []*Trip, from, to time.Time, zone *time.Location,
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
			if int64(v.Start) >= low && int64(v.Start) <= high {
				running = append(running, v)
			}
			continue
		}
		for start := range v.Window.Starts(low, high) {
			running = append(running, Visit{Trip: v.Trip, Day: v.Day, Window: v.Window, Only: &start})
			if len(running) > maxRunning {
				return nil, ErrTooMuch
			}
		}
	}
	return running, nil
}

// Passing returns the trips whose calls have a box that meets an area, by rank.
func (e *Edition) Passing(ctx context.Context, a Area) ([]*Trip, error) {
	var numbers []int32
	for _, t := range e.byPattern {
		if t.HasTimes() && (len(numbers) == 0 || numbers[len(numbers)-1] != t.Pattern) {
			numbers = append(numbers, t.Pattern)
		}
	}
	patterns, err := e.Patterns(ctx, numbers, All)
	if err != nil {
		return nil, err
	}
	passes := make(map[int32]bool, len(patterns))
	for n, p := range patterns {
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

// boxOf returns the box of the calls of a pattern.
func (e *Edition) boxOf(p *Pattern) Box {
	b := nowhere
	for _, at := range e.positions(p) {
		if !math.IsNaN(at[0]) {
			b = b.with(at[1], at[0])
		}
	}
	return b
}

// meets reports whether a box that does not cross the antimeridian may have a point in the area.
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

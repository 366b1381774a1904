package edition

import (
	"context"
	"time"
)

// MaxRunningCalls bounds the number of calls of the runs in [Edition.Running].
const MaxRunningCalls = 2_000_000

// Running returns the trips that are scheduled to be under way between two instants. Each departure
// of a trip by frequency is a separate visit. It calls take with the number of its calls before it
// adds a visit, and returns the error. It returns [kept.ErrTooMuch] above MaxRunningCalls.
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

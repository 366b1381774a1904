package edition

import (
	"context"
	"time"
)

const (
	maxRunningCalls = 2_000_000 // of the runs of an answer
	maxRunning      = 50_000    // journeys of an answer
)

// Running returns the journeys of trips that are under way between two instants, by the timetable: a
// visit for each departure, also of trips by frequency. It returns [ErrTooMuch] above its limits.
func (e *Edition) Running(
	ctx context.Context, trips []*Trip, from, to time.Time, zone *time.Location,
) ([]Visit, map[RunKey]*Run, error) {
	var once, repeated []Visit
	last := DayNumber(to, zone) + 1
	for n := DayNumber(from, zone) - e.DayLength()/86400 - 1; n <= last; n++ {
		day := DayOf(n, zone)
		low, high := from.Unix()-day.Start, to.Unix()-day.Start
		for _, t := range trips {
			switch {
			case !t.HasTimes() || !t.Service.Runs(n):
			case t.Repeated:
				repeated = append(repeated, Visit{Trip: t, Day: day})
			case int64(t.Start) <= high && int64(t.Start)+int64(e.longest.Run) >= low:
				once = append(once, Visit{Trip: t, Day: day})
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
	}
	visits, err := e.departing(ctx, once[:len(once):len(once)], repeated, from.Unix(), to.Unix())
	if err != nil {
		return nil, nil, err
	}
	keys := make([]RunKey, len(visits))
	for i, v := range visits {
		keys[i] = v.RunKey()
	}
	runs, err := e.Runs(ctx, keys, maxRunningCalls)
	if err != nil {
		return nil, nil, err
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
		first, every := int64(v.Window.Start), v.Window.Every()
		if skip := low - first; skip > 0 {
			first += (skip + every - 1) / every * every
		}
		for at := first; at < int64(v.Window.End) && at <= high; at += every {
			start := int32(at)
			running = append(running, Visit{Trip: v.Trip, Day: v.Day, Window: v.Window, Only: &start})
			if len(running) > maxRunning {
				return nil, nil, ErrTooMuch
			}
		}
	}
	return running, runs, nil
}

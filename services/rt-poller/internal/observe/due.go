package observe

import (
	"context"
	"time"
)

// clock returns the time of the feed: that of the latest message, and what has passed since.
func (w *Watch) clock() int64 {
	at := w.observer.Clock()
	if at == 0 {
		return 0
	}
	return at + int64(time.Since(w.received)/time.Second)
}

// daySeconds bounds the length of a service day in seconds.
const daySeconds = 3 * 86400

// settle stores what became of trips that are over.
func (w *Watch) settle(ctx context.Context) error {
	clock := w.clock()
	if clock == 0 {
		return nil
	}
	o := w.observer
	today := o.Zone.Day(clock)
	gaps, err := w.store.gaps(ctx, o.Zone.Start(today-3))
	if err != nil {
		return err
	}
	coverage := NewCoverage(gaps, o.Last())
	for day := today - 2; day <= today; day++ {
		after, known, err := w.store.settledTo(ctx, day)
		if err != nil {
			return err
		}
		if !known {
			after = -86400
			for _, g := range gaps {
				if start := o.Zone.Start(day); g.Reason == Started && o.Zone.Day(g.To) > day {
					after = max(after, int32(g.To-start)) // observing began after the day
				}
			}
		}
		until := int32(min(clock-settleDelay-o.Zone.Start(day), daySeconds))
		for after < until {
			to := min(until, max(after, 0)+3600)
			if err := w.settleDay(ctx, day, after, to, coverage); err != nil {
				return err
			}
			after = to
		}
	}
	return nil
}

func (w *Watch) settleDay(ctx context.Context, day, after, until int32, coverage *Coverage) error {
	planned, err := w.timetable.planned(ctx, day, after, until)
	if err != nil {
		return err
	}
	rows := w.observer.Settle(day, planned, coverage)
	return w.store.write(ctx, &change{rows: rows, settled: true, day: day, until: until})
}

// addUp computes the figures of the days that have changed.
func (w *Watch) addUp(ctx context.Context) error {
	begin := time.Now()
	days, err := w.store.staleDays(ctx)
	if err != nil {
		return err
	}
	for _, day := range days {
		start := w.observer.Zone.Start(day)
		gaps, err := w.store.gaps(ctx, start-86400)
		if err != nil {
			return err
		}
		if err := w.store.addUp(ctx, day, NewCoverage(gaps, w.observer.Last()), start); err != nil {
			return err
		}
	}
	w.added = time.Now()
	w.addUpPause = min(max(minAddUpPause, addUpShare*time.Since(begin)), maxAddUpPause)
	return nil
}

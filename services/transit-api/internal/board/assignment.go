package board

import (
	"cmp"
	"math"
	"time"

	"github.com/townline/townline/pkg/gtfsrt/assign"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/realtime"
)

// markUpdated records that a journey has an update. A vehicle's own run stands for the nearest
// departure of its trip.
func (m *merger) markUpdated(j *journey) {
	for _, start := range []int32{j.start, j.grid} {
		if start == j.start || j.own {
			key := m.key(j)
			key.Start = start
			m.updated[key] = true
			m.Board.updated[key] = true
		}
	}
}

// journey returns the journey that an update is about, and matches its calls; nil if its times fit
// no journey.
func (m *merger) journey(
	u *mergedUpdate, t *edition.Trip, run *edition.Run, repeated []edition.Window,
) (*journey, *assign.Timetable) {
	table := timetableOf(run, m.Edition)
	all, stated := m.candidates(u, t, run, table, repeated)
	starts := make([]int64, len(all))
	for i := range all {
		starts[i] = all[i].begins()
	}
	var best int
	best, m.matched = table.Find(u.prediction.Calls, starts, stated, m.clock, m.matched)
	switch u.prediction.Relationship {
	case canceled, deleted, replacement: // no time of the timetable applies
		if best < 0 {
			best, m.matched = table.Find(nil, starts, stated, m.clock, m.matched)
		}
	}
	if best < 0 {
		return nil, nil
	}
	j := &all[best]
	if d := m.detourOf(j); d != nil {
		j, table = j.on(d), timetableOf(d.run, m.Edition)
		best, m.matched = table.Find(u.prediction.Calls, starts[best:best+1], true, m.clock, m.matched)
		if best < 0 {
			_, m.matched = table.Find(nil, []int64{j.begins()}, true, m.clock, m.matched)
		}
	}
	return j, table
}

// candidates returns the journeys that an update may be about. If stated is set, the first one is
// the journey that it names. Some feeds name the day before or after, if a trip runs past midnight.
func (m *merger) candidates(
	u *mergedUpdate, t *edition.Trip, run *edition.Run, table *assign.Timetable, repeated []edition.Window,
) (all []journey, stated bool) {
	id := t.TripID
	date := u.StartDate
	clock := u.StartTime
	isCopy := u.prediction.Relationship == duplicated
	if own := &u.prediction.Own; isCopy {
		id = cmp.Or(string(own.TripID), id)
		if len(own.StartDate) > 0 {
			date = own.StartDate
		}
		if len(own.StartTime) > 0 {
			clock = own.StartTime
		}
	}
	start, timed := realtime.ClockSeconds(string(clock))
	named, stated := edition.ParseDay(string(date))
	days := []int{named, named - 1, named + 1}
	if !stated {
		days = days[:0]
		today := edition.DayNumber(time.Unix(m.clock, 0), m.Zone)
		for n := today - m.Edition.DayLength()/86400 - 1; n <= today+1; n++ {
			days = append(days, n)
		}
	}
	for i, n := range days {
		if !(stated && i == 0) && !t.Service.Runs(n) && !isCopy {
			continue
		}
		j := journey{trip: t, id: id, day: edition.DayOf(n, m.Zone), start: t.Start, run: run}
		switch {
		case repeated != nil && !j.repeat(u, start, timed, table, repeated):
			continue
		case isCopy && timed:
			j.start = start
		}
		all = append(all, j)
		if stated && timed && repeated == nil && j.begins() == edition.DayOf(named, m.Zone).Start+int64(start) {
			last := len(all) - 1 // date and time together name this journey
			all[0], all[last] = all[last], all[0]
		}
	}
	return all, stated && len(all) > 0
}

// repeat sets the start of a journey by frequency: the departure nearest to the update's start_time
// or, without one, to its first time. It returns false if the trip does not run then.
func (j *journey) repeat(
	u *mergedUpdate, start int32, timed bool, table *assign.Timetable, windows []edition.Window,
) bool {
	at := int64(start)
	if !timed {
		first, ok := table.First(u.prediction.Calls)
		at = first - j.day.Start
		if !ok || at < math.MinInt32 || at > math.MaxInt32 {
			return false
		}
	}
	j.grid, j.window = nearest(at, windows)
	if off := at - int64(j.grid); !timed && max(off, -off) > max(assign.Tolerance, j.window.Every()) {
		return false
	}
	j.start, j.own = j.grid, !j.window.Exact
	if j.own {
		j.start = int32(at)
	}
	return true
}

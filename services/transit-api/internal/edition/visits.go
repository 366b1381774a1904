package edition

import (
	"context"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/kept"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// A Window is a row of frequencies.txt: departures every Headway seconds, from Start to before End.
type Window struct {
	TripID  string
	Start   int32 `db:"start_time"`
	End     int32 `db:"end_time"`
	Headway int32 `db:"headway_secs"`
	Exact   bool  // trips leave at exactly these times; otherwise they only keep the headway
}

// Every returns the headway, at least one second. It is an int64, because the sum of two headways
// may not fit into 32 bits.
func (w Window) Every() int64 { return max(1, int64(w.Headway)) }

// Starts yields the departures between two seconds of the service day.
func (w Window) Starts(from, to int64) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		at, every := int64(w.Start), w.Every()
		if skip := from - at; skip > 0 {
			at += (skip + every - 1) / every * every
		}
		for ; at < int64(w.End) && at <= to && yield(int32(at)); at += every {
		}
	}
}

type tripList struct {
	VersionID replica.Version
	TripIDs   []string `arg:"trip_ids"`
}

var windowsOf = rest.SQL[tripList, Window](`
	SELECT trip_id, start_time, end_time, headway_secs, coalesce(exact_times, '0') = '1' AS exact
	FROM transit.frequency
	WHERE version_id = @version_id AND trip_id = ANY (@trip_ids::text[])
	ORDER BY trip_id, start_time`)

// Windows returns the windows of trips by trip_id, or [kept.ErrTooMuch] if there are more than limit.
func (e *Edition) Windows(ctx context.Context, trips []*Trip, limit int) (map[string][]Window, error) {
	byTrip, ids := map[string][]Window{}, []string(nil)
	for _, t := range trips {
		if t.Repeated {
			ids = append(ids, t.TripID)
		}
	}
	if len(ids) == 0 {
		return byTrip, nil
	}
	n := 0
	return byTrip, windowsOf.Each(ctx, e.db, tripList{e.version, ids}, func(w Window) error {
		n++
		if n > limit {
			return kept.ErrTooMuch
		}
		byTrip[w.TripID] = append(byTrip[w.TripID], w)
		return nil
	})
}

// A Visit is a trip that calls at a stop on a service day.
type Visit struct {
	*Trip
	Day    Day
	Window *Window // nil for a trip that runs once that day
	Only   *int32  // only this departure of the window; nil means all
}

// Bounds of the search for the visits of one answer. No real stop comes near them.
const (
	maxStops      = 10_000  // stops of a station
	maxCandidates = 200_000 // trips per day, before their call times are compared
	maxVisits     = 20_000
	maxWindows    = 200_000   // rows of frequencies.txt
	maxVisitCalls = 6_000_000 // calls of the profiles that are in memory at once
	profilesOnce  = 5_000     // candidates whose times are in memory at once
)

// positionsAt returns the positions, from 1, of calls at the stops, keyed by pattern.
func (e *Edition) positionsAt(ctx context.Context, stops []string) (map[int32][]int32, error) {
	if len(stops) > maxStops {
		return nil, kept.ErrTooMuch
	}
	found, err := e.calls.Get(ctx, stops, All)
	if err != nil {
		return nil, err
	}
	positions := map[int32][]int32{}
	for _, at := range found {
		for i, p := range at.Patterns {
			if !slices.Contains(positions[p], at.Positions[i]) {
				positions[p] = append(positions[p], at.Positions[i])
			}
		}
	}
	return positions, nil
}

// Visits returns the trips that call at stops between two instants, and all patterns that call
// there. A trip whose call has no time is returned if it is under way. The error is [kept.ErrTooMuch]
// above the bounds of one answer.
func (e *Edition) Visits(
	ctx context.Context, stops []string, from, to time.Time, zone *time.Location,
) (visits []Visit, patterns []int32, err error) {
	if e == nil {
		return nil, nil, nil
	}
	positions, err := e.positionsAt(ctx, stops)
	if err != nil {
		return nil, nil, err
	}
	var trips []*Trip
	for p := range positions {
		trips = append(trips, e.Following(p)...)
	}
	once, repeated, err := e.candidates(ctx, trips, from, to, zone, maxCandidates)
	if err != nil {
		return nil, nil, err
	}
	for part := range slices.Chunk(once, profilesOnce) {
		visits, err = e.inTime(ctx, visits, part, positions, from.Unix(), to.Unix())
		if err != nil {
			return nil, nil, err
		}
	}
	visits, err = e.departing(ctx, visits, repeated, from.Unix(), to.Unix())
	if err != nil {
		return nil, nil, err
	}
	return visits, slices.Collect(maps.Keys(positions)), nil
}

// candidates returns the trips that may be under way between two instants, by service day: trips
// that run once that day, and trips by frequency. It returns [kept.ErrTooMuch] if there are more than
// most.
func (e *Edition) candidates(
	ctx context.Context, trips []*Trip, from, to time.Time, zone *time.Location, most int,
) (once, repeated []Visit, err error) {
	last := DayNumber(to, zone) + 1 // noon minus twelve hours may be before midnight
	for n := DayNumber(from, zone) - e.DayLength()/86400 - 1; n <= last; n++ {
		day := DayOf(n, zone)
		low, high := from.Unix()-day.Start, to.Unix()-day.Start
		if high < 0 || low > int64(e.DayLength()) {
			continue
		}
		for i, t := range trips {
			switch {
			case !t.HasTimes() || !t.Repeated && (int64(t.Start) > high || int64(t.Start)+int64(e.longest.Run) < low) ||
				!t.Service.Runs(n):
			case t.Repeated:
				repeated = append(repeated, Visit{Trip: t, Day: day})
			default:
				once = append(once, Visit{Trip: t, Day: day})
			}
			if len(once)+len(repeated) > most {
				return nil, nil, kept.ErrTooMuch
			}
			if i%1000 == 0 && ctx.Err() != nil {
				return nil, nil, ctx.Err()
			}
		}
	}
	return once, repeated, nil
}

func (e *Edition) inTime(
	ctx context.Context, visits, candidates []Visit, positions map[int32][]int32, from, to int64,
) ([]Visit, error) {
	seen, which := map[int32]bool{}, []int32(nil)
	for _, v := range candidates {
		if !seen[v.Profile] {
			seen[v.Profile] = true
			which = append(which, v.Profile)
		}
	}
	profiles, err := e.profiles.Get(ctx, which, profileCallBytes*maxVisitCalls)
	if err != nil {
		return nil, err
	}
	for _, v := range candidates {
		profile := profiles[v.Profile]
		if profile == nil || !slices.ContainsFunc(positions[v.Pattern], func(position int32) bool {
			i := int(position) - 1
			if i >= len(profile.Departures) {
				return false
			}
			arrives, timed := profile.arrival(i)
			begins := v.Day.Start + int64(v.Start)
			return !timed || begins+int64(profile.departure(i)) >= from && begins+int64(arrives) <= to
		}) {
			continue
		}
		visits = append(visits, v)
		if len(visits) > maxVisits {
			return nil, kept.ErrTooMuch
		}
	}
	return visits, nil
}

// departing adds the visits of trips by frequency whose windows overlap the time between two
// instants.
func (e *Edition) departing(ctx context.Context, visits, candidates []Visit, from, to int64) ([]Visit, error) {
	trips := make([]*Trip, len(candidates))
	for i, v := range candidates {
		trips[i] = v.Trip
	}
	windows, err := e.Windows(ctx, trips, maxWindows)
	if err != nil {
		return nil, err
	}
	for _, v := range candidates {
		for i := range windows[v.TripID] {
			w := &windows[v.TripID][i]
			if v.Day.Start+int64(w.Start) > to || v.Day.Start+int64(w.End)+int64(e.longest.Run) < from {
				continue
			}
			visits = append(visits, Visit{Trip: v.Trip, Day: v.Day, Window: w})
			if len(visits) > maxVisits {
				return nil, kept.ErrTooMuch
			}
		}
	}
	return visits, nil
}

package static

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/kept"
)

// Bounds of one timetable, far above real timetables.
const (
	maxScheduledCalls = 500_000 // of all runs together
	maxFrequencies    = 200_000 // rows of frequencies.txt
)

// readTimedTrips returns the timed trips of a direction with their calls and rows. It omits trips
// without calls. A trip in frequencies.txt is listed once for each of its windows.
func readTimedTrips(
	ctx context.Context, f *edition.Feed, route *edition.Route, direction string, trips []*edition.Trip,
) (timed []board.TimedTrip, err error) {
	if len(trips) == 0 {
		return nil, nil
	}
	ways, patterns := make([]edition.RunKey, len(trips)), make([]int32, len(trips))
	for i, t := range trips {
		ways[i], patterns[i] = t.RunKey(), t.Pattern
	}
	runs, err := f.Runs(ctx, ways, maxScheduledCalls)
	if errors.Is(err, kept.ErrTooMuch) {
		return nil, tooLarge("the trips of this timetable have more than %d different calls; "+
			"read the route's trips and their stop times, which are paged", maxScheduledCalls)
	} else if err != nil {
		return nil, err
	}
	rows, err := f.PatternOrders(ctx, route, direction, patterns)
	if err != nil {
		return nil, err
	}
	windows, err := f.Windows(ctx, trips, maxFrequencies)
	if errors.Is(err, kept.ErrTooMuch) {
		return nil, tooLarge("the trips of this timetable have more than %d rows in frequencies.txt", maxFrequencies)
	} else if err != nil {
		return nil, err
	}
	for _, t := range trips {
		s, order := board.TimedTrip{Trip: t, Start: t.Start, Run: runs[t.RunKey()]}, rows[t.Pattern]
		if s.Run == nil || order == nil {
			continue
		}
		s.Rows = order.Rows
		switch {
		case !t.Repeated:
			timed = append(timed, s)
		default:
			for _, w := range windows[t.TripID] {
				s.Start = w.Start
				s.Every = w.Every()
				s.Until = w.End
				s.Approximate = !w.Exact
				timed = append(timed, s)
			}
		}
	}
	return timed, nil
}

// TimedTrips returns the earliest most trips of a direction whose service runs; cut is set if there
// are more.
func TimedTrips(
	ctx context.Context, f *edition.Feed, route *edition.Route, direction string,
	runs func(*edition.Service) bool, most int,
) (some []board.TimedTrip, cut bool, err error) {
	found := TripsIn(f, route, direction, runs)
	slices.SortStableFunc(found, func(x, y *edition.Trip) int { return cmp.Compare(x.Start, y.Start) })
	cut = len(found) > most
	some, err = readTimedTrips(ctx, f, route, direction, found[:min(len(found), most)])
	return some, cut, err
}

// TripsIn returns the trips of a direction that have times and a service for which runs returns
// true, in the order of the feed.
func TripsIn(
	f *edition.Feed, route *edition.Route, direction string, runs func(*edition.Service) bool,
) (found []*edition.Trip) {
	trips := f.TripsOf(route.Trips())
	for i := range trips {
		if t := &trips[i]; t.HasTimes() && t.Direction() == direction && runs(t.Service) {
			found = append(found, t)
		}
	}
	return found
}

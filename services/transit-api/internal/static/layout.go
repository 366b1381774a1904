package static

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// How trips lie in the rows of a timetable: those of a schedule, and those of a day on a page.

type orderArgs struct {
	VersionID   replica.Version
	RouteID     string
	DirectionID string
	Patterns    []int32
}

// A patternOrder is a pattern in the service order of a direction.
type patternOrder struct {
	Pattern int32
	Rows    []pgtype.Int4
}

var patternOrders = rest.SQL[orderArgs, patternOrder](`
	SELECT pattern, rows
	FROM transit.route_pattern
	WHERE version_id = @version_id AND route_id = @route_id AND direction_id = @direction_id AND pattern = ANY (@patterns::integer[])`)

// Limits of the trips of one timetable. No real one comes near them.
const (
	maxScheduledCalls = 500_000 // of all runs together
	maxFrequencies    = 200_000 // rows of frequencies.txt
)

// A layout is how some trips of a direction lie in its rows.
type layout struct {
	runs    map[edition.Way]*edition.Run
	rows    map[int32][]pgtype.Int4     // by pattern
	windows map[string][]edition.Window // by trip
}

// layOut reads how trips lie in the rows of their direction.
func layOut(ctx context.Context, c *rest.Call, f *edition.Feed, route, direction string, trips []*edition.Trip) (l layout, err error) {
	if len(trips) == 0 {
		return l, nil
	}
	args := orderArgs{VersionID: f.Version, RouteID: route, DirectionID: direction}
	ways := make([]edition.Way, len(trips))
	for i, t := range trips {
		ways[i] = t.Way()
		args.Patterns = append(args.Patterns, t.Pattern)
	}
	l.runs, err = f.Runs(ctx, ways, maxScheduledCalls)
	if errors.Is(err, edition.ErrTooMuch) {
		return l, tooMuch("the trips of this timetable have more than %d different calls; read the route's trips and their stop times, which are paged", maxScheduledCalls)
	} else if err != nil {
		return l, err
	}
	slices.Sort(args.Patterns)
	args.Patterns = slices.Compact(args.Patterns)
	orders, err := patternOrders.List(ctx, c, args)
	if err != nil {
		return l, err
	}
	l.rows = make(map[int32][]pgtype.Int4, len(orders))
	for _, o := range orders {
		l.rows[o.Pattern] = o.Rows
	}
	l.windows, err = f.Windows(ctx, trips, maxFrequencies)
	if errors.Is(err, edition.ErrTooMuch) {
		return l, tooMuch("the trips of this timetable have more than %d rows in frequencies.txt", maxFrequencies)
	}
	return l, err
}

// of is a trip's calls, and the row of each; nil where it has none.
func (l layout) of(t *edition.Trip) (*edition.Run, []pgtype.Int4) {
	return l.runs[t.Way()], l.rows[t.Pattern]
}

// SheetTrips are the trips of a direction that run, the first most of the day where they are too many; a trip by headway is there once
// for each of its frequencies.
func SheetTrips(ctx context.Context, c *rest.Call, f *edition.Feed, route *edition.Route, direction string, trips []edition.Trip, runs func(*edition.Service) bool, most int) (some []board.SheetTrip, cut bool, err error) {
	var found []*edition.Trip
	for i := range trips {
		if t := &trips[i]; t.Timed() && string(t.Direction) == direction && runs(t.Service) {
			found = append(found, t)
		}
	}
	slices.SortStableFunc(found, func(x, y *edition.Trip) int { return cmp.Compare(x.Start, y.Start) })
	cut = len(found) > most
	if cut {
		found = found[:most]
	}
	l, err := layOut(ctx, c, f, route.ID, direction, found)
	if err != nil {
		return nil, false, err
	}
	for _, t := range found {
		s := board.SheetTrip{Trip: t, Start: t.Start}
		s.Run, s.Rows = l.of(t)
		if s.Run == nil || s.Rows == nil {
			continue
		}
		if !t.Repeated {
			some = append(some, s)
			continue
		}
		for _, w := range l.windows[t.ID] {
			s.Start, s.Every, s.Until, s.About = w.Start, w.Every(), w.End, !w.Exact
			some = append(some, s)
		}
	}
	return some, cut, nil
}

// ShortNames are the trip_short_names of some trips, by trip_id.
func ShortNames(ctx context.Context, c *rest.Call, f *edition.Feed, trips []board.SheetTrip) (map[string]string, error) {
	list := tripList{VersionID: f.Version}
	for i := range trips {
		list.Ranks = append(list.Ranks, trips[i].Rank)
	}
	rows, err := tripsByRank.List(ctx, c, list)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for i := range rows {
		if short := rows[i].TripShortName; short != nil {
			names[rows[i].TripID] = *short
		}
	}
	return names, nil
}

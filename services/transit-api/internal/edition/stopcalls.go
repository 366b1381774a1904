package edition

import (
	"context"
	"slices"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/kept"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// StopCalls lists the patterns that call at a stop; for a station, also at its platforms.
type StopCalls struct {
	StopID     string
	Directions []int32 // ranks in table route_direction
	Patterns   []int32 // ascending, parallel to Positions and Trips; a pattern that calls twice is listed twice
	Positions  []int32 // counted from 1
	Trips      []int32 // number of trips that follow the pattern
	TripCount  int
	CallCount  int
}

type stopList struct {
	VersionID replica.Version
	StopIDs   []string `arg:"stop_ids"`
}

var stopCallsByID = rest.SQL[stopList, StopCalls](`
	SELECT stop_id, directions, patterns, positions, trips, trip_count, call_count
	FROM transit.stop_index
	WHERE version_id = @version_id AND stop_id = ANY (@stop_ids::text[])`)

func (e *Edition) readStopCalls(ctx context.Context, which []string, each func(string, *StopCalls, int) error) error {
	return stopCallsByID.Each(ctx, e.db, stopList{e.version, which}, func(row StopCalls) error {
		return each(row.StopID, &row, 4*(len(row.Directions)+3*len(row.Patterns)))
	})
}

// TripsByHeadsign returns one trip per headsign at a stop, the most frequent headsign first.
func (e *Edition) TripsByHeadsign(ctx context.Context, stop string) ([]*Trip, error) {
	at, err := e.CallsAt(ctx, stop)
	if err != nil {
		return nil, err
	}
	var trips []*Trip
	count := map[string]int{}
	for i, pattern := range at.Patterns {
		following := e.Following(pattern)
		if len(following) == 0 {
			continue
		}
		sign := e.Sign(following[0])
		if sign.Text == nil {
			continue
		}
		to := *sign.Text
		if count[to] == 0 {
			trips = append(trips, following[0])
		}
		count[to] += int(at.Trips[i])
	}
	slices.SortStableFunc(trips, func(a, b *Trip) int { return count[*e.Sign(b).Text] - count[*e.Sign(a).Text] })
	return trips, nil
}

// MainStops returns at most most stops, those with the most trips. Platforms are counted for their
// station.
func (e *Edition) MainStops(ctx context.Context, most int) ([]*Stop, error) {
	var ids []string
	for i := range e.Stops {
		if s := &e.Stops[i]; s.IsPublic() && s.ParentStation == nil && len(ids) < maxStops {
			ids = append(ids, s.StopID)
		}
	}
	found, err := e.calls.Get(ctx, ids, All)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(ids, func(a, b string) int {
		calls := func(id string) int {
			if found[id] == nil {
				return 0
			}
			return found[id].TripCount
		}
		return calls(b) - calls(a)
	})
	var stops []*Stop
	for _, id := range ids[:min(len(ids), most)] {
		stops = append(stops, e.Stop(id))
	}
	return stops, nil
}

// CallsByStop returns the patterns that call at each stop. It omits stops without calls.
func (e *Edition) CallsByStop(ctx context.Context, stops []string) (map[string]*StopCalls, error) {
	return e.calls.Get(ctx, stops, All)
}

// CallsAt returns the patterns that call at a stop; an empty StopCalls if there are none.
func (e *Edition) CallsAt(ctx context.Context, stop string) (*StopCalls, error) {
	found, err := e.calls.Get(ctx, []string{stop}, All)
	if err != nil || found[stop] == nil {
		return &StopCalls{}, err
	}
	return found[stop], nil
}

// RoutesAt returns the routes with trips that call at any of the stops, by rank.
func (e *Edition) RoutesAt(ctx context.Context, stops []string) ([]*Route, error) {
	if e == nil || len(stops) == 0 {
		return nil, nil
	}
	if len(stops) > maxStops {
		return nil, kept.ErrTooMuch
	}
	found, err := e.calls.Get(ctx, stops, All)
	if err != nil {
		return nil, err
	}
	var all []*Route
	for _, at := range found {
		all = append(all, e.routesOf(at)...)
	}
	return sortedRoutes(all), nil
}

// RoutesByStop returns the routes of each stop, by rank. A station has the routes of its platforms.
func (e *Edition) RoutesByStop(ctx context.Context, stops []string) (map[string][]*Route, error) {
	found, err := e.calls.Get(ctx, stops, All)
	all := make(map[string][]*Route, len(found))
	for id, at := range found {
		all[id] = sortedRoutes(e.routesOf(at))
	}
	return all, err
}

// RoutesOf returns the routes whose trips call at a stop, by rank.
func (e *Edition) RoutesOf(at *StopCalls) []*Route { return sortedRoutes(e.routesOf(at)) }

func (e *Edition) routesOf(at *StopCalls) []*Route {
	all := make([]*Route, 0, len(at.Directions))
	for _, rank := range at.Directions {
		for _, d := range e.DirectionsIn(Span{int(rank), 1}) {
			if r := e.Route(d.RouteID); r != nil {
				all = append(all, r)
			}
		}
	}
	return all
}

// sortedRoutes sorts routes by rank and removes duplicates.
func sortedRoutes(all []*Route) []*Route {
	slices.SortFunc(all, func(a, b *Route) int { return a.Rank - b.Rank })
	return slices.Compact(all)
}

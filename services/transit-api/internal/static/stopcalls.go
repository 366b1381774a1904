package static

import (
	"context"
	"slices"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/replica"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// callsAt returns the patterns that call at the stop in the path; the resources in this file list
// their routes, directions, trips and stop times. A station includes its platforms.

func callsAt(ctx context.Context, f *edition.Feed, p StopParams) (*edition.StopCalls, error) {
	if _, err := FindStop(f, p.StopID); err != nil {
		return nil, err
	}
	return f.CallsAt(ctx, p.StopID)
}

type directionList struct {
	VersionID  replica.Version
	Directions []int32
}

var routesOfDirections = rest.SQL[directionList, Route](`
	SELECT ` + routeColumns + `
	FROM transit.route r
	WHERE r.version_id = @version_id
	  AND r.route_id IN (SELECT d.route_id FROM transit.route_direction d WHERE d.version_id = @version_id
	    AND d.ord = ANY (@directions::integer[]))
	ORDER BY r.ord`)

var directionsByRank = rest.SQL[directionList, Direction](`
	SELECT ` + directionColumns + `
	FROM transit.route_direction d
	WHERE d.version_id = @version_id AND d.ord = ANY (@directions::integer[])
	ORDER BY d.ord`)

func (a *API) stopCallEndpoints() rest.Table {
	const doc, notFound = "A station includes its platforms.", "unknown feed or stop"
	return rest.Table{
		list(a, rest.Spec{ID: "static.stop_routes", Path: StopPath + "/routes", Summary: "Routes that call at a stop",
			Doc:     doc,
			Queries: rest.Queries(routesOfDirections), NotFound: notFound}, a.listStopRoutes),
		list(a, rest.Spec{ID: "static.stop_directions", Path: StopPath + "/directions",
			Summary: "Directions of routes that call at a stop", Doc: doc,
			Queries: rest.Queries(directionsByRank, routesOfDirections), NotFound: notFound}, a.listStopDirections),
		list(a, rest.Spec{ID: "static.stop_trips", Path: StopPath + "/trips", Summary: "Trips that call at a stop",
			Doc: doc + " A trip that calls twice is listed once.", Queries: rest.Queries(tripsByRank), NotFound: notFound},
			listStopTrips),
		list(a, rest.Spec{ID: "static.stop_stop_times", Path: StopPath + "/stop_times",
			Summary: "Stop times of a stop over all trips and service days",
			Doc:     doc + " To filter by service day, use the service_id of the linked trips.", NotFound: notFound},
			listStopStopTimes),
	}
}

func (a *API) listStopRoutes(ctx context.Context, c *rest.Call, f *edition.Feed, p stopPage) ([]Route, int, error) {
	x, err := callsAt(ctx, f, p.StopParams)
	if err != nil {
		return nil, 0, err
	}
	all, err := a.routesOf(ctx, c, f, x.Directions)
	from, to := p.Part(len(all))
	return all[from:to], len(all), err
}

func (a *API) listStopDirections(ctx context.Context, c *rest.Call, f *edition.Feed,
	p stopPage) ([]Direction, int, error) {
	x, err := callsAt(ctx, f, p.StopParams)
	if err != nil {
		return nil, 0, err
	}
	from, to := p.Part(len(x.Directions))
	page, err := directionsByRank.List(ctx, c, directionList{f.Version, x.Directions[from:to]})
	if err != nil {
		return nil, 0, err
	}
	routes, err := a.routesOf(ctx, c, f, x.Directions[from:to])
	if err != nil {
		return nil, 0, err
	}
	for i := range page {
		at := slices.IndexFunc(routes, func(r Route) bool { return r.RouteID == page[i].RouteID })
		page[i].Route = &routes[at]
		page[i].link(c, f)
	}
	return page, len(x.Directions), nil
}

func (a *API) routesOf(ctx context.Context, c *rest.Call, f *edition.Feed, directions []int32) ([]Route, error) {
	all, err := routesOfDirections.List(ctx, c, directionList{f.Version, directions})
	for i := range all {
		a.finishRoute(&all[i], c, f)
	}
	return all, err
}

func listStopTrips(ctx context.Context, c *rest.Call, f *edition.Feed, p stopPage) ([]Trip, int, error) {
	x, err := callsAt(ctx, f, p.StopParams)
	if err != nil {
		return nil, 0, err
	}
	from, to := p.Part(x.TripCount)
	list, order := tripList{VersionID: f.Version}, map[string]int{}
	for i, call := range callsOn(f, x, from, to, true) {
		list.Ranks = append(list.Ranks, call.trip.Rank)
		order[call.trip.ID] = i
	}
	page, err := tripsByRank.List(ctx, c, list)
	slices.SortFunc(page, func(a, b Trip) int { return order[a.TripID] - order[b.TripID] })
	for i := range page {
		page[i].link(c, f)
	}
	return page, x.TripCount, err
}

func listStopStopTimes(ctx context.Context, c *rest.Call, f *edition.Feed, p stopPage) (StopTimes, int, error) {
	x, err := callsAt(ctx, f, p.StopParams)
	if err != nil {
		return nil, 0, err
	}
	from, to := p.Part(x.CallCount)
	calls := callsOn(f, x, from, to, false)
	ways := make([]edition.RunKey, len(calls))
	for i := range calls {
		ways[i] = calls[i].trip.RunKey()
	}
	runs, err := f.Runs(ctx, ways, edition.All)
	if err != nil {
		return nil, 0, err
	}
	page := make([]StopTime, len(calls))
	for i, call := range calls {
		page[i] = stopTime(call.trip, runs[ways[i]], call.position)
		page[i].Links = wire.Links{
			{Rel: "trip", Href: c.URL(TripPath, f.Alias, call.trip.Route.AgencyID, call.trip.Route.ID, call.trip.ID)},
			{Rel: "stop", Href: c.URL(StopPath, f.Alias, page[i].StopID)},
		}
	}
	return page, x.CallCount, nil
}

type tripCall struct {
	trip     *edition.Trip
	position int
}

// callsOn returns the items [from, to) of all calls at a stop, by pattern and trip. If once is set,
// a trip that calls twice is one item.
func callsOn(f *edition.Feed, x *edition.StopCalls, from, to int, once bool) []tripCall {
	var page []tripCall
	at := 0
	for i, n := range x.Trips {
		if once && i > 0 && x.Patterns[i] == x.Patterns[i-1] {
			continue
		}
		if first, end := max(from-at, 0), min(to-at, int(n)); first < end {
			trips := f.Following(x.Patterns[i])
			for _, t := range trips[min(first, len(trips)):min(end, len(trips))] {
				page = append(page, tripCall{t, int(x.Positions[i]) - 1})
			}
		}
		at += int(n)
	}
	return page
}

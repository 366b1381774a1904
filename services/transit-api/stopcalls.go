package transitapi

import (
	"context"
	"slices"

	"github.com/townline/townline/services/transit-api/internal/wire"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// What calls at a stop: its routes, directions, trips and stop times. A station answers for its platforms too.

// callsAt is what calls at a stop.
func callsAt(ctx context.Context, f *edition.Feed, p stopParams) (*edition.StopCalls, error) {
	if _, err := findStop(f, p.StopID); err != nil {
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
	  AND r.route_id IN (SELECT d.route_id FROM transit.route_direction d WHERE d.version_id = @version_id AND d.ord = ANY (@directions::integer[]))
	ORDER BY r.ord`)

var directionsByRank = rest.SQL[directionList, Direction](`
	SELECT ` + directionColumns + `
	FROM transit.route_direction d
	WHERE d.version_id = @version_id AND d.ord = ANY (@directions::integer[])
	ORDER BY d.ord`)

// tripList asks for trips by their ranks.
type tripList struct {
	VersionID replica.Version
	Ranks     []int32
}

var tripsByRank = rest.SQL[tripList, Trip](`
	SELECT ` + tripColumns + `
	FROM transit.trip t
	WHERE t.version_id = @version_id AND t.ord = ANY (@ranks::integer[])`)

func (a *api) stopCallEndpoints() rest.Table {
	const doc = "A station answers for itself and its platforms."
	return rest.Table{
		rest.Func(rest.Spec{ID: "static.stop_routes", Path: stopPath + "/routes", Summary: "Routes that call at a stop", Doc: doc,
			Tag: tagStatic, Queries: rest.Queries(routesOfDirections), NotFound: "unknown feed or stop"}, a.listStopRoutes),
		rest.Func(rest.Spec{ID: "static.stop_directions", Path: stopPath + "/directions", Summary: "Directions of routes that call at a stop", Doc: doc,
			Tag: tagStatic, Queries: rest.Queries(directionsByRank, routesOfDirections), NotFound: "unknown feed or stop"}, a.listStopDirections),
		rest.Func(rest.Spec{ID: "static.stop_trips", Path: stopPath + "/trips", Summary: "Trips that call at a stop",
			Doc: doc + " A trip that calls twice stands once.",
			Tag: tagStatic, Queries: rest.Queries(tripsByRank), NotFound: "unknown feed or stop"}, a.listStopTrips),
		rest.Func(rest.Spec{ID: "static.stop_stop_times", Path: stopPath + "/stop_times", Summary: "Stop times of a stop over all trips and service days",
			Doc: doc + " Filter by service day by the service_id of the trips that they lead to.",
			Tag: tagStatic, NotFound: "unknown feed or stop"}, a.listStopStopTimes),
	}
}

func (a *api) listStopRoutes(ctx context.Context, c *rest.Call, p stopPage) (wire.Envelope[[]Route], error) {
	f := feedOf(c)
	x, err := callsAt(ctx, f, p.stopParams)
	if err != nil {
		return wire.Envelope[[]Route]{}, err
	}
	rows, err := a.routesOf(ctx, c, f, x.Directions)
	return wire.Cut(c, p.Window, rows, nil), err
}

func (a *api) listStopDirections(ctx context.Context, c *rest.Call, p stopPage) (wire.Envelope[[]Direction], error) {
	f := feedOf(c)
	var none wire.Envelope[[]Direction]
	x, err := callsAt(ctx, f, p.stopParams)
	if err != nil {
		return none, err
	}
	from, to := cut(len(x.Directions), p.Window)
	page := x.Directions[from:to]
	rows, err := directionsByRank.List(ctx, c, directionList{f.Version, page})
	if err != nil {
		return none, err
	}
	routes, err := a.routesOf(ctx, c, f, page)
	if err != nil {
		return none, err
	}
	byID := make(map[string]*Route, len(routes))
	for i := range routes {
		byID[routes[i].RouteID] = &routes[i]
	}
	for i := range rows {
		rows[i].Route = byID[rows[i].RouteID]
		rows[i].link(c, f, rows[i].Route.AgencyID)
	}
	return wire.Slice(c, p.Window, rows, len(x.Directions), nil), nil
}

// routesOf are the routes of some directions, each once.
func (a *api) routesOf(ctx context.Context, c *rest.Call, f *edition.Feed, directions []int32) ([]Route, error) {
	rows, err := routesOfDirections.List(ctx, c, directionList{f.Version, directions})
	for i := range rows {
		a.finishRoute(c, f, &rows[i])
	}
	return rows, err
}

func (a *api) listStopTrips(ctx context.Context, c *rest.Call, p stopPage) (wire.Envelope[[]Trip], error) {
	f := feedOf(c)
	x, err := callsAt(ctx, f, p.stopParams)
	if err != nil {
		return wire.Envelope[[]Trip]{}, err
	}
	from, to := cut(x.TripCount, p.Window)
	list, order := tripList{VersionID: f.Version}, map[string]int{}
	for i, call := range callsOn(f, x, from, to, true) {
		list.Ranks = append(list.Ranks, call.trip.Rank)
		order[call.trip.ID] = i
	}
	rows, err := tripsByRank.List(ctx, c, list)
	slices.SortFunc(rows, func(a, b Trip) int { return order[a.TripID] - order[b.TripID] })
	for i := range rows {
		rows[i].link(c, f, f.Route(rows[i].RouteID).AgencyID)
	}
	return wire.Slice(c, p.Window, rows, x.TripCount, nil), err
}

func (a *api) listStopStopTimes(ctx context.Context, c *rest.Call, p stopPage) (wire.Envelope[StopTimes], error) {
	f := feedOf(c)
	x, err := callsAt(ctx, f, p.stopParams)
	if err != nil {
		return wire.Envelope[StopTimes]{}, err
	}
	from, to := cut(x.CallCount, p.Window)
	page := callsOn(f, x, from, to, false)
	ways := make([]edition.Way, len(page))
	for i := range page {
		ways[i] = page[i].trip.Way()
	}
	runs, err := f.Runs(ctx, ways, edition.All)
	if err != nil {
		return wire.Envelope[StopTimes]{}, err
	}
	rows := make([]StopTime, len(page))
	for i, call := range page {
		run := runs[call.trip.Way()]
		rows[i] = stopTime(call.trip, run, call.position)
		rows[i].Links = wire.Links{
			{Rel: "trip", Href: c.URL(tripPath, f.Alias, call.trip.Route.AgencyID, call.trip.Route.ID, call.trip.ID)},
			{Rel: "stop", Href: c.URL(stopPath, f.Alias, rows[i].StopID)},
		}
	}
	return stopTimes(c, p.Window, rows, x.CallCount), nil
}

// A tripCall is a call of a trip: which of its pattern.
type tripCall struct {
	trip     *edition.Trip
	position int
}

// callsOn are the items [from, to) of all calls at a stop, by pattern and trip; or, with once, of all its trips, where a
// trip that calls twice counts once.
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

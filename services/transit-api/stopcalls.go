package transitapi

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/replica"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// What calls at a stop: its routes, directions, trips and stop times. A station answers for its platforms too.

// stopIndex is where the calls at a stop are found. A stop without calls has empty lists.
type stopIndex struct {
	Directions []int32 // ranks of route_direction
	Patterns   []int32 // ascending, in step with Positions and Trips; twice where a pattern calls twice
	Positions  []int32
	Trips      []int32 // trips that follow the pattern
	TripCount  int
	CallCount  int
}

var stopIndexes = rest.SQL[stopKey, stopIndex](`
	SELECT directions, patterns, positions, trips, trip_count, call_count
	FROM transit.stop_index
	WHERE version_id = @version_id AND stop_id = @stop_id`)

// callsAt finds what calls at a stop.
func callsAt(ctx context.Context, c *rest.Call, f *liveFeed, p stopParams) (stopIndex, error) {
	if _, err := f.stop(p.StopID); err != nil {
		return stopIndex{}, err
	}
	x, err := stopIndexes.One(ctx, c, stopKey{f.version, p.StopID})
	if errors.Is(err, pgx.ErrNoRows) {
		return stopIndex{}, nil
	}
	return x, err
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

// runs is a page of trips by pattern: of each pattern the trips [Skip, Skip+Take) in their order.
type runs struct {
	VersionID replica.Version
	Patterns  []int32
	Positions []int32 // which call of the pattern
	Skips     []int32
	Takes     []int32
}

// The trips of a pattern are found in order by index; a page skips at most those of one pattern.
const tripsOfRuns = `
	FROM unnest(@patterns::integer[], @positions::integer[], @skips::integer[], @takes::integer[]) WITH ORDINALITY AS u (pattern, position, skip, take, n)
	CROSS JOIN LATERAL (
	  SELECT ord, profile, start_time, trip_id, route_id, service_id, trip_headsign, trip_short_name, direction_id, block_id,
	         shape_id, wheelchair_accessible, bikes_allowed
	  FROM transit.trip
	  WHERE version_id = @version_id AND pattern = u.pattern
	  ORDER BY ord OFFSET u.skip LIMIT u.take) AS t`

var tripRuns = rest.SQL[runs, Trip](`
	SELECT ` + tripColumns + tripsOfRuns + `
	ORDER BY u.n, t.ord`)

// A routeCall is a stop time with the route that its trip is found by.
type routeCall struct {
	StopTime
	RouteID string
}

// An array of a pattern is null when its cells are all empty, and has one element when they are all the same.
var callRuns = rest.SQL[runs, routeCall](`
	SELECT t.trip_id || ' ' || p.stop_sequence[u.position] AS label, t.trip_id, coalesce(p.stop_id[u.position], '') AS stop_id,
	       p.stop_sequence[u.position]::text AS stop_sequence,
	       t.start_time + CASE WHEN pr.arrivals IS NULL THEN pr.departures[u.position] ELSE pr.arrivals[u.position] END AS arrival_time,
	       t.start_time + pr.departures[u.position] AS departure_time,
	       p.location_group_id[least(u.position, cardinality(p.location_group_id))] AS location_group_id,
	       p.stop_headsign[least(u.position, cardinality(p.stop_headsign))] AS stop_headsign,
	       p.start_pickup_drop_off_window[least(u.position, cardinality(p.start_pickup_drop_off_window))] AS start_pickup_drop_off_window,
	       p.end_pickup_drop_off_window[least(u.position, cardinality(p.end_pickup_drop_off_window))] AS end_pickup_drop_off_window,
	       p.pickup_type[least(u.position, cardinality(p.pickup_type))] AS pickup_type,
	       p.drop_off_type[least(u.position, cardinality(p.drop_off_type))] AS drop_off_type,
	       p.continuous_pickup[least(u.position, cardinality(p.continuous_pickup))] AS continuous_pickup,
	       p.continuous_drop_off[least(u.position, cardinality(p.continuous_drop_off))] AS continuous_drop_off,
	       p.shape_dist_traveled[least(u.position, cardinality(p.shape_dist_traveled))] AS shape_dist_traveled,
	       p.timepoint[least(u.position, cardinality(p.timepoint))] AS timepoint,
	       p.pickup_booking_rule_id[least(u.position, cardinality(p.pickup_booking_rule_id))] AS pickup_booking_rule_id,
	       p.drop_off_booking_rule_id[least(u.position, cardinality(p.drop_off_booking_rule_id))] AS drop_off_booking_rule_id,
	       t.route_id` + tripsOfRuns + `
	JOIN transit.pattern p ON p.version_id = @version_id AND p.pattern = u.pattern
	LEFT JOIN transit.profile pr ON pr.version_id = @version_id AND pr.profile = t.profile
	ORDER BY u.n, t.ord`)

func (a *api) stopCallEndpoints() rest.Table {
	const path = "/feeds/{feed_alias}/stops/{stop_id}"
	const doc = "A station answers for itself and its platforms."
	return rest.Table{
		rest.Func(rest.Spec{ID: "static.stop_routes", Path: path + "/routes", Summary: "Routes that call at a stop", Doc: doc,
			Tag: tagStatic, Queries: rest.Queries(stopIndexes, routesOfDirections), NotFound: "unknown feed or stop"}, a.listStopRoutes),
		rest.Func(rest.Spec{ID: "static.stop_directions", Path: path + "/directions", Summary: "Directions of routes that call at a stop", Doc: doc,
			Tag: tagStatic, Queries: rest.Queries(stopIndexes, directionsByRank, routesOfDirections), NotFound: "unknown feed or stop"}, a.listStopDirections),
		rest.Func(rest.Spec{ID: "static.stop_trips", Path: path + "/trips", Summary: "Trips that call at a stop",
			Doc: doc + " A trip that calls twice stands once.",
			Tag: tagStatic, Queries: rest.Queries(stopIndexes, tripRuns), NotFound: "unknown feed or stop"}, a.listStopTrips),
		rest.Func(rest.Spec{ID: "static.stop_stop_times", Path: path + "/stop_times", Summary: "Stop times of a stop over all trips and service days",
			Doc: doc + " Filter by service day by the service_id of the trips that they lead to.",
			Tag: tagStatic, Queries: rest.Queries(stopIndexes, callRuns), NotFound: "unknown feed or stop"}, a.listStopStopTimes),
	}
}

func (a *api) listStopRoutes(ctx context.Context, c *rest.Call, p stopPage) (wire.Envelope[[]Route], error) {
	f := feedOf(c)
	x, err := callsAt(ctx, c, f, p.stopParams)
	if err != nil {
		return wire.Envelope[[]Route]{}, err
	}
	rows, err := a.routesOf(ctx, c, f, x.Directions)
	return wire.Cut(c, p.Window, rows, nil), err
}

func (a *api) listStopDirections(ctx context.Context, c *rest.Call, p stopPage) (wire.Envelope[[]Direction], error) {
	f := feedOf(c)
	var none wire.Envelope[[]Direction]
	x, err := callsAt(ctx, c, f, p.stopParams)
	if err != nil {
		return none, err
	}
	from, to := cut(len(x.Directions), p.Window)
	page := x.Directions[from:to]
	rows, err := directionsByRank.List(ctx, c, directionList{f.version, page})
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
func (a *api) routesOf(ctx context.Context, c *rest.Call, f *liveFeed, directions []int32) ([]Route, error) {
	rows, err := routesOfDirections.List(ctx, c, directionList{f.version, directions})
	for i := range rows {
		a.finishRoute(c, f, &rows[i])
	}
	return rows, err
}

func (a *api) listStopTrips(ctx context.Context, c *rest.Call, p stopPage) (wire.Envelope[[]Trip], error) {
	f := feedOf(c)
	x, err := callsAt(ctx, c, f, p.stopParams)
	if err != nil {
		return wire.Envelope[[]Trip]{}, err
	}
	from, to := cut(x.TripCount, p.Window)
	rows, err := tripRuns.List(ctx, c, x.runs(f, from, to, true))
	for i := range rows {
		rows[i].link(c, f, f.routes[rows[i].RouteID].agencyID)
	}
	return wire.Slice(c, p.Window, rows, x.TripCount, nil), err
}

func (a *api) listStopStopTimes(ctx context.Context, c *rest.Call, p stopPage) (wire.Envelope[StopTimes], error) {
	f := feedOf(c)
	x, err := callsAt(ctx, c, f, p.stopParams)
	if err != nil {
		return wire.Envelope[StopTimes]{}, err
	}
	from, to := cut(x.CallCount, p.Window)
	found, err := callRuns.List(ctx, c, x.runs(f, from, to, false))
	rows := make([]StopTime, len(found))
	for i := range found {
		rows[i] = found[i].StopTime
		rows[i].Links = wire.Links{
			{Rel: "trip", Href: c.URL(tripPath, f.alias, f.routes[found[i].RouteID].agencyID, found[i].RouteID, rows[i].TripID)},
			{Rel: "stop", Href: c.URL("/feeds/{feed_alias}/stops/{stop_id}", f.alias, rows[i].StopID)},
		}
	}
	return stopTimes(c, p.Window, rows, x.CallCount), err
}

// runs finds the items [from, to) of all calls at the stop, or of all its trips, where a trip that calls twice counts once.
func (x *stopIndex) runs(f *liveFeed, from, to int, once bool) runs {
	r := runs{VersionID: f.version}
	at := 0
	for i, n := range x.Trips {
		if once && i > 0 && x.Patterns[i] == x.Patterns[i-1] {
			continue
		}
		first, end := max(from-at, 0), min(to-at, int(n))
		at += int(n)
		if first < end {
			r.Patterns = append(r.Patterns, x.Patterns[i])
			r.Positions = append(r.Positions, x.Positions[i])
			r.Skips = append(r.Skips, int32(first))
			r.Takes = append(r.Takes, int32(end-first))
		}
	}
	return r
}

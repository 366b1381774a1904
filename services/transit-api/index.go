package transitapi

import (
	"context"

	"github.com/townline/townline/pkg/rest"
)

// A span is a run of ranks: where the children of one parent stand.
type span struct{ first, count int }

// An indexedRoute is a route as it is kept in memory.
type indexedRoute struct {
	agencyID   string
	trips      span
	directions span
}

// An index is where the children of a version's agencies and routes stand. It is
// small, every address below an agency needs it, and with it an answer is one query.
type index struct {
	agencies map[string]span // routes by agency_id
	routes   map[string]indexedRoute
}

type versionKey struct{ VersionID versionID }

type agencySpan struct {
	AgencyID   string
	FirstRoute int
	RouteCount int
}

var agencySpans = rest.SQL[versionKey, agencySpan](`
	SELECT agency_id, first_route, route_count
	FROM transit.agency
	WHERE version_id = @version_id`)

type routeSpan struct {
	RouteID        string
	AgencyID       string
	FirstTrip      int
	TripCount      int
	FirstDirection int
	DirectionCount int
}

var routeSpans = rest.SQL[versionKey, routeSpan](`
	SELECT route_id, agency_id, first_trip, trip_count, first_direction, direction_count
	FROM transit.route
	WHERE version_id = @version_id`)

// readIndex reads the index of a version.
func readIndex(ctx context.Context, db rest.DB, v versionID) (index, error) {
	agencies, err := agencySpans.List(ctx, db, versionKey{v})
	if err != nil {
		return index{}, err
	}
	routes, err := routeSpans.List(ctx, db, versionKey{v})
	if err != nil {
		return index{}, err
	}
	x := index{make(map[string]span, len(agencies)), make(map[string]indexedRoute, len(routes))}
	ids := make(map[string]string, len(agencies)) // each id once in memory, however many routes have it
	for _, a := range agencies {
		x.agencies[a.AgencyID] = span{a.FirstRoute, a.RouteCount}
		ids[a.AgencyID] = a.AgencyID
	}
	for _, r := range routes {
		x.routes[r.RouteID] = indexedRoute{ids[r.AgencyID], span{r.FirstTrip, r.TripCount}, span{r.FirstDirection, r.DirectionCount}}
	}
	return x, nil
}

// route finds the route of an address.
func (x *index) route(p routeParams) (indexedRoute, error) {
	r, ok := x.routes[p.RouteID]
	if !ok || r.agencyID != p.AgencyID {
		return r, rest.NotFound("unknown agency or route")
	}
	return r, nil
}

// all is the ranks of a whole span.
func (f *liveFeed) all(s span) ranks { return ranks{f.version, s.first, s.first + s.count} }

package transitapi

import (
	"context"
	"fmt"
	"slices"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// An index is what of a live feed is in memory: its stops, where the children of its agencies and routes
// stand, and what each trip's calls are made of. Most answers need some of it, it is small
// (some 25 MB for a feed with 2.7 million stop times), and with it they are one query or none.
type index struct {
	agencies map[string]span // routes by agency_id
	routes   map[string]indexedRoute
	stops    []indexedStop // by rank
	stopAt   map[string]int32
	trips    map[string]indexedTrip

	// What many trips share, as it was met.
	patterns memo[pattern]
	profiles memo[profile]
}

// A span is a run of ranks: where the children of one parent stand.
type span struct{ first, count int }

// An indexedRoute is whose a route is and where its children stand.
type indexedRoute struct {
	agencyID   string
	trips      span
	directions span
}

// An indexedStop is a stop with its number in schedules.
type indexedStop struct {
	Stop
	Num int64
}

// An indexedTrip is what a trip's calls are made of; -1 stands for nothing.
type indexedTrip struct {
	Ord       int32 // its rank, which tells its route
	Pattern   int32
	Profile   int32
	StartTime int32
}

type versionKey struct{ VersionID replica.Version }

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

type tripRow struct {
	TripID string
	indexedTrip
}

var tripRows = rest.SQL[versionKey, tripRow](`
	SELECT trip_id, ord, coalesce(pattern, -1) AS pattern,
	       CASE WHEN start_time IS NULL THEN -1 ELSE coalesce(profile, -1) END AS profile, coalesce(start_time, 0) AS start_time
	FROM transit.trip
	WHERE version_id = @version_id`)

// indexQueries are what reading an edition takes.
func indexQueries() []rest.Statement {
	return append(rest.Queries(agencySpans, routeSpans, stopRows, tripRows), timetableQueries()...)
}

// readIndex reads the index of a version.
func readIndex(ctx context.Context, db rest.DB, v replica.Version, b *budget) (*index, error) {
	key := versionKey{v}
	x := &index{agencies: map[string]span{}, routes: map[string]indexedRoute{}, trips: map[string]indexedTrip{}}
	ids := map[string]string{} // each agency_id once in memory, however many routes have it
	err := agencySpans.Each(ctx, db, key, func(a agencySpan) error {
		x.agencies[a.AgencyID], ids[a.AgencyID] = span{a.FirstRoute, a.RouteCount}, a.AgencyID
		return b.take(routeBytes + len(a.AgencyID))
	})
	if err != nil {
		return nil, fmt.Errorf("agencies: %w", err)
	}
	err = routeSpans.Each(ctx, db, key, func(r routeSpan) error {
		x.routes[r.RouteID] = indexedRoute{ids[r.AgencyID], span{r.FirstTrip, r.TripCount}, span{r.FirstDirection, r.DirectionCount}}
		return b.take(routeBytes + len(r.RouteID))
	})
	if err != nil {
		return nil, fmt.Errorf("routes: %w", err)
	}
	err = stopRows.Each(ctx, db, key, func(s indexedStop) error {
		x.stops = append(x.stops, s)
		return b.take(stopBytes + s.textBytes())
	})
	if err != nil {
		return nil, fmt.Errorf("stops: %w", err)
	}
	x.stops = slices.Clip(x.stops)
	x.stopAt = make(map[string]int32, len(x.stops))
	for i := range x.stops {
		x.stopAt[x.stops[i].StopID] = int32(i)
	}
	err = tripRows.Each(ctx, db, key, func(t tripRow) error {
		x.trips[t.TripID] = t.indexedTrip
		return b.take(tripBytes + len(t.TripID))
	})
	if err != nil {
		return nil, fmt.Errorf("trips: %w", err)
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

// trip finds the trip of an address.
func (x *index) trip(p tripParams) (indexedTrip, error) {
	r, err := x.route(p.routeParams)
	if err != nil {
		return indexedTrip{}, err
	}
	t, ok := x.trips[p.TripID]
	if at := int(t.Ord) - r.trips.first; !ok || at < 0 || at >= r.trips.count {
		return t, rest.NotFound("the route has no such trip")
	}
	return t, nil
}

// stop finds a stop.
func (x *index) stop(id string) (*indexedStop, error) {
	i, ok := x.stopAt[id]
	if !ok {
		return nil, rest.NotFound("unknown stop")
	}
	return &x.stops[i], nil
}

// How many calls of patterns and profiles of a feed stay in memory: all of most feeds, and some tens of megabytes at most.
const (
	patternCallsKept = 400_000
	profileCallsKept = 4_000_000
)

// calls puts the calls of a trip together. One without any has an empty pattern.
func (f *liveFeed) calls(ctx context.Context, db rest.DB, t indexedTrip) (tripCalls, error) {
	calls := tripCalls{&pattern{}, &profile{}, t.StartTime}
	var err error
	if t.Pattern >= 0 {
		if calls.pattern, err = f.patterns.get(ctx, db, patternByNumber, numbered{f.version, t.Pattern}, patternCallsKept); err != nil {
			return calls, fmt.Errorf("pattern %d: %w", t.Pattern, err)
		}
	}
	if t.Profile >= 0 {
		if calls.profile, err = f.profiles.get(ctx, db, profileByNumber, numbered{f.version, t.Profile}, profileCallsKept); err != nil {
			return calls, fmt.Errorf("profile %d: %w", t.Profile, err)
		}
	}
	return calls, nil
}

// all is the ranks of a whole span.
func (f *liveFeed) all(s span) ranks { return ranks{f.version, s.first, s.first + s.count} }

package transitapi

import (
	"context"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// Realtime resources answer from the moment that live keeps, over all sources of the deployment or those of one feed.

const tagRealtime = "Realtime"

// feedChoice narrows realtime answers to one feed.
type feedChoice struct {
	Feed *string `query:"feed" doc:"Alias of a feed, to hear of its sources alone; all feeds when absent."`
}

type (
	rtStopParams struct {
		StopID string `path:"stop_id" doc:"The stop as the realtime feed names it, or its stop_id or stop_code in the static feed. A station stands for its platforms too."`
		feedChoice
	}
	rtRouteParams struct {
		RouteID string `path:"route_id" doc:"route_id of the feed."`
		feedChoice
	}
	rtVehicleParams struct {
		StopID *string `query:"stop_id" doc:"Only vehicles that are at this stop or on a trip that still calls there."`
		feedChoice
	}
	rtAlertParams struct {
		EntityType string `path:"entity_type" enum:"stop,stops,route,routes,trip,trips,agency,agencies" doc:"What the id is of; singular and plural are the same."`
		EntityID   string `path:"entity_id" doc:"The id as the realtime feed has it; of a stop also its stop_id or stop_code in the static feed."`
		feedChoice
	}
)

func (a *api) realtimeEndpoints() rest.Table {
	const notFound = "unknown feed"
	const fresh = "A read of data that is older than its source allows asks for a refresh and is answered at once with what there is; meta.last_fetched tells its age."
	return rest.Table{
		rest.Func(rest.Spec{ID: "realtime.trip_updates", Path: "/rt/tripupdates/{stop_id}", Summary: "Trip updates that affect a stop",
			Doc:  "Each with all its stop time updates. An override annotation on the stop that is active now leads to the stop that it names. " + fresh,
			Kind: rest.Realtime, Source: a.tripUpdateSource(), Tag: tagRealtime, NotFound: notFound}, a.listTripUpdates),
		rest.Func(rest.Spec{ID: "realtime.vehicles", Path: "/rt/vehicles", Summary: "Vehicles", Doc: fresh,
			Kind: rest.Realtime, Source: a.vehicleSource(), Tag: tagRealtime, NotFound: notFound}, a.listVehicles),
		rest.Func(rest.Spec{ID: "realtime.route_vehicles", Path: "/rt/vehicles/{route_id}", Summary: "Vehicles of a route", Doc: fresh,
			Kind: rest.Realtime, Source: a.live.sourceOf(conf.VehiclePositions), Tag: tagRealtime, NotFound: notFound}, a.listRouteVehicles),
		rest.Func(rest.Spec{ID: "realtime.alerts", Path: "/rt/alerts/{entity_type}/{entity_id}", Summary: "Alerts about a stop, route, trip or agency",
			Doc:  "An alert stands under exactly what its informed entities name, whatever its active period. " + fresh,
			Kind: rest.Realtime, Source: a.live.sourceOf(conf.Alerts), Tag: tagRealtime, NotFound: "unknown feed or entity type"}, a.listAlerts),
	}
}

// What one realtime list may hold: several times all vehicles of the largest agencies.
const (
	maxListed      = 50_000
	maxListedBytes = 28 << 20 // below what a body may have
)

// A listing collects the rows of a realtime list, as many as one may hold.
type listing[T any] struct {
	rows  []rest.Encoded[T]
	bytes int
	full  bool
}

// add takes one more row, which make has. It is false when there is no more room, or with an error.
func (l *listing[T]) add(ctx context.Context, make func() (rest.Encoded[T], error)) (bool, error) {
	if len(l.rows)%1000 == 0 && ctx.Err() != nil {
		return false, ctx.Err()
	}
	row, err := make()
	if err != nil {
		return false, err
	}
	if l.bytes += len(row); len(l.rows) >= maxListed || l.bytes > maxListedBytes {
		l.full = true
		return false, nil
	}
	l.rows = append(l.rows, row)
	return true, nil
}

// answer is the envelope of the list.
func (l *listing[T]) answer(c *rest.Call, v *view, err error) (wire.Envelope[[]rest.Encoded[T]], error) {
	e := wire.Whole(c, l.rows, &v.lastFetched, nil)
	e.Meta.Truncated = l.full
	return e, err
}

// updateView is what an answer about the trip updates of a stop is made of: their sources, and the overrides.
type updateView struct {
	*view
	notices *noticed
}

func (a *api) tripUpdateSource() *rest.Source {
	return &rest.Source{
		Now: func(ctx context.Context, c *rest.Call) (rest.Generation, error) {
			v, err := a.live.view(ctx, c, conf.TripUpdates)
			if err != nil {
				return rest.Generation{}, err
			}
			both := &updateView{v, a.notices.at(a.notices.clock())}
			if both.notices == nil {
				return rest.Generation{}, errNoLive
			}
			gen := joined(v.gen, both.notices.redirectGen)
			gen.Ref = both
			return gen, nil
		},
		Changed: a.live.news.changed,
	}
}

func (a *api) listTripUpdates(ctx context.Context, c *rest.Call, p rtStopParams) (wire.Envelope[[]rest.Encoded[TripUpdate]], error) {
	both := c.Generation().Ref.(*updateView)
	v := both.view
	var l listing[TripUpdate]
	for _, s := range v.indexed() {
		for _, i := range s.updatesOf(p.StopID, both.notices) {
			if ok, err := l.add(ctx, func() (rest.Encoded[TripUpdate], error) { return s.update(i) }); !ok {
				return l.answer(c, v, err)
			}
		}
	}
	return l.answer(c, v, nil)
}

// vehicleView is what an answer about vehicles is made of: their sources, and if it is about a stop those of trip updates.
type vehicleView struct{ vehicles, updates *view }

func (a *api) vehicleSource() *rest.Source {
	return &rest.Source{
		Now: func(ctx context.Context, c *rest.Call) (rest.Generation, error) {
			v, err := a.live.view(ctx, c, conf.VehiclePositions)
			if err != nil {
				return rest.Generation{}, err
			}
			both, gen := &vehicleView{vehicles: v}, v.gen
			if c.Param("stop_id") != "" {
				if both.updates, err = a.live.view(ctx, c, conf.TripUpdates); err != nil {
					return rest.Generation{}, err
				}
				gen = joined(gen, both.updates.gen)
			}
			gen.Ref = both
			return gen, nil
		},
		Changed: a.live.news.changed,
	}
}

func (a *api) listVehicles(ctx context.Context, c *rest.Call, p rtVehicleParams) (wire.Envelope[[]rest.Encoded[VehiclePosition]], error) {
	both := c.Generation().Ref.(*vehicleView)
	v := both.vehicles
	var l listing[VehiclePosition]
	for _, s := range v.indexed() {
		wanted := func(int) bool { return true }
		if p.StopID != nil {
			wanted = s.headingFor(*p.StopID, both.updates)
		}
		for i := range s.vehicles {
			if i%1000 == 0 && ctx.Err() != nil {
				return l.answer(c, v, ctx.Err())
			}
			if !wanted(i) {
				continue
			}
			if ok, err := l.add(ctx, func() (rest.Encoded[VehiclePosition], error) { return s.vehicle(int32(i)) }); !ok {
				return l.answer(c, v, err)
			}
		}
	}
	return l.answer(c, v, nil)
}

func (a *api) listRouteVehicles(ctx context.Context, c *rest.Call, p rtRouteParams) (wire.Envelope[[]rest.Encoded[VehiclePosition]], error) {
	v := viewOf(c)
	var l listing[VehiclePosition]
	for _, s := range v.indexed() {
		for _, i := range s.vehiclesByRoute.get(p.RouteID) {
			if ok, err := l.add(ctx, func() (rest.Encoded[VehiclePosition], error) { return s.vehicle(i) }); !ok {
				return l.answer(c, v, err)
			}
		}
	}
	return l.answer(c, v, nil)
}

func (a *api) listAlerts(ctx context.Context, c *rest.Call, p rtAlertParams) (wire.Envelope[[]rest.Encoded[Alert]], error) {
	v := viewOf(c)
	what := strings.TrimSuffix(p.EntityType, "s")
	if what == "agencie" {
		what = "agency"
	}
	var l listing[Alert]
	for _, s := range v.indexed() {
		list, ids := s.alertsBy[what], []string{p.EntityID}
		if what == "stop" {
			ids = s.known.names(p.EntityID, false, list.has)
		}
		for _, i := range list.union(ids) {
			if ok, err := l.add(ctx, func() (rest.Encoded[Alert], error) { return s.alert(i) }); !ok {
				return l.answer(c, v, err)
			}
		}
	}
	return l.answer(c, v, nil)
}

// indexed are the sources that have a snapshot.
func (v *view) indexed() []*source {
	return slices.DeleteFunc(slices.Clone(v.sources), func(s *source) bool { return s.snapshot == nil })
}

// updatesOf are the trip updates that an answer about a stop lists: those that name it, or those that overrides lead to.
func (s *source) updatesOf(stop string, notices *noticed) []int32 {
	places := notices.places(s.Alias, stop, s.known.identities)
	if len(places) == 1 && places[0].keep == nil {
		return s.updatesAt(places[0].stop)
	}
	var all []int32
	for _, p := range places {
		for _, i := range s.updatesAt(p.stop) {
			if p.allows(s.routeOf(s.message.TripUpdates[i].Trip)) {
				all = append(all, i)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// routeOf is the route and the id of a trip that the source names; the route is that of the static feed where the source has none.
func (s *source) routeOf(t gtfsrt.Trip) (route, trip string) {
	if planned := s.trip(t); len(t.RouteID) == 0 && planned != nil {
		return planned.RouteID, s.tripID(t)
	}
	return string(t.RouteID), s.tripID(t)
}

// updatesAt are the trip updates that name a stop.
func (s *source) updatesAt(stop string) []int32 {
	return s.updatesByStop.union(s.known.names(stop, true, s.updatesByStop.has))
}

// headingFor finds the vehicles that are at a stop or will still call there: by their position, by their trip's calls
// in the static feed, or by a trip update that names the stop.
func (s *source) headingFor(stop string, updates *view) func(int) bool {
	stops := s.known.everyName(stop)
	trips := map[string]bool{}
	for _, u := range updates.indexed() {
		if u.Alias != s.Alias {
			continue
		}
		for _, i := range u.updatesAt(stop) {
			trips[u.tripID(u.message.TripUpdates[i].Trip)] = true
		}
	}
	delete(trips, "")
	return func(i int) bool { return trips[s.tripID(s.message.Vehicles[i].Trip)] || s.approaching(i, stops) }
}

// joined is the generation of an answer that is made of two.
func joined(a, b rest.Generation) rest.Generation {
	a.N = a.N*31 + b.N
	if b.Time.After(a.Time) {
		a.Time = b.Time
	}
	if a.Until.IsZero() || !b.Until.IsZero() && b.Until.Before(a.Until) {
		a.Until = b.Until
	}
	return a
}

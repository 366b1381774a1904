package transitapi

import (
	"context"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/live"
	"github.com/townline/townline/services/transit-api/internal/notice"
	"github.com/townline/townline/services/transit-api/internal/realtime"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

type (
	rtStopParams struct {
		StopID string `path:"stop_id" doc:"The stop by its id in the realtime feed, or by its stop_id or stop_code in the static feed. A station includes its platforms."`
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
	rtMapParams struct {
		Feed    string  `query:"feed" required:"true" example:"alderbay" doc:"Alias of the feed."`
		RouteID *string `query:"route_id" doc:"Only vehicles of this route."`
	}
	rtAlertParams struct {
		EntityType string `path:"entity_type" enum:"stop,stops,route,routes,trip,trips,agency,agencies" doc:"Type of the entity; singular and plural mean the same."`
		EntityID   string `path:"entity_id" doc:"The id in the realtime feed; for a stop, also its stop_id or stop_code in the static feed."`
		feedChoice
	}
)

func (a *api) realtimeEndpoints() rest.Table {
	const notFound = "unknown feed"
	const fresh = "The answer is sent at once from the data at hand. If that is older than its source allows, the read also requests a refresh. meta.last_fetched is the time of the data."
	return rest.Table{
		rest.Func(rest.Spec{ID: "realtime.trip_updates", Path: "/rt/tripupdates/{stop_id}", Summary: "Trip updates that affect a stop",
			Doc:  "Each trip update has all its stop time updates. If an override annotation on the stop is active, the updates are those of the stop it names. " + fresh,
			Kind: rest.Realtime, Source: a.tripUpdateSource(), Tag: tagRealtime, NotFound: notFound}, a.listTripUpdates),
		rest.Func(rest.Spec{ID: "realtime.vehicles", Path: "/rt/vehicles", Summary: "Vehicles", Doc: fresh,
			Kind: rest.Realtime, Source: a.vehicleSource(), Tag: tagRealtime, NotFound: notFound}, a.listVehicles),
		rest.Func(rest.Spec{ID: "realtime.route_vehicles", Path: "/rt/vehicles/{route_id}", Summary: "Vehicles of a route", Doc: fresh,
			Kind: rest.Realtime, Source: a.live.Source(conf.VehiclePositions), Tag: tagRealtime, NotFound: notFound}, a.listRouteVehicles),
		rest.Func(rest.Spec{ID: "realtime.map", Path: "/rt/map", Summary: "Vehicles of a feed on a map",
			Doc:  "Where each vehicle is, with the names of its route, its headsign and the stop by which people say where it is. As a stream it tells each change. " + fresh,
			Kind: rest.Realtime, Source: a.mapSource(), Tag: tagRealtime, NotFound: notFound}, a.listMap),
		rest.Func(rest.Spec{ID: "realtime.alerts", Path: "/rt/alerts/{entity_type}/{entity_id}", Summary: "Alerts about a stop, route, trip or agency",
			Doc:  "An alert is listed for exactly the entities that its informedEntity names, even outside its active period. " + fresh,
			Kind: rest.Realtime, Source: a.live.Source(conf.Alerts), Tag: tagRealtime, NotFound: "unknown feed or entity type"}, a.listAlerts),
	}
}

// Limits of one realtime list: several times all vehicles of the largest agencies.
const (
	maxListed      = 50_000
	maxListedBytes = 28 << 20 // below the largest body
)

// listed lists the entities that find returns from each source, up to the limits of one list.
func listed[T any](ctx context.Context, c *rest.Call, v *live.View, find func(*live.Source) []int32, encode func(*realtime.Snapshot, int32) (rest.Encoded[T], error)) (e wire.Envelope[[]rest.Encoded[T]], err error) {
	var rows []rest.Encoded[T]
	size, full := 0, false
	for _, s := range v.Sources {
		for _, i := range find(s) {
			if len(rows)%1000 == 0 && ctx.Err() != nil {
				return e, ctx.Err()
			}
			row, err := encode(s.Snapshot, i)
			if err != nil {
				return e, err
			}
			if size += len(row); len(rows) >= maxListed || size > maxListedBytes {
				full = true
				break
			}
			rows = append(rows, row)
		}
		if full {
			break
		}
	}
	e = wire.Whole(c, rows, &v.LastFetched, nil)
	e.Meta.Truncated = full
	return e, nil
}

// updateView holds the sources of an answer about the trip updates of a stop, and the overrides.
type updateView struct {
	*live.View
	notices *notice.State
}

func (a *api) tripUpdateSource() *rest.Source {
	return a.changing(func(ctx context.Context, c *rest.Call) (rest.Generation, error) {
		v, err := a.live.Read(ctx, c.Param("feed"), conf.TripUpdates)
		if err != nil {
			return rest.Generation{}, err
		}
		both := &updateView{v, a.notices.At(a.now())}
		if both.notices == nil {
			return rest.Generation{}, live.ErrNotRead
		}
		return joined(both, v.Generation, both.notices.Redirects), nil
	})
}

func (a *api) listTripUpdates(ctx context.Context, c *rest.Call, p rtStopParams) (wire.Envelope[[]rest.Encoded[realtime.TripUpdate]], error) {
	v := c.Generation().Ref.(*updateView)
	return listed(ctx, c, v.View, func(s *live.Source) []int32 { return updatesOf(s, p.StopID, v.notices) }, (*realtime.Snapshot).Update)
}

// updatesOf returns the trip updates of a stop, or of the stops that overrides put in its place.
func updatesOf(s *live.Source, stop string, notices *notice.State) []int32 {
	places := notices.Places(s.Alias, stop, s.Identities)
	if len(places) == 1 && places[0].All() {
		return s.UpdatesAt(places[0].Stop)
	}
	var all []int32
	for _, p := range places {
		for _, i := range s.UpdatesAt(p.Stop) {
			if p.Allows(s.RouteOf(s.Message.TripUpdates[i].Trip)) {
				all = append(all, i)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// vehicleView holds the sources of an answer about vehicles; for a stop, also those of trip updates.
type vehicleView struct{ vehicles, updates *live.View }

func (a *api) vehicleSource() *rest.Source {
	return a.changing(func(ctx context.Context, c *rest.Call) (rest.Generation, error) {
		v, err := a.live.Read(ctx, c.Param("feed"), conf.VehiclePositions)
		if err != nil {
			return rest.Generation{}, err
		}
		if c.Param("stop_id") == "" {
			return joined(&vehicleView{vehicles: v}, v.Generation), nil
		}
		updates, err := a.live.Read(ctx, c.Param("feed"), conf.TripUpdates)
		if err != nil {
			return rest.Generation{}, err
		}
		return joined(&vehicleView{v, updates}, v.Generation, updates.Generation), nil
	})
}

func (a *api) listVehicles(ctx context.Context, c *rest.Call, p rtVehicleParams) (wire.Envelope[[]rest.Encoded[realtime.VehiclePosition]], error) {
	v := c.Generation().Ref.(*vehicleView)
	return listed(ctx, c, v.vehicles, func(s *live.Source) []int32 {
		if p.StopID != nil {
			return s.HeadingFor(*p.StopID, v.updates.Of(s.Alias))
		}
		return s.Vehicles()
	}, (*realtime.Snapshot).Vehicle)
}

func (a *api) listRouteVehicles(ctx context.Context, c *rest.Call, p rtRouteParams) (wire.Envelope[[]rest.Encoded[realtime.VehiclePosition]], error) {
	return listed(ctx, c, c.Generation().Ref.(*live.View), func(s *live.Source) []int32 { return s.VehiclesOf(p.RouteID) }, (*realtime.Snapshot).Vehicle)
}

func (a *api) listAlerts(ctx context.Context, c *rest.Call, p rtAlertParams) (wire.Envelope[[]rest.Encoded[realtime.Alert]], error) {
	what := strings.TrimSuffix(p.EntityType, "s")
	if what == "agencie" {
		what = "agency"
	}
	return listed(ctx, c, c.Generation().Ref.(*live.View), func(s *live.Source) []int32 { return s.AlertsAbout(what, p.EntityID) }, (*realtime.Snapshot).Alert)
}

// A VehicleMap is the vehicles of a feed as a map shows them.
type VehicleMap struct {
	Realtime live.RealtimeState `json:"realtime" doc:"none: no source of vehicle positions is configured; never: none was polled with success yet; silent: the last news is more than three minutes old, or the feed's own timestamp ten; live."`
	Vehicles []realtime.Located `json:"vehicles" doc:"In the order of the feed; those without a position are left out. Look at the timestamp of each: some feeds go on telling where a vehicle was long ago."`
}

// maxMapped is how many vehicles one map has.
const maxMapped = 3000

// mappedView is what a map is made of.
type mappedView struct {
	vehicles *live.View
	state    live.RealtimeState
	feed     *edition.Feed // nil when it was never imported
}

func (a *api) mapSource() *rest.Source {
	return a.changing(func(ctx context.Context, c *rest.Call) (rest.Generation, error) {
		return a.mapView(ctx, c.Param("feed"))
	})
}

// mapView finds what the map of a feed is made of; Ref is a [mappedView].
func (a *api) mapView(ctx context.Context, alias string) (rest.Generation, error) {
	v, err := a.live.Read(ctx, alias, conf.VehiclePositions)
	if err != nil {
		return rest.Generation{}, err
	}
	now := a.now()
	state, _ := v.State(now)
	m := &mappedView{vehicles: v, state: state, feed: a.dir.Feed(alias)}
	gens := []rest.Generation{v.Generation, {N: int64(len(state)), Until: v.Until(now)}} // the states have names of different lengths
	if m.feed != nil {
		gens = append(gens, m.feed.Generation)
	}
	return joined(m, gens...), nil
}

func (a *api) listMap(ctx context.Context, c *rest.Call, p rtMapParams) (wire.Envelope[VehicleMap], error) {
	v := c.Generation().Ref.(*mappedView)
	made, whole, err := a.located(ctx, c, v, p.RouteID)
	e := wire.Envelope[VehicleMap]{Data: made, Meta: wire.Meta{TotalCount: len(made.Vehicles), DataCount: len(made.Vehicles),
		Links: wire.Links{{Rel: "self", Href: c.SelfQuery()}}, LastFetched: &v.vehicles.LastFetched, Truncated: !whole}}
	return e, err
}

// located are the vehicles of a feed, or of one route, and whether they are all.
func (a *api) located(ctx context.Context, c *rest.Call, v *mappedView, route *string) (VehicleMap, bool, error) {
	made := VehicleMap{Realtime: v.state, Vehicles: []realtime.Located{}}
	names := func(r *edition.Route) edition.RouteNames { return r.RouteNames }
	if v.feed != nil {
		names = func(r *edition.Route) edition.RouteNames { return a.namesOf(v.feed, r) }
	}
	for _, s := range v.vehicles.Sources {
		which := s.Vehicles()
		if route != nil {
			which = s.VehiclesOf(*route)
		}
		for _, i := range which {
			l, ok := s.Locate(i, names, s.FetchedAt.Unix())
			if !ok {
				continue
			}
			if len(made.Vehicles) >= maxMapped {
				return made, false, nil
			}
			if err := c.Take(ctx, locatedBytes); err != nil {
				return made, false, err
			}
			made.Vehicles = append(made.Vehicles, l)
		}
	}
	return made, true, nil
}

// locatedBytes is what a vehicle on a map takes in memory, about.
const locatedBytes = 500

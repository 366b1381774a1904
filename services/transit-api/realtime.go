package transitapi

import (
	"context"
	"slices"
	"strings"

	"github.com/townline/townline/services/transit-api/internal/wire"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/live"
	"github.com/townline/townline/services/transit-api/internal/notice"
	"github.com/townline/townline/services/transit-api/internal/realtime"
)

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
			Kind: rest.Realtime, Source: a.live.Source(conf.VehiclePositions), Tag: tagRealtime, NotFound: notFound}, a.listRouteVehicles),
		rest.Func(rest.Spec{ID: "realtime.alerts", Path: "/rt/alerts/{entity_type}/{entity_id}", Summary: "Alerts about a stop, route, trip or agency",
			Doc:  "An alert stands under exactly what its informed entities name, whatever its active period. " + fresh,
			Kind: rest.Realtime, Source: a.live.Source(conf.Alerts), Tag: tagRealtime, NotFound: "unknown feed or entity type"}, a.listAlerts),
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
func (l *listing[T]) answer(c *rest.Call, v *live.View, err error) (wire.Envelope[[]rest.Encoded[T]], error) {
	e := wire.Whole(c, l.rows, &v.LastFetched, nil)
	e.Meta.Truncated = l.full
	return e, err
}

// updateView is what an answer about the trip updates of a stop is made of: their sources, and the overrides.
type updateView struct {
	*live.View
	notices *notice.State
}

func (a *api) tripUpdateSource() *rest.Source {
	return &rest.Source{
		Now: func(ctx context.Context, c *rest.Call) (rest.Generation, error) {
			v, err := a.live.Read(ctx, c.Param("feed"), conf.TripUpdates)
			if err != nil {
				return rest.Generation{}, err
			}
			both := &updateView{v, a.notices.At(a.now())}
			if both.notices == nil {
				return rest.Generation{}, live.ErrNotRead
			}
			gen := joined(v.Generation, both.notices.Redirects)
			gen.Ref = both
			return gen, nil
		},
		Changed: a.news.Changed,
	}
}

func (a *api) listTripUpdates(ctx context.Context, c *rest.Call, p rtStopParams) (wire.Envelope[[]rest.Encoded[realtime.TripUpdate]], error) {
	v := c.Generation().Ref.(*updateView)
	var l listing[realtime.TripUpdate]
	for _, s := range v.Sources {
		for _, i := range updatesOf(s, p.StopID, v.notices) {
			if ok, err := l.add(ctx, func() (rest.Encoded[realtime.TripUpdate], error) { return s.Update(i) }); !ok {
				return l.answer(c, v.View, err)
			}
		}
	}
	return l.answer(c, v.View, nil)
}

// updatesOf are the trip updates that an answer about a stop lists: those that name it, or those that overrides lead to.
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

// vehicleView is what an answer about vehicles is made of: their sources, and if it is about a stop those of trip updates.
type vehicleView struct{ vehicles, updates *live.View }

func (a *api) vehicleSource() *rest.Source {
	return &rest.Source{
		Now: func(ctx context.Context, c *rest.Call) (rest.Generation, error) {
			v, err := a.live.Read(ctx, c.Param("feed"), conf.VehiclePositions)
			if err != nil {
				return rest.Generation{}, err
			}
			both, gen := &vehicleView{vehicles: v}, v.Generation
			if c.Param("stop_id") != "" {
				if both.updates, err = a.live.Read(ctx, c.Param("feed"), conf.TripUpdates); err != nil {
					return rest.Generation{}, err
				}
				gen = joined(gen, both.updates.Generation)
			}
			gen.Ref = both
			return gen, nil
		},
		Changed: a.news.Changed,
	}
}

func (a *api) listVehicles(ctx context.Context, c *rest.Call, p rtVehicleParams) (wire.Envelope[[]rest.Encoded[realtime.VehiclePosition]], error) {
	both := c.Generation().Ref.(*vehicleView)
	v := both.vehicles
	var l listing[realtime.VehiclePosition]
	for _, s := range v.Sources {
		wanted := func(int) bool { return true }
		if p.StopID != nil {
			wanted = s.HeadingFor(*p.StopID, both.updates.Of(s.Alias))
		}
		for i := range s.Message.Vehicles {
			if i%1000 == 0 && ctx.Err() != nil {
				return l.answer(c, v, ctx.Err())
			}
			if !wanted(i) {
				continue
			}
			if ok, err := l.add(ctx, func() (rest.Encoded[realtime.VehiclePosition], error) { return s.Vehicle(int32(i)) }); !ok {
				return l.answer(c, v, err)
			}
		}
	}
	return l.answer(c, v, nil)
}

func (a *api) listRouteVehicles(ctx context.Context, c *rest.Call, p rtRouteParams) (wire.Envelope[[]rest.Encoded[realtime.VehiclePosition]], error) {
	v := c.Generation().Ref.(*live.View)
	var l listing[realtime.VehiclePosition]
	for _, s := range v.Sources {
		for _, i := range s.VehiclesOf(p.RouteID) {
			if ok, err := l.add(ctx, func() (rest.Encoded[realtime.VehiclePosition], error) { return s.Vehicle(i) }); !ok {
				return l.answer(c, v, err)
			}
		}
	}
	return l.answer(c, v, nil)
}

func (a *api) listAlerts(ctx context.Context, c *rest.Call, p rtAlertParams) (wire.Envelope[[]rest.Encoded[realtime.Alert]], error) {
	v := c.Generation().Ref.(*live.View)
	what := strings.TrimSuffix(p.EntityType, "s")
	if what == "agencie" {
		what = "agency"
	}
	var l listing[realtime.Alert]
	for _, s := range v.Sources {
		for _, i := range s.AlertsAbout(what, p.EntityID) {
			if ok, err := l.add(ctx, func() (rest.Encoded[realtime.Alert], error) { return s.Alert(i) }); !ok {
				return l.answer(c, v, err)
			}
		}
	}
	return l.answer(c, v, nil)
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

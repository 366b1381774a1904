package realtimeapi

import (
	"context"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/annotation"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/live"
	"github.com/townline/townline/services/transit-api/internal/realtime"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

type (
	rtStopParams struct {
		StopID string `path:"stop_id" doc:"The stop by its id in the realtime feed, or by its stop_id or stop_code in the static feed. A station includes its platforms."`
		wire.FeedChoice
	}
	rtRouteParams struct {
		RouteID string `path:"route_id" doc:"route_id of the feed."`
		wire.FeedChoice
	}
	rtVehicleParams struct {
		StopID *string `query:"stop_id" doc:"Only vehicles that are at this stop or on a trip that still calls there."`
		wire.FeedChoice
	}
	rtAlertParams struct {
		EntityType string `path:"entity_type" enum:"stop,stops,route,routes,trip,trips,agency,agencies" doc:"Type of the entity; singular and plural mean the same."`
		EntityID   string `path:"entity_id" doc:"The id in the realtime feed; for a stop, also its stop_id or stop_code in the static feed."`
		wire.FeedChoice
	}
)

// Texts of the documentation.
const (
	notFound = "unknown feed"
	fresh    = "The answer is made of the data at hand. If that is older than its source allows, the read requests a " +
		"refresh and first waits for it, 1.5 seconds at most. meta.last_fetched is the time of the data."
)

func (a *API) listEndpoints() rest.Table {
	return rest.Table{
		rest.From(rest.Spec{ID: "realtime.trip_updates", Path: "/rt/tripupdates/{stop_id}",
			Summary: "Trip updates that affect a stop",
			Doc: "Each trip update has all its stop time updates. If an override annotation on the stop is active, the " +
				"updates are those of the stop it names. " + fresh,
			Kind: rest.Realtime, Tag: tagRealtime, NotFound: notFound}, streamed(a, a.findUpdates), listTripUpdates),
		rest.From(rest.Spec{ID: "realtime.vehicles", Path: "/rt/vehicles", Summary: "Vehicles", Doc: fresh,
			Kind: rest.Realtime, Tag: tagRealtime, NotFound: notFound}, streamed(a, a.findVehicles), listVehicles),
		rest.From(rest.Spec{ID: "realtime.route_vehicles", Path: "/rt/vehicles/{route_id}",
			Summary: "Vehicles of a route", Doc: fresh,
			Kind: rest.Realtime, Tag: tagRealtime, NotFound: notFound}, live.Of[rtRouteParams](a.Live, conf.VehiclePositions),
			listRouteVehicles),
	}
}

func (a *API) alertEndpoints() rest.Table {
	return rest.Table{
		rest.From(rest.Spec{ID: "realtime.alerts", Path: "/rt/alerts/{entity_type}/{entity_id}",
			Summary: "Alerts about a stop, route, trip or agency",
			Doc: "An alert is listed for exactly the entities that its informedEntity names, even outside its active period. " +
				fresh,
			Kind: rest.Realtime, Tag: tagRealtime, NotFound: "unknown feed or entity type"},
			live.Of[rtAlertParams](a.Live, conf.Alerts), listAlerts),
	}
}

const (
	maxListed      = 50_000   // several times all vehicles of the largest agencies
	maxListedBytes = 28 << 20 // less than the maximum body
)

// listed lists the entities that find returns for each source, up to the bounds.
func listed[T any](
	ctx context.Context, c *rest.Call, v *live.View, find func(*live.SourceState) []int32,
	encode func(*realtime.Snapshot, int32) (rest.Encoded[T], error),
) (e wire.Envelope[[]rest.Encoded[T]], err error) {
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
			size += len(row)
			if len(rows) >= maxListed || size > maxListedBytes {
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

type updateView struct {
	*live.View
	annotations *annotation.State
}

func (a *API) findUpdates(ctx context.Context, _ *rest.Call,
	p rtStopParams) (v updateView, gen rest.Generation, err error) {
	v.View, err = a.Live.Read(ctx, p.Choice(), conf.TripUpdates)
	if err != nil {
		return v, gen, err
	}
	v.annotations = a.Annotations.At(a.Now())
	if v.annotations == nil {
		return v, gen, live.ErrNotRead
	}
	return v, rest.Join(v.Generation, v.annotations.Redirects), nil
}

func listTripUpdates(ctx context.Context, c *rest.Call, p rtStopParams,
	v updateView) (wire.Envelope[[]rest.Encoded[realtime.TripUpdate]], error) {
	return listed(ctx, c, v.View, func(s *live.SourceState) []int32 {
		return updatesOf(s, p.StopID, v.annotations)
	}, (*realtime.Snapshot).Update)
}

// updatesOf returns the trip updates at a stop or, if an override replaces the stop, at the
// replacements.
func updatesOf(s *live.SourceState, stop string, annotations *annotation.State) []int32 {
	places := annotations.Places(s.Alias, stop, s.Identities)
	if len(places) == 1 && places[0].HasAll() {
		return s.UpdatesAt(places[0].Stop)
	}
	var all []int32
	for _, p := range places {
		for _, i := range s.UpdatesAt(p.Stop) {
			if p.Has(s.RouteOf(s.Message.TripUpdates[i].Trip)) {
				all = append(all, i)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// vehicleView has the vehicles of an answer and, in an answer about a stop, the trip updates.
type vehicleView struct{ vehicles, updates *live.View }

func (a *API) findVehicles(ctx context.Context, _ *rest.Call,
	p rtVehicleParams) (v vehicleView, gen rest.Generation, err error) {
	kinds := []string{conf.VehiclePositions}
	if p.StopID != nil {
		kinds = append(kinds, conf.TripUpdates)
	}
	a.Live.Await(ctx, []string{p.Choice()}, kinds...)
	v.vehicles, err = a.Live.View(p.Choice(), conf.VehiclePositions)
	if err != nil {
		return v, gen, err
	}
	if p.StopID == nil {
		return v, v.vehicles.Generation, nil
	}
	v.updates, err = a.Live.View(p.Choice(), conf.TripUpdates)
	if err != nil {
		return v, gen, err
	}
	return v, rest.Join(v.vehicles.Generation, v.updates.Generation), nil
}

func listVehicles(ctx context.Context, c *rest.Call, p rtVehicleParams,
	v vehicleView) (wire.Envelope[[]rest.Encoded[realtime.VehiclePosition]], error) {
	return listed(ctx, c, v.vehicles, func(s *live.SourceState) []int32 {
		if p.StopID != nil {
			return s.HeadingFor(*p.StopID, v.updates.Of(s.Alias))
		}
		return s.Vehicles()
	}, (*realtime.Snapshot).Vehicle)
}

func listRouteVehicles(ctx context.Context, c *rest.Call, p rtRouteParams,
	v *live.View) (wire.Envelope[[]rest.Encoded[realtime.VehiclePosition]], error) {
	return listed(ctx, c, v, func(s *live.SourceState) []int32 { return s.VehiclesOf(p.RouteID) },
		(*realtime.Snapshot).Vehicle)
}

func listAlerts(ctx context.Context, c *rest.Call, p rtAlertParams,
	v *live.View) (wire.Envelope[[]rest.Encoded[realtime.Alert]], error) {
	what := strings.TrimSuffix(p.EntityType, "s")
	if what == "agencie" {
		what = "agency"
	}
	return listed(ctx, c, v, func(s *live.SourceState) []int32 {
		return s.AlertsAbout(what, p.EntityID)
	}, (*realtime.Snapshot).Alert)
}

type annotationView struct {
	*annotation.State
	feeds *edition.Feeds
}

// has reports whether a feed, or any feed, has an entity.
func (v annotationView) has(alias *string, entityType, id string) bool {
	if alias != nil {
		f := v.feeds.ByAlias[*alias]
		return f != nil && hasEntity(f, entityType, id)
	}
	return slices.ContainsFunc(v.feeds.Sorted, func(f *edition.Feed) bool { return hasEntity(f, entityType, id) })
}

type annotationParams struct {
	EntityType string `path:"entity_type" enum:"stops,routes,trips,agency" doc:"The type of the entity."`
	EntityID   string `path:"entity_id" doc:"The id in the static feed."`
	wire.FeedChoice
}

func (a *API) annotationEndpoints() rest.Table {
	return rest.Table{
		rest.From(rest.Spec{ID: "display.annotations", Path: "/display/annotations/{entity_type}/{entity_id}",
			Summary: "Annotations of an entity that are active now",
			Doc: "A comment on an entity that the feed lacks is not public. An annotation can be limited to a period and to " +
				"hours of the week. Cache-Control never lets a cache keep an answer past the next change.",
			Kind: rest.Realtime, Tag: tagDisplay, NotFound: "unknown feed or entity type"}, streamed(a, a.findAnnotations),
			listAnnotations),
	}
}

func (a *API) findAnnotations(_ context.Context, _ *rest.Call, p annotationParams) (v annotationView,
	gen rest.Generation, err error) {
	v = annotationView{a.Annotations.At(a.Now()), a.Feeds.Now()}
	if v.State == nil || v.feeds == nil {
		return v, gen, live.ErrNotRead
	}
	if p.Feed != nil && v.feeds.ByAlias[*p.Feed] == nil {
		return v, gen, rest.NotFound("unknown feed")
	}
	return v, rest.Join(v.State.Generation, rest.Generation{N: v.feeds.Generation.N}), nil
}

func listAnnotations(_ context.Context, c *rest.Call, p annotationParams,
	v annotationView) (wire.Envelope[[]annotation.Annotation], error) {
	return wire.Whole(c, v.About(p.EntityType, p.EntityID, p.Feed, v.has), nil, nil), nil
}

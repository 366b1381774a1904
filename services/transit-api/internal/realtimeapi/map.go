package realtimeapi

import (
	"context"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/live"
	"github.com/townline/townline/services/transit-api/internal/realtime"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

type rtMapParams struct {
	Feed    string  `query:"feed" required:"true" example:"alderbay" doc:"Alias of the feed."`
	RouteID *string `query:"route_id" doc:"Only vehicles of this route."`
}

func (a *API) mapEndpoints() rest.Table {
	return rest.Table{
		rest.From(rest.Spec{ID: "realtime.map", Path: "/rt/map", Summary: "Vehicles of a feed on a map",
			Doc: "Where each vehicle is, with the names of its route, its headsign and the stop by which people say where it " +
				"is. As a stream it tells each change. " + fresh,
			Kind: rest.Realtime, Tag: tagRealtime, Translated: true, NotFound: notFound}, streamed(a, a.findMapped), a.listMap),
	}
}

// A VehicleMap has the vehicles of a feed for a map.
type VehicleMap struct {
	Realtime live.RealtimeState `json:"realtime" doc:"none: no source of vehicle positions is configured; never: none was polled with success yet; silent: the last news is more than three minutes old, or the feed's own timestamp ten; live."`
	Vehicles []realtime.Located `json:"vehicles" doc:"In the order of the feed; those without a position are left out. Look at the timestamp of each: some feeds go on telling where a vehicle was long ago."`
}

const (
	maxMapped    = 3000 // vehicles per map
	locatedBytes = 500  // estimated memory per vehicle
)

// MappedView has the data of a map.
type MappedView struct {
	Vehicles *live.View
	State    live.RealtimeState
	feed     *edition.Feed // nil if the feed was never imported
}

func (a *API) findMapped(ctx context.Context, _ *rest.Call, p rtMapParams) (*MappedView, rest.Generation, error) {
	return a.MapView(ctx, p.Feed)
}

// MapView returns the data of a feed's map.
func (a *API) MapView(ctx context.Context, alias string) (*MappedView, rest.Generation, error) {
	a.Live.Await(ctx, []string{alias}, conf.VehiclePositions)
	v, err := a.view(alias, conf.VehiclePositions)
	if err != nil {
		return nil, rest.Generation{}, err
	}
	now := a.Now()
	state, _ := v.State(now)
	m := &MappedView{Vehicles: v, State: state, feed: a.Feeds.Feed(alias)}
	// The states have names of different lengths, so the length identifies the state.
	gens := []rest.Generation{v.Generation, {N: int64(len(state)), Until: v.Until(now)}}
	if m.feed != nil {
		gens = append(gens, m.feed.Generation)
	}
	return m, rest.Join(gens...), nil
}

func (a *API) listMap(ctx context.Context, c *rest.Call, p rtMapParams,
	v *MappedView) (wire.Envelope[VehicleMap], error) {
	vehicles, whole, err := a.Located(ctx, c, v, p.RouteID)
	v.Translate(ctx, Writing{Language: c.Translated()}, vehicles.Vehicles)
	e := wire.Envelope[VehicleMap]{Data: vehicles, Meta: wire.Meta{TotalCount: len(vehicles.Vehicles),
		DataCount: len(vehicles.Vehicles),
		Links:     wire.Links{{Rel: "self", Href: c.SelfQuery()}}, LastFetched: &v.Vehicles.LastFetched, Truncated: !whole}}
	return e, err
}

// Located returns the vehicles of a feed, or of one route; the bool is true if they are complete.
func (a *API) Located(ctx context.Context, c *rest.Call, v *MappedView, route *string) (VehicleMap, bool, error) {
	vehicles := VehicleMap{Realtime: v.State, Vehicles: []realtime.Located{}}
	for _, s := range v.Vehicles.Sources {
		which := s.Vehicles()
		if route != nil {
			which = s.VehiclesOf(*route)
		}
		for _, i := range which {
			l, ok := s.Locate(i, s.FetchedAt.Unix())
			if !ok {
				continue
			}
			if len(vehicles.Vehicles) >= maxMapped {
				return vehicles, false, nil
			}
			if err := c.Reserve(ctx, locatedBytes); err != nil {
				return vehicles, false, err
			}
			vehicles.Vehicles = append(vehicles.Vehicles, l)
		}
	}
	return vehicles, true, nil
}

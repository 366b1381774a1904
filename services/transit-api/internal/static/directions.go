package static

import (
	"context"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// A Direction is a direction of a route in answers.
type Direction struct {
	edition.Direction
	Route   *edition.Route `json:"route,omitempty" db:"-" translate:"into" doc:"The full route; only in lists of a stop."`
	Service *Service       `json:"service" db:"-" doc:"Always null: a direction does not belong to one service."`
	Links   wire.Links     `json:"links" db:"-" doc:"self, route, stops."`
}

// An OrderedDirection is a direction with its stops in service order.
type OrderedDirection struct {
	edition.Direction
	StopIDs []string
}

func linkedDirection(of edition.Direction, c *rest.Call, f *edition.Feed) Direction {
	route := c.URL(wire.RoutePath, f.Alias, f.Route(of.RouteID).AgencyID, of.RouteID)
	return Direction{Direction: of, Links: wire.Links{
		{Rel: "self", Href: route + "/directions/" + of.DirectionID},
		{Rel: "route", Href: route},
		{Rel: "stops", Href: route + "/stops/" + of.DirectionID},
	}}
}

type directionParams struct {
	wire.RouteParams
	DirectionID string `path:"direction_id" enum:"0,1" doc:"0 or 1."`
}

type directionStopsPage struct {
	wire.RouteParams
	DirectionIDs string `path:"direction_ids" pattern:"^[01](,[01])*$" doc:"One direction id, or several separated by commas." example:"0,1"`
	wire.Window
}

func (a *API) directionEndpoints() rest.Table {
	return rest.Table{
		list(a, rest.Spec{ID: "static.route_directions", Path: wire.RoutePath + "/directions",
			Summary: "Directions of a route",
			Doc:     "The directions in which the route has trips.", NotFound: "unknown feed, agency or route"},
			func(_ context.Context, c *rest.Call, f *edition.Feed, p routePage) (page []Direction, count int, err error) {
				route, err := FindRoute(f, p.RouteParams)
				all := f.DirectionsIn(route.Directions())
				for _, d := range window(all, p.Window) {
					page = append(page, linkedDirection(d, c, f))
				}
				return page, len(all), err
			}),
		single(a, rest.Spec{ID: "static.route_direction", Path: wire.RoutePath + "/directions/{direction_id}",
			Summary:  "One direction of a route",
			NotFound: "unknown feed, agency or route, or no trips in that direction"}, oneDirection),
		list(a, rest.Spec{ID: "static.route_stops", Path: wire.RoutePath + "/stops/{direction_ids}",
			Summary: "Stops of a route in service order",
			Doc: `One order of stops for all trips of the direction. It agrees with every trip if the trips agree with ` +
				`each other. A stop is listed twice if a trip calls there twice, ` +
				`or if trips visit it in contradictory order. Several directions follow one another in the order of the request; ` +
				`a direction without trips adds nothing, so 0,1 returns every stop of any route.`,
			NotFound: "unknown feed, agency or route, or no trips in any of the directions"}, listDirectionStops),
	}
}

func oneDirection(_ context.Context, c *rest.Call, f *edition.Feed, p directionParams) (Direction, wire.Links, error) {
	route, err := FindRoute(f, p.RouteParams)
	if err != nil {
		return Direction{}, nil, err
	}
	for _, d := range f.DirectionsIn(route.Directions()) {
		if d.DirectionID == p.DirectionID {
			return linkedDirection(d, c, f), nil, nil
		}
	}
	return Direction{}, nil, noDirection(p.DirectionID)
}

func noDirection(id string) error { return rest.NotFound("the route has no trips in direction %s", id) }

// Directions returns the directions of a route.
func Directions(ctx context.Context, f *edition.Feed, route *edition.Route) (all []OrderedDirection, err error) {
	directions := f.DirectionsIn(route.Directions())
	ranks := make([]int32, len(directions))
	for i, d := range directions {
		ranks[i] = int32(d.Rank)
	}
	orders, err := f.Orders(ctx, ranks)
	if err != nil {
		return nil, err
	}
	for i, d := range directions {
		own := OrderedDirection{Direction: d}
		if o := orders[ranks[i]]; o != nil {
			own.StopIDs = o.StopID
		}
		all = append(all, own)
	}
	return all, nil
}

func directionOf(all []OrderedDirection, id string) (OrderedDirection, bool) {
	i := slices.IndexFunc(all, func(d OrderedDirection) bool { return d.DirectionID == id })
	if i < 0 {
		return OrderedDirection{}, false
	}
	return all[i], true
}

func listDirectionStops(ctx context.Context, c *rest.Call, f *edition.Feed,
	p directionStopsPage) ([]edition.Stop, int, error) {
	route, err := FindRoute(f, p.RouteParams)
	if err != nil {
		return nil, 0, err
	}
	all, err := Directions(ctx, f, route)
	if err != nil {
		return nil, 0, err
	}
	var ids, seen []string
	for asked := range strings.SplitSeq(p.DirectionIDs, ",") {
		if d, ok := directionOf(all, asked); ok && !slices.Contains(seen, asked) {
			ids = append(ids, d.StopIDs...)
			seen = append(seen, asked)
		}
	}
	if len(seen) == 0 {
		return nil, 0, noDirection(p.DirectionIDs)
	}
	return stopsOf(c, f, ids, p.Window)
}

package static

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// A Direction is one of the two directions in which a route has trips.
type Direction struct {
	Label       string     `json:"label" doc:"The direction's name."`
	RouteID     string     `json:"route_id"`
	DirectionID string     `json:"direction_id" doc:"0 or 1; 0 for trips without a direction_id."`
	Direction   string     `json:"direction" doc:"Name of the direction: the feed's, else the most frequent headsign, else Outbound or Inbound."`
	Route       *Route     `json:"route,omitempty" db:"-" doc:"The full route; only in lists of a stop."`
	Service     *Service   `json:"service" db:"-" doc:"Always null: a direction does not belong to one service."`
	Links       wire.Links `json:"links" db:"-" doc:"self, route, stops."`
}

const directionColumns = `d.direction AS label, d.route_id, d.direction_id, d.direction`

var directionRows = Rows[Direction]{rest.SQL[edition.Ranks, Direction](`
	SELECT ` + directionColumns + `
	FROM transit.route_direction d
	WHERE d.version_id = @version_id AND d.ord >= @low AND d.ord < @high
	ORDER BY d.ord`), (*Direction).link}

func (d *Direction) link(c *rest.Call, f *edition.Feed) {
	route := c.URL(RoutePath, f.Alias, f.Route(d.RouteID).AgencyID, d.RouteID)
	d.Links = wire.Links{
		{Rel: "self", Href: route + "/directions/" + d.DirectionID},
		{Rel: "route", Href: route},
		{Rel: "stops", Href: route + "/stops/" + d.DirectionID},
	}
}

// serviceOrder returns the stops of a direction in service order.
type serviceOrder struct {
	DirectionID string
	StopIDs     []string `db:"stop_id"`
}

var serviceOrders = rest.SQL[edition.Ranks, serviceOrder](`
	SELECT direction_id, stop_id
	FROM transit.route_direction
	WHERE version_id = @version_id AND ord >= @low AND ord < @high`)

type directionParams struct {
	RouteParams
	DirectionID string `path:"direction_id" enum:"0,1" doc:"0 or 1."`
}

type directionStopsPage struct {
	RouteParams
	DirectionIDs string `path:"direction_ids" pattern:"^[01](,[01])*$" doc:"One direction id, or several separated by commas." example:"0,1"`
	wire.Window
}

func (a *API) directionEndpoints() rest.Table {
	return rest.Table{
		ranked(a, rest.Spec{ID: "static.route_directions", Path: RoutePath + "/directions", Summary: "Directions of a route",
			Doc: "The directions in which the route has trips.", NotFound: "unknown feed, agency or route"}, directionRows,
			func(f *edition.Feed, p routePage) (edition.Span, error) {
				route, err := FindRoute(f, p.RouteParams)
				return route.Directions(), err
			}),
		single(a, rest.Spec{ID: "static.route_direction", Path: RoutePath + "/directions/{direction_id}", Summary: "One direction of a route",
			Queries: rest.Queries(directionRows.Query), NotFound: "unknown feed, agency or route, or no trips in that direction"}, oneDirection),
		pages(a, rest.Spec{ID: "static.route_stops", Path: RoutePath + "/stops/{direction_ids}", Summary: "Stops of a route in service order",
			Doc: `One order of stops for all trips of the direction. It agrees with every trip if the trips agree with each other. A stop is listed twice if a trip calls there twice, ` +
				`or if trips visit it in contradictory order. Several directions follow one another in the order of the request; ` +
				`a direction without trips adds nothing, so 0,1 returns every stop of any route.`,
			Queries: rest.Queries(serviceOrders), NotFound: "unknown feed, agency or route, or no trips in any of the directions"}, listDirectionStops),
	}
}

func oneDirection(ctx context.Context, c *rest.Call, f *edition.Feed, p directionParams) (Direction, wire.Links, error) {
	route, err := FindRoute(f, p.RouteParams)
	if err != nil {
		return Direction{}, nil, err
	}
	all, err := directionRows.Read(ctx, c, f, route.Directions())
	for _, d := range all {
		if d.DirectionID == p.DirectionID {
			return d, nil, err
		}
	}
	return Direction{}, nil, cmp.Or[error](err, rest.NotFound("the route has no trips in direction %s", p.DirectionID))
}

func listDirectionStops(ctx context.Context, c *rest.Call, f *edition.Feed, p directionStopsPage) ([]edition.Stop, int, error) {
	route, err := FindRoute(f, p.RouteParams)
	if err != nil {
		return nil, 0, err
	}
	orders, err := serviceOrders.List(ctx, c, f.Ranks(route.Directions()))
	if err != nil {
		return nil, 0, err
	}
	var ids, seen []string
	for asked := range strings.SplitSeq(p.DirectionIDs, ",") {
		i := slices.IndexFunc(orders, func(o serviceOrder) bool { return o.DirectionID == asked })
		if i >= 0 && !slices.Contains(seen, asked) {
			ids = append(ids, orders[i].StopIDs...)
			seen = append(seen, asked)
		}
	}
	if len(seen) == 0 {
		return nil, 0, rest.NotFound("the route has no trips in direction %s", p.DirectionIDs)
	}
	return stopsOf(c, f, ids, p.Window)
}

// An OrderedDirection is a direction with its stops in service order; nil where the feed gives none.
type OrderedDirection struct {
	Direction
	StopIDs []string
}

// Directions returns the directions of a route with their stops.
func Directions(ctx context.Context, c *rest.Call, f *edition.Feed, route *edition.Route) ([]OrderedDirection, error) {
	rows, err := directionRows.Read(ctx, c, f, route.Directions())
	if err != nil {
		return nil, err
	}
	orders, err := serviceOrders.List(ctx, c, f.Ranks(route.Directions()))
	if err != nil {
		return nil, err
	}
	all := make([]OrderedDirection, len(rows))
	for i, row := range rows {
		all[i].Direction = row
		if at := slices.IndexFunc(orders, func(o serviceOrder) bool { return o.DirectionID == row.DirectionID }); at >= 0 {
			all[i].StopIDs = orders[at].StopIDs
		}
	}
	return all, nil
}

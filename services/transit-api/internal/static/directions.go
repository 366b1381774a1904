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

	StopIDs []string `json:"-" db:"stop_id"` // in service order
}

const directionColumns = `d.direction AS label, d.route_id, d.direction_id, d.direction, d.stop_id`

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
		single(a, rest.Spec{ID: "static.route_direction", Path: RoutePath + "/directions/{direction_id}",
			Summary:  "One direction of a route",
			Queries:  rest.Queries(directionRows.Query),
			NotFound: "unknown feed, agency or route, or no trips in that direction"}, oneDirection),
		list(a, rest.Spec{ID: "static.route_stops", Path: RoutePath + "/stops/{direction_ids}",
			Summary: "Stops of a route in service order",
			Doc: `One order of stops for all trips of the direction. It agrees with every trip if the trips agree with ` +
				`each other. A stop is listed twice if a trip calls there twice, ` +
				`or if trips visit it in contradictory order. Several directions follow one another in the order of the request; ` +
				`a direction without trips adds nothing, so 0,1 returns every stop of any route.`,
			Queries:  rest.Queries(directionRows.Query),
			NotFound: "unknown feed, agency or route, or no trips in any of the directions"}, listDirectionStops),
	}
}

func oneDirection(ctx context.Context, c *rest.Call, f *edition.Feed,
	p directionParams) (Direction, wire.Links, error) {
	route, err := FindRoute(f, p.RouteParams)
	if err != nil {
		return Direction{}, nil, err
	}
	d, err := findDirection(ctx, c, f, route, p.DirectionID)
	return d, nil, err
}

// Directions returns the directions of a route.
func Directions(ctx context.Context, c *rest.Call, f *edition.Feed, route *edition.Route) ([]Direction, error) {
	return directionRows.Read(ctx, c, f, route.Directions())
}

func findDirection(
	ctx context.Context, c *rest.Call, f *edition.Feed, route *edition.Route, id string,
) (Direction, error) {
	all, err := Directions(ctx, c, f, route)
	for _, d := range all {
		if d.DirectionID == id {
			return d, err
		}
	}
	return Direction{}, cmp.Or[error](err, rest.NotFound("the route has no trips in direction %s", id))
}

func listDirectionStops(ctx context.Context, c *rest.Call, f *edition.Feed,
	p directionStopsPage) ([]edition.Stop, int, error) {
	route, err := FindRoute(f, p.RouteParams)
	if err != nil {
		return nil, 0, err
	}
	all, err := Directions(ctx, c, f, route)
	if err != nil {
		return nil, 0, err
	}
	var ids, seen []string
	for asked := range strings.SplitSeq(p.DirectionIDs, ",") {
		i := slices.IndexFunc(all, func(d Direction) bool { return d.DirectionID == asked })
		if i >= 0 && !slices.Contains(seen, asked) {
			ids = append(ids, all[i].StopIDs...)
			seen = append(seen, asked)
		}
	}
	if len(seen) == 0 {
		return nil, 0, rest.NotFound("the route has no trips in direction %s", p.DirectionIDs)
	}
	return stopsOf(c, f, ids, p.Window)
}

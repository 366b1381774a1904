package static

import (
	"context"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/lines"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

func (a *API) routeEndpoints() rest.Table {
	return rest.Table{
		list(a, rest.Spec{ID: "static.routes", Path: wire.AgencyPath + "/routes", Summary: "Routes of an agency",
			NotFound: "unknown feed or agency"},
			func(_ context.Context, c *rest.Call, f *edition.Feed, p agencyPage) ([]edition.Route, int, error) {
				agency, err := FindAgency(f, p.AgencyParams)
				if err != nil {
					return nil, 0, err
				}
				all := f.RoutesIn(agency.Routes())
				page := slices.Clone(window(all, p.Window))
				for i := range page {
					linkRoute(&page[i], c, f)
				}
				return page, len(all), nil
			}),
		single(a, rest.Spec{ID: "static.route", Path: wire.RoutePath, Summary: "One route",
			NotFound: "unknown feed, agency or route"},
			func(_ context.Context, c *rest.Call, f *edition.Feed, p wire.RouteParams) (edition.Route, wire.Links, error) {
				route, err := FindRoute(f, p)
				return linkedRoute(route, c, f), nil, err
			}),
		single(a, rest.Spec{ID: "static.route_geojson", Path: wire.RoutePath + "/geojson", Summary: "One route as GeoJSON",
			Queries: rest.Queries(lines.Shapes), NotFound: "unknown feed, agency or route"}, oneRouteGeoJSON),
		single(a, rest.Spec{ID: "static.route_wkt", Path: wire.RoutePath + "/wkt", Summary: "One route as Well-Known Text",
			Doc:     "data is a string: a MULTILINESTRING with the lines of the GeoJSON.",
			Queries: rest.Queries(lines.Shapes), NotFound: "unknown feed, agency or route"},
			func(ctx context.Context, c *rest.Call, f *edition.Feed, p wire.RouteParams) (string, wire.Links, error) {
				all, err := routeLines(ctx, c, f, p)
				return wkt(all), routeLink(c, f, p), err
			}),
	}
}

// linkedRoute returns a copy of a route with its links.
func linkedRoute(r *edition.Route, c *rest.Call, f *edition.Feed) edition.Route {
	own := *r
	linkRoute(&own, c, f)
	return own
}

func linkRoute(r *edition.Route, c *rest.Call, f *edition.Feed) {
	self := c.URL(wire.RoutePath, f.Alias, r.AgencyID, r.RouteID)
	r.Links = wire.Links{
		{Rel: "self", Href: self},
		{Rel: "agency", Href: c.URL(wire.AgencyPath, f.Alias, r.AgencyID)},
		{Rel: "directions", Href: self + "/directions"},
		{Rel: "trips", Href: self + "/trips"},
		{Rel: "geojson", Href: self + "/geojson"},
		{Rel: "wkt", Href: self + "/wkt"},
	}
}

// A RouteFeature is a route as GeoJSON (RFC 7946).
type RouteFeature struct {
	Type       string          `json:"type" enum:"Feature"`
	Properties edition.Route   `json:"properties"`
	Geometry   MultiLineString `json:"geometry" doc:"Every distinct shape of the route's trips. A trip without a shape adds the line through its stops."`
}

func oneRouteGeoJSON(ctx context.Context, c *rest.Call, f *edition.Feed,
	p wire.RouteParams) (RouteFeature, wire.Links, error) {
	all, err := routeLines(ctx, c, f, p)
	if err != nil {
		return RouteFeature{}, nil, err
	}
	route := linkedRoute(f.Route(p.RouteID), c, f)
	return RouteFeature{"Feature", route, MultiLineString{"MultiLineString", all}}, routeLink(c, f, p), nil
}

func routeLink(c *rest.Call, f *edition.Feed, p wire.RouteParams) wire.Links {
	return wire.Links{{Rel: "route", Href: c.URL(wire.RoutePath, f.Alias, p.AgencyID, p.RouteID)}}
}

func routeLines(ctx context.Context, c *rest.Call, f *edition.Feed, p wire.RouteParams) ([]line, error) {
	route, err := FindRoute(f, p)
	if err != nil {
		return nil, err
	}
	var all []lines.Line
	points := 0
	every := lines.Args{Trips: route.Trips(), Most: route.TripCount, Routes: route.Rank + 1}
	err = lines.Each(ctx, c, f, every, func(w lines.Line) error {
		if w.ShapePtLat != nil {
			points += strings.Count(*w.ShapePtLat, ",") + 1
		}
		all = append(all, w)
		return checkPoints(points + len(all))
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(x, y lines.Line) int { return x.First - y.First })
	return distinctLines(ctx, c, f, all)
}

package static

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/lines"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// A Route is a row of routes.txt. Columns beyond the standard, and keys from the operator, are
// further keys of the same object.
type Route struct {
	Label             string     `json:"label" doc:"route_short_name and route_long_name, as far as given, else route_id."`
	RouteID           string     `json:"route_id"`
	AgencyID          string     `json:"agency_id" doc:"agency_id; if the feed gives none, that of its only agency."`
	RouteType         string     `json:"route_type" doc:"GTFS route type, such as 3 for bus."`
	RouteShortName    *string    `json:"route_short_name"`
	RouteLongName     *string    `json:"route_long_name"`
	RouteDesc         *string    `json:"route_desc"`
	RouteURL          *string    `json:"route_url"`
	RouteColor        *string    `json:"route_color" doc:"Six hexadecimal digits."`
	RouteTextColor    *string    `json:"route_text_color" doc:"Six hexadecimal digits."`
	RouteSortOrder    *string    `json:"route_sort_order"`
	ContinuousPickup  *string    `json:"continuous_pickup"`
	ContinuousDropOff *string    `json:"continuous_drop_off"`
	NetworkID         *string    `json:"network_id"`
	Links             wire.Links `json:"links" db:"-" doc:"self, agency, directions, trips, geojson, wkt."`

	// Extra has further keys. It cannot replace a key above.
	Extra map[string]any `json:"-" further:"A further column of the feed's routes.txt, or a key that the operator adds."`
}

// routeKeys are the documented keys; an extra key cannot replace one.
var routeKeys = func() map[string]bool {
	keys := map[string]bool{}
	t := reflect.TypeFor[Route]()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		keys[name] = true
	}
	return keys
}()

// MarshalJSON writes the fields, then the extra keys in alphabetical order.
func (r Route) MarshalJSON() ([]byte, error) {
	type fields Route
	b, err := rest.Encode(fields(r))
	if err != nil {
		return nil, err
	}
	extra := maps.Clone(r.Extra)
	maps.DeleteFunc(extra, func(k string, _ any) bool { return routeKeys[k] })
	if len(extra) == 0 {
		return b, nil
	}
	more, err := rest.Encode(extra)
	if err != nil {
		return nil, fmt.Errorf("extra keys of route %q: %w", r.RouteID, err)
	}
	b[len(b)-1] = ','
	return append(b, more[1:]...), nil
}

const routeColumns = `
	coalesce(nullif(concat_ws(' ', r.route_short_name, r.route_long_name), ''), r.route_id) AS label,
	r.route_id, r.agency_id, coalesce(r.route_type, '') AS route_type, r.route_short_name, r.route_long_name,
	r.route_desc, r.route_url, r.route_color,
	r.route_text_color, r.route_sort_order, r.continuous_pickup, r.continuous_drop_off, r.network_id, r.extra`

var routesByRank = rest.SQL[edition.Ranks, Route](`
	SELECT ` + routeColumns + `
	FROM transit.route r
	WHERE r.version_id = @version_id AND r.ord >= @low AND r.ord < @high
	ORDER BY r.ord`)

// RouteRows reads routes and completes them.
func (a *API) RouteRows() Rows[Route] { return Rows[Route]{routesByRank, a.finishRoute} }

func (a *API) routeEndpoints() rest.Table {
	return rest.Table{
		ranked(a, rest.Spec{ID: "static.routes", Path: AgencyPath + "/routes", Summary: "Routes of an agency",
			NotFound: "unknown feed or agency"}, a.RouteRows(),
			func(f *edition.Feed, p agencyPage) (edition.Span, error) {
				agency, err := findAgency(f, p.AgencyParams)
				return agency.Routes(), err
			}),
		oneRanked(a, rest.Spec{ID: "static.route", Path: RoutePath, Summary: "One route",
			NotFound: "unknown feed, agency or route"}, a.RouteRows(),
			func(f *edition.Feed, p RouteParams) (int, error) {
				route, err := FindRoute(f, p)
				return route.Rank, err
			}),
		single(a, rest.Spec{ID: "static.route_geojson", Path: RoutePath + "/geojson", Summary: "One route as GeoJSON",
			Queries: rest.Queries(routesByRank, lines.Query), NotFound: "unknown feed, agency or route"}, a.oneRouteGeoJSON),
		single(a, rest.Spec{ID: "static.route_wkt", Path: RoutePath + "/wkt", Summary: "One route as Well-Known Text",
			Doc:     "data is a string: a MULTILINESTRING with the lines of the GeoJSON.",
			Queries: rest.Queries(lines.Query), NotFound: "unknown feed, agency or route"},
			func(ctx context.Context, c *rest.Call, f *edition.Feed, p RouteParams) (string, wire.Links, error) {
				all, err := routeLines(ctx, c, f, p)
				return wkt(all), routeLink(c, f, p), err
			}),
	}
}

// OneRoute reads the route in the path.
func (a *API) OneRoute(ctx context.Context, c *rest.Call, f *edition.Feed, p RouteParams) (Route, error) {
	route, err := FindRoute(f, p)
	if err != nil {
		return Route{}, err
	}
	return a.RouteRows().One(ctx, c, f, route.Rank)
}

func (a *API) finishRoute(r *Route, c *rest.Call, f *edition.Feed) {
	self := c.URL(RoutePath, f.Alias, r.AgencyID, r.RouteID)
	r.Links = wire.Links{
		{Rel: "self", Href: self},
		{Rel: "agency", Href: c.URL(AgencyPath, f.Alias, r.AgencyID)},
		{Rel: "directions", Href: self + "/directions"},
		{Rel: "trips", Href: self + "/trips"},
		{Rel: "geojson", Href: self + "/geojson"},
		{Rel: "wkt", Href: self + "/wkt"},
	}
	if own := a.Extras[f.Alias][r.RouteID]; len(own) > 0 {
		if r.Extra == nil {
			r.Extra = make(map[string]any, len(own))
		}
		maps.Copy(r.Extra, own)
	}
	if a.Alter != nil {
		if r.Extra == nil {
			r.Extra = map[string]any{}
		}
		a.Alter(f.Alias, r)
	}
}

// Names returns the names of a route for riders, after RouteAlter.
func (a *API) Names(f *edition.Feed, r *edition.Route) edition.RouteNames {
	if a.Alter == nil {
		return r.RouteNames
	}
	own := Route{Label: r.Label(), RouteID: r.ID, AgencyID: r.AgencyID, RouteType: r.Type, RouteShortName: r.ShortName,
		RouteLongName: r.LongName,
		RouteDesc:     r.Desc, RouteURL: r.URL, RouteColor: r.Color, RouteTextColor: r.TextColor,
		Extra: map[string]any{}}
	a.Alter(f.Alias, &own)
	return edition.RouteNames{ShortName: own.RouteShortName, LongName: own.RouteLongName, Color: own.RouteColor,
		TextColor: own.RouteTextColor, Type: own.RouteType, Desc: own.RouteDesc, URL: own.RouteURL}
}

// A RouteFeature is a route as GeoJSON (RFC 7946).
type RouteFeature struct {
	Type       string          `json:"type" enum:"Feature"`
	Properties Route           `json:"properties"`
	Geometry   MultiLineString `json:"geometry" doc:"Every distinct shape of the route's trips. A trip without a shape adds the line through its stops."`
}

func (a *API) oneRouteGeoJSON(ctx context.Context, c *rest.Call, f *edition.Feed,
	p RouteParams) (RouteFeature, wire.Links, error) {
	all, err := routeLines(ctx, c, f, p)
	if err != nil {
		return RouteFeature{}, nil, err
	}
	route, err := a.OneRoute(ctx, c, f, p)
	return RouteFeature{"Feature", route, MultiLineString{"MultiLineString", all}}, routeLink(c, f, p), err
}

func routeLink(c *rest.Call, f *edition.Feed, p RouteParams) wire.Links {
	return wire.Links{{Rel: "route", Href: c.URL(RoutePath, f.Alias, p.AgencyID, p.RouteID)}}
}

func routeLines(ctx context.Context, c *rest.Call, f *edition.Feed, p RouteParams) ([]line, error) {
	route, err := FindRoute(f, p)
	if err != nil {
		return nil, err
	}
	var all []lines.Line
	points := 0
	every := lines.Args{Ranks: f.Ranks(route.Trips()), Most: route.TripCount, Routes: route.Rank + 1}
	err = lines.Query.Each(ctx, c, every, func(w lines.Line) error {
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

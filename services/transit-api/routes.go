package transitapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// A Route is a row of routes.txt. Columns beyond the standard, and keys that the
// operator adds, are further keys of the same object.
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

	// Extra holds further keys; a key that exists above is left out.
	Extra map[string]any `json:"-"`
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

// MarshalJSON writes the fields and after them the extra keys in alphabetical order.
func (r Route) MarshalJSON() ([]byte, error) {
	type fields Route
	b, err := marshal(fields(r))
	if err != nil {
		return nil, err
	}
	extra := maps.Clone(r.Extra)
	maps.DeleteFunc(extra, func(k string, _ any) bool { return routeKeys[k] })
	if len(extra) == 0 {
		return b, nil
	}
	more, err := marshal(extra)
	if err != nil {
		return nil, fmt.Errorf("extra keys of route %q: %w", r.RouteID, err)
	}
	b[len(b)-1] = ','
	return append(b, more[1:]...), nil
}

// marshal is json.Marshal without HTML escapes.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), err
}

const routeColumns = `
	coalesce(nullif(concat_ws(' ', r.route_short_name, r.route_long_name), ''), r.route_id) AS label, r.route_id, r.agency_id,
	coalesce(r.route_type, '') AS route_type, r.route_short_name, r.route_long_name, r.route_desc, r.route_url, r.route_color,
	r.route_text_color, r.route_sort_order, r.continuous_pickup, r.continuous_drop_off, r.network_id, r.extra`

var routesByRank = rest.SQL[edition.Ranks, Route](`
	SELECT ` + routeColumns + `
	FROM transit.route r
	WHERE r.version_id = @version_id AND r.ord >= @low AND r.ord < @high
	ORDER BY r.ord`)

func (a *api) routeRows() rowsOf[Route] { return rowsOf[Route]{routesByRank, a.finishRoute} }

func (a *api) routeEndpoints() rest.Table {
	return rest.Table{
		ranked(rest.Spec{ID: "static.routes", Path: agencyPath + "/routes", Summary: "Routes of an agency", NotFound: "unknown feed or agency"}, a.routeRows(),
			func(f *edition.Feed, p agencyPage) (edition.Span, error) {
				agency, err := findAgency(f, p.agencyParams)
				return agency.Routes, err
			}),
		oneRanked(rest.Spec{ID: "static.route", Path: routePath, Summary: "One route", NotFound: "unknown feed, agency or route"}, a.routeRows(),
			func(f *edition.Feed, p routeParams) (int, error) {
				route, err := findRoute(f, p)
				return route.Rank, err
			}),
		single(rest.Spec{ID: "static.route_geojson", Path: routePath + "/geojson", Summary: "One route as GeoJSON",
			Queries: rest.Queries(routesByRank, waysOfRoute), NotFound: "unknown feed, agency or route"}, a.oneRouteGeoJSON),
		single(rest.Spec{ID: "static.route_wkt", Path: routePath + "/wkt", Summary: "One route as Well-Known Text",
			Doc:     "data is a string: a MULTILINESTRING with the lines of the GeoJSON.",
			Queries: rest.Queries(waysOfRoute), NotFound: "unknown feed, agency or route"},
			func(ctx context.Context, c *rest.Call, f *edition.Feed, p routeParams) (string, wire.Links, error) {
				lines, err := routeLines(ctx, c, f, p)
				return wkt(lines), routeLink(c, f, p), err
			}),
	}
}

// finishRoute adds what the route's row does not have: links, the operator's keys and the result of RouteAlter.
func (a *api) finishRoute(r *Route, c *rest.Call, f *edition.Feed) {
	self := c.URL(routePath, f.Alias, r.AgencyID, r.RouteID)
	r.Links = wire.Links{
		{Rel: "self", Href: self},
		{Rel: "agency", Href: c.URL(agencyPath, f.Alias, r.AgencyID)},
		{Rel: "directions", Href: self + "/directions"},
		{Rel: "trips", Href: self + "/trips"},
		{Rel: "geojson", Href: self + "/geojson"},
		{Rel: "wkt", Href: self + "/wkt"},
	}
	if own := a.extras[f.Alias][r.RouteID]; len(own) > 0 {
		if r.Extra == nil {
			r.Extra = make(map[string]any, len(own))
		}
		maps.Copy(r.Extra, own)
	}
	if a.alter != nil {
		if r.Extra == nil {
			r.Extra = map[string]any{}
		}
		a.alter(f.Alias, r)
	}
}

// A RouteFeature is a route on the map (RFC 7946).
type RouteFeature struct {
	Type       string          `json:"type" enum:"Feature"`
	Properties Route           `json:"properties"`
	Geometry   MultiLineString `json:"geometry" doc:"Every distinct shape of the route's trips. A trip without a shape adds the line through its stops."`
}

// Each distinct shape once, in the order of the trips, and the patterns of trips without a shape.
var waysOfRoute = rest.SQL[edition.Ranks, wayOf](`
	WITH way AS (
	  SELECT shape_id, CASE WHEN shape_id IS NULL THEN pattern END AS pattern, min(ord) AS first
	  FROM transit.trip
	  WHERE version_id = @version_id AND ord >= @low AND ord < @high
	  GROUP BY 1, 2)
	SELECT way.pattern, s.shape_pt_lat, s.shape_pt_lon
	FROM way
	LEFT JOIN transit.shape s ON s.version_id = @version_id AND s.shape_id = way.shape_id
	ORDER BY way.first`)

func (a *api) oneRouteGeoJSON(ctx context.Context, c *rest.Call, f *edition.Feed, p routeParams) (RouteFeature, wire.Links, error) {
	lines, err := routeLines(ctx, c, f, p)
	if err != nil {
		return RouteFeature{}, nil, err
	}
	route, err := a.routeRows().one(ctx, c, f, f.Route(p.RouteID).Rank)
	return RouteFeature{"Feature", route, MultiLineString{"MultiLineString", lines}}, routeLink(c, f, p), err
}

func routeLink(c *rest.Call, f *edition.Feed, p routeParams) wire.Links {
	return wire.Links{{Rel: "route", Href: c.URL(routePath, f.Alias, p.AgencyID, p.RouteID)}}
}

// routeLines returns the lines of a route, shapes first.
func routeLines(ctx context.Context, c *rest.Call, f *edition.Feed, p routeParams) ([]line, error) {
	route, err := findRoute(f, p)
	if err != nil {
		return nil, err
	}
	var ways []wayOf
	points := 0
	err = waysOfRoute.Each(ctx, c, f.Ranks(route.Trips), func(w wayOf) error {
		if w.ShapePtLat != nil {
			points += strings.Count(*w.ShapePtLat, ",") + 1
		}
		ways = append(ways, w)
		return checkPoints(points + len(ways))
	})
	if err != nil {
		return nil, err
	}
	return linesOf(ctx, c, f, ways)
}

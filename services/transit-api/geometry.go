package transitapi

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/rest/openapi"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// A RouteFeature is a route on the map (RFC 7946).
type RouteFeature struct {
	Type       string          `json:"type" enum:"Feature"`
	Properties Route           `json:"properties"`
	Geometry   MultiLineString `json:"geometry" doc:"Every distinct shape of the route's trips; trips without one run through their stops."`
}

// A TripFeature is a trip on the map.
type TripFeature struct {
	Type       string         `json:"type" enum:"Feature"`
	Properties TripProperties `json:"properties"`
	Geometry   LineString     `json:"geometry" doc:"The trip's shape, else the line through its stops."`
}

// TripProperties is what a trip's feature tells of it.
type TripProperties struct {
	TripID       string  `json:"trip_id"`
	RouteID      string  `json:"route_id"`
	ServiceID    string  `json:"service_id"`
	TripHeadsign *string `json:"trip_headsign"`
	BlockID      *string `json:"block_id"`
}

// A ShapeFeature is a shape on the map.
type ShapeFeature struct {
	Type       string        `json:"type" enum:"Feature"`
	Properties *NoProperties `json:"properties" doc:"Null: a shape has none."`
	Geometry   LineString    `json:"geometry"`
}

// NoProperties is the properties of features that have none.
type NoProperties struct{}

// A LineString is a GeoJSON geometry; without coordinates it is empty.
type LineString struct {
	Type        string `json:"type" enum:"LineString"`
	Coordinates line   `json:"coordinates"`
}

// A MultiLineString is a GeoJSON geometry; without lines it is empty.
type MultiLineString struct {
	Type        string `json:"type" enum:"MultiLineString"`
	Coordinates []line `json:"coordinates" doc:"Lines of [longitude, latitude]."`
}

// A line is positions in their order.
type line []lonLat

// A lonLat is longitude and latitude, with the feed's own digits.
type lonLat [2]json.Number

// Schema describes a position.
func (lonLat) Schema() openapi.Schema {
	return openapi.Schema{Type: "array", Items: &openapi.Schema{Type: "number"}, MinItems: 2, MaxItems: 2, Description: "Longitude and latitude in degrees."}
}

// newLine makes a line of cells; positions that are no numbers fall out. A line
// has at least two positions (RFC 7946, 3.1.4), so one alone stands twice.
func newLine(lon, lat []string) line {
	l := make(line, 0, max(len(lon), 2))
	for i := range min(len(lon), len(lat)) {
		x, okX := number(lon[i])
		y, okY := number(lat[i])
		if okX && okY {
			l = append(l, lonLat{x, y})
		}
	}
	if len(l) == 1 {
		l = append(l, l[0])
	}
	return l
}

// number is a cell as a JSON number: as it is if it is one, else by its value.
func number(cell string) (json.Number, bool) {
	digits := strings.TrimPrefix(cell, "-")
	whole, fraction, point := strings.Cut(digits, ".")
	if decimal(whole) && (len(whole) == 1 || whole[0] != '0') && (!point || decimal(fraction)) {
		return json.Number(cell), true
	}
	v, err := strconv.ParseFloat(cell, 64)
	if err != nil || v != v || v > 1e9 || v < -1e9 {
		return "", false
	}
	return json.Number(strconv.FormatFloat(v, 'f', -1, 64)), true
}

// decimal tells whether s is one or more digits.
func decimal(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// wkt writes MULTILINESTRING ((lon lat, lon lat), (…)).
func wkt(lines []line) string {
	if len(lines) == 0 {
		return "MULTILINESTRING EMPTY"
	}
	all := make([]string, len(lines))
	for n, l := range lines {
		positions := make([]string, len(l))
		for i, p := range l {
			positions[i] = string(p[0]) + " " + string(p[1])
		}
		all[n] = "(" + strings.Join(positions, ", ") + ")"
	}
	return "MULTILINESTRING (" + strings.Join(all, ", ") + ")"
}

func lineString(l line) LineString { return LineString{"LineString", l} }

// wayOf is where some trips of a route run: along a shape, or else along a pattern.
type wayOf struct {
	Pattern    *int32
	ShapePtLat *string
	ShapePtLon *string
}

// Each distinct shape once, in the order of the trips; and the patterns of the trips without a shape.
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

func (a *api) geometryEndpoints() rest.Table {
	return rest.Table{
		single(rest.Spec{ID: "static.route_geojson", Path: routePath + "/geojson", Summary: "One route as GeoJSON",
			Queries: rest.Queries(routeRows, waysOfRoute), NotFound: "unknown feed, agency or route"}, a.oneRouteGeoJSON),
		single(rest.Spec{ID: "static.route_wkt", Path: routePath + "/wkt", Summary: "One route as Well-Known Text",
			Doc:     "data is a string: MULTILINESTRING of the same lines as the GeoJSON.",
			Queries: rest.Queries(waysOfRoute), NotFound: "unknown feed, agency or route"},
			func(ctx context.Context, c *rest.Call, f *edition.Feed, p routeParams) (string, wire.Links, error) {
				lines, err := routeLines(ctx, c, f, p)
				return wkt(lines), routeLink(c, f, p), err
			}),
		single(rest.Spec{ID: "static.trip_geojson", Path: tripPath + "/geojson", Summary: "One trip as GeoJSON",
			Queries: rest.Queries(trips.query, shapeByID), NotFound: "unknown feed, agency, route or trip"}, oneTripGeoJSON),
	}
}

func (a *api) oneRouteGeoJSON(ctx context.Context, c *rest.Call, f *edition.Feed, p routeParams) (RouteFeature, wire.Links, error) {
	lines, err := routeLines(ctx, c, f, p)
	if err != nil {
		return RouteFeature{}, nil, err
	}
	route, err := a.routes().one(ctx, c, f, f.Route(p.RouteID).Rank)
	return RouteFeature{"Feature", route, MultiLineString{"MultiLineString", lines}}, routeLink(c, f, p), err
}

func routeLink(c *rest.Call, f *edition.Feed, p routeParams) wire.Links {
	return wire.Links{{Rel: "route", Href: c.URL(routePath, f.Alias, p.AgencyID, p.RouteID)}}
}

// routeLines are the lines of a route, those along shapes first.
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

// maxPoints is how many positions one geometry may have: a hundred times those of large ones.
const maxPoints = 1_000_000

func checkPoints(n int) error {
	if n > maxPoints {
		return tooMuch("the geometry has more than %d positions; read the shapes one by one, which are paged", maxPoints)
	}
	return nil
}

// linesOf turns ways into lines; never nil, and none of them empty. Patterns that
// differ only in what is not on the map are one line.
func linesOf(ctx context.Context, c *rest.Call, f *edition.Feed, ways []wayOf) ([]line, error) {
	lines, through := []line{}, []line{}
	met := map[string]bool{}
	points := 0
	for _, w := range ways {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := checkPoints(points); err != nil {
			return nil, err
		}
		if w.ShapePtLat != nil {
			if err := c.Take(ctx, len(*w.ShapePtLat)); err != nil {
				return nil, err
			}
		}
		switch {
		case w.ShapePtLat != nil && w.ShapePtLon != nil:
			if l := newLine(strings.Split(*w.ShapePtLon, ","), strings.Split(*w.ShapePtLat, ",")); len(l) > 0 {
				lines = append(lines, l)
				points += len(l)
			}
		case w.Pattern != nil:
			calls, err := f.Calls(ctx, edition.Way{*w.Pattern, -1})
			if err != nil {
				return nil, err
			}
			l, key := lineThrough(f, calls.StopID)
			if len(l) > 0 && !met[key] {
				met[key] = true
				through = append(through, l)
				points += len(l)
			}
		}
	}
	return append(lines, through...), nil
}

// lineThrough is the line through some stops, and a name for the list of them.
func lineThrough(f *edition.Feed, ids []*string) (l line, key string) {
	var lon, lat []string
	var b strings.Builder
	for _, id := range ids {
		if id == nil {
			continue
		}
		b.WriteString(*id)
		b.WriteByte(0)
		if s := f.Stop(*id); s != nil {
			lon, lat = append(lon, s.StopLon), append(lat, s.StopLat)
		}
	}
	return newLine(lon, lat), b.String()
}

func oneTripGeoJSON(ctx context.Context, c *rest.Call, f *edition.Feed, p tripParams) (TripFeature, wire.Links, error) {
	t, err := findTrip(f, p)
	if err != nil {
		return TripFeature{}, nil, err
	}
	trip, err := trips.one(ctx, c, f, int(t.Rank))
	if err != nil {
		return TripFeature{}, nil, err
	}
	way := wayOf{Pattern: &t.Pattern}
	if trip.ShapeID != nil {
		s, err := shapeByID.One(ctx, c, shapeKey{f.Version, *trip.ShapeID})
		if err == nil {
			err = checkPoints(s.PointCount)
		}
		if err != nil {
			return TripFeature{}, nil, err
		}
		way.ShapePtLat, way.ShapePtLon = &s.ShapePtLat, &s.ShapePtLon
	}
	lines, err := linesOf(ctx, c, f, []wayOf{way})
	if err != nil {
		return TripFeature{}, nil, err
	}
	l := line{}
	if len(lines) > 0 {
		l = lines[0]
	}
	return TripFeature{"Feature", TripProperties{trip.TripID, trip.RouteID, trip.ServiceID, trip.TripHeadsign, trip.BlockID}, lineString(l)},
		wire.Links{{Rel: "trip", Href: c.URL(tripPath, f.Alias, p.AgencyID, p.RouteID, p.TripID)}}, nil
}

package static

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/paulmach/orb"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/rest/openapi"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// A ShapeFeature is a shape as GeoJSON.
type ShapeFeature struct {
	Type       string        `json:"type" enum:"Feature"`
	Properties *NoProperties `json:"properties" doc:"Always null: a shape has no properties."`
	Geometry   LineString    `json:"geometry"`
}

// NoProperties is the properties member of a feature without any.
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

type line []lonLat

// A lonLat is a longitude and a latitude, in the digits of the feed.
type lonLat [2]json.Number

// Schema describes a position.
func (lonLat) Schema() openapi.Schema {
	return openapi.Schema{Type: "array", Items: &openapi.Schema{Type: "number"}, MinItems: 2, MaxItems: 2,
		Description: "Longitude and latitude in degrees."}
}

// newLine drops positions that are not numbers. A line has at least two positions (RFC 7946,
// 3.1.4), so a single one is repeated.
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

// number returns a cell as a JSON number, unchanged if it is one already.
func number(cell string) (json.Number, bool) {
	digits := strings.TrimPrefix(cell, "-")
	whole, fraction, point := strings.Cut(digits, ".")
	if isDecimal(whole) && (len(whole) == 1 || whole[0] != '0') && (!point || isDecimal(fraction)) {
		return json.Number(cell), true
	}
	v, err := strconv.ParseFloat(cell, 64)
	if err != nil || v != v || v > 1e9 || v < -1e9 {
		return "", false
	}
	return json.Number(strconv.FormatFloat(v, 'f', -1, 64)), true
}

func isDecimal(s string) bool {
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

// A tripLine is the line that trips of a route follow: a shape, or a pattern if they have none.
type tripLine struct {
	RouteID     string
	DirectionID string
	Trips       int
	First       int // rank of the first trip
	Pattern     *int32
	ShapePtLat  *string
	ShapePtLon  *string
}

type tripLineArgs struct {
	edition.Ranks      // of trips
	Directions    bool // group by direction, too
	Most          int  // lines of a route or direction, those with most trips first
	Routes        int  // how many routes, in the order of the feed
}

var tripLines = rest.SQL[tripLineArgs, tripLine](`
	WITH way AS (
	  SELECT route_id, CASE WHEN @directions THEN coalesce(direction_id, '0') ELSE '' END AS direction_id, shape_id,
	         CASE WHEN shape_id IS NULL THEN pattern END AS pattern, count(*) AS trips, min(ord) AS first
	  FROM transit.trip
	  WHERE version_id = @version_id AND ord >= @low AND ord < @high
	  GROUP BY 1, 2, 3, 4),
	main AS (
	  SELECT route_id, direction_id, shape_id, pattern, trips, first,
	         row_number() OVER (PARTITION BY route_id, direction_id ORDER BY trips DESC, first) AS n
	  FROM way)
	SELECT main.route_id, main.direction_id, main.trips, main.first, main.pattern, s.shape_pt_lat, s.shape_pt_lon
	FROM main
	JOIN transit.route r ON r.version_id = @version_id AND r.route_id = main.route_id
	LEFT JOIN transit.shape s ON s.version_id = @version_id AND s.shape_id = main.shape_id
	WHERE main.n <= @most AND r.ord < @routes
	ORDER BY r.ord, main.direction_id, main.n`)

// maxPoints is the largest number of positions in one geometry: a hundred times that of large real
// ones.
const maxPoints = 1_000_000

func checkPoints(n int) error {
	if n > maxPoints {
		return tooLarge("the geometry has more than %d positions; read the shapes one by one, which are paged", maxPoints)
	}
	return nil
}

// distinctLines returns the lines of a route: shapes, then patterns. Patterns with the same stops
// become one line. The result is not nil and has no empty line.
func distinctLines(ctx context.Context, c *rest.Call, f *edition.Feed, all []tripLine) ([]line, error) {
	shapes, patterns := []line{}, []line{}
	met := map[string]bool{}
	points := 0
	for _, w := range all {
		l, stops, err := lineOf(ctx, c, f, w)
		if err == nil {
			points += len(l)
			err = checkPoints(points)
		}
		switch {
		case err != nil:
			return nil, err
		case len(l) == 0 || met[stops]:
		case stops == "":
			shapes = append(shapes, l)
		default:
			met[stops] = true
			patterns = append(patterns, l)
		}
	}
	return append(shapes, patterns...), nil
}

// lineOf returns the positions of a line, and for a pattern a key of its stops.
func lineOf(ctx context.Context, c *rest.Call, f *edition.Feed, w tripLine) (l line, stops string, err error) {
	switch {
	case w.ShapePtLat != nil && w.ShapePtLon != nil:
		if err := c.Take(ctx, len(*w.ShapePtLat)); err != nil {
			return nil, "", err
		}
		return newLine(strings.Split(*w.ShapePtLon, ","), strings.Split(*w.ShapePtLat, ",")), "", ctx.Err()
	case w.Pattern == nil:
		return nil, "", ctx.Err()
	}
	calls, err := f.Calls(ctx, edition.RunKey{*w.Pattern, -1})
	if err != nil {
		return nil, "", err
	}
	var lon, lat []string
	for _, id := range calls.StopID {
		if id == nil {
			continue
		}
		stops += *id + "\x00"
		if s := f.Stop(*id); s != nil {
			lon, lat = append(lon, s.StopLon), append(lat, s.StopLat)
		}
	}
	return newLine(lon, lat), stops, ctx.Err()
}

// ShapePoints returns the positions of a shape.
func ShapePoints(ctx context.Context, c *rest.Call, f *edition.Feed, id string) ([]orb.Point, error) {
	w, err := readShape(ctx, c, f, id)
	if err != nil {
		return nil, err
	}
	l, _, err := lineOf(ctx, c, f, w)
	return l.Points(), err
}

const (
	maxLines      = 60 // of a direction: those with the most trips
	lineTolerance = 2  // metres that nobody sees on a map of streets
)

// DirectionLines returns the lines of a route by direction_id, where most trips run first.
func DirectionLines(
	ctx context.Context, c *rest.Call, f *edition.Feed, route *edition.Route,
) (map[string][][]orb.Point, error) {
	all, err := tripLines.List(ctx, c, tripLineArgs{f.Ranks(route.Trips()), true, maxLines, route.Rank + 1})
	if err != nil {
		return nil, err
	}
	lines := map[string][][]orb.Point{}
	for _, w := range all {
		l, _, err := lineOf(ctx, c, f, w)
		if err != nil {
			return nil, err
		}
		short, _ := l.simplify(lineTolerance, len(l))
		same := func(other []orb.Point) bool { return slices.Equal(other, short.Points()) }
		if d := w.DirectionID; len(short) > 0 && !slices.ContainsFunc(lines[d], same) {
			lines[d] = append(lines[d], short.Points())
		}
	}
	return lines, nil
}

func readShape(ctx context.Context, c *rest.Call, f *edition.Feed, id string) (tripLine, error) {
	s, err := shapeByID.One(ctx, c, shapeKey{f.Version, id})
	if err == nil {
		err = checkPoints(s.PointCount)
	}
	return tripLine{ShapePtLat: &s.ShapePtLat, ShapePtLon: &s.ShapePtLon}, err
}

type shapeLine struct {
	PointCount        int
	ShapePtLat        string
	ShapePtLon        string
	ShapeDistTraveled *string
	FirstSequence     int
	SequenceStep      *int
	ShapePtSequence   []int32
}

type shapeKey struct {
	VersionID replica.Version
	ShapeID   string
}

var shapeByID = rest.SQL[shapeKey, shapeLine](`
	SELECT point_count, shape_pt_lat, shape_pt_lon, shape_dist_traveled, first_sequence, sequence_step, shape_pt_sequence
	FROM transit.shape
	WHERE version_id = @version_id AND shape_id = @shape_id`)

package static

import (
	"context"
	"reflect"
	"strconv"
	"strings"

	"github.com/paulmach/orb"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/rest/openapi"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/lines"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// A ShapeFeature is a shape as GeoJSON.
type ShapeFeature struct {
	Type       string        `json:"type" enum:"Feature"`
	Properties *NoProperties `json:"properties" doc:"Always null: a shape has no properties."`
	Geometry   LineString    `json:"geometry"`
}

// NoProperties is the empty properties member of a feature.
type NoProperties struct{}

// A LineString is a GeoJSON geometry. It may be empty.
type LineString struct {
	Type        string `json:"type" enum:"LineString"`
	Coordinates line   `json:"coordinates"`
}

// A MultiLineString is a GeoJSON geometry. It may be empty.
type MultiLineString struct {
	Type        string `json:"type" enum:"MultiLineString"`
	Coordinates []line `json:"coordinates" doc:"Lines of [longitude, latitude]."`
}

type line []orb.Point

// SchemaType is the type that the OpenAPI description shows.
func (line) SchemaType() reflect.Type { return reflect.TypeFor[[]lonLat]() }

type lonLat orb.Point

// Schema describes a position.
func (lonLat) Schema() openapi.Schema {
	return openapi.Schema{Type: "array", Items: &openapi.Schema{Type: "number"}, MinItems: 2, MaxItems: 2,
		Description: "Longitude and latitude in degrees."}
}

// newLine repeats a single position, because a line has at least two (RFC 7946, 3.1.4).
func newLine(points []orb.Point) line {
	if len(points) == 1 {
		points = append(points, points[0])
	}
	return points
}

// wkt returns the lines as MULTILINESTRING ((lon lat, lon lat), (…)).
func wkt(all []line) string {
	if len(all) == 0 {
		return "MULTILINESTRING EMPTY"
	}
	texts := make([]string, len(all))
	for n, l := range all {
		positions := make([]string, len(l))
		for i, p := range l {
			positions[i] = degrees(p.Lon()) + " " + degrees(p.Lat())
		}
		texts[n] = "(" + strings.Join(positions, ", ") + ")"
	}
	return "MULTILINESTRING (" + strings.Join(texts, ", ") + ")"
}

func degrees(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// maxPoints bounds the positions in one geometry: a hundred times those of large real geometries.
const maxPoints = 1_000_000

func checkPoints(n int) error {
	if n > maxPoints {
		return tooLarge("the geometry has more than %d positions; read the shapes one by one, which are paged", maxPoints)
	}
	return nil
}

// distinctLines returns the lines of a route: shapes, then patterns. Patterns with the same stops
// become one line. The result is not nil and has no empty line.
func distinctLines(ctx context.Context, c *rest.Call, f *edition.Feed, all []lines.Line) ([]line, error) {
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

// lineOf returns the positions of a line and, for a pattern, a key of its stops.
func lineOf(ctx context.Context, c *rest.Call, f *edition.Feed, w lines.Line) (l line, stops string, err error) {
	switch {
	case w.ShapePtLat != nil && w.ShapePtLon != nil:
		if err := c.Reserve(ctx, len(*w.ShapePtLat)); err != nil {
			return nil, "", err
		}
		return newLine(w.Shape()), "", ctx.Err()
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
	return newLine(lines.Points(lon, lat)), stops, ctx.Err()
}

// ShapePoints returns the positions of a shape.
func ShapePoints(ctx context.Context, c *rest.Call, f *edition.Feed, id string) ([]orb.Point, error) {
	w, err := readShape(ctx, c, f, id)
	if err != nil {
		return nil, err
	}
	l, _, err := lineOf(ctx, c, f, w)
	return l, err
}

func readShape(ctx context.Context, c *rest.Call, f *edition.Feed, id string) (lines.Line, error) {
	s, err := shapeByID.One(ctx, c, shapeKey{f.Version, id})
	if err == nil {
		err = checkPoints(s.PointCount)
	}
	return lines.Line{ShapePtLat: &s.ShapePtLat, ShapePtLon: &s.ShapePtLon}, err
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

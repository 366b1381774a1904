package transitapi

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/rest/openapi"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

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

// decimal reports whether s is one or more digits.
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

// A shapeLine is all rows of one shape as they are stored: a cell after the other, with commas between.
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

// Package lines reads the lines that trips follow on a map: shapes, and patterns for trips without
// a shape. It does not depend on answers or tiles; internal/static and internal/tile draw the
// lines.
package lines

import (
	"math"
	"strconv"
	"strings"

	"github.com/paulmach/orb"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
)

// A Line is the line that trips of a route follow: a shape, or a pattern if they have no shape.
type Line struct {
	RouteID     string
	DirectionID string
	Trips       int
	First       int // rank of the first trip
	Pattern     *int32
	ShapePtLat  *string
	ShapePtLon  *string
}

// Args select lines.
type Args struct {
	edition.Ranks      // ranks of trips
	Directions    bool // also group by direction
	Most          int  // maximum number of lines per route or direction; lines with most trips come first
	Routes        int  // maximum number of routes, in the order of the feed
}

// Query selects the lines of routes, in the order of the feed. Per route, lines with most trips
// come first.
var Query = rest.SQL[Args, Line](`
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

func (l *Line) Shape() []orb.Point {
	return Points(strings.Split(*l.ShapePtLon, ","), strings.Split(*l.ShapePtLat, ","))
}

// Points converts longitudes and latitudes to points. It drops invalid positions.
func Points(lon, lat []string) []orb.Point {
	points := make([]orb.Point, 0, max(len(lon), 2))
	for i := range min(len(lon), len(lat)) {
		x, okX := number(lon[i])
		y, okY := number(lat[i])
		if okX && okY {
			points = append(points, orb.Point{x, y})
		}
	}
	return points
}

const maxNumber = 1e9

func number(cell string) (v float64, ok bool) {
	v, err := strconv.ParseFloat(cell, 64)
	return v, err == nil && math.Abs(v) <= maxNumber // false if v is NaN
}

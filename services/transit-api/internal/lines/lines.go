// Package lines reads the lines that trips follow on a map: shapes, and patterns for trips without
// a shape. It does not depend on answers or tiles; internal/static and internal/tile draw the
// lines.
package lines

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/paulmach/orb"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// A Line is the line that trips of a route follow: a shape, or a pattern if they have no shape.
type Line struct {
	Route      *edition.Route
	Direction  string // "" unless lines are grouped by direction
	Trips      int
	First      int    // rank of the first trip
	Pattern    *int32 // nil if the trips have a shape
	ShapePtLat *string
	ShapePtLon *string

	shape string // shape_id; "" if the trips have none
}

// Args select lines.
type Args struct {
	Trips      edition.Span
	Directions bool // also group by direction
	Most       int  // maximum number of lines per route or direction; lines with most trips come first
	Routes     int  // maximum number of routes, in the order of the feed
}

// shapesAtOnce bounds the shapes in memory.
const shapesAtOnce = 100

type shapeList struct {
	VersionID replica.Version
	ShapeIDs  []string `arg:"shape_ids"`
}

type shapeRow struct {
	ShapeID    string
	ShapePtLat string
	ShapePtLon string
}

// Shapes is the statement that [Each] runs.
var Shapes = rest.SQL[shapeList, shapeRow](`
	SELECT shape_id, shape_pt_lat, shape_pt_lon
	FROM transit.shape
	WHERE version_id = @version_id AND shape_id = ANY (@shape_ids::text[])`)

// Each calls do for the lines of routes, in the order of the feed. Per route, lines with most trips
// come first.
func Each(ctx context.Context, db rest.DB, f *edition.Feed, args Args, do func(Line) error) error {
	for some := range slices.Chunk(of(f, args), shapesAtOnce) {
		which := shapeList{VersionID: f.Version}
		for _, l := range some {
			if l.shape != "" {
				which.ShapeIDs = append(which.ShapeIDs, l.shape)
			}
		}
		shapes := map[string]shapeRow{}
		if which.ShapeIDs != nil {
			err := Shapes.Each(ctx, db, which, func(row shapeRow) error {
				shapes[row.ShapeID] = row
				return nil
			})
			if err != nil {
				return err
			}
		}
		for _, l := range some {
			if row, ok := shapes[l.shape]; ok {
				l.ShapePtLat, l.ShapePtLon = &row.ShapePtLat, &row.ShapePtLon
			}
			if err := do(l); err != nil {
				return err
			}
		}
	}
	return nil
}

// of returns the lines without their shapes.
func of(f *edition.Feed, args Args) []Line {
	type way struct {
		route     *edition.Route
		direction string
		shape     string
		pattern   int32
	}
	var all []Line
	at := map[way]int{}
	trips := f.TripsOf(args.Trips)
	for i := range trips {
		t := &trips[i]
		if t.Route.Rank >= args.Routes {
			continue
		}
		w := way{route: t.Route, pattern: -1}
		if args.Directions {
			w.direction = t.Direction()
		}
		if t.ShapeID != nil {
			w.shape = *t.ShapeID
		} else {
			w.pattern = t.Pattern
		}
		n, met := at[w]
		if !met {
			n, at[w] = len(all), len(all)
			l := Line{Route: t.Route, Direction: w.direction, First: int(t.Rank), shape: w.shape}
			if w.pattern >= 0 {
				l.Pattern = &w.pattern
			}
			all = append(all, l)
		}
		all[n].Trips++
	}
	slices.SortFunc(all, func(a, b Line) int {
		return cmp.Or(cmp.Compare(a.Route.Rank, b.Route.Rank), strings.Compare(a.Direction, b.Direction),
			cmp.Compare(b.Trips, a.Trips), cmp.Compare(a.First, b.First))
	})
	n, last := 0, Line{}
	return slices.DeleteFunc(all, func(l Line) bool {
		if l.Route != last.Route || l.Direction != last.Direction {
			n, last = 0, l
		}
		n++
		return n > args.Most
	})
}

// Shape returns the positions of the shape.
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

package tile

import (
	"context"
	"slices"
	"strings"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/clip"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/drawing"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/lines"
)

// Lines returns the lines of a route inside a box, in degrees, as fine as the tiles of a zoom.
// Lines with the most trips come first.
func (n *Network) Lines(routeID string, zoom int64, box edition.Box) (all []orb.LineString) {
	i, found := slices.BinarySearchFunc(n.routes, routeID, func(r route, id string) int {
		return strings.Compare(r.id, id)
	})
	if !found {
		return nil
	}
	west, north := mercator(box[3], box[0])
	east, south := mercator(box[1], box[2])
	area := orb.Bound{Min: orb.Point{west, north}, Max: orb.Point{east, south}}
	for _, l := range n.routes[i].lines[detailOf(zoom)] {
		if !l.bound.Intersects(area) {
			continue
		}
		points := make(orb.LineString, len(l.points))
		for k, at := range l.points {
			x, y := at.world()
			points[k] = orb.Point{x, y}
		}
		for _, part := range clip.LineString(area, points) {
			for k, at := range part {
				lat, lon := degrees(at[0], at[1])
				part[k] = orb.Point{lon, lat}
			}
			all = append(all, part)
		}
	}
	return all
}

// RouteLines returns the lines of a route by direction_id, in degrees, as fine as the deepest
// tiles. Lines with the most trips come first. It needs no network.
func RouteLines(
	ctx context.Context, c *rest.Call, f *edition.Feed, r *edition.Route,
) (map[string][]orb.LineString, error) {
	args := lines.Args{Trips: r.Trips(), Directions: true, Most: maxPaths, Routes: r.Rank + 1}
	all := map[string][]orb.LineString{}
	var patterns []lines.Line // their stops are read after the rows
	err := lines.Each(ctx, c, f, args, func(w lines.Line) error {
		switch {
		case w.ShapePtLat != nil && w.ShapePtLon != nil:
			if err := c.Reserve(ctx, len(*w.ShapePtLat)); err != nil {
				return err
			}
			addFinest(all, w.Direction, w.Shape())
		case w.Pattern != nil:
			patterns = append(patterns, w)
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	for _, w := range patterns {
		found, err := f.Patterns(ctx, []int32{*w.Pattern}, maxCalls)
		if err != nil {
			return nil, err
		}
		if p := found[*w.Pattern]; p != nil {
			addFinest(all, w.Direction, positions(f, p))
		}
	}
	return all, nil
}

// addFinest adds a line in the finest detail, unless another line of the direction looks the same.
func addFinest(all map[string][]orb.LineString, direction string, at []orb.Point) {
	for _, l := range split(at) {
		keep := drawing.Reduce(project(l), tolerance(MaxZoom))
		short := make(orb.LineString, len(keep))
		for i, k := range keep {
			short[i] = l[k]
		}
		if !slices.ContainsFunc(all[direction], short.Equal) {
			all[direction] = append(all[direction], short)
		}
	}
}

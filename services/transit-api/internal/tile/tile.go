// Package tile makes vector tiles of feeds: lines of routes and stops, generalized for each zoom.
// Pages without script draw the same lines ([Network.Lines], [RouteLines]).
//
// [Loader] loads the network of an edition on first use, in Mercator coordinates and several
// details. [Make] encodes one tile of several networks as a Mapbox Vector Tile (version 2.1). Sizes
// are bounded. The package answers no request; the resources are in internal/static.
package tile

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/clip"

	"github.com/townline/townline/services/transit-api/internal/edition"
)

const (
	MaxZoom     = 14      // for deeper zooms, clients enlarge its tiles
	MinStopZoom = 8       // lowest zoom with stops
	MaxBytes    = 480_000 // per tile; it omits the least important features

	extent = 4096 // units per side of a tile
	buffer = 64   // additional units on each side, so that lines do not end at borders
	// stopCells is the number of cells along a tile's side. Below allStopsZoom each cell shows one
	// stop.
	stopCells    = 32
	allStopsZoom = 12
	routeBytes   = MaxBytes * 3 / 4 // bytes for lines, so that space remains for stops
)

// Names of the layers of a tile.
const (
	RouteLayer = "routes"
	StopLayer  = "stops"
)

// A Place is the zoom of a tile, its column from the west, and its row from the north.
type Place struct{ Z, X, Y int64 }

// IsValid reports whether there is such a tile.
func (p Place) IsValid() bool {
	return p.Z >= 0 && p.Z <= MaxZoom && p.X >= 0 && p.Y >= 0 && p.X < 1<<p.Z && p.Y < 1<<p.Z
}

// IsNear reports whether an edition can have features in the tile. Lines may extend beyond the box
// of the stops by less than the size of the box.
func (p Place) IsNear(e *edition.Edition) bool {
	b, ok := e.Box()
	if !ok {
		return false
	}
	west, north := mercator(b[3], b[0])
	east, south := mercator(b[1], b[2])
	wide, high := max(east-west, 1e-3), max(south-north, 1e-3)
	area := orb.Bound{Min: orb.Point{west - wide, north - high}, Max: orb.Point{east + wide, south + high}}
	return area.Intersects(p.span())
}

// A Layer is the network of a feed.
type Layer struct {
	*Network
	Feed *edition.Feed
}

// Make returns a tile. It is empty if there are no features.
func Make(ctx context.Context, p Place, layers []Layer) ([]byte, error) {
	routes, err := routeLayer(ctx, p, layers)
	if err != nil {
		return nil, err
	}
	tile := routes.appendTo(nil)
	if p.Z < MinStopZoom {
		return tile, nil
	}
	stops, err := stopLayer(ctx, p, layers, MaxBytes-len(tile))
	if err != nil {
		return nil, err
	}
	return stops.appendTo(tile), nil
}

// span returns the tile with its buffer, as fractions of the world.
func (p Place) span() orb.Bound {
	const part = 1.0 / extent * buffer
	side := math.Pow(2, float64(p.Z))
	x, y := float64(p.X), float64(p.Y)
	return orb.Bound{Min: orb.Point{(x - part) / side, (y - part) / side},
		Max: orb.Point{(x + 1 + part) / side, (y + 1 + part) / side}}
}

// at converts a position on the world to units of the tile.
func (p Place) at(x, y float64) orb.Point {
	side := math.Pow(2, float64(p.Z))
	return orb.Point{(x*side - float64(p.X)) * extent, (y*side - float64(p.Y)) * extent}
}

func routeLayer(ctx context.Context, p Place, layers []Layer) (*layer, error) {
	type shown struct {
		*route
		*Layer
	}
	var all []shown
	span := p.span()
	for i := range layers {
		for k := range layers[i].routes {
			if r := &layers[i].routes[k]; r.bound.Intersects(span) {
				all = append(all, shown{r, &layers[i]})
			}
		}
	}
	slices.SortStableFunc(all, func(x, y shown) int {
		return cmp.Or(cmp.Compare(weight(x.mode), weight(y.mode)), cmp.Compare(y.trips, x.trips))
	})
	l := newLayer(RouteLayer, routeBytes)
	detail := detailOf(p.Z)
	for _, r := range all {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var lines []orb.LineString
		for _, w := range r.lines[detail] {
			if w.bound.Intersects(span) {
				lines = append(lines, p.cut(w.points)...)
			}
		}
		if e := r.Feed.Route(r.id); e != nil && len(lines) > 0 {
			l.add(lineType, r.Layer.tags(e, r.mode), lines...)
		}
	}
	return l, nil
}

func (l *Layer) tags(r *edition.Route, mode string) []tag {
	tags := []tag{{"feed", l.Feed.Alias}, {"route_id", r.RouteID}, {"agency_id", r.AgencyID}, {"label", r.Label},
		{"mode", mode}, {"route_type", r.RouteType}}
	return append(tags, nonEmpty(tag{"route_short_name", text(r.RouteShortName)},
		tag{"color", hex(text(r.RouteColor))}, tag{"text_color", hex(text(r.RouteTextColor))})...)
}

// cut returns the parts of a line in the tile, in whole units.
func (p Place) cut(points []point) []orb.LineString {
	line := make(orb.LineString, len(points))
	for i, at := range points {
		line[i] = p.at(at.world())
	}
	var all []orb.LineString
	for _, part := range clip.LineString(orb.Bound{Min: orb.Point{-buffer, -buffer},
		Max: orb.Point{extent + buffer, extent + buffer}}, line) {
		whole := part[:0]
		for _, at := range part {
			at = orb.Point{math.Round(at[0]), math.Round(at[1])}
			if len(whole) == 0 || whole[len(whole)-1] != at {
				whole = append(whole, at)
			}
		}
		if len(whole) > 1 {
			all = append(all, whole)
		}
	}
	return all
}

type shownStop struct {
	*Layer
	rank int
	at   orb.Point
}

// compare sorts the most important stop first.
func (s *shownStop) compare(o *shownStop) int {
	first := cmp.Compare(o.stops[o.rank].trips, s.stops[s.rank].trips)
	if station := locationType(&s.Feed.Stops[s.rank]) == "1"; first == 0 &&
		station != (locationType(&o.Feed.Stops[o.rank]) == "1") {
		first = 1
		if station {
			first = -1
		}
	}
	return cmp.Or(first, cmp.Compare(s.Feed.Alias, o.Feed.Alias), cmp.Compare(s.rank, o.rank))
}

func stopLayer(ctx context.Context, p Place, layers []Layer, maxBytes int) (*layer, error) {
	cells := map[[2]int]*shownStop{} // the most important stop of each cell
	area := inDegrees(p.span())
	seen := 0
	for i := range layers {
		l := &layers[i]
		l.Feed.StopsIn(edition.Area{Box: &area}, func(rank int, _ float64) bool {
			seen++
			if l.Feed.Stops[rank].IsPublic() {
				s := &shownStop{l, rank, p.at(mercator(l.Feed.LatLon(rank)))}
				cell := [2]int{int(math.Floor(s.at[0] * stopCells / extent)), int(math.Floor(s.at[1] * stopCells / extent))}
				if p.Z >= allStopsZoom {
					cell = [2]int{i, rank} // a cell of its own, because all stops are shown
				}
				if best := cells[cell]; best == nil || s.compare(best) < 0 {
					cells[cell] = s
				}
			}
			return seen%1000 != 0 || ctx.Err() == nil
		})
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := newLayer(StopLayer, maxBytes)
	for _, s := range slices.SortedFunc(maps.Values(cells), (*shownStop).compare) {
		stop := &s.Feed.Stops[s.rank]
		tags := []tag{{"feed", s.Feed.Alias}, {"stop_id", stop.StopID}, {"label", stop.Label},
			{"location_type", locationType(stop)}}
		tags = append(tags, nonEmpty(tag{"modes", s.stops[s.rank].modes.String()}, tag{"stop_code", text(stop.StopCode)},
			tag{"platform_code", text(stop.PlatformCode)}, tag{"parent_station", text(stop.ParentStation)})...)
		out.add(pointType, tags, orb.LineString{{math.Round(s.at[0]), math.Round(s.at[1])}})
	}
	return out, nil
}

func locationType(s *edition.Stop) string { return cmp.Or(text(s.LocationType), "0") }

func text(cell *string) string {
	if cell == nil {
		return ""
	}
	return *cell
}

func nonEmpty(tags ...tag) []tag {
	return slices.DeleteFunc(tags, func(t tag) bool { return t.value == "" })
}

// hex returns six hexadecimal digits as a CSS colour; "" for any other text.
func hex(color string) string {
	if len(color) != 6 || strings.Trim(color, "0123456789abcdefABCDEF") != "" {
		return ""
	}
	return "#" + strings.ToUpper(color)
}

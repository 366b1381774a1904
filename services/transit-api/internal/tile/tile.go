// Package tile makes vector tiles of feeds: the lines of routes and the stops, generalized for each zoom.
//
// [Networks] keeps what a map needs of each edition, in Mercator coordinates and several degrees of detail; it is read from the tables once, by the
// first tile. [Make] cuts a tile out of some networks and encodes it as a Mapbox Vector Tile (version 2.1). Sizes are bounded whatever a
// feed holds. The package answers no request; the resources are in internal/static.
package tile

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/clip"

	"github.com/townline/townline/services/transit-api/internal/edition"
)

// What tiles hold.
const (
	// MaxZoom is the deepest zoom that has tiles: clients enlarge them for deeper ones.
	MaxZoom = 14
	// MinStopZoom is the first zoom with stops.
	MinStopZoom = 8
	// MaxBytes is the size of a tile: when it is full, what matters less is left out.
	MaxBytes = 480_000

	extent = 4096 // units of a tile's side
	buffer = 64   // units beyond it, so that lines have no ends at borders
	// stopCells is how many cells a tile's side has of which each shows one stop, up to the deepest zoom.
	stopCells = 32
	// routeBytes is what of a tile lines may take at most, so that stops have room.
	routeBytes = MaxBytes * 3 / 4
)

// Names are the layers of tiles.
const (
	RouteLayer = "routes"
	StopLayer  = "stops"
)

// A Place is zoom, column from the west, and row from the north.
type Place struct{ Z, X, Y int64 }

// Valid reports whether there is such a tile.
func (p Place) Valid() bool {
	return p.Z >= 0 && p.Z <= MaxZoom && p.X >= 0 && p.Y >= 0 && p.X < 1<<p.Z && p.Y < 1<<p.Z
}

// Near reports whether an edition may have anything in the tile. A line may leave the box of the stops, by less than the box is large.
func (p Place) Near(e *edition.Edition) bool {
	b, ok := e.Box()
	if !ok {
		return false
	}
	west, north := mercator(b[3], b[0])
	east, south := mercator(b[1], b[2])
	wide, high := max(east-west, 1e-3), max(south-north, 1e-3)
	return box{west - wide, north - high, east + wide, south + high}.meets(p.span())
}

// A Layer is a network with the names that its routes go by.
type Layer struct {
	*Network
	Feed  *edition.Feed
	Names func(*edition.Route) edition.RouteNames
}

// Make makes a tile. It is empty where there is nothing.
func Make(ctx context.Context, p Place, layers []Layer) ([]byte, error) {
	made := &encoded{}
	routes, err := routesOf(ctx, p, layers)
	if err != nil {
		return nil, err
	}
	made.add(routes)
	if p.Z >= MinStopZoom {
		stops, err := stopsOf(ctx, p, layers, MaxBytes-len(made.tile))
		if err != nil {
			return nil, err
		}
		made.add(stops)
	}
	return made.tile, nil
}

// span is the tile with its buffer, in parts of the world.
func (p Place) span() box {
	const part = 1.0 / extent * buffer
	side := math.Pow(2, float64(p.Z))
	x, y := float64(p.X), float64(p.Y)
	return box{(x - part) / side, (y - part) / side, (x + 1 + part) / side, (y + 1 + part) / side}
}

// at is a point of the world in units of the tile.
func (p Place) at(x, y float64) orb.Point {
	side := math.Pow(2, float64(p.Z))
	return orb.Point{(x*side - float64(p.X)) * extent, (y*side - float64(p.Y)) * extent}
}

func routesOf(ctx context.Context, p Place, layers []Layer) (*layer, error) {
	type shown struct {
		*route
		*Layer
	}
	var all []shown
	span := p.span()
	for i := range layers {
		for k := range layers[i].routes {
			if r := &layers[i].routes[k]; r.box.meets(span) {
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
			if w.box.meets(span) {
				lines = append(lines, p.cut(w.points)...)
			}
		}
		if len(lines) == 0 {
			continue
		}
		e := r.Feed.Route(r.id)
		if e == nil {
			continue
		}
		names := r.Names(e)
		label := *e
		label.RouteNames = names
		tags := []tag{{"feed", r.Feed.Alias}, {"route_id", e.ID}, {"agency_id", e.AgencyID}, {"label", label.Label()}, {"mode", r.mode}, {"route_type", names.Type}}
		tags = append(tags, optional("route_short_name", names.ShortName)...)
		tags = append(tags, color("color", names.Color)...)
		tags = append(tags, color("text_color", names.TextColor)...)
		l.lines(lines, tags)
	}
	return l, nil
}

// cut is what of a line is in the tile, in whole units.
func (p Place) cut(points []point) []orb.LineString {
	line := make(orb.LineString, len(points))
	for i, at := range points {
		line[i] = p.at(at.world())
	}
	var all []orb.LineString
	for _, part := range clip.LineString(orb.Bound{Min: orb.Point{-buffer, -buffer}, Max: orb.Point{extent + buffer, extent + buffer}}, line) {
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

func stopsOf(ctx context.Context, p Place, layers []Layer, room int) (*layer, error) {
	type shown struct {
		*Layer
		rank int
		at   orb.Point
	}
	weightOf := func(s *shown) (station bool, trips int32) {
		kind := s.Feed.Stops[s.rank].LocationType
		return kind != nil && *kind == "1", s.stops[s.rank].trips
	}
	better := func(x, y *shown) int {
		xs, xt := weightOf(x)
		ys, yt := weightOf(y)
		switch {
		case xt != yt:
			return cmp.Compare(yt, xt)
		case xs != ys && xs:
			return -1
		case xs != ys:
			return 1
		}
		return cmp.Or(cmp.Compare(x.Feed.Alias, y.Feed.Alias), cmp.Compare(x.rank, y.rank))
	}
	var all []*shown
	cells := map[[2]int]*shown{} // the best of each
	area := p.span().degrees()
	looked := 0
	for i := range layers {
		l := &layers[i]
		l.Feed.In(edition.Area{Box: &area}, func(rank int, _ float64) bool {
			looked++
			if s := &l.Feed.Stops[rank]; !s.Public() {
				return true
			}
			lat, lon := l.Feed.Place(rank)
			x, y := mercator(lat, lon)
			s := &shown{l, rank, p.at(x, y)}
			if p.Z == MaxZoom {
				all = append(all, s)
			} else {
				cell := [2]int{int(math.Floor(s.at[0] * stopCells / extent)), int(math.Floor(s.at[1] * stopCells / extent))}
				if best := cells[cell]; best == nil || better(s, best) < 0 {
					cells[cell] = s
				}
			}
			return looked%1000 != 0 || ctx.Err() == nil
		})
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, s := range cells {
		all = append(all, s)
	}
	slices.SortFunc(all, better)
	out := newLayer(StopLayer, room)
	for _, s := range all {
		stop, of := &s.Feed.Stops[s.rank], s.stops[s.rank]
		tags := []tag{{"feed", s.Feed.Alias}, {"stop_id", stop.StopID}, {"label", stop.Label}, {"location_type", kindOf(stop)}}
		if modes := of.modes.String(); modes != "" {
			tags = append(tags, tag{"modes", modes})
		}
		tags = append(tags, optional("stop_code", stop.StopCode)...)
		tags = append(tags, optional("platform_code", stop.PlatformCode)...)
		tags = append(tags, optional("parent_station", stop.ParentStation)...)
		out.point(s.at, tags)
	}
	return out, nil
}

func kindOf(s *edition.Stop) string {
	if s.LocationType == nil || *s.LocationType == "" {
		return "0"
	}
	return *s.LocationType
}

// optional is a tag for a cell that may be empty.
func optional(key string, cell *string) []tag {
	if cell == nil || *cell == "" {
		return nil
	}
	return []tag{{key, *cell}}
}

// color is a tag for a cell of six hexadecimal digits, as styles have colours.
func color(key string, cell *string) []tag {
	if cell == nil || len(*cell) != 6 || strings.Trim(*cell, "0123456789abcdefABCDEF") != "" {
		return nil
	}
	return []tag{{key, "#" + strings.ToUpper(*cell)}}
}

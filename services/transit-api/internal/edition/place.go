package edition

import (
	"cmp"
	"math"
	"slices"
)

// A Box is west, south, east and north in degrees. West is greater than east if the box crosses the
// antimeridian; the box of an edition never does.
type Box [4]float64

// Nowhere returns the empty box.
func Nowhere() Box { return Box{180, 90, -180, -90} }

// With returns the box extended to include a point.
func (b Box) With(lat, lon float64) Box {
	return Box{min(b[0], lon), min(b[1], lat), max(b[2], lon), max(b[3], lat)}
}

func (b *Box) contains(lat, lon float64) bool {
	if lat < b[1] || lat > b[3] {
		return false
	}
	if b[0] > b[2] {
		return lon >= b[0] || lon <= b[2]
	}
	return lon >= b[0] && lon <= b[2]
}

// An Area is a circle, a box, or both.
type Area struct {
	Near *Near
	Box  *Box
}

func (a Area) Contains(lat, lon float64) bool {
	return (a.Box == nil || a.Box.contains(lat, lon)) &&
		(a.Near == nil || Distance(a.Near.Lat, a.Near.Lon, lat, lon) <= a.Near.Radius)
}

// slack exceeds the rounding error of a position, in degrees.
const slack = 1e-4

// StopsIn calls found with the rank of each stop in an area, in no order, until found returns
// false. metres is the distance from the circle's centre; 0 if the area has no circle.
func (e *Edition) StopsIn(a Area, found func(rank int, metres float64) bool) {
	if e == nil {
		return
	}
	south, north := -90.0, 90.0
	if a.Box != nil {
		south, north = a.Box[1], a.Box[3]
	}
	if a.Near != nil {
		reach := a.Near.Radius/earthRadius*180/math.Pi + slack
		south, north = max(south, a.Near.Lat-reach), min(north, a.Near.Lat+reach)
	}
	x := e.index
	first, _ := slices.BinarySearchFunc(x.northward, south, func(i int32, lat float64) int {
		return cmp.Compare(x.latLon[i][0], lat)
	})
	for _, i := range x.northward[first:] {
		lat := x.latLon[i][0]
		lon := x.latLon[i][1]
		away := 0.0
		if lat > north {
			return
		}
		if a.Box != nil && !a.Box.contains(lat, lon) {
			continue
		}
		if a.Near != nil {
			away = Distance(a.Near.Lat, a.Near.Lon, lat, lon)
			if away > a.Near.Radius {
				continue
			}
		}
		if !found(int(i), away) {
			return
		}
	}
}

// Nearest returns the nearest stop within a number of metres from a point; nil if there is none. It
// searches the stops in among, or all public stops if among is nil.
func (e *Edition) Nearest(lat, lon, within float64, among []string) *Stop {
	if e == nil {
		return nil
	}
	best, rank := within, -1
	nearer := func(i int, away float64) {
		if away < best || away == best && i > rank { // false if away is NaN
			best, rank = away, i
		}
	}
	for _, id := range among {
		if i, ok := e.Rank(id); ok {
			nearer(i, Distance(lat, lon, e.index.latLon[i][0], e.index.latLon[i][1]))
		}
	}
	if among == nil {
		e.StopsIn(Area{Near: &Near{lat, lon, within}}, func(i int, away float64) bool {
			if e.Stops[i].IsPublic() {
				nearer(i, away)
			}
			return true
		})
	}
	if rank < 0 {
		return nil
	}
	return &e.Stops[rank]
}

// LatLon returns the position of a stop by rank, in degrees; NaN if unknown.
func (e *Edition) LatLon(rank int) (lat, lon float64) {
	return e.index.latLon[rank][0], e.index.latLon[rank][1]
}

// Rank returns the index of a stop in [Edition.Stops].
func (e *Edition) Rank(stop string) (rank int, ok bool) {
	if e == nil {
		return 0, false
	}
	i, ok := e.stopAt[stop]
	return int(i), ok
}

// Metres returns the distance of a stop from a point; half the equator if its position is unknown.
func (e *Edition) Metres(from *Near, stop string) float64 {
	if i, ok := e.Rank(stop); ok {
		if d := Distance(from.Lat, from.Lon, e.index.latLon[i][0], e.index.latLon[i][1]); !math.IsNaN(d) {
			return d
		}
	}
	return math.Pi * earthRadius
}

// Box returns the bounding box of all stops; ok is false if none has a position. 0, 0 counts as
// unknown.
func (e *Edition) Box() (b Box, ok bool) {
	if e == nil {
		return b, false
	}
	b = Nowhere()
	for _, i := range e.index.northward {
		if lat, lon := e.LatLon(int(i)); lat != 0 || lon != 0 {
			b = b.With(lat, lon)
		}
	}
	if b == Nowhere() {
		return Box{}, false
	}
	return b, true
}

const earthRadius = 6_371_008.8

// Distance returns the great-circle distance of two points in metres; NaN if one is unknown.
func Distance(lat1, lon1, lat2, lon2 float64) float64 {
	const rad = math.Pi / 180
	s, t := math.Sin((lat2-lat1)*rad/2), math.Sin((lon2-lon1)*rad/2)
	h := s*s + math.Cos(lat1*rad)*math.Cos(lat2*rad)*t*t
	return 2 * earthRadius * math.Asin(math.Sqrt(min(h, 1)))
}

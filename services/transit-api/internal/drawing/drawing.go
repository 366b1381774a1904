// Package drawing makes lines small enough to be drawn: it leaves out the points that nobody would
// miss.
//
// It is pure. Which lines a route has is in internal/static and internal/tile.
package drawing

import (
	"math"

	"github.com/paulmach/orb"
)

const metresPerDegree = 111_195.0 // of latitude

// flat returns points of longitude and latitude in metres, as far as a map of a town is flat.
func flat(points []orb.Point) []orb.Point {
	if len(points) == 0 {
		return nil
	}
	low, high := points[0].Lat(), points[0].Lat()
	for _, at := range points {
		low, high = min(low, at.Lat()), max(high, at.Lat())
	}
	across := metresPerDegree * math.Cos((low+high)/2*math.Pi/180)
	all := make([]orb.Point, len(points))
	for i, at := range points {
		all[i] = orb.Point{at.Lon() * across, at.Lat() * metresPerDegree}
	}
	return all
}

// Simplify returns which points of a line to keep, in longitude and latitude: at most most of them,
// the first and the last among them. No point that is left out is further than used metres from the
// line that is kept. That is the tolerance, doubled until few enough are left.
func Simplify(points []orb.Point, tolerance float64, most int) (keep []int, used float64) {
	all := flat(points)
	keep = make([]int, len(all))
	for i := range keep {
		keep[i] = i
	}
	for used = max(tolerance, 0.01); ; used *= 2 {
		// Each round is made of the one before: half of each tolerance adds up to the last one.
		next := keep[:0]
		for _, k := range Reduce(all, used/2) {
			all[len(next)] = all[k]
			next = append(next, keep[k])
		}
		keep, all = next, all[:len(next)]
		if len(keep) <= max(most, 2) {
			return keep, used
		}
	}
}

// Reduce returns which points of a line in a plane to keep, the first and the last among them. No
// point that is left out is further than tolerance from the line that is kept. It looks at each
// point once, whatever the line is: Douglas and Peucker's way takes the square of the points of a
// zigzag, and Visvalingam's cuts off a spur, however long.
func Reduce(line []orb.Point, tolerance float64) (keep []int) {
	if len(line) == 0 {
		return nil
	}
	keep = append(keep, 0)
	s := stretch{from: line[0], near: tolerance / math.Sqrt2}
	for i := 1; i < len(line); i++ {
		if !s.add(line[i]) {
			keep = append(keep, i-1)
			s = stretch{from: line[i-1], near: s.near}
			s.add(line[i])
		}
	}
	if len(line) > 1 {
		keep = append(keep, len(line)-1)
	}
	return keep
}

// A stretch is some points in a row that a straight line from the first one passes: the cone of all
// such lines.
type stretch struct {
	from      orb.Point
	near      float64 // how far from the line a point may be
	far       float64 // distance of the furthest point; 0 if all are near from
	east      orb.Point
	low, high float64 // edges of the cone, as angles from east
}

// add reports whether the stretch may end at the next point, and narrows the cone to the lines that
// pass it. A point that turns back is no end: the line would not reach those before.
func (s *stretch) add(p orb.Point) bool {
	d := orb.Point{p[0] - s.from[0], p[1] - s.from[1]}
	length := math.Hypot(d[0], d[1])
	if s.far == 0 {
		if length > s.near {
			wide := math.Asin(s.near / length)
			s.far, s.east, s.low, s.high = length, d, -wide, wide
		}
		return true
	}
	angle := math.Atan2(s.east[0]*d[1]-s.east[1]*d[0], s.east[0]*d[0]+s.east[1]*d[1])
	if length < s.far-s.near || angle < s.low || angle > s.high {
		return false
	}
	if length > s.near {
		wide := math.Asin(s.near / length)
		s.far, s.low, s.high = max(s.far, length), max(s.low, angle-wide), min(s.high, angle+wide)
	}
	return true
}

// Covered reports whether a line runs along others: no point of it is further than so many metres
// from all of them.
func Covered(line []orb.Point, by [][]orb.Point, metres float64) bool {
	all := line
	for _, other := range by {
		all = append(all[:len(all):len(all)], other...)
	}
	p := flat(all)
	for i := range line {
		near, first := false, len(line)
		for _, other := range by {
			for k := first; k < first+len(other) && !near; k++ {
				near = distance(p[i], p[k], p[min(k+1, first+len(other)-1)]) <= metres
			}
			first += len(other)
		}
		if !near {
			return false
		}
	}
	return true
}

// distance is that of a point from the stretch between a and b.
func distance(p, a, b orb.Point) float64 {
	dx, dy := b[0]-a[0], b[1]-a[1]
	ex, ey := p[0]-a[0], p[1]-a[1]
	along := 0.0
	if square := dx*dx + dy*dy; square > 0 {
		along = max(0, min(1, (ex*dx+ey*dy)/square))
	}
	return math.Hypot(ex-along*dx, ey-along*dy)
}

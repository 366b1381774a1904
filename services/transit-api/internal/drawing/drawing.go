// Package drawing simplifies lines: it drops points that make no visible difference.
//
// It is pure. orb/simplify does not fit: its Douglas-Peucker is quadratic for a zigzag, its
// Visvalingam cuts off long spurs, and neither says which points remain.
package drawing

import (
	"math"
	"slices"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/planar"
)

// MetresPerDegree is the length of a degree of latitude.
const MetresPerDegree = 111_195.0

// project converts points from degrees to metres, with the scale at their middle latitude.
func project(points []orb.Point) []orb.Point {
	if len(points) == 0 {
		return nil
	}
	low, high := points[0].Lat(), points[0].Lat()
	for _, at := range points {
		low, high = min(low, at.Lat()), max(high, at.Lat())
	}
	across := MetresPerDegree * math.Cos((low+high)/2*math.Pi/180)
	all := make([]orb.Point, len(points))
	for i, at := range points {
		all[i] = orb.Point{at.Lon() * across, at.Lat() * MetresPerDegree}
	}
	return all
}

// Simplify returns the indexes of the points that remain, including both ends. The dropped points
// are at most used metres from the simplified line. Simplify doubles the tolerance until at most
// limit points remain.
func Simplify(points []orb.Point, tolerance float64, limit int) (keep []int, used float64) {
	return ReduceTo(project(points), tolerance, limit)
}

// ReduceTo is Simplify for a plane line. It overwrites the line.
func ReduceTo(all []orb.Point, tolerance float64, limit int) (keep []int, used float64) {
	keep = make([]int, len(all))
	for i := range keep {
		keep[i] = i
	}
	for used = max(tolerance, 0.01); ; used *= 2 {
		// Each round simplifies the line of the previous round with half of used, so the errors of
		// all rounds add up to used.
		next := keep[:0]
		for _, k := range Reduce(all, used/2) {
			all[len(next)] = all[k]
			next = append(next, keep[k])
		}
		keep, all = next, all[:len(next)]
		if len(keep) <= max(limit, 2) {
			return keep, used
		}
	}
}

// Reduce returns the indexes of the points of a plane line that remain, including both ends. The
// dropped points are at most tolerance from the simplified line. Its time is linear.
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

// A stretch is a series of points near a straight line from the first point. Its cone contains all
// such lines.
type stretch struct {
	from      orb.Point
	near      float64 // maximum distance of a point from the line
	far       float64 // distance of the furthest point; 0 if all are near the first point
	east      orb.Point
	low, high float64 // edges of the cone, as angles from east
}

// add reports whether the stretch can end at the next point, and narrows the cone to the lines near
// that point. A stretch cannot end at a point that turns back: the line would not reach the earlier
// points.
func (s *stretch) add(p orb.Point) bool {
	d := orb.Point{p[0] - s.from[0], p[1] - s.from[1]}
	length := math.Hypot(d[0], d[1])
	if s.far == 0 {
		if length > s.near {
			wide := math.Asin(s.near / length)
			s.far = length
			s.east = d
			s.low = -wide
			s.high = wide
		}
		return true
	}
	angle := math.Atan2(s.east[0]*d[1]-s.east[1]*d[0], s.east[0]*d[0]+s.east[1]*d[1])
	if length < s.far-s.near || angle < s.low || angle > s.high {
		return false
	}
	if length > s.near {
		wide := math.Asin(s.near / length)
		s.far = max(s.far, length)
		s.low = max(s.low, angle-wide)
		s.high = min(s.high, angle+wide)
	}
	return true
}

// IsCovered reports whether each point of a plane line is within a distance of one of the other
// lines.
func IsCovered(line orb.LineString, by []orb.LineString, within float64) bool {
	for _, p := range line {
		if !slices.ContainsFunc(by, func(l orb.LineString) bool { return isNear(p, l, within) }) {
			return false
		}
	}
	return true
}

func isNear(p orb.Point, line orb.LineString, within float64) bool {
	for k, a := range line {
		if planar.DistanceFromSegment(a, line[min(k+1, len(line)-1)], p) <= within {
			return true
		}
	}
	return false
}

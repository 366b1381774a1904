// Package drawing makes lines on the map small enough to be drawn: it leaves out the points that nobody would miss.
//
// It is pure, and what it does is bounded whatever the line is: see [Simplify]. Which lines a route has is in internal/static.
package drawing

import "math"

// A Point is longitude and latitude in degrees.
type Point struct{ Lon, Lat float64 }

const (
	// maxExact is how many points of a line are weighed against each other, which may take the square of their number.
	maxExact = 4000
	// metresPerDegree is that of latitude.
	metresPerDegree = 111_195.0
)

// A plane has the points in metres, as far as a map of a town is flat.
type plane struct{ x, y []float64 }

func flat(points []Point) plane {
	p := plane{make([]float64, len(points)), make([]float64, len(points))}
	if len(points) == 0 {
		return p
	}
	low, high := points[0].Lat, points[0].Lat
	for _, at := range points {
		low, high = min(low, at.Lat), max(high, at.Lat)
	}
	across := metresPerDegree * math.Cos((low+high)/2*math.Pi/180)
	for i, at := range points {
		p.x[i], p.y[i] = at.Lon*across, at.Lat*metresPerDegree
	}
	return p
}

// Simplify returns which points of a line to keep, ascending: at most most of them, the first and the last among them. No point
// that is left out is further than tolerance metres from the line that is kept; where that takes more than most points, the
// tolerance is doubled until it does not. Of a line of very many points some are left out first that lie within the tolerance of the one before.
func Simplify(points []Point, tolerance float64, most int) (keep []int, used float64) {
	most = max(most, 2)
	tolerance = max(tolerance, 0.01)
	p := flat(points)
	for used = tolerance; ; used *= 2 {
		some, gap := p.thinned(used / 2)
		used = max(used, 2*gap)
		keep = p.peucker(some, used/2)
		if len(keep) <= most {
			return keep, used
		}
	}
}

// Covered reports whether a line runs along others: no point of it is further than so many metres from all of them.
func Covered(line []Point, by [][]Point, metres float64) bool {
	all := line
	for _, other := range by {
		all = append(all[:len(all):len(all)], other...)
	}
	p := flat(all)
	for i := range line {
		near, first := false, len(line)
		for _, other := range by {
			for k := first; k < first+len(other) && !near; k++ {
				near = p.distance(i, k, min(k+1, first+len(other)-1)) <= metres
			}
			first += len(other)
		}
		if !near {
			return false
		}
	}
	return true
}

// thinned are the points that lie further than some metres from the last one kept, at least so many metres that weighing them ends soon.
func (p plane) thinned(least float64) (all []int, gap float64) {
	for gap = least; ; gap *= 2 {
		all = all[:0]
		for i := range p.x {
			if n := len(all); n == 0 || i == len(p.x)-1 || math.Hypot(p.x[i]-p.x[all[n-1]], p.y[i]-p.y[all[n-1]]) > gap {
				all = append(all, i)
			}
		}
		if len(all) <= maxExact {
			return all, gap
		}
	}
}

// peucker is the algorithm of Douglas and Peucker on some of the points: the point that is furthest from the line between two kept
// ones is kept too, if it is further than the tolerance.
func (p plane) peucker(some []int, tolerance float64) []int {
	if len(some) <= 2 {
		return some
	}
	kept := make([]bool, len(some))
	kept[0], kept[len(some)-1] = true, true
	type span struct{ from, to int }
	for open := []span{{0, len(some) - 1}}; len(open) > 0; {
		s := open[len(open)-1]
		open = open[:len(open)-1]
		furthest, at := tolerance, -1
		for i := s.from + 1; i < s.to; i++ {
			if d := p.distance(some[i], some[s.from], some[s.to]); d > furthest {
				furthest, at = d, i
			}
		}
		if at >= 0 {
			kept[at] = true
			open = append(open, span{s.from, at}, span{at, s.to})
		}
	}
	var keep []int
	for i, k := range kept {
		if k {
			keep = append(keep, some[i])
		}
	}
	return keep
}

// distance is that of point i from the stretch between points a and b.
func (p plane) distance(i, a, b int) float64 {
	dx, dy := p.x[b]-p.x[a], p.y[b]-p.y[a]
	ex, ey := p.x[i]-p.x[a], p.y[i]-p.y[a]
	along := 0.0
	if square := dx*dx + dy*dy; square > 0 {
		along = max(0, min(1, (ex*dx+ey*dy)/square))
	}
	return math.Hypot(ex-along*dx, ey-along*dy)
}

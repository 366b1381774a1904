package check

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/townline/townline/pkg/gtfs"
)

// shapes keeps the points of shapes to measure their distance to stops.
type shapes struct {
	begin  []int32   // by shape: line in the file
	points [][]byte  // by shape: packed points
	end    []float64 // by shape: last shape_dist_traveled, or None
	kept   int
	used   []bool
	found  map[int32][]gtfs.Finding // by shape

	current polyline
	packing []byte
}

const (
	// maxPoints bounds the points kept of all shapes, about 40 MB.
	maxPoints = 8 << 20
	// maxShapeDistance is the maximum distance of a stop from its shape, in metres.
	maxShapeDistance = 100
	// maxOvershoot is the maximum distance of the last stop from the last point, in metres.
	maxOvershoot = 11.1
	// tolerance allows for programs that round distances differently.
	tolerance = 1e-3
)

// AddShape stores the line of the first point of shape n.
func (c *Checker) AddShape(n int32, line int) {
	s := &c.shapes
	for int(n) >= len(s.begin) {
		s.begin = append(s.begin, 0)
		s.points = append(s.points, nil)
		s.end = append(s.end, None)
	}
	s.begin[n] = int32(line)
}

// A Point is a latitude and a longitude in millionths of a degree.
type Point = [2]int32

// Shape checks the points of shape n; Shapes reports the findings. If Shape is called again with
// more points of the same shape, only the last call counts. dist has their distances, separated by
// commas; it is empty if no point has one.
func (c *Checker) Shape(n int32, id []byte, points []Point, dist []byte) {
	s := &c.shapes
	for int(n) >= len(s.begin) {
		c.AddShape(n, 0)
	}
	delete(s.found, n)
	tally := func(code gtfs.Code, field, more string) {
		found := s.found[n]
		if i := slices.IndexFunc(found, func(f gtfs.Finding) bool { return f.Code == code }); i >= 0 {
			found[i].Count++
			return
		}
		s.found[n] = append(found, gtfs.Finding{Code: code, File: "shapes.txt", Line: int(s.begin[n]), Field: field,
			Value: []byte(string(id) + more), RowID: bytes.Clone(id), Count: 1})
	}
	if len(points) == 1 {
		tally("single_shape_point", "shape_id", "")
	}
	keep := s.kept+len(points) <= maxPoints
	if !keep {
		c.Partly("shapes.txt")
	}
	l := &s.current
	l.kept = l.kept[:0]
	var before [2]int32
	far := float64(None)
	for i, at := range points {
		if isNearOrigin(at) {
			tally("point_near_origin", "shape_pt_lat", "")
		}
		if isNearPole(at) {
			tally("point_near_pole", "shape_pt_lat", "")
		}
		switch {
		case i == 0:
			l.begin(at)
		case keep:
			l.next(at)
		}
		v, ok := gtfs.ParseFloat(cutCell(&dist))
		switch {
		case !ok || far == None:
		case v < far:
			tally("decreasing_shape_distance", "shape_dist_traveled", fmt.Sprintf(": %g, %g", far, v))
		case v == far && at == before:
			tally("equal_shape_distance_same_coordinates", "shape_dist_traveled", "")
		case v == far && metres(at, before, l.scale) > 1.11:
			tally("equal_shape_distance_diff_coordinates", "shape_dist_traveled", "")
		}
		if ok {
			far = v
		}
		before = at
	}
	s.points[n], s.end[n] = nil, far
	if keep && len(points) > 1 {
		l.end()
		s.points[n] = s.pack(l.kept)
		s.kept += len(l.kept)
	}
}

// cutCell removes and returns the first cell of a comma-separated list.
func cutCell(list *[]byte) (cell []byte) {
	cell, *list, _ = bytes.Cut(*list, []byte{','})
	return cell
}

// UseShape records that a trip uses shape n.
func (c *Checker) UseShape(n int32) {
	s := &c.shapes
	for int(n) >= len(s.used) {
		s.used = append(s.used, false)
	}
	s.used[n] = true
}

// Shapes reports the findings of Shape, and the shapes without trips.
func (c *Checker) Shapes(id func(int32) []byte) {
	for n, line := range c.shapes.begin {
		for _, f := range c.shapes.found[int32(n)] {
			c.note(f)
		}
		if n >= len(c.shapes.used) || !c.shapes.used[n] {
			c.noteID("unused_shape", "shapes.txt", line, "shape_id", id(int32(n)))
		}
	}
}

// A ShapeUse describes all trips that have the same pattern and the same shape.
type ShapeUse struct {
	Shape        int32
	ShapeID      []byte
	Trips        int
	Line         int // of the first trip
	TripID       []byte
	Stops        []int32
	LastDistance float64 // shape_dist_traveled of the last call, or None
	StopID       func(int32) []byte
}

// ShapeUse checks the distance of stops from a shape. It skips the pairs of shape and stop in
// reported, and adds new ones.
func (c *Checker) ShapeUse(u *ShapeUse, reported map[[2]int32]bool) {
	s := &c.shapes
	if int(u.Shape) >= len(s.points) {
		return
	}
	line := s.unpack(u.Shape)
	if len(line) < 2 {
		return
	}
	at := 0
	path := path{line: line}
	backwards := false
	for _, stop := range u.Stops {
		p, ok := c.position(stop)
		if !ok || reported[[2]int32{u.Shape, stop}] {
			continue
		}
		near, found := nearest(line, at, p)
		at = found
		if near <= maxShapeDistance+deviation {
			if !backwards && !path.passes(p) {
				backwards = true
				c.note(gtfs.Finding{Code: "stops_match_shape_out_of_order", File: "trips.txt", Line: u.Line, Field: "shape_id",
					Count: u.Trips, Value: fmt.Appendf(nil, "%s: stop_id %s, shape_id %s", u.TripID, u.StopID(stop),
						u.ShapeID),
					RowID: u.TripID, ShapeID: u.ShapeID})
			}
			continue
		}
		if len(reported) < maxRemembered*100 {
			reported[[2]int32{u.Shape, stop}] = true
		}
		c.note(gtfs.Finding{Code: "stop_too_far_from_shape", File: "stops.txt", Line: int(c.stops.line[stop]),
			Field: "stop_lat", Value: fmt.Appendf(nil, "%s: shape_id %s, %.0f m", u.StopID(stop), u.ShapeID, near),
			RowID: u.StopID(stop), ShapeID: u.ShapeID})
	}
	if len(u.Stops) == 0 {
		return
	}
	p, ok := c.position(u.Stops[len(u.Stops)-1])
	if end := s.end[u.Shape]; ok && end != None && u.LastDistance != None && u.LastDistance > end*(1+tolerance) &&
		metres(p, line[len(line)-1], scaleAt(p[0])) > maxOvershoot {
		c.note(gtfs.Finding{Code: "trip_distance_exceeds_shape_distance", File: "trips.txt", Line: u.Line, Field: "shape_id",
			Count: u.Trips, Value: fmt.Appendf(nil, "%s: %g, shape_id %s: %g", u.TripID, u.LastDistance, u.ShapeID, end),
			RowID: u.TripID, ShapeID: u.ShapeID})
	}
}

// nearest returns the distance from a position to a line in metres, and the index of the nearest
// segment. It starts at segment from, wraps around, and stops at the first segment within
// maxShapeDistance.
func nearest(line [][2]int32, from int, p [2]int32) (least float64, at int) {
	least, at = math.Inf(1), from
	scale := scaleAt(p[0])
	n := len(line) - 1
	for k := range n {
		i := from + k
		if i >= n {
			i -= n
		}
		ay, ax := float64(line[i][0]-p[0]), float64(line[i][1]-p[1])*scale
		by, bx := float64(line[i+1][0]-p[0]), float64(line[i+1][1]-p[1])*scale
		dy, dx := by-ay, bx-ax
		t := 0.0
		if l := dx*dx + dy*dy; l > 0 {
			t = max(0, min(1, -(ax*dx+ay*dy)/l))
		}
		x, y := ax+t*dx, ay+t*dy
		if d := math.Sqrt(x*x+y*y) * metresPerMicrodegree; d < least {
			least, at = d, i
			if d <= maxShapeDistance {
				break
			}
		}
	}
	return least, at
}

type path struct {
	line [][2]int32
	at   int     // index of the segment
	part float64 // position in the segment, from 0 to 1
}

// passes moves forward to the first position that is near a stop. If there is none, it returns
// false and does not move.
func (w *path) passes(p [2]int32) bool {
	const reach = (maxShapeDistance + deviation) / metresPerMicrodegree
	scale := scaleAt(p[0])
	from := w.part
	for i := w.at; i < len(w.line)-1; i++ {
		ay, ax := float64(w.line[i][0]-p[0]), float64(w.line[i][1]-p[1])*scale
		dy, dx := float64(w.line[i+1][0]-w.line[i][0]), float64(w.line[i+1][1]-w.line[i][1])*scale
		// The positions at which the segment enters and leaves the circle around the stop.
		a := dx*dx + dy*dy
		b := ax*dx + ay*dy
		d := ax*ax + ay*ay - reach*reach
		root := b*b - a*d
		enter, leave := 0.0, 1.0
		switch {
		case a == 0 && d > 0, a > 0 && root < 0:
			leave = -1
		case a > 0:
			enter, leave = max(enter, (-b-math.Sqrt(root))/a), min(leave, (-b+math.Sqrt(root))/a)
		}
		if enter = max(enter, from); enter <= leave {
			w.at, w.part = i, enter
			return true
		}
		from = 0
	}
	return false
}

// Micro converts degrees to millionths of a degree.
func Micro(degrees float64) int32 { return int32(math.Round(degrees * 1e6)) }

// deviation is the distance of a dropped point from the simplified line, in metres.
const deviation = 10

// polyline simplifies one shape: each point that it drops is within deviation of the line. It looks
// at each point once. It keeps the sector, seen from the last kept point, in which the line passes
// all later points. If a point lies outside the sector or turns back, polyline keeps the point
// before it.
type polyline struct {
	kept        [][2]int32
	scale       float64
	last        [2]int32
	far         float64 // distance from the last kept point to the farthest later point, in metres
	bounded     bool
	left, right [2]float64 // bounds of the sector, as directions
}

func (l *polyline) begin(first [2]int32) {
	*l = polyline{kept: append(l.kept[:0], first), last: first, scale: scaleAt(first[0])}
}

func (l *polyline) next(p [2]int32) {
	to, far := l.direction(p)
	if far < l.far || l.bounded && (cross(l.right, to) < 0 || cross(to, l.left) < 0) {
		l.kept = append(l.kept, l.last)
		l.far = 0
		l.bounded = false
		to, far = l.direction(p)
	}
	l.last, l.far = p, max(l.far, far)
	if far <= deviation {
		return
	}
	// The two directions that pass the point at the allowed deviation.
	sin := deviation / far
	cos := math.Sqrt(1 - sin*sin)
	left, right := rotate(to, sin, cos), rotate(to, -sin, cos)
	if !l.bounded || cross(left, l.left) > 0 {
		l.left = left
	}
	if !l.bounded || cross(l.right, right) > 0 {
		l.right = right
	}
	l.bounded = true
}

func (l *polyline) end() { l.kept = append(l.kept, l.last) }

func (l *polyline) direction(p [2]int32) (to [2]float64, far float64) {
	from := l.kept[len(l.kept)-1]
	y, x := float64(p[0]-from[0])*metresPerMicrodegree, float64(p[1]-from[1])*metresPerMicrodegree*l.scale
	far = math.Sqrt(y*y + x*x)
	if far == 0 {
		return to, 0
	}
	return [2]float64{y / far, x / far}, far
}

func cross(a, b [2]float64) float64 { return a[0]*b[1] - a[1]*b[0] }

func rotate(d [2]float64, sin, cos float64) [2]float64 {
	return [2]float64{d[0]*cos - d[1]*sin, d[1]*cos + d[0]*sin}
}

func (s *shapes) pack(points [][2]int32) []byte {
	s.packing = s.packing[:0]
	var before [2]int32
	for _, p := range points {
		for i := range p {
			s.packing = binary.AppendVarint(s.packing, int64(p[i])-int64(before[i]))
		}
		before = p
	}
	return bytes.Clone(s.packing)
}

// unpack returns the points of a shape. They are valid until the next call.
func (s *shapes) unpack(n int32) [][2]int32 {
	points := s.current.kept[:0]
	var p [2]int32
	for rest := s.points[n]; len(rest) > 0; {
		for i := range p {
			d, w := binary.Varint(rest)
			p[i], rest = int32(int64(p[i])+d), rest[w:]
		}
		points = append(points, p)
	}
	s.current.kept = points
	return points
}

package check

import (
	"bytes"
	"encoding/binary"
	"math"
)

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
		l.kept, l.far, l.bounded = append(l.kept, l.last), 0, false
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

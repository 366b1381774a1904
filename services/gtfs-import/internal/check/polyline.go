package check

import (
	"bytes"
	"encoding/binary"
	"math"
)

// deviation is how far a point of a shape may be from the line that is kept of it, in metres.
const deviation = 10

// polyline reduces the points of one shape to those that its course needs: every other one is at
// most deviation from the line between two of them. It looks at each point once. From the point
// kept last it knows the sector in which the line may go on so that it passes all points since
// then; a point outside of it, or one that turns back, makes the one before it a kept one.
type polyline struct {
	kept        [][2]int32
	scale       float64
	last        [2]int32
	far         float64 // the farthest point since the one kept last, in metres
	bounded     bool
	left, right [2]float64 // the bounds of the sector, as directions
}

// begin forgets the line before.
func (l *polyline) begin(first [2]int32) {
	*l = polyline{kept: append(l.kept[:0], first), last: first, scale: scaleAt(first[0])}
}

// next takes the next point.
func (l *polyline) next(p [2]int32) {
	to, far := l.way(p)
	if far < l.far || l.bounded && (cross(l.right, to) < 0 || cross(to, l.left) < 0) {
		l.kept, l.far, l.bounded = append(l.kept, l.last), 0, false
		to, far = l.way(p)
	}
	l.last, l.far = p, max(l.far, far)
	if far <= deviation {
		return
	}
	// The directions that pass the point at the distance of deviation.
	sin := deviation / far
	cos := math.Sqrt(1 - sin*sin)
	left, right := turned(to, sin, cos), turned(to, -sin, cos)
	if !l.bounded || cross(left, l.left) > 0 {
		l.left = left
	}
	if !l.bounded || cross(l.right, right) > 0 {
		l.right = right
	}
	l.bounded = true
}

// end keeps the last point.
func (l *polyline) end() { l.kept = append(l.kept, l.last) }

// way is the direction from the point kept last, and how far it is in metres.
func (l *polyline) way(p [2]int32) (to [2]float64, far float64) {
	from := l.kept[len(l.kept)-1]
	y, x := float64(p[0]-from[0])*metresOf, float64(p[1]-from[1])*metresOf*l.scale
	far = math.Sqrt(y*y + x*x)
	if far == 0 {
		return to, 0
	}
	return [2]float64{y / far, x / far}, far
}

func cross(a, b [2]float64) float64 { return a[0]*b[1] - a[1]*b[0] }

func turned(d [2]float64, sin, cos float64) [2]float64 {
	return [2]float64{d[0]*cos - d[1]*sin, d[1]*cos + d[0]*sin}
}

// pack returns the points in few bytes, for they stay: varints, each latitude and longitude from
// the one before.
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

// unpack returns the points of a shape, until another is read.
func (s *shapes) unpack(n int32) [][2]int32 {
	points := s.reading.kept[:0]
	var p [2]int32
	for rest := s.points[n]; len(rest) > 0; {
		for i := range p {
			d, w := binary.Varint(rest)
			p[i], rest = int32(int64(p[i])+d), rest[w:]
		}
		points = append(points, p)
	}
	s.reading.kept = points
	return points
}

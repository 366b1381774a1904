package page

import (
	"math"
)

// A matrix is the affine map of PDF: (x, y) becomes (a·x + c·y + e, b·x + d·y + f).
type matrix struct{ a, b, c, d, e, f float64 }

var identity = matrix{a: 1, d: 1}

// then is the map that does m first and n after it.
func (m matrix) then(n matrix) matrix {
	return matrix{
		a: m.a*n.a + m.b*n.c, b: m.a*n.b + m.b*n.d,
		c: m.c*n.a + m.d*n.c, d: m.c*n.b + m.d*n.d,
		e: m.e*n.a + m.f*n.c + n.e, f: m.e*n.b + m.f*n.d + n.f,
	}
}

func (m matrix) apply(x, y float64) (float64, float64) {
	return m.a*x + m.c*y + m.e, m.b*x + m.d*y + m.f
}

// matrixOf reads six numbers; fewer leave the identity.
func matrixOf(n []float64) matrix {
	if len(n) < 6 {
		return identity
	}
	return matrix{n[0], n[1], n[2], n[3], n[4], n[5]}
}

// upright maps the user space of a page to the page as it is read: x to the
// right, y down, from the upper left corner of its visible part.
func upright(box [4]float64, rotate int) matrix {
	switch rotate {
	case 90:
		return matrix{b: 1, c: 1, e: -box[1], f: -box[0]}
	case 180:
		return matrix{a: -1, d: 1, e: box[2], f: -box[1]}
	case 270:
		return matrix{b: -1, c: -1, e: box[3], f: box[2]}
	}
	return matrix{a: 1, d: -1, e: -box[0], f: box[3]}
}

func finite(xs ...float64) bool {
	for _, x := range xs {
		if math.IsNaN(x) || math.Abs(x) > 1e7 {
			return false
		}
	}
	return true
}

// A box is a part of the page, upright: left, top, right, bottom.
type box struct{ x0, y0, x1, y1 float64 }

func (b box) empty() bool { return b.x1 < b.x0 || b.y1 < b.y0 }

// with is the box with one more point in it.
func (b box) with(x, y float64) box {
	return box{min(b.x0, x), min(b.y0, y), max(b.x1, x), max(b.y1, y)}
}

func (b box) within(c box) box {
	return box{max(b.x0, c.x0), max(b.y0, c.y0), min(b.x1, c.x1), min(b.y1, c.y1)}
}

func (b box) holds(x, y float64) bool { return x >= b.x0 && x <= b.x1 && y >= b.y0 && y <= b.y1 }

// everywhere and nowhere are the clip of a page, and the bounds of a path, at
// their beginning.
var (
	everywhere = box{-1e9, -1e9, 1e9, 1e9}
	nowhere    = box{1e9, 1e9, -1e9, -1e9}
)

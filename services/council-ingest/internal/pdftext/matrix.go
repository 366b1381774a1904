package pdftext

import "math"

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

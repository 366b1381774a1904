package page

import (
	"math"

	"github.com/townline/townline/services/council-ingest/internal/pdftext/content"
	"github.com/townline/townline/services/council-ingest/internal/pdftext/layout"
)

// maxRules bounds the borders remembered of one page.
const maxRules = 20_000

// trace follows the drawing of lines and boxes. Upright lines are the borders
// between cells: two words on both sides of one are two cells however near they
// stand. Areas and clipping paths decide which letters can be seen.
func (r *reader) trace(op string, args content.Operands) {
	switch op {
	case "m":
		r.px, r.py = r.ctm.apply(args.Num(0), args.Num(1))
		r.bounds = r.bounds.with(r.px, r.py)
	case "l":
		x, y := r.ctm.apply(args.Num(0), args.Num(1))
		r.segment(r.px, r.py, x, y)
		r.px, r.py = x, y
		r.bounds = r.bounds.with(x, y)
	case "c", "v", "y":
		r.shapes++
		if n := len(args); n >= 2 {
			r.px, r.py = r.ctm.apply(args.Num(n-2), args.Num(n-1))
		}
		for i := 0; i+1 < len(args); i += 2 {
			r.bounds = r.bounds.with(r.ctm.apply(args.Num(i), args.Num(i+1)))
		}
	case "re":
		x, y, w, h := args.Num(0), args.Num(1), args.Num(2), args.Num(3)
		x0, y0 := r.ctm.apply(x, y)
		x1, y1 := r.ctm.apply(x+w, y+h)
		r.segment(x0, y0, x0, y1)
		r.segment(x1, y0, x1, y1)
		for _, corner := range [][2]float64{{x, y}, {x + w, y}, {x, y + h}, {x + w, y + h}} {
			r.bounds = r.bounds.with(r.ctm.apply(corner[0], corner[1]))
		}
	case "W", "W*":
		r.clipping = true
	case "n":
		r.paintPath(op)
		r.path = r.path[:0]
	case "sh":
		r.ground(r.clip)
	case "S", "s", "B", "B*", "b", "b*":
		r.paintPath(op)
		for _, s := range r.path {
			r.rule(s)
		}
		r.path = r.path[:0]
	case "f", "F", "f*":
		r.paintPath(op)
		// A filled shape is a line only if it is thin: two near edges.
		for i := 0; i+1 < len(r.path); i++ {
			a, b := r.path[i], r.path[i+1]
			if math.Abs(a.x0-b.x0) < 3 && math.Abs(a.x0-a.x1) < 1 && math.Abs(b.x0-b.x1) < 1 {
				r.rule(a)
			}
		}
		r.path = r.path[:0]
	}
}

func (r *reader) segment(x0, y0, x1, y1 float64) {
	if len(r.path) < maxRules && finite(x0, y0, x1, y1) && math.Abs(x0-x1) < 1 && math.Abs(y0-y1) > 4 {
		r.path = append(r.path, segment{x0, y0, x1, y1})
	}
}

func (r *reader) rule(s segment) {
	if len(r.rules) < maxRules && r.hidden == 0 {
		r.rules = append(r.rules, layout.Rule{X: (s.x0 + s.x1) / 2, Top: min(s.y0, s.y1), Bottom: max(s.y0, s.y1)})
	}
}

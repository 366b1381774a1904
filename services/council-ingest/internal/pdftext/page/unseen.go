package page

import (
	"fmt"
	"math"
	"strings"

	"github.com/ledongthuc/pdf"

	"github.com/townline/townline/services/council-ingest/internal/pdftext/content"
	"github.com/townline/townline/services/council-ingest/internal/pdftext/layout"
	"github.com/townline/townline/services/council-ingest/internal/pdftext/pdffile"
)

// Invisible text is transparent, white on white, clipped, off the page, or on a hidden layer. It is
// omitted, because a reader who checks a vote could not find it. A note reports it, because it may
// be meant for machines.

const (
	maxFilled = 2_000
	maxLooks  = 20_000_000 // comparisons with coloured areas
)

// colour runs an operator of the fill colour. It returns false for any other operator.
func (r *reader) colour(op string, args content.Operands) bool {
	switch op {
	case "g":
		r.fill.parts, r.fill.white = 1, isWhite(args, 1)
	case "rg":
		r.fill.parts, r.fill.white = 3, isWhite(args, 3)
	case "k":
		r.fill.parts, r.fill.white = 4, isWhite(args, 4)
	case "cs":
		r.fill.parts, r.fill.white = r.partsOf(args.Name(0)), false
	case "sc", "scn":
		r.fill.white = r.fill.parts > 0 && isWhite(args, r.fill.parts)
	default:
		return false
	}
	return true
}

func isWhite(args content.Operands, parts int) bool {
	if len(args) != parts {
		return false
	}
	for i := range args {
		if v := args.Num(i); parts == 4 && v > 0.01 || parts < 4 && v < 0.99 {
			return false
		}
	}
	return true
}

func (r *reader) partsOf(space string) int {
	if n := deviceParts[space]; n > 0 {
		return n
	}
	return partsIn(r.resources.Key("ColorSpace").Key(space))
}

var deviceParts = map[string]int{"DeviceGray": 1, "DeviceRGB": 3, "DeviceCMYK": 4}

// partsIn returns the number of components of a colour space of light or ink, or 0 for other colour
// spaces.
func partsIn(space pdf.Value) int {
	kind := space.Name()
	if space.Kind() == pdf.Array {
		kind = space.Index(0).Name()
	}
	switch {
	case space.Len() < 2:
		return deviceParts[kind]
	case kind == "CalGray":
		return 1
	case kind == "CalRGB":
		return 3
	case kind == "ICCBased":
		if n := pdffile.Int(space.Index(1).Key("N")); n == 1 || n == 3 || n == 4 {
			return n
		}
	}
	return 0
}

func (c *canvas) addFilled(b box) {
	if len(c.filled) < maxFilled && !b.empty() {
		c.filled = append(c.filled, b)
	}
}

// paintPath ends a path, which may fill an area or set a clip.
func (r *reader) paintPath(op string) {
	switch op {
	case "f", "F", "f*", "B", "B*", "b", "b*":
		if !r.fill.white && !r.fill.clear {
			r.addFilled(r.bounds)
		}
	}
	if r.clipping && !r.bounds.empty() {
		r.clip = r.clip.within(r.bounds)
	}
	r.clipping, r.bounds = false, nowhere
}

// sees reports whether colour and clip leave a glyph visible. Near the edge of the clip it counts
// as visible.
func (r *reader) sees(g layout.Glyph) bool {
	const fillAndClip, clipOnly = 4, 7
	edge := box{r.clip.x0 - g.Size, r.clip.y0 - g.Size, r.clip.x1 + g.Size, r.clip.y1 + g.Size}
	switch {
	case r.mode == clipOnly, r.fill.clear, !edge.holds(g.X0, g.Y0) && !edge.holds(g.X1, g.Y1):
		return false
	case !r.fill.white || r.mode != 0 && r.mode != fillAndClip:
		return true
	}
	r.looks += len(r.filled)
	if r.looks > maxLooks {
		return true
	}
	x, y := (g.X0+g.X1)/2, (g.Y0+g.Y1)/2-g.Size/4
	for _, b := range r.filled {
		if b.holds(x, y) || b.holds(g.X0, g.Y0) {
			return true
		}
	}
	return false
}

const fewUnseen = 2

// unseenNote reports the omitted letters of a page. ok is false if the page also shows them.
func unseenNote(number int, left []layout.Glyph, text string) (n Note, ok bool) {
	var b strings.Builder
	letters, shown := 0, -1
	for _, g := range left {
		if g.Blank {
			b.WriteByte(' ')
			continue
		}
		if shown >= 0 && g.Shown != shown {
			b.WriteByte(' ')
		}
		shown = g.Shown
		letters++
		b.WriteString(g.Text)
	}
	if letters <= fewUnseen {
		return Note{}, false
	}
	said := strings.Join(strings.Fields(b.String()), " ")
	if squeezed := strings.ReplaceAll(said, " ", ""); strings.Contains(strings.Join(strings.Fields(text), ""), squeezed) {
		return Note{}, false
	}
	const most = 120
	if r := []rune(said); len(r) > most {
		said = string(r[:most]) + "…"
	}
	return Note{Page: number, Code: NoteUnseenText, Message: fmt.Sprintf("%d letters that the page does not show were "+
		"left out: %q", letters, said)}, true
}

const maxRules = 20_000

// trace runs an operator of paths. Vertical lines are borders between cells. Areas and clips
// determine which letters are visible.
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
		x := args.Num(0)
		y := args.Num(1)
		w := args.Num(2)
		h := args.Num(3)
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
		r.addFilled(r.clip)
	case "S", "s", "B", "B*", "b", "b*":
		r.paintPath(op)
		for _, s := range r.path {
			r.rule(s)
		}
		r.path = r.path[:0]
	case "f", "F", "f*":
		r.paintPath(op)
		// A thin filled shape counts as a line.
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

package page

import (
	"fmt"
	"strings"

	"github.com/ledongthuc/pdf"

	"github.com/townline/townline/services/council-ingest/internal/pdftext/content"
	"github.com/townline/townline/services/council-ingest/internal/pdftext/layout"
	"github.com/townline/townline/services/council-ingest/internal/pdftext/pdffile"
)

// Text that a page holds and does not show — in no colour, in white on nothing,
// outside the clipping path, off the paper, on a layer that is switched off —
// is no part of its text: a reader who checks a vote against the printed page could
// not find it. It is left out, and a note says so, since it may have been put
// there to be read by machines alone.

const (
	maxGrounds = 2_000      // coloured areas remembered of one page
	maxLooks   = 20_000_000 // how often they are looked through
)

// colour follows the operators of the fill colour; false when op is none.
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

// isWhite reports whether a colour of so many numbers is that of paper: all
// light, or no ink.
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

// partsOf is how many numbers a colour has in a named space.
func (r *reader) partsOf(space string) int {
	if n := deviceParts[space]; n > 0 {
		return n
	}
	return partsIn(r.resources.Key("ColorSpace").Key(space))
}

// deviceParts are those of the device colour spaces (ISO 32000-1, 8.6.4).
var deviceParts = map[string]int{"DeviceGray": 1, "DeviceRGB": 3, "DeviceCMYK": 4}

// partsIn is how many numbers a colour has in a space in which they say how much
// light or ink there is; 0 for any other space.
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

// ground remembers an area that is painted in a colour: white letters show on it.
func (c *canvas) ground(b box) {
	if len(c.grounds) < maxGrounds && !b.empty() {
		c.grounds = append(c.grounds, b)
	}
}

// paintPath ends a path: what it was painted, and what it clips from now on.
func (r *reader) paintPath(op string) {
	switch op {
	case "f", "F", "f*", "B", "B*", "b", "b*":
		if !r.fill.white && !r.fill.clear {
			r.ground(r.bounds)
		}
	}
	if r.clipping && !r.bounds.empty() {
		r.clip = r.clip.within(r.bounds)
	}
	r.clipping, r.bounds = false, nowhere
}

// sees reports whether a glyph can be seen where it stands, as far as colour and
// clipping go. A glyph near the edge of the clip counts as seen.
func (r *reader) sees(g layout.Glyph) bool {
	const fillAndClip, clipOnly = 4, 7
	edge := box{r.clip.x0 - g.Size, r.clip.y0 - g.Size, r.clip.x1 + g.Size, r.clip.y1 + g.Size}
	switch {
	case r.mode == clipOnly, r.fill.clear, !edge.holds(g.X0, g.Y0) && !edge.holds(g.X1, g.Y1):
		return false
	case !r.fill.white || r.mode != 0 && r.mode != fillAndClip:
		return true
	}
	r.looks += len(r.grounds)
	if r.looks > maxLooks {
		return true
	}
	x, y := (g.X0+g.X1)/2, (g.Y0+g.Y1)/2-g.Size/4
	for _, b := range r.grounds {
		if b.holds(x, y) || b.holds(g.X0, g.Y0) {
			return true
		}
	}
	return false
}

// fewUnseen is up to how many letters left out are not worth a note.
const fewUnseen = 2

// unseenNote reports the letters that were left out of a page; ok is false when
// the page shows the same words besides.
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
	return Note{Page: number, Code: NoteUnseenText, Message: fmt.Sprintf("%d letters that the page does not show were left out: %q", letters, said)}, true
}

package pdftext

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/pdftext/pdffile"
)

// pageText is what one page gave. It crosses from the child as one line of JSON.
type pageText struct {
	Page    int    `json:"page"`
	Text    string `json:"text"`
	Letters int    `json:"letters"` // characters that are not blank
	Unknown int    `json:"unknown"` // of these, such as no font tells what they are
	Images  int    `json:"images"`
	Shapes  int    `json:"shapes"`
	Notes   []Note `json:"notes,omitempty"`
	Lost    bool   `json:"lost,omitempty"`   // not all of the page could be read
	TooBig  bool   `json:"tooBig,omitempty"` // because it draws more than a page can hold
}

// readPage makes the text of a page.
func readPage(f *pdffile.File, fonts *fontCache, off map[pdffile.Ref]bool, p pdffile.Page, number int) (out pageText) {
	out.Page = number
	lost := func(err error) {
		code := NoteDamaged
		if errors.Is(err, errPageTooBig) || errors.Is(err, pdffile.ErrTooLarge) {
			code, out.TooBig = NoteTooBig, true
		}
		out.Lost = true
		out.Notes = append(out.Notes, Note{Page: number, Code: code, Message: err.Error()})
	}
	defer func() {
		if r := recover(); r != nil {
			lost(fmt.Errorf("reading the page failed: %v", r))
		}
	}()
	c := &canvas{file: f, fonts: fonts, off: off}
	data, err := contents(f, p.Dict["Contents"])
	if err != nil {
		lost(err)
	}
	base := upright(p.Box, p.Rotate)
	if err := c.run(data, p.Resources, base, nil); err != nil {
		lost(err)
	}
	if err := c.annotations(p, base); err != nil {
		lost(err)
	}
	if c.damage != nil {
		lost(c.damage)
	}
	out.Images, out.Shapes = c.images, c.shapes
	out.set(c.glyphs, c.rules, p)
	return out
}

// set lays the glyphs out.
func (out *pageText) set(glyphs []glyph, rules []rule, p pdffile.Page) {
	glyphs, ocr := visible(glyphs, p)
	if ocr {
		out.Notes = append(out.Notes, Note{Page: out.Page, Code: NoteHiddenText, Message: "the page is an image with an invisible text layer"})
	}
	for _, g := range glyphs {
		if !g.blank {
			out.Letters++
		}
		if strings.Contains(g.text, noText) {
			out.Unknown++
		}
	}
	if out.Unknown > 0 {
		out.Notes = append(out.Notes, Note{Page: out.Page, Code: NoteUnknownGlyphs,
			Message: fmt.Sprintf("%d of %d characters have no text in their fonts", out.Unknown, out.Letters)})
	}
	var b strings.Builder
	for i, frame := range frames(glyphs) {
		if i > 0 {
			rules = nil
		}
		b.WriteString(layout(frame, rules))
	}
	out.Text = b.String()
}

// layout makes the text of glyphs that all run to the right.
func layout(glyphs []glyph, rules []rule) string {
	sort.Slice(rules, func(i, j int) bool { return rules[i].x < rules[j].x })
	ls := lines(words(withAccents(glyphs)))
	cutAll(ls, rules)
	return render(ls)
}

// visible drops what no reader sees: glyphs off the page, and invisible text
// except where it is all the text there is, as over a scan.
func visible(glyphs []glyph, p pdffile.Page) (out []glyph, ocr bool) {
	w, h := p.Box[2]-p.Box[0], p.Box[3]-p.Box[1]
	if p.Rotate == 90 || p.Rotate == 270 {
		w, h = h, w
	}
	shown, hidden := 0, 0
	for _, g := range glyphs {
		if g.blank {
			continue
		}
		if g.invisible {
			hidden++
		} else {
			shown++
		}
	}
	ocr = hidden > 0 && shown*10 < hidden
	out = glyphs[:0]
	for _, g := range glyphs {
		if g.invisible && !ocr {
			continue
		}
		slack := g.size
		if g.x1 < -slack || g.x0 > w+slack || g.y0 < -slack || g.y0 > h+slack {
			continue
		}
		out = append(out, g)
	}
	return out, ocr
}

// contents joins the content streams of a page. A blank between them keeps
// the last operator of one apart from the first of the next.
func contents(f *pdffile.File, o pdffile.Object) ([]byte, error) {
	if s := f.Stream(o); s != nil {
		return f.Data(s)
	}
	var out []byte
	var first error
	for _, o := range f.Array(o) {
		s := f.Stream(o)
		if s == nil {
			continue
		}
		data, err := f.Data(s)
		if err != nil && first == nil {
			first = err
		}
		out = append(append(out, data...), '\n')
	}
	return out, first
}

// annotations draws the fields and remarks that lie on the page, since a
// clerk may have filled in a form (ISO 32000-1, 12.5.5).
func (c *canvas) annotations(p pdffile.Page, base matrix) error {
	for i, o := range c.file.Array(p.Dict["Annots"]) {
		a := c.file.Dict(o)
		flags, _ := c.file.Int(a["F"])
		const hidden, noView = 1 << 1, 1 << 5
		kind := c.file.Name(a["Subtype"])
		if i > 2000 || flags&(hidden|noView) != 0 || kind != "Widget" && kind != "FreeText" && kind != "Stamp" {
			continue
		}
		normal := c.file.Resolve(c.file.Dict(a["AP"])["N"])
		if states, ok := normal.(pdffile.Dict); ok {
			normal = c.file.Resolve(states[c.file.Name(a["AS"])])
		}
		s, _ := normal.(*pdffile.Stream)
		rect, ok := c.file.Rect(a["Rect"])
		if s == nil || !ok {
			continue
		}
		if err := c.form(s, p.Resources, fit(c.file, s, rect).then(base), nil); err != nil {
			return err
		}
	}
	return nil
}

// fit moves the box of an annotation's picture onto its place on the page.
func fit(f *pdffile.File, s *pdffile.Stream, rect [4]float64) matrix {
	box, ok := f.Rect(s.Dict["BBox"])
	if !ok {
		return identity
	}
	m := matrixOf(f.Nums(s.Dict["Matrix"]))
	x0, y0 := m.apply(box[0], box[1])
	x1, y1 := x0, y0
	for _, c := range [][2]float64{{box[0], box[3]}, {box[2], box[1]}, {box[2], box[3]}} {
		x, y := m.apply(c[0], c[1])
		x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x), max(y1, y)
	}
	if x1-x0 <= 0 || y1-y0 <= 0 {
		return identity
	}
	sx, sy := (rect[2]-rect[0])/(x1-x0), (rect[3]-rect[1])/(y1-y0)
	return matrix{a: sx, d: sy, e: rect[0] - x0*sx, f: rect[1] - y0*sy}
}

package page

import (
	"math"

	"github.com/townline/townline/services/council-ingest/internal/pdftext/content"
	"github.com/townline/townline/services/council-ingest/internal/pdftext/fonts"
)

// beginMark opens a marked content sequence: it may be a layer that is
// switched off, or carry the text that its glyphs stand for.
func (r *reader) beginMark(args content.Operands) {
	m := mark{start: len(r.glyphs)}
	if len(args) > 1 {
		text, _ := args.Dict(1)["ActualText"].(string)
		if name := args.Name(1); name != "" {
			v := r.resources.Key("Properties").Key(name)
			m.hidden = args.Name(0) == "OC" && r.isOff(v)
			text = v.Key("ActualText").RawString()
		}
		if len(text) < 400 {
			m.text = fonts.TextString(text)
		}
	}
	if m.hidden {
		r.hidden++
	}
	if len(r.marks) < 10_000 {
		r.marks = append(r.marks, m)
	}
}

// endMark closes the sequence. Its ActualText is taken only where the glyphs
// themselves do not say what they are: what a page shows goes before what it claims.
func (r *reader) endMark() {
	if len(r.marks) == 0 {
		return
	}
	m := r.marks[len(r.marks)-1]
	r.marks = r.marks[:len(r.marks)-1]
	if m.hidden {
		r.hidden--
	}
	if m.text == "" || m.start >= len(r.glyphs) {
		return
	}
	shown := r.glyphs[m.start:]
	unknown := false
	for _, g := range shown {
		unknown = unknown || g.Text == fonts.NoText || g.Text == ""
		if math.Abs(g.Y0-shown[0].Y0) > g.Size/2 {
			return // runs over several lines
		}
	}
	if !unknown {
		return
	}
	for i := range shown {
		shown[i].Text, shown[i].Blank = "", true
		shown[i].Tied = i > 0
	}
	last := shown[len(shown)-1]
	shown[0].Text, shown[0].Blank = m.text, isBlank(m.text)
	shown[0].X1, shown[0].Y1 = last.X1, last.Y1
	r.glyphs = r.glyphs[:m.start+1]
}

package pdftext

import (
	"math"

	"github.com/townline/townline/services/council-ingest/internal/pdftext/pdffile"
)

// A mark is an open marked content sequence.
type mark struct {
	start  int // first glyph in it
	text   string
	hidden bool
}

// beginMark opens a marked content sequence: it may be a layer that is
// switched off, or carry the text that its glyphs stand for.
func (r *reader) beginMark(args []pdffile.Object) {
	m := mark{start: len(r.glyphs)}
	if len(args) > 1 {
		v := r.file.Value(args[1])
		if n := v.Name(); n != "" {
			v = r.resources.Option("Properties").Named(n)
		}
		m.hidden = name(args) == "OC" && r.isOff(v)
		if s := v.Key("ActualText").Text(); len(s) < 400 {
			m.text = textString(s)
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
		unknown = unknown || g.text == noText || g.text == ""
		if math.Abs(g.y0-shown[0].y0) > g.size/2 {
			return // runs over several lines
		}
	}
	if !unknown {
		return
	}
	for i := range shown {
		shown[i].text, shown[i].blank = "", true
		shown[i].tied = i > 0
	}
	last := shown[len(shown)-1]
	shown[0].text, shown[0].blank = m.text, isBlank(m.text)
	shown[0].x1, shown[0].y1 = last.x1, last.y1
	r.glyphs = r.glyphs[:m.start+1]
}

// isOff tells optional content that is not shown by default (ISO 32000-1, 8.11).
func (d *document) isOff(v pdffile.Value) bool {
	if d.off[v.Number()] {
		return true
	}
	if v.Key("Type").Name() != "OCMD" {
		return false
	}
	groups := v.Option("OCGs")
	if !groups.IsArray() {
		return d.off[groups.Number()]
	}
	for i := range groups.Len() {
		if !d.off[groups.Index(i).Number()] {
			return false
		}
	}
	return groups.Len() > 0
}

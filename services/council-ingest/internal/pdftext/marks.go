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
		o := args[1]
		if n, ok := o.(pdffile.Name); ok {
			o = r.file.Dict(r.resources["Properties"])[n]
		}
		m.hidden = name(args) == "OC" && r.isOff(o)
		if s := r.file.Str(r.file.Dict(o)["ActualText"]); len(s) < 400 {
			m.text = textString(string(s))
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

// isOff tells optional content that is not shown by default.
func (r *reader) isOff(o pdffile.Object) bool {
	if o == nil || len(r.off) == 0 {
		return false
	}
	if ref, ok := o.(pdffile.Ref); ok && r.off[ref] {
		return true
	}
	d := r.file.Dict(o)
	if r.file.Name(d["Type"]) != "OCMD" {
		return false
	}
	if ref, ok := d["OCGs"].(pdffile.Ref); ok {
		if r.off[ref] {
			return true
		}
	}
	groups := r.file.Array(d["OCGs"])
	for _, g := range groups {
		if ref, ok := g.(pdffile.Ref); !ok || !r.off[ref] {
			return false
		}
	}
	return len(groups) > 0
}

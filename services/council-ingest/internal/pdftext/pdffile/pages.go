package pdffile

import (
	"fmt"

	"github.com/ledongthuc/pdf"
)

// A Page is a page dictionary with the attributes it inherits (ISO 32000-1, 7.7.3.4).
type Page struct {
	pdf.Value
	Resources pdf.Value
	Box       [4]float64 // the visible part: x0, y0, x1, y1 in user space, x0 < x1, y0 < y1
	Rotate    int        // clockwise: 0, 90, 180 or 270
	crop      [4]float64
}

// letter is the page size if a file states none.
var letter = [4]float64{0, 0, 612, 792}

// maxDepth bounds the depth of the page tree.
const maxDepth = 100

// Pages returns the first pages, at most limit; more reports that there are others. If the file
// lacks pages that it says it has, it returns the others and an error.
func (f *File) Pages(limit int) (pages []Page, more bool, err error) {
	w := walker{limit: limit, seen: map[string]bool{}}
	root := f.root().Key("Pages")
	w.walk(root, Page{Box: letter}, 0)
	if n, count := len(w.pages), Int(root.Key("Count")); !w.more && (n == 0 || n < count) {
		err = fmt.Errorf("the file has %d of its %d pages", n, count)
	}
	return w.pages, w.more, err
}

type walker struct {
	limit int
	seen  map[string]bool // inner nodes
	pages []Page
	more  bool
}

// walk visits a node of the page tree, which inherits from p.
func (w *walker) walk(v pdf.Value, p Page, depth int) {
	if w.more || v.Kind() != pdf.Dict || depth > maxDepth {
		return
	}
	p.Value = v
	if r := v.Key("Resources"); !r.IsNull() {
		p.Resources = r
	}
	if box, ok := Rect(v.Key("MediaBox")); ok {
		p.Box = box
	}
	if crop, ok := Rect(v.Key("CropBox")); ok {
		p.crop = crop
	}
	if turn := v.Key("Rotate"); IsNumber(turn) {
		p.Rotate = ((Int(turn)/90*90)%360 + 360) % 360
	}
	kids := v.Key("Kids")
	switch {
	case kids.Kind() == pdf.Array:
		if id := ID(v); !w.seen[id] {
			w.seen[id] = true
			for i := range kids.Len() {
				w.walk(kids.Index(i), p, depth+1)
			}
		}
	case v.Key("Type").Name() != "Page" && v.Key("Contents").IsNull():
	case len(w.pages) >= w.limit:
		w.more = true
	default:
		p.cut()
		w.pages = append(w.pages, p)
	}
}

// cut reduces the box to what the crop box shows.
func (p *Page) cut() {
	c := [4]float64{max(p.crop[0], p.Box[0]), max(p.crop[1], p.Box[1]), min(p.crop[2], p.Box[2]), min(p.crop[3], p.Box[3])}
	if c[2]-c[0] > 1 && c[3]-c[1] > 1 {
		p.Box = c
	}
}

// IsNumber reports whether v is a number.
func IsNumber(v pdf.Value) bool { return v.Kind() == pdf.Integer || v.Kind() == pdf.Real }

// Int returns the whole part of a number, since some producers write counts as reals.
func Int(v pdf.Value) int {
	if x := v.Float64(); x > -1e15 && x < 1e15 {
		return int(x)
	}
	return 0
}

// Floats returns the elements of an array, 0 for each that is no number.
func Floats(v pdf.Value) []float64 {
	out := make([]float64, v.Len())
	for i := range out {
		out[i] = v.Index(i).Float64()
	}
	return out
}

// Rect returns a rectangle, whichever two corners it names; ok is false if it has no area.
func Rect(v pdf.Value) (box [4]float64, ok bool) {
	n := Floats(v)
	if len(n) < 4 {
		return box, false
	}
	box = [4]float64{min(n[0], n[2]), min(n[1], n[3]), max(n[0], n[2]), max(n[1], n[3])}
	return box, box[2] > box[0] && box[3] > box[1]
}

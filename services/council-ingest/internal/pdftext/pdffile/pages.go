package pdffile

// A Page is a page dictionary with the attributes it inherits (ISO 32000-1, 7.7.3.4).
type Page struct {
	Dict      Dict
	Resources Object     // a dictionary or a reference to one; nil without any
	Box       [4]float64 // the visible part: x0, y0, x1, y1 in user space, x0 < x1, y0 < y1
	Rotate    int        // clockwise: 0, 90, 180 or 270
}

// letter is the page size where a file states none.
var letter = [4]float64{0, 0, 612, 792}

// Pages lists the pages in order, at most limit of them; more tells that there
// were others. A node is visited once, and that the tree has another number of pages than it says is a flaw.
func (f *File) Pages(limit int) (pages []Page, more bool) {
	w := walker{file: f, limit: limit, seen: map[int]bool{}}
	root := f.Dict(f.Trailer["Root"])["Pages"]
	w.node(root, Dict{}, 0)
	said, ok := f.Int(f.Dict(root)["Count"])
	switch n := len(w.pages); {
	case w.more:
	case n == 0:
		f.lost("the file has no pages")
	case !ok && f.searched:
		f.lost("the file does not say how many pages it has")
	case !ok:
		f.mended("the file does not say how many pages it has")
	case n < said:
		f.lost("the file has %d pages and says that it has %d", n, said)
	case n > said:
		f.mended("the file has %d pages and says that it has %d", n, said)
	}
	return w.pages, w.more
}

type walker struct {
	file  *File
	limit int
	seen  map[int]bool
	pages []Page
	more  bool
	steps int
}

var inherited = []Name{"Resources", "MediaBox", "CropBox", "Rotate"}

func (w *walker) node(o Object, above Dict, depth int) {
	if w.more {
		return
	}
	if ref, ok := o.(Ref); ok {
		if w.seen[ref.Num] {
			return
		}
		w.seen[ref.Num] = true
	}
	w.steps++
	d := w.file.Dict(o)
	if d == nil || depth > maxDepth || w.steps > 20*w.limit+1000 {
		return
	}
	for k := range d {
		if meant, ok := misspelt(k, d, pageKeys); ok && !pageKeys[k] {
			w.file.lost("page %d or what is above it has a key %q that is /%s but for one bit", len(w.pages)+1, k, meant)
		}
	}
	attrs := Dict{}
	for _, k := range inherited {
		if w.file.Resolve(d[k]) != nil {
			attrs[k] = d[k]
		} else if v, ok := above[k]; ok {
			attrs[k] = v
		}
	}
	if kids := w.file.Array(d["Kids"]); kids != nil && w.file.Name(d["Type"]) != "Page" {
		for _, kid := range kids {
			w.node(kid, attrs, depth+1)
		}
		return
	}
	if t := w.file.Name(d["Type"]); t != "Page" && d["Contents"] == nil && t != "" {
		return
	}
	if len(w.pages) >= w.limit {
		w.more = true
		return
	}
	w.pages = append(w.pages, w.page(d, attrs))
}

func (w *walker) page(d, attrs Dict) Page {
	p := Page{Dict: d, Resources: attrs["Resources"], Box: letter}
	if box, ok := w.file.Rect(attrs["MediaBox"]); ok {
		p.Box = box
	}
	if crop, ok := w.file.Rect(attrs["CropBox"]); ok {
		cut := [4]float64{max(crop[0], p.Box[0]), max(crop[1], p.Box[1]), min(crop[2], p.Box[2]), min(crop[3], p.Box[3])}
		if cut[2]-cut[0] > 1 && cut[3]-cut[1] > 1 {
			p.Box = cut
		}
	}
	turn, _ := w.file.Int(attrs["Rotate"])
	p.Rotate = ((turn/90*90)%360 + 360) % 360
	return p
}

// Rect reads a rectangle, whichever two corners it names; ok is false if it has no area.
func (f *File) Rect(o Object) (box [4]float64, ok bool) {
	n := f.Nums(o)
	if len(n) < 4 {
		return box, false
	}
	box = [4]float64{min(n[0], n[2]), min(n[1], n[3]), max(n[0], n[2]), max(n[1], n[3])}
	return box, box[2]-box[0] > 0 && box[3]-box[1] > 0
}

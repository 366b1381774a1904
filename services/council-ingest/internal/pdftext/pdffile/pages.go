package pdffile

// A Page is a page dictionary with the attributes it inherits (ISO 32000-1, 7.7.3.4).
type Page struct {
	Value
	Resources Value
	Box       [4]float64 // the visible part: x0, y0, x1, y1 in user space, x0 < x1, y0 < y1
	Rotate    int        // clockwise: 0, 90, 180 or 270
	crop      [4]float64
}

// letter is the page size where a file states none.
var letter = [4]float64{0, 0, 612, 792}

// Pages lists the pages in order, at most limit of them; more reports that there
// were others. A node is visited once, and that the tree has another number of pages than it says is a flaw.
func (f *File) Pages(limit int) (pages []Page, more bool) {
	w := walker{file: f, limit: limit, seen: map[int]bool{}}
	root := f.Value(f.Trailer["Root"]).Key("Pages")
	if f.below(root) {
		f.lost("the catalogue leads to a part of the page tree")
	}
	w.node(root, Page{Box: letter}, 0)
	count := root.Key("Count")
	said, ok := count.Int(), count.IsNumber()
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

// below reports whether v, to which the catalogue leads, is within the page tree and not its root.
func (f *File) below(v Value) bool {
	above := v.Option("Parent")
	return v.Key("Type").Name() == "Page" || above.Key("Kids").IsArray() && above.Number() != v.Number()
}

type walker struct {
	file  *File
	limit int
	seen  map[int]bool
	pages []Page
	more  bool
	steps int
}

// node visits a node of the tree; above is what it inherits.
func (w *walker) node(v Value, above Page, depth int) {
	if w.more || v.number != 0 && w.seen[v.number] {
		return
	}
	w.seen[v.number] = true
	w.steps++
	if v.Dict() == nil || depth > maxDepth || w.steps > 20*w.limit+1000 {
		return
	}
	p := above
	p.Value = v
	if r := v.Key("Resources"); !r.IsNull() {
		p.Resources = r
	}
	if box, ok := v.Option("MediaBox").Rect(); ok {
		p.Box = box
	}
	if crop, ok := v.Option("CropBox").Rect(); ok {
		p.crop = crop
	}
	if turn := v.Option("Rotate"); !turn.IsNull() {
		p.Rotate = ((turn.Int()/90*90)%360 + 360) % 360
	}
	kind := v.Key("Type").Name()
	if kids := v.Key("Kids"); kids.IsArray() && kind != "Page" {
		kids.optional = true // the count says whether one is missing
		for i := range kids.Len() {
			w.node(kids.Index(i), p, depth+1)
		}
		return
	}
	if kind != "Page" && v.Key("Contents").IsNull() {
		return
	}
	if len(w.pages) >= w.limit {
		w.more = true
		return
	}
	p.cut()
	w.pages = append(w.pages, p)
}

// cut leaves of the paper what the crop box shows.
func (p *Page) cut() {
	c := [4]float64{max(p.crop[0], p.Box[0]), max(p.crop[1], p.Box[1]), min(p.crop[2], p.Box[2]), min(p.crop[3], p.Box[3])}
	if c[2]-c[0] > 1 && c[3]-c[1] > 1 {
		p.Box = c
	}
}

// Drawn identifies the stream that is all the content of the page; it is 0 where the content has several parts or none.
func (p Page) Drawn() int {
	streams := p.Key("Contents").list()
	if len(streams) != 1 {
		return 0
	}
	return streams[0].Number()
}

// Begin notes that page number n, from 1, is read now: what is found wrong from here on is a flaw of it. 0 is the file.
func (f *File) Begin(n int) { f.page = n }

// Hidden lists the layers that are not shown (ISO 32000-1, 8.11.4.3), by their numbers.
func (f *File) Hidden() map[int]bool {
	out := map[int]bool{}
	for _, v := range f.Value(f.Trailer["Root"]).Option("OCProperties").Key("D").Option("OFF").list() {
		out[v.Number()] = true
	}
	delete(out, 0) // what stands in place is no layer
	return out
}

// Producer is the program that wrote the file, as it calls itself.
func (f *File) Producer() string {
	return f.Value(f.Trailer["Info"]).Named("Producer").Text()
}

package pdffile

import (
	"bytes"
	"slices"
)

// Bounds on what a file may make the reader do. Each is far above what real
// files need and low enough that no file can stall a page.
const (
	maxChain   = 50        // references to references, previous tables, extended object streams
	maxObjects = 2_000_000 // object numbers
	maxStream  = 64 << 20  // bytes one stream may inflate to
	maxInflate = 512 << 20 // bytes all streams together may inflate to
	maxContent = 256 << 20 // bytes of the content of one page
)

// A File is an opened PDF: its objects are read when asked for, and kept.
// It is not safe for concurrent use.
type File struct {
	// Trailer is the file's trailer dictionary (for cross-reference streams, their dictionary).
	Trailer Dict

	data     []byte
	searched bool // the cross-reference was unusable, and the objects were looked for
	flaws    []Flaw
	page     int // that is being read; what is found wrong meanwhile is a flaw of it
	xref     map[int]entry
	objects  map[int]Object
	loading  map[int]bool
	packs    map[int]*pack // object streams, opened
	crypt    *crypt
	inflated int // bytes, against maxInflate
}

// An entry says where an object is: at an offset, or in an object stream.
type entry struct {
	offset int
	gen    int
	in     int // number of the object stream, or 0
	index  int // position in it
}

func (f *File) reset() {
	f.Trailer = Dict{}
	f.xref = map[int]entry{}
	f.clear()
}

// clear forgets the objects read so far, but not where they are.
func (f *File) clear() {
	f.objects = map[int]Object{}
	f.loading = map[int]bool{}
	f.packs = map[int]*pack{}
}

// object loads the object that ref names, null if there is none.
func (f *File) object(ref Ref) Object {
	if o, ok := f.objects[ref.Num]; ok {
		return o
	}
	e, ok := f.xref[ref.Num]
	if !ok || f.loading[ref.Num] {
		return nil
	}
	f.loading[ref.Num] = true
	defer delete(f.loading, ref.Num)

	var o Object
	switch {
	case e.in != 0:
		o, ok = f.packed(e.in, ref.Num, e.index)
	case e.offset < 0: // free
	default:
		var num int
		if num, o, ok = f.objectAt(e.offset); ok && num != ref.Num {
			o, ok = nil, false
		}
	}
	if !ok {
		f.lost("object %d is not where the table of contents says", ref.Num)
	}
	f.objects[ref.Num] = o
	return o
}

// has reports whether the file has an object of that number, be it null.
func (f *File) has(ref Ref) bool {
	e, ok := f.xref[ref.Num]
	return ok && (e.in != 0 || e.offset >= 0)
}

// objectAt reads "N G obj …" at an offset.
func (f *File) objectAt(offset int) (num int, o Object, ok bool) {
	l, ref, ok := f.headAt(offset)
	if !ok {
		return 0, nil, false
	}
	o = f.value(l, ref)
	if l.odd {
		f.lost("object %d is not well-formed", ref.Num)
	}
	return ref.Num, o, true
}

// headAt reads "N G obj" at an offset; the lexer stands behind it.
func (f *File) headAt(offset int) (l *Lexer, ref Ref, ok bool) {
	if offset < 0 || offset >= len(f.data) || offset > 0 && isDigit(f.data[offset-1]) {
		return nil, Ref{}, false
	}
	l = &Lexer{data: f.data, pos: offset, refs: true}
	n, _ := l.Next()
	g, _ := l.Next()
	k, _ := l.Next()
	num, ok1 := n.(int)
	gen, ok2 := g.(int)
	return l, Ref{num, gen}, ok1 && ok2 && k == Keyword("obj")
}

// value reads the value of an indirect object, of which the lexer stands behind "obj".
func (f *File) value(l *Lexer, ref Ref) Object {
	o, err := l.Next()
	switch v := o.(type) {
	case int: // may be "5 0 R endobj"
		save := l.pos
		g, _ := l.Next()
		if k, _ := l.Next(); k == Keyword("R") {
			if r, ok := refOf(v, g); ok {
				return r
			}
		}
		l.pos = save
	case Keyword:
		l.odd = l.odd || v != "null" && v != "endobj"
		return nil
	case Dict:
		k, _ := l.Next()
		if k != Keyword("stream") {
			// Some programs leave the end of objects out; anything but it or the next object is a part of the dictionary that got loose.
			_, next := k.(int)
			l.odd = l.odd || !next && k != Keyword("endobj") && k != Keyword("xref") && k != Keyword("trailer") && k != Keyword("startxref")
			break
		}
		start := l.pos
		if start < len(f.data) && f.data[start] == '\r' {
			start++
		}
		if start < len(f.data) && f.data[start] == '\n' {
			start++
		}
		s := &Stream{Dict: v, ref: ref}
		s.raw, s.state = f.rawStream(v, start)
		f.decrypted(v, ref) // in place
		return s
	}
	l.odd = l.odd || err != nil
	return f.decrypted(o, ref)
}

// rawStream is the undecoded bytes of a stream. Its /Length is believed only
// where "endstream" follows; else all up to there is the stream, line end and all: it may be part of a checksum.
func (f *File) rawStream(d Dict, start int) ([]byte, streamState) {
	rest := f.data[min(start, len(f.data)):]
	end := []byte("endstream")
	if v := f.Value(d["Length"]); v.IsNumber() && v.Int() >= 0 && v.Int() <= len(rest) {
		n := v.Int()
		tail := bytes.TrimLeft(rest[n:min(len(rest), n+32)], "\r\n \t\x00")
		if bytes.HasPrefix(tail, end) || bytes.HasPrefix(tail, []byte("endobj")) {
			return rest[:n], streamAsSaid
		}
	}
	n := bytes.Index(rest, end)
	if n < 0 {
		return rest, streamCut
	}
	return rest[:n], streamOtherLength
}

// A pack is an opened object stream.
type pack struct {
	data    []byte
	nums    []int
	offsets []int
}

// packed reads an object out of an object stream; ok reports whether it is there.
func (f *File) packed(in, num, index int) (o Object, ok bool) {
	p := f.pack(in)
	if p == nil {
		return nil, false
	}
	if index < 0 || index >= len(p.nums) || p.nums[index] != num {
		if index = slices.Index(p.nums, num); index < 0 {
			return nil, false
		}
	}
	l := &Lexer{data: p.data, pos: p.offsets[index], refs: true}
	o, err := l.Next()
	switch v := o.(type) {
	case Keyword:
		return nil, true
	case int:
		g, _ := l.Next()
		if k, _ := l.Next(); k == Keyword("R") {
			if r, ok := refOf(v, g); ok {
				return r, true
			}
		}
	}
	return o, err == nil && !l.odd
}

func (f *File) pack(num int) *pack {
	if p, ok := f.packs[num]; ok {
		return p
	}
	f.packs[num] = nil // a stream that needs itself finds nothing
	s := f.Value(Ref{Num: num})
	if !s.IsStream() {
		return nil
	}
	data, err := s.Data()
	if err != nil {
		f.lost("the objects packed in object %d are damaged: %v", num, err)
	}
	count, first := s.Key("N").Int(), s.Key("First").Int()
	if first < 0 || first > len(data) {
		f.lost("the objects packed in object %d begin at byte %d of %d", num, first, len(data))
		return nil
	}
	p := &pack{data: data}
	l := NewLexer(data[:first])
	for range min(count, len(data)) {
		n, _ := l.Next()
		off, err := l.Next()
		num, ok1 := n.(int)
		offset, ok2 := off.(int)
		if err != nil || !ok1 || !ok2 || offset < 0 || offset > len(data)-first {
			break
		}
		p.nums = append(p.nums, num)
		p.offsets = append(p.offsets, first+offset)
	}
	f.packs[num] = p
	return p
}

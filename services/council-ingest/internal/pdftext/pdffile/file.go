package pdffile

import (
	"bytes"
	"errors"
)

// Bounds on what a file may make the reader do. Each is far above what real
// files need and low enough that no file can stall a page.
const (
	maxChain   = 50        // references to references, previous tables, extended object streams
	maxObjects = 2_000_000 // object numbers
	maxStream  = 64 << 20  // bytes one stream may inflate to
	maxInflate = 512 << 20 // bytes all streams together may inflate to
)

var (
	// ErrNotPDF says that no PDF object could be found at all.
	ErrNotPDF = errors.New("not a pdf file")
	// ErrEncrypted says that the file wants a password, or a protection this reader does not know.
	ErrEncrypted = errors.New("pdf file is encrypted")
)

// A File is an opened PDF: its objects are read when asked for, and kept.
// It is not safe for concurrent use.
type File struct {
	// Trailer is the file's trailer dictionary (for cross-reference streams, their dictionary).
	Trailer Dict
	// Repaired tells that the cross-reference table was unusable and the
	// objects were found by looking for them.
	Repaired bool

	data     []byte
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

// Open reads the cross-reference of a file, or makes one where it is missing
// or wrong. It holds on to data, which must not change.
func Open(data []byte) (*File, error) {
	if i := bytes.Index(data[:min(len(data), 1<<20)], []byte("%PDF-")); i > 0 {
		data = data[i:] // offsets count from the header
	}
	f := &File{data: data}
	f.reset()
	if f.readXrefs() {
		if err := f.unlock(); err != nil {
			return nil, err
		}
		if f.whole() {
			return f, nil
		}
	}
	if !f.repair() {
		return nil, ErrNotPDF
	}
	if err := f.unlock(); err != nil {
		return nil, err
	}
	return f, nil
}

// whole tells that the way to the pages leads somewhere.
func (f *File) whole() bool {
	return f.Dict(f.Dict(f.Trailer["Root"])["Pages"]) != nil
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

// Repair makes the cross-reference anew by looking through the whole file. It
// is for callers who find that what the file's own table gives makes no sense.
// It tells whether there is a new table to try.
func (f *File) Repair() bool {
	return !f.Repaired && f.repair()
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
	if e.in != 0 {
		o = f.packed(e.in, ref.Num, e.index)
	} else {
		num, obj, ok := f.objectAt(e.offset)
		if ok && num == ref.Num {
			o = obj
		}
	}
	f.objects[ref.Num] = o
	return o
}

// objectAt reads "N G obj …" at an offset.
func (f *File) objectAt(offset int) (num int, o Object, ok bool) {
	if offset < 0 || offset >= len(f.data) {
		return 0, nil, false
	}
	l := &Lexer{data: f.data, pos: offset, refs: true}
	n, _ := l.Next()
	g, _ := l.Next()
	k, _ := l.Next()
	num, ok1 := n.(int)
	gen, ok2 := g.(int)
	if !ok1 || !ok2 || k != Keyword("obj") {
		return 0, nil, false
	}
	return num, f.value(l, Ref{num, gen}), true
}

// value reads the value of an indirect object, of which the lexer stands behind "obj".
func (f *File) value(l *Lexer, ref Ref) Object {
	o, _ := l.Next()
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
		return nil
	case Dict:
		save := l.pos
		if k, _ := l.Next(); k != Keyword("stream") {
			l.pos = save
			break
		}
		start := l.pos
		if start < len(f.data) && f.data[start] == '\r' {
			start++
		}
		if start < len(f.data) && f.data[start] == '\n' {
			start++
		}
		raw := f.rawStream(v, start)
		return &Stream{Dict: f.decrypted(v, ref).(Dict), raw: raw, ref: ref}
	}
	return f.decrypted(o, ref)
}

// rawStream is the undecoded bytes of a stream. Its /Length is believed only
// where "endstream" follows.
func (f *File) rawStream(d Dict, start int) []byte {
	rest := f.data[min(start, len(f.data)):]
	end := []byte("endstream")
	if n, ok := f.Int(d["Length"]); ok && n >= 0 && n <= len(rest) {
		tail := bytes.TrimLeft(rest[n:min(len(rest), n+32)], "\r\n \t\x00")
		if bytes.HasPrefix(tail, end) || bytes.HasPrefix(tail, []byte("endobj")) {
			return rest[:n]
		}
	}
	n := bytes.Index(rest, end)
	if n < 0 {
		return rest
	}
	raw := rest[:n]
	raw = bytes.TrimSuffix(raw, []byte("\n"))
	return bytes.TrimSuffix(raw, []byte("\r"))
}

// A pack is an opened object stream.
type pack struct {
	data    []byte
	nums    []int
	offsets []int
}

// packed reads an object out of an object stream.
func (f *File) packed(in, num, index int) Object {
	p := f.pack(in)
	if p == nil {
		return nil
	}
	if index >= len(p.nums) || p.nums[index] != num {
		index = -1
		for i, n := range p.nums {
			if n == num {
				index = i
			}
		}
		if index < 0 {
			return nil
		}
	}
	if p.offsets[index] > len(p.data) {
		return nil
	}
	l := &Lexer{data: p.data, pos: p.offsets[index], refs: true}
	o, _ := l.Next()
	switch v := o.(type) {
	case Keyword:
		return nil
	case int:
		g, _ := l.Next()
		if k, _ := l.Next(); k == Keyword("R") {
			if r, ok := refOf(v, g); ok {
				return r
			}
		}
	}
	return o
}

func (f *File) pack(num int) *pack {
	if p, ok := f.packs[num]; ok {
		return p
	}
	f.packs[num] = nil // a stream that needs itself finds nothing
	s := f.Stream(Ref{Num: num})
	if s == nil {
		return nil
	}
	data, _ := f.Data(s)
	count, _ := f.Int(s.Dict["N"])
	first, _ := f.Int(s.Dict["First"])
	p := &pack{data: data}
	l := NewLexer(data[:max(0, min(first, len(data)))])
	for range min(count, len(data)) {
		n, _ := l.Next()
		off, err := l.Next()
		num, ok1 := n.(int)
		offset, ok2 := off.(int)
		if err != nil || !ok1 || !ok2 || offset < 0 {
			break
		}
		p.nums = append(p.nums, num)
		p.offsets = append(p.offsets, first+offset)
	}
	f.packs[num] = p
	return p
}

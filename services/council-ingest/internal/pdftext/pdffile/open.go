package pdffile

import "bytes"

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
			f.checkTail()
			return f, nil
		}
	}
	return search(data)
}

// search opens a file by looking for its objects, whatever its own table says.
func search(data []byte) (*File, error) {
	f := &File{data: data}
	if !f.repair() {
		return nil, ErrNotPDF
	}
	f.mended("the table of contents is unusable; the objects were found by search")
	if err := f.unlock(); err != nil {
		return nil, err
	}
	f.checkTail()
	return f, nil
}

// Search opens the file anew by looking for its objects, for when its own table
// leads astray; nil if that was done before, or finds nothing.
func (f *File) Search() *File {
	if f.searched {
		return nil
	}
	again, err := search(f.data)
	if err != nil {
		return nil
	}
	return again
}

// checkTail finds objects behind the last end of the file. Each saving of a
// file ends with "startxref": where objects follow, the end of a saving is lost, and with it what that saving changed.
func (f *File) checkTail() {
	if i := bytes.LastIndex(f.data, []byte("startxref")); i >= 0 && bytes.Contains(f.data[i:], []byte(" obj")) {
		f.lost("the file goes on behind its last table of contents: its end is missing")
	}
}

// whole reports whether the way to the pages leads somewhere.
func (f *File) whole() bool {
	return f.Value(f.Value(f.Trailer["Root"]).Dict()["Pages"]).Dict() != nil
}

// repair finds the objects by looking for "N G obj" through the whole file;
// of an object written twice the later counts, as in an updated file.
func (f *File) repair() bool {
	f.reset()
	f.searched = true
	var packs []int
	for i := 0; ; {
		k := bytes.Index(f.data[i:], []byte("obj"))
		if k < 0 {
			break
		}
		at := i + k
		i = at + 3
		num, gen, start, ok := headBefore(f.data, at)
		if !ok || num >= maxObjects {
			continue
		}
		f.xref[num] = entry{offset: start, gen: gen}
		head := f.data[i:min(len(f.data), i+400)]
		if bytes.Contains(head, []byte("/ObjStm")) {
			packs = append(packs, num)
		}
		if bytes.Contains(head, []byte("/XRef")) {
			if _, o, ok := f.objectAt(start); ok {
				if s, ok := o.(*Stream); ok {
					f.addTrailer(s.Dict)
				}
			}
		}
	}
	for i := 0; ; {
		k := bytes.Index(f.data[i:], []byte("trailer"))
		if k < 0 {
			break
		}
		i += k + len("trailer")
		l := &Lexer{data: f.data, pos: i, refs: true}
		if o, _ := l.Next(); o != nil {
			if d, ok := o.(Dict); ok {
				f.addTrailer(d)
			}
		}
	}
	if f.unlock() == nil {
		f.repairPacks(packs)
	}
	if f.Value(f.Trailer["Root"]).Dict() == nil {
		f.findRoot()
	}
	return len(f.xref) > 0
}

func (f *File) addTrailer(d Dict) {
	for _, k := range []Name{"Root", "Encrypt", "ID", "Info"} {
		if v, ok := d[k]; ok && v != nil {
			f.Trailer[k] = v
		}
	}
}

// repairPacks finds the objects within object streams, of which the later in the file counts, too.
func (f *File) repairPacks(packs []int) {
	for _, num := range packs {
		p := f.pack(num)
		if p == nil {
			continue
		}
		at := f.xref[num].offset
		for i, n := range p.nums {
			e, ok := f.xref[n]
			if e.in != 0 {
				e = f.xref[e.in]
			}
			if (!ok || e.offset < at) && n >= 0 && n < maxObjects {
				f.xref[n] = entry{in: num, index: i}
			}
		}
	}
}

// findRoot looks for the catalogue, and for the name of the program that wrote
// the file, among the objects of a file without trailer.
func (f *File) findRoot() {
	root, info := -1, -1
	for num := range f.xref {
		d, _ := f.Value(Ref{Num: num}).object.(Dict)
		if f.Value(d["Type"]).Name() == "Catalog" {
			root = max(root, num)
		}
		if d["Type"] == nil && f.Value(d["Producer"]).Text() != "" {
			info = max(info, num)
		}
	}
	if root >= 0 {
		f.Trailer["Root"] = Ref{Num: root}
	}
	if info >= 0 && f.Trailer["Info"] == nil {
		f.Trailer["Info"] = Ref{Num: info}
	}
}

// headBefore reads the two numbers that stand before an "obj".
func headBefore(data []byte, at int) (num, gen, start int, ok bool) {
	i := at
	back := func() (n int, ok bool) {
		j := i
		for j > 0 && isSpace(data[j-1]) {
			j--
		}
		if j == i && i != at {
			return 0, false
		}
		end := j
		for j > 0 && isDigit(data[j-1]) && end-j < 10 {
			j--
		}
		for _, c := range data[j:end] {
			n = n*10 + int(c-'0')
		}
		i = j
		return n, end > j
	}
	if gen, ok = back(); !ok {
		return 0, 0, 0, false
	}
	num, ok = back()
	return num, gen, i, ok
}

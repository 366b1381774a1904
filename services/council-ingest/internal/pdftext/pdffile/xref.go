package pdffile

import "bytes"

// readXrefs follows startxref and the chain of older tables. It is false when
// any of it is unreadable; what was read so far must then not be trusted.
func (f *File) readXrefs() bool {
	i := bytes.LastIndex(f.data, []byte("startxref"))
	if i < 0 {
		return false
	}
	l := &Lexer{data: f.data, pos: i + len("startxref")}
	o, _ := l.Next()
	at, ok := o.(int)
	seen := map[int]bool{}
	for ok && !seen[at] {
		if len(seen) > maxChain*20 { // each saving of the file adds one
			return false
		}
		seen[at] = true
		if at < 0 || at >= len(f.data) {
			return false
		}
		trailer := f.readXref(at)
		if trailer == nil {
			return false
		}
		for k, v := range trailer { // the newest wins
			if _, old := f.Trailer[k]; !old {
				f.Trailer[k] = v
			}
		}
		if stm, hybrid := trailer["XRefStm"].(int); hybrid && !seen[stm] && stm > 0 && stm < len(f.data) {
			seen[stm] = true
			f.readXref(stm)
		}
		prev := f.Value(trailer["Prev"])
		at, ok = prev.Int(), prev.IsNumber()
	}
	return len(f.xref) > 0
}

// readXref reads one cross-reference section, table or stream, and gives its
// trailer; nil if there is none at the place.
func (f *File) readXref(at int) Dict {
	l := &Lexer{data: f.data, pos: at, refs: true}
	o, _ := l.Next()
	if o == Keyword("xref") {
		return f.readXrefTable(l)
	}
	_, o, ok := f.objectAt(at)
	s, isStream := o.(*Stream)
	if !ok || !isStream || f.Value(s.Dict["Type"]).Name() != "XRef" || !f.readXrefStream(s) {
		return nil
	}
	return s.Dict
}

func (f *File) readXrefTable(l *Lexer) Dict {
	for {
		o, err := l.Next()
		if err != nil {
			return nil
		}
		if o == Keyword("trailer") {
			t, _ := l.Next()
			d, _ := t.(Dict)
			return d
		}
		start, ok1 := o.(int)
		n, _ := l.Next()
		count, ok2 := n.(int)
		if !ok1 || !ok2 || start < 0 || count < 0 {
			return nil
		}
		for i := range count {
			save := l.pos
			off, _ := l.Next()
			gen, _ := l.Next()
			kind, err := l.Next()
			if err != nil {
				return nil
			}
			offset, ok1 := off.(int)
			g, ok2 := gen.(int)
			if !ok1 || !ok2 || kind != Keyword("n") && kind != Keyword("f") {
				l.pos = save // the count was too high
				break
			}
			num := start + i
			if i == 0 && start == 1 && offset == 0 && g == 65535 && kind == Keyword("f") {
				start = 0 // a known mistake: the table begins with object 0 but says 1
				num = 0
			}
			if _, newer := f.xref[num]; !newer && num < maxObjects {
				if kind == Keyword("n") {
					f.xref[num] = entry{offset: offset, gen: g}
				} else {
					f.xref[num] = entry{offset: -1}
				}
			}
		}
	}
}

func (f *File) readXrefStream(s *Stream) bool {
	v := f.Value(s)
	data, err := v.Data()
	w := v.Key("W")
	if err != nil || w.Len() < 3 {
		return false
	}
	var width [3]int
	for i := range width {
		width[i] = w.Index(i).Int()
		if width[i] < 0 || width[i] > 8 {
			return false
		}
	}
	total := width[0] + width[1] + width[2]
	if total == 0 {
		return false
	}
	index := v.Key("Index").list()
	if index == nil {
		index = []Value{{}, v.Key("Size")}
	}
	for ; len(index) >= 2; index = index[2:] {
		start, count := index[0].Int(), index[1].Int()
		for num := start; num < start+count && len(data) >= total; num++ {
			kind, b, c := 1, number(data[width[0]:width[0]+width[1]]), number(data[width[0]+width[1]:total])
			if width[0] > 0 {
				kind = number(data[:width[0]])
			}
			data = data[total:]
			if _, newer := f.xref[num]; newer || num < 0 || num >= maxObjects {
				continue
			}
			switch kind {
			case 0:
				f.xref[num] = entry{offset: -1}
			case 1:
				f.xref[num] = entry{offset: b, gen: c}
			case 2:
				f.xref[num] = entry{in: b, index: c}
			}
		}
	}
	return true
}

func number(b []byte) int {
	n := 0
	for _, c := range b {
		n = n<<8 | int(c)
	}
	return n
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

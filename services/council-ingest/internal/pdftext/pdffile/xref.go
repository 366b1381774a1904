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
			off, _ := l.Next()
			gen, _ := l.Next()
			kind, err := l.Next()
			if err != nil {
				return nil
			}
			offset, ok1 := off.(int)
			g, ok2 := gen.(int)
			if !ok1 || !ok2 || kind != Keyword("n") && kind != Keyword("f") {
				return nil // a row is missing, or the count is too high; a search knows which
			}
			num := start + i
			if i == 0 && start == 1 && offset == 0 && g == 65535 && kind == Keyword("f") {
				start = 0 // a known mistake: the table begins with object 0 but says 1
				num = 0
			}
			if kind == Keyword("n") {
				if _, is, ok := f.headAt(offset); ok && is.Num != num {
					return nil // of the object that is there an older writing would be read
				}
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
			kind, b, c := 1, bigEndian(data[width[0]:width[0]+width[1]]), bigEndian(data[width[0]+width[1]:total])
			if width[0] > 0 {
				kind = bigEndian(data[:width[0]])
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

// bigEndian is the number in the bytes of a field.
func bigEndian(b []byte) int {
	n := 0
	for _, c := range b {
		n = n<<8 | int(c)
	}
	return n
}

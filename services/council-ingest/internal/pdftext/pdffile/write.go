package pdffile

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
)

// A writer makes a plain PDF file. Object numbers are given out one by one, and
// every number that was given out has to be put.
type writer struct {
	data    []byte
	offsets []int // by object number; 0 until it is put
}

func (w *writer) begin() { w.data, w.offsets = append(w.data, header...), []int{0} }

// reserve gives out the numbers up to n.
func (w *writer) reserve(n int) {
	for len(w.offsets) <= n {
		w.next()
	}
}

func (w *writer) next() int {
	w.offsets = append(w.offsets, 0)
	return len(w.offsets) - 1
}

func (w *writer) put(n int, o Object) {
	w.open(n)
	w.data = append(appendObject(w.data, o), "\nendobj\n"...)
}

func (w *writer) stream(n int, d Dict, content []byte) {
	w.open(n)
	d["Length"] = len(content)
	w.data = append(appendObject(w.data, d), "\nstream\n"...)
	w.data = append(append(w.data, content...), "\nendstream\nendobj\n"...)
}

func (w *writer) open(n int) {
	w.offsets[n] = len(w.data)
	w.data = append(strconv.AppendInt(w.data, int64(n), 10), " 0 obj\n"...)
}

// end finishes the file.
func (w *writer) end() []byte {
	b := bytes.NewBuffer(w.data)
	at := b.Len()
	fmt.Fprintf(b, "xref\n0 %d\n0000000000 65535 f \n", len(w.offsets))
	for _, offset := range w.offsets[1:] {
		fmt.Fprintf(b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(w.offsets), at)
	return b.Bytes()
}

// appendObject writes an object as the standard wants it; the keys of a dictionary in their order.
func appendObject(out []byte, o Object) []byte {
	switch o := o.(type) {
	case bool:
		return strconv.AppendBool(out, o)
	case int:
		return strconv.AppendInt(out, int64(o), 10)
	case float64:
		from := len(out)
		if out = strconv.AppendFloat(out, o, 'f', -1, 64); !bytes.Contains(out[from:], []byte(".")) {
			out = append(out, ".0"...) // or it would count as an integer, and be too large for one
		}
		return out
	case Name:
		return appendName(out, o)
	case String:
		return appendString(out, o)
	case Ref:
		return append(strconv.AppendInt(out, int64(o.Num), 10), " 0 R"...)
	case Array:
		out = append(out, '[')
		for i, e := range o {
			if i > 0 {
				out = append(out, ' ')
			}
			out = appendObject(out, e)
		}
		return append(out, ']')
	case Dict:
		keys := make([]Name, 0, len(o))
		for k := range o {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		out = append(out, "<<"...)
		for _, k := range keys {
			out = appendObject(append(appendName(out, k), ' '), o[k])
		}
		return append(out, ">>"...)
	}
	return append(out, "null"...)
}

func appendName(out []byte, n Name) []byte {
	const hex = "0123456789ABCDEF"
	out = append(out, '/')
	for i := range len(n) {
		if c := n[i]; c <= ' ' || c > '~' || c == '#' || isDelim(c) {
			out = append(out, '#', hex[c>>4], hex[c&15])
		} else {
			out = append(out, c)
		}
	}
	return out
}

func appendString(out []byte, s String) []byte {
	out = append(out, '(')
	for i := range len(s) {
		switch c := s[i]; c {
		case '(', ')', '\\':
			out = append(out, '\\', c)
		case '\r': // bare, it would be read as \n
			out = append(out, `\r`...)
		default:
			out = append(out, c)
		}
	}
	return append(out, ')')
}

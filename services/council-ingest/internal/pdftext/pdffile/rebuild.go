package pdffile

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"github.com/ledongthuc/pdf"
)

// rebuild opens a file again whose cross-reference table or catalogue leads to no page: with a table
// made from the objects that the file has. It returns nil if that leads to no page either, or if
// some objects are encrypted or packed, which the new table would miss.
func (f *File) rebuild() *File {
	if !f.reader.Trailer().Key("Encrypt").IsNull() || bytes.Contains(f.data, []byte("/ObjStm")) {
		return nil
	}
	found := scan(f.data)
	if found.catalog > 0 {
		if g := f.with(found, ""); g != nil {
			return g
		}
	}
	// A catalogue of our own would show layers that the file's own hides.
	if len(found.trees) != 1 || bytes.Contains(f.data, []byte("/OCProperties")) {
		return nil
	}
	found.catalog = slices.Max(slices.Collect(maps.Keys(found.offsets))) + 1
	return f.with(found, fmt.Sprintf("%d 0 obj\n<< /Type /Catalog /Pages %d 0 R >>\nendobj\n", found.catalog,
		found.trees[0]))
}

// with opens the file with a new table and perhaps another catalogue. It returns nil if that leads
// to no page.
func (f *File) with(found objects, catalog string) *File {
	var b bytes.Buffer
	b.Write(f.data)
	b.WriteByte('\n')
	if catalog != "" {
		found.offsets[found.catalog] = b.Len()
		b.WriteString(catalog)
	}
	at, last := b.Len(), 0
	b.WriteString("xref\n0 1\n0000000000 65535 f \n")
	for _, n := range slices.Sorted(maps.Keys(found.offsets)) {
		fmt.Fprintf(&b, "%d 1\n%010d 00000 n \n", n, found.offsets[n])
		last = n
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root %d 0 R >>\nstartxref\n%d\n%%%%EOF", last+1, found.catalog, at)
	reader, err := pdf.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		return nil
	}
	g := &File{reader: reader, data: b.Bytes(), Rebuilt: true}
	if !g.hasPage() {
		return nil
	}
	return g
}

// hasPage reports whether the page tree leads to a page. A wrong offset makes the library panic.
func (f *File) hasPage() (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	w := walker{limit: 1, seen: map[string]bool{}}
	w.walk(f.tree(), Page{Box: letter}, 0)
	return len(w.pages) > 0
}

// objects are the objects of a file, as found by reading it from the beginning to its end.
type objects struct {
	offsets map[int]int // by number; the last object of a number counts
	catalog int         // 0 if there is none
	trees   []int       // roots of page trees
}

const maxObjects = 1_000_000

var (
	objectStart = regexp.MustCompile(`(?:^|[\r\n >])(\d{1,8})[ \r\n]+0[ \r\n]+obj\b`)
	isCatalog   = regexp.MustCompile(`/Type\s*/Catalog\b`)
	isTree      = regexp.MustCompile(`/Type\s*/Pages\b`)
)

// scan finds the objects of a file, but not what looks like one within a stream.
func scan(data []byte) objects {
	found := objects{offsets: map[int]int{}}
	for at := 0; at < len(data) && len(found.offsets) < maxObjects; {
		m := objectStart.FindSubmatchIndex(data[at:])
		if m == nil {
			break
		}
		n, _ := strconv.Atoi(string(data[at+m[2] : at+m[3]]))
		found.offsets[n] = at + m[2]
		at += m[1]
		body := data[at:]
		if end := bytes.Index(body, []byte("endobj")); end >= 0 {
			body = body[:end]
		}
		if s := bytes.Index(body, []byte("stream")); s >= 0 {
			end := bytes.Index(data[at+s:], []byte("endstream"))
			if end < 0 {
				break
			}
			body, at = body[:s], at+s+end
		}
		found.trees = slices.DeleteFunc(found.trees, func(tree int) bool { return tree == n })
		switch {
		case isCatalog.Match(body):
			found.catalog = n
		case isTree.Match(body) && !bytes.Contains(body, []byte("/Parent")):
			found.trees = append(found.trees, n)
		}
	}
	return found
}

package pdftext

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
)

// maker writes PDF files. It has the objects as text, in order.
type maker struct {
	objects []string // object n is objects[n-1]
	pages   []int
	fonts   string // entries in the font resources of every page
	extra   string // further entries in every page dictionary
	root    string // further entries in the catalogue
	plain   bool   // streams are not compressed
}

// newMaker returns a maker with the fonts Helvetica as /F1, its bold form as /F2, Times as /F3 and
// Courier as /F4.
func newMaker() *maker {
	m := &maker{objects: []string{"", ""}} // object 1 is the catalogue, object 2 the page tree; both are written last
	for i, base := range []string{"Helvetica", "Helvetica-Bold", "Times-Roman", "Courier"} {
		n := m.add(fmt.Sprintf("<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding >>", base))
		m.fonts += fmt.Sprintf("/F%d %d 0 R ", i+1, n)
	}
	return m
}

// add appends an object and returns its number.
func (m *maker) add(body string) int {
	m.objects = append(m.objects, body)
	return len(m.objects)
}

// stream appends a stream. It compresses the data unless m.plain is true.
func (m *maker) stream(dict, data string) int {
	if m.plain {
		return m.add(fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", dict, len(data), data))
	}
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	_, _ = w.Write([]byte(data)) // cannot fail, because it writes to memory
	_ = w.Close()
	return m.add(fmt.Sprintf("<< %s /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream", dict, z.Len(), z.String()))
}

// page appends a page of letter size with the given content.
func (m *maker) page(content string) {
	c := m.stream("", content)
	m.pages = append(m.pages, m.add(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] %s /Resources << "+
		"/Font << %s >> /XObject << %s >> >> /Contents %d 0 R >>",
		m.extra, m.fonts, m.forms(), c)))
}

// forms returns the resources that name each form object /X<n> by its number.
func (m *maker) forms() string {
	var b strings.Builder
	for i, o := range m.objects {
		if strings.Contains(o, "/Subtype /Form") || strings.Contains(o, "/Subtype /Image") {
			fmt.Fprintf(&b, "/X%d %d 0 R ", i+1, i+1)
		}
	}
	return b.String()
}

// bytes returns the finished file, with a classic cross-reference table.
func (m *maker) bytes() []byte {
	kids := ""
	for _, p := range m.pages {
		kids += fmt.Sprintf("%d 0 R ", p)
	}
	m.objects[0] = "<< /Type /Catalog /Pages 2 0 R " + m.root + " >>"
	m.objects[1] = fmt.Sprintf("<< /Type /Pages /Count %d /Kids [ %s] >>", len(m.pages), kids)
	return assemble(m.objects, "")
}

// assemble writes objects, cross-reference table and trailer.
func assemble(objects []string, trailer string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	offsets := make([]int, len(objects))
	for i, o := range objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	at := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, trailer, at)
	return b.Bytes()
}

// at returns content that shows s at a position, in the given font and size.
func at(x, y float64, font string, size float64, s string) string {
	return fmt.Sprintf("BT /%s %g Tf 1 0 0 1 %g %g Tm (%s) Tj ET\n", font, size, x, y, escape(s))
}

// escape writes a string as WinAnsi within parentheses.
func escape(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch r {
		case '(', ')', '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '’':
			b.WriteString(`\222`)
		case '–':
			b.WriteString(`\226`)
		default:
			if r < 0x80 {
				b.WriteRune(r)
			} else {
				fmt.Fprintf(&b, `\%03o`, r)
			}
		}
	}
	return b.String()
}

// voteBlock draws the table of a vote at (x, y) in the style of some producers: all labels come
// first, then all values. Wrapped lists are drawn line by line.
func voteBlock(x, y float64, rows ...[]string) string {
	var labels, values strings.Builder
	for _, row := range rows {
		labels.WriteString(at(x, y, "F2", 10, row[0]))
		for _, line := range row[1:] {
			values.WriteString(at(x+70, y, "F1", 10, line))
			y -= 12
		}
	}
	return labels.String() + values.String()
}

var sampleVote = [][]string{
	{"RESULT:", "ADOPTED [6 TO 1]"},
	{"MOVER:", "Kenneth Rosewood, Councilman"},
	{"SECONDER:", "Ana Rivera-Monteiro, Councilwoman"},
	{"AYES:", "Rosewood, Rivera-Monteiro, O’Keefe,", "Núñez, Rossel, Li"},
	{"NAYS:", "Marchbanks"},
}

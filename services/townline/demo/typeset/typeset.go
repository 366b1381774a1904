// Package typeset writes small PDF files: text in the base fonts, rules, boxes and grey pictures on letter-size pages.
//
// It exists so that the demo town can print its own minutes, and tests can read them back with a PDF reader that knows nothing
// of this writer. A file carries no time and no random id: the same calls give the same bytes. It lays nothing out; where text goes,
// and in which order it is drawn, is the caller's business, because the order is one of the things that readers must cope with.
//
// fonts.go has the widths of the fonts and line breaking; package clerk is the one that sets pages with it.
package typeset

import (
	"bytes"
	"compress/zlib"
	"crypto/md5"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/text/encoding/charmap"
)

// Letter-size page in points; the origin is its lower left corner.
const (
	PageWidth  = 612.0
	PageHeight = 792.0
)

// Doc is a PDF in the making. The zero value is an empty document.
type Doc struct {
	// Title goes into the document's information dictionary.
	Title string
	// Widths reports whether the file states how wide its characters are. The base fonts may leave that to the reader, and
	// old producers do.
	Widths bool
	pages  []*Page
}

// Page is one page of a Doc.
type Page struct {
	ops     bytes.Buffer
	picture *picture
}

type picture struct {
	width, height int
	grey          []byte
}

// AddPage appends an empty page.
func (d *Doc) AddPage() *Page {
	p := &Page{}
	d.pages = append(d.pages, p)
	return p
}

// Pages are the pages so far; page N of the file is Pages()[N-1].
func (d *Doc) Pages() []*Page { return d.pages }

// Text draws a text with its baseline starting at (x, y).
func (p *Page) Text(x, y float64, f Font, size float64, text string) {
	fmt.Fprintf(&p.ops, "BT /F%d %s Tf %s %s Td (", f, number(size), number(x), number(y))
	for _, b := range encode(text) {
		if b == '(' || b == ')' || b == '\\' {
			p.ops.WriteByte('\\')
		}
		p.ops.WriteByte(b)
	}
	p.ops.WriteString(") Tj ET\n")
}

// Rule draws a line half a point thick.
func (p *Page) Rule(x1, y1, x2, y2 float64) {
	fmt.Fprintf(&p.ops, "0.5 w %s %s m %s %s l S\n", number(x1), number(y1), number(x2), number(y2))
}

// Box fills a rectangle with a grey, 0 black to 1 white; text drawn afterwards is black again.
func (p *Page) Box(x, y, width, height, grey float64) {
	fmt.Fprintf(&p.ops, "%s g %s %s %s %s re f 0 g\n", number(grey), number(x), number(y), number(width), number(height))
}

// Picture covers the page with an image of width times height grey bytes, top row first. A page holds one.
func (p *Page) Picture(width, height int, grey []byte) {
	p.picture = &picture{width, height, grey}
	fmt.Fprintf(&p.ops, "q %s 0 0 %s 0 0 cm /Im Do Q\n", number(PageWidth), number(PageHeight))
}

func number(v float64) string {
	return strconv.FormatFloat(float64(int64(v*1000+0.5))/1000, 'f', -1, 64)
}

// Bytes is the finished file.
func (d *Doc) Bytes() ([]byte, error) {
	const catalog, tree, info, firstFont = 1, 2, 3, 4
	fonts := int(HelveticaBold) + 1
	firstPage := firstFont + fonts
	// Objects are numbered page by page: the page, its content, its picture.
	var objects [][]byte
	add := func(format string, args ...any) { objects = append(objects, fmt.Appendf(nil, format, args...)) }
	add("<< /Type /Catalog /Pages %d 0 R >>", tree)
	var kids bytes.Buffer
	n := firstPage
	for _, p := range d.pages {
		fmt.Fprintf(&kids, " %d 0 R", n)
		n += 2
		if p.picture != nil {
			n++
		}
	}
	add("<< /Type /Pages /Count %d /Kids [%s ] >>", len(d.pages), kids.String())
	add("<< /Title (%s) /Producer (Alder Bay clerk) >>", escape(d.Title))
	for f := Times; f <= HelveticaBold; f++ {
		add("<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding%s >>", faces[f].name, d.widths(f))
	}
	var resources bytes.Buffer
	for f := range fonts {
		fmt.Fprintf(&resources, " /F%d %d 0 R", f, firstFont+f)
	}
	z := zlib.NewWriter(nil)
	for _, p := range d.pages {
		own := len(objects) + 1
		image := ""
		if p.picture != nil {
			image = fmt.Sprintf(" /XObject << /Im %d 0 R >>", own+2)
		}
		add("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 %g %g] /Contents %d 0 R /Resources << /Font <<%s >>%s >> >>", tree, PageWidth, PageHeight, own+1, resources.String(), image)
		if err := stream(&objects, z, "", p.ops.Bytes()); err != nil {
			return nil, err
		}
		if i := p.picture; i != nil {
			head := fmt.Sprintf(" /Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray /BitsPerComponent 8", i.width, i.height)
			if err := stream(&objects, z, head, i.grey); err != nil {
				return nil, err
			}
		}
	}
	return file(objects, catalog, info), nil
}

// stream adds a compressed stream object; the compressor is used again for each.
func stream(objects *[][]byte, z *zlib.Writer, head string, content []byte) error {
	var packed bytes.Buffer
	z.Reset(&packed)
	if _, err := z.Write(content); err != nil {
		return fmt.Errorf("compress a PDF stream: %w", err)
	}
	if err := z.Close(); err != nil {
		return fmt.Errorf("compress a PDF stream: %w", err)
	}
	object := fmt.Appendf(nil, "<<%s /Filter /FlateDecode /Length %d >>\nstream\n", head, packed.Len())
	object = append(object, packed.Bytes()...)
	*objects = append(*objects, append(object, "\nendstream"...))
	return nil
}

// widths is the part of a font dictionary that states the widths of its characters, where the document wants it.
func (d *Doc) widths(f Font) string {
	if !d.Widths {
		return ""
	}
	var out bytes.Buffer
	out.WriteString(" /FirstChar 32 /LastChar 255 /Widths [")
	for b := 32; b < 256; b++ {
		fmt.Fprintf(&out, "%.0f ", Width(f, 1000, string(charmap.Windows1252.DecodeByte(byte(b)))))
	}
	out.WriteByte(']')
	return out.String()
}

// escape makes a text safe inside the parentheses of a PDF string.
func escape(text string) []byte {
	return []byte(strings.NewReplacer(`\`, `\\`, `(`, `\(`, `)`, `\)`).Replace(string(encode(text))))
}

// file joins the objects into a file with its cross-reference table. The file's id is the hash of its own bytes.
func file(objects [][]byte, catalog, info int) []byte {
	var out bytes.Buffer
	out.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	offsets := make([]int, len(objects))
	for i, object := range objects {
		offsets[i] = out.Len()
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	id := md5.Sum(out.Bytes())
	table := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, at := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root %d 0 R /Info %d 0 R /ID [<%x> <%x>] >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, catalog, info, id, id, table)
	return out.Bytes()
}

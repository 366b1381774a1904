package clerk

import (
	"bytes"
	"compress/zlib"
	"crypto/md5"
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/text/encoding/charmap"
)

// Letter-size page in points; the origin is its lower left corner.
const (
	pageWidth  = 612.0
	pageHeight = 792.0
)

// font is a standard font of PDF, by its PostScript name.
type font string

const (
	times         font = "Times-Roman"
	timesBold     font = "Times-Bold"
	helvetica     font = "Helvetica"
	helveticaBold font = "Helvetica-Bold"
)

// fonts returns the fonts of each file, in the order of their objects.
func fonts() []font { return []font{times, timesBold, helvetica, helveticaBold} }

// widths.json has the widths of the characters 32 to 255 of Windows-1252 in thousandths of the font
// size, from Adobe's font metrics.
//
//go:embed widths.json
var widthsJSON []byte

var widths = sync.OnceValue(func() map[font][]int {
	var all map[font][]int
	_ = json.Unmarshal(widthsJSON, &all) // it is embedded, and every test of a document reads it
	return all
})

// width returns the width of a text in points.
func (f font) width(size float64, text string) float64 {
	total := 0
	for _, b := range encode(text) {
		total += widths()[f][b-32]
	}
	return float64(total) * size / 1000
}

// wrap breaks a text at blanks into lines of at most a measure; a wider word is a line by itself.
func (f font) wrap(size, measure float64, text string) []string {
	var lines []string
	line, width, blank := "", 0.0, f.width(size, " ")
	for _, word := range strings.Fields(text) {
		w := f.width(size, word)
		switch {
		case line == "":
			line, width = word, w
		case width+blank+w > measure:
			lines = append(lines, line)
			line, width = word, w
		default:
			line, width = line+" "+word, width+blank+w
		}
	}
	return append(lines, line)
}

// encode returns a text in WinAnsiEncoding, with question marks for other characters.
func encode(text string) []byte {
	out := make([]byte, 0, len(text))
	for _, r := range text {
		b, ok := charmap.Windows1252.EncodeRune(r)
		if !ok || b < 32 {
			b = '?'
		}
		out = append(out, b)
	}
	return out
}

func literal(text string) string {
	return "(" + strings.NewReplacer(`\`, `\\`, `(`, `\(`, `)`, `\)`).Replace(string(encode(text))) + ")"
}

// pdfFile builds a PDF. It has no time and no random id: the same calls give the same bytes.
type pdfFile struct {
	title string
	// widths: the file states the widths of its characters. For standard fonts they are optional.
	widths  bool
	pages   []*pdfPage
	objects [][]byte
}

// pdfPage is a page, in drawing order.
type pdfPage struct {
	ops           bytes.Buffer
	columns, rows int // of the picture
	grey          []byte
}

func (d *pdfFile) addPage() *pdfPage {
	p := &pdfPage{}
	d.pages = append(d.pages, p)
	return p
}

// text draws a text with its baseline starting at (x, y).
func (p *pdfPage) text(x, y float64, f font, size float64, text string) {
	n := 0
	for fonts()[n] != f {
		n++
	}
	fmt.Fprintf(&p.ops, "BT /F%d %s Tf %s %s Td %s Tj ET\n", n, number(size), number(x), number(y), literal(text))
}

// rule draws a line half a point thick.
func (p *pdfPage) rule(x1, y1, x2, y2 float64) {
	fmt.Fprintf(&p.ops, "0.5 w %s %s m %s %s l S\n", number(x1), number(y1), number(x2), number(y2))
}

// box fills a rectangle with a grey, 0 black to 1 white; text drawn afterwards is black again.
func (p *pdfPage) box(x, y, width, height, grey float64) {
	fmt.Fprintf(&p.ops, "%s g %s %s %s %s re f 0 g\n", number(grey), number(x), number(y), number(width), number(height))
}

// picture covers the page with an image, top row first. A page holds one.
func (p *pdfPage) picture(columns, rows int, grey []byte) {
	p.columns, p.rows, p.grey = columns, rows, grey
	fmt.Fprintf(&p.ops, "q %s 0 0 %s 0 0 cm /Im Do Q\n", number(pageWidth), number(pageHeight))
}

func number(v float64) string {
	return strconv.FormatFloat(float64(int64(v*1000+0.5))/1000, 'f', -1, 64)
}

// add appends an object; its number is its place.
func (d *pdfFile) add(format string, args ...any) {
	d.objects = append(d.objects, fmt.Appendf(nil, format, args...))
}

// stream appends a compressed stream.
func (d *pdfFile) stream(head string, content []byte) error {
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, err := z.Write(content)
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		return fmt.Errorf("compress a PDF stream: %w", err)
	}
	d.add("<<%s /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream", head, packed.Len(), packed.Bytes())
	return nil
}

// bytes returns the file: catalog, page tree, information, fonts, and each page with its content
// and its picture.
func (d *pdfFile) bytes() ([]byte, error) {
	const tree = 2
	first := 4 + len(fonts())
	var kids, resources strings.Builder
	for n, i := first, 0; i < len(d.pages); i++ {
		fmt.Fprintf(&kids, " %d 0 R", n)
		n += 2
		if d.pages[i].grey != nil {
			n++
		}
	}
	d.add("<< /Type /Catalog /Pages %d 0 R >>", tree)
	d.add("<< /Type /Pages /Count %d /Kids [%s ] >>", len(d.pages), kids.String())
	d.add("<< /Title %s /Producer (Alder Bay clerk) >>", literal(d.title))
	for i, f := range fonts() {
		fmt.Fprintf(&resources, " /F%d %d 0 R", i, len(d.objects)+1)
		stated := ""
		if d.widths {
			stated = " /FirstChar 32 /LastChar 255 /Widths " + strings.Replace(fmt.Sprint(widths()[f]), "]", " ]", 1)
		}
		d.add("<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding%s >>", f, stated)
	}
	for _, p := range d.pages {
		own, image := len(d.objects)+1, ""
		if p.grey != nil {
			image = fmt.Sprintf(" /XObject << /Im %d 0 R >>", own+2)
		}
		d.add("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 %g %g] /Contents %d 0 R /Resources << /Font <<%s >>%s >> >>",
			tree, pageWidth, pageHeight, own+1, resources.String(), image)
		if err := d.stream("", p.ops.Bytes()); err != nil {
			return nil, err
		}
		if p.grey != nil {
			head := fmt.Sprintf(" /Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray "+
				"/BitsPerComponent 8", p.columns, p.rows)
			if err := d.stream(head, p.grey); err != nil {
				return nil, err
			}
		}
	}
	return d.join(), nil
}

// join returns the objects with a cross-reference table. The file's id is the hash of its bytes.
func (d *pdfFile) join() []byte {
	var out bytes.Buffer
	out.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	offsets := make([]int, len(d.objects))
	for i, object := range d.objects {
		offsets[i] = out.Len()
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	id := md5.Sum(out.Bytes())
	table := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(d.objects)+1)
	for _, at := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root 1 0 R /Info 3 0 R /ID [<%x> <%x>] >>\nstartxref\n%d\n%%%%EOF\n",
		len(d.objects)+1, id, id, table)
	return out.Bytes()
}

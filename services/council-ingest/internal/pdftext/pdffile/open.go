// Package pdffile opens PDF files with github.com/ledongthuc/pdf, and checks them. A file without
// header, end or cross-reference table is an error. Missing pages and wrong checksums of streams
// are reported.
//
// The library reads objects, cross-reference tables, streams and encryption. It trusts the file,
// does not report missing parts, and panics on malformed objects; package pdftext recovers from
// panics. So this package first checks header and end, counts pages, and reads each stream, within
// limits, up to its checksum.
package pdffile

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/ledongthuc/pdf"
)

var (
	// ErrMalformed means that a file is truncated or not a PDF.
	ErrMalformed = errors.New("malformed pdf")
	// ErrEncrypted means that a file needs a password, or has unsupported encryption.
	ErrEncrypted = errors.New("pdf file is encrypted")
)

// File is an open PDF. It is not safe for concurrent use.
type File struct {
	reader   *pdf.Reader
	data     []byte // bytes from header to end
	inflated int    // number of bytes inflated so far

	// Rebuilt says that the cross-reference table or the catalogue led to no page, and was made
	// again from the objects of the file.
	Rebuilt bool
}

// Open opens a file. It keeps data and may change it: the library rejects PDF 2.0, and blanks after
// the first line and after "startxref", which Crystal Reports writes (minutes of Pittsburgh), so
// Open corrects both lines in data.
func Open(data []byte) (*File, error) {
	start := bytes.Index(data[:min(len(data), 1<<20)], []byte("%PDF-"))
	last := bytes.LastIndex(data, []byte("%%EOF"))
	switch {
	case start < 0:
		return nil, fmt.Errorf("%w: no header", ErrMalformed)
	case last < start, bytes.Contains(data[last:], []byte(" obj")): // only the end of an earlier revision
		return nil, fmt.Errorf("%w: the end of the file is missing", ErrMalformed)
	}
	f := &File{data: data[start : last+len("%%EOF")]} // offsets count from the header
	copy(f.data, "%PDF-1.7\n")
	if table := bytes.LastIndex(f.data, []byte("startxref ")); table > 0 {
		f.data[table+len("startxref")] = '\n'
	}
	var err error
	f.reader, err = pdf.NewReader(bytes.NewReader(f.data), int64(len(f.data)))
	if err != nil {
		if strings.Contains(err.Error(), "encrypt") {
			return nil, fmt.Errorf("%w: %w", ErrEncrypted, err)
		}
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	// The library decrypts with a key of 16 bytes, whatever the length of the key is.
	if lock := f.reader.Trailer().Key("Encrypt"); !lock.IsNull() && lock.Key("Length").Int64() < 128 {
		return nil, fmt.Errorf("%w: key of less than 128 bits", ErrEncrypted)
	}
	if err := f.checkPacked(); err != nil || f.hasPage() {
		return f, err
	}
	if g := f.rebuild(); g != nil {
		return g, nil
	}
	return f, nil
}

func (f *File) Hidden() map[string]bool {
	out := map[string]bool{}
	off := f.root().Key("OCProperties").Key("D").Key("OFF")
	for i := range off.Len() {
		if layer := off.Index(i); !layer.IsNull() {
			out[ID(layer)] = true
		}
	}
	return out
}

func (f *File) root() pdf.Value { return f.reader.Trailer().Key("Root") }

// ID identifies an object. Objects with equal IDs have equal contents.
func ID(v pdf.Value) string { return v.String() }

// Page is a page dictionary with its inherited attributes (ISO 32000-1, 7.7.3.4).
type Page struct {
	pdf.Value
	Resources pdf.Value
	Box       [4]float64 // visible part in user space: x0, y0, x1, y1 with x0 < x1 and y0 < y1
	Rotate    int        // clockwise: 0, 90, 180 or 270
	crop      [4]float64
}

var letter = [4]float64{0, 0, 612, 792}

const maxDepth = 100

// Pages returns at most limit pages. more is true if there are others. If pages are missing, it
// returns the existing pages and an error.
func (f *File) Pages(limit int) (pages []Page, more bool, err error) {
	w := walker{limit: limit, seen: map[string]bool{}}
	root := f.tree()
	w.walk(root, Page{Box: letter}, 0)
	switch n, count := len(w.pages), Int(root.Key("Count")); {
	case n == 0:
		err = errors.New("its page tree leads to no page; a program that repairs PDFs, such as qpdf, may mend it")
	case !w.more && n < count:
		err = fmt.Errorf("the file has %d of its %d pages", n, count)
	}
	return w.pages, w.more, err
}

// tree returns the root of the page tree. Some catalogues name one of its branches.
func (f *File) tree() pdf.Value {
	root := f.root().Key("Pages")
	for range maxDepth {
		above := root.Key("Parent")
		if above.Key("Kids").Kind() != pdf.Array {
			break
		}
		root = above
	}
	return root
}

type walker struct {
	limit int
	seen  map[string]bool // inner nodes that were visited
	pages []Page
	more  bool
}

func (w *walker) walk(v pdf.Value, p Page, depth int) {
	if w.more || v.Kind() != pdf.Dict || depth > maxDepth {
		return
	}
	p.Value = v
	if r := v.Key("Resources"); !r.IsNull() {
		p.Resources = r
	}
	if box, ok := Rect(v.Key("MediaBox")); ok {
		p.Box = box
	}
	if crop, ok := Rect(v.Key("CropBox")); ok {
		p.crop = crop
	}
	if turn := v.Key("Rotate"); IsNumber(turn) {
		p.Rotate = ((Int(turn)/90*90)%360 + 360) % 360
	}
	kids := v.Key("Kids")
	switch {
	case kids.Kind() == pdf.Array:
		if id := ID(v); !w.seen[id] {
			w.seen[id] = true
			for i := range kids.Len() {
				w.walk(kids.Index(i), p, depth+1)
			}
		}
	case v.Key("Type").Name() != "Page" && v.Key("Contents").IsNull():
	case len(w.pages) >= w.limit:
		w.more = true
	default:
		p.cut()
		w.pages = append(w.pages, p)
	}
}

func (p *Page) cut() {
	c := [4]float64{max(p.crop[0], p.Box[0]), max(p.crop[1], p.Box[1]), min(p.crop[2], p.Box[2]), min(p.crop[3], p.Box[3])}
	if c[2]-c[0] > 1 && c[3]-c[1] > 1 {
		p.Box = c
	}
}

func IsNumber(v pdf.Value) bool { return v.Kind() == pdf.Integer || v.Kind() == pdf.Real }

// Int returns the integer part of a number, because some producers write counts as reals.
func Int(v pdf.Value) int {
	if x := v.Float64(); x > -1e15 && x < 1e15 {
		return int(x)
	}
	return 0
}

// Floats returns the elements of an array. An element that is not a number becomes 0.
func Floats(v pdf.Value) []float64 {
	out := make([]float64, v.Len())
	for i := range out {
		out[i] = v.Index(i).Float64()
	}
	return out
}

// Rect returns a rectangle from any two opposite corners. ok is false if it has no area.
func Rect(v pdf.Value) (box [4]float64, ok bool) {
	n := Floats(v)
	if len(n) < 4 {
		return box, false
	}
	box = [4]float64{min(n[0], n[2]), min(n[1], n[3]), max(n[0], n[2]), max(n[1], n[3])}
	return box, box[2] > box[0] && box[3] > box[1]
}

// ErrTooLarge means that a stream, or all streams of a file together, inflate beyond their limit.
var ErrTooLarge = errors.New("stream inflates beyond its limit")

const (
	maxStream  = 64 << 20  // bytes to which one stream may inflate
	maxInflate = 512 << 20 // bytes to which all streams of a file may inflate
)

// Data returns the decoded data of a stream, or nil for another value. For a damaged stream it
// returns the data before the damage, and an error.
func (f *File) Data(v pdf.Value) ([]byte, error) {
	if v.Kind() != pdf.Stream {
		return nil, nil
	}
	if !f.isClosed(v) {
		return nil, errors.New("the length of a stream is wrong")
	}
	limit := min(maxStream, maxInflate-f.inflated)
	var out bytes.Buffer
	n, err := out.ReadFrom(io.LimitReader(v.Reader(), int64(limit)+1)) // reads up to the checksum
	f.inflated += int(n)
	switch {
	case n > int64(limit):
		return out.Bytes()[:limit], ErrTooLarge
	case err != nil:
		return out.Bytes(), fmt.Errorf("read stream after %d bytes: %w", n, err)
	}
	return out.Bytes(), nil
}

// Content returns the content of a page. It inserts white space between the streams, because that
// separates operators.
func (f *File) Content(p Page) (out []byte, first error) {
	parts := p.Key("Contents")
	if parts.Kind() == pdf.Stream {
		return f.Data(parts)
	}
	for i := range parts.Len() {
		part := parts.Index(i)
		if part.Kind() != pdf.Stream {
			return out, errors.New("a part of the page's content is missing")
		}
		data, err := f.Data(part)
		if first == nil {
			first = err
		}
		out = append(append(out, data...), '\n')
	}
	return out, first
}

// isClosed reports whether a stream really ends at the length in its dictionary. The library trusts
// the length.
func (f *File) isClosed(v pdf.Value) bool {
	s := v.String()
	at, err := strconv.Atoi(s[strings.LastIndexByte(s, '@')+1:])
	end := at + Int(v.Key("Length"))
	if err != nil || at < 0 || end < at || end > len(f.data) {
		return false
	}
	tail := bytes.TrimLeft(f.data[end:min(len(f.data), end+32)], "\r\n \t\x00")
	return bytes.HasPrefix(tail, []byte("endstream")) || bytes.HasPrefix(tail, []byte("endobj"))
}

// checkPacked verifies the checksums of object streams and cross-reference streams, because the
// library does not read them to their ends.
func (f *File) checkPacked() error {
	for _, kind := range []string{"/ObjStm", "/XRef"} {
		if kind == "/ObjStm" && !f.reader.Trailer().Key("Encrypt").IsNull() {
			continue
		}
		for i := 0; ; {
			k := bytes.Index(f.data[i:], []byte(kind))
			if k < 0 {
				break
			}
			i += k + len(kind)
			head, body, _ := bytes.Cut(f.data[i:], []byte("stream"))
			if len(head) > 1000 || !bytes.Contains(head, []byte(">>")) {
				continue // the dictionary has no stream
			}
			zr, err := zlib.NewReader(bytes.NewReader(bytes.TrimLeft(body, "\r\n")))
			if err != nil {
				continue // the stream is not compressed
			}
			if n, err := io.Copy(io.Discard, io.LimitReader(zr, maxStream)); err != nil {
				return fmt.Errorf("%w: stream of objects after %d bytes: %w", ErrMalformed, n, err)
			}
		}
	}
	return nil
}

package gtfs

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"
)

// A Reader yields the rows of one file without allocations. It accepts a byte order mark, UTF-16,
// all kinds of line ends, quotes and line ends within cells, surrounding blanks, rows with too few
// or too many cells, blank rows, bytes in other encodings, and control characters.
type Reader struct {
	file   string
	src    io.Reader
	closer io.Closer
	decode *encoding.Decoder // for cells that are not UTF-8
	note   func(Finding)
	limits Limits

	// buf[pos:end] has the unparsed bytes. buf has eight bytes beyond end, so that scan can read whole
	// words.
	buf      []byte
	pos, end int
	row      int   // where the current row starts
	srcErr   error // io.EOF after the end of src
	read     int64 // bytes read from src

	separator byte // of cells
	header    []string
	known     []bool // by column: false if the file is in GTFS and the column is not
	padded    []padded
	formed    []formed // columns of the file whose type has a form
	blanks    bool     // a cell of the row has blanks around it
	crOnly    bool     // lines end in a carriage return only
	data      []byte   // what cells point into: buf, or scratch for a cleaned row
	isCopied  bool     // data is scratch
	hasQuotes bool     // a cell of the row is in quotes
	cells     []span
	dirty     []span // cells before clean
	scratch   []byte
	line      int // line where the current row starts
	nextLine  int
	recoded   bool
	broken    int // rows with an unclosed quote
	err       error
}

// span is the cell data[start:end]. padded says that surrounding blanks were removed. quotes is not
// quotesNone if the cell still has its quotes, and has more of them than the first and last character.
type span struct {
	start, end int32
	quotes     quotes
	padded     bool
}

// quotes says how the text of a cell has quotes.
type quotes byte

const (
	quotesNone    quotes = iota
	quotesDoubled        // each is written twice
	quotesEscaped        // each has a backslash before it
)

type padded struct{ count, line int }

const (
	maxFirstBuffer = 128 << 10
	// A file with more broken rows than this is not CSV.
	maxBroken = 1000
)

// NewReader reads rows from src, a file of about size bytes. It reads the header at once. Findings
// and errors name the file as in file.
func NewReader(file string, src io.Reader, size int64, opts Options) (*Reader, error) {
	enc, err := lookup(opts.Encoding)
	if err != nil {
		return nil, err
	}
	r := &Reader{
		file: file, decode: enc.NewDecoder(), note: opts.Note, limits: opts.Limits.orDefault(), separator: ',',
		buf: make([]byte, max(1<<10, min(size+64, maxFirstBuffer))), nextLine: 1,
	}
	if r.note == nil {
		r.note = func(Finding) {}
	}
	r.src, err = decodeWhole(src, opts.Encoding)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	_, r.recoded = r.src.(*transform.Reader)
	return r, r.readHeader()
}

func (r *Reader) readHeader() error {
	r.crOnly = r.endsInCR()
	if mark := []byte("\xEF\xBB\xBF"); bytes.HasPrefix(r.buf[r.pos:r.end], mark) { // some files have two
		r.pos += len(mark)
	}
	def, isTable := TableOf(r.file)
	if isTable {
		r.findHeader(def)
	}
	if !r.Next() {
		if r.err == nil {
			r.note(Finding{Code: "empty_file", File: r.file})
		}
		return r.err
	}
	seen := make(map[string]bool, len(r.cells))
	r.padded, r.blanks = make([]padded, len(r.cells)), false
	for i := range r.cells {
		name := string(r.Cell(i))
		if name == "" {
			r.note(Finding{Code: "empty_column_name", File: r.file, Line: r.line})
		}
		if lower := strings.ToLower(name); name != "" && seen[lower] {
			r.note(Finding{Code: "duplicated_column", File: r.file, Line: r.line, Field: name})
			name = ""
		} else {
			seen[lower] = true
		}
		r.header = append(r.header, name)
		column := def.Column(strings.ToLower(name))
		r.known = append(r.known, !isTable || column >= 0)
		if column >= 0 {
			r.addFormed(i, def.Columns[column].Type)
		}
	}
	return nil
}

// endsInCR reports whether the first line ends in a lone carriage return.
func (r *Reader) endsInCR() bool {
	for {
		i := bytes.IndexAny(r.buf[r.pos:r.end], "\r\n")
		if i >= 0 && r.buf[r.pos+i] == '\n' {
			return false
		}
		if i >= 0 && r.pos+i+1 < r.end {
			return r.buf[r.pos+i+1] != '\n'
		}
		if !r.fill() {
			return i >= 0
		}
	}
}

// Header returns the column names, without surrounding blanks. The name of a duplicate column is
// "".
func (r *Reader) Header() []string { return r.header }

// Recoded reports whether other programs may not be able to read the file: it was decoded from
// another encoding, such as UTF-16, or its cells are not separated by commas.
func (r *Reader) Recoded() bool { return r.recoded }

// Column returns the index of a column, ignoring case, or -1 if the file lacks it.
func (r *Reader) Column(name string) int {
	for i, h := range r.header {
		if strings.EqualFold(h, name) {
			return i
		}
	}
	return -1
}

// Cell returns a cell of the current row without surrounding blanks. It returns nil for index -1
// and for missing cells. The bytes are valid until Next.
func (r *Reader) Cell(i int) []byte {
	if uint(i) >= uint(len(r.cells)) {
		return nil
	}
	c := r.cells[i]
	return r.data[c.start:c.end]
}

// IsShort reports whether the current row has fewer cells than the header.
func (r *Reader) IsShort() bool { return len(r.cells) < len(r.header) }

// Line returns the line at which the current row starts, from 1.
func (r *Reader) Line() int { return r.line }

// Read returns the number of bytes read from the source.
func (r *Reader) Read() int64 { return r.read }

// Err returns the error that stopped Next, or nil at the end of the file.
func (r *Reader) Err() error { return r.err }

// Close closes the file. Later calls have no effect.
func (r *Reader) Close() error {
	if r.closer == nil {
		return nil
	}
	c := r.closer
	r.closer = nil
	return c.Close()
}

// Next moves to the next row that is not blank.
func (r *Reader) Next() bool {
	for r.err == nil {
		r.line = r.nextLine
		switch r.scan(false) {
		case rowClean:
			r.data, r.isCopied = r.buf, false
		case rowDirty:
			r.clean()
		case rowEnd:
			r.notePadded()
			r.noteForms()
			return false
		case rowBroken:
			r.broken++
			r.note(Finding{Code: "unclosed_quote", File: r.file, Line: r.line})
			if r.broken > maxBroken {
				r.err = unreadable("%s line %d: too many quotation marks that are never closed", r.file, r.line)
				return false
			}
			r.nextLine = r.line
			if s := r.scan(true); s == rowEnd || s == rowHuge {
				continue
			}
			r.clean()
		case rowHuge:
			continue
		}
		if len(r.cells) == 1 && r.cells[0].start == r.cells[0].end {
			continue
		}
		if r.nextLine-r.line > 1 {
			r.note(Finding{Code: "new_line_in_value", File: r.file, Line: r.line})
		}
		if n := len(r.header); n > 0 && len(r.cells) != n {
			r.checkLength(n)
		}
		if r.blanks {
			r.countPadded()
		}
		r.inForm()
		return true
	}
	return false
}

func (r *Reader) countPadded() {
	r.blanks = false
	for i := range min(len(r.cells), len(r.padded)) {
		if r.cells[i].padded {
			if r.padded[i].count == 0 {
				r.padded[i].line = r.line
			}
			r.padded[i].count++
		}
	}
}

// notePadded reports each column whose cells had surrounding blanks, at the end of the file.
func (r *Reader) notePadded() {
	for i, p := range r.padded {
		if p.count > 0 && r.known[i] {
			r.note(Finding{Code: "leading_or_trailing_whitespaces", File: r.file, Line: p.line, Field: r.header[i],
				Count: p.count})
		}
	}
	r.padded = nil
}

func (r *Reader) checkLength(n int) {
	if len(r.cells) < n {
		r.note(Finding{Code: "invalid_row_length", File: r.file, Line: r.line})
		return
	}
	for i := n; i < len(r.cells); i++ {
		if c := r.Cell(i); len(c) > 0 {
			r.note(Finding{Code: "invalid_row_length", File: r.file, Line: r.line, Value: c})
			break
		}
	}
	r.cells = r.cells[:n]
}

package gtfs

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
)

// A Reader yields the rows of one file. It copes with what real files hold: a byte
// order mark, UTF-16, either line end, quotes and line ends within cells, blanks
// around them, rows that are too short or too long, blank rows, bytes of other
// encodings, control characters. Rows cost no allocation.
type Reader struct {
	file   string
	src    io.Reader
	closer io.Closer
	decode *encoding.Decoder // of cells that are not UTF-8
	note   func(Finding)
	limits Limits

	// buf[pos:end] is read from src and not yet parsed. There are always eight
	// bytes of capacity beyond end, so that the scanner may read whole words.
	buf      []byte
	pos, end int
	srcErr   error // how src ended; io.EOF when well
	read     int64 // bytes read from src

	header   []string
	crOnly   bool   // lines end in a lone carriage return
	data     []byte // what cells point into: buf, or scratch for a row that had to be cleaned
	cells    []span
	cleaned  []span
	scratch  []byte
	line     int // where the current row starts
	nextLine int
	broken   int // rows read with their quotes as ordinary characters
	err      error
}

// span is a cell: data[start:end]. quoted tells that it still holds its quotes,
// because they are not simply the first and the last character.
type span struct {
	start, end int32
	quoted     bool
}

const (
	minBuffer = 128 << 10
	// Past this many broken quotes a file is not CSV.
	maxBroken = 1000
)

// NewReader reads rows from src, which is known as file in findings and errors.
// A nil note drops findings. The header row is read at once.
func NewReader(file string, src io.Reader, opts Options) (*Reader, error) {
	return newReader(file, src, minBuffer, opts)
}

// newReader is NewReader for a file of size bytes, if they are known.
func newReader(file string, src io.Reader, size int64, opts Options) (*Reader, error) {
	decode, err := decoder(opts.Encoding)
	if err != nil {
		return nil, err
	}
	r := &Reader{
		file: file, decode: decode, note: opts.Note, limits: opts.Limits.orDefault(),
		buf: make([]byte, max(1<<10, min(size+64, minBuffer))), nextLine: 1,
	}
	if r.note == nil {
		r.note = func(Finding) {}
	}
	if r.src, err = fromUnicode(src, opts.Encoding); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return r, r.readHeader()
}

func (r *Reader) readHeader() error {
	r.crOnly = r.endsInCR()
	if !r.Next() {
		if r.err == nil {
			r.note(Finding{Code: FileEmpty, File: r.file})
		}
		return r.err
	}
	seen := make(map[string]bool, len(r.cells))
	for i := range r.cells {
		name := string(r.Cell(i))
		if lower := strings.ToLower(name); name != "" && seen[lower] {
			r.note(Finding{Code: ColumnDuplicate, File: r.file, Line: r.line, Field: name})
			name = ""
		} else {
			seen[lower] = true
		}
		r.header = append(r.header, name)
	}
	return nil
}

// endsInCR tells whether the first line ends in a carriage return alone.
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

// Header returns the column names, trimmed; a name that came before is "".
func (r *Reader) Header() []string { return r.header }

// Column returns the index of a column, in whatever case the file writes it; -1 if
// the file lacks it.
func (r *Reader) Column(name string) int {
	for i, h := range r.header {
		if strings.EqualFold(h, name) {
			return i
		}
	}
	return -1
}

// Cell returns a cell of the current row, trimmed; nil for an index of -1 and for
// cells that the row lacks. It is valid until Next.
func (r *Reader) Cell(i int) []byte {
	if uint(i) >= uint(len(r.cells)) {
		return nil
	}
	c := r.cells[i]
	return r.data[c.start:c.end]
}

// Line returns the line at which the current row starts, from 1.
func (r *Reader) Line() int { return r.line }

// Read returns how many bytes were read from the source so far.
func (r *Reader) Read() int64 { return r.read }

// Err returns what stopped Next, nil at the end of the file.
func (r *Reader) Err() error { return r.err }

// Close ends the reading.
func (r *Reader) Close() error {
	if r.closer == nil {
		return nil
	}
	return r.closer.Close()
}

// Next moves to the next row that is not blank.
func (r *Reader) Next() bool {
	for r.err == nil {
		r.line = r.nextLine
		switch r.scan(false) {
		case rowClean:
			r.data = r.buf
		case rowDirty:
			r.clean()
		case rowEnd:
			return false
		case rowBroken:
			r.broken++
			r.note(Finding{Code: QuoteUnterminated, File: r.file, Line: r.line})
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
			continue // a blank row
		}
		if n := len(r.header); n > 0 && len(r.cells) != n {
			r.checkLength(n)
		}
		return true
	}
	return false
}

func (r *Reader) checkLength(n int) {
	if len(r.cells) < n {
		r.note(Finding{Code: RowShort, File: r.file, Line: r.line})
		return
	}
	for i := n; i < len(r.cells); i++ {
		if c := r.Cell(i); len(c) > 0 {
			r.note(Finding{Code: RowLong, File: r.file, Line: r.line, Value: c})
			break
		}
	}
	r.cells = r.cells[:n]
}

// What scan found.
type rowState int

const (
	rowClean  rowState = iota // cells point into buf and need no further work
	rowDirty                  // cells hold quotes, control characters, or bytes that are not ASCII
	rowBroken                 // a quote is not closed
	rowHuge                   // the row is beyond the limit and was skipped
	rowEnd
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
	lows  = 0x7f7f7f7f7f7f7f7f
)

// equal marks, with the high bit of each byte, the bytes of w that are c.
func equal(w uint64, c byte) uint64 {
	x := w ^ (ones * uint64(c))
	return ^(((x & lows) + lows) | x | lows)
}

// control marks the bytes of w below 0x20.
func control(w uint64) uint64 {
	return ^(((w & lows) + ones*0x60) | w) & highs
}

// scan splits the next row into cells and moves past it. With literal, quotes
// are ordinary characters. On rowBroken it has not moved.
//
// It reads eight bytes at a time and stops only at what matters: commas,
// quotes, control characters (line ends among them).
func (r *Reader) scan(literal bool) rowState {
	start, skipped := r.pos, false
again:
	r.cells = r.cells[:0]
	buf, end := r.buf, r.end
	cell := start // where the current cell starts
	dirty := false
	var high uint64
	i := start
	for i < end {
		w := binary.LittleEndian.Uint64(buf[i : i+8 : i+8])
		commas := equal(w, ',')
		stops := control(w)
		if !literal {
			stops |= equal(w, '"')
		}
		if stops != 0 {
			commas &= stops&-stops - 1
		}
		n := 8
		if stops != 0 {
			n = bits.TrailingZeros64(stops) >> 3
		}
		if rest := end - i; n >= rest {
			// The word reaches beyond what is there.
			if rest < 8 {
				commas &= 1<<(8*rest) - 1
				w &= 1<<(8*rest) - 1
			}
			n, stops = min(n, rest), 0
		}
		if n == 8 {
			high |= w
		} else {
			high |= w & (1<<(8*n) - 1)
		}
		for ; commas != 0; commas &= commas - 1 {
			p := i + bits.TrailingZeros64(commas)>>3
			r.addCell(cell, p)
			cell = p + 1
		}
		i += n
		if stops == 0 {
			continue
		}
		switch c := buf[i]; c {
		case '\n':
			r.addCell(cell, i)
			r.pos = i + 1
			r.nextLine++
			return r.rowState(dirty, high, start, i, skipped)
		case '\r':
			if r.crOnly {
				r.addCell(cell, i)
				r.pos = i + 1
				r.nextLine++
				return r.rowState(dirty, high, start, i, skipped)
			}
			i++ // trimmed at the end of a line, cleaned elsewhere
			if i < end && buf[i] != '\n' {
				dirty = true
			}
		case '"':
			if i-start >= r.limits.RowBytes || len(bytes.Trim(buf[cell:i], " \t")) > 0 {
				i++ // within a cell a quote is an ordinary character
				continue
			}
			inner := i + 1
			p, simple, ok := closing(buf[:end], inner)
			if !ok || p-start >= r.limits.RowBytes {
				i = end // either more is to be read, or it is never closed
				if ok || r.srcErr != nil || end-start >= r.limits.RowBytes {
					r.pos = start
					return rowBroken
				}
				continue
			}
			for _, c := range buf[inner:p] {
				high |= uint64(c)
				if c < ' ' {
					dirty = true
				}
			}
			r.nextLine += bytes.Count(buf[inner:p], []byte{'\n'})
			// What follows the closing quote, up to the comma or line end.
			q := p + 1
			for q < end && buf[q] != ',' && buf[q] != '\n' && (buf[q] != '\r' || !r.crOnly) {
				if buf[q] > ' ' {
					simple = false
				}
				high |= uint64(buf[q])
				q++
			}
			if q == end && r.srcErr == nil {
				i = end
				continue
			}
			if simple {
				r.addCell(inner, p)
			} else if dirty = true; len(r.cells) < r.limits.Columns {
				r.cells = append(r.cells, span{int32(i), int32(q), true})
			}
			if q < end && buf[q] == ',' {
				i, cell = q+1, q+1
				continue
			}
			r.pos = min(q+1, end)
			r.nextLine++
			return r.rowState(dirty, high, start, q, skipped)
		default:
			dirty = true
			i++
		}
	}
	// The row is not complete.
	if r.srcErr == nil {
		switch {
		case skipped || end-start >= r.limits.RowBytes:
			skipped, literal = true, true
			r.pos = end
		default:
			r.pos = start
			r.nextLine = r.line
		}
		r.fill()
		start = r.pos
		goto again
	}
	if start == end && !skipped {
		if r.srcErr != io.EOF {
			r.err = fmt.Errorf("%w: read %s line %d: %w", ErrUnreadable, r.file, r.line, r.srcErr)
		}
		return rowEnd
	}
	if r.srcErr != io.EOF { // half a row is no row
		r.pos = end
		return r.scan(literal)
	}
	r.addCell(cell, end)
	r.pos = end
	return r.rowState(dirty, high, start, end, skipped)
}

// rowState judges the row in buf[start:end].
func (r *Reader) rowState(dirty bool, high uint64, start, end int, skipped bool) rowState {
	switch {
	case skipped || end-start >= r.limits.RowBytes:
		r.note(Finding{Code: RowTooLong, File: r.file, Line: r.line})
		return rowHuge
	case dirty || high&highs != 0 || end-start > r.limits.CellBytes:
		return rowDirty
	}
	return rowClean
}

// closing finds the quote that closes a quoted cell whose text begins at i;
// simple tells that the text holds no doubled quotes.
func closing(buf []byte, i int) (p int, simple, ok bool) {
	simple = true
	for {
		n := bytes.IndexByte(buf[i:], '"')
		if n < 0 {
			return 0, false, false
		}
		i += n
		if i+1 < len(buf) && buf[i+1] == '"' {
			simple = false
			i += 2
			continue
		}
		return i, simple, true
	}
}

func (r *Reader) addCell(start, end int) {
	if len(r.cells) >= r.limits.Columns {
		return
	}
	buf := r.buf
	for start < end && buf[start] <= ' ' {
		start++
	}
	for start < end && buf[end-1] <= ' ' {
		end--
	}
	r.cells = append(r.cells, span{int32(start), int32(end), false})
}

// fill reads more into buf, keeping buf[pos:end]. It reports whether there is more.
func (r *Reader) fill() bool {
	if r.srcErr != nil {
		return false
	}
	if r.pos > 0 {
		copy(r.buf, r.buf[r.pos:r.end])
		r.end -= r.pos
		r.pos = 0
	}
	if len(r.buf)-r.end < len(r.buf)/4 {
		r.buf = append(r.buf, make([]byte, len(r.buf))...)
	}
	for range 100 {
		n, err := r.src.Read(r.buf[r.end : len(r.buf)-8])
		r.end += n
		r.read += int64(n)
		r.srcErr = err
		if n > 0 || err != nil {
			return n > 0
		}
	}
	r.srcErr = io.ErrNoProgress
	return false
}

// clean rewrites the cells of the current row into scratch: quotes undone, other
// encodings turned to UTF-8, control characters taken out, blanks of every
// kind trimmed, cells of absurd length emptied.
func (r *Reader) clean() {
	r.scratch = r.scratch[:0]
	r.cleaned = append(r.cleaned[:0], r.cells...)
	for i, c := range r.cleaned {
		text := r.buf[c.start:c.end]
		start := len(r.scratch)
		if c.quoted {
			r.scratch = unquote(r.scratch, text)
		} else {
			r.scratch = append(r.scratch, text...)
		}
		if len(r.scratch)-start > r.limits.CellBytes {
			r.note(Finding{Code: CellTooLong, File: r.file, Line: r.line, Field: r.field(i), Value: text[:64]})
			r.scratch = r.scratch[:start]
		}
		if cell := r.scratch[start:]; !utf8.Valid(cell) {
			r.note(Finding{Code: NotUTF8, File: r.file, Line: r.line, Field: r.field(i), Value: cell})
			r.scratch = appendDecoded(r.scratch[:start], r.decode, cell)
		}
		if cell := r.scratch[start:]; hasControl(cell) {
			r.note(Finding{Code: ControlCharacter, File: r.file, Line: r.line, Field: r.field(i), Value: cell})
			r.scratch = r.scratch[:start+len(dropControl(cell))]
		}
		trimmed := bytes.TrimSpace(r.scratch[start:])
		copy(r.scratch[start:], trimmed)
		r.scratch = r.scratch[:start+len(trimmed)]
		r.cells[i] = span{int32(start), int32(len(r.scratch)), false}
	}
	r.data = r.scratch
}

// field names a column for a finding.
func (r *Reader) field(i int) string {
	if i < len(r.header) {
		return r.header[i]
	}
	return ""
}

// unquote appends the text of a cell that starts with a quote: doubled quotes
// become one; what follows the closing quote is kept as it is.
func unquote(dst, cell []byte) []byte {
	cell = bytes.TrimRight(cell[1:], " \t\r")
	for {
		n := bytes.IndexByte(cell, '"')
		if n < 0 {
			return append(dst, cell...)
		}
		dst = append(dst, cell[:n]...)
		cell = cell[n+1:]
		if len(cell) == 0 || cell[0] != '"' {
			return append(dst, cell...)
		}
		dst = append(dst, '"')
		cell = cell[1:]
	}
}

// hasControl tells whether a cell holds control characters other than those of
// text on several lines.
func hasControl(cell []byte) bool {
	for _, c := range cell {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' {
			return true
		}
	}
	return false
}

func dropControl(cell []byte) []byte {
	kept := cell[:0]
	for _, c := range cell {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' {
			continue
		}
		kept = append(kept, c)
	}
	return kept
}

package gtfs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
)

type rowState int

const (
	rowClean  rowState = iota // the cells point into buf
	rowDirty                  // some cells have quotes, control characters or non-ASCII bytes
	rowBroken                 // a quote is never closed
	rowHuge                   // the row exceeds the limit and was skipped
	rowEnd
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
	lows  = 0x7f7f7f7f7f7f7f7f
)

// equal sets the high bit of each byte of w that equals c.
func equal(w uint64, c byte) uint64 {
	x := w ^ (ones * uint64(c))
	return ^(((x & lows) + lows) | x | lows)
}

// control sets the high bit of each byte of w below 0x20.
func control(w uint64) uint64 {
	return ^(((w & lows) + ones*0x60) | w) & highs
}

// scan splits the next row into cells and moves past it. If literal is true, quotes are ordinary
// characters. If it returns rowBroken, it has not moved.
//
// It reads eight bytes at a time and stops only at quotes and control characters, such as line ends
// and the sentinel that fill writes after the end of the buffer. It is long because its local
// variables would be too many parameters for smaller functions.
func (r *Reader) scan(literal bool) rowState {
	start, skipped := r.pos, false
again:
	r.cells = r.cells[:0]
	r.hasQuotes = false
	buf, end := r.buf, r.end
	separator := r.separator
	cell := start
	dirty := false
	var high uint64
	i := start
	for i < end {
		w := binary.LittleEndian.Uint64(buf[i : i+8 : i+8])
		stops := control(w)
		if !literal {
			stops |= equal(w, '"')
		}
		n := bits.TrailingZeros64(stops) >> 3 // 8 if no byte matches
		high |= w & (1<<(8*n) - 1)
		for commas := equal(w, separator) & (stops&-stops - 1); commas != 0; commas &= commas - 1 {
			p := i + bits.TrailingZeros64(commas)>>3
			r.addCell(cell, p)
			cell = p + 1
		}
		i += n
		if stops == 0 || i >= end {
			continue
		}
		c := buf[i]
		switch {
		case c == separator: // a tab
			r.addCell(cell, i)
			i++
			cell = i
		case c == '\n', c == '\r' && r.crOnly:
			r.addCell(cell, i)
			return r.endRow(dirty, high, start, i, skipped)
		case c == '\r':
			i++ // a control character: trimmed at the end of a line, removed by clean elsewhere
			if i < end && buf[i] != '\n' {
				dirty = true
			}
		case c == '"':
			if i-start >= r.limits.RowBytes || len(bytes.Trim(buf[cell:i], " \t")) > 0 {
				i++ // a quote inside a cell is an ordinary character
				continue
			}
			r.hasQuotes = true
			inner := i + 1
			p, form, ok := closingQuote(buf[:end], inner, separator)
			simple := form == quotesNone
			if !ok || p-start >= r.limits.RowBytes {
				i = end
				if ok || r.srcErr != nil || end-start >= r.limits.RowBytes {
					r.pos = start
					return rowBroken
				}
				continue
			}
			for _, c := range buf[inner:p] {
				high |= uint64(c)
				dirty = dirty || c < ' '
			}
			r.nextLine += bytes.Count(buf[inner:p], []byte{'\n'})
			// Skip text between the closing quote and the separator or line end.
			q := p + 1
			for q < end && buf[q] != separator && buf[q] != '\n' && (buf[q] != '\r' || !r.crOnly) {
				simple = simple && buf[q] <= ' '
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
				r.cells = append(r.cells, span{start: int32(i), end: int32(q), quotes: max(form, quotesDoubled)})
			}
			if q < end && buf[q] == separator {
				i, cell = q+1, q+1
				continue
			}
			return r.endRow(dirty, high, start, q, skipped)
		default:
			dirty = true
			i++
		}
	}
	if r.srcErr == nil {
		if skipped || end-start >= r.limits.RowBytes {
			skipped, literal = true, true
			r.pos = end
		} else {
			r.pos = start
			r.nextLine = r.line
		}
		r.fill()
		start = r.pos
		goto again
	}
	if !errors.Is(r.srcErr, io.EOF) { // the last row may be truncated
		r.pos = end
		r.err = fmt.Errorf("%w: read %s line %d: %w", ErrUnreadable, r.file, r.line, r.srcErr)
		return rowEnd
	}
	if start == end && !skipped {
		return rowEnd
	}
	r.addCell(cell, end)
	r.nextLine-- // the last row has no line end
	return r.endRow(dirty, high, start, end, skipped)
}

// endRow moves past the row buf[start:end] and classifies it.
func (r *Reader) endRow(dirty bool, high uint64, start, end int, skipped bool) rowState {
	r.row, r.pos = start, min(end+1, r.end)
	r.nextLine++
	switch {
	case skipped || end-start >= r.limits.RowBytes:
		r.note(Finding{Code: "row_too_long", File: r.file, Line: r.line})
		return rowHuge
	case dirty || high&highs != 0 || end-start > r.limits.CellBytes:
		return rowDirty
	}
	return rowClean
}

// closingQuote finds the quote that closes the cell whose text begins at i, and says how quotes in the
// text are written.
func closingQuote(buf []byte, i int, separator byte) (p int, form quotes, ok bool) {
	for begin := i; ; {
		n := bytes.IndexByte(buf[i:], '"')
		if n < 0 {
			return 0, quotesNone, false
		}
		i += n
		if isEscape(buf, begin, i, separator) {
			if p, ok, cut := closingEscaped(buf, i+1); ok || cut {
				return p, quotesEscaped, ok
			}
		}
		if i+1 < len(buf) && buf[i+1] == '"' {
			form = quotesDoubled
			i += 2
			continue
		}
		return i, form, true
	}
}

// isEscape reports whether the quote buf[i] has a backslash before it that marks it as text. CSV has
// no such backslashes, but some feeds do. A quote that can close the cell does close it, and of two
// quotes behind a backslash, the second one does if it can.
func isEscape(buf []byte, begin, i int, separator byte) bool {
	if !isOdd(buf[begin:i]) {
		return false
	}
	after := buf[i+1:]
	isDoubled := len(after) > 0 && after[0] == '"'
	if isDoubled {
		after = after[1:]
	}
	after = bytes.TrimLeft(after, " ")
	isLast := len(after) == 0 || after[0] == separator || after[0] == '\r' || after[0] == '\n'
	return isLast == isDoubled
}

// isOdd reports whether a text ends in an odd number of backslashes.
func isOdd(text []byte) bool { return (len(text)-len(bytes.TrimRight(text, `\`)))%2 == 1 }

// closingEscaped finds the next quote without a backslash, on the same line. cut is true if buf ends
// before.
func closingEscaped(buf []byte, i int) (p int, ok, cut bool) {
	for ; i < len(buf); i++ {
		switch buf[i] {
		case '\\':
			i++
		case '"':
			return i, true, false
		case '\n':
			return 0, false, false
		}
	}
	return 0, false, true
}

func (r *Reader) addCell(start, end int) {
	if len(r.cells) >= r.limits.Columns {
		return
	}
	buf := r.buf
	if start == end || buf[start] > ' ' && buf[end-1] > ' ' {
		r.cells = append(r.cells, span{start: int32(start), end: int32(end)})
		return
	}
	padded := false
	for start < end && buf[end-1] == '\r' {
		end--
	}
	for start < end && buf[start] <= ' ' {
		start++
		padded = true
	}
	for start < end && buf[end-1] <= ' ' {
		end--
		padded = true
	}
	r.blanks = r.blanks || padded
	r.cells = append(r.cells, span{start: int32(start), end: int32(end), padded: padded})
}

// fill reads more bytes into buf and keeps buf[pos:end]. It reports whether it read any.
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
	before := r.end
	r.srcErr = io.ErrNoProgress
	for range 100 {
		n, err := r.src.Read(r.buf[r.end : len(r.buf)-8])
		r.end += n
		if n > 0 || err != nil {
			r.srcErr = err
			break
		}
	}
	r.read += int64(r.end - before)
	r.buf[r.end] = '\n' // sentinel for scan
	return r.end > before
}

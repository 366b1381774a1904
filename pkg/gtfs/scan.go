package gtfs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
)

// Results of scan.
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
// It reads eight bytes at a time and stops only at commas,
// quotes and control characters (line ends among them).
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
			// The word reaches beyond the read bytes.
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
		if !errors.Is(r.srcErr, io.EOF) {
			r.err = fmt.Errorf("%w: read %s line %d: %w", ErrUnreadable, r.file, r.line, r.srcErr)
		}
		return rowEnd
	}
	if !errors.Is(r.srcErr, io.EOF) { // drop half a row
		r.pos = end
		return r.scan(literal)
	}
	r.addCell(cell, end)
	r.pos = end
	return r.rowState(dirty, high, start, end, skipped)
}

// rowState classifies the row in buf[start:end].
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
// simple means that the text has no doubled quotes.
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

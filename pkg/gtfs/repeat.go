package gtfs

import (
	"bytes"
	"slices"
)

// A row that repeats an earlier one, but for a few cells, need not be split into cells: a caller that
// finds its bytes in Unread moves past it with Skip.

// Plain returns the bytes of the current row, with its line end, if every row that has the same bytes
// around other cells would be read as this one is: without a finding, a repair or a line end in a cell.
// Otherwise it returns nil. The bytes are valid until Next.
func (r *Reader) Plain() []byte {
	if r.isCopied || r.crOnly || r.nextLine-r.line != 1 || len(r.cells) == 0 || len(r.cells) != len(r.header) ||
		slices.ContainsFunc(r.cells, func(c span) bool { return c.padded }) {
		return nil
	}
	row := r.buf[r.row:r.pos]
	_, last := r.Place(len(r.cells) - 1)
	if end := bytes.TrimLeft(row[last:], "\"\r"); string(end) != "\n" { // further cells, or the end of the file
		return nil
	}
	return row
}

// Place returns where the bytes of Plain have a cell.
func (r *Reader) Place(i int) (start, end int) {
	c := r.cells[i]
	return int(c.start) - r.row, int(c.end) - r.row
}

// Unread returns the bytes after the current row that are in memory. Their last row may be cut off.
func (r *Reader) Unread() []byte { return r.buf[r.pos:r.end] }

// Skip moves past a row of n bytes, with its line end. Line returns its line; its cells are not read.
func (r *Reader) Skip(n int) {
	r.pos += n
	r.line = r.nextLine
	r.nextLine++
}

// IsPlain reports whether a cell of a row of Plain, with or without quotes around it, can have these
// bytes.
func (r *Reader) IsPlain(cell []byte) bool {
	for _, c := range cell {
		if c < ' ' || c > '~' || c == '"' || c == r.separator {
			return false
		}
	}
	return len(cell) > 0 && cell[0] != ' ' && cell[len(cell)-1] != ' '
}

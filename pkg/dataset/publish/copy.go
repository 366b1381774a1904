package publish

import (
	"bytes"
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// copyRows calls row for each row of a query, with its cells as text. A null cell is nil. The cells
// are valid until row returns.
func copyRows(ctx context.Context, tx pgx.Tx, query string, columns int, row func(cells [][]byte) error) error {
	r := &rowWriter{cells: make([][]byte, columns), row: row}
	if _, err := tx.Conn().PgConn().CopyTo(ctx, r, "COPY ("+query+") TO STDOUT"); err != nil {
		return fmt.Errorf("copy: %w", err)
	}
	if len(r.rest) > 0 {
		return fmt.Errorf("copy: the last row has no end: %.40q", r.rest)
	}
	return nil
}

// A rowWriter splits the text format of COPY into rows.
type rowWriter struct {
	rest  []byte // beginning of a row whose end has not come yet
	cells [][]byte
	row   func(cells [][]byte) error
}

// Write implements io.Writer.
func (r *rowWriter) Write(p []byte) (int, error) {
	n := len(p)
	if len(r.rest) > 0 {
		r.rest = append(r.rest, p...)
		p = r.rest
	}
	for {
		line, rest, ok := bytes.Cut(p, []byte{'\n'})
		if !ok {
			r.rest = append(r.rest[:0], p...)
			return n, nil
		}
		if err := r.split(line); err != nil {
			return 0, err
		}
		p = rest
	}
}

func (r *rowWriter) split(line []byte) error {
	for i := range r.cells {
		cell, rest, more := bytes.Cut(line, []byte{'\t'})
		if more != (i < len(r.cells)-1) {
			return fmt.Errorf("a row does not have %d columns: %.80q", len(r.cells), line)
		}
		r.cells[i] = unescape(cell)
		line = rest
	}
	return r.row(r.cells)
}

// unescape decodes a cell in place.
func unescape(cell []byte) []byte {
	if string(cell) == `\N` {
		return nil
	}
	at := bytes.IndexByte(cell, '\\')
	if at < 0 {
		return cell
	}
	out := cell[:at]
	for i := at; i < len(cell); i++ {
		c := cell[i]
		if c == '\\' && i+1 < len(cell) {
			i++
			c = cell[i]
			if j := bytes.IndexByte([]byte("bfnrtv"), c); j >= 0 {
				c = "\b\f\n\r\t\v"[j]
			}
		}
		out = append(out, c)
	}
	return out
}

package stage

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/townline/townline/pkg/panics"
)

const chunk = 64 << 10

// Copy runs sql, a COPY … FROM STDIN in text format
// (https://www.postgresql.org/docs/current/sql-copy.html), with the rows of write. It fills a
// buffer while the previous buffer is sent. It returns the number of rows. If write fails, Copy
// returns that error, not the errors that follow from it.
func Copy(ctx context.Context, conn *pgconn.PgConn, sql string, write func(*Writer) error) (int64, error) {
	in, out := io.Pipe()
	written := make(chan error, 1)
	go func() {
		// A panic in write fails this COPY, not the process.
		err := panics.Safely(func() error {
			w := &Writer{out: out}
			if err := write(w); err != nil {
				return err
			}
			w.buf = w.buf[:len(w.buf)-len(w.head)]
			return w.flush()
		})
		_ = out.CloseWithError(err)
		written <- err
	}()
	tag, err := conn.CopyFrom(ctx, in, sql)
	_ = in.Close()
	if writeErr := <-written; writeErr != nil && !errors.Is(writeErr, io.ErrClosedPipe) {
		return 0, writeErr
	}
	if err != nil {
		return 0, fmt.Errorf("copy to the database: %w", err)
	}
	return tag.RowsAffected(), nil
}

// A Writer writes rows: one method call per column, then End, which returns errors from sending.
type Writer struct {
	out  io.Writer
	buf  []byte
	head []byte // start of every row
	rows int64
}

// Head makes every row start with the column n. Call it before the first row.
func (w *Writer) Head(n int) {
	w.Int(n)
	w.head = slices.Clone(w.buf)
}

// Int adds an integer column.
func (w *Writer) Int(n int) { w.buf = append(strconv.AppendInt(w.buf, int64(n), 10), '\t') }

// Nums adds a column for each number.
func (w *Writer) Nums(ns ...int32) {
	for _, n := range ns {
		w.Int(int(n))
	}
}

func (w *Writer) Null() { w.buf = append(w.buf, '\\', 'N', '\t') }

// Text adds a text column; empty text becomes NULL.
func (w *Writer) Text(cell []byte) {
	if len(cell) == 0 {
		w.Null()
		return
	}
	w.buf = append(appendEscaped(w.buf, cell), '\t')
}

// Bool adds a boolean column.
func (w *Writer) Bool(b bool) { w.buf = append(strconv.AppendBool(w.buf, b), '\t') }

// Bytes adds a bytea column.
func (w *Writer) Bytes(b []byte) { w.buf = append(hex.AppendEncode(append(w.buf, `\\x`...), b), '\t') }

// Ints adds an integer[] column for each list.
func (w *Writer) Ints(lists ...[]int32) {
	for _, ns := range lists {
		w.NullInts(ns, math.MinInt32)
	}
}

// NullInts adds an integer[] column; elements equal to none become NULL.
func (w *Writer) NullInts(ns []int32, none int32) {
	w.buf = append(w.buf, '{')
	for i, n := range ns {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		if n == none {
			w.buf = append(w.buf, "NULL"...)
		} else {
			w.buf = strconv.AppendInt(w.buf, int64(n), 10)
		}
	}
	w.buf = append(w.buf, '}', '\t')
}

// Texts adds a text[] column; empty elements become NULL.
func (w *Writer) Texts(cells [][]byte) {
	w.buf = append(w.buf, '{')
	for i, c := range cells {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		w.buf = appendElement(w.buf, c)
	}
	w.buf = append(w.buf, '}', '\t')
}

func (w *Writer) End() error {
	w.buf[len(w.buf)-1] = '\n'
	w.rows++
	var err error
	if len(w.buf) >= chunk {
		err = w.flush()
	}
	w.buf = append(w.buf, w.head...)
	return err
}

func (w *Writer) flush() error {
	_, err := w.out.Write(w.buf)
	w.buf = w.buf[:0]
	return err
}

// escapes are those of COPY. Cells have no other control characters.
var escapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`)

func appendEscaped(dst, cell []byte) []byte {
	for _, c := range [...]byte{'\\', '\n', '\r', '\t'} { // the lists of shapes are long: ContainsAny is slower
		if bytes.IndexByte(cell, c) >= 0 {
			return append(dst, escapes.Replace(string(cell))...)
		}
	}
	return append(dst, cell...)
}

// appendElement appends an element of an array literal, quoted if necessary. The literal's escapes
// are escaped again for COPY.
func appendElement(dst, cell []byte) []byte {
	switch {
	case len(cell) == 0:
		return append(dst, "NULL"...)
	case plainElement(cell):
		return append(dst, cell...)
	}
	dst = append(dst, '"')
	for len(cell) > 0 {
		i := bytes.IndexAny(cell, "\"\\")
		if i < 0 {
			dst = appendEscaped(dst, cell)
			break
		}
		dst = appendEscaped(dst, cell[:i])
		if cell[i] == '"' {
			dst = append(dst, '\\', '\\', '"')
		} else {
			dst = append(dst, '\\', '\\', '\\', '\\')
		}
		cell = cell[i+1:]
	}
	return append(dst, '"')
}

func plainElement(cell []byte) bool {
	if len(cell) == 4 && cell[0]|0x20 == 'n' {
		return false // it could be read as NULL
	}
	for _, c := range cell {
		switch {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '.', c == '-', c == '_', c == ':',
			c >= 0x80:
		default:
			return false
		}
	}
	return true
}

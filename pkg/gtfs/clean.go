package gtfs

import (
	"bytes"
	"unicode/utf8"
)

// clean rewrites the cells of the current row into scratch: it removes quotes, converts
// other encodings to UTF-8, removes control characters, trims blanks of every
// kind, and empties cells of absurd length.
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
		if cell := r.scratch[start:]; bytes.ContainsFunc(cell, isControl) {
			r.note(Finding{Code: ControlCharacter, File: r.file, Line: r.line, Field: r.field(i), Value: cell})
			r.scratch = append(r.scratch[:start], bytes.Join(bytes.FieldsFunc(cell, isControl), nil)...)
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

// isControl reports control characters other than those of text on several lines.
func isControl(c rune) bool { return c < ' ' && c != '\n' && c != '\r' && c != '\t' }

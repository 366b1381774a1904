package gtfs

import (
	"bytes"
	"unicode/utf8"
)

// clean copies the cells of the current row to scratch. It removes quotes, control characters and
// surrounding blanks, decodes to UTF-8, and empties cells that are too long.
func (r *Reader) clean() {
	r.scratch = r.scratch[:0]
	r.dirty = append(r.dirty[:0], r.cells...)
	for i, c := range r.dirty {
		text := r.buf[c.start:c.end]
		start := len(r.scratch)
		note := func(code Code, effect Effect, value []byte) {
			f := Finding{Code: code, Effect: effect, File: r.file, Line: r.line, Value: value}
			if i < len(r.header) {
				f.Field = r.header[i]
			}
			r.note(f)
		}
		switch c.quotes {
		case quotesNone:
			r.scratch = append(r.scratch, text...)
		case quotesDoubled:
			r.scratch = unquote(r.scratch, text)
		case quotesEscaped:
			r.scratch = unescape(r.scratch, text)
			note("backslash_quote", "", text)
		}
		// Columns that GTFS does not define may contain long geometries.
		if len(r.scratch)-start > r.limits.CellBytes && (i >= len(r.known) || r.known[i]) {
			note("cell_too_long", "", text[:64])
			r.scratch = r.scratch[:start]
		}
		if cell := r.scratch[start:]; !utf8.Valid(cell) {
			note("invalid_character", "", cell)
			r.scratch = appendDecoded(r.scratch[:start], r.decode, cell)
		} else if bytes.ContainsRune(cell, utf8.RuneError) { // other programs could not read it
			note("invalid_character", Noted, cell)
		}
		if cell := r.scratch[start:]; bytes.ContainsFunc(cell, isControl) {
			note("control_character", "", cell)
			r.scratch = append(r.scratch[:start], bytes.Join(bytes.FieldsFunc(cell, isControl), nil)...)
		}
		trimmed := bytes.TrimSpace(r.scratch[start:])
		copy(r.scratch[start:], trimmed)
		r.scratch = r.scratch[:start+len(trimmed)]
		r.cells[i] = span{start: int32(start), end: int32(len(r.scratch)), padded: c.padded}
	}
	r.data, r.isCopied = r.scratch, true
}

// unquote appends the text of a quoted cell. It unescapes doubled quotes and keeps text after the
// closing quote.
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

// unescape appends the text of a cell whose quotes have backslashes, and keeps text after the closing
// quote.
func unescape(dst, cell []byte) []byte {
	cell = bytes.TrimRight(cell[1:], " \t\r")
	for i := 0; i < len(cell); i++ {
		switch {
		case cell[i] == '"':
			return append(dst, cell[i+1:]...)
		case cell[i] == '\\' && i+1 < len(cell) && (cell[i+1] == '"' || cell[i+1] == '\\'):
			i++
		}
		dst = append(dst, cell[i])
	}
	return dst
}

// isControl includes the zero-width blank and the byte order mark, which no text needs.
func isControl(c rune) bool {
	return c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == '\u200b' || c == '\ufeff'
}

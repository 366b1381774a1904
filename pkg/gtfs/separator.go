package gtfs

import (
	"bytes"
	"strings"
)

// separators are the bytes that separate cells, with their names.
var separators = map[byte]string{',': "commas", ';': "semicolons", '\t': "tabs", '|': "pipes"}

// maxPreamble bounds the lines before the header.
const maxPreamble = 20

// findHeader moves to the line with the header of a table, and finds out what separates its cells:
// that which gives the most columns of the table. Before the header it skips comments and the line
// sep=; of Excel.
func (r *Reader) findHeader(def Table) {
	for range maxPreamble {
		line, next := r.firstLine()
		if len(bytes.TrimSpace(line)) == 0 && next > 0 {
			r.skipLine(next)
			continue
		}
		best, columns := byte(','), countColumns(def, line, ',')
		for _, c := range []byte(";\t|") {
			if n := countColumns(def, line, c); n > columns {
				best, columns = c, n
			}
		}
		named, isNamed := bytes.CutPrefix(bytes.ToLower(bytes.Trim(line, "\" \r\n")), []byte("sep="))
		if columns > 0 || next == 0 || line[0] != '#' && !(isNamed && len(named) <= 1) {
			r.useSeparator(best)
			return
		}
		r.note(Finding{Code: "line_before_header", File: r.file, Line: r.nextLine, Value: line[:min(len(line), 64)]})
		r.recoded = true
		r.skipLine(next)
	}
}

func (r *Reader) skipLine(next int) {
	r.pos += next
	r.nextLine++
}

func (r *Reader) useSeparator(c byte) {
	r.separator = c
	if c == ',' {
		return
	}
	r.recoded = true
	r.note(Finding{Code: "wrong_separator", File: r.file, Line: r.nextLine,
		Value: []byte("separated by " + separators[c])})
}

// firstLine returns the first line in the buffer, and the offset of the next line; 0 if there is
// none.
func (r *Reader) firstLine() (line []byte, next int) {
	end := byte('\n')
	if r.crOnly {
		end = '\r'
	}
	for {
		if i := bytes.IndexByte(r.buf[r.pos:r.end], end); i >= 0 {
			return r.buf[r.pos : r.pos+i], i + 1
		}
		if r.end-r.pos >= r.limits.CellBytes || !r.fill() {
			return r.buf[r.pos:r.end], 0
		}
	}
}

func countColumns(def Table, line []byte, separator byte) (n int) {
	for name := range bytes.SplitSeq(line, []byte{separator}) {
		if def.Column(strings.ToLower(strings.Trim(string(name), "\" \t\r"))) >= 0 {
			n++
		}
	}
	return n
}

package walk

import (
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/rows"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// findOutline returns how the headings of the top level are numbered: NoMark if they are not.
func findOutline(doc *rows.Doc) shape.Kind {
	type chain struct{ last, length, first, ones, indent int }
	chains := map[shape.Kind]*chain{shape.Roman: {}, shape.Letter: {}, shape.Number: {}}
	step := func(kind shape.Kind, value, line int) {
		c := chains[kind]
		if value == 1 && (c.ones == 0 || doc.Rows[line].Indent <= c.indent+1) {
			c.ones++
		}
		switch {
		case c.length == 0 && value == 1:
			c.last, c.length, c.first, c.indent = 1, 1, line, doc.Rows[line].Indent
		case c.length > 0 && value == c.last+1:
			c.last, c.length = value, c.length+1
		}
	}
	for i, over := 0, false; i < len(doc.Rows) && !over; i++ {
		over = dialect.IsAdjourn(doc.Rows[i].Text)
		m, ok := doc.MarkerAt(i)
		if !ok || m.Style != shape.NoStyle { // only items are numbered so
			continue
		}
		switch m.Kind {
		case shape.Roman:
			if m.Value > 1 || chains[shape.Letter].last != 8 || chains[shape.Roman].length > 0 { // I. after H. is a letter
				step(shape.Roman, m.Value, i)
			}
			if m.Also > 0 {
				step(shape.Letter, m.Also, i)
			}
		case shape.Letter, shape.Number:
			step(m.Kind, m.Value, i)
		}
	}
	if n := chains[shape.Roman].length; n >= 2 || n == 1 && chains[shape.Letter].length < 3 {
		return shape.Roman
	}
	best := shape.NoMark
	for _, k := range []shape.Kind{shape.Letter, shape.Number} {
		// What begins again and again, or with an item, is no outline.
		if c := chains[k]; c.length >= 3 && c.ones <= 1 && isOpening(doc, c.first) && (best == shape.NoMark || c.first < chains[best].first) {
			best = k
		}
	}
	return best
}

// isOpening reports whether the heading at line i begins a meeting.
func isOpening(doc *rows.Doc, i int) bool {
	text := doc.Rows[i].Text
	if m, _ := doc.MarkerAt(i); m.Text == "" {
		if next := doc.Next(i + 1); next >= 0 {
			text = doc.Rows[next].Text
		}
	}
	return doc.Dialect.Opens(text)
}

package decide

import (
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lex"
	"github.com/townline/townline/services/council-ingest/internal/minutes/rows"
)

// openAt opens the heading or item at line i and returns the line after it, or i if there is none.
func (o *outline) openAt(i int) int {
	if o.Filed {
		return o.openFiled(i)
	}
	if m, ok := o.MarkerAt(i); ok {
		if o.isTop(i, m) {
			return o.openSection(i, m)
		}
		if m, ok := o.isItemMark(i, m); ok {
			return o.openItem(i, m)
		}
		return i
	}
	text := o.Rows[i].Text
	switch {
	case strings.IndexByte(text, '[') > 0 && o.Dialect.LooksLikeResult(text): // its label is on the previous page
		return i
	case o.isLateTitle(i):
		o.sec.setTitle(text)
		o.sec.untitled = false
		o.freshFrom = i + 1
		return o.freshFrom
	case o.top == lex.NoMark && (o.isUnnumbered(i) || o.isBareAdjourn(i)) || o.isSubheading(i):
		return o.openSubheading(i)
	}
	return i
}

func (o *outline) openSection(i int, m lex.Marker) int {
	o.lastTop = m.Value
	if m.Kind == lex.Roman && o.top == lex.Letter {
		o.lastTop = m.Also
	}
	h := o.readHeading(i, m, false)
	if o.topIndent < 0 || o.Rows[i].Indent < o.topIndent || o.Rows[i].NewPage {
		o.topIndent = o.Rows[i].Indent
	}
	return o.enter(i, h.end, &section{number: m.Label, untitled: h.title == ""}, h.title)
}

func (o *outline) openSubheading(i int) int {
	above := o.sec
	for above != nil && above.parent != nil {
		above = above.parent
	}
	if above != nil && above.number == "" {
		above = nil
	}
	return o.enter(i, i+1, &section{parent: above}, o.Rows[i].Text)
}

// enter opens a section whose heading ends before line end. It returns end.
func (o *outline) enter(i, end int, sec *section, title string) int {
	sec.page, sec.line, sec.lastValue = o.Rows[i].Page, i, map[lex.MarkerStyle]int{}
	sec.setTitle(title)
	if o.sec != nil {
		o.sec.until = i
	}
	o.sections = append(o.sections, sec)
	o.sec, o.item = sec, nil
	sec.list = item{title: title, page: sec.page, row: i, sec: sec}
	o.places = append(o.places, opening{i, sec, nil})
	o.moving = 0
	o.headedFrom, o.freshFrom, o.closing = i, end, 0
	if sec.adjourn {
		o.closing = end
	}
	return end
}

func (o *outline) openItem(i int, m lex.Marker) int {
	o.sec.lastValue[m.Kind] = m.Value
	if m.Kind == lex.Number {
		o.lastNumber = m.Value
	}
	h := o.readHeading(i, m, true)
	it := &item{number: m.Label, file: h.file, title: h.title, kind: m.Kind}
	// Markers of another style may belong to a list in the current item.
	cur := o.item
	switch {
	case cur == nil || cur.heading:
	case cur.kind == m.Kind:
		it.parent = cur.parent
	case cur.parent != nil && cur.parent.kind == m.Kind:
		it.parent = cur.parent.parent
	default:
		it.parent = cur
	}
	it.pulled = o.sec.consent && dialect.IsStub(h.title)
	if o.sec.consent && it.number != "" && o.onConsentList(m) == nil {
		o.listed[dialect.ItemName(it.number)] = it
	}
	return o.enterItem(i, h.end, it)
}

// enterItem opens an item whose title ends before line end. It returns end.
func (o *outline) enterItem(i, end int, it *item) int {
	it.page, it.line, it.row, it.sec, it.alone = o.Rows[i].Page, o.Rows[i].No, i, o.sec, true
	o.sec.items = append(o.sec.items, it)
	o.item = it
	o.places = append(o.places, opening{i, o.sec, it})
	o.knowFile(it)
	o.moving = 0
	o.headedFrom, o.freshFrom = i, end
	return end
}

// openDisplaced opens a heading whose number is inside a table and whose title is below the table.
// This happens in text in column order.
func (o *outline) openDisplaced(t *table) int {
	m, _ := o.MarkerAt(t.displaced)
	behind := t.end - 1
	if o.isTop(t.displaced, m) {
		o.openSection(behind, m)
	} else if m, ok := o.isItemMark(t.displaced, m); ok {
		o.openItem(behind, m)
	} else {
		return t.end
	}
	return max(o.freshFrom, t.end)
}

// findOutline returns the numbering style of the top-level headings, or NoMark if they have no
// numbers.
func findOutline(doc *rows.Document) lex.MarkerStyle {
	type chain struct{ last, length, first, ones, indent int }
	chains := map[lex.MarkerStyle]*chain{lex.Roman: {}, lex.Letter: {}, lex.Number: {}}
	step := func(kind lex.MarkerStyle, value, line int) {
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
		if !ok || m.Style != lex.NoStyle { // it is an item
			continue
		}
		switch m.Kind {
		case lex.Roman:
			if m.Value > 1 || chains[lex.Letter].last != 8 || chains[lex.Roman].length > 0 { // the I. after H. is a letter
				step(lex.Roman, m.Value, i)
			}
			if m.Also > 0 {
				step(lex.Letter, m.Also, i)
			}
		case lex.Letter, lex.Number:
			step(m.Kind, m.Value, i)
		}
	}
	if n := chains[lex.Roman].length; n >= 2 || n == 1 && chains[lex.Letter].length < 3 {
		return lex.Roman
	}
	best := lex.NoMark
	for _, k := range []lex.MarkerStyle{lex.Letter, lex.Number} {
		// The outline begins with the opening of the meeting, and begins only once.
		if c := chains[k]; c.length >= 3 && c.ones <= 1 && isOpening(doc, c.first) &&
			(best == lex.NoMark || c.first < chains[best].first) {
			best = k
		}
	}
	return best
}

func isOpening(doc *rows.Document, i int) bool {
	text := doc.Rows[i].Text
	if m, _ := doc.MarkerAt(i); m.Text == "" {
		if next := doc.Next(i + 1); next >= 0 {
			text = doc.Rows[next].Text
		}
	}
	return doc.Dialect.Opens(text)
}

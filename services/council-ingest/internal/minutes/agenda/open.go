package agenda

import (
	"cmp"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/attend"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/head"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lex"
	"github.com/townline/townline/services/council-ingest/internal/minutes/rows"
)

// openAt opens the heading or item at line i and returns the line after it, or i if there is none.
func (s *Reader) openAt(i int) int {
	if s.Filed {
		return s.openFiled(i)
	}
	if m, ok := s.MarkerAt(i); ok {
		if s.isTop(i, m) {
			return s.openSection(i, m)
		}
		if m, ok := s.isItemMark(i, m); ok {
			return s.openItem(i, m)
		}
		return i
	}
	text := s.Rows[i].Text
	switch {
	case strings.IndexByte(text, '[') > 0 && s.Dialect.LooksLikeResult(text): // its label is on the previous page
		return i
	case s.isLateTitle(i):
		s.sec.setTitle(text)
		s.sec.Untitled = false
		s.freshFrom = i + 1
		return s.freshFrom
	case s.top == lex.NoMark && (s.isUnnumbered(i) || s.isBareAdjourn(i)) || s.isSubheading(i):
		return s.openSubheading(i)
	}
	return i
}

func (s *Reader) openSection(i int, m lex.Marker) int {
	s.lastTop = m.Value
	if m.Kind == lex.Roman && s.top == lex.Letter {
		s.lastTop = m.Also
	}
	h := s.readHeading(i, m, false)
	if s.topIndent < 0 || s.Rows[i].Indent < s.topIndent || s.Rows[i].NewPage {
		s.topIndent = s.Rows[i].Indent
	}
	return s.enter(i, h.End, &Section{Number: m.Label, Untitled: h.Title == ""}, h.Title)
}

func (s *Reader) openSubheading(i int) int {
	above := s.sec
	for above != nil && above.Parent != nil {
		above = above.Parent
	}
	if above != nil && above.Number == "" {
		above = nil
	}
	return s.enter(i, i+1, &Section{Parent: above}, s.Rows[i].Text)
}

// enter opens a section whose heading ends before line end. It returns end.
func (s *Reader) enter(i, end int, sec *Section, title string) int {
	sec.Page, sec.Line, sec.LastValue = s.Rows[i].Page, i, map[lex.MarkerStyle]int{}
	sec.setTitle(title)
	if s.sec != nil {
		s.sec.Until = i
	}
	s.sections = append(s.sections, sec)
	s.sec, s.item = sec, nil
	s.motions.Clear()
	s.headedFrom, s.freshFrom, s.closing = i, end, 0
	if sec.Adjourn {
		s.closing = end
	}
	return end
}

func (s *Reader) openItem(i int, m lex.Marker) int {
	s.sec.LastValue[m.Kind] = m.Value
	if m.Kind == lex.Number {
		s.lastNumber = m.Value
	}
	h := s.readHeading(i, m, true)
	it := &Item{Number: m.Label, File: h.File, Title: h.Title, Kind: m.Kind}
	// Markers of another style may belong to a list in the current item.
	cur := s.item
	switch {
	case cur == nil || cur.Heading:
	case cur.Kind == m.Kind:
		it.Parent = cur.Parent
	case cur.Parent != nil && cur.Parent.Kind == m.Kind:
		it.Parent = cur.Parent.Parent
	default:
		it.Parent = cur
	}
	it.Pulled = s.sec.Consent && dialect.IsStub(h.Title)
	if s.sec.Consent && it.Number != "" && s.onConsentList(m) == nil {
		s.listed[dialect.ItemName(it.Number)] = it
	}
	return s.enterItem(i, h.End, it)
}

// enterItem opens an item whose title ends before line end. It returns end.
func (s *Reader) enterItem(i, end int, it *Item) int {
	it.Page, it.Line, it.Sec, it.Alone = s.Rows[i].Page, i, s.sec, true
	if last := s.motions.Last(); len(s.sec.Items) == 0 && s.sec.Consent && last != nil {
		s.sec.Motion = last // the motion applies to all items
	}
	s.sec.Items = append(s.sec.Items, it)
	s.item = it
	s.knowFile(it)
	s.motions.Clear()
	s.headedFrom, s.freshFrom = i, end
	return end
}

// openDisplaced opens a heading whose number is inside a table and whose title is below the table.
// This happens in text in column order.
func (s *Reader) openDisplaced(b *Block) int {
	m, _ := s.MarkerAt(b.Displaced)
	behind := b.End - 1
	if s.isTop(b.Displaced, m) {
		s.openSection(behind, m)
	} else if m, ok := s.isItemMark(b.Displaced, m); ok {
		s.openItem(behind, m)
	} else {
		return b.End
	}
	return max(s.freshFrom, b.End)
}

func (s *Reader) readHead(own string) {
	h := head.Read(s.Lines, s.Dropped)
	s.Record.Body, s.Record.MeetingDate = council.Some(cmp.Or(own, h.Body)), council.Some(h.Date)
	if h.Date == "" {
		s.Report(council.CodeDateMissing, -1, nil, s.Rows[0].Page, "the document does not show the date of the meeting")
	}
}

// readAttendance reads the attendance list into the record and the roster.
func (s *Reader) readAttendance() {
	sheet := attend.Read(s.Lines, s.Dialect, func(line int) bool { return s.Rows[line].Result })
	s.Attendance, s.skipFrom, s.skipTo = sheet.Attendance, sheet.From, sheet.To
	for _, a := range sheet.Attendance {
		s.People.Present.Add(a.Name)
	}
	for _, p := range sheet.Problems {
		s.Report(p.Code, -1, nil, p.Page, p.Message)
	}
	for _, name := range sheet.Cover {
		s.People.Learn(name)
	}
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

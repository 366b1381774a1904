package minutes

import (
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// section is a heading of the outline's top level, or one without number below
// it.
type section struct {
	number    string // as printed, "" when it has none
	title     string
	Page      int
	line      int
	until     int // the line of the next heading, 0 when none follows
	consent   bool
	removed   bool // what was taken off the consent list
	adjourn   bool
	parent    *section // the numbered heading above a heading without number
	items     []*item  // in document order
	blocks    []*block // votes printed under the heading before any item
	motion    *motion  // of the consent vote
	lastValue map[shape.Kind]int
	untitled  bool  // its title has not come yet
	own       *item // the heading as an item, when it carries votes itself
}

// item is an agenda item, with or without votes.
type item struct {
	number  string
	file    string
	title   string
	Page    int
	line    int
	sec     *section
	heading bool // a section heading that carries its own vote
	pulled  bool // a stub left where an item was taken out of the consent list
	Kind    shape.Kind
	blocks  []*block
	shared  bool  // its block is the consent vote printed elsewhere
	consent bool  // listed under a consent heading and not pulled
	parent  *item // the item in whose text this one may only be a list entry
	alone   bool  // nothing but its title has come since its heading
}

// topKind finds the style of the outline's top level: the sequence of Roman
// numerals, capital letters or numbers that runs through the document.
func (s *scan) topKind() shape.Kind {
	type chain struct{ last, length, first, ones, indent int }
	chains := map[shape.Kind]*chain{shape.Roman: {}, shape.Letter: {}, shape.Number: {}}
	step := func(kind shape.Kind, value, line int) {
		c := chains[kind]
		if value == 1 && (c.ones == 0 || s.lines[line].Indent <= c.indent+1) {
			c.ones++
		}
		switch {
		case c.length == 0 && value == 1:
			c.last, c.length, c.first, c.indent = 1, 1, line, s.lines[line].Indent
		case c.length > 0 && value == c.last+1:
			c.last, c.length = value, c.length+1
		}
	}
	for i, over := 0, false; i < len(s.lines) && !over; i++ {
		over = dialect.IsAdjourn(s.lines[i].Text)
		m, ok := s.markerAt(i)
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
		if c := chains[k]; c.length >= 3 && c.ones <= 1 && s.isOpening(c.first) && (best == shape.NoMark || c.first < chains[best].first) {
			best = k
		}
	}
	for _, k := range []shape.Kind{shape.Number, shape.Letter} {
		if best == shape.NoMark && chains[k].ones > 1 {
			if s.tops = s.levels(k); s.tops != nil {
				best = k
			}
		}
	}
	return best
}

// isOpening reports whether the heading at line i begins a meeting.
func (s *scan) isOpening(i int) bool {
	text := s.lines[i].Text
	if m, _ := s.markerAt(i); m.Text == "" {
		if next := s.nextText(i + 1); next >= 0 {
			text = s.lines[next].Text
		}
	}
	return s.p.dialect.Opens(text)
}

// isTop decides whether a marker is the next heading of the top level.
func (s *scan) isTop(i int, m shape.Marker) bool {
	if s.top == shape.NoMark || m.Style != shape.NoStyle {
		return false
	}
	if s.tops != nil {
		return s.tops[i]
	}
	value := m.Value
	if m.Kind != s.top {
		if s.top == shape.Letter && m.Kind == shape.Roman && m.Also > 0 {
			value = m.Also
		} else {
			return false
		}
	}
	last := s.lastTop
	if value <= last {
		return false
	}
	ln := s.lines[i]
	// Indented deeper than the headings so far: a letter or list number that
	// happens to be a numeral.
	if s.topIndent >= 0 && ln.Indent > s.topIndent+3 && !s.flat {
		return false
	}
	if cur := s.item; cur != nil && m.Kind == shape.Number && cur.Kind == shape.Number && value == s.sec.lastValue[shape.Number]+1 &&
		ln.Indent == s.lines[cur.line].Indent && ln.Indent > s.topIndent && !s.flat {
		return false // the next item, in the column of the last one
	}
	if s.top == shape.Roman && m.Also > 0 {
		// C., D., I., L., M., V., X. may go on a lettered list.
		if cur := s.sec; cur != nil && value != last+1 {
			if n := cur.lastValue[shape.Letter]; n > 0 && m.Also == n+1 {
				return false
			}
		}
		if cur := s.sec; cur != nil && cur.lastValue[shape.Letter] > 0 && m.Also == cur.lastValue[shape.Letter]+1 && value == last+1 {
			// Both readings fit: the letter, if its list is going on here.
			return ln.Indent <= s.topIndent && !s.flat
		}
	}
	switch {
	case value == last+1:
		return true
	case s.top == shape.Roman && m.Also == 0:
		return m.Text == "" || shape.IsTitle(m.Text) || value <= last+3
	case s.top == shape.Roman:
		return value <= last+3 || s.topIndent >= 0 && ln.Indent == s.topIndent && m.Text != "" && shape.IsTitle(m.Text) && value <= last+12
	}
	return value <= last+3 && s.breakBefore(i)
}

// breakBefore reports whether line i can begin a paragraph.
func (s *scan) breakBefore(i int) bool {
	return i == 0 || s.lines[i].NewPage || s.lines[i-1].Text == "" || i-1 < s.freshFrom
}

// isItemMark decides whether a marker below the top level begins an item.
func (s *scan) isItemMark(i int, m shape.Marker) (shape.Marker, bool) {
	sec := s.sec
	if sec == nil {
		return m, false
	}
	if m.Kind == shape.Roman {
		if m.Also == 0 {
			return m, false
		}
		m.Kind, m.Value = shape.Letter, m.Also
	}
	if dialect.FindSeconded(m.Text) >= 0 {
		return m, false // the end of a motion: "except item" and "1. Trustee Roe seconded"
	}
	if s.onConsentList(m) != nil {
		return m, true
	}
	open := s.openMotion()
	switch m.Kind {
	case shape.Bullet:
		// Bullets make items only right under a heading, and not in the text
		// of a motion.
		root := s.item
		for root != nil && root.parent != nil {
			root = root.parent
		}
		if open || root != nil && root.Kind != shape.Bullet && !root.heading || m.Text == "" {
			return m, false
		}
		return m, shape.IsTitle(m.Text) && (s.breakBefore(i) || s.fits(i-1, m.Text))
	case shape.Letter:
		last := sec.lastValue[shape.Letter]
		if m.Value <= last && !(s.top == shape.NoMark) {
			return m, false
		}
		if m.Value > 26 && last < 25 || !s.startsItem(i, m, last) {
			return m, false
		}
		return m, true
	case shape.Number, shape.Dotted:
		last := sec.lastValue[m.Kind]
		// Many agendas number through all sections: then the first item of a
		// section follows the last one of the section before.
		next := m.Value == last+1 || last == 0 && m.Kind == shape.Number && s.lastNumber > 0 && m.Value == s.lastNumber+1
		if m.Kind == shape.Dotted && m.Major != s.lastTop && (m.Text == "" || s.top == shape.Number) {
			return m, false // a figure, or a number of another section
		}
		if m.Text != "" && !shape.IsTitle(m.Text) && !s.hanging(m) && !(next && s.breakBefore(i)) {
			return m, false
		}
		if open && s.item != nil && s.item.Kind != m.Kind && !s.hanging(m) {
			return m, false // a list in the text of a motion
		}
		switch {
		case next:
			return m, s.startsItem(i, m, last)
		case m.Value > last && s.breakBefore(i):
			return m, m.Text != "" && !open || s.hanging(m) || m.Text == "" && (m.Value <= last+10 || len(sec.items) == 0 && i-sec.line <= 3)
		case m.Kind == shape.Dotted:
			return m, s.breakBefore(i)
		case m.Value > last && m.Value <= last+10 && !open && s.hanging(m) && shape.IsTitle(m.Text) && strings.HasSuffix(s.lines[i-1].Text, "."):
			return m, true // numbers left out, as among items taken from a list
		}
	}
	return m, false
}

// startsItem reports whether a marker stands where an item can begin: alone,
// in a column of its own, at the beginning of a paragraph, or next in its list
// after a line that did not run up to the margin.
func (s *scan) startsItem(i int, m shape.Marker, last int) bool {
	switch {
	case m.Text == "" && !s.flat && !s.breakBefore(i) && !strings.ContainsAny(s.lines[i-1].Text[len(s.lines[i-1].Text)-1:], ".:;)]?!"):
		return false // a figure that the layout.Line before ran out of room for: "had been 4 to" and "1."
	case m.Text == "" || s.hanging(m):
		return true
	case s.breakBefore(i):
		return shape.IsTitle(m.Text) || m.Value == last+1
	case !shape.IsTitle(m.Text):
		return false
	case strings.HasSuffix(s.lines[i-1].Text, ".") && m.Value > last && s.p.dialect.LowerWords(m.Text) == 0:
		return true // behind a sentence, and itself no sentence
	}
	if s.hung && m.Value == last+1 && last > 0 && s.item != nil && s.lines[i].Indent == s.lines[s.item.line].Indent {
		return true // the rest of a title would hang under it
	}
	if above, ok := s.markerAt(i - 1); ok && m.Kind == shape.Number && above.Kind == m.Kind && above.Value == last && m.Value == last+1 && last > 0 &&
		s.lines[i].Indent == s.lines[i-1].Indent && s.p.dialect.LowerWords(m.Text) == 0 {
		return true // next in a list of titles, though the one above fills its line
	}
	first := (m.Value == 1 || m.Kind == shape.Number && m.Value == s.lastNumber+1) && len(s.sec.items) == 0 && i-s.sec.line <= 4 // right below the heading
	return (first || last > 0 && m.Value == last+1) && s.fits(i-1, m.Label)
}

// hangsTitles reports whether titles that run over their line always go on
// further right than their numbers stand.
func (s *scan) hangsTitles() bool {
	if s.flat {
		return false
	}
	right, flush := 0, 0
	for i := 0; i+1 < len(s.lines); i++ {
		m, ok := shape.ReadMarker(s.lines[i].Text)
		next := s.lines[i+1]
		if !ok || m.Kind == shape.Bullet || m.Text == "" || next.Text == "" || next.NewPage || s.isResultLabel(i+1) || s.fits(i, next.Text) {
			continue
		}
		if _, ok := shape.ReadMarker(next.Text); ok {
			continue
		}
		if next.Indent > s.lines[i].Indent+1 {
			right++
		} else {
			flush++
		}
	}
	return right >= 3 && flush == 0
}

// hanging reports whether the gap after a marker is that of a numbered list
// set in columns.
func (s *scan) hanging(m shape.Marker) bool { return m.Col >= len(m.Label)+3 }

package minutes

import "strings"

// section is a heading of the outline's top level, or one without number below
// it.
type section struct {
	number    string // as printed, "" when it has none
	title     string
	page      int
	line      int
	until     int // the line of the next heading, 0 when none follows
	consent   bool
	removed   bool // what was taken off the consent list
	adjourn   bool
	parent    *section // the numbered heading above a heading without number
	items     []*item  // in document order
	blocks    []*block // votes printed under the heading before any item
	motion    *motion  // of the consent vote
	lastValue map[markKind]int
	untitled  bool  // its title has not come yet
	own       *item // the heading as an item, when it carries votes itself
}

// item is an agenda item, with or without votes.
type item struct {
	number  string
	file    string
	title   string
	page    int
	line    int
	sec     *section
	heading bool // a section heading that carries its own vote
	pulled  bool // a stub left where an item was taken out of the consent list
	kind    markKind
	blocks  []*block
	shared  bool  // its block is the consent vote printed elsewhere
	consent bool  // listed under a consent heading and not pulled
	parent  *item // the item in whose text this one may only be a list entry
	alone   bool  // nothing but its title has come since its heading
}

// topKind finds the style of the outline's top level: the sequence of Roman
// numerals, capital letters or numbers that runs through the document.
func (s *scan) topKind() markKind {
	type chain struct{ last, length, first, ones, indent int }
	chains := map[markKind]*chain{markRoman: {}, markLetter: {}, markNumber: {}}
	step := func(kind markKind, value, line int) {
		c := chains[kind]
		if value == 1 && (c.ones == 0 || s.lines[line].indent <= c.indent+1) {
			c.ones++
		}
		switch {
		case c.length == 0 && value == 1:
			c.last, c.length, c.first, c.indent = 1, 1, line, s.lines[line].indent
		case c.length > 0 && value == c.last+1:
			c.last, c.length = value, c.length+1
		}
	}
	for i, over := 0, false; i < len(s.lines) && !over; i++ {
		over = s.isAdjourn(s.lines[i].text)
		m, ok := s.markerAt(i)
		if !ok || m.style != noStyle { // only items are numbered so
			continue
		}
		switch m.kind {
		case markRoman:
			if m.value > 1 || chains[markLetter].last != 8 || chains[markRoman].length > 0 { // I. after H. is a letter
				step(markRoman, m.value, i)
			}
			if m.also > 0 {
				step(markLetter, m.also, i)
			}
		case markLetter, markNumber:
			step(m.kind, m.value, i)
		}
	}
	if n := chains[markRoman].length; n >= 2 || n == 1 && chains[markLetter].length < 3 {
		return markRoman
	}
	best := markNone
	for _, k := range []markKind{markLetter, markNumber} {
		// What begins again and again, or with an item, is no outline.
		if c := chains[k]; c.length >= 3 && c.ones <= 1 && s.isOpening(c.first) && (best == markNone || c.first < chains[best].first) {
			best = k
		}
	}
	for _, k := range []markKind{markNumber, markLetter} {
		if best == markNone && chains[k].ones > 1 {
			if s.tops = s.levels(k); s.tops != nil {
				best = k
			}
		}
	}
	return best
}

// isOpening reports whether the heading at line i begins a meeting.
func (s *scan) isOpening(i int) bool {
	text := s.lines[i].text
	if m, _ := s.markerAt(i); m.text == "" {
		if next := s.nextText(i + 1); next >= 0 {
			text = s.lines[next].text
		}
	}
	text = strings.ToLower(text)
	for _, o := range s.p.dialect.openings {
		if strings.Contains(text, o) {
			return true
		}
	}
	return false
}

func (s *scan) isAdjourn(text string) bool {
	i := strings.Index(text, "djourn")
	if i < 0 {
		i = strings.Index(text, "DJOURN")
	}
	return i >= 0 && i < 12 && len(text) < 40
}

// isTop decides whether a marker is the next heading of the top level.
func (s *scan) isTop(i int, m marker) bool {
	if s.top == markNone || m.style != noStyle {
		return false
	}
	if s.tops != nil {
		return s.tops[i]
	}
	value := m.value
	if m.kind != s.top {
		if s.top == markLetter && m.kind == markRoman && m.also > 0 {
			value = m.also
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
	if s.topIndent >= 0 && ln.indent > s.topIndent+3 && !s.flat {
		return false
	}
	if cur := s.item; cur != nil && m.kind == markNumber && cur.kind == markNumber && value == s.sec.lastValue[markNumber]+1 &&
		ln.indent == s.lines[cur.line].indent && ln.indent > s.topIndent && !s.flat {
		return false // the next item, in the column of the last one
	}
	if s.top == markRoman && m.also > 0 {
		// C., D., I., L., M., V., X. may go on a lettered list.
		if cur := s.sec; cur != nil && value != last+1 {
			if n := cur.lastValue[markLetter]; n > 0 && m.also == n+1 {
				return false
			}
		}
		if cur := s.sec; cur != nil && cur.lastValue[markLetter] > 0 && m.also == cur.lastValue[markLetter]+1 && value == last+1 {
			// Both readings fit: the letter, if its list is going on here.
			return ln.indent <= s.topIndent && !s.flat
		}
	}
	switch {
	case value == last+1:
		return true
	case s.top == markRoman && m.also == 0:
		return m.text == "" || isTitleShaped(m.text) || value <= last+3
	case s.top == markRoman:
		return value <= last+3 || s.topIndent >= 0 && ln.indent == s.topIndent && m.text != "" && isTitleShaped(m.text) && value <= last+12
	}
	return value <= last+3 && s.breakBefore(i)
}

// breakBefore reports whether line i can begin a paragraph.
func (s *scan) breakBefore(i int) bool {
	return i == 0 || s.lines[i].newPage || s.lines[i-1].text == "" || i-1 < s.freshFrom
}

// isItemMark decides whether a marker below the top level begins an item.
func (s *scan) isItemMark(i int, m marker) (marker, bool) {
	sec := s.sec
	if sec == nil {
		return m, false
	}
	if m.kind == markRoman {
		if m.also == 0 {
			return m, false
		}
		m.kind, m.value = markLetter, m.also
	}
	if secondedIn(m.text) >= 0 {
		return m, false // the end of a motion: "except item" and "1. Trustee Roe seconded"
	}
	if s.onConsentList(m) != nil {
		return m, true
	}
	open := s.openMotion()
	switch m.kind {
	case markBullet:
		// Bullets make items only right under a heading, and not in the text
		// of a motion.
		root := s.item
		for root != nil && root.parent != nil {
			root = root.parent
		}
		if open || root != nil && root.kind != markBullet && !root.heading || m.text == "" {
			return m, false
		}
		return m, isTitleShaped(m.text) && (s.breakBefore(i) || s.fits(i-1, m.text))
	case markLetter:
		last := sec.lastValue[markLetter]
		if m.value <= last && !(s.top == markNone) {
			return m, false
		}
		if m.value > 26 && last < 25 || !s.startsItem(i, m, last) {
			return m, false
		}
		return m, true
	case markNumber, markDotted:
		last := sec.lastValue[m.kind]
		// Many agendas number through all sections: then the first item of a
		// section follows the last one of the section before.
		next := m.value == last+1 || last == 0 && m.kind == markNumber && s.lastNumber > 0 && m.value == s.lastNumber+1
		if m.kind == markDotted && m.major != s.lastTop && (m.text == "" || s.top == markNumber) {
			return m, false // a figure, or a number of another section
		}
		if m.text != "" && !isTitleShaped(m.text) && !s.hanging(m) && !(next && s.breakBefore(i)) {
			return m, false
		}
		if open && s.item != nil && s.item.kind != m.kind && !s.hanging(m) {
			return m, false // a list in the text of a motion
		}
		switch {
		case next:
			return m, s.startsItem(i, m, last)
		case m.value > last && s.breakBefore(i):
			return m, m.text != "" && !open || s.hanging(m) || m.text == "" && (m.value <= last+10 || len(sec.items) == 0 && i-sec.line <= 3)
		case m.kind == markDotted:
			return m, s.breakBefore(i)
		case m.value > last && m.value <= last+10 && !open && s.hanging(m) && isTitleShaped(m.text) && strings.HasSuffix(s.lines[i-1].text, "."):
			return m, true // numbers left out, as among items taken from a list
		}
	}
	return m, false
}

// startsItem reports whether a marker stands where an item can begin: alone,
// in a column of its own, at the beginning of a paragraph, or next in its list
// after a line that did not run up to the margin.
func (s *scan) startsItem(i int, m marker, last int) bool {
	switch {
	case m.text == "" && !s.flat && !s.breakBefore(i) && !strings.ContainsAny(s.lines[i-1].text[len(s.lines[i-1].text)-1:], ".:;)]?!"):
		return false // a figure that the line before ran out of room for: "had been 4 to" and "1."
	case m.text == "" || s.hanging(m):
		return true
	case s.breakBefore(i):
		return isTitleShaped(m.text) || m.value == last+1
	case !isTitleShaped(m.text):
		return false
	case strings.HasSuffix(s.lines[i-1].text, ".") && m.value > last && s.lowerWords(m.text) == 0:
		return true // behind a sentence, and itself no sentence
	}
	if s.hung && m.value == last+1 && last > 0 && s.item != nil && s.lines[i].indent == s.lines[s.item.line].indent {
		return true // the rest of a title would hang under it
	}
	if above, ok := s.markerAt(i - 1); ok && m.kind == markNumber && above.kind == m.kind && above.value == last && m.value == last+1 && last > 0 &&
		s.lines[i].indent == s.lines[i-1].indent && s.lowerWords(m.text) == 0 {
		return true // next in a list of titles, though the one above fills its line
	}
	first := (m.value == 1 || m.kind == markNumber && m.value == s.lastNumber+1) && len(s.sec.items) == 0 && i-s.sec.line <= 4 // right below the heading
	return (first || last > 0 && m.value == last+1) && s.fits(i-1, m.label)
}

// hangsTitles reports whether titles that run over their line always go on
// further right than their numbers stand.
func (s *scan) hangsTitles() bool {
	if s.flat {
		return false
	}
	right, flush := 0, 0
	for i := 0; i+1 < len(s.lines); i++ {
		m, ok := readMarker(s.lines[i].text)
		next := s.lines[i+1]
		if !ok || m.kind == markBullet || m.text == "" || next.text == "" || next.newPage || s.isResultLabel(i+1) || s.fits(i, next.text) {
			continue
		}
		if _, ok := readMarker(next.text); ok {
			continue
		}
		if next.indent > s.lines[i].indent+1 {
			right++
		} else {
			flush++
		}
	}
	return right >= 3 && flush == 0
}

// hanging reports whether the gap after a marker is that of a numbered list
// set in columns.
func (s *scan) hanging(m marker) bool { return m.col >= len(m.label)+3 }

// isTitleShaped reports whether text can be the first line of a title: it
// begins with a capital, a figure or a quote, and is no running sentence in
// lower case, unless it is long enough to be an item in full sentences.
func isTitleShaped(text string) bool {
	c := text[0]
	if c >= 'a' && c <= 'z' && !strings.HasPrefix(text, "e") || c == ',' || c == ')' || c == ';' {
		return false
	}
	words, lower := 0, 0
	for _, w := range strings.Fields(text) {
		words++
		if c := w[0]; c >= 'a' && c <= 'z' && len(w) > 3 {
			lower++
		}
	}
	return !(strings.HasSuffix(text, ".") && lower*2 > words)
}

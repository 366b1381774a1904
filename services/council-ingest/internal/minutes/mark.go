package minutes

import (
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/agenda"
	"github.com/townline/townline/services/council-ingest/internal/minutes/attendance"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// isTop decides whether a marker is the next heading of the top level.
func (s *walk) isTop(i int, m shape.Marker) bool {
	if s.Top == shape.NoMark || m.Style != shape.NoStyle {
		return false
	}
	if s.Tops != nil {
		return s.Tops[i]
	}
	value := m.Value
	if m.Kind != s.Top {
		if s.Top == shape.Letter && m.Kind == shape.Roman && m.Also > 0 {
			value = m.Also
		} else {
			return false
		}
	}
	last := s.lastTop
	if value <= last {
		return false
	}
	ln := s.Rows[i]
	// Indented deeper than the headings so far: a letter or list number that happens to be a numeral.
	if s.topIndent >= 0 && ln.Indent > s.topIndent+3 && !s.Flat {
		return false
	}
	if cur := s.item; cur != nil && m.Kind == shape.Number && cur.Kind == shape.Number && value == s.sec.LastValue[shape.Number]+1 &&
		ln.Indent == s.Rows[cur.Line].Indent && ln.Indent > s.topIndent && !s.Flat {
		return false // the next item, in the column of the last one
	}
	if cur := s.sec; s.Top == shape.Roman && m.Also > 0 && cur != nil && cur.LastValue[shape.Letter] > 0 && m.Also == cur.LastValue[shape.Letter]+1 {
		// C., D., I., L., M., V., X. may go on a lettered list. Where it is the next numeral, too, that decides which stands further left.
		return value == last+1 && ln.Indent <= s.topIndent && !s.Flat
	}
	switch {
	case value == last+1:
		return true
	case s.Top == shape.Roman && m.Also == 0:
		return m.Text == "" || shape.IsTitle(m.Text) || value <= last+3
	case s.Top == shape.Roman:
		return value <= last+3 || s.topIndent >= 0 && ln.Indent == s.topIndent && m.Text != "" && shape.IsTitle(m.Text) && value <= last+12
	}
	return value <= last+3 && s.breakBefore(i)
}

// breakBefore reports whether line i can begin a paragraph.
func (s *walk) breakBefore(i int) bool {
	return s.BreakBefore(i) || i-1 < s.freshFrom
}

// isItemMark decides whether a marker below the top level begins an item.
func (s *walk) isItemMark(i int, m shape.Marker) (shape.Marker, bool) {
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
	open := s.motions.Waiting()
	switch m.Kind {
	case shape.Bullet:
		// Bullets make items only right under a heading, and not in the text of a motion.
		root := s.item
		for root != nil && root.Parent != nil {
			root = root.Parent
		}
		if open || root != nil && root.Kind != shape.Bullet && !root.Heading || m.Text == "" {
			return m, false
		}
		return m, shape.IsTitle(m.Text) && (s.breakBefore(i) || s.Fits(i-1, m.Text))
	case shape.Letter:
		last := sec.LastValue[shape.Letter]
		if m.Value <= last && !(s.Top == shape.NoMark) {
			return m, false
		}
		if m.Value > 26 && last < 25 || !s.startsItem(i, m, last) {
			return m, false
		}
		return m, true
	case shape.Number, shape.Dotted:
		last := sec.LastValue[m.Kind]
		// Many agendas number through all sections: then the first item of a section follows the last one of the section before.
		next := m.Value == last+1 || last == 0 && m.Kind == shape.Number && s.lastNumber > 0 && m.Value == s.lastNumber+1
		if m.Kind == shape.Dotted && m.Major != s.lastTop && (m.Text == "" || s.Top == shape.Number) {
			return m, false // a figure, or a number of another section
		}
		if m.Text != "" && !shape.IsTitle(m.Text) && !s.Hanging(m) && !(next && s.breakBefore(i)) {
			return m, false
		}
		if open && s.item != nil && s.item.Kind != m.Kind && !s.Hanging(m) {
			return m, false // a list in the text of a motion
		}
		switch {
		case next:
			return m, s.startsItem(i, m, last)
		case m.Value > last && s.breakBefore(i):
			return m, m.Text != "" && !open || s.Hanging(m) || m.Text == "" && (m.Value <= last+10 || len(sec.Items) == 0 && i-sec.Line <= 3)
		case m.Kind == shape.Dotted:
			return m, s.breakBefore(i)
		case m.Value > last && m.Value <= last+10 && !open && s.Hanging(m) && shape.IsTitle(m.Text) && strings.HasSuffix(s.Rows[i-1].Text, "."):
			return m, true // numbers left out, as among items taken from a list
		}
	}
	return m, false
}

// startsItem reports whether a marker stands where an item can begin: alone, in a column of its own, at the beginning of a paragraph, or
// next in its list after a line that did not run up to the margin.
func (s *walk) startsItem(i int, m shape.Marker, last int) bool {
	switch {
	case m.Text == "" && !s.Flat && !s.breakBefore(i) && !strings.ContainsAny(s.Rows[i-1].Text[len(s.Rows[i-1].Text)-1:], ".:;)]?!"):
		return false // a figure that the layout.Line before ran out of room for: "had been 4 to" and "1."
	case m.Text == "" || s.Hanging(m):
		return true
	case s.breakBefore(i):
		return shape.IsTitle(m.Text) || m.Value == last+1
	case !shape.IsTitle(m.Text):
		return false
	case strings.HasSuffix(s.Rows[i-1].Text, ".") && m.Value > last && s.Dialect.LowerWords(m.Text) == 0:
		return true // behind a sentence, and itself no sentence
	}
	if s.Hung && m.Value == last+1 && last > 0 && s.item != nil && s.Rows[i].Indent == s.Rows[s.item.Line].Indent {
		return true // the rest of a title would hang under it
	}
	if above, ok := s.MarkerAt(i - 1); ok && m.Kind == shape.Number && above.Kind == m.Kind && above.Value == last && m.Value == last+1 && last > 0 &&
		s.Rows[i].Indent == s.Rows[i-1].Indent && s.Dialect.LowerWords(m.Text) == 0 {
		return true // next in a list of titles, though the one above fills its line
	}
	first := (m.Value == 1 || m.Kind == shape.Number && m.Value == s.lastNumber+1) && len(s.sec.Items) == 0 && i-s.sec.Line <= 4 // right below the heading
	return (first || last > 0 && m.Value == last+1) && s.Fits(i-1, m.Label)
}

// endsMotion reports whether a marker begins a heading or the next item, unless it is a list in a motion.
func (s *walk) endsMotion(i int, m shape.Marker) bool {
	if s.isTop(i, m) {
		return true
	}
	_, ok := s.isItemMark(i, m)
	return ok && (s.item == nil || s.item.Kind == m.Kind || s.Hanging(m))
}

// onConsentList finds the item of an earlier consent list whose number and title stand again behind marker m: where it is voted on by
// itself.
func (s *walk) onConsentList(m shape.Marker) *agenda.Item {
	it := s.listed[dialect.ItemName(m.Label)]
	if it == nil || m.Text == "" {
		return nil
	}
	if s.sec.Removed || it.Pulled && it.Sec != s.sec {
		return it
	}
	_, text := shape.CutFileNumber(m.Text, s.lastFile)
	head := council.FoldName(text)
	if len(head) > 30 {
		head = head[:30]
	}
	if len(head) >= 8 && strings.HasPrefix(council.FoldName(it.Title), head) {
		return it
	}
	return nil
}

// heading is a marker's title with the file number that stands before or below it.
type heading struct {
	Title string
	File  string
	End   int // the first line after it
}

// readHeading collects the title that begins at line i behind marker m. It ends before a blank line, a vote, a line of its own with a file
// number, a sponsor or the fate of the item, and where the text below the title begins: further left than the title in a hanging layout,
// with a sentence in text without columns.
func (s *walk) readHeading(i int, m shape.Marker, isItem bool) heading {
	h := heading{End: i + 1}
	var parts []string
	at := i
	if m.Text == "" {
		// The number stands alone; its title is the next paragraph.
		at = s.Next(i + 1)
		if at < 0 || at > i+4 || s.stopsTitle(at) || s.IsLone(at) || !isItem && (s.Dialect.LowerWords(s.Rows[at].Text) > 1 || !shape.IsTitle(s.Rows[at].Text)) {
			return h
		}
		parts = append(parts, s.Rows[at].Text)
	} else {
		parts = append(parts, m.Text)
	}
	first := s.Rows[i]
	titleCol := first.Indent + m.Col
	hanging := m.Text != "" && s.Hanging(m)
	if isItem {
		h.File, parts[0] = shape.CutFileNumber(parts[0], s.lastFile)
	}
	j := at + 1
	for ; j < len(s.Rows) && j < at+40; j++ {
		ln := s.Rows[j]
		if ln.Text == "" || s.stopsTitle(j) {
			break
		}
		if mk, ok := s.MarkerAt(j); ok && (s.wouldOpen(j, mk) || !isItem && (mk.Kind != shape.Roman || mk.Also > 0)) {
			break
		}
		if s.isSubheading(j) || ln.NewPage && s.Top == shape.NoMark && shape.IsCapitals(ln.Text) && !shape.IsCapitals(parts[0]) && s.isUnnumbered(j) {
			break
		}
		full := !s.Fits(j-1, ln.Text)
		if ln.NewPage && shape.IsSentence(ln.Text) && (!full || hanging && ln.Indent < titleCol-6) {
			break // the blank line between them is lost at the page's edge
		}
		if isItem && (h.File == "" && shape.IsFileNumber(ln.Text) && !(full && shape.WantsNumber(parts[len(parts)-1])) || s.isSponsor(ln.Text) || s.Dialect.IsFate(ln.Text) && (!full || shape.IsCapitals(ln.Text) && !shape.IsCapitals(parts[0]))) {
			break
		}
		// In a hanging layout what stands left of the title is the text below it, and a sentence that stands right of it too; the margins
		// of a new page can lie elsewhere.
		if off := ln.Indent - titleCol; hanging && ln.Page == first.Page && (off < -2 || off > 2 || off > 1 && s.Dialect.LowerWords(ln.Text) > 1) {
			break
		}
		if s.beginsBody(ln.Text, parts, hanging && isItem, full) {
			break
		}
		parts = append(parts, ln.Text)
	}
	h.Title = shape.Join(parts)
	h.End = j
	return h
}

// stopsTitle reports whether line i can belong to no title.
func (s *walk) stopsTitle(i int) bool {
	text := s.Rows[i].Text
	if s.Rows[i].Result {
		return true
	}
	if attendance.IsHeader(text) {
		return true
	}
	if kind, _, ok := s.Dialect.Label(text, false); ok && kind != dialect.Next {
		return true
	}
	return dialect.IsMotionLabel(text) || s.movesAt(i)
}

// beginsBody reports whether a line below a title begins the text of the item: by its first words, or because the title is set in capitals,
// has come to its end before the margin, and this is a sentence. In a column of titles only a plain sentence counts.
func (s *walk) beginsBody(text string, title []string, column, full bool) bool {
	if c := text[0]; c >= 'a' && c <= 'z' {
		return false // a sentence would begin with a capital
	}
	if s.Dialect.StopsMotion(text) {
		return true
	}
	if strings.HasPrefix(text, "It is ") && s.Dialect.LowerWords(text) >= 3 {
		return true
	}
	if !column || !full {
		if s.Dialect.StartsBody(text) {
			return true
		}
	}
	lower := s.Dialect.LowerWords(text)
	if lower < 2 || s.Dialect.LowerWords(strings.Join(title, " ")) > 0 {
		return false
	}
	// A sentence below a title in capitals.
	switch {
	case lower >= 5 && lower*2 >= strings.Count(text, " "):
		return true
	case !column:
		return !full || strings.Contains(text, ". ") || lower >= 6
	}
	return !full && lower >= 4
}

// isSponsor reports whether a line names members with their offices and nothing else: "COUNCILLOR ROE", "Mayor Doe, Councillor Roe".
func (s *walk) isSponsor(text string) bool {
	if len(text) > 160 {
		return false
	}
	for piece := range strings.SplitSeq(strings.TrimSuffix(text, ","), ",") {
		words := strings.Fields(piece)
		if len(words) < 2 || len(words) > 6 || !s.Dialect.IsOffice(words[0]) {
			return false
		}
		name := s.Dialect.StripTitle(strings.Join(words, " "))
		if len(words) == len(strings.Fields(name)) {
			name = strings.Join(words[1:], " ")
		}
		if !s.People.Resolve(name).Match.Found() {
			return false
		}
	}
	return true
}

// movesAt reports whether a motion begins at line i.
func (s *walk) movesAt(i int) bool {
	_, _, ok := s.MotionAt(i)
	return ok
}

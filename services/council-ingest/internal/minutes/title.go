package minutes

import (
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// heading is a marker's title with the file number that stands before or below
// it.
type heading struct {
	title string
	file  string
	end   int // the first line after it
}

// readHeading collects the title that begins at line i behind marker m. It
// ends before a blank line, a vote, a line of its own with a file number, a
// sponsor or the fate of the item, and where the text below the title begins:
// further left than the title in a hanging layout, with a sentence in text
// without columns.
func (s *scan) readHeading(i int, m shape.Marker, isItem bool) heading {
	h := heading{end: i + 1}
	var parts []string
	at := i
	if m.Text == "" {
		// The number stands alone; its title is the next paragraph.
		at = s.nextText(i + 1)
		if at < 0 || at > i+4 || s.stopsTitle(at) || s.isLone(at) || !isItem && (s.p.dialect.LowerWords(s.lines[at].Text) > 1 || !shape.IsTitle(s.lines[at].Text)) {
			return h
		}
		parts = append(parts, s.lines[at].Text)
	} else {
		parts = append(parts, m.Text)
	}
	first := s.lines[i]
	titleCol := first.Indent + m.Col
	hanging := m.Text != "" && s.hanging(m)
	if isItem {
		h.file, parts[0] = shape.CutFileNumber(parts[0], s.lastFile)
	}
	j := at + 1
	for ; j < len(s.lines) && j < at+40; j++ {
		ln := s.lines[j]
		if ln.Text == "" || s.stopsTitle(j) {
			break
		}
		if mk, ok := s.markerAt(j); ok && (s.wouldOpen(j, mk) || !isItem && (mk.Kind != shape.Roman || mk.Also > 0)) {
			break
		}
		if s.isSubheading(j) || ln.NewPage && s.top == shape.NoMark && shape.IsCapitals(ln.Text) && !shape.IsCapitals(parts[0]) && s.isUnnumbered(j) {
			break
		}
		full := !s.fits(j-1, ln.Text)
		if ln.NewPage && shape.IsSentence(ln.Text) && (!full || hanging && ln.Indent < titleCol-6) {
			break // the blank line between them is lost at the page's edge
		}
		if isItem && (h.file == "" && shape.IsFileNumber(ln.Text) && !(full && shape.WantsNumber(parts[len(parts)-1])) || s.isSponsor(ln.Text) || s.p.dialect.IsFate(ln.Text) && (!full || shape.IsCapitals(ln.Text) && !shape.IsCapitals(parts[0]))) {
			break
		}
		// In a hanging layout what stands left of the title is the text below
		// it, and a sentence that stands right of it too; the margins of a new
		// page can lie elsewhere.
		if off := ln.Indent - titleCol; hanging && ln.Page == first.Page && (off < -2 || off > 2 || off > 1 && s.p.dialect.LowerWords(ln.Text) > 1) {
			break
		}
		if s.beginsBody(ln.Text, parts, hanging && isItem, full) {
			break
		}
		parts = append(parts, ln.Text)
	}
	h.title = shape.Join(parts)
	h.end = j
	return h
}

// fits reports whether the first word of the next line would have had room at
// the end of line i: then the line was not broken by the margin.
func (s *scan) fits(i int, next string) bool {
	word := next
	if k := strings.IndexByte(next, ' '); k > 0 {
		word = next[:k]
	}
	edge := s.lines[i].Indent + len(s.lines[i].Text) + 1 + len(word)
	return edge*100 <= s.width*94
}

// nextText is the first line from i on that is not blank, or -1.
func (s *scan) nextText(i int) int {
	for ; i < len(s.lines); i++ {
		if s.lines[i].Text != "" {
			return i
		}
	}
	return -1
}

// isLone reports whether line i holds nothing but a marker.
func (s *scan) isLone(i int) bool {
	m, ok := s.markerAt(i)
	return ok && m.Text == ""
}

// stopsTitle reports whether line i can belong to no title.
func (s *scan) stopsTitle(i int) bool {
	text := s.lines[i].Text
	if s.isResultLabel(i) {
		return true
	}
	if _, ok := attendeeHeader(text); ok {
		return true
	}
	if kind, _, ok := s.p.dialect.Label(text, false); ok && kind != dialect.Next {
		return true
	}
	return dialect.IsMotionLabel(text) || s.motionIn(i) != nil
}

// beginsBody reports whether a line below a title begins the text of the item:
// by its first words, or because the title is set in capitals, has come to its
// end before the margin, and this is a sentence. In a column of titles only a
// plain sentence counts.
func (s *scan) beginsBody(text string, title []string, column, full bool) bool {
	if c := text[0]; c >= 'a' && c <= 'z' {
		return false // a sentence would begin with a capital
	}
	if s.p.dialect.StopsMotion(text) {
		return true
	}
	if strings.HasPrefix(text, "It is ") && s.p.dialect.LowerWords(text) >= 3 {
		return true
	}
	if !column || !full {
		if s.p.dialect.StartsBody(text) {
			return true
		}
	}
	lower := s.p.dialect.LowerWords(text)
	if lower < 2 || s.p.dialect.LowerWords(strings.Join(title, " ")) > 0 {
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

// isSponsor reports whether a line names members with their offices and
// nothing else: "COUNCILLOR ROE", "Mayor Doe, Councillor Roe".
func (s *scan) isSponsor(text string) bool {
	if len(text) > 160 {
		return false
	}
	for piece := range strings.SplitSeq(strings.TrimSuffix(text, ","), ",") {
		words := strings.Fields(piece)
		if len(words) < 2 || len(words) > 6 || !s.p.dialect.IsOffice(words[0]) {
			return false
		}
		name := s.p.dialect.StripTitle(strings.Join(words, " "))
		if len(words) == len(strings.Fields(name)) {
			name = strings.Join(words[1:], " ")
		}
		if !s.people.Resolve(name).Match.Found() {
			return false
		}
	}
	return true
}

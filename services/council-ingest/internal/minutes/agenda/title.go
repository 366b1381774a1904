package agenda

import (
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/attendance"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lex"
)

// heading is a marker's title with the file number that stands before or below it.
type heading struct {
	Title string
	File  string
	End   int // the first line after it
}

// readHeading collects the title that begins at line i behind marker m. It ends before a blank
// line, a vote, a line of its own with a file number, a sponsor or the fate of the item, and where
// the text below the title begins: further left than the title in a hanging layout, with a sentence
// in text without columns.
func (s *Reader) readHeading(i int, m lex.Marker, isItem bool) heading {
	h := heading{End: i + 1}
	parts, at := []string{m.Text}, i
	if m.Text == "" {
		// The number stands alone; its title is the next paragraph.
		at = s.Next(i + 1)
		if at < 0 || at > i+4 || s.stopsTitle(at) || s.IsLone(at) || !isItem && s.Dialect.LowerWords(s.Rows[at].Text) > 1 {
			return h
		}
		parts[0] = s.Rows[at].Text
	}
	if isItem {
		h.File, parts[0] = lex.CutFileNumber(parts[0], s.lastFile)
	}
	hanging := m.Text != "" && s.Hanging(m)
	for h.End = at + 1; h.End < min(len(s.Rows), at+40); h.End++ {
		j := h.End
		ln := s.Rows[j]
		if ln.Text == "" || s.stopsTitle(j) || s.opensBelow(j, isItem, parts) {
			break
		}
		full := !s.Fits(j-1, ln.Text)
		off := ln.Indent - s.Rows[i].Indent - m.Col
		if ln.NewPage && lex.IsSentence(ln.Text) && (!full || hanging && off < -6) {
			break // the blank line between them is lost at the page's edge
		}
		if isItem && s.followsTitle(ln.Text, parts, h.File == "", full) {
			break
		}
		// In a hanging layout what stands left of the title is the text below it, and what stands right
		// of it too; the margins of a new page can lie elsewhere.
		if hanging && ln.Page == s.Rows[i].Page && (off < -2 || off > 1 && s.Dialect.LowerWords(ln.Text) > 1) {
			break
		}
		if s.beginsBody(ln.Text, parts, hanging && isItem, full) {
			break
		}
		parts = append(parts, ln.Text)
	}
	h.Title = lex.Join(parts)
	return h
}

// opensBelow reports whether another heading or item begins at line j, below the lines of a title.
func (s *Reader) opensBelow(j int, isItem bool, title []string) bool {
	if m, ok := s.MarkerAt(j); ok && (s.wouldOpen(j, m) || !isItem && (m.Kind != lex.Roman || m.Also > 0)) {
		return true
	}
	ln := s.Rows[j]
	return s.isSubheading(j) ||
		ln.NewPage && s.top == lex.NoMark && lex.IsCapitals(ln.Text) && !lex.IsCapitals(title[0]) && s.isUnnumbered(j)
}

// followsTitle reports whether a line below the title of an item is its file number, where that is
// wanted, its sponsor or its fate.
func (s *Reader) followsTitle(text string, title []string, wantsFile, full bool) bool {
	if wantsFile && lex.IsFileNumber(text) && !(full && lex.WantsNumber(title[len(title)-1])) || s.isSponsor(text) {
		return true
	}
	return s.Dialect.IsFate(text) && (!full || lex.IsCapitals(text) && !lex.IsCapitals(title[0]))
}

// stopsTitle reports whether line i can belong to no title.
func (s *Reader) stopsTitle(i int) bool {
	text := s.Rows[i].Text
	row, _, labelled := s.Dialect.Label(text, false)
	return s.Rows[i].Result || attendance.IsHeader(text) || labelled && row != dialect.Next ||
		dialect.IsMotionLabel(text) || s.movesAt(i)
}

// beginsBody reports whether a line below a title begins the text of the item: by its first words,
// or because the title is set in capitals, has come to its end before the margin, and this is a
// sentence. In a column of titles only a plain sentence counts.
func (s *Reader) beginsBody(text string, title []string, column, full bool) bool {
	if c := text[0]; c >= 'a' && c <= 'z' {
		return false // a sentence would begin with a capital
	}
	if s.Dialect.StopsMotion(text) || (!column || !full) && s.Dialect.StartsBody(text) {
		return true
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

// isSubheading knows headings without a number: in capitals, on a line of their own, centred on the
// page or of well-known words.
func (s *Reader) isSubheading(i int) bool {
	ln := s.Rows[i]
	if len(ln.Text) > 60 || ln.Text[0] < 'A' || ln.Text[0] > 'Z' {
		return false
	}
	if ln.Text != strings.ToUpper(ln.Text) {
		return false
	}
	known := s.Dialect.IsHeading(ln.Text)
	if !s.breakBefore(i) && !(known && s.Fits(i-1, ln.Text)) || strings.ContainsAny(ln.Text, "0123456789:.,") {
		return false
	}
	if known && (s.top == lex.NoMark || dialect.IsConsent(ln.Text)) {
		return true
	}
	if s.sec == nil || !known && (s.Flat || ln.Indent < 24 || s.isSponsor(ln.Text)) {
		return false
	}
	// A list of items begins right below it.
	next := s.Next(i + 1)
	if next < 0 {
		return false
	}
	m, ok := s.MarkerAt(next)
	return ok && m.Kind != lex.Bullet
}

// isUnnumbered reports whether line i is a heading in a document that numbers its items only: a
// title on one line with the first item of a list below it, or a consent heading.
func (s *Reader) isUnnumbered(i int) bool {
	text := s.Rows[i].Text
	if len(text) > 100 || !lex.IsUpper(text[0]) || strings.ContainsAny(text[len(text)-1:], ".,;:") ||
		s.Dialect.LowerWords(text) > 0 {
		return false
	}
	if !s.breakBefore(i) && !s.Fits(i-1, text) && !strings.HasSuffix(s.Rows[i-1].Text, ".") {
		return false
	}
	if dialect.IsConsent(text) && len(text) < 40 {
		return true
	}
	next := s.Next(i + 1)
	if next < 0 || s.isSponsor(text) || lex.IsFileNumber(text) || s.Dialect.IsDateLine(text) {
		return false
	}
	m, ok := s.MarkerAt(next)
	if !ok {
		// A heading with a vote of its own.
		return strings.Contains(text, " ") && !strings.EqualFold(text, "the vote") &&
			(s.Rows[next].Result || s.movesAt(next)) && i >= s.lastBlock
	}
	if m.Text != "" && !lex.IsTitle(m.Text) && !s.Hanging(m) {
		return false
	}
	if s.item == nil || s.sec == nil {
		return true
	}
	// Right below the list there is no heading, but the text of an item.
	return m.Value <= s.sec.LastValue[m.Kind] || m.Kind != s.item.Kind || s.Next(s.freshFrom) == i
}

// isBareAdjourn knows the heading that ends a meeting in a document that does not number its
// headings.
func (s *Reader) isBareAdjourn(i int) bool {
	switch strings.ToLower(strings.TrimSuffix(s.Rows[i].Text, ":")) {
	case "adjournment", "adjourn", "meeting adjourned":
		return s.breakBefore(i)
	}
	return false
}

// isLateTitle reports whether line i is the title of the heading whose number column order has put
// further up, before the text of the section above: a heading of well-known words, or the first
// short line in capitals after a number that no title followed.
func (s *Reader) isLateTitle(i int) bool {
	sec := s.sec
	if sec == nil || sec.Number == "" || len(sec.Items) > 0 || len(sec.Blocks) > 0 || sec.Own != nil ||
		!s.breakBefore(i) || i-sec.Line > 80 {
		return false
	}
	text := s.Rows[i].Text
	if len(text) > 70 || !lex.IsUpper(text[0]) || strings.HasSuffix(text, ".") || strings.HasSuffix(text, ":") ||
		dialect.IsMotionLabel(text) {
		return false
	}
	if s.Dialect.IsHeading(text) && s.Flat {
		return !s.Dialect.IsHeading(sec.Title)
	}
	return sec.Untitled && s.Dialect.LowerWords(text) == 0 && !strings.Contains(text, ",")
}

package agenda

import (
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/attend"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lex"
)

type heading struct {
	Title string
	File  string
	End   int // first line after the heading
}

// readHeading reads the title after marker m at line i. The title ends before a blank line, a vote,
// body text, or a line with a file number, a sponsor or the outcome of the item. In a hanging
// layout, body text begins further left. In text without columns, it begins with a sentence.
func (s *Reader) readHeading(i int, m lex.Marker, isItem bool) heading {
	h := heading{End: i + 1}
	parts, at := []string{m.Text}, i
	if m.Text == "" {
		// The title is the next paragraph.
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
			break // the page break removed the blank line
		}
		if isItem && s.followsTitle(ln.Text, parts, h.File == "", full) {
			break
		}
		// In a hanging layout, body text is not aligned with the title. Margins differ between pages.
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

func (s *Reader) opensBelow(j int, isItem bool, title []string) bool {
	if m, ok := s.MarkerAt(j); ok {
		_, item := s.isItemMark(j, m)
		if item || s.isTop(j, m) || !isItem && (m.Kind != lex.Roman || m.Also > 0) {
			return true
		}
	}
	ln := s.Rows[j]
	return s.isSubheading(j) ||
		ln.NewPage && s.top == lex.NoMark && lex.IsCapitals(ln.Text) && !lex.IsCapitals(title[0]) && s.isUnnumbered(j)
}

func (s *Reader) followsTitle(text string, title []string, wantsFile, full bool) bool {
	if wantsFile && lex.IsFileNumber(text) && !(full && lex.WantsNumber(title[len(title)-1])) || s.isSponsor(text) {
		return true
	}
	return s.Dialect.IsFate(text) && (!full || lex.IsCapitals(text) && !lex.IsCapitals(title[0]))
}

func (s *Reader) stopsTitle(i int) bool {
	text := s.Rows[i].Text
	row, _, labelled := s.Dialect.Label(text, false)
	return s.Rows[i].Result || attend.IsTable(text) || labelled && row != dialect.Next || dialect.IsMotionLabel(text) ||
		s.movesAt(i)
}

// beginsBody reports whether a line below a title begins the text of the item. It does if its first
// words say so, or if it is a sentence and the title is in capitals and did not wrap. In a column
// of titles only plain sentences count.
func (s *Reader) beginsBody(text string, title []string, column, full bool) bool {
	if c := text[0]; c >= 'a' && c <= 'z' {
		return false // it is not a sentence
	}
	if s.Dialect.StopsMotion(text) || (!column || !full) && s.Dialect.StartsBody(text) {
		return true
	}
	lower := s.Dialect.LowerWords(text)
	if lower < 2 || s.Dialect.LowerWords(strings.Join(title, " ")) > 0 {
		return false
	}
	// A sentence follows a title in capitals.
	switch {
	case lower >= 5 && lower*2 >= strings.Count(text, " "):
		return true
	case !column:
		return !full || strings.Contains(text, ". ") || lower >= 6
	}
	return !full && lower >= 4
}

// isSubheading reports whether line i is a heading without a number: a separate line in capitals
// that is centred or has known words.
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
	// A list of items must follow.
	next := s.Next(i + 1)
	if next < 0 {
		return false
	}
	m, ok := s.MarkerAt(next)
	return ok && m.Kind != lex.Bullet
}

// isUnnumbered reports whether line i is a heading in a document that only numbers its items: a
// line above the first item of a list, or a consent heading.
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
		// The heading has its own vote.
		return strings.Contains(text, " ") && !strings.EqualFold(text, "the vote") &&
			(s.Rows[next].Result || s.movesAt(next)) && i >= s.lastBlock
	}
	if m.Text != "" && !lex.IsTitle(m.Text) && !s.Hanging(m) {
		return false
	}
	if s.item == nil || s.sec == nil {
		return true
	}
	// Below an item, this is the text of the item.
	return m.Value <= s.sec.LastValue[m.Kind] || m.Kind != s.item.Kind || s.Next(s.freshFrom) == i
}

func (s *Reader) isBareAdjourn(i int) bool {
	switch strings.ToLower(strings.TrimSuffix(s.Rows[i].Text, ":")) {
	case "adjournment", "adjourn", "meeting adjourned":
		return s.breakBefore(i)
	}
	return false
}

// isLateTitle reports whether line i is the title of the current heading, if the heading's number
// is further up. This happens in text in column order. The title consists of known words, or is the
// first short line in capitals.
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

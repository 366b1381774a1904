package walk

import (
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// isSubheading knows headings without a number: in capitals, on a line of their own, centred on the page or of well-known words.
func (s *Walk) isSubheading(i int) bool {
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
	if known && (s.Top == shape.NoMark || dialect.IsConsent(ln.Text)) {
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
	return ok && m.Kind != shape.Bullet
}

// isUnnumbered reports whether line i is a heading in a document that numbers its items only: a title on one line with the first item of a
// list below it, or a consent heading.
func (s *Walk) isUnnumbered(i int) bool {
	text := s.Rows[i].Text
	if len(text) > 100 || !shape.IsUpper(text[0]) || strings.ContainsAny(text[len(text)-1:], ".,;:") || s.Dialect.LowerWords(text) > 0 {
		return false
	}
	if !s.breakBefore(i) && !s.Fits(i-1, text) && !strings.HasSuffix(s.Rows[i-1].Text, ".") {
		return false
	}
	if dialect.IsConsent(text) && len(text) < 40 {
		return true
	}
	next := s.Next(i + 1)
	if next < 0 || s.isSponsor(text) || shape.IsFileNumber(text) || s.Dialect.IsDateLine(text) {
		return false
	}
	m, ok := s.MarkerAt(next)
	if !ok {
		// A heading with a vote of its own.
		return strings.Contains(text, " ") && !strings.EqualFold(text, "the vote") && (s.Rows[next].Result || s.movesAt(next)) && i >= s.lastBlock
	}
	if m.Text != "" && !shape.IsTitle(m.Text) && !s.Hanging(m) {
		return false
	}
	if s.item == nil || s.sec == nil {
		return true
	}
	// Right below the list there is no heading, but the text of an item.
	return m.Value <= s.sec.LastValue[m.Kind] || m.Kind != s.item.Kind || s.Next(s.freshFrom) == i
}

// isBareAdjourn knows the heading that ends a meeting in a document that does not number its headings.
func (s *Walk) isBareAdjourn(i int) bool {
	switch strings.ToLower(strings.TrimSuffix(s.Rows[i].Text, ":")) {
	case "adjournment", "adjourn", "meeting adjourned":
		return s.breakBefore(i)
	}
	return false
}

// isLateTitle reports whether line i is the title of the heading whose number column order has put further up, before the text of the
// section above: a heading of well-known words, or the first short line in capitals after a number that no title followed.
func (s *Walk) isLateTitle(i int) bool {
	sec := s.sec
	if sec == nil || sec.Number == "" || len(sec.Items) > 0 || len(sec.Blocks) > 0 || sec.Own != nil || !s.breakBefore(i) || i-sec.Line > 80 {
		return false
	}
	text := s.Rows[i].Text
	if len(text) > 70 || !shape.IsUpper(text[0]) || strings.HasSuffix(text, ".") || strings.HasSuffix(text, ":") || dialect.IsMotionLabel(text) {
		return false
	}
	if s.Dialect.IsHeading(text) && s.Flat {
		return !s.Dialect.IsHeading(sec.Title)
	}
	return sec.Untitled && s.Dialect.LowerWords(text) == 0 && !strings.Contains(text, ",")
}

package minutes

import (
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/agenda"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
	"github.com/townline/townline/services/council-ingest/internal/minutes/vote"
)

// openAt opens the heading or item at line i and returns the line after it; i when there is none.
func (s *walk) openAt(i int) int {
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
	if text := s.Rows[i].Text; strings.IndexByte(text, '[') > 0 && s.Dialect.LooksLikeResult(text) {
		return i // the value of a RESULT whose label stands on the next page
	}
	if m, ok := s.fileHeading(i); ok {
		if s.sec == nil {
			s.enter(&agenda.Section{Page: s.Rows[i].Page, Line: i})
		}
		return s.openItem(i, m)
	}
	if s.isLateTitle(i) {
		s.sec.Title, s.sec.Untitled = s.Rows[i].Text, false
		s.sec.Consent, s.sec.Removed = council.ConsentHeading(s.sec.Title)
		s.sec.Adjourn = dialect.IsAdjourn(s.sec.Title)
		s.freshFrom = i + 1
		return i + 1
	}
	if s.Top == shape.NoMark && (s.isUnnumbered(i) || s.isBareAdjourn(i)) || s.isSubheading(i) {
		s.openSubheading(i)
		s.freshFrom = i + 1
		return i + 1
	}
	return i
}

// wouldOpen reports whether the marker at line i begins a heading or an item.
func (s *walk) wouldOpen(i int, m shape.Marker) bool {
	if s.isTop(i, m) {
		return true
	}
	_, ok := s.isItemMark(i, m)
	return ok
}

func (s *walk) openSection(i int, m shape.Marker) int {
	if m.Kind == shape.Roman && s.Top == shape.Letter {
		m.Value = m.Also
	}
	s.lastTop = m.Value
	h := s.readHeading(i, m, false)
	if s.topIndent < 0 || s.Rows[i].Indent < s.topIndent || s.Rows[i].NewPage {
		s.topIndent = s.Rows[i].Indent
	}
	s.enter(&agenda.Section{Number: m.Label, Title: h.Title, Page: s.Rows[i].Page, Line: i, Untitled: h.Title == ""})
	s.freshFrom = h.End
	s.closing = 0
	if s.sec.Adjourn {
		s.closing = h.End
	}
	return h.End
}

func (s *walk) enter(sec *agenda.Section) {
	sec.Consent, sec.Removed = council.ConsentHeading(sec.Title)
	sec.Adjourn = dialect.IsAdjourn(sec.Title)
	sec.LastValue = map[shape.Kind]int{}
	if s.sec != nil {
		s.sec.Until = sec.Line
	}
	s.Sections = append(s.Sections, sec)
	s.sec, s.item = sec, nil
	s.motions.Clear()
	s.headedFrom = sec.Line
}

// isLateTitle reports whether line i is the title of the heading whose number column order has put further up, before the text of the
// section above: a heading of well-known words, or the first short line in capitals after a number that no title followed.
func (s *walk) isLateTitle(i int) bool {
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

// fileHeading reads line i as the heading of an item in a document without outline, such as a packet of resolutions: "2026-12 Sets Fees",
// or "RESOLUTION NO. 2026-12" above its title.
func (s *walk) fileHeading(i int) (shape.Marker, bool) {
	if s.Top != shape.NoMark || !s.breakBefore(i) && !s.Fits(i-1, s.Rows[i].Text) {
		return shape.Marker{}, false
	}
	if cur := s.item; cur != nil {
		for cur.Parent != nil {
			cur = cur.Parent
		}
		if cur.Kind != shape.File && !cur.Heading {
			return shape.Marker{}, false
		}
	}
	text := s.Rows[i].Text
	if file, title := shape.CutFileNumber(text, s.lastFile); file != "" && shape.IsTitle(title) {
		return shape.Marker{Kind: shape.File, Text: text}, true
	}
	if _, ok := shape.ResolutionNumber(text); ok {
		return shape.Marker{Kind: shape.File}, true
	}
	return shape.Marker{}, false
}

// isSubheading knows headings without a number: in capitals, on a line of their own, centred on the page or of well-known words.
func (s *walk) isSubheading(i int) bool {
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
func (s *walk) isUnnumbered(i int) bool {
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
func (s *walk) isBareAdjourn(i int) bool {
	switch strings.ToLower(strings.TrimSuffix(s.Rows[i].Text, ":")) {
	case "adjournment", "adjourn", "meeting adjourned":
		return s.breakBefore(i)
	}
	return false
}

func (s *walk) openSubheading(i int) {
	above := s.sec
	for above != nil && above.Parent != nil {
		above = above.Parent
	}
	if above != nil && above.Number == "" {
		above = nil // headings without number stand side by side
	}
	sec := &agenda.Section{Title: s.Rows[i].Text, Page: s.Rows[i].Page, Line: i, Parent: above}
	s.enter(sec)
	if s.closing = 0; s.Top == shape.NoMark && s.isBareAdjourn(i) {
		s.closing = i + 1
	}
	sec.Consent = sec.Consent || above != nil && above.Consent && !sec.Removed
}

func (s *walk) openItem(i int, m shape.Marker) int {
	s.sec.LastValue[m.Kind] = m.Value
	if m.Kind == shape.Number {
		s.lastNumber = m.Value
	}
	h := s.readHeading(i, m, true)
	if m.Kind == shape.File && h.File == "" {
		h.File, _ = shape.ResolutionNumber(s.Rows[i].Text)
	}
	it := &agenda.Item{Number: m.Label, File: h.File, Title: h.Title, Page: s.Rows[i].Page, Line: i, Sec: s.sec, Kind: m.Kind, Alone: true}
	// A marker of another style than the item's is perhaps only a list in it.
	switch cur := s.item; {
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
	if last := s.motions.Last(); len(s.sec.Items) == 0 && s.sec.Consent && last != nil {
		s.sec.Motion = last // of all items of the list
	}
	s.sec.Items = append(s.sec.Items, it)
	s.item = it
	s.headedFrom = it.Line
	s.knowFile(it)
	s.motions.Clear()
	s.freshFrom = h.End
	return h.End
}

// openDisplaced opens the heading whose number column order has put into a table; its title stands behind the table.
func (s *walk) openDisplaced(b *vote.Block) int {
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

// knowFile remembers the item of a file number, the first one to show it.
func (s *walk) knowFile(it *agenda.Item) {
	if it.File == "" {
		return
	}
	s.lastFile = it.File
	if s.files[it.File] == nil {
		s.files[it.File] = it
	}
}

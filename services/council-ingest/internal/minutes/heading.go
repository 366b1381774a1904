package minutes

import (
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// openAt opens the heading or item at line i and returns the line after it; i
// when there is none.
func (s *scan) openAt(i int) int {
	if m, ok := s.markerAt(i); ok {
		if s.isTop(i, m) {
			return s.openSection(i, m)
		}
		if m, ok := s.isItemMark(i, m); ok {
			return s.openItem(i, m)
		}
		return i
	}
	if text := s.lines[i].Text; strings.IndexByte(text, '[') > 0 && s.p.dialect.LooksLikeResult(text) {
		return i // the value of a RESULT whose label stands on the next page
	}
	if m, ok := s.fileHeading(i); ok {
		if s.sec == nil {
			s.enter(&section{Page: s.lines[i].Page, line: i})
		}
		return s.openItem(i, m)
	}
	if s.isLateTitle(i) {
		s.sec.title, s.sec.untitled = s.lines[i].Text, false
		s.sec.consent, s.sec.removed = council.ConsentHeading(s.sec.title)
		s.sec.adjourn = dialect.IsAdjourn(s.sec.title)
		s.freshFrom = i + 1
		return i + 1
	}
	if s.top == shape.NoMark && (s.isUnnumbered(i) || s.isBareAdjourn(i)) || s.isSubheading(i) {
		s.openSubheading(i)
		s.freshFrom = i + 1
		return i + 1
	}
	return i
}

// wouldOpen reports whether the marker at line i begins a heading or an item.
func (s *scan) wouldOpen(i int, m shape.Marker) bool {
	if s.isTop(i, m) {
		return true
	}
	_, ok := s.isItemMark(i, m)
	return ok
}

func (s *scan) openSection(i int, m shape.Marker) int {
	if m.Kind == shape.Roman && s.top == shape.Letter {
		m.Value = m.Also
	}
	s.lastTop = m.Value
	h := s.readHeading(i, m, false)
	if s.topIndent < 0 || s.lines[i].Indent < s.topIndent || s.lines[i].NewPage {
		s.topIndent = s.lines[i].Indent
	}
	s.enter(&section{number: m.Label, title: h.title, Page: s.lines[i].Page, line: i, untitled: h.title == ""})
	s.freshFrom = h.end
	s.closing = 0
	if s.sec.adjourn {
		s.closing = h.end
	}
	return h.end
}

func (s *scan) enter(sec *section) {
	sec.consent, sec.removed = council.ConsentHeading(sec.title)
	sec.adjourn = dialect.IsAdjourn(sec.title)
	sec.lastValue = map[shape.Kind]int{}
	if s.sec != nil {
		s.sec.until = sec.line
	}
	s.sections = append(s.sections, sec)
	s.sec, s.item = sec, nil
	s.motions = nil
	s.headedFrom = sec.line
}

// isLateTitle reports whether line i is the title of the heading whose number
// column order has put further up, before the text of the section above: a
// heading of well-known words, or the first short line in capitals after a
// number that no title followed.
func (s *scan) isLateTitle(i int) bool {
	sec := s.sec
	if sec == nil || sec.number == "" || len(sec.items) > 0 || len(sec.blocks) > 0 || sec.own != nil || !s.breakBefore(i) || i-sec.line > 80 {
		return false
	}
	text := s.lines[i].Text
	if len(text) > 70 || !shape.IsUpper(text[0]) || strings.HasSuffix(text, ".") || strings.HasSuffix(text, ":") || dialect.IsMotionLabel(text) {
		return false
	}
	if s.p.dialect.IsHeading(text) && s.flat {
		return !s.p.dialect.IsHeading(sec.title)
	}
	return sec.untitled && s.p.dialect.LowerWords(text) == 0 && !strings.Contains(text, ",")
}

// fileHeading reads line i as the heading of an item in a document without
// outline, such as a packet of resolutions: "2026-12 Sets Fees", or
// "RESOLUTION NO. 2026-12" above its title.
func (s *scan) fileHeading(i int) (shape.Marker, bool) {
	if s.top != shape.NoMark || !s.breakBefore(i) && !s.fits(i-1, s.lines[i].Text) {
		return shape.Marker{}, false
	}
	if cur := s.item; cur != nil {
		for cur.parent != nil {
			cur = cur.parent
		}
		if cur.Kind != shape.File && !cur.heading {
			return shape.Marker{}, false
		}
	}
	text := s.lines[i].Text
	if file, title := shape.CutFileNumber(text, s.lastFile); file != "" && shape.IsTitle(title) {
		return shape.Marker{Kind: shape.File, Text: text}, true
	}
	if _, ok := shape.ResolutionNumber(text); ok {
		return shape.Marker{Kind: shape.File}, true
	}
	return shape.Marker{}, false
}

// isSubheading knows headings without a number: in capitals, on a line of
// their own, centred on the page or of well-known words.
func (s *scan) isSubheading(i int) bool {
	ln := s.lines[i]
	if len(ln.Text) > 60 || ln.Text[0] < 'A' || ln.Text[0] > 'Z' {
		return false
	}
	if ln.Text != strings.ToUpper(ln.Text) {
		return false
	}
	known := s.p.dialect.IsHeading(ln.Text)
	if !s.breakBefore(i) && !(known && s.fits(i-1, ln.Text)) || strings.ContainsAny(ln.Text, "0123456789:.,") {
		return false
	}
	if known && (s.top == shape.NoMark || dialect.IsConsent(ln.Text)) {
		return true
	}
	if s.sec == nil || !known && (s.flat || ln.Indent < 24 || s.isSponsor(ln.Text)) {
		return false
	}
	// A list of items begins right below it.
	next := s.nextText(i + 1)
	if next < 0 {
		return false
	}
	m, ok := s.markerAt(next)
	return ok && m.Kind != shape.Bullet
}

// isUnnumbered reports whether line i is a heading in a document that numbers
// its items only: a title on one line with the first item of a list below it,
// or a consent heading.
func (s *scan) isUnnumbered(i int) bool {
	text := s.lines[i].Text
	if len(text) > 100 || !shape.IsUpper(text[0]) || strings.ContainsAny(text[len(text)-1:], ".,;:") || s.p.dialect.LowerWords(text) > 0 {
		return false
	}
	if !s.breakBefore(i) && !s.fits(i-1, text) && !strings.HasSuffix(s.lines[i-1].Text, ".") {
		return false
	}
	if dialect.IsConsent(text) && len(text) < 40 {
		return true
	}
	next := s.nextText(i + 1)
	if next < 0 || s.isSponsor(text) || shape.IsFileNumber(text) || s.p.dialect.IsDateLine(text) {
		return false
	}
	m, ok := s.markerAt(next)
	if !ok {
		// A heading with a vote of its own.
		return strings.Contains(text, " ") && !strings.EqualFold(text, "the vote") && (s.isResultLabel(next) || s.motionIn(next) != nil) && i >= s.lastBlock
	}
	if m.Text != "" && !shape.IsTitle(m.Text) && !s.hanging(m) {
		return false
	}
	if s.item == nil || s.sec == nil {
		return true
	}
	// Right below the list there is no heading, but the text of an item.
	return m.Value <= s.sec.lastValue[m.Kind] || m.Kind != s.item.Kind || s.nextText(s.freshFrom) == i
}

// isBareAdjourn knows the heading that ends a meeting in a document that does
// not number its headings.
func (s *scan) isBareAdjourn(i int) bool {
	switch strings.ToLower(strings.TrimSuffix(s.lines[i].Text, ":")) {
	case "adjournment", "adjourn", "meeting adjourned":
		return s.breakBefore(i)
	}
	return false
}

func (s *scan) openSubheading(i int) {
	above := s.sec
	for above != nil && above.parent != nil {
		above = above.parent
	}
	if above != nil && above.number == "" {
		above = nil // headings without number stand side by side
	}
	sec := &section{title: s.lines[i].Text, Page: s.lines[i].Page, line: i, parent: above}
	s.enter(sec)
	if s.closing = 0; s.top == shape.NoMark && s.isBareAdjourn(i) {
		s.closing = i + 1
	}
	sec.consent = sec.consent || above != nil && above.consent && !sec.removed
}

func (s *scan) openItem(i int, m shape.Marker) int {
	s.sec.lastValue[m.Kind] = m.Value
	if m.Kind == shape.Number {
		s.lastNumber = m.Value
	}
	h := s.readHeading(i, m, true)
	if m.Kind == shape.File && h.file == "" {
		h.file, _ = shape.ResolutionNumber(s.lines[i].Text)
	}
	it := &item{number: m.Label, file: h.file, title: h.title, Page: s.lines[i].Page, line: i, sec: s.sec, Kind: m.Kind, alone: true}
	// A marker of another style than the item's is perhaps only a list in it.
	switch cur := s.item; {
	case cur == nil || cur.heading:
	case cur.Kind == m.Kind:
		it.parent = cur.parent
	case cur.parent != nil && cur.parent.Kind == m.Kind:
		it.parent = cur.parent.parent
	default:
		it.parent = cur
	}
	it.pulled = s.sec.consent && dialect.IsStub(h.title)
	if s.sec.consent && it.number != "" && s.onConsentList(m) == nil {
		if s.listed == nil {
			s.listed = map[string]*item{}
		}
		s.listed[dialect.ItemName(it.number)] = it
	}
	if len(s.sec.items) == 0 && s.sec.consent && len(s.motions) > 0 {
		s.sec.motion = s.motions[len(s.motions)-1] // of all items of the list
	}
	s.sec.items = append(s.sec.items, it)
	s.item = it
	s.headedFrom = it.line
	s.knowFile(it)
	s.motions = nil
	s.freshFrom = h.end
	return h.end
}

// openDisplaced opens the heading whose number column order has put into a
// table; its title stands behind the table.
func (s *scan) openDisplaced(b *block) int {
	m, _ := s.markerAt(b.displaced)
	behind := b.end - 1
	if s.isTop(b.displaced, m) {
		s.openSection(behind, m)
	} else if m, ok := s.isItemMark(b.displaced, m); ok {
		s.openItem(behind, m)
	} else {
		return b.end
	}
	return max(s.freshFrom, b.end)
}

// knowFile remembers the item of a file number, the first one to show it.
func (s *scan) knowFile(it *item) {
	if it.file == "" {
		return
	}
	s.lastFile = it.file
	if s.files == nil {
		s.files = map[string]*item{}
	}
	if s.files[it.file] == nil {
		s.files[it.file] = it
	}
}

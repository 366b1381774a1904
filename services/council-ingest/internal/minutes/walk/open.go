package walk

import (
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/agenda"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
	"github.com/townline/townline/services/council-ingest/internal/minutes/vote"
)

// openAt opens the heading or item at line i and returns the line after it; i when there is none.
func (s *Walk) openAt(i int) int {
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

func (s *Walk) openSection(i int, m shape.Marker) int {
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

func (s *Walk) openSubheading(i int) {
	above := s.sec
	for above != nil && above.Parent != nil {
		above = above.Parent
	}
	if above != nil && above.Number == "" {
		above = nil // headings without number stand side by side
	}
	sec := &agenda.Section{Title: s.Rows[i].Text, Page: s.Rows[i].Page, Line: i, Parent: above}
	s.enter(sec)
	s.closing = 0
	if s.Top == shape.NoMark && s.isBareAdjourn(i) {
		s.closing = i + 1
	}
	sec.Consent = sec.Consent || above != nil && above.Consent && !sec.Removed
}

func (s *Walk) openItem(i int, m shape.Marker) int {
	s.sec.LastValue[m.Kind] = m.Value
	if m.Kind == shape.Number {
		s.lastNumber = m.Value
	}
	h := s.readHeading(i, m, true)
	it := &agenda.Item{Number: m.Label, File: h.File, Title: h.Title, Page: s.Rows[i].Page, Line: i, Sec: s.sec, Kind: m.Kind, Alone: true}
	// A marker of another style than the item's is perhaps only a list in it.
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
func (s *Walk) openDisplaced(b *vote.Block) int {
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

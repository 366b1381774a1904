package agenda

import (
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lex"
	"github.com/townline/townline/services/council-ingest/internal/minutes/rows"
)

func (s *Reader) isTop(i int, m lex.Marker) bool {
	value := m.Value
	if s.top == lex.Letter && m.Kind == lex.Roman {
		value = m.Also
	} else if m.Kind != s.top {
		return false
	}
	last, indent := s.lastTop, s.Rows[i].Indent
	if m.Style != lex.NoStyle || value <= last {
		return false
	}
	// A letter or number that is indented more than the headings belongs to a list.
	if s.topIndent >= 0 && indent > s.topIndent+3 && !s.Flat {
		return false
	}
	switch {
	case value == last+1:
		return true
	case s.top != lex.Roman:
		return value <= last+3 && s.breakBefore(i)
	case m.Also == 0:
		return m.Text == "" || lex.IsTitle(m.Text)
	}
	return value <= last+3 || indent == s.topIndent && m.Text != "" && value <= last+12
}

// isItemMark reports whether a marker below the top level begins an item. It returns the marker
// with the interpretation that fits there.
func (s *Reader) isItemMark(i int, m lex.Marker) (lex.Marker, bool) {
	sec := s.sec
	if sec == nil || m.Kind == lex.Roman && m.Also == 0 {
		return m, false
	}
	if m.Kind == lex.Roman {
		m.Kind, m.Value = lex.Letter, m.Also
	}
	if dialect.FindSeconded(m.Text) >= 0 {
		return m, false // as in "… except item" above "1. Trustee Roe seconded"
	}
	last := sec.LastValue[lex.Letter]
	switch {
	case s.onConsentList(m) != nil:
		return m, true
	case m.Kind == lex.Bullet:
		return m, s.isItemBullet(i, m)
	case m.Kind == lex.Letter:
		free := m.Value > last || s.top == lex.NoMark
		return m, free && (m.Value <= 26 || last >= 25) && s.startsItem(i, m, last)
	case m.Kind == lex.Number, m.Kind == lex.Dotted:
		return m, s.isItemNumber(i, m)
	}
	return m, false
}

// isItemBullet reports whether a bullet begins an item: it must be under a heading and outside of a
// motion.
func (s *Reader) isItemBullet(i int, m lex.Marker) bool {
	root := s.item
	for root != nil && root.Parent != nil {
		root = root.Parent
	}
	if s.motions.IsPending() || root != nil && root.Kind != lex.Bullet && !root.Heading {
		return false
	}
	return m.Text != "" && lex.IsTitle(m.Text) && (s.breakBefore(i) || s.Fits(i-1, m.Text))
}

func (s *Reader) isItemNumber(i int, m lex.Marker) bool {
	sec, last, open := s.sec, s.sec.LastValue[m.Kind], s.motions.IsPending()
	hanging, apart := s.Hanging(m), s.breakBefore(i)
	// Many agendas number their items consecutively across sections.
	next := m.Value == last+1 || last == 0 && m.Kind == lex.Number && m.Value == s.lastNumber+1
	switch {
	case m.Kind == lex.Dotted && m.Major != s.lastTop && (m.Text == "" || s.top == lex.Number):
		return false // a decimal, or a number in another section
	case m.Text != "" && !lex.IsTitle(m.Text) && !hanging && !(next && apart):
		return false
	case open && s.item != nil && s.item.Kind != m.Kind && !hanging:
		return false // a list in a motion
	case next:
		return s.startsItem(i, m, last)
	case m.Value > last && apart:
		return m.Text != "" && !open || hanging || m.Text == "" && (m.Value <= last+10 || len(sec.Items) == 0 &&
			i-sec.Line <= 3)
	case m.Kind == lex.Dotted:
		return apart
	}
	// Items that were removed from a list leave gaps.
	return m.Value > last && m.Value <= last+10 && !open && hanging && strings.HasSuffix(s.Rows[i-1].Text, ".")
}

// startsItem reports whether an item can begin at a marker. The marker must be alone on its line,
// in a separate column, at the beginning of a paragraph, or be the next number after a line that
// did not wrap.
func (s *Reader) startsItem(i int, m lex.Marker, last int) bool {
	above := ""
	if i > 0 {
		above = s.Rows[i-1].Text
	}
	title, lower := m.Text != "" && lex.IsTitle(m.Text), s.Dialect.LowerWords(m.Text)
	switch {
	case m.Text == "" && !s.Flat && !s.breakBefore(i) && !lex.HasAnySuffix(above, ".", ":", ";", ")", "]", "?", "!"):
		return false // the number wrapped: "had been 4 to" above "1."
	case m.Text == "" || s.Hanging(m):
		return true
	case s.breakBefore(i):
		return title || m.Value == last+1
	case !title:
		return false
	case strings.HasSuffix(above, ".") && m.Value > last && lower == 0:
		return true // a title follows a sentence
	}
	before, ok := s.MarkerAt(i - 1)
	if ok && m.Kind == lex.Number && before.Kind == m.Kind && before.Value == last && m.Value == last+1 && lower == 0 {
		return true // the next title of a list
	}
	// The marker may be directly below the heading.
	first := (m.Value == 1 || m.Kind == lex.Number && m.Value == s.lastNumber+1) && len(s.sec.Items) == 0 &&
		i-s.sec.Line <= 4
	return (first || last > 0 && m.Value == last+1) && s.Fits(i-1, m.Label)
}

func (s *Reader) onConsentList(m lex.Marker) *Item {
	it := s.listed[dialect.ItemName(m.Label)]
	if it == nil || m.Text == "" {
		return nil
	}
	if s.sec.Removed || it.Pulled && it.Sec != s.sec {
		return it
	}
	_, text := lex.CutFileNumber(m.Text, s.lastFile)
	head := council.FoldName(text)
	if head = head[:min(len(head), 30)]; len(head) < 8 || !strings.HasPrefix(council.FoldName(it.Title), head) {
		return nil
	}
	return it
}

func (s *Reader) endsMotion(i int, m lex.Marker) bool {
	_, ok := s.isItemMark(i, m)
	return s.isTop(i, m) || ok && (s.item == nil || s.item.Kind == m.Kind || s.Hanging(m))
}

// isAttachment reports whether a table belongs to an attached resolution, which repeats a vote of
// the minutes. Attachments follow the adjournment, or a line with the file number of an item that
// has the same vote. The adjournment itself can have a vote.
func (s *Reader) isAttachment(b *Block) bool {
	if s.attached {
		return true
	}
	if s.closing > 0 {
		// Attachments follow the signature.
		signed := slices.ContainsFunc(s.Rows[s.closing:b.Line], func(r rows.Row) bool { return dialect.IsSignature(r.Text) })
		s.attached = signed || b.Line-s.closing >= 25 || s.has(b, s.sec) // otherwise it is the vote to adjourn
	} else if !s.Filed { // in filed documents, items name the files of other items
		it := s.itemNamedBefore(b.Line)
		s.attached = it != nil && it != s.item && it.has(b)
	}
	return s.attached
}

// itemNamedBefore finds the item whose file number stands on its own line ("TB Resolution 2025-1")
// between the last table and line at.
func (s *Reader) itemNamedBefore(at int) *Item {
	for _, r := range s.Rows[s.blockBefore:at] {
		_, named := lex.ResolutionNumber(r.Text)
		if it := s.files[lex.LastWord(r.Text)]; it != nil && (named || strings.LastIndexByte(r.Text, ' ') < 12) {
			return it
		}
	}
	return nil
}

package walk

import (
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/agenda"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
	"github.com/townline/townline/services/council-ingest/internal/minutes/vote"
)

// isTop decides whether a marker is the next heading of the top level.
func (s *Walk) isTop(i int, m shape.Marker) bool {
	if s.Top == shape.NoMark || m.Style != shape.NoStyle {
		return false
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

// isItemMark decides whether a marker below the top level begins an item.
func (s *Walk) isItemMark(i int, m shape.Marker) (shape.Marker, bool) {
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
func (s *Walk) startsItem(i int, m shape.Marker, last int) bool {
	switch {
	case m.Text == "" && !s.Flat && !s.breakBefore(i) && !strings.ContainsAny(s.Rows[i-1].Text[len(s.Rows[i-1].Text)-1:], ".:;)]?!"):
		return false // a figure for which the line before had no room: "had been 4 to" and "1."
	case m.Text == "" || s.Hanging(m):
		return true
	case s.breakBefore(i):
		return shape.IsTitle(m.Text) || m.Value == last+1
	case !shape.IsTitle(m.Text):
		return false
	case strings.HasSuffix(s.Rows[i-1].Text, ".") && m.Value > last && s.Dialect.LowerWords(m.Text) == 0:
		return true // behind a sentence, and itself no sentence
	}
	if above, ok := s.MarkerAt(i - 1); ok && m.Kind == shape.Number && above.Kind == m.Kind && above.Value == last && m.Value == last+1 && last > 0 &&
		s.Rows[i].Indent == s.Rows[i-1].Indent && s.Dialect.LowerWords(m.Text) == 0 {
		return true // next in a list of titles, though the one above fills its line
	}
	first := (m.Value == 1 || m.Kind == shape.Number && m.Value == s.lastNumber+1) && len(s.sec.Items) == 0 && i-s.sec.Line <= 4 // right below the heading
	return (first || last > 0 && m.Value == last+1) && s.Fits(i-1, m.Label)
}

// onConsentList finds the item of an earlier consent list whose number and title stand again behind marker m: where it is voted on by
// itself.
func (s *Walk) onConsentList(m shape.Marker) *agenda.Item {
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

// wouldOpen reports whether the marker at line i begins a heading or an item.
func (s *Walk) wouldOpen(i int, m shape.Marker) bool {
	if s.isTop(i, m) {
		return true
	}
	_, ok := s.isItemMark(i, m)
	return ok
}

// endsMotion reports whether a marker begins a heading or the next item, unless it is a list in a motion.
func (s *Walk) endsMotion(i int, m shape.Marker) bool {
	if s.isTop(i, m) {
		return true
	}
	_, ok := s.isItemMark(i, m)
	return ok && (s.item == nil || s.item.Kind == m.Kind || s.Hanging(m))
}

// isAttachment reports whether a table stands on a resolution attached to the minutes, where the vote of the minutes is printed again. That
// is so behind the adjournment, unless the table stands right under it and is new, and wherever the text before it calls itself the
// resolution of an item that has been voted on already.
func (s *Walk) isAttachment(b *vote.Block) bool {
	if s.attached {
		return true
	}
	if s.closing > 0 && b.Line >= s.closing {
		if b.Line-s.closing < 25 && s.sec.Adjourn && !s.Has(b, s.sec) && !s.signedBefore(b.Line) {
			return false // the vote to adjourn
		}
		s.attached = true
		return true
	}
	if s.Filed {
		return s.attached // its items name the files of others
	}
	if it := s.itemNamedBefore(b.Line); it != nil && it != s.item && it.Has(b) {
		s.attached = true
	}
	return s.attached
}

// signedBefore reports whether the minutes are signed between the heading of the adjournment and line at: what follows the signature is
// attached to them.
func (s *Walk) signedBefore(at int) bool {
	for j := s.closing; j < at; j++ {
		if dialect.IsSignature(s.Rows[j].Text) {
			return true
		}
	}
	return false
}

// itemNamedBefore finds the item whose file number stands on a line of its own ("TB Resolution 2025-1") between the last table and line at.
func (s *Walk) itemNamedBefore(at int) *agenda.Item {
	if len(s.files) == 0 {
		return nil
	}
	for j := s.blockBefore; j < at; j++ {
		text := s.Rows[j].Text
		if len(text) < 3 || len(text) > 60 || strings.IndexByte(text, '-') < 0 {
			continue
		}
		i := strings.LastIndexByte(text, ' ')
		if it := s.files[text[i+1:]]; it != nil {
			if _, named := shape.ResolutionNumber(text); named || i < 12 {
				return it
			}
		}
	}
	return nil
}

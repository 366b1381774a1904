package decide

import (
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lex"
	"github.com/townline/townline/services/council-ingest/internal/minutes/rows"
)

func (o *outline) isTop(i int, m lex.Marker) bool {
	value := m.Value
	if o.top == lex.Letter && m.Kind == lex.Roman {
		value = m.Also
	} else if m.Kind != o.top {
		return false
	}
	last, indent := o.lastTop, o.Rows[i].Indent
	if m.Style != lex.NoStyle || value <= last {
		return false
	}
	// A letter or number that is indented more than the headings belongs to a list.
	if o.topIndent >= 0 && indent > o.topIndent+3 && !o.Flat {
		return false
	}
	switch {
	case value == last+1:
		return true
	case o.top != lex.Roman:
		return value <= last+3 && o.breakBefore(i)
	case m.Also == 0:
		return m.Text == "" || lex.IsTitle(m.Text)
	}
	return value <= last+3 || indent == o.topIndent && m.Text != "" && value <= last+12
}

// isItemMark reports whether a marker below the top level begins an item. It returns the marker
// with the interpretation that fits there.
func (o *outline) isItemMark(i int, m lex.Marker) (lex.Marker, bool) {
	sec := o.sec
	if sec == nil || m.Kind == lex.Roman && m.Also == 0 {
		return m, false
	}
	if m.Kind == lex.Roman {
		m.Kind, m.Value = lex.Letter, m.Also
	}
	if dialect.FindSeconded(m.Text) >= 0 {
		return m, false // as in "… except item" above "1. Trustee Roe seconded"
	}
	last := sec.lastValue[lex.Letter]
	switch {
	case o.onConsentList(m) != nil:
		return m, true
	case m.Kind == lex.Bullet:
		return m, o.isItemBullet(i, m)
	case m.Kind == lex.Letter:
		free := m.Value > last || o.top == lex.NoMark
		return m, free && (m.Value <= 26 || last >= 25) && o.startsItem(i, m, last)
	case m.Kind == lex.Number, m.Kind == lex.Dotted:
		return m, o.isItemNumber(i, m)
	}
	return m, false
}

// isItemBullet reports whether a bullet begins an item: it must be under a heading and outside of a
// motion.
func (o *outline) isItemBullet(i int, m lex.Marker) bool {
	root := o.item
	for root != nil && root.parent != nil {
		root = root.parent
	}
	if o.moving > 0 || root != nil && root.kind != lex.Bullet && !root.heading {
		return false
	}
	return m.Text != "" && lex.IsTitle(m.Text) && (o.breakBefore(i) || o.Fits(i-1, m.Text))
}

func (o *outline) isItemNumber(i int, m lex.Marker) bool {
	sec, last, open := o.sec, o.sec.lastValue[m.Kind], o.moving > 0
	hanging, apart := o.Hanging(m), o.breakBefore(i)
	// Many agendas number their items consecutively across sections.
	next := m.Value == last+1 || last == 0 && m.Kind == lex.Number && m.Value == o.lastNumber+1
	switch {
	case m.Kind == lex.Dotted && m.Major != o.lastTop && (m.Text == "" || o.top == lex.Number):
		return false // a decimal, or a number in another section
	case m.Text != "" && !lex.IsTitle(m.Text) && !hanging && !(next && apart):
		return false
	case open && o.item != nil && o.item.kind != m.Kind && !hanging:
		return false // a list in a motion
	case next:
		return o.startsItem(i, m, last)
	case m.Value > last && apart:
		return m.Text != "" && !open || hanging || m.Text == "" && (m.Value <= last+10 || len(sec.items) == 0 &&
			i-sec.line <= 3)
	case m.Kind == lex.Dotted:
		return apart
	}
	// Items that were removed from a list leave gaps.
	return m.Value > last && m.Value <= last+10 && !open && hanging && strings.HasSuffix(o.Rows[i-1].Text, ".")
}

// startsItem reports whether an item can begin at a marker. The marker must be alone on its line,
// in a separate column, at the beginning of a paragraph, or be the next number after a line that
// did not wrap.
func (o *outline) startsItem(i int, m lex.Marker, last int) bool {
	above := ""
	if i > 0 {
		above = o.Rows[i-1].Text
	}
	title, lower := m.Text != "" && lex.IsTitle(m.Text), o.Dialect.LowerWords(m.Text)
	switch {
	case m.Text == "" && !o.Flat && !o.breakBefore(i) && !lex.HasAnySuffix(above, ".", ":", ";", ")", "]", "?", "!"):
		return false // the number wrapped: "had been 4 to" above "1."
	case m.Text == "" || o.Hanging(m):
		return true
	case o.breakBefore(i):
		return title || m.Value == last+1
	case !title:
		return false
	case strings.HasSuffix(above, ".") && m.Value > last && lower == 0:
		return true // a title follows a sentence
	}
	before, ok := o.MarkerAt(i - 1)
	if ok && m.Kind == lex.Number && before.Kind == m.Kind && before.Value == last && m.Value == last+1 && lower == 0 {
		return true // the next title of a list
	}
	// The marker may be directly below the heading.
	first := (m.Value == 1 || m.Kind == lex.Number && m.Value == o.lastNumber+1) && len(o.sec.items) == 0 &&
		i-o.sec.line <= 4
	return (first || last > 0 && m.Value == last+1) && o.Fits(i-1, m.Label)
}

func (o *outline) onConsentList(m lex.Marker) *item {
	it := o.listed[dialect.ItemName(m.Label)]
	if it == nil || m.Text == "" {
		return nil
	}
	if o.sec.removed || it.pulled && it.sec != o.sec {
		return it
	}
	_, text := lex.CutFileNumber(m.Text, o.lastFile)
	head := council.FoldName(text)
	if head = head[:min(len(head), 30)]; len(head) < 8 || !strings.HasPrefix(council.FoldName(it.title), head) {
		return nil
	}
	return it
}

// isAttachment reports whether a table belongs to an attached resolution, which repeats a vote of
// the minutes. Attachments follow the adjournment, or a line with the file number of an item that
// has the same vote. The adjournment itself can have a vote.
func (o *outline) isAttachment(t *table) bool {
	if o.attached {
		return true
	}
	if o.closing > 0 {
		// Attachments follow the signature.
		signed := slices.ContainsFunc(o.Rows[o.closing:t.line], func(r rows.Row) bool { return dialect.IsSignature(r.Text) })
		o.attached = signed || t.line-o.closing >= 25 || o.has(t, o.sec) // otherwise it is the vote to adjourn
	} else if !o.Filed { // in filed documents, items name the files of other items
		it := o.itemNamedBefore(t.line)
		o.attached = it != nil && it != o.item && it.has(t)
	}
	return o.attached
}

// itemNamedBefore finds the item whose file number stands on its own line ("TB Resolution 2025-1")
// between the last table and line at.
func (o *outline) itemNamedBefore(at int) *item {
	for _, r := range o.Rows[o.tableBefore:at] {
		_, named := lex.ResolutionNumber(r.Text)
		if it := o.files[lex.LastWord(r.Text)]; it != nil && (named || strings.LastIndexByte(r.Text, ' ') < 12) {
			return it
		}
	}
	return nil
}

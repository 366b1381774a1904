package decide

import (
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/attend"
	"github.com/townline/townline/services/council-ingest/internal/minutes/head"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
)

type heading struct {
	title string
	file  string
	end   int // first line after the heading
}

// readHeading reads the title after marker m at line i. The title ends before a blank line, a vote,
// body text, or a line with a file number, a sponsor or the outcome of the item. In a hanging
// layout, body text begins further left. In text without columns, it begins with a sentence.
func (o *outline) readHeading(i int, m lexicon.Marker, isItem bool) heading {
	h := heading{end: i + 1}
	parts, at := []string{m.Text}, i
	if m.Text == "" {
		// The title is the next paragraph.
		at = o.Next(i + 1)
		if at < 0 || at > i+4 || o.stopsTitle(at) || o.IsLone(at) || !isItem && o.Dialect.LowerWords(o.Rows[at].Text) > 1 {
			return h
		}
		parts[0] = o.Rows[at].Text
	}
	if isItem {
		h.file, parts[0] = lexicon.CutFileNumber(parts[0], o.lastFile)
	}
	hanging := m.Text != "" && o.Hanging(m)
	for h.end = at + 1; h.end < min(len(o.Rows), at+40); h.end++ {
		j := h.end
		ln := o.Rows[j]
		if ln.Text == "" || o.stopsTitle(j) || o.opensBelow(j, isItem, parts) {
			break
		}
		full := !o.Fits(j-1, ln.Text)
		off := ln.Indent - o.Rows[i].Indent - m.Col
		if ln.NewPage && lexicon.IsSentence(ln.Text) && (!full || hanging && off < -6) {
			break // the page break removed the blank line
		}
		if isItem && o.followsTitle(ln.Text, parts, h.file == "", full) {
			break
		}
		// In a hanging layout, body text is not aligned with the title. Margins differ between pages.
		if hanging && ln.Page == o.Rows[i].Page && (off < -2 || off > 1 && o.Dialect.LowerWords(ln.Text) > 1) {
			break
		}
		if o.beginsBody(ln.Text, parts, hanging && isItem, full) {
			break
		}
		parts = append(parts, ln.Text)
	}
	h.title = lexicon.Join(parts)
	return h
}

func (o *outline) opensBelow(j int, isItem bool, title []string) bool {
	if m, ok := o.MarkerAt(j); ok {
		_, item := o.isItemMark(j, m)
		if item || o.isTop(j, m) || !isItem && (m.Kind != lexicon.Roman || m.Also > 0) {
			return true
		}
	}
	ln := o.Rows[j]
	return o.isSubheading(j) ||
		ln.NewPage && o.top == lexicon.NoMark && lexicon.IsCapitals(ln.Text) && !lexicon.IsCapitals(title[0]) &&
			o.isUnnumbered(j)
}

func (o *outline) followsTitle(text string, title []string, wantsFile, full bool) bool {
	if wantsFile && lexicon.IsFileNumber(text) && !(full && lexicon.WantsNumber(title[len(title)-1])) ||
		o.isSponsor(text) {
		return true
	}
	return o.Dialect.IsFate(text) && (!full || lexicon.IsCapitals(text) && !lexicon.IsCapitals(title[0]))
}

func (o *outline) stopsTitle(i int) bool {
	text := o.Rows[i].Text
	row, _, labelled := o.Dialect.Label(text, false)
	return o.Rows[i].Result || attend.IsTable(text) || labelled && row != lexicon.Next || lexicon.IsMotionLabel(text) ||
		o.Moves(i)
}

// beginsBody reports whether a line below a title begins the text of the item. It does if its first
// words say so, or if it is a sentence and the title is in capitals and did not wrap. In a column
// of titles only plain sentences count.
func (o *outline) beginsBody(text string, title []string, column, full bool) bool {
	if c := text[0]; c >= 'a' && c <= 'z' {
		return false // it is not a sentence
	}
	if o.Dialect.StopsMotion(text) || (!column || !full) && o.Dialect.StartsBody(text) {
		return true
	}
	lower := o.Dialect.LowerWords(text)
	if lower < 2 || o.Dialect.LowerWords(strings.Join(title, " ")) > 0 {
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
func (o *outline) isSubheading(i int) bool {
	ln := o.Rows[i]
	if len(ln.Text) > 60 || ln.Text[0] < 'A' || ln.Text[0] > 'Z' {
		return false
	}
	if ln.Text != strings.ToUpper(ln.Text) {
		return false
	}
	known := o.Dialect.IsHeading(ln.Text)
	if !o.breakBefore(i) && !(known && o.Fits(i-1, ln.Text)) || strings.ContainsAny(ln.Text, "0123456789:.,") {
		return false
	}
	if known && (o.top == lexicon.NoMark || lexicon.IsConsent(ln.Text)) {
		return true
	}
	if o.sec == nil || !known && (o.Flat || ln.Indent < 24 || o.isSponsor(ln.Text)) {
		return false
	}
	// A list of items must follow.
	next := o.Next(i + 1)
	if next < 0 {
		return false
	}
	m, ok := o.MarkerAt(next)
	return ok && m.Kind != lexicon.Bullet
}

// isUnnumbered reports whether line i is a heading in a document that only numbers its items: a
// line above the first item of a list, or a consent heading.
func (o *outline) isUnnumbered(i int) bool {
	text := o.Rows[i].Text
	if len(text) > 100 || !lexicon.IsUpper(text[0]) || strings.ContainsAny(text[len(text)-1:], ".,;:") ||
		o.Dialect.LowerWords(text) > 0 {
		return false
	}
	if !o.breakBefore(i) && !o.Fits(i-1, text) && !strings.HasSuffix(o.Rows[i-1].Text, ".") {
		return false
	}
	if lexicon.IsConsent(text) && len(text) < 40 {
		return true
	}
	next := o.Next(i + 1)
	if next < 0 || o.isSponsor(text) || lexicon.IsFileNumber(text) || head.BeginsWithDate(text) {
		return false
	}
	m, ok := o.MarkerAt(next)
	if !ok {
		// The heading has its own vote.
		return strings.Contains(text, " ") && !theVote.Is(strings.ToLower(text)) &&
			(o.Rows[next].Result || o.Moves(next)) && i >= o.lastTable
	}
	if m.Text != "" && !lexicon.IsTitle(m.Text) && !o.Hanging(m) {
		return false
	}
	if o.item == nil || o.sec == nil {
		return true
	}
	// Below an item, this is the text of the item.
	return m.Value <= o.sec.lastValue[m.Kind] || m.Kind != o.item.kind || o.Next(o.freshFrom) == i
}

func (o *outline) isBareAdjourn(i int) bool {
	return adjournment.Is(strings.ToLower(strings.TrimSuffix(o.Rows[i].Text, ":"))) && o.breakBefore(i)
}

// isLateTitle reports whether line i is the title of the current heading, if the heading's number
// is further up. This happens in text in column order. The title consists of known words, or is the
// first short line in capitals.
func (o *outline) isLateTitle(i int) bool {
	sec := o.sec
	if sec == nil || sec.number == "" || len(sec.items) > 0 || len(sec.list.tables) > 0 || sec.own != nil ||
		!o.breakBefore(i) || i-sec.line > 80 {
		return false
	}
	text := o.Rows[i].Text
	if len(text) > 70 || !lexicon.IsUpper(text[0]) || strings.HasSuffix(text, ".") || strings.HasSuffix(text, ":") ||
		lexicon.IsMotionLabel(text) {
		return false
	}
	if o.Dialect.IsHeading(text) && o.Flat {
		return !o.Dialect.IsHeading(sec.title)
	}
	return sec.untitled && o.Dialect.LowerWords(text) == 0 && !strings.Contains(text, ",")
}

package decide

import (
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/signal"
)

// openAt opens the heading or item at line i and returns the line after it, or i if there is none.
func (o *outline) openAt(i int) int {
	if o.Filed {
		return o.openFiled(i)
	}
	if m, ok := o.MarkerAt(i); ok {
		if o.isTop(i, m) {
			return o.openSection(i, m)
		}
		if m, ok := o.isItemMark(i, m); ok {
			return o.openItem(i, m)
		}
		return i
	}
	text := o.Rows[i].Text
	switch {
	case strings.IndexByte(text, '[') > 0 && o.Dialect.LooksLikeResult(text): // its label is on the previous page
		return i
	case o.isLateTitle(i):
		o.sec.setTitle(text)
		o.sec.untitled = false
		o.freshFrom = i + 1
		return o.freshFrom
	case o.top == lexicon.NoMark && (o.isUnnumbered(i) || o.isBareAdjourn(i)) || o.isSubheading(i):
		return o.openSubheading(i)
	}
	return i
}

func (o *outline) openSection(i int, m lexicon.Marker) int {
	o.lastTop = m.Value
	if m.Kind == lexicon.Roman && o.top == lexicon.Letter {
		o.lastTop = m.Also
	}
	h := o.readHeading(i, m, false)
	if o.topIndent < 0 || o.Rows[i].Indent < o.topIndent || o.Rows[i].NewPage {
		o.topIndent = o.Rows[i].Indent
	}
	return o.enter(i, h.end, &section{number: m.Label, untitled: h.title == ""}, h.title)
}

func (o *outline) openSubheading(i int) int {
	above := o.sec
	for above != nil && above.parent != nil {
		above = above.parent
	}
	if above != nil && above.number == "" {
		above = nil
	}
	return o.enter(i, i+1, &section{parent: above}, o.Rows[i].Text)
}

// enter opens a section whose heading ends before line end. It returns end.
func (o *outline) enter(i, end int, sec *section, title string) int {
	sec.page = o.Rows[i].Page
	sec.line = i
	sec.lastValue = map[lexicon.MarkerStyle]int{}
	sec.setTitle(title)
	if o.sec != nil {
		o.sec.until = i
	}
	o.sections = append(o.sections, sec)
	o.sec, o.item = sec, nil
	sec.list = item{title: title, page: sec.page, row: i, sec: sec}
	o.places = append(o.places, opening{i, sec, nil})
	o.moving = 0
	o.headedFrom = i
	o.freshFrom = end
	o.closing = 0
	if sec.adjourn {
		o.closing = end
	}
	return end
}

func (o *outline) openItem(i int, m lexicon.Marker) int {
	o.sec.lastValue[m.Kind] = m.Value
	if m.Kind == lexicon.Number {
		o.lastNumber = m.Value
	}
	h := o.readHeading(i, m, true)
	it := &item{number: m.Label, file: h.file, title: h.title, kind: m.Kind}
	// Markers of another style may belong to a list in the current item.
	cur := o.item
	switch {
	case cur == nil || cur.heading:
	case cur.kind == m.Kind:
		it.parent = cur.parent
	case cur.parent != nil && cur.parent.kind == m.Kind:
		it.parent = cur.parent.parent
	default:
		it.parent = cur
	}
	it.pulled = o.sec.consent && lexicon.IsStub(h.title)
	if o.sec.consent && it.number != "" && o.onConsentList(m) == nil {
		o.listed[lexicon.ItemName(it.number)] = it
	}
	return o.enterItem(i, h.end, it)
}

// enterItem opens an item whose title ends before line end. It returns end.
func (o *outline) enterItem(i, end int, it *item) int {
	it.page, it.row = o.Rows[i].Page, i
	it.sec, it.alone = o.sec, true
	o.sec.items = append(o.sec.items, it)
	o.item = it
	o.places = append(o.places, opening{i, o.sec, it})
	o.knowFile(it)
	o.moving = 0
	o.headedFrom, o.freshFrom = i, end
	return end
}

// openDisplaced opens a heading whose number is inside a table and whose title is below the table.
// This happens in text in column order.
func (o *outline) openDisplaced(t *signal.Table) int {
	m, _ := o.MarkerAt(t.Displaced)
	behind := t.End - 1
	if o.isTop(t.Displaced, m) {
		o.openSection(behind, m)
	} else if m, ok := o.isItemMark(t.Displaced, m); ok {
		o.openItem(behind, m)
	} else {
		return t.End
	}
	return max(o.freshFrom, t.End)
}

// findOutline returns the numbering style of the top-level headings, or NoMark if they have no
// numbers.
func findOutline(doc *signal.Document) lexicon.MarkerStyle {
	type chain struct{ last, length, first, ones, indent int }
	chains := map[lexicon.MarkerStyle]*chain{lexicon.Roman: {}, lexicon.Letter: {}, lexicon.Number: {}}
	step := func(kind lexicon.MarkerStyle, value, line int) {
		c := chains[kind]
		if value == 1 && (c.ones == 0 || doc.Rows[line].Indent <= c.indent+1) {
			c.ones++
		}
		switch {
		case c.length == 0 && value == 1:
			c.last = 1
			c.length = 1
			c.first = line
			c.indent = doc.Rows[line].Indent
		case c.length > 0 && value == c.last+1:
			c.last, c.length = value, c.length+1
		}
	}
	for i, over := 0, false; i < len(doc.Rows) && !over; i++ {
		over = lexicon.IsAdjourn(doc.Rows[i].Text)
		m, ok := doc.MarkerAt(i)
		if !ok || m.Style != lexicon.NoStyle { // it is an item
			continue
		}
		switch m.Kind {
		case lexicon.Roman:
			if m.Value > 1 || chains[lexicon.Letter].last != 8 ||
				chains[lexicon.Roman].length > 0 { // the I. after H. is a letter
				step(lexicon.Roman, m.Value, i)
			}
			if m.Also > 0 {
				step(lexicon.Letter, m.Also, i)
			}
		case lexicon.Letter, lexicon.Number:
			step(m.Kind, m.Value, i)
		}
	}
	if n := chains[lexicon.Roman].length; n >= 2 || n == 1 && chains[lexicon.Letter].length < 3 {
		return lexicon.Roman
	}
	best := lexicon.NoMark
	for _, k := range []lexicon.MarkerStyle{lexicon.Letter, lexicon.Number} {
		// The outline begins with the opening of the meeting, and begins only once.
		if c := chains[k]; c.length >= 3 && c.ones <= 1 && isOpening(doc, c.first) &&
			(best == lexicon.NoMark || c.first < chains[best].first) {
			best = k
		}
	}
	return best
}

func isOpening(doc *signal.Document, i int) bool {
	text := doc.Rows[i].Text
	if m, _ := doc.MarkerAt(i); m.Text == "" {
		if next := doc.Next(i + 1); next >= 0 {
			text = doc.Rows[next].Text
		}
	}
	return doc.Dialect.Opens(text)
}

func (o *outline) isTop(i int, m lexicon.Marker) bool {
	value := m.Value
	if o.top == lexicon.Letter && m.Kind == lexicon.Roman {
		value = m.Also
	} else if m.Kind != o.top {
		return false
	}
	last, indent := o.lastTop, o.Rows[i].Indent
	if m.Style != lexicon.NoStyle || value <= last && !o.isRepeated(i, m) {
		return false
	}
	// A letter or number that is indented more than the headings belongs to a list.
	if o.topIndent >= 0 && indent > o.topIndent+3 && !o.Flat {
		return false
	}
	switch {
	case value == last+1, value == last:
		return true
	case o.top != lexicon.Roman:
		return value <= last+3 && o.breakBefore(i)
	case m.Also == 0:
		return m.Text == "" || lexicon.IsTitle(m.Text)
	}
	return value <= last+3 || indent == o.topIndent && m.Text != "" && value <= last+12
}

// isRepeated reports whether a heading has the number of the section above, which the clerk gave twice: it has another
// title, and is no head of the next page.
func (o *outline) isRepeated(i int, m lexicon.Marker) bool {
	return o.top == lexicon.Roman && m.Kind == lexicon.Roman && m.Also == 0 && m.Value == o.lastTop && o.sec != nil &&
		m.Text != "" && lexicon.IsTitle(m.Text) && !o.Rows[i].NewPage && o.Rows[i].Indent == o.topIndent &&
		!strings.HasPrefix(council.FoldName(m.Text), council.FoldName(o.sec.title)) && len(o.sec.items) > 0
}

// isItemMark reports whether a marker below the top level begins an item. It returns the marker
// with the interpretation that fits there.
func (o *outline) isItemMark(i int, m lexicon.Marker) (lexicon.Marker, bool) {
	sec := o.sec
	if sec == nil || m.Kind == lexicon.Roman && m.Also == 0 {
		return m, false
	}
	if m.Kind == lexicon.Roman {
		m.Kind, m.Value = lexicon.Letter, m.Also
	}
	if f, _ := lexicon.FoldText(m.Text); o.English().Seconded(f) {
		return m, false // as in "… except item" above "1. Trustee Roe seconded"
	}
	last := sec.lastValue[lexicon.Letter]
	switch {
	case o.onConsentList(m) != nil:
		return m, true
	case m.Kind == lexicon.Bullet:
		return m, o.isItemBullet(i, m)
	case m.Kind == lexicon.Letter:
		free := m.Value > last || o.top == lexicon.NoMark
		return m, free && (m.Value <= 26 || last >= 25) && o.startsItem(i, m, last)
	case m.Kind == lexicon.Number, m.Kind == lexicon.Dotted:
		return m, o.isItemNumber(i, m)
	}
	return m, false
}

// isItemBullet reports whether a bullet begins an item: it must be under a heading and outside of a
// motion.
func (o *outline) isItemBullet(i int, m lexicon.Marker) bool {
	root := o.item
	for root != nil && root.parent != nil {
		root = root.parent
	}
	if o.moving > 0 || root != nil && root.kind != lexicon.Bullet && !root.heading {
		return false
	}
	return m.Text != "" && lexicon.IsTitle(m.Text) && (o.breakBefore(i) || o.Fits(i-1, m.Text))
}

func (o *outline) isItemNumber(i int, m lexicon.Marker) bool {
	sec, open := o.sec, o.moving > 0
	last := sec.lastValue[m.Kind]
	hanging, apart := o.Hanging(m), o.breakBefore(i)
	// Many agendas number their items consecutively across sections.
	next := m.Value == last+1 || last == 0 && m.Kind == lexicon.Number && m.Value == o.lastNumber+1
	switch {
	case m.Kind == lexicon.Dotted && m.Major != o.lastTop && (m.Text == "" || o.top == lexicon.Number):
		return false // a decimal, or a number in another section
	case m.Text != "" && !lexicon.IsTitle(m.Text) && !hanging && !(next && apart):
		return false
	case open && o.item != nil && o.item.kind != m.Kind && !hanging:
		return false // a list in a motion
	case next:
		return o.startsItem(i, m, last)
	case m.Value > last && apart:
		return m.Text != "" && !open || hanging || m.Text == "" && (m.Value <= last+10 || len(sec.items) == 0 &&
			i-sec.line <= 3)
	case m.Kind == lexicon.Dotted:
		return apart
	}
	// Items that were removed from a list leave gaps.
	return m.Value > last && m.Value <= last+10 && !open && hanging && strings.HasSuffix(o.Rows[i-1].Text, ".")
}

// startsItem reports whether an item can begin at a marker. The marker must be alone on its line,
// in a separate column, at the beginning of a paragraph, or be the next number after a line that
// did not wrap.
func (o *outline) startsItem(i int, m lexicon.Marker, last int) bool {
	above := ""
	if i > 0 {
		above = o.Rows[i-1].Text
	}
	title, lower := m.Text != "" && lexicon.IsTitle(m.Text), o.Dialect.LowerWords(m.Text)
	switch {
	case m.Text == "" && !o.Flat && !o.breakBefore(i) && !lexicon.HasAnySuffix(above, ".", ":", ";", ")", "]", "?", "!"):
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
	if ok && m.Kind == lexicon.Number && before.Kind == m.Kind && before.Value == last && m.Value == last+1 && lower == 0 {
		return true // the next title of a list
	}
	// The marker may be directly below the heading.
	first := (m.Value == 1 || m.Kind == lexicon.Number && m.Value == o.lastNumber+1) && len(o.sec.items) == 0 &&
		i-o.sec.line <= 4
	return (first || last > 0 && m.Value == last+1) && o.Fits(i-1, m.Label)
}

func (o *outline) onConsentList(m lexicon.Marker) *item {
	it := o.listed[lexicon.ItemName(m.Label)]
	if it == nil || m.Text == "" {
		return nil
	}
	if o.sec.removed || it.pulled && it.sec != o.sec {
		return it
	}
	_, text := lexicon.CutFileNumber(m.Text, o.lastFile)
	head := council.FoldName(text)
	if head = head[:min(len(head), 30)]; len(head) < 8 || !strings.HasPrefix(council.FoldName(it.title), head) {
		return nil
	}
	return it
}

// isAttachment reports whether a table belongs to an attached resolution, which repeats a vote of
// the minutes. Attachments follow the adjournment, or a line with the file number of an item that
// has the same vote. The adjournment itself can have a vote.
func (o *outline) isAttachment(t *signal.Table) bool {
	if o.attached {
		return true
	}
	if o.closing > 0 {
		// Attachments follow the signature.
		signed := slices.ContainsFunc(o.Rows[o.closing:t.Line],
			func(r signal.Row) bool { return lexicon.IsSignature(r.Text) })
		o.attached = signed || t.Line-o.closing >= 25 || o.has(t, o.sec) // otherwise it is the vote to adjourn
	} else if !o.Filed { // in filed documents, items name the files of other items
		it := o.itemNamedBefore(t.Line)
		o.attached = it != nil && it != o.item && it.has(t)
	}
	return o.attached
}

// itemNamedBefore finds the item whose file number stands on its own line ("TB Resolution 2025-1")
// between the last table and line at.
func (o *outline) itemNamedBefore(at int) *item {
	for _, r := range o.Rows[o.tableBefore:at] {
		_, named := lexicon.ResolutionNumber(r.Text)
		if it := o.files[lexicon.LastWord(r.Text)]; it != nil && (named || strings.LastIndexByte(r.Text, ' ') < 12) {
			return it
		}
	}
	return nil
}

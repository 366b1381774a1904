package decide

import (
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/head"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/minutes/signal"
)

// An item is a heading with what follows it.
type item struct {
	number  string
	file    string
	title   string
	page    int
	consent bool
	votes   []*draft

	index   int // in the order in which it got a motion or a vote, from 1
	row     int // index of the line
	sec     *section
	heading bool // it is a heading with its own vote
	pulled  bool // it was removed from the consent calendar
	kind    lexicon.MarkerStyle
	tables  []*signal.Table
	shared  bool  // the vote on the consent calendar adopted it
	parent  *item // set if it may be an entry of a list in the text of this item
	moved   bool  // it has its own motion, in minutes that state votes in sentences
	alone   bool  // only its title was read so far
}

// A section is a heading of the outline and what follows it.
type section struct {
	number    string // as printed; "" if it has none
	title     string
	page      int
	line      int
	until     int // line of the next heading; 0 if there is none
	consent   bool
	removed   bool // it lists items removed from the consent calendar
	adjourn   bool
	parent    *section // numbered heading above a heading without a number
	items     []*item
	list      item           // the votes before any item, which are about the whole list
	motion    *signal.Motion // motion of the consent vote
	lastValue map[lexicon.MarkerStyle]int
	untitled  bool // its title is printed further down
	own       *item
}

func (sec *section) setTitle(title string) {
	sec.title, sec.adjourn = title, lexicon.IsAdjourn(title)
	sec.consent, sec.removed = council.ConsentHeading(title)
	sec.consent = sec.consent || sec.parent != nil && sec.parent.consent && !sec.removed
}

// ownItem returns the heading as an item with its own vote.
func (sec *section) ownItem() *item {
	if sec.own == nil {
		sec.own = &item{number: sec.number, title: sec.title, page: sec.page, row: sec.line, sec: sec, heading: true}
	}
	return sec.own
}

const maxList = 100

// outline has the sections and items of a document. In documents with tables of results or with file
// numbers it finds them by their numbers (scan), with the item of each table; in all others they are
// opened at headings that have the form of one (item.go).
type outline struct {
	*signal.Document
	*record.Writer
	numbered bool // sections and items are found by their numbers
	types    []Typed
	tables   map[int]*signal.Table // by first line
	placed   map[*signal.Table]*placed
	skip     [2]int // lines of the attendance list

	top         lexicon.MarkerStyle // numbering style of the top-level headings
	sections    []*section
	sec         *section
	item        *item
	places      []opening
	lastTop     int // number of the last top-level heading
	topIndent   int // indentation of that heading; -1 before the first heading
	lastNumber  int // number of the last item in any section
	lastFile    string
	freshFrom   int      // the lines before it belong to a heading or a table
	lastTable   int      // line after the last table
	tableBefore int      // line after the previous table
	headedFrom  int      // line of the last heading or item
	closing     int      // line after the heading of the adjournment; 0 before that
	attached    bool     // the current line is part of an attachment
	numbers     []string // numbers of items whose titles are further down
	consent     string   // beginning of the numbers below a consent list that has a number itself
	moving      int      // motions on the item that no table has decided

	files  map[string]*item
	listed map[string]*item // items of consent calendars, by number
	strays []stray
	voted  map[string][]*item // items with a vote, by file number and by folded title
	spread int                // number of items that have the vote on a consent calendar
}

// placed says where a table stands in the outline.
type placed struct {
	item  *item
	from  int  // line after the table or heading above
	stray bool // it belongs to an attachment
}

// Typed has the type of a line and why it has that type.
type Typed struct{ Kind, Row, Why string }

// An opening says which section and item begin at a line.
type opening struct {
	line int
	sec  *section
	item *item
}

// scan reads the outline.
func scan(doc *signal.Document, w *record.Writer, tables []*signal.Table, skip [2]int) *outline {
	o := &outline{Document: doc, Writer: w, numbered: true, types: make([]Typed, len(doc.Rows)),
		tables: map[int]*signal.Table{}, placed: map[*signal.Table]*placed{}, skip: skip,
		topIndent: -1, files: map[string]*item{}, listed: map[string]*item{}}
	for _, t := range tables {
		o.tables[t.Line] = t
	}
	if !doc.Filed {
		o.top = findOutline(doc)
	}
	for i := 0; i < len(doc.Rows); {
		i = o.read(i)
	}
	return o
}

// read reads what begins at line i, and returns the line after it.
func (o *outline) read(i int) int {
	if i >= o.skip[0] && i < o.skip[1] {
		o.freshFrom = o.skip[1]
		return o.typed(i, o.skip[1], "attendance", "the attendance list")
	}
	text := o.Rows[i].Text
	switch {
	case text == "":
		return i + 1
	case o.tables[i] != nil:
		return o.table(o.tables[i])
	case o.attached:
		return o.typed(i, i+1, "attachment", "after the end of the meeting")
	}
	if next := o.openAt(i); next > i {
		if o.item != nil && o.item.row == i {
			return o.typed(i, next, "item", "begins with a "+o.item.kind.String()+", where an item can begin")
		}
		return o.typed(i, next, "heading", o.whyHeading(i))
	}
	o.prose(i)
	return i + 1
}

// prose reads a line that is neither a table nor a heading.
func (o *outline) prose(i int) {
	text := o.Rows[i].Text
	if o.item != nil && len(o.item.tables) == 0 && o.item.file == "" && lexicon.IsFileNumber(text) {
		o.item.file = lexicon.FileNumber(text)
		o.knowFile(o.item)
		o.typed(i, i+1, "file", "the file number of the item above")
		return
	}
	if o.Filed && o.item != nil && o.sec.consent && lexicon.TakesOff(text) {
		o.item.pulled = true
	}
	if o.Moves(i) {
		o.moving++
		if o.item != nil {
			o.item.alone, o.item.moved = false, o.Filed
		}
	}
	if withdrew.In(text) {
		o.moving = max(o.moving-1, 0)
	}
}

// table gives a table to its item, and returns the line after it.
func (o *outline) table(t *signal.Table) int {
	o.tableBefore = o.lastTable
	o.typedTable(t)
	at := &placed{from: max(o.tableBefore, o.headedFrom)}
	o.placed[t] = at
	if o.isAttachment(t) {
		o.strays = append(o.strays, stray{Table: t, names: o.itemNamedBefore(t.Line)})
		at.stray = true
	} else {
		at.item = o.assign(t)
	}
	o.moving = max(o.moving-1, 0)
	o.lastTable, o.freshFrom = t.End, t.End
	if t.Displaced > 0 && !o.attached {
		return o.openDisplaced(t)
	}
	return t.End
}

// assign gives a table to the item that it decides, and returns the item.
func (o *outline) assign(t *signal.Table) *item {
	it := o.item
	for it != nil && it.parent != nil && len(it.tables) == 0 && (!it.alone || o.isListEntry(it)) {
		it = it.parent // it was an entry of a numbered list in an item
	}
	if it == nil {
		if o.sec == nil {
			o.enter(t.Line, o.freshFrom, &section{}, "")
		}
		if o.sec.consent && len(o.sec.items) == 0 {
			o.sec.list.tables = append(o.sec.list.tables, t)
			return &o.sec.list
		}
		it = o.sec.ownItem()
	}
	if o.item != it {
		o.item = it
		o.places = append(o.places, opening{t.Line, o.sec, it})
	}
	it.tables = append(it.tables, t)
	it.alone = false
	return it
}

func (o *outline) isListEntry(it *item) bool {
	n := 0
	items := it.sec.items
	for _, other := range items[max(0, len(items)-maxList):] {
		if other.parent == it.parent && other != it {
			if len(other.tables) > 0 {
				return false
			}
			n++
		}
	}
	return n > 0
}

// itemAt returns the item of what stands between two places of the outline: the item, the list of a
// consent heading without items, or the heading itself. It is nil above the first heading.
func (p opening) itemAt() *item {
	switch {
	case p.item != nil:
		return p.item
	case p.sec == nil:
		return nil
	case p.sec.consent && !slices.ContainsFunc(p.sec.items, func(it *item) bool { return it.row < p.line }):
		return &p.sec.list
	}
	return p.sec.ownItem()
}

func (o *outline) knowFile(it *item) {
	if it.file == "" {
		return
	}
	o.lastFile = it.file
	if o.files[it.file] == nil {
		o.files[it.file] = it
	}
}

func (o *outline) breakBefore(i int) bool { return o.BreakBefore(i) || i-1 < o.freshFrom }

// isSponsor reports whether a line has nothing but the names of members with offices: "Mayor Doe,
// Councillor Roe".
func (o *outline) isSponsor(text string) bool {
	if len(text) > 160 {
		return false
	}
	for piece := range strings.SplitSeq(strings.TrimSuffix(text, ","), ",") {
		words := strings.Fields(piece)
		if len(words) < 2 || len(words) > 6 || !o.People.IsLikeOffice(words[0]) {
			return false
		}
		name := o.People.NameOf(piece)
		if len(words) == len(strings.Fields(name)) {
			name = strings.Join(words[1:], " ")
		}
		if _, match := o.People.Resolve(person.Name{Text: name}); !match.Found() {
			return false
		}
	}
	return true
}

// typed sets the type of the lines from one to another, and returns to.
func (o *outline) typed(from, to int, kind, why string) int {
	for i := from; i < to; i++ {
		o.types[i] = Typed{Kind: kind, Why: why}
	}
	return to
}

func (o *outline) typedTable(t *signal.Table) {
	o.typed(t.Line, t.End, "prose", "inside a table, but no row of it")
	for _, c := range t.Cells {
		kind := &o.types[c.Line]
		switch {
		case !c.IsLabel && kind.Kind == ofLabel && kind.Row == c.Row.String(): // the value is on the line of its label
		case !c.IsLabel:
			*kind = Typed{"value", c.Row.String(), "can be the value of the label above"}
		case c.Row == lexicon.Unknown:
			*kind = Typed{"label", c.Row.String(), "a label that no dialect has; its value is not used"}
		default:
			from := o.From(c.Text)
			if from == "" {
				from = "the table, broken in two"
			}
			*kind = Typed{"label", c.Row.String(), "a label of " + from}
		}
	}
}

func (o *outline) whyHeading(i int) string {
	m, ok := o.MarkerAt(i)
	switch {
	case ok:
		return "the next " + m.Kind.String() + " of the outline"
	case o.IsHeading(o.Rows[i].Text):
		return "a heading that stands without a number"
	}
	return "a heading without a number"
}

// openFiled opens the heading or item at line i in a document whose items begin with file numbers
// ("2026-0592 Resolution …"). It returns the line after that, or i if there is none. Item numbers
// may come before the file number: on its line, on separate lines, or several above several titles.
// Other markers do not open anything, and headings have no numbers.
func (o *outline) openFiled(i int) int {
	if number, file, title, ok := o.FiledAt(i); ok {
		if title == "" && o.item != nil && o.item.file == file {
			o.freshFrom = i + 1
			return i + 1 // the top of a page repeats it
		}
		return o.openFiledItem(i, number, file, title)
	}
	if m, ok := o.MarkerAt(i); ok {
		if m.Kind == lexicon.Number && m.Text == "" && m.Style == lexicon.NoStyle {
			o.numbers = append(o.numbers, m.Label)
			o.freshFrom = i + 1
			o.item = nil
			return i + 1
		}
		if end := o.numberedHeading(i, m); end > i {
			return end
		}
		if m.Kind != lexicon.Letter && m.Kind != lexicon.Roman { // these are initials
			return i
		}
	}
	end := o.filedHeading(i)
	if end == i {
		return i
	}
	parts := make([]string, 0, end-i)
	for _, r := range o.Rows[i:end] {
		parts = append(parts, r.Text)
	}
	if title := strings.TrimSuffix(lexicon.Join(parts), ":"); o.item == nil || o.sec.title != title {
		o.openFiledHeading(i, end, "", title)
	}
	o.freshFrom = end
	return end
}

func (o *outline) openFiledItem(i int, number, file, title string) int {
	if o.sec == nil {
		o.enter(i, i, &section{}, "")
	}
	isCase := title == ""
	if number == "" && len(o.numbers) > 0 && !isCase {
		number, o.numbers = o.numbers[0], o.numbers[1:]
	}
	title, end := o.FiledTitle(i, title, func(j int) bool { return o.filedHeading(j) > j })
	if label, _, form := strings.Cut(title, ":"); isCase && form && len(strings.Fields(label)) <= 2 {
		title, end = o.Rows[i].Text, i+1 // a form with labels and values on separate lines
	}
	return o.enterItem(i, end, &item{number: number, file: file, title: title, kind: lexicon.File})
}

func (o *outline) openFiledHeading(i, end int, number, title string) int {
	sec := &section{number: number}
	if o.IsPart(title) && o.sec != nil {
		sec.parent = o.sec
		if o.sec.parent != nil {
			sec.parent = o.sec.parent
		}
	}
	o.numbers = nil
	return o.enter(i, end, sec, title)
}

// numberedHeading opens a heading with a number if an item follows. It returns the line after the
// heading, or i if there is none.
func (o *outline) numberedHeading(i int, m lexicon.Marker) int {
	if m.Text == "" || !o.breakBefore(i) || !o.canHead(m.Text) || o.LowerWords(m.Text) > 0 {
		return i
	}
	next := o.Next(i + 1)
	if next < 0 {
		return i
	}
	if _, _, _, item := o.FiledAt(next); !item && !o.IsLone(next) {
		return i
	}
	return o.openFiledHeading(i, i+1, m.Label, strings.TrimSuffix(m.Text, ":"))
}

const maxHeadingLines = 3

// filedHeading returns the end of the heading at line i, or i if there is none. A heading has lines
// in capitals, or is a title above an item, a motion or another heading.
func (o *outline) filedHeading(i int) int {
	text := o.Rows[i].Text
	if !o.canHead(text) {
		return i
	}
	if lexicon.IsCapitals(text) && strings.Contains(text, " ") {
		end := i + 1
		for end < i+maxHeadingLines && end < len(o.Rows) && o.Rows[end].Text != "" &&
			!strings.HasSuffix(o.Rows[end-1].Text, ":") &&
			lexicon.IsCapitals(o.Rows[end].Text) && o.canHead(o.Rows[end].Text) {
			end++
		}
		return end
	}
	if !o.breakBefore(i) || i+1 < len(o.Rows) && o.Rows[i+1].Text != "" && !o.isPartEnd(i) {
		return i
	}
	if o.isBareAdjourn(i) || o.IsHeading(text) || lexicon.IsConsent(text) && len(text) < 40 {
		return i + 1
	}
	end := i + 1
	for end < len(o.Rows) && o.Rows[end].Text != "" && end < i+maxHeadingLines {
		end++
	}
	next := o.Next(end)
	if next < 0 || !o.IsPart(text) && o.LowerWords(text) > 0 {
		return i
	}
	if _, _, _, item := o.FiledAt(next); item || o.IsLone(next) || o.Moves(next) {
		return end
	}
	if o.IsPart(text) || o.LowerWords(text) == 0 && o.IsPart(o.Rows[next].Text) {
		return end
	}
	return i
}

func (o *outline) isPartEnd(i int) bool {
	return o.IsPart(o.Rows[i].Text) && lexicon.IsCapitals(o.Rows[i+1].Text) && (i+2 >= len(o.Rows) ||
		o.Rows[i+2].Text == "")
}

func (o *outline) canHead(text string) bool {
	if len(text) < 4 || len(text) > 100 || !lexicon.IsUpper(text[0]) && text[0] != '&' ||
		strings.ContainsAny(text[len(text)-1:], ".;!?\"”") {
		return false
	}
	return !strings.ContainsAny(text, "0123456789$") && !o.IsFate(text) && !head.BeginsWithDate(text) &&
		(!strings.Contains(text, ":") || strings.HasSuffix(text, ":"))
}

package minutes

import (
	"strings"

	"github.com/townline/townline/pkg/council"
)

// Parser reads minutes with one set of options. It keeps no state between
// documents and is safe for concurrent use.
type Parser struct {
	opt     Options
	dialect *dialect
	results *council.ResultWords
}

// NewParser prepares a parser.
func NewParser(opt Options) *Parser {
	return &Parser{opt: opt, dialect: newDialect(), results: council.NewResultWords(opt.Results)}
}

// Parse reads one document with its own parser; see Parser.Parse.
func Parse(text string, opt Options) Record { return NewParser(opt).Parse(text) }

// Parse reads the text of minutes, with a form feed between pages, and returns
// what they record. The same text and options give the same record, byte for
// byte. It does not fail: what it cannot read is an anomaly of the record.
func (p *Parser) Parse(text string) Record {
	s := &scan{p: p, topIndent: -1}
	s.people = &people{dialect: p.dialect}
	s.record = &Record{Attendance: []Attendee{}, Items: []Item{}, Anomalies: []Anomaly{}}
	s.lines = p.dropFurniture(splitLines(text, p.opt.Paged))
	if s.nextText(0) < 0 {
		s.report(council.CodeNoText, -1, nil, 0, "the document has no text")
		return *s.record
	}
	s.head()
	s.flat = s.isFlat()
	s.width = s.lineWidth()
	s.skipFrom, s.skipTo = s.attendance()
	if s.people.roster.Len() == 0 {
		for _, name := range p.opt.Roster {
			s.people.roster.Add(name)
		}
	}
	s.learnNames()
	s.top = s.topKind()
	s.walk()
	s.finish()
	return *s.record
}

// scan is one walk over one document.
type scan struct {
	p      *Parser
	lines  []line
	people *people
	record *Record

	skipFrom, skipTo int // the lines of the attendance list

	top         markKind // style of the outline's top level
	lastTop     int      // value of its last heading
	topIndent   int      // its indentation, -1 before the first heading
	width       int      // how long lines get
	lastFile    string   // the file number seen last
	flat        bool     // text without columns: indentation means nothing
	sections    []*section
	sec         *section         // the heading under which the walk is
	item        *item            // the item under which the walk is
	freshFrom   int              // lines before this one belong to a heading or a table
	lastBlock   int              // the line after the last table
	blockBefore int              // the line after the table before the one being read
	files       map[string]*item // by file number
	motions     []*motion
	attached    bool // past the end of the meeting, among attachments
	closing     int  // the line after the heading of the adjournment, 0 before it
	strays      []*block
	index       map[*item]int // into the record's items
	proved      map[*block]bool
	orphans     int // the line of the last roll without RESULT that was reported
}

// isFlat reports whether hardly any line is indented, as in text extracted
// without regard to columns.
func (s *scan) isFlat() bool {
	text, indented := 0, 0
	for _, ln := range s.lines {
		if ln.text != "" {
			text++
			if ln.indent > 1 {
				indented++
			}
		}
	}
	return indented*20 < text
}

// lineWidth is the column of the right margin: one that only few lines pass.
func (s *scan) lineWidth() int {
	var count [201]int
	total := 0
	for _, ln := range s.lines {
		if n := len(ln.text); n > 20 {
			count[min(ln.indent+n, 200)]++
			total++
		}
	}
	seen := 0
	for n := 200; n > 0; n-- {
		if seen += count[n]; seen*30 > total {
			return n
		}
	}
	return 80
}

// learnNames looks at all tables once, before any list is read, and learns the
// full names on their MOVER and SECONDER rows and in lists printed in full.
func (s *scan) learnNames() {
	d := s.p.dialect
	for i := 0; i < len(s.lines); i++ {
		if !s.isResultLabel(i) {
			continue
		}
		person := rowUnknown
		for j := i; j < len(s.lines) && j < i+24; j++ {
			text := s.lines[j].text
			kind, value, ok := d.label(text, true)
			if !ok {
				kind, value = person, text
			}
			if ok && kind == rowResult && j > i {
				break
			}
			person = rowUnknown
			switch {
			case kind == rowMover || kind == rowSeconder:
				if value == "" {
					person = kind
					continue
				}
				s.learnPerson(value)
			case kind.isList():
				s.learnList(value, j)
			case strings.Contains(text, ", ") && d.isPersonShaped(text):
				// The value of a row whose label stands elsewhere.
				if name, office, _ := strings.Cut(text, ", "); d.isTitle(office) && len(strings.Fields(name)) >= 2 {
					s.learnPerson(text)
				}
			}
		}
	}
}

func (s *scan) learnPerson(value string) {
	d := s.p.dialect
	names := d.splitNames(value)
	if len(names) == 0 || !d.isPersonShaped(names[0].text) {
		return
	}
	if n := len(strings.Fields(names[0].text)); n >= 2 && n <= 5 {
		s.people.learn(names[0].text)
	}
}

func (s *scan) learnList(value string, j int) {
	d := s.p.dialect
	names := d.splitNames(value)
	for i, n := range names {
		if i == len(names)-1 && !s.rowEnds(j) {
			continue // it may go on in the next line
		}
		if k := len(strings.Fields(n.text)); k >= 2 && k <= 5 && d.isPersonShaped(n.text) {
			s.people.learn(n.text)
		}
	}
}

// rowEnds reports whether nothing can carry on the row at line j.
func (s *scan) rowEnds(j int) bool {
	if j+1 >= len(s.lines) || s.lines[j+1].text == "" {
		return true
	}
	_, _, ok := s.p.dialect.label(s.lines[j+1].text, true)
	return ok
}

// walk goes over the lines once and opens headings, items and votes.
func (s *scan) walk() {
	for i := 0; i < len(s.lines); {
		if i >= s.skipFrom && i < s.skipTo {
			i = s.skipTo
			s.freshFrom = i
			continue
		}
		text := s.lines[i].text
		if text == "" {
			i++
			continue
		}
		if s.isResultLabel(i) {
			i = s.vote(i)
			continue
		}
		if s.attached {
			i++
			continue
		}
		if next := s.openAt(i); next > i {
			i = next
			continue
		}
		s.prose(i)
		i++
	}
}

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
	if s.isLateTitle(i) {
		s.sec.title, s.sec.untitled = s.lines[i].text, false
		s.sec.consent, s.sec.adjourn = s.isConsent(s.sec.title), s.isAdjourn(s.sec.title)
		s.freshFrom = i + 1
		return i + 1
	}
	if s.top == markNone && s.isUnnumbered(i) || s.isSubheading(i) {
		s.openSubheading(i)
		s.freshFrom = i + 1
		return i + 1
	}
	return i
}

// wouldOpen reports whether the marker at line i begins a heading or an item.
func (s *scan) wouldOpen(i int, m marker) bool {
	if s.isTop(i, m) {
		return true
	}
	_, ok := s.isItemMark(i, m)
	return ok
}

func (s *scan) openSection(i int, m marker) int {
	if m.kind == markRoman && s.top == markLetter {
		m.value = m.also
	}
	s.lastTop = m.value
	h := s.readHeading(i, m, false)
	if s.topIndent < 0 || s.lines[i].indent < s.topIndent || s.lines[i].newPage {
		s.topIndent = s.lines[i].indent
	}
	s.enter(&section{number: m.label, title: h.title, page: s.lines[i].page, line: i, untitled: h.title == ""})
	s.freshFrom = h.end
	s.closing = 0
	if s.sec.adjourn {
		s.closing = h.end
	}
	return h.end
}

func (s *scan) enter(sec *section) {
	sec.consent = s.isConsent(sec.title)
	sec.adjourn = s.isAdjourn(sec.title)
	sec.lastValue = map[markKind]int{}
	s.sections = append(s.sections, sec)
	s.sec, s.item = sec, nil
	s.motions = nil
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
	text := s.lines[i].text
	if len(text) > 70 || !upper(text[0]) || strings.HasSuffix(text, ".") || strings.HasSuffix(text, ":") || s.isMotionLabel(text) {
		return false
	}
	if s.p.dialect.sections[strings.ToUpper(text)] && s.flat {
		return !s.p.dialect.sections[strings.ToUpper(sec.title)]
	}
	return sec.untitled && s.lowerWords(text) == 0 && !strings.Contains(text, ",")
}

// isSubheading knows headings without a number: in capitals, on a line of
// their own, centred on the page or of well-known words.
func (s *scan) isSubheading(i int) bool {
	ln := s.lines[i]
	if len(ln.text) > 60 || ln.text[0] < 'A' || ln.text[0] > 'Z' {
		return false
	}
	if ln.text != strings.ToUpper(ln.text) {
		return false
	}
	known := s.p.dialect.sections[ln.text]
	if !s.breakBefore(i) && !(known && s.fits(i-1, ln.text)) || strings.ContainsAny(ln.text, "0123456789:.,") {
		return false
	}
	if known && (s.top == markNone || s.isConsent(ln.text)) {
		return true
	}
	if s.sec == nil || !known && (s.flat || ln.indent < 24 || s.isSponsor(ln.text)) {
		return false
	}
	// A list of items begins right below it.
	next := s.nextText(i + 1)
	if next < 0 {
		return false
	}
	m, ok := s.markerAt(next)
	return ok && m.kind != markBullet
}

// isUnnumbered reports whether line i is a heading in a document that numbers
// its items only: a title on one line with the first item of a list below it,
// or a consent heading.
func (s *scan) isUnnumbered(i int) bool {
	text := s.lines[i].text
	if len(text) > 100 || !upper(text[0]) || strings.ContainsAny(text[len(text)-1:], ".,;:") || s.lowerWords(text) > 0 {
		return false
	}
	if !s.breakBefore(i) && !s.fits(i-1, text) && !strings.HasSuffix(s.lines[i-1].text, ".") {
		return false
	}
	if s.isConsent(text) && len(text) < 40 {
		return true
	}
	next := s.nextText(i + 1)
	if next < 0 || s.isSponsor(text) || isFileNumber(text) {
		return false
	}
	m, ok := s.markerAt(next)
	if !ok {
		// A heading with a vote of its own.
		return strings.Contains(text, " ") && (s.isResultLabel(next) || s.motionIn(next) != nil) && i >= s.lastBlock
	}
	if m.text != "" && !isTitleShaped(m.text) && !s.hanging(m) {
		return false
	}
	if s.item == nil || s.sec == nil {
		return true
	}
	// Right below the list there is no heading, but the text of an item.
	return m.value <= s.sec.lastValue[m.kind] || m.kind != s.item.kind || i <= s.freshFrom+1
}

func (s *scan) openSubheading(i int) {
	above := s.sec
	for above != nil && above.parent != nil {
		above = above.parent
	}
	if above != nil && above.number == "" {
		above = nil // headings without number stand side by side
	}
	sec := &section{title: s.lines[i].text, page: s.lines[i].page, line: i, parent: above}
	s.enter(sec)
	if above != nil {
		// Numbers can run on through the headings without number.
		if above.consent {
			sec.consent = true
		}
	}
}

func (s *scan) isConsent(title string) bool {
	if len(title) > 80 {
		return false
	}
	return strings.Contains(strings.ToLower(title), "consent")
}

func (s *scan) openItem(i int, m marker) int {
	s.sec.lastValue[m.kind] = m.value
	h := s.readHeading(i, m, true)
	it := &item{number: m.label, file: h.file, title: h.title, page: s.lines[i].page, line: i, sec: s.sec, kind: m.kind, alone: true}
	// A marker of another style than the item's is perhaps only a list in it.
	switch cur := s.item; {
	case cur == nil || cur.heading:
	case cur.kind == m.kind:
		it.parent = cur.parent
	case cur.parent != nil && cur.parent.kind == m.kind:
		it.parent = cur.parent.parent
	default:
		it.parent = cur
	}
	it.pulled = s.isPulledStub(h.title)
	if len(s.sec.items) == 0 && s.sec.consent && len(s.motions) > 0 {
		s.sec.motion = s.motions[len(s.motions)-1] // of all items of the list
	}
	s.sec.items = append(s.sec.items, it)
	s.item = it
	s.knowFile(it)
	s.motions = nil
	s.freshFrom = h.end
	return h.end
}

// prose looks at a line that is neither heading nor table.
func (s *scan) prose(i int) {
	text := s.lines[i].text
	if s.item != nil && len(s.item.blocks) == 0 && s.item.file == "" && isFileNumber(text) {
		s.item.file = fileNumberOf(text)
		s.knowFile(s.item)
		return
	}
	if kind, _, ok := s.p.dialect.label(text, false); ok && (kind == rowMover || kind == rowAye) && i >= s.lastBlock {
		s.orphanRoll(i)
		return
	}
	if m := s.motionIn(i); m != nil {
		s.motions = append(s.motions, m)
		if s.item != nil {
			s.item.alone = false
		}
	}
	s.withdrawn(i)
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

func fileNumberOf(text string) string {
	for _, p := range []string{"File #:", "File #", "File ID:", "File No.", "File Number:"} {
		if r, ok := strings.CutPrefix(text, p); ok {
			return strings.TrimSpace(r)
		}
	}
	return text
}

// orphanRoll reports a roll call without a RESULT line, once.
func (s *scan) orphanRoll(i int) {
	if s.labelFollows(i) && (s.orphans == 0 || i > s.orphans+12) {
		s.orphans = i
		s.report(council.CodeResultMissing, -1, nil, s.lines[i].page, "a roll call without a RESULT line")
	}
}

// vote reads the table at line i, gives it to its item, and returns the line
// after it.
func (s *scan) vote(i int) int {
	s.blockBefore = s.lastBlock
	b := s.readBlock(i)
	if s.isAttachment(b) {
		b.names = s.itemNamedBefore(b.line)
		s.strays = append(s.strays, b)
	} else {
		s.give(b)
	}
	s.lastBlock, s.freshFrom = b.end, b.end
	if b.displaced > 0 && !s.attached {
		return s.openDisplaced(b)
	}
	return b.end
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

// give hands a vote to the item under which it is printed.
func (s *scan) give(b *block) {
	it := s.item
	for it != nil && it.parent != nil && len(it.blocks) == 0 && (!it.alone || s.isListEntry(it)) {
		it = it.parent // a numbered list in the text of an item is no item
	}
	if it == nil {
		if s.sec == nil {
			s.enter(&section{page: b.page, line: b.line})
		}
		if s.sec.consent && len(s.sec.items) == 0 {
			s.sec.blocks = append(s.sec.blocks, b)
			b.motionText(s.takeMotion(b))
			return
		}
		it = s.sec.ownItem()
		s.item = it
	}
	s.item = it
	b.motionText(s.takeMotion(b))
	it.blocks = append(it.blocks, b)
	it.alone = false
}

// ownItem is the heading as an item of its own.
func (sec *section) ownItem() *item {
	if sec.own == nil {
		sec.own = &item{number: sec.number, title: sec.title, page: sec.page, line: sec.line, sec: sec, heading: true}
		if sec.parent != nil && sec.number == "" {
			// A heading without number: the numbered one above is its section.
			sec.own.title = sec.title
		}
	}
	return sec.own
}

// isListEntry reports whether a nested item is one of several in a row of
// which none but this one could have a vote.
func (s *scan) isListEntry(it *item) bool {
	n := 0
	for _, other := range it.sec.items {
		if other.parent == it.parent && other != it {
			if len(other.blocks) > 0 {
				return false
			}
			n++
		}
	}
	return n > 0
}

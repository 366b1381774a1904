package minutes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/layout"
	"github.com/townline/townline/services/council-ingest/internal/minutes/roster"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// Parser reads minutes with one set of options. It keeps no state between
// documents and is safe for concurrent use.
type Parser struct {
	opt     Options
	dialect *dialect.Dialect
}

// NewParser prepares a parser.
func NewParser(opt Options) *Parser {
	return &Parser{opt: opt, dialect: dialect.New(opt.Dialect, opt.Results)}
}

// Parse reads the text of minutes, with a form feed between pages, and returns
// what they record. The same text and options give the same record, byte for
// byte. It does not fail: what it cannot read is an anomaly of the record.
func (p *Parser) Parse(text string) Record { return *p.scan(text).record }

func (p *Parser) scan(text string) *scan {
	s := &scan{p: p, topIndent: -1}
	s.people = roster.New(p.dialect)
	s.record = &Record{Attendance: []Attendee{}, Items: []Item{}, Anomalies: []Anomaly{}}
	sheet := layout.Read(text, p.dialect, p.opt.Furniture, p.opt.Paged)
	s.lines = sheet.Lines
	if s.nextText(0) < 0 {
		s.report(council.CodeNoText, -1, nil, 0, "the document has no text")
		return s
	}
	if !sheet.Whole {
		s.report(council.CodeTextCut, -1, nil, 0, "the text is longer than is read; votes may be missing")
	}
	s.head()
	s.mixed = s.mixedLabels()
	s.style = s.itemStyle()
	s.resultLast = s.isResultLast()
	s.flat = s.isFlat()
	s.width = s.lineWidth()
	s.hung = s.hangsTitles()
	s.skipFrom, s.skipTo = s.attendance()
	s.learnOffices()
	s.people.Forget()
	for _, name := range p.opt.Roster {
		s.people.Learn(name)
	}
	s.learnNames()
	s.top = s.topKind()
	s.walk()
	s.finish()
	return s
}

// scan is one walk over one document.
type scan struct {
	p      *Parser
	lines  []layout.Line
	people *roster.People
	record *Record

	skipFrom, skipTo int // the lines of the attendance list

	top         shape.Kind   // style of the outline's top level
	lastTop     int          // value of its last heading
	tops        map[int]bool // its lines, where items are numbered alike and nothing else tells them apart
	topIndent   int          // its indentation, -1 before the first heading
	lastNumber  int          // value of the last item, where items are numbered through
	width       int          // how long lines get
	lastFile    string       // the file number seen last
	style       shape.Style  // how it numbers its items, beyond what every document may do
	flat        bool         // text without columns: indentation means nothing
	hung        bool         // its titles go on further right than their numbers stand
	mixed       bool         // this document prints the label as "Result:"
	resultLast  bool         // its tables end with RESULT
	sections    []*section
	sec         *section           // the heading under which the walk is
	item        *item              // the item under which the walk is
	freshFrom   int                // lines before this one belong to a heading or a table
	lastBlock   int                // the line after the last table
	blockBefore int                // the line after the table before the one being read
	headedFrom  int                // the line after the last heading or item
	files       map[string]*item   // by file number
	listed      map[string]*item   // items of consent lists, by number
	voted       map[string][]*item // items with a vote, by file number and by folded title
	motions     []*motion
	attached    bool // past the end of the meeting, among attachments
	closing     int  // the line after the heading of the adjournment, 0 before it
	strays      []*block
	ticks       *ticks        // a table of marks whose RESULT comes next
	index       map[*item]int // into the record's items
	proved      map[*block]bool
	movers      bool           // this document prints movers; some dialects do not
	rolls       int            // how many rolls it prints
	standing    map[string]int // on how many of them somebody stands
	votes       int            // tables read, attachments included
	spread      int            // items that have the vote on a list
	alike       map[alike]int  // anomalies by code and page
	orphans     int            // the line of the last roll without RESULT that was reported
}

// isFlat reports whether hardly any line is indented or has gaps, as in text
// extracted without regard to columns.
func (s *scan) isFlat() bool {
	text, indented := 0, 0
	for _, ln := range s.lines {
		if ln.Text != "" {
			text++
			if ln.Indent > 1 || strings.Contains(ln.Text, "   ") {
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
		if n := len(ln.Text); n > 20 {
			count[min(ln.Indent+n, 200)]++
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
		person := dialect.Unknown
		for j := i; j < len(s.lines) && j < i+24; j++ {
			text := s.lines[j].Text
			kind, value, ok := d.Label(text, true)
			if !ok {
				kind, value = person, text
			}
			if ok && kind == dialect.Result && j > i {
				break
			}
			person = dialect.Unknown
			switch {
			case kind == dialect.Mover || kind == dialect.Seconder:
				if value == "" {
					person = kind
					continue
				}
				s.learnPerson(value)
			case kind.IsList():
				_, names := shape.CutCount(value)
				s.learnList(names, j)
			case strings.Contains(text, ", ") && d.IsPersonShaped(text):
				// The value of a row whose label stands elsewhere.
				if name, office, _ := strings.Cut(text, ", "); d.IsTitle(office) && len(strings.Fields(name)) >= 2 {
					s.learnPerson(text)
				}
			}
		}
	}
}

// learnOffices takes the words of offices that only this town has from the
// attendance list.
func (s *scan) learnOffices() {
	var words []string
	for _, a := range s.record.Attendance {
		if a.Title == nil || s.p.dialect.IsTitle(*a.Title) {
			continue
		}
		for w := range strings.FieldsSeq(*a.Title) {
			w = shape.Lower(strings.Trim(w, ".,:;()&"))
			if len(w) >= 4 && !s.p.dialect.IsTitleWord(w) && !s.p.dialect.IsSmall(w) && !s.isNameWord(w) {
				words = append(words, w)
			}
		}
	}
	if len(words) > 0 {
		s.p = &Parser{opt: s.p.opt, dialect: s.p.dialect.WithOffices(words)}
		s.people.Use(s.p.dialect)
	}
}

// isNameWord reports whether somebody present has the word in his name.
func (s *scan) isNameWord(word string) bool {
	for _, a := range s.record.Attendance {
		if slices.Contains(strings.Fields(council.FoldName(a.Name)), word) {
			return true
		}
	}
	return false
}

func (s *scan) learnPerson(value string) {
	d := s.p.dialect
	names := d.SplitNames(value)
	if len(names) == 0 || !d.IsPersonShaped(names[0].Text) {
		return
	}
	if n := len(strings.Fields(names[0].Text)); n >= 2 && n <= 5 {
		s.people.Learn(names[0].Text)
	}
}

func (s *scan) learnList(value string, j int) {
	d := s.p.dialect
	names := d.SplitNames(value)
	for i, n := range names {
		if i == len(names)-1 && !s.rowEnds(j) {
			continue // it may go on in the next line
		}
		if k := len(strings.Fields(n.Text)); k >= 2 && k <= 5 && d.IsPersonShaped(n.Text) {
			s.people.Learn(n.Text)
		}
	}
}

// rowEnds reports whether nothing can carry on the row at line j.
func (s *scan) rowEnds(j int) bool {
	if j+1 >= len(s.lines) || s.lines[j+1].Text == "" {
		return true
	}
	if _, _, ok := s.p.dialect.Label(s.lines[j+1].Text, true); ok {
		return true
	}
	_, ok := s.markerAt(j + 1)
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
		text := s.lines[i].Text
		if text == "" {
			i++
			continue
		}
		if s.isResultLabel(i) || s.resultLast && s.opensResultLast(i) {
			if s.votes++; s.votes > maxVotes {
				s.report(council.CodeTextCut, -1, nil, s.lines[i].Page, fmt.Sprintf("more than %d votes; what follows was not read", maxVotes))
				return
			}
			i = s.vote(i)
			continue
		}
		if s.attached {
			i++
			continue
		}
		if t := s.tickTable(i); t != nil {
			i = s.ticked(t)
			s.freshFrom = i
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

// prose looks at a line that is neither heading nor table.
func (s *scan) prose(i int) {
	text := s.lines[i].Text
	if s.item != nil && len(s.item.blocks) == 0 && s.item.file == "" && shape.IsFileNumber(text) {
		s.item.file = shape.FileNumber(text)
		s.knowFile(s.item)
		return
	}
	if kind, _, ok := s.p.dialect.Label(text, false); ok && (kind == dialect.Mover || kind == dialect.Aye) && i >= s.lastBlock {
		s.orphanRoll(i)
		return
	}
	if m := s.motionIn(i); m != nil {
		s.motions = append(s.motions, m)
		if len(s.motions) > maxMotions {
			s.motions = s.motions[1:]
		}
		if s.item != nil {
			s.item.alone = false
		}
	}
	s.withdrawn(i)
}

// orphanRoll reports a roll call without a RESULT line, once.
func (s *scan) orphanRoll(i int) {
	if s.labelFollows(i) && (s.orphans == 0 || i > s.orphans+12) {
		s.orphans = i
		s.report(council.CodeResultMissing, -1, nil, s.lines[i].Page, s.here()+"a roll call without a RESULT line")
	}
}

// here names the item that is being read, as a message begins.
func (s *scan) here() string {
	if s.item == nil {
		return ""
	}
	return strings.TrimSpace(s.item.number+" "+s.item.title) + ": "
}

// vote reads the table at line i, gives it to its item, and returns the line
// after it.
func (s *scan) vote(i int) int {
	s.blockBefore = s.lastBlock
	b := s.readBlock(i)
	b.prose, b.hasProse = s.proseTally(b)
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

// give hands a vote to the item under which it is printed.
func (s *scan) give(b *block) {
	it := s.item
	for it != nil && it.parent != nil && len(it.blocks) == 0 && (!it.alone || s.isListEntry(it)) {
		it = it.parent // a numbered list in the text of an item is no item
	}
	if it == nil {
		if s.sec == nil {
			s.enter(&section{Page: b.Page, line: b.line})
		}
		if s.sec.consent && len(s.sec.items) == 0 {
			s.sec.blocks = append(s.sec.blocks, b)
			b.motion = s.takeMotion(b)
			return
		}
		it = s.sec.ownItem()
		s.item = it
	}
	s.item = it
	b.motion = s.takeMotion(b)
	it.blocks = append(it.blocks, b)
	it.alone = false
}

// ownItem is the heading as an item of its own.
func (sec *section) ownItem() *item {
	if sec.own == nil {
		sec.own = &item{number: sec.number, title: sec.title, Page: sec.Page, line: sec.line, sec: sec, heading: true}
	}
	return sec.own
}

// maxList is how long a list within an item is thought to be.
const maxList = 100

// isListEntry reports whether a nested item is one of several in a row of
// which none but this one could have a vote.
func (s *scan) isListEntry(it *item) bool {
	n := 0
	items := it.sec.items
	for _, other := range items[max(0, len(items)-maxList):] {
		if other.parent == it.parent && other != it {
			if len(other.blocks) > 0 {
				return false
			}
			n++
		}
	}
	return n > 0
}

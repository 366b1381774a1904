package agenda

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/decide"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lex"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/minutes/rows"
)

// Read reads a document. If body is "", it is read from the document. members are full names that
// are already known.
func Read(doc *rows.Document, body string, members []string) *Reader {
	s := &Reader{Document: doc, Writer: record.NewWriter(), topIndent: -1, Types: make([]Typed, len(doc.Rows)),
		files: map[string]*Item{}, listed: map[string]*Item{}}
	s.motions.Reader = s
	if s.Next(0) < 0 {
		s.Report(council.CodeNoText, -1, nil, 0, "the document has no text")
		return s
	}
	if !s.Whole {
		s.Report(council.CodeTextCut, -1, nil, 0, "the text is longer than is read; votes may be missing")
	}
	s.readHead(body)
	s.readAttendance()
	s.Learn(members)
	if !s.Filed && !slices.ContainsFunc(s.Rows, func(r rows.Row) bool { return r.Result && r.Stated == nil }) {
		s.decisions()
		return s
	}
	if !s.Filed {
		s.top = findOutline(s.Document)
	}
	for i := 0; i < len(s.Rows) && s.votes <= MaxVotes; {
		i = s.readLine(i)
	}
	s.finish()
	return s
}

// decisions reads a document that has no tables of results.
func (s *Reader) decisions() {
	words := person.NewWords()
	var roster person.Roster
	var present, away []string
	for _, a := range s.Attendance {
		office := ""
		if a.Title != nil {
			office = *a.Title
		}
		roster.Add(a.Name, office)
		if a.Status == nil || *a.Status != "Absent" && *a.Status != "Excused" {
			present = append(present, a.Name)
		} else {
			away = append(away, a.Name)
		}
	}
	for _, name := range s.People.Seen.Names() {
		roster.Add(name, "")
	}
	g := decide.New(words, s.Dialect.Moved)
	s.Signals = g.Read(decide.Input{Lines: s.Lines, Skip: [2]int{s.skipFrom, s.skipTo}, Members: &roster, Present: present,
		Away: away}, s.Writer)
	s.Writer.Finish()
}

// MaxVotes bounds the number of votes in hostile texts. The longest real minutes print 180 results,
// including attachments.
const MaxVotes = 2_000

// readLine reads what begins at line i, and returns the line after it.
func (s *Reader) readLine(i int) int {
	if i >= s.skipFrom && i < s.skipTo {
		s.freshFrom = s.skipTo
		return s.typed(i, s.skipTo, "attendance", "the attendance list")
	}
	text := s.Rows[i].Text
	switch {
	case text == "":
		return i + 1
	case s.Rows[i].Result:
		if s.votes++; s.votes > MaxVotes {
			s.Report(council.CodeTextCut, -1, nil, s.Rows[i].Page, fmt.Sprintf("more than %d votes; what follows was not read",
				MaxVotes))
			return i
		}
		if s.Rows[i].Stated != nil {
			s.motions.Read(i) // a motion may begin on the same line
		}
		return s.readTable(i)
	case s.attached:
		return s.typed(i, i+1, "attachment", "after the end of the meeting")
	}
	if next := s.openAt(i); next > i {
		if s.item != nil && s.item.Line == i {
			return s.typed(i, next, "item", "begins with a "+s.item.Kind.String()+", where an item can begin")
		}
		return s.typed(i, next, "heading", s.whyHeading(i))
	}
	s.readProse(i)
	return i + 1
}

func (s *Reader) readProse(i int) {
	text := s.Rows[i].Text
	if s.item != nil && len(s.item.Blocks) == 0 && s.item.File == "" && lex.IsFileNumber(text) {
		s.item.File = lex.FileNumber(text)
		s.knowFile(s.item)
		s.typed(i, i+1, "file", "the file number of the item above")
		return
	}
	if kind, _, ok := s.Dialect.Label(text, false); ok && (kind == dialect.Mover || kind == dialect.Aye) &&
		i >= s.lastBlock {
		s.orphanRoll(i)
		s.typed(i, i+1, "prose", "a row "+kind.String()+" without a RESULT line")
		return
	}
	if s.Stating && s.item != nil && s.sec.Consent && dialect.TakesOff(text) {
		s.item.Pulled = true
	}
	if s.Stating && s.motions.Settle(i) {
		s.typed(i, i+1, "prose", "states the outcome of a motion, without a roll call")
		return
	}
	if s.motions.Read(i) {
		s.typed(i, i+1, "motion", "the sentence of a motion")
		if s.Stating {
			s.motions.Settle(i) // an outcome may be on the same line
			if s.item != nil {
				s.item.Moved = true
			}
		}
		if s.item != nil {
			s.item.Alone = false
		}
	} else {
		s.typed(i, i+1, "prose", s.whyProse(i))
	}
	s.motions.Withdraw(i)
}

func (s *Reader) orphanRoll(i int) {
	if s.LabelFollows(i) && (s.orphans == 0 || i > s.orphans+12) {
		s.orphans, s.reported = i, append(s.reported, i)
		s.Report(council.CodeResultMissing, -1, nil, s.Rows[i].Page, s.here()+"a roll call without a RESULT line")
	}
}

// readTable reads the table at line i, assigns it to its item, and returns the line after the
// table.
func (s *Reader) readTable(i int) int {
	s.blockBefore = s.lastBlock
	b := s.readBlock(i)
	s.typedTable(b)
	b.Prose = s.proseOf(b, max(s.blockBefore, s.headedFrom))
	if s.isAttachment(b) {
		s.strays = append(s.strays, stray{Block: b, Names: s.itemNamedBefore(b.Line)})
	} else {
		s.assign(b)
	}
	s.lastBlock, s.freshFrom = b.End, b.End
	if b.Displaced > 0 && !s.attached {
		return s.openDisplaced(b)
	}
	return b.End
}

func (s *Reader) assign(b *Block) {
	it := s.item
	for it != nil && it.Parent != nil && len(it.Blocks) == 0 && (!it.Alone || s.isListEntry(it)) {
		it = it.Parent // it was an entry of a numbered list in an item
	}
	if it == nil {
		if s.sec == nil {
			s.enter(b.Line, s.freshFrom, &Section{}, "")
		}
		if s.sec.Consent && len(s.sec.Items) == 0 {
			s.sec.Blocks = append(s.sec.Blocks, b)
			s.findMotion(b)
			return
		}
		it = s.sec.ownItem()
		s.item = it
	}
	s.item = it
	s.findMotion(b)
	it.Blocks = append(it.Blocks, b)
	it.Alone = false
}

func (s *Reader) findMotion(b *Block) {
	if !b.Stated {
		b.Motion = s.motions.Decide(b.Line, s.blockBefore, b.Mover)
		return
	}
	b.Motion = s.motions.DecideStated(b.Result, b.Line)
	if b.Motion != nil {
		s.movedBy(b, cmp.Or(b.Motion.Mover, b.Motion.Who), b.Motion.Seconder)
	}
}

func (s *Reader) isListEntry(it *Item) bool {
	n := 0
	items := it.Sec.Items
	for _, other := range items[max(0, len(items)-maxList):] {
		if other.Parent == it.Parent && other != it {
			if len(other.Blocks) > 0 {
				return false
			}
			n++
		}
	}
	return n > 0
}

// Reader reads one document.
type Reader struct {
	*rows.Document
	*record.Writer
	Types   []Typed
	Signals []decide.Signal

	top     lex.MarkerStyle // numbering style of the top-level headings
	motions motionList      // motions on the current item

	skipFrom, skipTo int // lines of the attendance list

	sections    []*Section
	sec         *Section
	item        *Item
	lastTop     int // number of the last top-level heading
	topIndent   int // indentation of that heading; -1 before the first heading
	lastNumber  int // number of the last item in any section
	lastFile    string
	freshFrom   int      // the lines before it belong to a heading or a table
	lastBlock   int      // line after the last table
	blockBefore int      // line after the previous table
	headedFrom  int      // line of the last heading or item
	closing     int      // line after the heading of the adjournment; 0 before that
	attached    bool     // the current line is part of an attachment
	numbers     []string // numbers of items whose titles are further down
	votes       int      // number of tables, including those of attachments
	orphans     int      // line of the last roll call without RESULT
	reported    []int    // lines of all roll calls without RESULT

	files  map[string]*Item
	listed map[string]*Item // items of consent calendars, by number
	strays []stray
	items  []*Item            // items with a vote, in the order of the record
	voted  map[string][]*Item // items with a vote, by file number and by folded title
	spread int                // number of items that have the vote on a consent calendar
}

// Typed has the type of a row and why it has that type.
type Typed struct{ Kind, Row, Why string }

func (s *Reader) knowFile(it *Item) {
	if it.File == "" {
		return
	}
	s.lastFile = it.File
	if s.files[it.File] == nil {
		s.files[it.File] = it
	}
}

func (s *Reader) breakBefore(i int) bool {
	return s.BreakBefore(i) || i-1 < s.freshFrom
}

func (s *Reader) movesAt(i int) bool {
	_, _, ok := s.MotionAt(i)
	return ok
}

// isSponsor reports whether a line has nothing but the names of members with offices: "Mayor Doe,
// Councillor Roe".
func (s *Reader) isSponsor(text string) bool {
	if len(text) > 160 {
		return false
	}
	for piece := range strings.SplitSeq(strings.TrimSuffix(text, ","), ",") {
		words := strings.Fields(piece)
		if len(words) < 2 || len(words) > 6 || !s.Dialect.IsOffice(words[0]) {
			return false
		}
		name := s.Dialect.StripTitle(strings.Join(words, " "))
		if len(words) == len(strings.Fields(name)) {
			name = strings.Join(words[1:], " ")
		}
		if !s.People.Resolve(name).Match.Found() {
			return false
		}
	}
	return true
}

func (s *Reader) here() string {
	if s.item == nil {
		return ""
	}
	return s.item.name() + ": "
}

package minutes

import (
	"fmt"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/agenda"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/motion"
	"github.com/townline/townline/services/council-ingest/internal/minutes/outline"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/minutes/rows"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
	"github.com/townline/townline/services/council-ingest/internal/minutes/vote"
)

// walk is one walk over one document: where it is, and what it has met. What was found beforehand, the typed rows and the outline, it
// leaves as it is.
type walk struct {
	agenda.List
	outline.Outline
	tables  vote.Reader
	motions motion.List // of the item under which the walk is

	skipFrom, skipTo int // the lines of the attendance list

	sec         *agenda.Section // the heading under which the walk is
	item        *agenda.Item    // the item under which the walk is
	lastTop     int             // value of the last heading of the top level
	topIndent   int             // its indentation, -1 before the first heading
	lastNumber  int             // value of the last item, where items are numbered through
	lastFile    string          // the file number seen last
	freshFrom   int             // lines before this one belong to a heading or a table
	lastBlock   int             // the line after the last table
	blockBefore int             // the line after the table before the one being read
	headedFrom  int             // the line after the last heading or item
	closing     int             // the line after the heading of the adjournment, 0 before it
	attached    bool            // past the end of the meeting, among attachments
	numbers     []string        // of items whose titles come further down
	ticks       *vote.Ticks     // a table of marks whose RESULT comes next
	votes       int             // tables read, attachments included
	orphans     int             // the line of the last roll without RESULT that was reported
	told        []int           // the lines of all of them

	files  map[string]*agenda.Item // by file number
	listed map[string]*agenda.Item // items of consent lists, by number
	strays []agenda.Stray
	types  []typed        // what each row was read as
	items  []*agenda.Item // those that are in the record, in its order
}

func newWalk(doc *rows.Doc) *walk {
	s := &walk{List: agenda.List{Doc: doc, Writer: record.NewWriter()}, topIndent: -1, types: make([]typed, len(doc.Rows)), files: map[string]*agenda.Item{}, listed: map[string]*agenda.Item{}}
	s.tables = vote.Reader{Doc: doc, Heading: s.isSubheading}
	s.motions = motion.List{Doc: doc, Begins: s.endsMotion}
	return s
}

// walk goes over the lines once and opens headings, items and votes.
func (s *walk) walk() {
	for i := 0; i < len(s.Rows) && s.votes <= maxVotes; {
		i = s.step(i)
	}
}

// step reads what begins at line i and returns the line after it.
func (s *walk) step(i int) int {
	if i >= s.skipFrom && i < s.skipTo {
		s.freshFrom = s.skipTo
		return s.typed(i, s.skipTo, "attendance", "the list of who was there")
	}
	switch text := s.Rows[i].Text; {
	case text == "":
		return i + 1
	case s.Rows[i].Result || s.ResultLast && s.opensResultLast(i):
		if s.votes++; s.votes > maxVotes {
			s.Report(council.CodeTextCut, -1, nil, s.Rows[i].Page, fmt.Sprintf("more than %d votes; what follows was not read", maxVotes))
			return i
		}
		if s.Rows[i].Told != nil {
			s.motions.Read(i) // which can stand on the same line
		}
		return s.vote(i)
	case s.attached:
		return s.typed(i, i+1, "attachment", "behind the end of the meeting")
	}
	if t := s.tables.Ticks(i); t != nil {
		s.freshFrom = s.ticked(t)
		return s.typed(i, t.End, "marks", "a roll in marks or words")
	}
	if next := s.openAt(i); next > i {
		if s.item != nil && s.item.Line == i {
			return s.typed(i, next, "item", "begins with a "+s.item.Kind.String()+", where an item can begin")
		}
		return s.typed(i, next, "heading", s.whyHeading(i))
	}
	s.prose(i)
	return i + 1
}

// prose looks at a line that is neither heading nor table.
func (s *walk) prose(i int) {
	text := s.Rows[i].Text
	if s.item != nil && len(s.item.Blocks) == 0 && s.item.File == "" && shape.IsFileNumber(text) {
		s.item.File = shape.FileNumber(text)
		s.knowFile(s.item)
		s.typed(i, i+1, "file", "the file number of the item above")
		return
	}
	if kind, _, ok := s.Dialect.Label(text, false); ok && (kind == dialect.Mover || kind == dialect.Aye) && i >= s.lastBlock {
		s.orphanRoll(i)
		s.typed(i, i+1, "prose", "a row "+kind.String()+" without a RESULT line")
		return
	}
	if s.Telling && s.item != nil && s.sec.Consent && dialect.TakesOff(text) {
		s.item.Pulled = true
	}
	if s.Telling && s.motions.Settle(i) {
		s.typed(i, i+1, "prose", "says what became of a motion, without a roll")
		return
	}
	if s.motions.Read(i) {
		s.typed(i, i+1, "motion", "somebody moves")
		if s.Telling {
			s.motions.Settle(i) // on the same line
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

// orphanRoll reports a roll call without a RESULT line, once.
func (s *walk) orphanRoll(i int) {
	if s.LabelFollows(i) && (s.orphans == 0 || i > s.orphans+12) {
		s.orphans, s.told = i, append(s.told, i)
		s.Report(council.CodeResultMissing, -1, nil, s.Rows[i].Page, s.here()+"a roll call without a RESULT line")
	}
}

// here names the item that is being read, as a message begins.
func (s *walk) here() string {
	if s.item == nil {
		return ""
	}
	return s.item.Name() + ": "
}

// vote reads the table at line i, gives it to its item, and returns the line after it.
func (s *walk) vote(i int) int {
	s.blockBefore = s.lastBlock
	b := s.tables.Read(i, max(s.lastBlock, s.freshFrom), s.ticks)
	s.ticks = nil
	s.typedTable(b)
	b.Prose = s.tables.ProseOf(b, max(s.blockBefore, s.headedFrom))
	if s.isAttachment(b) {
		s.strays = append(s.strays, agenda.Stray{Block: b, Names: s.itemNamedBefore(b.Line)})
	} else {
		s.give(b)
	}
	s.lastBlock, s.freshFrom = b.End, b.End
	if b.Displaced > 0 && !s.attached {
		return s.openDisplaced(b)
	}
	return b.End
}

// give hands a vote to the item under which it is printed.
func (s *walk) give(b *vote.Block) {
	it := s.item
	for it != nil && it.Parent != nil && len(it.Blocks) == 0 && (!it.Alone || s.isListEntry(it)) {
		it = it.Parent // a numbered list in the text of an item is no item
	}
	if it == nil {
		if s.sec == nil {
			s.enter(&agenda.Section{Page: b.Page, Line: b.Line})
		}
		if s.sec.Consent && len(s.sec.Items) == 0 {
			s.sec.Blocks = append(s.sec.Blocks, b)
			s.moved(b)
			return
		}
		it = s.sec.OwnItem()
		s.item = it
	}
	s.item = it
	s.moved(b)
	it.Blocks = append(it.Blocks, b)
	it.Alone = false
}

// moved gives a vote the motion on which it was taken.
func (s *walk) moved(b *vote.Block) {
	if !b.Told {
		b.Motion = s.motions.Take(b.Line, s.blockBefore, b.Mover)
		return
	}
	if b.Motion = s.motions.TakeTold(b.Result, b.Line); b.Motion != nil {
		mover := b.Motion.Mover
		if mover == "" {
			mover = b.Motion.Who
		}
		s.tables.MovedBy(b, mover, b.Motion.Seconder)
	}
}

// isListEntry reports whether a nested item is one of several in a row of which none but this one could have a vote.
func (s *walk) isListEntry(it *agenda.Item) bool {
	n := 0
	items := it.Sec.Items
	for _, other := range items[max(0, len(items)-agenda.MaxList):] {
		if other.Parent == it.Parent && other != it {
			if len(other.Blocks) > 0 {
				return false
			}
			n++
		}
	}
	return n > 0
}

// ticked passes over a table of marks that stands before its RESULT, and keeps it for it; without RESULT it is reported.
func (s *walk) ticked(t *vote.Ticks) int {
	next := s.Next(t.End)
	if next >= 0 && next <= t.End+2 && s.Rows[next].Result {
		s.ticks = t
	} else {
		s.told = append(s.told, t.Line)
		s.Report(council.CodeResultMissing, -1, nil, s.Rows[t.Line].Page, s.here()+"a table of marks without a RESULT line")
	}
	return t.End
}

// opensResultLast reports whether a table that ends with RESULT begins at line i: rows follow up to its RESULT, and no heading between.
func (s *walk) opensResultLast(i int) bool {
	if kind, _, ok := s.Label(i); !ok || kind < dialect.Motion {
		return false
	}
	for j := i + 1; j < len(s.Rows) && j < i+vote.MaxLines; j++ {
		if s.Rows[j].Result {
			return true
		}
		if m, ok := s.MarkerAt(j); ok && s.wouldOpen(j, m) {
			return false
		}
	}
	return false
}

// isAttachment reports whether a table stands on a resolution attached to the minutes, where the vote of the minutes is printed again. That
// is so behind the adjournment, unless the table stands right under it and is new, and wherever the text before it calls itself the
// resolution of an item that has been voted on already.
func (s *walk) isAttachment(b *vote.Block) bool {
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
func (s *walk) signedBefore(at int) bool {
	for j := s.closing; j < at; j++ {
		if dialect.IsSignature(s.Rows[j].Text) {
			return true
		}
	}
	return false
}

// itemNamedBefore finds the item whose file number stands on a line of its own ("TB Resolution 2025-1") between the last table and line at.
func (s *walk) itemNamedBefore(at int) *agenda.Item {
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

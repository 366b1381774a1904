// Package walk goes over the typed rows of a document once, opens headings and items, gives each vote to its item, and turns what it found into
// the record.
//
// It types no line and knows no word by itself: packages rows and dialect do. It decides on no vote: vote and motion read, proof judges.
// From the ground up: state.go, outline.go how headings are numbered, mark.go which marker opens something, bare.go headings without a number, title.go where a title ends,
// open.go and filed.go (where items begin with file numbers) open them, attached.go where the minutes end, walk.go the walk, finish.go what it comes to,
// unread.go what is printed like a vote and was not read.
package walk

import (
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/agenda"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/motion"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
	"github.com/townline/townline/services/council-ingest/internal/minutes/vote"
)

// A Walk is one walk over one document: where it is, and what it has met. What was found beforehand, the typed rows and the outline, it
// leaves as it is.
type Walk struct {
	agenda.List
	Top     shape.Kind // how the headings of the top level are numbered
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
	votes       int             // tables read, attachments included
	orphans     int             // the line of the last roll without RESULT that was reported
	reported    []int           // the lines of all of them

	files  map[string]*agenda.Item // by file number
	listed map[string]*agenda.Item // items of consent lists, by number
	strays []agenda.Stray
	items  []*agenda.Item // those that are in the record, in its order

	// Types is what each row was read as.
	Types []Typed
}

// Typed is what the walk read a row as.
type Typed struct{ Kind, Row, Why string }

func (s *Walk) enter(sec *agenda.Section) {
	sec.Consent, sec.Removed = council.ConsentHeading(sec.Title)
	sec.Adjourn = dialect.IsAdjourn(sec.Title)
	sec.LastValue = map[shape.Kind]int{}
	if s.sec != nil {
		s.sec.Until = sec.Line
	}
	s.Sections = append(s.Sections, sec)
	s.sec, s.item = sec, nil
	s.motions.Clear()
	s.headedFrom = sec.Line
}

// knowFile remembers the item of a file number, the first one to show it.
func (s *Walk) knowFile(it *agenda.Item) {
	if it.File == "" {
		return
	}
	s.lastFile = it.File
	if s.files[it.File] == nil {
		s.files[it.File] = it
	}
}

// breakBefore reports whether line i can begin a paragraph.
func (s *Walk) breakBefore(i int) bool {
	return s.BreakBefore(i) || i-1 < s.freshFrom
}

// movesAt reports whether a motion begins at line i.
func (s *Walk) movesAt(i int) bool {
	_, _, ok := s.MotionAt(i)
	return ok
}

// isSponsor reports whether a line names members with their offices and nothing else: "COUNCILLOR ROE", "Mayor Doe, Councillor Roe".
func (s *Walk) isSponsor(text string) bool {
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

// here names the item that is being read, as a message begins.
func (s *Walk) here() string {
	if s.item == nil {
		return ""
	}
	return s.item.Name() + ": "
}

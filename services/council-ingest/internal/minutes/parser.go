package minutes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/attendance"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/layout"
	"github.com/townline/townline/services/council-ingest/internal/minutes/outline"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/minutes/rows"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// Options are what differs from town to town. The zero value reads the known dialects.
type Options struct {
	// Body is the name of the council; empty means as the document says.
	Body string
	// Roster is members by full name, as far as they are known. It helps to resolve last names; who was there is what the attendance list
	// says.
	Roster []string
	// Dialect extends the words of the dialects that ship.
	Dialect dialect.Words
	// Results extends the standing table of result words.
	Results map[string]council.Result
	// Furniture are beginnings of lines that are printed on pages and belong to no item.
	Furniture []string
	// Paged says that the text comes from a document with pages, so that also a text without a form feed has a first page.
	Paged bool
}

// Parser reads minutes with one set of options. It keeps no state between documents and is safe for concurrent use.
type Parser struct {
	opt     Options
	dialect *dialect.Dialect
}

// NewParser prepares a parser.
func NewParser(opt Options) *Parser {
	return &Parser{opt: opt, dialect: dialect.New(opt.Dialect, opt.Results)}
}

// Parse reads the text of minutes, with a form feed between pages, and returns what they record. The same text and options give the same
// record, byte for byte. It does not fail: what it cannot read is an anomaly of the record.
func (p *Parser) Parse(text string) record.Record { return *p.read(text).Record }

// read types the lines of a document, finds what is true of it as a whole, and walks over it.
func (p *Parser) read(text string) *walk {
	return p.walkOver(layout.Read(text, p.dialect, p.opt.Furniture, p.opt.Paged))
}

func (p *Parser) walkOver(sheet layout.Sheet) *walk {
	s := newWalk(rows.Read(sheet.Lines, p.dialect))
	if s.Next(0) < 0 {
		s.Report(council.CodeNoText, -1, nil, 0, "the document has no text")
		return s
	}
	if !sheet.Whole {
		s.Report(council.CodeTextCut, -1, nil, 0, "the text is longer than is read; votes may be missing")
	}
	s.head(p.opt.Body)
	s.skipFrom, s.skipTo = attendance.Read(s.Doc, s.Writer)
	s.Learn(s.Attendance, p.opt.Roster)
	if !s.Filed {
		s.Outline = outline.Find(s.Doc)
	}
	s.motions.Top = s.Top
	s.walk()
	s.finish(sheet)
	return s
}

// Agrees reports whether a result that somebody else printed, such as the portal beside an item, can be that of one of the item's votes.
// Wordings differ, and a motion to table that passed leaves the item tabled; so only this contradicts a vote: that one failed and the other
// did not, or other numbers.
func (p *Parser) Agrees(printed string, votes []record.Vote) bool {
	result, t := p.dialect.Classify(printed), shape.ReadTally(printed)
	return slices.ContainsFunc(votes, func(v record.Vote) bool {
		if strings.EqualFold(shape.Fold(printed), v.ResultRaw) {
			return true
		}
		if result != v.Result && result != council.Other && v.Result != council.Other && (result == council.Failed || v.Result == council.Failed) {
			return false
		}
		if t.Unanimous && (v.NaysCount > 0 || len(v.Positions.Abstain) > 0) {
			return false
		}
		if !t.Counted || len(v.Positions.All()) == 0 && !shape.ReadTally(v.ResultRaw).Counted {
			return true
		}
		return t.Ayes == v.AyesCount && t.Nays == v.NaysCount
	})
}

// Refuses says why a text is not read as minutes, empty when it is: it prints more results than a meeting can have.
func Refuses(text string) string {
	d := dialect.New(dialect.Words{}, nil)
	lines, _ := layout.Split(text, false)
	results := 0
	for _, ln := range lines {
		if kind, _, ok := d.Label(ln.Text, false); ok && kind == dialect.Result {
			results++
		}
	}
	if results <= maxVotes {
		return ""
	}
	return fmt.Sprintf("the document prints %d results of votes, more than the %d that the minutes of a meeting may have", results, maxVotes)
}

// maxVotes bounds what a hostile text may cost. The longest real minutes print 180 results, attachments included, and say the same thing of
// 90 votes.
const maxVotes = 2_000

const headLines = 60 // how far down a document its head can reach

// head reads the name of the body and the date of the meeting from the top of the document.
func (s *walk) head(own string) {
	body := ""
	for i, seen := 0, 0; i < len(s.Rows) && seen < headLines; i++ {
		text := s.Rows[i].Text
		if text == "" {
			continue
		}
		seen++
		if m, ok := s.MarkerAt(i); ok && m.Kind == shape.Roman && m.Value == 1 {
			break
		}
		if s.Record.MeetingDate == nil {
			if date := s.Dialect.Date(text); date != "" && !strings.HasPrefix(text, "Published") {
				s.Record.MeetingDate = &date
			}
		}
		// The name that stands last before the date is the body's; further up there can be a letterhead.
		if found := s.Dialect.Body(text); found != "" && (body == "" || s.Record.MeetingDate == nil) {
			body = found
		}
	}
	s.Record.Body = record.Text(cmp.Or(own, body))
	if s.Record.MeetingDate == nil {
		s.Report(council.CodeDateMissing, -1, nil, s.Rows[0].Page, "the document does not show the date of the meeting")
	}
}

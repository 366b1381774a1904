package minutes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/attend"
	"github.com/townline/townline/services/council-ingest/internal/minutes/decide"
	"github.com/townline/townline/services/council-ingest/internal/minutes/head"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lines"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/minutes/signal"
)

// Options differ from town to town. The zero value handles the built-in dialects.
type Options struct {
	// Body is the name of the body. If it is "", it is read from the document.
	Body string
	// Roster has the full names of members, as far as known, to complete last names. It is not the
	// attendance.
	Roster  []string
	Dialect lexicon.Words
	// Results extends the table of result words.
	Results map[string]council.Result
	// Furniture lists the beginnings of page headers and footers.
	Furniture []string
	// Paged says that the document has pages. Then a text without form feeds is page 1.
	Paged bool
}

type Parser struct {
	opt     Options
	dialect *lexicon.Dialect
}

func NewParser(opt Options) *Parser {
	d := lexicon.New(opt.Dialect, opt.Results)
	return &Parser{opt: opt, dialect: d}
}

// Parse parses the text of minutes, in which form feeds separate pages. The same text and options
// give the same record, byte for byte. Unreadable text becomes an anomaly of the record.
func (p *Parser) Parse(text string) record.Record {
	return *p.read(text).Record
}

// document is a document that was read, and how.
type document struct {
	*signal.Document
	*record.Writer
	decide.Result
}

func (p *Parser) read(text string) *document {
	text, capitals := p.dialect.People().Uncapitalized(text)
	doc := p.readLetters(text)
	if capitals != nil {
		doc.print(capitals, p.opt.Roster)
	}
	return doc
}

// readLetters reads a text whose letters tell names from other words.
func (p *Parser) readLetters(text string) *document {
	doc := &document{Document: signal.Read(text, p.dialect, p.opt.Furniture, p.opt.Paged), Writer: record.NewWriter()}
	if doc.Next(0) < 0 {
		doc.Report(council.CodeNoText, -1, nil, 0, "the document has no text")
		return doc
	}
	if !doc.Whole {
		doc.Report(council.CodeTextCut, -1, nil, 0, "the text is longer than is read; votes may be missing")
	}
	h := head.Read(doc.Lines, doc.Dropped)
	doc.Body, doc.MeetingDate = council.Some(cmp.Or(p.opt.Body, h.Body)), council.Some(h.Date)
	if h.Date == "" {
		doc.Report(council.CodeDateMissing, -1, nil, doc.Rows[0].Page, "the document does not show the date of the meeting")
	}
	sheet := attend.Read(doc.Lines, p.dialect, func(line int) bool { return doc.Rows[line].Result })
	doc.Attendance = sheet.Attendance
	for _, a := range sheet.Attendance {
		doc.People.Add(a.Name, council.OrZero(a.Title))
	}
	for _, one := range sheet.Problems {
		doc.Report(one.Code, -1, nil, one.Page, one.Message)
	}
	for _, name := range sheet.Cover {
		doc.People.Learn(name, "")
	}
	doc.Learn(p.opt.Roster)
	doc.Result = decide.Read(decide.Input{Doc: doc.Document, Skip: [2]int{sheet.From, sheet.To}}, doc.Writer)
	doc.Finish()
	return doc
}

// print writes the texts of a record as the document prints them, except for names that are from the roster.
func (d *document) print(capitals *person.Capitals, roster []string) {
	printed := func(text string) string {
		if slices.Contains(roster, text) {
			return text
		}
		return capitals.Printed(text)
	}
	some := func(text *string) *string {
		if text == nil {
			return nil
		}
		return new(printed(*text))
	}
	for i := range d.Attendance {
		a := &d.Attendance[i]
		a.Name, a.Title = printed(a.Name), some(a.Title)
	}
	for i := range d.Items {
		it := &d.Items[i]
		it.Title, it.Section = printed(it.Title), some(it.Section)
		it.ItemNumber, it.FileNumber = some(it.ItemNumber), some(it.FileNumber)
		for k := range it.Votes {
			v := &it.Votes[k]
			v.MotionText, v.ResultRaw = printed(v.MotionText), printed(v.ResultRaw)
			v.Mover, v.Seconder = some(v.Mover), some(v.Seconder)
			for n := range v.Roll {
				v.Roll[n].Member = printed(v.Roll[n].Member)
			}
		}
	}
}

// Agrees reports whether a result from another source, such as the portal's, can belong to one of
// the item's votes. Wordings differ, and a passed motion to table leaves the item tabled. So there
// is a contradiction only if one source has a failure, or if the tallies differ.
func (p *Parser) Agrees(printed string, votes []record.Vote) bool {
	result, t := p.dialect.Classify(printed), p.dialect.English().ReadTally(printed)
	return slices.ContainsFunc(votes, func(v record.Vote) bool {
		if strings.EqualFold(council.Fold(printed), v.ResultRaw) {
			return true
		}
		if result != v.Result && result != council.Other && v.Result != council.Other &&
			(result == council.Failed || v.Result == council.Failed) {
			return false
		}
		if t.Unanimous && (v.NaysCount > 0 || v.Roll.Count(council.Abstain) > 0) {
			return false
		}
		if !t.Counted || len(v.Roll) == 0 && !p.dialect.English().ReadTally(v.ResultRaw).Counted {
			return true
		}
		return t.Ayes == v.AyesCount && t.Nays == v.NaysCount
	})
}

// IsMinutes reports whether a text has what only minutes have: a vote, a vote that was not read, or the
// list of who was present. An agenda, a list of meetings and a page of an error have none.
func IsMinutes(text string) bool {
	r := NewParser(Options{}).Parse(text)
	return len(r.Items) > 0 ||
		slices.ContainsFunc(r.Attendance, func(a record.Attendee) bool { return a.Status != nil }) ||
		slices.ContainsFunc(r.Anomalies, func(a record.Anomaly) bool { return a.Code == council.CodeVotesUnread })
}

// Refuses returns why a text is not parsed: it has more results than a meeting can have. It returns
// "" for other texts.
func Refuses(text string) string {
	d := lexicon.New(lexicon.Words{}, nil)
	lines, _ := lines.Split(text, false)
	results := 0
	for _, ln := range lines {
		if kind, _, ok := d.Label(ln.Text, false); ok && kind == lexicon.Result {
			results++
		}
	}
	if results <= signal.MaxTables {
		return ""
	}
	return fmt.Sprintf("the document prints %d results of votes, more than the %d that the minutes of a meeting may have",
		results, signal.MaxTables)
}

// Line is a printed line with its classification and the reason for that.
type Line struct {
	Line int `json:"line"`           // from 1
	Page int `json:"page,omitempty"` // from 1
	// one of furniture, attendance, heading, item, file, motion, label, value, prose, attachment
	Kind string `json:"kind"`
	Row  string `json:"row,omitempty"` // for a label or value: result, mover, aye …
	Why  string `json:"why"`
	Text string `json:"text"`
}

// Explain returns the classification of each line, with the reason. It shows an operator the words
// that no dialect has.
func (p *Parser) Explain(text string) []Line {
	doc := p.read(text)
	var lines []Line
	shown := map[int]bool{}
	for _, ln := range doc.Dropped {
		lines = append(lines, Line{Line: ln.No, Page: ln.Page, Kind: "furniture", Why: ln.Why, Text: ln.Text})
		shown[ln.No] = true
	}
	for i, t := range doc.Types {
		if r := doc.Rows[i]; t.Kind != "" && r.Text != "" {
			lines = append(lines, Line{Line: r.No, Page: r.Page, Kind: t.Kind, Row: t.Row, Why: t.Why, Text: r.Text})
			shown[r.No] = true
		}
	}
	for _, s := range doc.Signals {
		if s.Kind != "table" {
			lines = append(lines, Line{Line: s.Line, Page: s.Page, Kind: s.Kind, Why: s.End, Text: s.Text})
			shown[s.Line] = true
		}
	}
	for _, ln := range doc.Lines {
		if ln.Text != "" && !shown[ln.No] {
			lines = append(lines, Line{Line: ln.No, Page: ln.Page, Kind: "prose", Why: "has no signal", Text: ln.Text})
		}
	}
	slices.SortStableFunc(lines, func(a, b Line) int { return a.Line - b.Line })
	return lines
}

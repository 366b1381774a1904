package agenda

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lex"
	"github.com/townline/townline/services/council-ingest/internal/minutes/missed"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

func (s *Reader) finish() {
	s.spreadConsent()
	s.items = s.votedItems()
	index := map[*Item]int{}
	for n, it := range s.items {
		index[it] = n
		for _, b := range it.Blocks {
			withhold(b, s.Attendance)
		}
		s.Items = append(s.Items, s.itemOf(it))
	}
	s.compareAttachments(s.strays, index)
	c := newChecker(s)
	c.checkItems()
	s.reportPending()
	c.checkNames()
	s.reportMissed()
	s.Finish()
}

// Blocks returns all tables; the tables of attachments come first.
func (s *Reader) Blocks() []*Block {
	var out []*Block
	for _, stray := range s.strays {
		out = append(out, stray.Block)
	}
	for _, it := range s.items {
		out = append(out, it.Blocks...)
	}
	return out
}

func (s *Reader) itemOf(it *Item) record.Item {
	out := record.Item{ItemNumber: council.Some(it.Number), FileNumber: council.Some(it.File), Title: it.Title,
		IsConsent: it.Consent, Page: record.Page(it.Page)}
	if !it.Heading {
		out.Section = council.Some(it.Sec.Title)
	} else if it.Sec.Parent != nil {
		out.Section = council.Some(it.Sec.Parent.Title)
	}
	for k, b := range it.Blocks {
		out.Votes = append(out.Votes, s.voteOf(it, b, k+1))
	}
	return out
}

func (s *Reader) voteOf(it *Item, b *Block, seq int) record.Vote {
	v := record.Vote{MotionSeq: seq, ResultRaw: b.Result, Result: s.Dialect.Classify(b.Result), ViaConsent: it.Consent &&
		(it.Shared || b.ViaConsent),
		Page: record.Page(b.Page), Mover: council.Some(b.Mover), Seconder: council.Some(b.Seconder), Roll: b.Roll}
	if b.Withheld != "" {
		v.Roll = nil
	}
	v.MotionText = b.Moved
	if b.Motion != nil {
		v.MotionText = b.Motion.Text
		if slices.Contains(b.Movers, b.Motion.Who) {
			v.Mover = &b.Motion.Who
		}
		if b.Stated && v.Result == council.Other && dialect.Decides(b.Motion.Text) {
			// "On a motion by …, the resolution was adopted. The vote was as follows:"
			v.Result = s.Dialect.Classify(b.Motion.Text)
		}
	}
	if b.Stated && v.Result == council.Adopted {
		v.Result = s.carried(b)
	}
	v.AyesCount, v.NaysCount = v.Roll.Count(council.Aye), v.Roll.Count(council.Nay)
	if b.Tally.Counted {
		v.AyesCount, v.NaysCount = b.Tally.Ayes, b.Tally.Nays
	}
	v.Unanimous = unanimous(v.Roll, b.Tally)
	return v
}

// carried returns the result of "The motion carried by the following vote", which depends on the
// motion: the motion may have deferred the item. A RESULT line would state the result directly.
func (s *Reader) carried(b *Block) council.Result {
	moved := []string{b.Result, b.Moved}
	if b.Motion != nil {
		moved = append(moved, b.Motion.Text)
	}
	for _, text := range moved {
		if r, ok := s.Dialect.Moved(text); ok {
			return r
		}
	}
	return council.Adopted
}

// unanimous reports whether there are ayes but no nays or abstentions. It counts the names, or uses
// the tally if there are none.
func unanimous(roll council.Roll, t lex.Tally) bool {
	switch {
	case roll.Count(council.Nay) > 0 || roll.Count(council.Abstain) > 0:
		return false
	case roll.Count(council.Aye) > 0:
		return true
	case t.Unanimous:
		return true
	}
	return t.Counted && t.Ayes > 0 && t.Nays == 0 && t.Others == 0
}

const orphanLines = 12

// reportMissed reports unread text that looks like a vote. It includes sentences about outcomes
// only if the document has no vote at all.
func (s *Reader) reportMissed() {
	f := missed.Find(s.Lines, s.Dropped, s.votes == 0, s.wasRead())
	if len(f.Rolls) == 0 && len(f.Rows) == 0 && (s.votes > 0 || len(f.Spoken) == 0) {
		return
	}
	var parts []string
	if n := len(f.Rolls); n > 0 {
		parts = append(parts, fmt.Sprintf("%s printed like a roll call or a result (%s)", council.Count(n, "place"),
			whereabouts(f.Rolls)))
	}
	if n := len(f.Rows); n > 0 {
		parts = append(parts, fmt.Sprintf("%s of roll calls that were read (%s)", council.Count(n, "row"),
			whereabouts(f.Rows)))
	}
	if n := len(f.Spoken); n > 0 {
		parts = append(parts, fmt.Sprintf("%s about the outcome of a motion (%s)", council.Count(n, "sentence"),
			whereabouts(f.Spoken)))
	}
	first := slices.Concat(f.Rolls, f.Rows, f.Spoken)[0]
	s.Report(council.CodeVotesUnread, -1, nil, first.Page, fmt.Sprintf("%s not read as votes; %s read from the document",
		strings.Join(parts, " and "), council.Count(s.votes, "table")))
}

// wasRead returns a function that reports whether a line belongs to a table or to a roll call that
// was already reported.
func (s *Reader) wasRead() func(no int) bool {
	last := 0
	if n := len(s.Rows); n > 0 {
		last = s.Rows[n-1].No
	}
	read := make([]bool, last+1) // by the number of the line
	for i, t := range s.Types {
		if t.Kind == "label" || t.Kind == "value" {
			read[s.Rows[i].No] = true
		}
	}
	for _, from := range s.reported {
		for i := from; i < min(from+orphanLines, len(s.Rows)); i++ {
			read[s.Rows[i].No] = true
		}
	}
	return func(no int) bool { return no <= last && read[no] }
}

const maxPlaces = 6

func whereabouts(prints []missed.Place) string {
	word, lines := "page", 0
	var at []string
	for _, p := range prints {
		lines += p.Lines
		place := fmt.Sprint(p.Page)
		if p.Page == 0 {
			word, place = "line", fmt.Sprint(p.Line)
		}
		if len(at) == 0 || at[len(at)-1] != place {
			at = append(at, place)
		}
	}
	if len(at) > 1 {
		word += "s"
	}
	if more := len(at) - maxPlaces; more > 0 {
		at = append(at[:maxPlaces], fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("%s on %s %s", council.Count(lines, "line"), word, strings.Join(at, ", "))
}

// typed sets the type of the rows from one line to another, and returns to.
func (s *Reader) typed(from, to int, kind, why string) int {
	for i := from; i < to; i++ {
		s.Types[i] = Typed{Kind: kind, Why: why}
	}
	return to
}

func (s *Reader) typedTable(b *Block) {
	s.typed(b.Line, b.End, "prose", "inside a table, but no row of it")
	for _, c := range b.Cells {
		t := &s.Types[c.Line]
		switch {
		case c.Why != "" && c.IsLabel:
			*t = Typed{"label", c.Row.String(), c.Why}
		case c.Why != "":
			*t = Typed{"value", c.Row.String(), c.Why}
		case !c.IsLabel && t.Kind == "label" && t.Row == c.Row.String(): // the value is on the line of its label
		case !c.IsLabel:
			*t = Typed{"value", c.Row.String(), "can be the value of the label above"}
		case c.Row == dialect.Unknown:
			*t = Typed{"label", c.Row.String(), "a label that no dialect has; its value is not used"}
		default:
			*t = Typed{"label", c.Row.String(), "a label of " + cmp.Or(s.From(c.Text), "the table, broken in two")}
		}
	}
}

func (s *Reader) whyHeading(i int) string {
	m, ok := s.MarkerAt(i)
	switch {
	case ok:
		return "the next " + m.Kind.String() + " of the outline"
	case s.IsHeading(s.Rows[i].Text):
		return "a heading that stands without a number"
	}
	return "a heading without a number"
}

func (s *Reader) whyProse(i int) string {
	if row, _, ok := s.Label(i); ok && row != dialect.Unknown {
		return "the label " + row.String() + " outside of a table"
	} else if ok {
		return "a label that no dialect has, outside of a table"
	}
	if m, ok := s.MarkerAt(i); ok {
		return "begins with a " + m.Kind.String() + ", where no heading or item can begin"
	}
	return "text"
}

package signal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// A Table is a vote that is printed as a table: RESULT, MOVER, SECONDER, AYES.
type Table struct {
	Line, End int // line of RESULT, and first line after the table
	Page      int
	Result    string // text after RESULT:
	Tally     lexicon.Tally
	Moved     string // text of the row MOTION
	Mover     string // resolved name; "" if not printed
	Seconder  string
	Movers    []string // all names in the row MOVER
	Roll      Roll
	Problems  []Problem
	Withheld  string // why the roll call is withheld; "" if it is shown
	Cells     []cell
	Displaced int // line of a heading's number inside the table; 0 if there is none
}

// A Problem is what a table has of its own to report.
type Problem struct {
	Code    council.AnomalyCode
	Message string
}

func (t *Table) note(code council.AnomalyCode, message string) {
	t.Problems = append(t.Problems, Problem{code, message})
}

// cell is a label or a line of values, in reading order.
type cell struct {
	IsLabel bool
	Row     lexicon.Sense // row of the label; for a value, the row above it
	Text    string        // printed label, or value
	Line    int
	inline  bool // the value is on the same line as the label before it
}

// MaxTables bounds the number of tables in hostile texts. The longest real minutes print 180
// results, including attachments.
const MaxTables = 2_000

// tableReader reads the tables of one document. resultcollect.go finds the lines of a table,
// resultalign.go assigns every value to its label, fill resolves the names.
type tableReader struct{ *Document }

// TablesOf reads all tables of a document, up to the limit.
func TablesOf(doc *Document) (tables []*Table, whole bool) {
	s := tableReader{doc}
	for i := 0; i < len(doc.Rows); {
		if !doc.Rows[i].Result {
			i++
			continue
		}
		if len(tables) == MaxTables {
			return tables, false
		}
		t := s.read(i)
		tables = append(tables, t)
		i = t.End
	}
	return tables, true
}

// read reads the table of the vote at line i. It accepts any order of rows and columns. It resolves
// names and notes problems.
func (s tableReader) read(i int) *Table {
	c := s.collect(i)
	t := &Table{Line: i, Cells: c.cells, End: c.last + 1, Displaced: c.displaced, Page: s.Rows[i].Page}
	rows, clear, tied := s.align(c.cells)
	if !clear {
		t.note(council.CodeLayoutUnclear, "the rows of the vote could not be told apart with certainty")
	}
	if c.unread != "" {
		t.note(council.CodeLayoutUnclear, fmt.Sprintf("the members on the line %q were not taken into the vote", c.unread))
	}
	s.fill(t, rows)
	if tied {
		t.Withheld = "which names stand in which of its rows cannot be seen"
	}
	return t
}

// Same reports whether two tables are the same vote.
func Same(a, b *Table) bool {
	return a != nil && b != nil && strings.EqualFold(a.Result, b.Result) && a.Mover == b.Mover &&
		a.Seconder == b.Seconder &&
		slices.Equal(a.Roll.Members().Sorted(), b.Roll.Members().Sorted())
}

// membersOn returns the members in a row MOVER or SECONDER. "Odile Brandt, Director, District I" is
// one member, "Odile Brandt, Julien Bouquet" are two.
func (s tableReader) membersOn(value string) []person.Name {
	var out []person.Name
	for _, n := range s.People.Split(strings.ReplaceAll(value, " & ", " ")) {
		// Usually an office follows the comma. If a member follows, that is a second person.
		if _, match := s.People.Resolve(n); len(out) == 0 || match.Found() {
			out = append(out, n)
		}
	}
	return out
}

func (s tableReader) fill(b *Table, rows []tableRow) {
	for _, r := range rows {
		value := r.value()
		switch {
		case r.kind == lexicon.Result:
			b.Result = cleanResult(value)
			b.Tally = s.English().ReadTally(b.Result)
		case r.kind == lexicon.Motion:
			b.Moved = lexicon.Join(r.parts)
		case r.kind == lexicon.Mover || r.kind == lexicon.Seconder:
			s.fillPerson(b, r.kind, value)
		case r.kind == lexicon.Unknown && value != "":
			b.note(council.CodeLabelUnknown, fmt.Sprintf("row %q of the vote is not known; its value was not used", r.label))
		case r.kind.IsList() && r.kind != lexicon.Remote:
			s.fillRow(b, r, value)
		}
	}
	if ayes := b.Roll.count(lexicon.Aye); ayes >= 0 && !b.Tally.Counted {
		b.Tally.Count(ayes, b.Roll.count(lexicon.Nay))
	}
}

// fillRow reads a row of names. A note in parentheses ("recusal") overrides the label.
func (s tableReader) fillRow(b *Table, r tableRow, value string) {
	e, recusals := Entry{Sense: senseOfRow(r.kind)}, Entry{Sense: lexicon.Recused, Count: -1}
	e.Count, value = countOf(r, value)
	for _, n := range s.People.Split(value) {
		row := &e
		if strings.Contains(strings.ToLower(n.Note), "recus") {
			row = &recusals
		}
		for _, name := range s.memberNames(b, n) {
			row.Names = append(row.Names, person.Name{Text: name})
		}
	}
	if e.Nobody = len(e.Names) == 0; len(recusals.Names) > 0 {
		e.Count = -1
		b.Roll.Entries = append(b.Roll.Entries, recusals)
	}
	b.Roll.Entries = append(b.Roll.Entries, e)
}

// senseOfRow returns the sense of a row of a table. A member who was present and did not vote abstained.
func senseOfRow(row lexicon.Sense) lexicon.Sense {
	switch row {
	case lexicon.Present:
		return lexicon.Abstain
	case lexicon.Away:
		return lexicon.Absent
	}
	return row
}

// countOf splits off the count of a row, as in "AYES (5): Doe, …" or "AYES: 5 - Doe, …". It is -1
// if there is none.
func countOf(r tableRow, value string) (count int, names string) {
	if count, names = person.CutCount(value); count >= 0 {
		return count, names
	}
	_, rest, _ := strings.Cut(r.label, "(")
	n, length := lexicon.CountIn("(" + rest)
	if length == 0 || strings.IndexByte(r.label, ':') < strings.IndexByte(r.label, '(') {
		return -1, value
	}
	return n, value
}

func (s tableReader) fillPerson(b *Table, kind lexicon.Sense, value string) {
	var names []string
	for _, n := range s.membersOn(value) {
		names = append(names, s.memberNames(b, n)...)
	}
	if len(names) == 0 {
		return
	}
	if len(names) > 1 {
		b.note(council.CodeMoverMultiple, fmt.Sprintf("%s names %s", strings.ToUpper(kind.String()),
			strings.Join(names, " and ")))
	}
	if kind == lexicon.Seconder {
		b.Seconder = names[0]
		return
	}
	b.Mover, b.Movers = names[0], names
}

func cleanResult(value string) string {
	for _, mark := range []string{"Next:", " NEXT:"} {
		value, _, _ = strings.Cut(value, mark)
	}
	return council.Fold(value)
}

// memberNames resolves a printed name and notes problems. A value of several names without commas
// gives several members.
func (s tableReader) memberNames(b *Table, n person.Name) []string {
	full, match := s.People.Resolve(n)
	if person.IsUnread(full) {
		b.note(council.CodeMemberUnknown, fmt.Sprintf("%q holds characters that could not be read, and fits no member",
			n.Text))
		return nil
	}
	switch match {
	case council.MatchMisspelt:
		b.note(council.CodeNameMisspelt, fmt.Sprintf("%q was read as %s", n.Text, full))
	case council.MatchAmbiguous: // the proof says so
	case council.MatchNone:
		if many := s.People.SplitUnparted(n.Text); many != nil {
			b.note(council.CodeNameMisspelt, fmt.Sprintf("%q was read as %s: commas are missing", n.Text,
				strings.Join(many, ", ")))
			return many
		}
		if s.People.Listed() == 0 && strings.Contains(n.Text, " ") && s.People.IsFragment(n.Text) {
			s.People.Learn(n.Text, n.Office) // no other part of the document names the members
			break
		}
		b.note(council.CodeMemberUnknown, fmt.Sprintf("%q is not on the roster of the day", n.Text))
	default:
		if s.People.IsForeign(full) {
			b.note(council.CodeMemberUnknown, fmt.Sprintf("%s is not on the roster of the day", full))
		}
	}
	return []string{full}
}

package decide

import (
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lex"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
	"github.com/townline/townline/services/council-ingest/internal/minutes/rows"
)

// A table is a vote that is printed as a table: RESULT, MOVER, SECONDER, AYES.
type table struct {
	line, end int // line of RESULT, and first line after the table
	page      int
	result    string // text after RESULT:
	tally     lex.Tally
	moved     string // text of the row MOTION
	mover     string // resolved name; "" if not printed
	seconder  string
	movers    []string // all names in the row MOVER
	roll      roll
	problems  []problem
	withheld  string // why the roll call is withheld; "" if it is shown
	cells     []cell
	displaced int // line of a heading's number inside the table; 0 if there is none
}

type problem struct {
	code    council.AnomalyCode
	message string
}

func (t *table) note(code council.AnomalyCode, message string) {
	t.problems = append(t.problems, problem{code, message})
}

// cell is a label or a line of values, in reading order.
type cell struct {
	isLabel bool
	row     dialect.Label // row of the label; for a value, the row above it
	text    string        // printed label, or value
	line    int
	inline  bool // the value is on the same line as the label before it
}

// MaxTables bounds the number of tables in hostile texts. The longest real minutes print 180
// results, including attachments.
const MaxTables = 2_000

// tableReader reads the tables of one document. resultcollect.go finds the lines of a table,
// resultalign.go assigns every value to its label, fill resolves the names.
type tableReader struct{ *rows.Document }

// tablesOf reads all tables of a document, up to the limit.
func tablesOf(doc *rows.Document) (tables []*table, whole bool) {
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
		i = t.end
	}
	return tables, true
}

// read reads the table of the vote at line i. It accepts any order of rows and columns. It resolves
// names and notes problems.
func (s tableReader) read(i int) *table {
	c := s.collect(i)
	t := &table{line: i, cells: c.cells, end: c.last + 1, displaced: c.displaced, page: s.Rows[i].Page}
	rows, clear, tied := s.align(c.cells)
	if !clear {
		t.note(council.CodeLayoutUnclear, "the rows of the vote could not be told apart with certainty")
	}
	if c.unread != "" {
		t.note(council.CodeLayoutUnclear, fmt.Sprintf("the members on the line %q were not taken into the vote", c.unread))
	}
	s.fill(t, rows)
	if tied {
		t.withheld = "which names stand in which of its rows cannot be seen"
	}
	return t
}

func same(a, b *table) bool {
	return a != nil && b != nil && strings.EqualFold(a.result, b.result) && a.mover == b.mover &&
		a.seconder == b.seconder &&
		slices.Equal(a.roll.members().Sorted(), b.roll.members().Sorted())
}

// membersOn returns the members in a row MOVER or SECONDER. "Odile Brandt, Director, District I" is
// one member, "Odile Brandt, Julien Bouquet" are two.
func (s tableReader) membersOn(value string) []dialect.Name {
	var out []dialect.Name
	for i, n := range s.People.Split(strings.ReplaceAll(value, " & ", " ")) {
		// Usually an office follows the comma. If a member follows, that is a second person.
		if i == 0 || s.People.Resolve(n.Text).Match.Found() {
			out = append(out, n)
		}
	}
	return out
}

func (s tableReader) fill(b *table, rows []tableRow) {
	for _, r := range rows {
		value := r.value()
		switch {
		case r.kind == dialect.Result:
			b.result = cleanResult(value)
			b.tally = lex.ReadTally(b.result)
		case r.kind == dialect.Motion:
			b.moved = lex.Join(r.parts)
		case r.kind == dialect.Mover || r.kind == dialect.Seconder:
			s.fillPerson(b, r.kind, value)
		case r.kind == dialect.Unknown && value != "":
			b.note(council.CodeLabelUnknown, fmt.Sprintf("row %q of the vote is not known; its value was not used", r.label))
		case r.kind.IsList() && r.kind != dialect.Remote:
			s.fillRow(b, r, value)
		}
	}
	if ayes := b.roll.count(aye); ayes >= 0 && !b.tally.Counted {
		b.tally.Ayes, b.tally.Nays = ayes, max(b.roll.count(nay), 0)
		b.tally.Counted = true
	}
}

// fillRow reads a row of names. A note in parentheses ("recusal") overrides the label.
func (s tableReader) fillRow(b *table, r tableRow, value string) {
	e, recusals := entry{sense: senseOfRow(r.kind)}, entry{sense: recused, count: -1}
	e.count, value = countOf(r, value)
	for _, n := range s.People.Split(value) {
		row := &e
		if strings.Contains(n.Note, "recus") {
			row = &recusals
		}
		for _, name := range s.memberNames(b, n) {
			row.names = append(row.names, person.Name{Text: name})
		}
	}
	if e.nobody = len(e.names) == 0; len(recusals.names) > 0 {
		e.count = -1
		b.roll.entries = append(b.roll.entries, recusals)
	}
	b.roll.entries = append(b.roll.entries, e)
}

// senseOfRow returns the sense of a row of a table. A member who was present and did not vote abstained.
func senseOfRow(row dialect.Label) sense {
	switch row {
	case dialect.Present:
		return abstain
	case dialect.Away:
		return absent
	}
	return row
}

// countOf splits off the count of a row, as in "AYES (5): Doe, …" or "AYES: 5 - Doe, …". It is -1
// if there is none.
func countOf(r tableRow, value string) (count int, names string) {
	if count, names = lex.CutCount(value); count >= 0 {
		return count, names
	}
	_, rest, _ := strings.Cut(r.label, "(")
	n, length := lex.CountIn("(" + rest)
	if length == 0 || strings.IndexByte(r.label, ':') < strings.IndexByte(r.label, '(') {
		return -1, value
	}
	return n, value
}

func (s tableReader) fillPerson(b *table, kind dialect.Label, value string) {
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
	if kind == dialect.Seconder {
		b.seconder = names[0]
		return
	}
	b.mover, b.movers = names[0], names
}

func cleanResult(value string) string {
	for _, mark := range []string{"Next:", " NEXT:"} {
		value, _, _ = strings.Cut(value, mark)
	}
	return council.Fold(value)
}

// memberNames resolves a printed name and notes problems. A value of several names without commas
// gives several members.
func (s tableReader) memberNames(b *table, n dialect.Name) []string {
	r := s.People.Resolve(n.Text)
	if person.IsUnread(r.Name) {
		b.note(council.CodeMemberUnknown, fmt.Sprintf("%q holds characters that could not be read, and fits no member",
			n.Text))
		return nil
	}
	switch r.Match {
	case council.MatchMisspelt:
		b.note(council.CodeNameMisspelt, fmt.Sprintf("%q was read as %s", n.Text, r.Name))
	case council.MatchAmbiguous: // the proof says so
	case council.MatchNone:
		if many := s.People.SplitUnparted(n.Text); many != nil {
			b.note(council.CodeNameMisspelt, fmt.Sprintf("%q was read as %s: commas are missing", n.Text,
				strings.Join(many, ", ")))
			return many
		}
		if s.People.Present.Len() == 0 && strings.Contains(n.Text, " ") && s.IsPersonShaped(n.Text) {
			s.People.Learn(n.Text) // no other part of the document names the members
			break
		}
		b.note(council.CodeMemberUnknown, fmt.Sprintf("%q is not on the roster of the day", n.Text))
	default:
		if r.Foreign {
			b.note(council.CodeMemberUnknown, fmt.Sprintf("%s is not on the roster of the day", r.Name))
		}
	}
	return []string{r.Name}
}

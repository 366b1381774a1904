package decide

import (
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lex"
	"github.com/townline/townline/services/council-ingest/internal/minutes/rows"
)

// A table is a vote that is printed as a table: RESULT, MOVER, SECONDER, AYES.
type table struct {
	line, end int // line of RESULT, and first line after the table
	from      int // line after the table or heading above
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
	item      *item
	stray     bool // it belongs to an attachment
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
// resultalign.go assigns every value to its label, resultfill.go resolves the names.
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

// members returns the positions of a table, whose names were resolved.
func (l *roll) members() (out council.Roll) {
	for _, e := range l.entries {
		position, _ := positionOf(e.sense)
		for _, n := range e.names {
			out = append(out, council.RollEntry{Member: n.Text, Position: position})
		}
	}
	return out
}

// count returns the printed count of a row, or -1.
func (l *roll) count(s sense) int {
	for _, e := range l.entries {
		if e.sense == s && e.count >= 0 {
			return e.count
		}
	}
	return -1
}

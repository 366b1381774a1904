// Package vote reads the table of one vote: RESULT, MOVER, SECONDER, AYES …, in
// whatever order and columns it is printed, or as a table of marks or a spoken
// roll. It resolves the names and keeps what is wrong with the table; what item
// it belongs to, and whether it can be true, others say (packages agenda and
// proof).
//
// collect.go finds the lines of a table, align.go gives every value to its
// label, fill.go makes the block.
package vote

import (
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/motion"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/minutes/rows"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// Block is one table of a vote as printed: RESULT, MOVER, SECONDER, AYES …
type Block struct {
	Line, End int // the RESULT line, and the first line after the table
	Page      int
	Result    string // the text after RESULT:
	Tally     shape.Tally
	Moved     string // the text of a row MOTION
	Mover     string // resolved; empty when not printed
	Seconder  string
	Movers    []string // everybody on the MOVER row when there are several
	Positions record.Positions
	counts    map[dialect.Row]int // how many names a row says that it has
	Rolled    bool                // a row for names is printed, with or without names
	Problems  []Problem
	Withheld  string // why the roll cannot be true, empty when it may
	Cells     []Cell
	Displaced int // the line of a heading's number that column order put into the table, 0 for none

	Motion     *motion.Motion // the motion it is the vote on
	ViaConsent bool
	Prose      *Prose // the sentence beside it that counts the vote, nil for none
}

// Reader reads the tables of one document.
type Reader struct {
	*rows.Doc
	// Heading reports whether a line is a heading without a number.
	Heading func(line int) bool
}

// Problem is an anomaly in the making.
type Problem struct {
	Code    council.AnomalyCode
	Message string
}

// Note keeps what is wrong with the table.
func (b *Block) Note(code council.AnomalyCode, message string) {
	b.Problems = append(b.Problems, Problem{code, message})
}

// Cell is a piece of a table in reading order: a label, or a line of values.
type Cell struct {
	IsLabel bool
	Row     dialect.Row // of a label; of a value, the row above it
	Text    string      // the label as printed, or the value
	Line    int
	inline  bool // a value on the same line as the label before it
}

// Read reads the table that begins at line i; nothing above line floor belongs to
// it. before is a table of marks that stands right above it, nil for none.
func (s *Reader) Read(i, floor int, before *Ticks) *Block {
	t := s.collect(i, floor)
	for _, c := range t.cells {
		if c.IsLabel && c.Row == dialect.Result {
			i = c.Line // it can stand last
			break
		}
	}
	b := &Block{Line: i, Cells: t.cells, End: t.last + 1, Displaced: t.displaced, Page: s.Rows[i].Page}
	rows, clear := s.align(t.cells)
	if !clear {
		b.Note(council.CodeLayoutUnclear, "the rows of the vote could not be told apart with certainty")
	}
	if t.unread != "" {
		b.Note(council.CodeLayoutUnclear, fmt.Sprintf("the members on the line %q were not taken into the vote", t.unread))
	}
	s.fillBlock(b, rows)
	if t.ticks == nil {
		t.ticks = before
	}
	if t.ticks != nil {
		b.take(t.ticks)
	}
	return b
}

// brokenLabel reads a label that a narrow column broke in two: "SECONDE" above
// "R:", each perhaps with a value beside it.
func (s *Reader) brokenLabel(j int) (label, value string, ok bool) {
	if j+1 >= len(s.Rows) {
		return "", "", false
	}
	head, value := shape.CutCell(s.Rows[j].Text)
	if row, _ := s.RowOf(head); len(head) < 3 || len(head) > 12 || head != strings.ToUpper(head) || row != dialect.Unknown {
		return "", "", false
	}
	tail, rest := shape.CutCell(s.Rows[j+1].Text)
	tail, colon := strings.CutSuffix(tail, ":")
	if !colon || len(tail) == 0 || len(tail) > 10 {
		return "", "", false
	}
	if _, known := s.RowOf(head + tail); !known || tail != strings.ToUpper(tail) {
		return "", "", false
	}
	return head + tail, shape.JoinNames([]string{value, rest}), true
}

// Same reports whether two tables say the same of everybody.
func Same(a, b *Block) bool {
	p, q := a.Positions, b.Positions
	return strings.EqualFold(a.Result, b.Result) && a.Mover == b.Mover && a.Seconder == b.Seconder && sameNames(p.Aye, q.Aye) &&
		sameNames(p.Nay, q.Nay) && sameNames(p.Abstain, q.Abstain) && sameNames(p.Absent, q.Absent) && sameNames(p.Recused, q.Recused)
}

func sameNames(a, b []string) bool {
	return len(a) == len(b) && slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// Key tells votes apart: two tables record one vote when the same people
// moved it and it ended alike. A member recused on one item does not make it
// another vote.
func (b *Block) Key() [3]string {
	return [3]string{b.Mover, b.Seconder, strings.ToUpper(shape.ResultWords(b.Result))}
}

// Package grid reads people who stand in columns: below the header that says what they are or did, or
// next to a mark that stands below it. Attendance lists and roll calls are printed so.
package grid

import (
	"strings"
	"unicode/utf8"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
)

// A Cell is a text in a row, and its place.
type Cell struct {
	Text     string
	From, To int
}

// Cells splits a line that begins at a column, at gaps of as many blanks or more.
func Cells(text string, from, gap int) (out []Cell) {
	for at := 0; at < len(text); {
		end := strings.Index(text[at:], strings.Repeat(" ", gap))
		if end < 0 {
			end = len(text) - at
		}
		if part := strings.TrimSpace(text[at : at+end]); part != "" {
			begin := from + utf8.RuneCountInString(text[:at])
			out = append(out, Cell{Text: part, From: begin, To: begin + utf8.RuneCountInString(part)})
		}
		at += end
		for at < len(text) && text[at] == ' ' {
			at++
		}
	}
	return out
}

// A Column is the header of a column, and what it means.
type Column[M any] struct {
	Cell
	Means M
}

// slack is the number of blanks by which a cell may miss the column that it belongs to.
const slack = 8

// Below returns the column below whose header a cell stands, or -1. Of two that are as close, it is the one with which
// the cell begins.
func Below[M any](columns []Column[M], c Cell) int {
	found, best := -1, slack
	for i, col := range columns {
		d := max(col.From-c.To, c.From-col.To, 0)
		if d < best || d == best && found >= 0 && offset(col.Cell, c) < offset(columns[found].Cell, c) {
			found, best = i, d
		}
	}
	return found
}

func offset(a, b Cell) int { return max(a.From-b.From, b.From-a.From) }

// mark matches the sign that stands in the column of somebody's status or vote.
var mark = words.Regexp(`^(?:\(?[Xx]\)?|[√✓✔☑☒●•*]|(?i:{yes})|Y|1)$`)

// IsMark reports whether a cell is such a sign.
func IsMark(text string) bool { return mark.MatchString(text) }

// Marked reads a row of marks: the columns below which its marks stand, with -1 for none, and the cells between the
// first one and the marks. Text behind the marks belongs to another table.
func Marked[M any](columns []Column[M], row []Cell) (marks []int, others []Cell) {
	for _, c := range row[1:] {
		switch {
		case IsMark(c.Text):
			marks = append(marks, Below(columns, c))
		case len(marks) > 0:
			return marks, others
		default:
			others = append(others, c)
		}
	}
	return marks, others
}

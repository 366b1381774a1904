package lines

import (
	"slices"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/grid"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
)

// Some minutes are a table: a column with the items, one with what was said, and one with what was decided. Each row
// becomes the text of its first column, then that of the others.

var (
	itemColumn   = words.Regexp(`^(?i:{column of items})$`)
	speechColumn = words.Regexp(`^(?i:{column of discussion})$`)
	actionColumn = words.Regexp(`^(?i:{column of actions})$`)
)

// atColumn is the number of blanks by which a text may begin before the header of its column.
const atColumn = 2

// mostShare bounds the lines of a table, in a hundred, that stand across its columns.
const mostShare = 20

// readHeaded puts the columns of each row below each other, in tables whose header says that they are minutes.
func readHeaded(all []Line) (out []Line) {
	for i := 0; i < len(all); {
		columns := headedColumns(all[i])
		end := i + 1
		for columns != nil && end < len(all) && headedColumns(all[end]) == nil {
			end++
		}
		if t := (headed{columns: columns}); columns != nil && t.read(all[i+1:end]) {
			out = append(out, t.out...)
		} else {
			out = append(out, all[i:end]...)
		}
		i = end
	}
	return out
}

// headedColumns returns where the columns below a header begin, or nil if a line is none: "Agenda Item   Discussion
// Action".
func headedColumns(ln Line) (columns []int) {
	cells := grid.Cells(ln.Text, ln.Indent, gutter)
	if len(cells) < 2 || len(cells) > 4 || !itemColumn.MatchString(cells[0].Text) {
		return nil
	}
	acts := false
	for _, c := range cells {
		acts = acts || actionColumn.MatchString(c.Text)
		if !itemColumn.MatchString(c.Text) && !speechColumn.MatchString(c.Text) && !actionColumn.MatchString(c.Text) {
			return nil
		}
		columns = append(columns, c.From)
	}
	if !acts {
		return nil
	}
	return columns
}

// headed reads the rows below a header.
type headed struct {
	columns []int
	row     [][]Line // lines of each column of the current row
	out     []Line
}

// read reports whether the lines stand in the columns.
func (t *headed) read(body []Line) bool {
	t.row = make([][]Line, len(t.columns))
	begins := true // a text in the first column begins a row
	printed, across := 0, 0
	for _, ln := range body {
		if ln.Text == "" {
			begins = true
			continue
		}
		printed++
		cells := grid.Cells(ln.Text, ln.Indent, gutter)
		at := make([]int, len(cells))
		fits := true
		for i, c := range cells {
			at[i] = t.columnOf(c)
			fits = fits && (at[i]+1 == len(t.columns) || c.To <= t.columns[at[i]+1])
		}
		if !fits || ln.NewPage && len(cells) == 1 && at[0] > 0 {
			across++
			t.flush()
			ln.Indent = 0
			t.out = append(t.out, ln)
			continue
		}
		if _, numbered := lexicon.ReadMarker(cells[0].Text); at[0] == 0 && (begins || numbered) {
			t.flush()
		}
		begins = at[0] > 0
		for i, c := range cells {
			one := ln
			one.Text, one.Indent = c.Text, 0
			if n := len(t.row[at[i]]); i > 0 && at[i] == at[i-1] {
				t.row[at[i]][n-1].Text += "  " + c.Text // a gap within the column
				continue
			}
			one.NewPage = ln.NewPage && i == 0
			t.row[at[i]] = append(t.row[at[i]], one)
		}
	}
	t.flush()
	return printed > 2 && across*100 <= printed*mostShare
}

// columnOf returns the column in which a text begins.
func (t *headed) columnOf(c grid.Cell) int {
	at := 0
	for i, from := range t.columns {
		if c.From >= from-atColumn {
			at = i
		}
	}
	return at
}

// flush writes the row: its item on a line, and below it the other columns as one text, in which a decision stands
// behind what was said.
func (t *headed) flush() {
	for i, column := range t.row {
		if len(column) == 0 {
			continue
		}
		if i == 0 {
			for _, ln := range column[1:] {
				column[0].Text = strings.TrimSpace(column[0].Text) + " " + strings.TrimSpace(ln.Text)
			}
			column = column[:1]
		}
		t.out = append(t.out, column...)
		t.row[i] = nil
		if last := t.out[len(t.out)-1]; i == 0 || i+1 == len(t.row) || !t.more(i) {
			t.out = append(t.out, Line{Page: last.Page, No: last.No})
		}
	}
}

// more reports whether a column behind another one has text.
func (t *headed) more(i int) bool {
	return slices.ContainsFunc(t.row[i+1:], func(column []Line) bool { return len(column) > 0 })
}

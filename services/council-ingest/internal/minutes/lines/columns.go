package lines

import (
	"strings"
	"unicode/utf8"
)

const (
	maxCell    = 80 // characters of a cell of a table; longer ones are prose
	maxLoose   = 40 // bytes of a row without a tab within a table, such as a name without a mark
	maxColumns = 16
	maxGrowth  = 20 // how many times larger an aligned table can be, since texts are from outside
)

// alignTabs puts the cells of tables with tabs between their columns below each other, with blanks. It
// leaves tables without an empty cell: there, the order of the cells says their columns.
func alignTabs(text string) string {
	if !strings.Contains(text, "\t\t") {
		return text
	}
	rows := strings.Split(text, "\n")
	for from := 0; from < len(rows); from++ {
		to, tabs := from, from
		for to < len(rows) && (isRow(rows[to]) || tabs > from && len(rows[to]) <= maxLoose) {
			if to++; isRow(rows[to-1]) {
				tabs = to
			}
		}
		if tabs > from {
			copy(rows[from:tabs], aligned(rows[from:tabs]))
			from = tabs - 1
		}
	}
	return strings.Join(rows, "\n")
}

// isRow reports whether a tab stands between two cells of a line.
func isRow(line string) bool { return strings.Contains(strings.TrimSpace(line), "\t") }

// aligned returns the rows of a table with tabs, aligned if one of their cells is empty.
func aligned(rows []string) []string {
	cells := make([][]string, len(rows))
	size := 0
	gap := false
	for n, row := range rows {
		size += len(row)
		cells[n] = strings.SplitN(strings.TrimRight(row, "\t \r"), "\t", maxColumns+1)
		if len(cells[n]) > maxColumns {
			return rows
		}
		for i, cell := range cells[n] {
			cells[n][i] = strings.TrimRight(cell, " ")
			gap = gap || i > 0 && cells[n][i] == ""
		}
	}
	out, width := inColumns(cells)
	if !gap || width > maxCell*maxColumns || width*len(rows) > maxGrowth*size {
		return rows
	}
	return out
}

// alignPipes puts columns of blanks in the place of Markdown's cells: "| Doe | X | |". Rules between rows become
// blank lines.
func alignPipes(all []Line) {
	for i := 0; i < len(all); i++ {
		var cells [][]string
		for n := i; n < len(all) && isPiped(all[n].Text); n++ {
			cells = append(cells, pipedCells(all[n].Text))
		}
		rows, _ := inColumns(cells)
		for n, row := range rows {
			if all[i+n].Text = row; strings.Trim(row, " -:=") == "" {
				all[i+n].Text = ""
			}
		}
		i += len(rows)
	}
}

// isPiped reports whether a line is a row of a Markdown table.
func isPiped(text string) bool { return strings.HasPrefix(text, "|") && strings.Count(text, "|") > 2 }

func pipedCells(text string) []string {
	cells := strings.Split(strings.Trim(text, "| "), "|")
	if strings.HasPrefix(text, "| ") && strings.HasPrefix(strings.TrimLeft(text[1:], " "), "|") {
		cells = append([]string{""}, cells...)
	}
	for i := range cells {
		cells[i] = strings.TrimSpace(strings.ReplaceAll(cells[i], "*", ""))
	}
	return cells[:min(len(cells), maxColumns)]
}

// inColumns returns rows whose cells stand below each other, and the largest width that they can have.
func inColumns(cells [][]string) (rows []string, width int) {
	const gap = "   "
	var widths [maxColumns]int
	for _, row := range cells {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for i, w := range widths {
		width += w + len(gap)
		widths[i] = min(w, maxCell)
	}
	for _, row := range cells {
		var b strings.Builder
		for i, cell := range row {
			b.WriteString(cell)
			b.WriteString(strings.Repeat(" ", max(0, widths[i]-utf8.RuneCountInString(cell))) + gap)
		}
		rows = append(rows, strings.TrimRight(b.String(), " "))
	}
	return rows, width
}

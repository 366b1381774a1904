package lines

import "strings"

const (
	maxCell    = 80 // bytes of a cell of a table; longer ones are prose
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
			alignRows(rows[from:tabs])
			from = tabs - 1
		}
	}
	return strings.Join(rows, "\n")
}

// isRow reports whether a tab stands between two cells of a line.
func isRow(line string) bool { return strings.Contains(strings.TrimSpace(line), "\t") }

func alignRows(rows []string) {
	var widths [maxColumns]int
	size, wide := 0, 0
	gap := false
	for _, row := range rows {
		size += len(row)
		cells := cellsOf(row)
		if len(cells) > maxColumns {
			return
		}
		for i, cell := range cells {
			if len(cell) > maxCell {
				return
			}
			gap = gap || i > 0 && cell == ""
			widths[i] = max(widths[i], len(cell))
		}
	}
	for _, w := range widths {
		wide += w + 2
	}
	if !gap || wide*len(rows) > maxGrowth*size {
		return
	}
	for n, row := range rows {
		var b strings.Builder
		for i, cell := range cellsOf(row) {
			b.WriteString(cell)
			b.WriteString(strings.Repeat(" ", widths[i]-len(cell)+2))
		}
		rows[n] = strings.TrimRight(b.String(), " ")
	}
}

func cellsOf(row string) []string {
	cells := strings.SplitN(strings.TrimRight(row, "\t \r"), "\t", maxColumns+1)
	for i, cell := range cells {
		cells[i] = strings.TrimRight(cell, " ")
	}
	return cells
}

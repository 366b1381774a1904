package signal

import (
	"strings"
	"unicode/utf8"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lines"
)

const (
	maxCells = 12 // cells of a line
	maxCell  = 60 // characters of a cell that is made as wide as its column
)

// unpiped returns the lines with columns of blanks in the place of Markdown's cells: "| Doe | X | |". Rules between
// rows are removed.
func unpiped(printed []lines.Line) []lines.Line {
	out := printed
	for i := 0; i < len(printed); i++ {
		end := i
		var widths [maxCells]int
		for ; end < len(printed) && isPiped(printed[end].Text); end++ {
			for n, cell := range cellsOf(printed[end].Text) {
				widths[n] = max(widths[n], min(utf8.RuneCountInString(cell), maxCell))
			}
		}
		if end == i {
			continue
		}
		if &out[0] == &printed[0] {
			out = append([]lines.Line(nil), printed...)
		}
		for ; i < end; i++ {
			var b strings.Builder
			for n, cell := range cellsOf(printed[i].Text) {
				b.WriteString(cell)
				b.WriteString(strings.Repeat(" ", max(0, widths[n]-utf8.RuneCountInString(cell))+3))
			}
			if out[i].Text = strings.TrimRight(b.String(), " "); strings.Trim(out[i].Text, " -:=") == "" {
				out[i].Text = ""
			}
		}
	}
	return out
}

// isPiped reports whether a line is a row of a Markdown table.
func isPiped(text string) bool { return strings.HasPrefix(text, "|") && strings.Count(text, "|") > 2 }

func cellsOf(text string) []string {
	cells := strings.Split(strings.Trim(text, "| "), "|")
	if strings.HasPrefix(text, "| ") && strings.HasPrefix(strings.TrimLeft(text[1:], " "), "|") {
		cells = append([]string{""}, cells...)
	}
	for i := range cells {
		cells[i] = strings.TrimSpace(strings.ReplaceAll(cells[i], "*", ""))
	}
	return cells[:min(len(cells), maxCells)]
}

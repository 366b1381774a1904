package portal

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// MaxSpan is how many columns or rows of a table a cell can take.
const MaxSpan = 30

const maxBelow = 60 // bytes of a line in a cell whose lines stand next to those of another cell

// row returns the lines of a row of a table, or nil if its cells are read one after the other: one of them has a table,
// or they have paragraphs of their own.
func (w *textWriter) row(tr *html.Node) []string {
	var texts []string
	column := 0
	blank := func() {
		for column < len(w.above) && w.above[column] > 0 {
			w.above[column]--
			column++
			texts = append(texts, "")
		}
	}
	for c := range tr.ChildNodes() {
		if !cells[c.DataAtom] || w.skip != nil && w.skip(c) || isHidden(c) {
			continue
		}
		if hasTable(c) {
			return nil
		}
		blank()
		inner := textWriter{skip: w.skip, numbers: w.numbers}
		for child := range c.ChildNodes() {
			inner.node(child)
		}
		inner.endLine()
		texts = append(texts, inner.text.String())
		span := spanOf(c, "colspan")
		if !w.gaps {
			span = 1
		}
		for n := range span {
			if n > 0 {
				texts = append(texts, "")
			}
			for len(w.above) <= column {
				w.above = append(w.above, 0)
			}
			w.above[column] = spanOf(c, "rowspan") - 1
			column++
		}
	}
	blank()
	return RowLines(texts, w.gaps)
}

// RowLines returns the lines of a row of a table by the texts of its cells. Cells of one line are on one line. So are
// the lines of cells that have as many short lines, or one label before them. It returns nil for other rows, whose
// cells are read one after the other. If tabs is true, tabs are between all cells, so that a mark behind empty cells
// keeps its column.
func RowLines(texts []string, tabs bool) []string {
	columns := make([][]string, len(texts))
	widths := make([]int, len(texts))
	height, filled := 0, 0
	for i, text := range texts {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" {
				columns[i] = append(columns[i], line)
				widths[i] = max(widths[i], utf8.RuneCountInString(line))
			}
		}
		if height = max(height, len(columns[i])); len(columns[i]) > 0 {
			filled++
		}
	}
	if height > 1 && filled > 1 && !areNextToEachOther(columns, height) || height > 1 && filled == 1 {
		return nil
	}
	out := make([]string, 0, height)
	for n := range height {
		var b strings.Builder
		for i, column := range columns {
			cell := ""
			if n < len(column) {
				cell = column[n]
			}
			b.WriteString(cell)
			switch {
			case i == len(columns)-1:
			case tabs:
				b.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)) + "\t")
			case widths[i] > 0 && slices.ContainsFunc(columns[i+1:], func(c []string) bool { return n < len(c) }):
				b.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)) + "   ")
			}
		}
		out = append(out, strings.TrimRight(b.String(), " \t"))
	}
	return out
}

// areNextToEachOther reports whether the lines of the cells of a row belong together.
func areNextToEachOther(columns [][]string, height int) bool {
	filled, same := 0, true
	for _, column := range columns {
		if len(column) == 0 {
			continue
		}
		isLabel := filled == 0 && len(column) == 1
		filled++
		same = same && (isLabel || len(column) == height)
		for _, line := range column {
			same = same && len(line) <= maxBelow
		}
	}
	return same && filled > 1
}

func spanOf(cell *html.Node, name string) int {
	n, err := strconv.Atoi(attribute(cell, name))
	if err != nil {
		return 1
	}
	return max(1, min(n, MaxSpan))
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return strings.ToLower(strings.TrimSpace(a.Val))
		}
	}
	return ""
}

func hasTable(n *html.Node) bool {
	for c := range n.Descendants() {
		if c.DataAtom == atom.Table {
			return true
		}
	}
	return false
}

// isHidden reports whether a browser does not show an element, or shows it as deleted.
func isHidden(n *html.Node) bool {
	if n.Type != html.ElementNode || len(n.Attr) == 0 {
		return false
	}
	style := strings.ReplaceAll(attribute(n, "style"), " ", "")
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "hidden" }) ||
		strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden") ||
		strings.Contains(style, "line-through")
}

// isNote reports whether a superscript is the number of a footnote: "Doe<sup>1</sup>".
func isNote(n *html.Node) bool {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	mark := strings.Trim(strings.TrimSpace(b.String()), "[]()")
	return len(mark) < 4 && strings.Trim(mark, "0123456789*†‡") == ""
}

// numberOf returns the number that a browser shows before an item of a list, or "".
func (w *textWriter) numberOf(li *html.Node) string {
	list := li.Parent
	if list == nil || list.DataAtom != atom.Ol || strings.Contains(attribute(list, "style"), "none") {
		return ""
	}
	number, counted := w.numbers[list]
	if start, err := strconv.Atoi(attribute(list, "start")); !counted && err == nil {
		number = start - 1
	}
	number++
	if value, err := strconv.Atoi(attribute(li, "value")); err == nil {
		number = value
	}
	w.numbers[list] = number
	if text := strings.TrimSpace(firstText(li)); text == "" || StartsWithNumber(text) {
		return "" // it is empty, or the text has its own
	}
	for _, a := range list.Attr {
		if a.Key == "type" {
			return Number(number, a.Val) + ". "
		}
	}
	return Number(number, "") + ". "
}

func firstText(n *html.Node) string {
	for c := range n.Descendants() {
		if c.Type == html.TextNode && strings.TrimSpace(c.Data) != "" {
			return c.Data
		}
	}
	return ""
}

// StartsWithNumber reports whether a text begins with a number or a letter and a sign: "1.", "(a)", "2.3 ".
func StartsWithNumber(text string) bool {
	word, _, _ := strings.Cut(text, " ")
	bare := strings.Trim(word, "().")
	isNumber := bare != "" && strings.Trim(bare, "0123456789.") == ""
	return word != "" && len(word) < 8 && (bare != word && len(bare) < 5 || isNumber)
}

// Number writes the number of an item of a list, by the kinds of HTML: "A", "a", "I", "i", or digits.
func Number(n int, kind string) string {
	if n < 1 || n > 3999 {
		return strconv.Itoa(n)
	}
	switch kind {
	case "A", "a":
		letter := strings.Repeat(string(rune('A'+(n-1)%26)), min((n-1)/26+1, 4))
		if kind == "a" {
			letter = strings.ToLower(letter)
		}
		return letter
	case "I", "i":
		roman := ""
		for _, r := range []struct {
			value int
			sign  string
		}{{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"},
			{9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}} {
			for n >= r.value {
				roman += r.sign
				n -= r.value
			}
		}
		if kind == "i" {
			roman = strings.ToLower(roman)
		}
		return roman
	}
	return strconv.Itoa(n)
}

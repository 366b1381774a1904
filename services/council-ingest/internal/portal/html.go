package portal

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/townline/townline/pkg/council"
)

const maxFragment = 64 << 10

// HTMLText returns the text of a piece of HTML on one line. A title may contain tags from the
// editor that it was copied from.
func HTMLText(s string) string {
	if len(s) > maxFragment {
		s = strings.ToValidUTF8(s[:maxFragment], "")
		if open := strings.LastIndexByte(s, '<'); open > strings.LastIndexByte(s, '>') {
			s = s[:open] // the last tag is incomplete
		}
	}
	if !strings.ContainsAny(s, "<&") {
		return council.Fold(s)
	}
	var words strings.Builder
	hidden := false
	for z := html.NewTokenizer(strings.NewReader(s)); ; {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			return council.Fold(words.String())
		case html.TextToken:
			if !hidden {
				words.Write(z.Text())
			}
		default:
			name, _ := z.TagName()
			tag := atom.Lookup(name)
			if tag == atom.Script || tag == atom.Style || tag == atom.Title {
				hidden = kind != html.EndTagToken
			}
			if blocks[tag] || cells[tag] || tag == atom.Br {
				words.WriteByte(' ')
			}
		}
	}
}

var blocks = map[atom.Atom]bool{
	atom.Address: true, atom.Article: true, atom.Blockquote: true, atom.Center: true, atom.Dd: true, atom.Div: true,
	atom.Dl: true, atom.Dt: true, atom.Form: true, atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true,
	atom.H5: true, atom.H6: true, atom.Hr: true, atom.Li: true, atom.Main: true, atom.Ol: true, atom.P: true,
	atom.Pre: true, atom.Section: true, atom.Table: true, atom.Tr: true, atom.Ul: true,
}

var cells = map[atom.Atom]bool{atom.Td: true, atom.Th: true}

// hiddenTags are elements whose text a browser does not show, or shows as deleted.
var hiddenTags = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Head: true, atom.Select: true, atom.Noscript: true, atom.Template: true,
	atom.Del: true, atom.S: true, atom.Strike: true,
}

// PageText returns the text below a node in lines, with empty lines around paragraphs. The cells of
// a row are on one line, so that a label keeps its value; in a table with an empty cell, tabs are
// between them, so that a mark keeps its column. If skip is not nil, nodes for which skip returns
// true are omitted.
func PageText(n *html.Node, skip func(*html.Node) bool) string {
	w := textWriter{skip: skip, numbers: map[*html.Node]int{}}
	return w.textOf(n)
}

// Lines returns the text below a node as lines, without empty lines and numbers of lists. The paragraphs of cells are
// lines of their own.
func Lines(n *html.Node, skip func(*html.Node) bool) []string {
	var out []string
	w := textWriter{skip: skip}
	for line := range strings.Lines(w.textOf(n)) {
		if line = council.Fold(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

type textWriter struct {
	skip    func(*html.Node) bool
	numbers map[*html.Node]int // number of the last item of a list; nil if cells and items are read as text
	text    strings.Builder
	words   strings.Builder // text of the current line
	gaps    bool            // the current table has an empty cell before another
	above   []int           // rows that the cells of the rows above still reach down, by column
}

func (w *textWriter) textOf(n *html.Node) string {
	w.node(n)
	w.endLine()
	return w.text.String()
}

func (w *textWriter) endLine() {
	if line := strings.TrimRight(w.words.String(), " \t"); strings.TrimSpace(line) != "" {
		w.text.WriteString(line + "\n")
	}
	w.words.Reset()
}

func (w *textWriter) node(n *html.Node) {
	switch {
	case w.skip != nil && w.skip(n):
		return
	case n.Type == html.TextNode:
		w.write(n.Data)
		return
	case hiddenTags[n.DataAtom] || isHidden(n):
		return
	case n.DataAtom == atom.Sup && isNote(n):
		return
	case n.DataAtom == atom.Li && w.numbers != nil:
		w.endLine()
		w.words.WriteString(w.numberOf(n))
	case n.DataAtom == atom.Tr && w.numbers != nil:
		w.endLine()
		if rows := w.row(n); rows != nil {
			for _, row := range rows {
				w.words.WriteString(row)
				w.endLine()
			}
			return
		}
	case n.DataAtom == atom.Br:
		w.endLine()
	case n.DataAtom == atom.Table:
		defer func(outer bool, above []int) {
			w.gaps, w.above = outer, above
		}(w.gaps, w.above)
		w.gaps, w.above = hasGap(n), nil
	case cells[n.DataAtom] && w.gaps:
		if followsCell(n) {
			w.words.WriteByte('\t')
		}
	case cells[n.DataAtom] && w.words.Len() > 0:
		w.words.WriteString("   ")
	}
	if blocks[n.DataAtom] && (n.DataAtom != atom.Li || w.numbers == nil) {
		w.endLine()
	}
	for c := range n.ChildNodes() {
		w.node(c)
	}
	if blocks[n.DataAtom] {
		w.endLine()
		if n.DataAtom != atom.Tr && n.DataAtom != atom.Li {
			w.text.WriteByte('\n')
		}
	}
}

// hasGap reports whether a row of a table has an empty cell, which is not its first, before another
// cell with text. It does not look into tables within the table.
func hasGap(n *html.Node) bool {
	empty := false
	for c := range n.ChildNodes() {
		switch {
		case c.DataAtom == atom.Table:
		case !cells[c.DataAtom]:
			if hasGap(c) {
				return true
			}
		case !isEmpty(c):
			if empty {
				return true
			}
		case followsCell(c):
			empty = true
		}
	}
	return false
}

func followsCell(n *html.Node) bool {
	for n = n.PrevSibling; n != nil && !cells[n.DataAtom]; n = n.PrevSibling {
	}
	return n != nil
}

// isEmpty reports whether a cell has no text and no table.
func isEmpty(cell *html.Node) bool {
	for c := range cell.Descendants() {
		if c.DataAtom == atom.Table || c.Type == html.TextNode && strings.TrimSpace(c.Data) != "" {
			return false
		}
	}
	return true
}

// write adds text. It reduces white space to single blanks, and keeps one blank at an end that has
// white space.
func (w *textWriter) write(text string) {
	const blanks = " \t\r\n\u00a0"
	blank := strings.HasSuffix(w.words.String(), " ") || strings.HasSuffix(w.words.String(), "\t") || w.words.Len() == 0
	if folded := council.Fold(text); folded != "" {
		if !blank && strings.TrimLeft(text, blanks) != text {
			w.words.WriteByte(' ')
		}
		w.words.WriteString(folded)
		blank = false
	}
	if !blank && strings.TrimRight(text, blanks) != text {
		w.words.WriteByte(' ')
	}
}

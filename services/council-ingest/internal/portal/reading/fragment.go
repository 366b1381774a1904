package reading

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// maxFragment is longer than any title; what follows is left out.
const maxFragment = 64 << 10

// Fragment is the text of a piece of HTML, on one line. Titles come with the marks of the editor that they were pasted into.
func Fragment(s string) string {
	if len(s) > maxFragment {
		s = strings.ToValidUTF8(s[:maxFragment], "")
		if open := strings.LastIndexByte(s, '<'); open > strings.LastIndexByte(s, '>') {
			s = s[:open] // half a mark is no text
		}
	}
	if !strings.ContainsAny(s, "<&") {
		return portal.Fold(s)
	}
	var words strings.Builder
	skip := atom.Atom(0)
	for z := html.NewTokenizer(strings.NewReader(s)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return portal.Fold(words.String())
		case html.TextToken:
			if skip == 0 {
				words.Write(z.Text())
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			a := atom.Lookup(name)
			switch {
			case a == atom.Script || a == atom.Style || a == atom.Title:
				skip = a
			case parts[a]:
				words.WriteByte(' ')
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			a := atom.Lookup(name)
			if a == skip {
				skip = 0
			}
			if parts[a] {
				words.WriteByte(' ')
			}
		}
	}
}

// parts are the elements that part words.
var parts = map[atom.Atom]bool{
	atom.Br: true, atom.Div: true, atom.P: true, atom.Li: true, atom.Ul: true, atom.Ol: true, atom.Tr: true, atom.Td: true, atom.Th: true, atom.Table: true,
	atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true, atom.Blockquote: true, atom.Hr: true, atom.Section: true,
}

// Lines is the text below a node as lines: one for each paragraph, row of a table or break. left reports which nodes to leave out, with all below them.
func Lines(n *html.Node, left func(*html.Node) bool) []string {
	var w lineWriter
	w.left = left
	w.node(n, 0)
	w.end()
	return w.lines
}

// maxDepth is deeper than pages nest; the reader of HTML itself ends at 512.
const maxDepth = 600

type lineWriter struct {
	left  func(*html.Node) bool
	lines []string
	words strings.Builder
}

func (w *lineWriter) end() {
	if line := portal.Fold(w.words.String()); line != "" {
		w.lines = append(w.lines, line)
	}
	w.words.Reset()
}

func (w *lineWriter) node(n *html.Node, depth int) {
	if depth > maxDepth || w.left != nil && w.left(n) {
		return
	}
	switch {
	case n.Type == html.TextNode:
		w.words.WriteString(n.Data)
		return
	case n.Type == html.ElementNode && (n.DataAtom == atom.Script || n.DataAtom == atom.Style || n.DataAtom == atom.Noscript || n.DataAtom == atom.Template):
		return
	}
	// A cell stands beside the one before it, as a label stands beside its value.
	cell := n.DataAtom == atom.Td || n.DataAtom == atom.Th
	block := n.Type == html.ElementNode && parts[n.DataAtom] && !cell
	if block {
		w.end()
	} else if cell {
		w.words.WriteByte(' ')
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.node(c, depth+1)
	}
	if block {
		w.end()
	}
}

package doctext

import (
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// voteRow is a line that only minutes have.
var voteRow = regexp.MustCompile(`(?im)^\s*(?:RESULT|MOVER|AYES|YEAS)\s*:`)

// pageText is what a browser would show of a web page, as lines: some clerks publish minutes as a page.
// A cell stands in the column after the one before it, so that labels keep their values.
func pageText(data []byte) (string, error) {
	root, err := portal.ParsePage(data)
	if err != nil {
		return "", fmt.Errorf("read web page: %w", err)
	}
	var p pageWriter
	p.node(root)
	p.line()
	return p.text.String(), nil
}

// A pageWriter collects the text of a page.
type pageWriter struct {
	text  strings.Builder
	words strings.Builder // of the line that is not finished
}

// line ends a line, if there is one.
func (p *pageWriter) line() {
	if line := strings.TrimRight(p.words.String(), " "); strings.TrimSpace(line) != "" {
		p.text.WriteString(line + "\n")
	}
	p.words.Reset()
}

func (p *pageWriter) node(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		blank := strings.HasSuffix(p.words.String(), " ") || p.words.Len() == 0
		if folded := strings.Join(strings.Fields(n.Data), " "); folded != "" {
			if !blank && strings.TrimLeft(n.Data, " \t\r\n\u00a0") != n.Data {
				p.words.WriteByte(' ')
			}
			p.words.WriteString(folded)
			blank = false
		}
		if !blank && strings.TrimRight(n.Data, " \t\r\n\u00a0") != n.Data {
			p.words.WriteByte(' ')
		}
		return
	case html.ElementNode:
		switch n.DataAtom {
		case atom.Script, atom.Style, atom.Head, atom.Select, atom.Noscript, atom.Template:
			return
		case atom.Br:
			p.line()
			return
		case atom.Td, atom.Th:
			p.cell(n)
			return
		}
	}
	block := n.Type == html.ElementNode && blocks[n.DataAtom]
	if block {
		p.line()
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		p.node(c)
	}
	if block {
		p.line()
		if n.DataAtom != atom.Tr && n.DataAtom != atom.Li {
			p.text.WriteByte('\n')
		}
	}
}

// cell writes a cell of a table behind those before it in its row. What is a table in itself, as where pages are laid out with tables, is written as blocks.
func (p *pageWriter) cell(n *html.Node) {
	if p.words.Len() > 0 {
		p.words.WriteString("   ")
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		p.node(c)
	}
}

// blocks are the elements that begin a line of their own.
var blocks = map[atom.Atom]bool{
	atom.Address: true, atom.Article: true, atom.Blockquote: true, atom.Center: true, atom.Dd: true, atom.Div: true, atom.Dl: true, atom.Dt: true, atom.Form: true,
	atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true, atom.Hr: true, atom.Li: true, atom.Main: true, atom.Ol: true, atom.P: true,
	atom.Pre: true, atom.Section: true, atom.Table: true, atom.Tr: true, atom.Ul: true,
}

package signal

import (
	"regexp"
	"slices"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// A column of a table of votes.
type column struct {
	sense  lexicon.Sense
	center int
	role   byte // 'm' and 's' for mover and seconder
}

var (
	cells    = regexp.MustCompile(`\S+(?: \S+)*`)
	tick     = regexp.MustCompile(`^(?:[xX✓✔√☒☑*]|\(?[xX]\)?|1)$`)
	inBlanks = regexp.MustCompile(`^\S+(?: \S+)*`)
)

// A Chart is a table with a column for each position, or the names of a division side by side.
type Chart struct {
	At      int // where its header begins in its paragraph
	Entries []Entry
	Unread  string
	Motion  Motion // who moved and seconded, if it has columns for them
	Last    int    // last paragraph that has a part of it
	Rest    int    // where the text behind it begins in that paragraph
}

// ChartAt reads a chart that begins in paragraph k. It returns nil if there is none.
func (r *Scanner) ChartAt(k int) *Chart {
	p := r.Paras[k]
	for n := range p.Lines {
		if c := r.division(k, n); c != nil {
			return c
		}
		if cols := r.header(p, n); cols != nil {
			return r.tableRows(k, n, cols)
		}
	}
	return nil
}

// header reads the positions in the header of a table.
func (r *Scanner) header(p *Paragraph, n int) []column {
	text := p.Lines[n].Text
	if !strings.Contains(text, "  ") || len(text) > 160 {
		return nil
	}
	var cols []column
	others := 0
	positions := map[lexicon.Sense]bool{}
	for _, m := range cells.FindAllStringIndex(text, 12) {
		word, _ := lexicon.FoldText(strings.Trim(text[m[0]:m[1]], " :.|"))
		c := column{center: p.Lines[n].Indent + (m[0]+m[1])/2}
		switch {
		case word == "moved" || word == "motion" || word == "mover" || word == "mot" || word == "mot.":
			c.role = 'm'
		case word == "seconded" || word == "second" || word == "seconder" || word == "sec" || word == "sec.":
			c.role = 's'
		default:
			for _, part := range append([]string{word}, strings.Fields(word)...) {
				if s, ok := r.Words.SenseOf(part, lexicon.Aye, lexicon.Nay, lexicon.Abstain, lexicon.Absent, lexicon.Recused,
					lexicon.NotVoting); ok && part == word {
					c.sense = s
					positions[s] = true
				}
			}
			if !positions[c.sense] || c.sense < lexicon.Aye {
				if others++; others > 1 {
					return nil // "Doe    Yes    Roe    No" are votes of members
				}
				continue
			}
		}
		cols = append(cols, c)
	}
	if len(positions) < 2 || !positions[lexicon.Aye] || !positions[lexicon.Nay] {
		return nil
	}
	return cols
}

// tableRows reads the rows below a header.
func (r *Scanner) tableRows(k, n int, cols []column) *Chart {
	c := &Chart{At: r.Paras[k].Starts[n], Last: k, Rest: len(r.Paras[k].Text)}
	for first, from := k, n+1; k < len(r.Paras) && k < first+60; k, from = k+1, 0 {
		p := r.Paras[k]
		for i := from; i < len(p.Lines); i++ {
			ln := p.Lines[i]
			cell := inBlanks.FindString(ln.Text)
			if cell == ln.Text && !strings.Contains(ln.Text, "  ") {
				if i > 0 || len(c.Entries) > 0 {
					c.Last, c.Rest = k, p.Starts[i]
				}
				return c
			}
			r.tableRow(c, cols, ln.Indent+len(cell), cell, ln.Text)
			c.Last, c.Rest = k, len(p.Text)
		}
	}
	return c
}

// tableRow reads a row: the name in the first cell, and the marks in the others, which begin at a column.
func (r *Scanner) tableRow(c *Chart, cols []column, from int, cell, text string) {
	name, ok := r.oneName(cell)
	marks := 0
	for _, at := range cells.FindAllStringIndex(text[len(cell):], 12) {
		col := nearest(cols, from+(at[0]+at[1])/2)
		switch {
		case !tick.MatchString(text[len(cell)+at[0] : len(cell)+at[1]]):
			c.Unread += text + "; "
			return
		case col == nil:
			marks = 9
		case col.role == 'm':
			c.Motion.Mover, c.Motion.Moved = &name, true
		case col.role == 's':
			c.Motion.Seconder, c.Motion.Seconded = &name, true
		default:
			marks++
			if ok {
				c.Entries = append(c.Entries, Entry{Sense: col.sense, Names: []person.Name{name}, Count: -1})
			}
		}
	}
	if !ok || marks != 1 {
		c.Unread += text + "; "
	}
}

// division reads the names of a division side by side, below a header that has nothing but
// positions: "For    Against". It returns nil if there are none.
func (r *Scanner) division(k, n int) *Chart {
	p := r.Paras[k]
	if !strings.Contains(p.Lines[n].Text, "  ") {
		return nil
	}
	c := &Chart{At: p.Starts[n], Last: k}
	var sides []int // columns where they begin
	for _, m := range cells.FindAllStringIndex(p.Lines[n].Text, 12) {
		word, _ := lexicon.FoldText(strings.Trim(p.Lines[n].Text[m[0]:m[1]], " :.|"))
		s, ok := r.Words.SenseOf(word, lexicon.Aye, lexicon.Nay, lexicon.Abstain, lexicon.Absent, lexicon.Recused,
			lexicon.NotVoting)
		if !ok {
			return nil
		}
		c.Entries, sides = append(c.Entries, Entry{Sense: s, Count: -1}), append(sides, p.Lines[n].Indent+m[0])
	}
	last := n + 1
	if last == len(p.Lines) && k+1 < len(r.Paras) && !r.Paras[k+1].Blank && r.Paras[k+1].Table == nil {
		p = r.Paras[k+1] // the header is in capitals, and so a paragraph
		n, last = -1, 0
		c.Last = k + 1
	}
rows:
	for ; last < len(p.Lines); last++ {
		ln := p.Lines[last]
		for _, at := range cells.FindAllStringIndex(ln.Text, 12) {
			name, ok := r.oneName(ln.Text[at[0]:at[1]])
			i := slices.IndexFunc(sides, func(side int) bool { return abs(side-ln.Indent-at[0]) <= 3 })
			if !ok || i < 0 || name.Text == "" {
				break rows
			}
			c.Entries[i].Names = append(c.Entries[i].Names, name)
		}
	}
	if last == n+1 {
		return nil
	}
	if c.Rest = len(p.Text); last < len(p.Lines) {
		c.Rest = p.Starts[last]
	}
	return c
}

func nearest(cols []column, at int) *column {
	var best *column
	for i := range cols {
		if d := abs(cols[i].center - at); d <= 6 && (best == nil || d < abs(best.center-at)) {
			best = &cols[i]
		}
	}
	return best
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

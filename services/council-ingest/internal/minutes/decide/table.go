package decide

import (
	"regexp"
	"slices"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// A column of a table of votes.
type column struct {
	sense  sense
	center int
	role   byte // 'm' and 's' for mover and seconder
}

var (
	cells    = regexp.MustCompile(`\S+(?: \S+)*`)
	tick     = regexp.MustCompile(`^(?:[xX✓✔√☒☑*]|\(?[xX]\)?|1)$`)
	inBlanks = regexp.MustCompile(`^\S+(?: \S+)*`)
)

// A chart is a table with a column for each position, or the names of a division side by side.
type chart struct {
	at      int // where its header begins in its paragraph
	entries []entry
	unread  string
	motion  motion // who moved and seconded, if it has columns for them
	last    int    // last paragraph that has a part of it
	rest    int    // where the text behind it begins in that paragraph
}

// chartAt reads a chart that begins in paragraph k. It returns nil if there is none.
func (r *scanner) chartAt(k int) *chart {
	p := r.paras[k]
	for n := range p.lines {
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
func (r *scanner) header(p *paragraph, n int) []column {
	text := p.lines[n].Text
	if !strings.Contains(text, "  ") || len(text) > 160 {
		return nil
	}
	var cols []column
	others := 0
	positions := map[sense]bool{}
	for _, m := range cells.FindAllStringIndex(text, 12) {
		word, _ := foldText(strings.Trim(text[m[0]:m[1]], " :.|"))
		c := column{center: p.lines[n].Indent + (m[0]+m[1])/2}
		switch {
		case word == "moved" || word == "motion" || word == "mover" || word == "mot" || word == "mot.":
			c.role = 'm'
		case word == "seconded" || word == "second" || word == "seconder" || word == "sec" || word == "sec.":
			c.role = 's'
		default:
			for _, part := range append([]string{word}, strings.Fields(word)...) {
				if s, ok := r.x.senseOf(part, aye, nay, abstain, absent, recused, notVoting); ok && part == word {
					c.sense = s
					positions[s] = true
				}
			}
			if !positions[c.sense] || c.sense < aye {
				if others++; others > 1 {
					return nil // "Doe    Yes    Roe    No" are votes of members
				}
				continue
			}
		}
		cols = append(cols, c)
	}
	if len(positions) < 2 || !positions[aye] || !positions[nay] {
		return nil
	}
	return cols
}

// tableRows reads the rows below a header.
func (r *scanner) tableRows(k, n int, cols []column) *chart {
	c := &chart{at: r.paras[k].starts[n], last: k, rest: len(r.paras[k].text)}
	for first, from := k, n+1; k < len(r.paras) && k < first+60; k, from = k+1, 0 {
		p := r.paras[k]
		for i := from; i < len(p.lines); i++ {
			ln := p.lines[i]
			cell := inBlanks.FindString(ln.Text)
			if cell == ln.Text && !strings.Contains(ln.Text, "  ") {
				if i > 0 || len(c.entries) > 0 {
					c.last, c.rest = k, p.starts[i]
				}
				return c
			}
			r.tableRow(c, cols, ln.Indent+len(cell), cell, ln.Text)
			c.last, c.rest = k, len(p.text)
		}
	}
	return c
}

// tableRow reads a row: the name in the first cell, and the marks in the others, which begin at a column.
func (r *scanner) tableRow(c *chart, cols []column, from int, cell, text string) {
	name, ok := r.oneName(cell)
	marks := 0
	for _, at := range cells.FindAllStringIndex(text[len(cell):], 12) {
		col := nearest(cols, from+(at[0]+at[1])/2)
		switch {
		case !tick.MatchString(text[len(cell)+at[0] : len(cell)+at[1]]):
			c.unread += text + "; "
			return
		case col == nil:
			marks = 9
		case col.role == 'm':
			c.motion.mover, c.motion.moved = &name, true
		case col.role == 's':
			c.motion.seconder, c.motion.seconded = &name, true
		default:
			marks++
			if ok {
				c.entries = append(c.entries, entry{sense: col.sense, names: []person.Name{name}, count: -1})
			}
		}
	}
	if !ok || marks != 1 {
		c.unread += text + "; "
	}
}

// division reads the names of a division side by side, below a header that has nothing but
// positions: "For    Against". It returns nil if there are none.
func (r *scanner) division(k, n int) *chart {
	p := r.paras[k]
	if !strings.Contains(p.lines[n].Text, "  ") {
		return nil
	}
	c := &chart{at: p.starts[n], last: k}
	var sides []int // columns where they begin
	for _, m := range cells.FindAllStringIndex(p.lines[n].Text, 12) {
		word, _ := foldText(strings.Trim(p.lines[n].Text[m[0]:m[1]], " :.|"))
		s, ok := r.x.senseOf(word, aye, nay, abstain, absent, recused, notVoting)
		if !ok {
			return nil
		}
		c.entries, sides = append(c.entries, entry{sense: s, count: -1}), append(sides, p.lines[n].Indent+m[0])
	}
	last := n + 1
rows:
	for ; last < len(p.lines); last++ {
		ln := p.lines[last]
		for _, at := range cells.FindAllStringIndex(ln.Text, 12) {
			name, ok := r.oneName(ln.Text[at[0]:at[1]])
			i := slices.IndexFunc(sides, func(side int) bool { return abs(side-ln.Indent-at[0]) <= 3 })
			if !ok || i < 0 || name.Text == "" {
				break rows
			}
			c.entries[i].names = append(c.entries[i].names, name)
		}
	}
	if last == n+1 {
		return nil
	}
	if c.rest = len(p.text); last < len(p.lines) {
		c.rest = p.starts[last]
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

package signal

import (
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/grid"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// heads is what a column of a table of votes means: a position, or 'm' and 's' for mover and seconder.
type heads struct {
	sense lexicon.Sense
	role  byte
}

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
		if c := r.ballot(p, n); c != nil {
			c.Last = k
			return c
		}
	}
	return nil
}

// header reads the positions in the header of a table.
func (r *Scanner) header(p *Paragraph, n int) (cols []grid.Column[heads]) {
	if len(p.Lines[n].Text) > 160 {
		return nil
	}
	others := 0
	positions := map[lexicon.Sense]bool{}
	for _, c := range p.cells(n) {
		var h heads
		switch word := headWord(c); word {
		case "moved", "motion", "mover", "mot", "mot.":
			h.role = 'm'
		case "seconded", "second", "seconder", "sec", "sec.":
			h.role = 's'
		default:
			s, ok := r.positionOf(word)
			if !ok {
				if others++; others > 1 {
					return nil // "Doe    Yes    Roe    No" are votes of members
				}
				continue
			}
			h.sense = s
			positions[s] = true
		}
		cols = append(cols, grid.Column[heads]{Cell: c, Means: h})
	}
	if !positions[lexicon.Aye] || !positions[lexicon.Nay] {
		return nil
	}
	return cols
}

// voteColumn matches the header of a column that has each member's vote.
var voteColumn = words.Regexp(`^{vote column}$`)

// ballot reads rows that begin with a member and end in the vote, below a header that says so: "Member    Municipality
// Vote". It returns nil if there are none.
func (r *Scanner) ballot(p *Paragraph, n int) *Chart {
	heads := p.cells(n)
	if len(heads) < 2 || !voteColumn.MatchString(headWord(heads[len(heads)-1])) {
		return nil
	}
	c := &Chart{At: p.Starts[n], Rest: len(p.Text)}
	for n++; n < len(p.Lines); n++ {
		row := p.cells(n)
		vote := r.voteOf(headWord(row[len(row)-1]))
		name, ok := r.oneName(row[0].Text)
		if len(row) < 2 || len(row) > len(heads) || !ok || vote == lexicon.Unknown {
			c.Rest = p.Starts[n]
			break
		}
		c.Entries = append(c.Entries, Entry{Sense: vote, Names: []person.Name{name}, Count: -1})
	}
	if len(c.Entries) == 0 {
		return nil
	}
	return c
}

// headWord returns the words in the header of a column.
func headWord(c grid.Cell) string {
	word, _ := lexicon.FoldText(strings.Trim(c.Text, " :.|"))
	return word
}

// positionOf returns the position that a word is the label of.
func (r *Scanner) positionOf(word string) (lexicon.Sense, bool) {
	return r.Words.SenseOf(word, lexicon.Aye, lexicon.Nay, lexicon.Abstain, lexicon.Absent, lexicon.Recused,
		lexicon.NotVoting)
}

// cells splits a line of a paragraph at its gaps.
func (p *Paragraph) cells(n int) []grid.Cell {
	return grid.Cells(p.Lines[n].Text, p.Lines[n].Indent, 2)
}

// tableRows reads the rows below a header.
func (r *Scanner) tableRows(k, n int, cols []grid.Column[heads]) *Chart {
	c := &Chart{At: r.Paras[k].Starts[n], Last: k, Rest: len(r.Paras[k].Text)}
	for first, from := k, n+1; k < len(r.Paras) && k < first+60; k, from = k+1, 0 {
		p := r.Paras[k]
		for i := from; i < len(p.Lines); i++ {
			row := p.cells(i)
			if len(row) == 1 || !r.tableRow(c, cols, row, p.Lines[i].Text) {
				if i > 0 { // else the paragraph is not one of the table
					c.Last, c.Rest = k, p.Starts[i]
				}
				return c
			}
			c.Last, c.Rest = k, len(p.Text)
		}
	}
	return c
}

// tableRow reads a row: the name in the first cell, and a mark in one of the others. It returns false for the text
// behind a table, which has neither.
func (r *Scanner) tableRow(c *Chart, cols []grid.Column[heads], row []grid.Cell, text string) bool {
	name, ok := r.oneName(row[0].Text)
	marks, _ := grid.Marked(cols, row)
	if !ok && len(marks) == 0 {
		return false
	}
	votes := 0
	for _, at := range marks {
		switch {
		case at < 0:
			ok = false
		case cols[at].Means.role == 'm':
			c.Motion.Mover, c.Motion.Moved = &name, true
		case cols[at].Means.role == 's':
			c.Motion.Seconder, c.Motion.Seconded = &name, true
		default:
			votes++
			if ok {
				c.Entries = append(c.Entries, Entry{Sense: cols[at].Means.sense, Names: []person.Name{name}, Count: -1})
			}
		}
	}
	if !ok || votes != 1 || len(row) != 1+len(marks) {
		c.Unread += text + "; "
	}
	return true
}

// division reads the names of a division side by side, below a header that has nothing but
// positions, perhaps with counts: "For (9)    Against (7)". It returns nil if there are none.
func (r *Scanner) division(k, n int) *Chart {
	p := r.Paras[k]
	c := &Chart{At: p.Starts[n], Last: k}
	var cols []grid.Column[lexicon.Sense]
	for _, cell := range p.cells(n) {
		word, count := headWord(cell), -1
		if m := countBelow.FindStringSubmatchIndex(word); m != nil {
			word, count = word[:m[0]], lexicon.ValueOf(word[m[2]:m[3]])
		}
		s, ok := r.positionOf(word)
		if !ok {
			return nil
		}
		cols = append(cols, grid.Column[lexicon.Sense]{Cell: cell, Means: s})
		c.Entries = append(c.Entries, Entry{Sense: s, Count: count, Nobody: count == 0})
	}
	if len(cols) < 2 {
		return nil
	}
	last := n + 1
	if last == len(p.Lines) && k+1 < len(r.Paras) && r.Paras[k+1].Table == nil {
		p = r.Paras[k+1] // the header is in capitals, and so a paragraph
		n, last = -1, 0
		c.Last = k + 1
	}
rows:
	for ; last < len(p.Lines); last++ {
		for _, cell := range p.cells(last) {
			at := grid.Below(cols, cell)
			if at >= 0 && len(c.Entries[at].Names) == 0 && r.people.IsNobody(cell.Text) {
				c.Entries[at].Nobody = true
				continue
			}
			name, ok := r.oneName(cell.Text)
			if !ok || at < 0 || name.Text == "" {
				break rows
			}
			c.Entries[at].Names = append(c.Entries[at].Names, name)
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

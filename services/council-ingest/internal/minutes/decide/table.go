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

// columns reads a table with a column for each position, from paragraph k. It returns the paragraph
// after it, or k if there is none.
func (r *reader) columns(k int) int {
	p := r.paras[k]
	for n := range p.lines {
		if end := r.division(k, n); end > k {
			return end
		}
		cols := r.header(p, n)
		if cols == nil {
			continue
		}
		if n > 0 {
			r.sentences(k, []span{{0, p.starts[n]}})
		}
		return r.tableRows(k, n, cols)
	}
	return k
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
func (r *reader) tableRows(k, n int, cols []column) int {
	var entries []entry
	var m motion
	unread, misses := "", 0
	first, from := k, n+1
	at := r.paras[k].starts[n]
	end := k + 1
rows:
	for ; k < len(r.paras) && k < first+60; k++ {
		p := r.paras[k]
		for i := from; i < len(p.lines); i++ {
			ln := p.lines[i]
			cell := inBlanks.FindString(ln.Text)
			if cell == ln.Text && !strings.Contains(ln.Text, "  ") {
				if misses++; misses > 1 || len(entries) == 0 {
					if i > 0 && i > from-1 {
						r.finishTable(first, at, entries, unread, &m)
						r.sentences(k, []span{{p.starts[i], len(p.text)}})
						return k + 1
					}
					break rows
				}
				r.finishTable(first, at, entries, unread, &m)
				r.sentences(k, []span{{p.starts[i], len(p.text)}})
				return k + 1
			}
			name, ok := r.oneName(cell)
			marks := 0
			for _, c := range cells.FindAllStringIndex(ln.Text[len(cell):], 12) {
				word := ln.Text[len(cell)+c[0] : len(cell)+c[1]]
				if !tick.MatchString(word) {
					marks = 9
					break
				}
				col := nearest(cols, ln.Indent+len(cell)+(c[0]+c[1])/2)
				switch {
				case col == nil:
					marks = 9
				case col.role == 'm':
					m.mover, m.moved = &name, true
				case col.role == 's':
					m.seconder, m.seconded = &name, true
				default:
					marks++
					if ok {
						entries = append(entries, entry{sense: col.sense, names: []person.Name{name}, count: -1})
					}
				}
			}
			if !ok || marks != 1 {
				unread += ln.Text + "; "
			}
			end = k + 1
		}
		from = 0
	}
	r.finishTable(first, at, entries, unread, &m)
	return end
}

// division reads the names of a division side by side, below a header that has nothing but
// positions: "For    Against". It returns the paragraph after them, or k if there are none.
func (r *reader) division(k, n int) int {
	p := r.paras[k]
	if !strings.Contains(p.lines[n].Text, "  ") {
		return k
	}
	type side struct {
		entry
		at int
	}
	var sides []side
	for _, m := range cells.FindAllStringIndex(p.lines[n].Text, 12) {
		word, _ := foldText(strings.Trim(p.lines[n].Text[m[0]:m[1]], " :.|"))
		s, ok := r.x.senseOf(word, aye, nay, abstain, absent, recused, notVoting)
		if !ok {
			return k
		}
		sides = append(sides, side{entry: entry{sense: s, count: -1}, at: p.lines[n].Indent + m[0]})
	}
	last := n + 1
rows:
	for ; last < len(p.lines); last++ {
		ln := p.lines[last]
		for _, c := range cells.FindAllStringIndex(ln.Text, 12) {
			name, ok := r.oneName(ln.Text[c[0]:c[1]])
			i := slices.IndexFunc(sides, func(s side) bool { return abs(s.at-ln.Indent-c[0]) <= 3 })
			if !ok || i < 0 || name.Text == "" {
				break rows
			}
			sides[i].names = append(sides[i].names, name)
		}
	}
	if last == n+1 {
		return k
	}
	if n > 0 {
		r.sentences(k, []span{{0, p.starts[n]}})
	}
	var entries []entry
	for _, s := range sides {
		entries = append(entries, s.entry)
	}
	r.onRows(k, p.starts[n], entries, "")
	if last < len(p.lines) {
		r.sentences(k, []span{{p.starts[last], len(p.text)}})
	}
	return k + 1
}

func (r *reader) finishTable(k, at int, entries []entry, unread string, m *motion) {
	if m.mover != nil && len(r.open) == 0 {
		m.text = ""
		r.begin(m, k, span{at, at})
	} else if top := r.topOpen(); top != nil && top.mover == nil {
		top.mover, top.seconder = m.mover, m.seconder
	}
	if len(entries) == 0 {
		n := r.signal("roll", k, at, r.paras[k].text[at:])
		r.unread(n)
		return
	}
	r.onRows(k, at, entries, unread)
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

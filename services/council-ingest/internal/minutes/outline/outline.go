// Package outline finds how a document numbers its headings: the one sequence of Roman numerals, capital letters or figures that runs
// through it, and, where headings and items are numbered alike, which number is which. It looks at a whole document before the walk; the
// headings are opened in package minutes.
package outline

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/rows"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// Outline is how the headings of the top level are numbered.
type Outline struct {
	Top  shape.Kind   // NoMark where they are not
	Tops map[int]bool // their lines, where items are numbered alike and nothing else distinguishes them
}

// finder looks at one document.
type finder struct{ *rows.Doc }

// Find finds the outline of a document.
func Find(doc *rows.Doc) Outline { return finder{doc}.find() }

// find looks for the sequence of Roman numerals, capital letters or figures that runs through the document.
func (doc finder) find() Outline {
	type chain struct{ last, length, first, ones, indent int }
	chains := map[shape.Kind]*chain{shape.Roman: {}, shape.Letter: {}, shape.Number: {}}
	step := func(kind shape.Kind, value, line int) {
		c := chains[kind]
		if value == 1 && (c.ones == 0 || doc.Rows[line].Indent <= c.indent+1) {
			c.ones++
		}
		switch {
		case c.length == 0 && value == 1:
			c.last, c.length, c.first, c.indent = 1, 1, line, doc.Rows[line].Indent
		case c.length > 0 && value == c.last+1:
			c.last, c.length = value, c.length+1
		}
	}
	for i, over := 0, false; i < len(doc.Rows) && !over; i++ {
		over = dialect.IsAdjourn(doc.Rows[i].Text)
		m, ok := doc.MarkerAt(i)
		if !ok || m.Style != shape.NoStyle { // only items are numbered so
			continue
		}
		switch m.Kind {
		case shape.Roman:
			if m.Value > 1 || chains[shape.Letter].last != 8 || chains[shape.Roman].length > 0 { // I. after H. is a letter
				step(shape.Roman, m.Value, i)
			}
			if m.Also > 0 {
				step(shape.Letter, m.Also, i)
			}
		case shape.Letter, shape.Number:
			step(m.Kind, m.Value, i)
		}
	}
	if n := chains[shape.Roman].length; n >= 2 || n == 1 && chains[shape.Letter].length < 3 {
		return Outline{Top: shape.Roman}
	}
	best := shape.NoMark
	for _, k := range []shape.Kind{shape.Letter, shape.Number} {
		// What begins again and again, or with an item, is no outline.
		if c := chains[k]; c.length >= 3 && c.ones <= 1 && doc.isOpening(c.first) && (best == shape.NoMark || c.first < chains[best].first) {
			best = k
		}
	}
	for _, k := range []shape.Kind{shape.Number, shape.Letter} {
		if best == shape.NoMark && chains[k].ones > 1 {
			if tops := doc.levels(k); tops != nil {
				return Outline{k, tops}
			}
		}
	}
	return Outline{Top: best}
}

// isOpening reports whether the heading at line i begins a meeting.
func (doc finder) isOpening(i int) bool {
	text := doc.Rows[i].Text
	if m, _ := doc.MarkerAt(i); m.Text == "" {
		if next := doc.Next(i + 1); next >= 0 {
			text = doc.Rows[next].Text
		}
	}
	return doc.Dialect.Opens(text)
}

// Where nothing but figures numbers both headings and items ("4. New Business", "1. Sets Fees", "5. Reports"), or nothing but letters, and
// columns do not distinguish them, the numbers of the whole document do: each of the two series counts on by one, the items begin again
// below a heading, and votes stand below items.

// numbered is a line that begins with a figure or letter and could be a heading or an item.
type numbered struct {
	line, value int
	voted       bool // a table follows before the next number
	closes      bool // the adjournment
}

const (
	maxLevels   = 600 // numbers looked at
	maxReadings = 64  // readings kept at a time
)

// reading is one way to understand the numbers up to here.
type reading struct {
	top, item, through int // the last heading, item below it, and item of all
	cost               int
	from               *reading
	isTop              bool
	line               int
}

// levels decides which numbers are headings, where headings and items are numbered alike; nil when no reading is convincing.
func (doc finder) levels(kind shape.Kind) map[int]bool {
	marks := doc.numberedLines(kind)
	if len(marks) < 6 || !doc.isOpening(marks[0].line) || marks[0].value != 1 {
		return nil
	}
	kept := []*reading{{}}
	for _, m := range marks {
		next := map[[3]int]*reading{}
		offer := func(r reading) {
			k := [3]int{r.top, r.item, r.through}
			if old := next[k]; old == nil || r.cost < old.cost {
				next[k] = &r
			}
		}
		for _, r := range kept {
			if m.value == r.top+1 {
				offer(reading{top: m.value, through: r.through, cost: r.cost + cost(m.voted), from: r, isTop: true, line: m.line})
			}
			plain := cost(!m.voted) + 3*cost(m.closes)
			gap := 3
			if kind == shape.Letter && r.item > 0 && m.value <= r.item+3 {
				gap = 1 // taken off a consent list
			}
			switch {
			case r.top == 0:
			case m.value == r.item+1, r.item == 0 && m.value == r.through+1:
				offer(reading{top: r.top, item: m.value, through: m.value, cost: r.cost + plain, from: r, line: m.line})
			case m.value > r.item && (r.item > 0 || kind == shape.Letter): // some were left out, or stand elsewhere
				offer(reading{top: r.top, item: m.value, through: m.value, cost: r.cost + plain + gap, from: r, line: m.line})
			}
			offer(reading{top: r.top, item: r.item, through: r.through, cost: r.cost + 2 + 3*cost(m.voted), from: r, line: -1}) // a list in the text
		}
		kept = cheapest(next)
	}
	best := kept[0]
	if best.cost*4 > len(marks)*2 {
		return nil
	}
	top, items := map[int]bool{}, 0
	for r := best; r.from != nil; r = r.from {
		switch {
		case r.isTop:
			top[r.line] = true
		case r.line >= 0:
			items++
		}
	}
	if len(top) < 3 || items < 2 {
		return nil
	}
	return top
}

func cost(is bool) int {
	if is {
		return 1
	}
	return 0
}

// cheapest keeps the readings that cost least, in a fixed order.
func cheapest(all map[[3]int]*reading) []*reading {
	out := slices.SortedFunc(maps.Values(all), func(a, b *reading) int {
		return cmp.Or(a.cost-b.cost, a.top-b.top, a.item-b.item, a.through-b.through)
	})
	return out[:min(len(out), maxReadings)]
}

// numberedLines lists the lines that begin with a figure, or with a letter, as a title does.
func (doc finder) numberedLines(kind shape.Kind) []numbered {
	var out []numbered
	for i := range doc.Rows {
		if doc.Rows[i].Result {
			if n := len(out); n > 0 {
				out[n-1].voted = true
			}
			continue
		}
		m, ok := doc.MarkerAt(i)
		if !ok || m.Style != shape.NoStyle || m.Text == "" || !shape.IsTitle(m.Text) {
			continue
		}
		apart := doc.BreakBefore(i)
		if kind == shape.Letter && m.Also > 0 {
			m.Kind, m.Value = shape.Letter, m.Also
		}
		if kind == shape.Letter && !apart {
			_, below := shape.ReadMarker(doc.Rows[i-1].Text)
			apart = below || doc.Hanging(m) || strings.HasSuffix(doc.Rows[i-1].Text, ".") || doc.Fits(i-1, m.Label)
		}
		if m.Kind != kind || !apart {
			continue
		}
		if len(out) == maxLevels {
			break
		}
		out = append(out, numbered{line: i, value: m.Value, closes: dialect.IsAdjourn(m.Text)})
	}
	return out
}

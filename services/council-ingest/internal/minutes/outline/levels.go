package outline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// Where nothing but figures numbers both headings and items ("4. New Business",
// "1. Sets Fees", "5. Reports"), or nothing but letters, and columns do not tell
// them apart, the numbers of the whole document do: each of the two series counts
// on by one, the items begin again below a heading, and votes stand below items.

// numbered is a line that begins with a figure or letter and could be a heading or an
// item.
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

// levels decides which numbers are headings, where headings and items are
// numbered alike; nil when no reading is convincing.
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
	var best *reading
	for _, r := range kept {
		if best == nil || r.cost < best.cost {
			best = r
		}
	}
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
	out := make([]*reading, 0, len(all))
	for _, r := range all {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b *reading) int {
		return cmp.Or(a.cost-b.cost, a.top-b.top, a.item-b.item, a.through-b.through)
	})
	return out[:min(len(out), maxReadings)]
}

// numberedLines lists the lines that begin with a figure, or with a letter, as a
// title does.
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

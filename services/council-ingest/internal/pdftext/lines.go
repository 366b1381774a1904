package pdftext

import (
	"sort"
	"strings"
)

// A line is words on one baseline, cut into cells.
type line struct {
	y, size float64
	words   []word
	cells   []cell
}

// A cell is words with ordinary blanks between them. What stands in another
// column of a table, or of the page, is another cell.
type cell struct {
	text   string
	x0, x1 float64
}

// lines groups words by baseline, from top to bottom, and puts raised and
// lowered signs into the line that they belong to.
func lines(ws []word) []line {
	sort.SliceStable(ws, func(i, j int) bool { return ws[i].y < ws[j].y })
	var out []line
	for _, w := range ws {
		best := -1
		for i := len(out) - 1; i >= 0 && i >= len(out)-4; i-- {
			l := &out[i]
			if d := w.y - l.y; d <= sameLine*min(w.size, l.size) && (best < 0 || d < w.y-out[best].y) {
				best = i
			}
		}
		if best < 0 {
			out = append(out, line{y: w.y, size: w.size})
			best = len(out) - 1
		}
		l := &out[best]
		l.words = append(l.words, w)
		l.size = max(l.size, w.size)
	}
	out = withScripts(out)
	for i := range out {
		l := &out[i]
		sort.SliceStable(l.words, func(a, b int) bool { return l.words[a].x0 < l.words[b].x0 })
	}
	return out
}

// withScripts moves words that are smaller and a little above or below a line,
// and touch it, into that line: the "th" of "4th", the mark of a footnote.
func withScripts(ls []line) []line {
	for i := range ls {
		small := &ls[i]
		kept := small.words[:0:0]
		for _, w := range small.words {
			if to := scriptOf(ls, i, w); to >= 0 {
				ls[to].words = append(ls[to].words, w)
			} else {
				kept = append(kept, w)
			}
		}
		small.words = kept
	}
	out := ls[:0]
	for _, l := range ls {
		if len(l.words) > 0 {
			out = append(out, l)
		}
	}
	return out
}

// scriptOf finds the line near line i to which w is a raised or lowered sign, or -1.
func scriptOf(ls []line, i int, w word) int {
	for _, j := range []int{i + 1, i - 1, i + 2, i - 2} {
		if j < 0 || j >= len(ls) {
			continue
		}
		rise := (ls[j].y - w.y) / ls[j].size
		if rise > 0.7 || rise < -0.4 {
			continue
		}
		for _, o := range ls[j].words {
			if o.size < 1.2*w.size || o.seq == w.seq {
				continue
			}
			if gap := w.x0 - o.x1; gap > -0.1*o.size && gap < 0.3*o.size {
				return j
			}
		}
	}
	return -1
}

// cut makes the cells of a line: words stay together over an ordinary blank
// and part at a wide gap, at a border, or where other lines begin a column.
func (l *line) cut(rules []rule, columns func(x float64) bool) {
	l.cells = l.cells[:0]
	wide := l.wideGap()
	var text strings.Builder
	var cur cell
	for i, w := range l.words {
		if i > 0 {
			p := l.words[i-1]
			size := min(p.size, w.size)
			if p.size > 1.2*w.size || w.size > 1.2*p.size {
				size = (p.size + w.size) / 2
			}
			gap := w.x0 - cur.x1
			limit := wordGap * size
			if w.spaced {
				limit = max(limit, wide)
			}
			switch {
			case gap > limit, between(rules, p, w, cur.x1), gap > 0.4*size && !w.spaced && columns != nil && columns(w.x0):
				cur.text = text.String()
				l.cells = append(l.cells, cur)
				text.Reset()
				cur = cell{x0: w.x0, x1: w.x1}
			case w.spaced, gap > sameWord*size, gap < -0.3*size:
				text.WriteByte(' ')
			}
		} else {
			cur = cell{x0: w.x0, x1: w.x1}
		}
		text.WriteString(w.text)
		cur.x1 = max(cur.x1, w.x1)
	}
	if cur.text = text.String(); cur.text != "" {
		l.cells = append(l.cells, cur)
	}
}

// wideGap is the widest gap that still is a blank on a line stretched to the
// margin: there all blanks are wide alike.
func (l *line) wideGap() float64 {
	var gaps []float64
	for i, w := range l.words {
		if i > 0 && w.spaced {
			gaps = append(gaps, (w.x0-l.words[i-1].x1)/w.size)
		}
	}
	if len(gaps) < 4 {
		return 0
	}
	sort.Float64s(gaps)
	return min(2.5, 1.6*gaps[len(gaps)/2]) * l.size
}

// between tells that a border stands between two words of a line.
func between(rules []rule, a, b word, right float64) bool {
	if len(rules) == 0 {
		return false
	}
	slack := 0.15 * b.size
	i := sort.Search(len(rules), func(i int) bool { return rules[i].x >= right-slack })
	for ; i < len(rules) && rules[i].x <= b.x0+slack; i++ {
		mid := b.y - 0.3*b.size
		if rules[i].top <= mid && mid <= rules[i].bottom && rules[i].x > a.x0+slack {
			return true
		}
	}
	return false
}

// columnStarts finds the places where at least two lines begin a cell after a
// wide gap: a word there begins a cell even where the gap before it is small,
// as in the narrow columns of attendance tables.
func columnStarts(ls []line) func(x float64) bool {
	var xs []float64
	size := 10.0
	for _, l := range ls {
		for _, c := range l.cells[min(1, len(l.cells)):] {
			xs = append(xs, c.x0)
		}
		size = l.size
	}
	sort.Float64s(xs)
	near := 0.1 * size
	return func(x float64) bool {
		i := sort.SearchFloat64s(xs, x-near)
		n := 0
		for ; i < len(xs) && xs[i] <= x+near; i++ {
			n++
		}
		return n >= 2
	}
}

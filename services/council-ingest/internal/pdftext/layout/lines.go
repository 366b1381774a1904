package layout

import (
	"math"
	"sort"
	"strings"
)

type line struct {
	y, size float64
	words   []word
	cells   []cell
}

type cell struct {
	text   string
	x0, x1 float64
}

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
	out = withCentred(withScripts(out))
	for i := range out {
		l := &out[i]
		sort.SliceStable(l.words, func(a, b int) bool { return l.words[a].x0 < l.words[b].x0 })
	}
	return out
}

// withScripts moves superscripts and subscripts into their lines, such as the "th" of "4th" and
// footnote marks.
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

// withCentred moves a label that is halfway between two lines of its value into the upper line.
// Tables with centred cells need it. Other lines are more than half their height apart.
func withCentred(ls []line) []line {
	out := ls[:0]
	for i, l := range ls {
		if n := len(out); n > 0 && i+1 < len(ls) {
			above, below := &out[n-1], &ls[i+1]
			size := min(l.size, above.size, below.size)
			up, down := l.y-above.y, below.y-l.y
			if up < 0.75*size && down < 0.75*size && beside(l, *above) && beside(l, *below) {
				to := above
				if up > down+0.15*size {
					to = below
				}
				to.words = append(to.words, l.words...)
				continue
			}
		}
		out = append(out, l)
	}
	return out
}

func beside(a, b line) bool {
	for _, v := range a.words {
		for _, w := range b.words {
			if v.x0 < w.x1 && w.x0 < v.x1 {
				return false
			}
		}
	}
	return true
}

// cut splits a line into cells: at wide gaps, at borders, and where column reports that cells of
// other lines begin.
func (l *line) cut(rules []Rule, column func(w word) bool) {
	l.cells = nil
	wide := l.wideGap()
	var text strings.Builder
	var cur cell
	for i, w := range l.words {
		if i == 0 {
			cur = cell{x0: w.x0, x1: w.x1}
			text.WriteString(w.text)
			continue
		}
		p := l.words[i-1]
		size := min(p.size, w.size)
		if p.size > 1.2*w.size || w.size > 1.2*p.size {
			size = (p.size + w.size) / 2
		}
		gap := w.x0 - cur.x1 - w.track
		limit := wordGap * size
		if w.spaced {
			limit = max(limit, wide)
		}
		if w.loose {
			limit = max(limit, looseGap*size)
		}
		switch {
		case gap > limit, between(rules, p, w, cur.x1), w.fresh && gap > columnGap*size && column != nil && column(w):
			cur.text = text.String()
			l.cells = append(l.cells, cur)
			text.Reset()
			cur = cell{x0: w.x0, x1: w.x1}
		case w.spaced, gap > sameWord*size, gap < -0.3*size, gap > columnGap*size && endsLabel(p.text):
			text.WriteByte(' ')
		}
		text.WriteString(w.text)
		cur.x1 = max(cur.x1, w.x1)
	}
	cur.text = text.String()
	if cur.text != "" {
		l.cells = append(l.cells, cur)
	}
}

// wideGap returns the widest blank of a justified line. It returns 0 if the blanks differ, because
// then the line is not justified.
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
	mid := gaps[len(gaps)/2]
	alike := 0
	for _, g := range gaps {
		if g > 0.7*mid && g < 1.4*mid {
			alike++
		}
	}
	if mid > 1.6 || alike*4 < len(gaps)*3 {
		return 0
	}
	return 1.5 * mid * l.size
}

func between(rules []Rule, a, b word, right float64) bool {
	if len(rules) == 0 {
		return false
	}
	slack := 0.15 * b.size
	i := sort.Search(len(rules), func(i int) bool { return rules[i].X >= right-slack })
	for ; i < len(rules) && rules[i].X <= b.x0+slack; i++ {
		mid := b.y - 0.3*b.size
		if rules[i].Top <= mid && mid <= rules[i].Bottom && rules[i].X > a.x0+slack {
			return true
		}
	}
	return false
}

// cutAll splits all lines into cells. A narrow column, such as the status before the time of
// arrival, has wide gaps only on some lines. So lines are split again by their neighbours until
// nothing changes.
func cutAll(ls []line, rules []Rule) {
	for i := range ls {
		ls[i].cut(rules, nil)
	}
	for range 4 {
		cells := 0
		for i := range ls {
			before := ls[i].cells
			ls[i].cut(rules, func(w word) bool { return columnNear(ls, i, before, w) })
			cells += len(ls[i].cells) - len(before)
		}
		if cells == 0 {
			return
		}
	}
}

// columnNear reports whether a line near line i begins a cell where w begins, and has another
// column in common with line i.
func columnNear(ls []line, i int, cells []cell, w word) bool {
	const lines = 4
	near := 0.06 * w.size
	for j := max(0, i-lines); j <= i+lines && j < len(ls); j++ {
		if j == i || math.Abs(ls[j].y-ls[i].y) > 3*lines*w.size {
			continue
		}
		begins, shares := false, false
		for k, c := range ls[j].cells {
			if k > 0 && math.Abs(c.x0-w.x0) < near {
				begins = true
				continue
			}
			for _, own := range cells {
				shares = shares || math.Abs(c.x0-own.x0) < near
			}
		}
		if begins && shares {
			return true
		}
	}
	return false
}

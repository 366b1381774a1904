// Package layout arranges the glyphs of a page in lines of text, and preserves columns.
//
// words.go joins glyphs to words, lines.go words to lines and cells. layout.go places the cells on
// a grid of characters.
package layout

import (
	"math"
	"sort"
	"strings"
	"unicode/utf8"
)

// Glyph is one character and its position. x grows to the right and y down, from the upper left
// corner.
type Glyph struct {
	Text      string
	X0, Y0    float64 // start of the baseline
	X1, Y1    float64 // end of the advance
	Size      float64
	Track     float64 // letter spacing of the string, which does not separate words
	Blank     bool    // it shows nothing
	Shown     int     // number of the string in drawing order
	Tied      bool    // it follows the previous glyph in the same string
	Follows   bool    // it follows the previous glyph in the same show operator
	Invisible bool    // it is drawn without colour, like the text layer of a scan
	Unseen    bool    // its position or colour hides it
	Guessed   bool    // its width is an estimate
}

// Rule is a vertical line, which is the border of a table cell.
type Rule struct{ X, Top, Bottom float64 }

// Text returns the text of a page. Text at an unusual angle is at the end. Text overwrites glyphs.
func Text(glyphs []Glyph, rules []Rule) string {
	sort.Slice(rules, func(i, j int) bool { return rules[i].X < rules[j].X })
	var b strings.Builder
	for i, frame := range frames(glyphs) {
		if i > 0 {
			rules = nil
		}
		ls := lines(words(frame))
		cutAll(ls, rules)
		b.WriteString(render(ls))
	}
	return b.String()
}

const cellGap = 2

func render(ls []line) string {
	unit := charWidth(ls)
	left := math.Inf(1)
	for _, l := range ls {
		for _, c := range l.cells {
			left = min(left, c.x0)
		}
	}
	stops := columnsOf(ls, left, unit)
	var b strings.Builder
	for i, l := range ls {
		if i > 0 && l.y-ls[i-1].y > 1.9*max(l.size, ls[i-1].size) {
			b.WriteByte('\n')
		}
		at := 0
		for j, c := range l.cells {
			want := stops.column(c.x0)
			if j > 0 {
				want = max(want, at+cellGap)
			}
			for ; at < want; at++ {
				b.WriteByte(' ')
			}
			b.WriteString(c.text)
			at += utf8.RuneCountInString(c.text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// charWidth returns the width of a grid column. It is slightly less than the mean character, so
// that cells rarely collide.
func charWidth(ls []line) float64 {
	var width float64
	n := 0
	for _, l := range ls {
		for _, c := range l.cells {
			width += c.x1 - c.x0
			n += utf8.RuneCountInString(c.text)
		}
	}
	if n == 0 || width <= 0 {
		return 1
	}
	return 0.9 * width / float64(n)
}

type stopList struct {
	xs   []float64 // position of each stop, ascending
	cols []int
}

// columnsOf assigns a column to every position at which a cell begins. The column follows from the
// position. If earlier cells on a line are too long, it is further right.
func columnsOf(ls []line, left, unit float64) stopList {
	var xs []float64
	for _, l := range ls {
		for _, c := range l.cells {
			xs = append(xs, c.x0)
		}
	}
	sort.Float64s(xs)
	var s stopList
	for _, x := range xs {
		if n := len(s.xs); n == 0 || x-s.xs[n-1] > 0.6*unit {
			s.xs = append(s.xs, x)
		}
	}
	// For each stop: the stops and lengths of the cells before it.
	type need struct{ stop, room int }
	needs := make([][]need, len(s.xs))
	for _, l := range ls {
		for j := 1; j < len(l.cells); j++ {
			p, c := l.cells[j-1], l.cells[j]
			i, k := s.index(p.x0), s.index(c.x0)
			if i < k {
				needs[k] = append(needs[k], need{i, utf8.RuneCountInString(p.text) + cellGap})
			}
		}
	}
	s.cols = make([]int, len(s.xs))
	for k, x := range s.xs {
		natural := int(min(math.Round((x-left)/unit), maxColumn))
		col := natural
		for _, n := range needs[k] {
			col = max(col, min(s.cols[n.stop]+n.room, natural+maxShift))
		}
		if k > 0 {
			col = max(col, s.cols[k-1])
		}
		s.cols[k] = col
	}
	return s
}

const maxColumn = 1000

// maxShift bounds how far one long cell can move a column of all lines.
const maxShift = 60

func (s stopList) index(x float64) int {
	return max(0, sort.Search(len(s.xs), func(i int) bool { return s.xs[i] > x })-1)
}

func (s stopList) column(x float64) int {
	if len(s.cols) == 0 {
		return 0
	}
	return s.cols[s.index(x)]
}

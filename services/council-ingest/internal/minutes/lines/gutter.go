package lines

import (
	"strings"
	"unicode/utf8"
)

// Text in two columns stands side by side in the lines of a page. Its right column begins at one place.
const (
	gutter     = 2   // blanks before the right column, at least
	leastLeft  = 24  // place of the right column, at least
	mostLeft   = 140 // and at most
	leastWords = 4   // words of a line of running text in a column
	leastRows  = 6   // rows with text in both columns
	// mostRows is the number of lines of a text without pages that can be one page. In a longer one, nothing says
	// where the left column ends and the right column begins.
	mostRows = 50
)

// half says in which column a line of a page has text.
type half int

const (
	leftOnly half = iota
	rightOnly
	both
	across // one line of text over both columns
)

// readColumns puts the right column of each page below its left one. It reports the pages on which the columns
// cannot be told apart.
func readColumns(all []Line) (out []Line, unread []Damage) {
	for page := range pages(all) {
		x := columnAt(page)
		if x == 0 {
			out = append(out, page...)
			continue
		}
		block, whole := blockAt(page, x)
		if whole = whole && (page[0].Page > 0 || block[1]-block[0] <= mostRows); !whole {
			damage := damageOf(page, "its text stands in two columns that cannot be told apart")
			damage.Columns = true
			unread = append(unread, damage)
			out = append(out, page...)
			continue
		}
		out = append(out, page[:block[0]]...)
		out = append(out, columnOf(page[block[0]:block[1]], x, leftOnly)...)
		out = append(out, columnOf(page[block[0]:block[1]], x, rightOnly)...)
		out = append(out, page[block[1]:]...)
	}
	return out, unread
}

// blockAt returns the part of a page that has two columns. whole is false if a line across both columns stands
// within it.
func blockAt(page []Line, x int) (block [2]int, whole bool) {
	first, last := -1, -1
	for i, ln := range page {
		if _, _, h := ln.cutAt(x); h == both {
			if last = i; first < 0 {
				first = i
			}
		}
	}
	block = [2]int{first, last + 1}
	isAcross := func(i int) bool {
		_, _, h := page[i].cutAt(x)
		return h == across
	}
	for i := first; i < last; i++ {
		if isAcross(i) {
			return block, false
		}
	}
	for block[0] > 0 && !isAcross(block[0]-1) {
		block[0]--
	}
	for block[1] < len(page) && !isAcross(block[1]) {
		block[1]++
	}
	return block, true
}

// columnOf returns the lines of one column.
func columnOf(rows []Line, x int, which half) []Line {
	out := make([]Line, 0, len(rows))
	for _, ln := range rows {
		left, right, h := ln.cutAt(x)
		switch {
		case which == leftOnly:
			ln.Text = left
		case h == rightOnly:
			ln.Indent -= x
		default:
			ln.Indent = 0
		}
		if which == rightOnly {
			ln.Text = right
		}
		ln.NewPage = len(out) == 0
		if ln.Text != "" || len(out) > 0 {
			out = append(out, ln)
		}
	}
	for len(out) > 0 && out[len(out)-1].Text == "" {
		out = out[:len(out)-1]
	}
	return out
}

// cutAt returns the parts of a line before and behind the right column that begins at x.
func (ln Line) cutAt(x int) (left, right string, h half) {
	end := ln.Indent + utf8.RuneCountInString(ln.Text)
	switch {
	case end <= x-gutter:
		return ln.Text, "", leftOnly
	case ln.Indent >= x:
		return "", ln.Text, rightOnly
	case ln.Indent >= x-gutter:
		return ln.Text, "", across
	}
	at := 0
	for range x - ln.Indent {
		_, size := utf8.DecodeRuneInString(ln.Text[at:])
		at += size
	}
	if at >= len(ln.Text) || at < gutter || strings.TrimLeft(ln.Text[at-gutter:at], " ") != "" {
		return ln.Text, "", across
	}
	return strings.TrimRight(ln.Text[:at], " "), strings.TrimLeft(ln.Text[at:], " "), both
}

// columnAt returns where the right column of a page begins, if the page has running text in two columns, or 0.
func columnAt(page []Line) int {
	var starts [mostLeft + 1]int
	for _, ln := range page {
		eachGap(ln.Text, func(at, width int) {
			if width < gutter {
				return
			}
			if x := ln.Indent + utf8.RuneCountInString(ln.Text[:at+width]); x >= leastLeft && x <= mostLeft {
				starts[x]++
			}
		})
	}
	best := 0
	for x, n := range starts {
		if n > starts[best] {
			best = x
		}
	}
	if starts[best] < leastRows {
		return 0
	}
	var count [across + 1]int
	var left, right side
	parted := 0
	for _, ln := range page {
		if ln.Text != "" {
			l, r, h := ln.cutAt(best)
			count[h]++
			if h != across {
				left.add(l)
				right.add(r)
			}
			if h == both && strings.Contains(l, "   ") {
				parted++
			}
		}
	}
	// In a table, a column has a few words or columns of its own, or the lines around it stand across both.
	if n := count[both]; n < leastRows || count[across]*5 > n*3 || left.running*3 < left.lines ||
		right.running*5 < right.lines || parted*2 > n {
		return 0
	}
	return best
}

// side counts the lines of a column.
type side struct{ lines, running int }

func (s *side) add(text string) {
	if text == "" {
		return
	}
	s.lines++
	if len(text) >= leastLeft-gutter && strings.Count(text, " ") >= leastWords-1 && !strings.Contains(text, "   ") {
		s.running++ // it is as long as a line of running text
	}
}

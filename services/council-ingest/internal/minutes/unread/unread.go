// Package unread is a judge of the reading: it looks over a document for what is printed like a vote, by signs of its own, and says which
// of it the reading has passed by. A document that prints roll calls of which none was read must not look complete.
//
// It knows no dialect, so that it does not fail together with one. It reads no vote and names nobody: it counts. Package minutes asks it
// last, and reports what it finds.
package unread

import (
	"slices"

	"github.com/townline/townline/services/council-ingest/internal/minutes/layout"
)

// Print is one place where a vote seems to be printed.
type Print struct {
	Line, Page int // where it begins
	Lines      int // how many of its lines are signs of it
	read       bool
}

// Found is what is printed in a document like votes.
type Found struct {
	Read   int     // roll calls and results in which the reading has a vote
	Rolls  []Print // roll calls and results in which it has none
	Spoken []Print // sentences about the outcome of a motion, outside of all of these
}

// near is how many printed lines can lie between two signs of one vote: a long list of names, with the edges of two pages in it.
const near = 14

// Look finds what is printed like votes in the lines of a document, those too that were taken for headers and footers. read reports whether
// the reading has a vote, or has reported one, at the line with a number. Sentences about outcomes are looked for where sentences says so.
func Look(lines, dropped []layout.Line, sentences bool, read func(no int) bool) Found {
	if slices.ContainsFunc(dropped, func(ln layout.Line) bool { return signOf([]layout.Line{ln}, 0, false) != none }) {
		lines = slices.Concat(lines, dropped)
		slices.SortStableFunc(lines, func(a, b layout.Line) int { return a.No - b.No })
	}
	var f Found
	var rolls, spoken []Print
	var open struct {
		at                  int // the last sign; -1 when no roll is open
		rows, intro, result bool
	}
	open.at = -1
	for i, printed := 0, 0; i < len(lines); i++ {
		ln := lines[i]
		if ln.Text == "" {
			continue
		}
		printed++
		s := signOf(lines, i, sentences)
		switch s {
		case none:
			continue
		case outcome:
			spoken = append(spoken, Print{Line: ln.No, Page: ln.Page, Lines: 1, read: read(ln.No)})
			continue
		}
		// A roll has one row of ayes, and one RESULT above or below it; the second is that of the next roll.
		again := s == ayes && open.rows || s == result && open.result || s == intro && (open.intro || open.rows || open.result)
		if open.at < 0 || printed-open.at > near || again {
			rolls = append(rolls, Print{Line: ln.No, Page: ln.Page})
			open.rows, open.intro, open.result = false, false, false
		}
		open.at = printed
		open.rows = open.rows || s == ayes
		open.intro = open.intro || s == intro
		open.result = open.result || s == result
		p := &rolls[len(rolls)-1]
		p.Lines++
		p.read = p.read || read(ln.No)
	}
	for _, p := range rolls {
		if p.read {
			f.Read++
		} else {
			f.Rolls = append(f.Rolls, p)
		}
	}
	for _, p := range spoken {
		at, _ := slices.BinarySearchFunc(rolls, p.Line-near, func(r Print, line int) int { return r.Line - line })
		if beside := at < len(rolls) && rolls[at].Line <= p.Line+near; !p.read && !beside {
			f.Spoken = append(f.Spoken, p)
		}
	}
	return f
}

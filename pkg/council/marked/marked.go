// Package marked finds the lines of a text of minutes that print a vote: the result, who moved and
// seconded, and everybody in the roll.
//
// It does not read votes: package council-ingest has done that. It is given what was read and looks
// for where that stands. A place counts only if the result and every name stand in it; where that
// cannot be found, nothing is marked, because a wrong mark would be worse. It is pure.
package marked

import (
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
)

// A Vote is what was read of a vote, in the order of the document.
type Vote struct {
	ID     int64
	Page   int      // of the roll, from 1; 0 is not known
	Result string   // as printed
	Names  []string // of members: mover, seconder and the roll
	Shared bool     // the same lines may print other votes too, as those of a consent calendar do
}

// A Span is the lines of a vote on one page. Lines are from 1.
type Span struct {
	Vote        int64
	Page        int
	First, Last int
}

// A Block is lines of a page that belong together: those of votes, or those between.
type Block struct {
	Text  string // ends with a line end
	Spans []Span // that these lines print; votes of a consent calendar share theirs
}

// Cut cuts the lines of a page into blocks. Spans are in the order of the text; one that overlaps
// another without being the same is left out.
func Cut(lines []string, spans []Span) []Block {
	var blocks []Block
	at := 1
	text := func(first, last int) string { return strings.Join(lines[first-1:last], "\n") + "\n" }
	for i := 0; i < len(spans); i++ {
		s := spans[i]
		if s.First < at || s.Last < s.First || s.Last > len(lines) {
			continue
		}
		block := Block{Text: text(s.First, s.Last), Spans: []Span{s}}
		for i+1 < len(spans) && spans[i+1].First == s.First && spans[i+1].Last == s.Last {
			i++
			block.Spans = append(block.Spans, spans[i])
		}
		if s.First > at {
			blocks = append(blocks, Block{Text: text(at, s.First-1)})
		}
		blocks, at = append(blocks, block), s.Last+1
	}
	if at <= len(lines) {
		blocks = append(blocks, Block{Text: text(at, len(lines))})
	}
	return blocks
}

// maxBlock is the largest number of lines of a vote.
const maxBlock = 60

// Pages splits a text into the lines of its pages.
func Pages(text string) [][]string {
	pages := strings.Split(text, "\f")
	if n := len(pages); n > 1 && strings.TrimSpace(pages[n-1]) == "" {
		pages = pages[:n-1]
	}
	all := make([][]string, len(pages))
	for i, page := range pages {
		all[i] = strings.Split(strings.TrimRight(strings.ReplaceAll(page, "\r\n", "\n"), "\n"), "\n")
	}
	return all
}

// A line is one of all pages, folded as names are compared.
type line struct {
	page, at int
	folded   string
	plain    string // as printed, with single blanks
	result   bool   // some vote's result begins here, so that a block ends before it
}

// Find returns where votes stand, in the order of the votes; a vote that goes over the end of a
// page has a span on each.
func Find(pages [][]string, votes []Vote) []Span {
	var lines []line
	for p, page := range pages {
		for i, text := range page {
			lines = append(lines, line{page: p + 1, at: i + 1, folded: " " + council.FoldName(text) + " ", plain: spaced(text)})
		}
	}
	results := map[string]bool{}
	for _, v := range votes {
		if r := spaced(v.Result); r != nothing {
			results[r] = true
		}
	}
	for i := range lines {
		for r := range results {
			_, prints := printed(lines, i, r)
			lines[i].result = lines[i].result || prints
		}
	}
	var spans []Span
	shared := map[string][2]int{}
	next := 0 // the line after the vote before
	for _, v := range votes {
		key := v.key()
		var from, to int
		var found bool
		if block, known := shared[key]; known && v.Shared {
			from, to, found = block[0], block[1], true
		} else if from, to, found = find(lines, v, next); found {
			next = to + 1
			if v.Shared {
				shared[key] = [2]int{from, to}
			}
		}
		if found {
			spans = append(spans, cut(v, lines[from:to+1])...)
		}
	}
	return spans
}

// key names a vote by what is printed.
func (v *Vote) key() string {
	names := slices.Clone(v.Names)
	slices.Sort(names)
	return strings.Join(append(names, v.Result, string(rune(v.Page))), "\x00")
}

// cut makes a span of each page. Where a page ends within a vote, what is printed at its foot and
// at the head of the next is no part of it.
func cut(v Vote, lines []line) []Span {
	var spans []Span
	for i, l := range lines {
		if i > 0 && i < len(lines)-1 && !v.prints(l) && breaks(lines, i, v) {
			continue
		}
		if n := len(spans); n > 0 && spans[n-1].Page == l.page {
			spans[n-1].Last = l.at
			continue
		}
		spans = append(spans, Span{v.ID, l.page, l.at, l.at})
	}
	return spans
}

// prints reports whether a line has a name, or part of the result.
func (v *Vote) prints(l line) bool {
	if l.result {
		return true
	}
	return slices.ContainsFunc(v.Names, func(name string) bool {
		last := council.FoldName(council.LastName(name))
		return last != "" && strings.Contains(l.folded, " "+last+" ")
	})
}

// breaks reports whether between a line and the nearest one that prints something of the vote,
// above or below, a page ends.
func breaks(lines []line, i int, v Vote) bool {
	before, after := i, i
	for before > 0 && !v.prints(lines[before]) {
		before--
	}
	for after < len(lines)-1 && !v.prints(lines[after]) {
		after++
	}
	return lines[before].page != lines[after].page
}

// find looks for the first place at or after a line where the result stands with all names.
func find(lines []line, v Vote, next int) (from, to int, found bool) {
	result := spaced(v.Result)
	if result == nothing {
		return 0, 0, false
	}
	names := map[string]int{} // how often each is printed
	for _, name := range v.Names {
		if last := council.FoldName(council.LastName(name)); last != "" {
			names[last]++
		}
	}
	for i := next; i < len(lines); i++ {
		if v.Page > 0 && lines[i].page != v.Page {
			continue
		}
		end, prints := printed(lines, i, result)
		if !prints {
			continue
		}
		for _, most := range []int{len(v.Names), 1} { // who moved may stand in the roll alone
			if first, last, all := around(lines, i, end, names, most, next); all {
				return first, last, true
			}
		}
	}
	return 0, 0, false
}

// spaced is a text with single blanks, and one at each end.
func spaced(text string) string { return " " + strings.Join(strings.Fields(text), " ") + " " }

const nothing = "  "

// printed reports whether a result begins on a line, and on which line it ends. Its letters are
// those printed: WITHDRAWN is not the word of a sentence.
func printed(lines []line, i int, result string) (end int, found bool) {
	const most = 4 // lines of a result
	text := lines[i].plain
	if !strings.Contains(text, " "+strings.Fields(result)[0]+" ") {
		return 0, false
	}
	for end = i; end < len(lines) && end < i+most; end++ {
		if end > i {
			text += strings.TrimLeft(lines[end].plain, " ")
		}
		if strings.Contains(text, result) {
			return end, true
		}
	}
	return 0, false
}

// around finds the lines about a result that have all names, each at most so many times: those
// below it if they do, else some above it too.
func around(lines []line, start, end int, names map[string]int, most, floor int) (first, last int, all bool) {
	text, missing := " ", len(names)
	for j := start; j < len(lines) && (j <= end || missing > 0 && j <= start+maxBlock && !lines[j].result); j++ {
		text += strings.TrimLeft(lines[j].folded, " ")
		if now := lacking(text, names, most); j <= end || now < missing {
			missing, last = now, j
		}
	}
	first = start
	for j := start - 1; missing > 0 && j >= floor && j >= start-maxBlock && !lines[j].result; j-- {
		text = strings.TrimRight(lines[j].folded, " ") + text
		if now := lacking(text, names, most); now < missing {
			missing, first = now, j
		}
	}
	return first, last, missing == 0 && last-first <= maxBlock
}

// lacking is how many names a text does not have, each at most so many times.
func lacking(text string, names map[string]int, most int) int {
	missing := 0
	for name, times := range names {
		missing += max(0, min(times, most)-strings.Count(text, " "+name+" "))
	}
	return missing
}

// Package marked finds the lines of minutes that print a vote: the result, mover and seconder, and
// the roll.
//
// It does not parse votes. It searches the text for votes that council-ingest has parsed. It marks
// lines only if they contain the result and every name, because a wrong mark is worse than none.
package marked

import (
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
)

// A Span is the range of lines that print a vote on one page. Lines count from 1.
type Span struct {
	Vote        int64
	Page        int
	First, Last int
}

// A Block is a run of adjacent lines of a page: the lines of a vote, or lines between votes.
type Block struct {
	Text  string // ends with a line end
	Spans []Span // the votes that these lines print
}

// Cut divides the lines of a page into blocks. Spans must be in the order of the text. It ignores a
// span that partly overlaps an earlier one.
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

type line struct {
	page, at int
	folded   string // folded for the comparison of names
	plain    string // as printed, with single blanks
	result   bool   // a result begins here
}

// Find returns the spans of votes, which are in document order. A vote across a page break has a
// span on each page.
func Find(pages [][]string, votes []council.StoredVote) []Span {
	var lines []line
	for p, page := range pages {
		for i, text := range page {
			lines = append(lines, line{page: p + 1, at: i + 1, folded: " " + council.FoldName(text) + " ", plain: spaced(text)})
		}
	}
	results := map[string]bool{}
	for _, v := range votes {
		if r := spaced(v.ResultRaw); r != nothing {
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
	next := 0 // the line after the previous vote
	for i := range votes {
		v := vote{&votes[i].Vote, votes[i].Names()}
		key := v.key()
		var from, to int
		var found bool
		// The votes on the items of a consent calendar share the lines of their roll.
		if block, known := shared[key]; known && v.ViaConsent {
			from = block[0]
			to = block[1]
			found = true
		} else if from, to, found = find(lines, &v, next); found {
			next = to + 1
			if v.ViaConsent {
				shared[key] = [2]int{from, to}
			}
		}
		if found {
			spans = append(spans, cut(&v, votes[i].ID, lines[from:to+1])...)
		}
	}
	return spans
}

// A vote is a vote with the names in it.
type vote struct {
	*council.Vote
	names []string
}

func (v *vote) key() string {
	names := slices.Sorted(slices.Values(v.names))
	return strings.Join(append(names, v.ResultRaw, string(rune(council.OrZero(v.Page)))), "\x00")
}

// cut makes a span for each page. It omits the footer and header of a page break within the vote.
func cut(v *vote, id int64, lines []line) []Span {
	var spans []Span
	for i, l := range lines {
		if i > 0 && i < len(lines)-1 && !v.prints(l) && atPageBreak(lines, i, v) {
			continue
		}
		if n := len(spans); n > 0 && spans[n-1].Page == l.page {
			spans[n-1].Last = l.at
			continue
		}
		spans = append(spans, Span{id, l.page, l.at, l.at})
	}
	return spans
}

// prints reports whether a line has a name or a result.
func (v *vote) prints(l line) bool {
	if l.result {
		return true
	}
	return slices.ContainsFunc(v.names, func(name string) bool {
		last := council.FoldName(council.LastName(name))
		return last != "" && strings.Contains(l.folded, " "+last+" ")
	})
}

// atPageBreak reports whether the nearest lines above and below that print a part of the vote are
// on different pages.
func atPageBreak(lines []line, i int, v *vote) bool {
	before, after := i, i
	for before > 0 && !v.prints(lines[before]) {
		before--
	}
	for after < len(lines)-1 && !v.prints(lines[after]) {
		after++
	}
	return lines[before].page != lines[after].page
}

// find finds the first lines, starting at next, with the result and all names.
func find(lines []line, v *vote, next int) (from, to int, found bool) {
	result := spaced(v.ResultRaw)
	if result == nothing {
		return 0, 0, false
	}
	counts := map[string]int{} // number of names by last name
	for _, name := range v.names {
		if last := council.FoldName(council.LastName(name)); last != "" {
			counts[last]++
		}
	}
	page := council.OrZero(v.Page)
	for i := next; i < len(lines); i++ {
		if page > 0 && lines[i].page != page {
			continue
		}
		end, prints := printed(lines, i, result)
		if !prints {
			continue
		}
		for _, most := range []int{len(v.names), 1} { // the roll may be the only place that names the mover
			if first, last, all := around(lines, i, end, counts, most, next); all {
				return first, last, true
			}
		}
	}
	return 0, 0, false
}

// spaced separates words by single blanks and adds one at each end.
func spaced(text string) string { return " " + strings.Join(strings.Fields(text), " ") + " " }

const nothing = "  "

// printed reports whether a result begins on line i, and returns the line where it ends. It is
// case-sensitive: WITHDRAWN announces a result, "withdrawn" is part of a sentence.
func printed(lines []line, i int, result string) (end int, found bool) {
	const most = 4 // lines that a result may span
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

// around extends a range of lines, first down, then up to line top, until it has all names. counts
// limits how often each name counts.
func around(lines []line, start, end int, counts map[string]int, most, top int) (first, last int, all bool) {
	text, missing := " ", len(counts)
	for j := start; j < len(lines) && (j <= end || missing > 0 && j <= start+maxBlock && !lines[j].result); j++ {
		text += strings.TrimLeft(lines[j].folded, " ")
		if now := missingNames(text, counts, most); j <= end || now < missing {
			missing, last = now, j
		}
	}
	first = start
	for j := start - 1; missing > 0 && j >= top && j >= start-maxBlock && !lines[j].result; j-- {
		text = strings.TrimRight(lines[j].folded, " ") + text
		if now := missingNames(text, counts, most); now < missing {
			missing, first = now, j
		}
	}
	return first, last, missing == 0 && last-first <= maxBlock
}

// missingNames returns how many names a text lacks. counts limits how often each name counts.
func missingNames(text string, counts map[string]int, most int) int {
	missing := 0
	for name, times := range counts {
		missing += max(0, min(times, most)-strings.Count(text, " "+name+" "))
	}
	return missing
}

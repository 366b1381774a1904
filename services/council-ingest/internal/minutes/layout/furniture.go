package layout

import (
	"slices"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// dropFurniture takes out page headers and footers, and the blank lines around
// page breaks, so that a paragraph, a title or a roll that runs over a break
// is whole. The first line that is left of a page is marked newPage.
//
// A line is furniture when the deployment says so, when it is a page number,
// or when it stands, apart from its digits, at the same edge of many pages.
// Text without form feeds has its headers and footers somewhere in the middle;
// there only lines that repeat and show a web address or page number count.
func (r *reader) dropFurniture(lines []Line) (kept, dropped []Line) {
	var edge map[int]bool
	if len(lines) > 0 && lines[len(lines)-1].Page > 1 {
		edge = r.pageEdges(lines)
	}
	repeated := repeatedLines(lines)
	kept = make([]Line, 0, len(lines))
	broken := true // a page break lies before the next line
	cut := func() {
		broken = true
		for len(kept) > 0 && kept[len(kept)-1].Text == "" {
			kept = kept[:len(kept)-1]
		}
	}
	for i, ln := range lines {
		if ln.NewPage && i > 0 {
			cut()
		}
		if ln.Text == "" {
			if !broken {
				ln.NewPage = false
				kept = append(kept, ln)
			}
			continue
		}
		switch {
		case shape.IsPageNumber(ln.Text):
			ln.Why = "a page number"
		case r.isOwn(ln.Text):
			ln.Why = "page_furniture of council.yaml"
		case edge[i]:
			ln.Why = "stands at this edge of many pages"
		case repeated[shape.FoldDigits(ln.Text)]:
			ln.Why = "an address that is printed again and again"
		default:
			ln.NewPage = broken
			broken = false
			kept = append(kept, ln)
			continue
		}
		cut()
		dropped = append(dropped, ln)
	}
	return kept, dropped
}

// isOwn reports whether a line begins as council.yaml says furniture does.
func (r *reader) isOwn(text string) bool {
	return slices.ContainsFunc(r.furniture, func(f string) bool { return f != "" && strings.HasPrefix(text, f) })
}

// repeatedLines finds the furniture of a text without page breaks: lines that
// come at least three times and show an address of the web.
func repeatedLines(lines []Line) map[string]bool {
	count, out := map[string]int{}, map[string]bool{}
	for _, ln := range lines {
		if len(ln.Text) < 120 && shape.HasAddress(ln.Text) {
			key := shape.FoldDigits(ln.Text)
			count[key]++
			out[key] = count[key] >= 3
		}
	}
	return out
}

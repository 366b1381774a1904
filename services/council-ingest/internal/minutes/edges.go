package minutes

import "strings"

const edgeLines = 4 // how many lines a header or footer can have

// edge is one edge, upper or lower, of all pages of a document, while the
// lines of headers or footers are taken off it.
type edge struct {
	p        *Parser
	lines    []line
	starts   []int // the first line of each page, and the end of the last
	step     int   // 1 at the upper edge, -1 at the lower
	at       []int // the line to be judged next on each page, -1 where one stayed
	touching []bool
	drop     map[int]bool
}

// pageEdges finds, by index, the lines at the edges of pages that repeat on at
// least two fifths of the pages (two at the least).
func (p *Parser) pageEdges(lines []line) map[int]bool {
	var starts []int
	for i, ln := range lines {
		if i == 0 || ln.page != lines[i-1].page {
			starts = append(starts, i)
		}
	}
	pages := len(starts)
	starts = append(starts, len(lines))
	drop := map[int]bool{}
	for _, step := range []int{-1, 1} { // footers first: a roll can go on behind one
		e := edge{p: p, lines: lines, starts: starts, step: step, at: make([]int, pages), touching: make([]bool, pages), drop: drop}
		for n := range e.at {
			e.at[n] = starts[n]
			if step < 0 {
				e.at[n] = starts[n+1] - 1
			}
		}
		for depth := 0; depth < edgeLines && e.peel(depth); depth++ {
		}
	}
	return drop
}

// peel judges the outermost line that is left of each page and reports whether
// any was furniture.
func (e *edge) peel(depth int) bool {
	pages := len(e.at)
	need := max(2, (pages*2+4)/5)
	count := map[string]int{}
	free := map[string]bool{}   // stands somewhere where no roll goes on
	where := map[string][]int{} // lines
	for n := range e.at {
		for e.inPage(n) && e.lines[e.at[n]].text == "" {
			e.at[n] += e.step
			e.touching[n] = false // a blank line since the last dropped one
		}
		if !e.inPage(n) {
			continue
		}
		text := e.lines[e.at[n]].text
		key := foldDigits(text)
		count[key]++
		where[key] = append(where[key], e.at[n])
		// What stands on top of the document is no wrapped end of a roll.
		free[key] = free[key] || n == 0 && e.step > 0 && !e.isLabel(text) || !e.belongsToRoll(e.at[n])
	}
	titles := map[string]bool{} // alike but for their figures, and no furniture
	for key, at := range where {
		titles[key] = strings.Contains(key, "#") && count[key] >= need && !e.countsPages(key, at)
	}
	any := false
	for n := range e.at {
		if !e.inPage(n) {
			continue
		}
		text := e.lines[e.at[n]].text
		key := foldDigits(text)
		marked := strings.Contains(key, "#") || hasAddress(key)
		everywhere := pages > 3 && count[key]*5 >= pages*4 && !e.isLabel(text) && !namesFile(text)
		repeated := count[key] >= need && !titles[key] && (free[key] || everywhere) && (depth == 0 || e.touching[n] || marked) && (pages > 2 || e.step > 0 || marked)
		if !repeated && !allDigits(text) && !isPageNumber(text) && !e.p.ownFurniture(text) {
			e.at[n] = -1
			continue
		}
		// Where the head of minutes comes again further down, the first is theirs.
		e.drop[e.at[n]] = n > 0 || e.step < 0 || pages <= 3 || count[key]*5 >= pages*4 || !repeated
		e.at[n] += e.step
		e.touching[n] = true
		any = true
	}
	return any
}

// countsPages reports whether lines that are alike but for their figures are
// furniture: most of them come again word for word, they speak of pages, or
// their first or last figure counts the pages on. The titles of items can be
// alike too, one a page: "1. Special Event Permit 21".
func (e *edge) countsPages(key string, at []int) bool {
	distinct := map[string]bool{}
	for _, i := range at {
		distinct[fold(e.lines[i].text)] = true
	}
	text := e.lines[at[0]].text
	if len(distinct)*2 <= len(at) || speaksOfPages(key) {
		return true
	}
	if m, ok := readMarker(text); ok && m.text != "" || namesFile(text) {
		return false
	}
	first, last := true, true
	voted := 0
	a0, b0 := endFigures(text)
	page := e.lines[at[0]].page
	for _, i := range at {
		a, b := endFigures(e.lines[i].text)
		first = first && a >= 0 && a-e.lines[i].page == a0-page
		last = last && b >= 0 && b-e.lines[i].page == b0-page
		if e.opensVote(i) {
			voted++
		}
	}
	if first && a0 == page || last && b0 == page {
		return true
	}
	return (first || last) && voted*2 < len(at)
}

// opensVote reports whether a vote stands close below line i, as it does below
// the title of an item.
func (e *edge) opensVote(i int) bool {
	for j, left := i+1, 6; j < len(e.lines) && left > 0; j++ {
		text := e.lines[j].text
		if text == "" || isPageNumber(text) || allDigits(text) || e.drop[j] {
			continue
		}
		if kind, _, ok := e.p.dialect.label(text, true); ok && kind != rowUnknown {
			return true
		}
		left--
	}
	return false
}

// speaksOfPages reports whether a line, its figures folded, says that they are
// those of pages, or shows an address.
func speaksOfPages(key string) bool {
	if hasAddress(key) || strings.Contains(key, "# of #") || strings.Contains(key, "#/#") {
		return true
	}
	for w := range strings.FieldsSeq(key) {
		switch strings.ToLower(strings.Trim(w, "#.,:;()[]|-–—")) {
		case "page", "pages", "pg", "p", "leaf", "sheet", "folio":
			return true
		}
	}
	return false
}

// endFigures are the figures with which a line begins and ends, -1 for none.
func endFigures(text string) (first, last int) {
	n := leadingDigits(text, 6)
	m := len(text)
	for m > max(len(text)-6, 0) && text[m-1] >= '0' && text[m-1] <= '9' {
		m--
	}
	first, last = -1, -1
	if n > 0 {
		first = atoi(text[:n])
	}
	if m < len(text) {
		last = atoi(text[m:])
	}
	return first, last
}

func (e *edge) inPage(n int) bool { return e.at[n] >= e.starts[n] && e.at[n] < e.starts[n+1] }

func (e *edge) isLabel(text string) bool {
	_, _, ok := e.p.dialect.label(text, true)
	return ok
}

// belongsToRoll keeps rows of a vote, the wrapped end of one, and numbers of
// items from being taken for furniture: "ABSENT: None" can end many a page.
func (e *edge) belongsToRoll(i int) bool {
	text := e.lines[i].text
	if e.isLabel(text) || e.p.looksLikeResult(text) {
		return true
	}
	if namesFile(text) || isSentence(text) && !hasAddress(text) {
		return true // running text that happens to come again
	}
	if at, _ := findMark(text); at >= 0 || secondedIn(text) >= 0 {
		return true
	}
	if _, ok := readMarker(text); ok {
		return true // an item, or the number of one whose title stands on the next page
	}
	if !e.p.dialect.isPersonShaped(text) {
		return false
	}
	if strings.Contains(text, ",") {
		return true // names; a letterhead says where it is with a figure or a blank line
	}
	// It does if names or the label of a row stand before it.
	for above := 0; i > 0 && above < 3; {
		i--
		before := e.lines[i].text
		if before == "" || isPageNumber(before) || e.drop[i] {
			continue
		}
		above++
		if e.isLabel(before) || e.p.looksLikeResult(before) {
			return true
		}
		if !e.p.dialect.isPersonShaped(before) {
			return false
		}
		if strings.Contains(before, ",") {
			return true
		}
	}
	return false
}

// namesFile reports whether a line does nothing but name a file or a resolution,
// as those attached to minutes do at the top of many a page.
func namesFile(text string) bool {
	_, resolution := resolutionNumber(text)
	return resolution || isFileNumber(text)
}

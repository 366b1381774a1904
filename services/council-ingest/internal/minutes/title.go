package minutes

import (
	"strings"

	"github.com/townline/townline/pkg/council"
)

// heading is a marker's title with the file number that stands before or below
// it.
type heading struct {
	title string
	file  string
	end   int // the first line after it
}

// readHeading collects the title that begins at line i behind marker m. It
// ends before a blank line, a vote, a line of its own with a file number, a
// sponsor or the fate of the item, and where the text below the title begins:
// further left than the title in a hanging layout, with a sentence in text
// without columns.
func (s *scan) readHeading(i int, m marker, isItem bool) heading {
	h := heading{end: i + 1}
	var parts []string
	at := i
	if m.text == "" {
		// The number stands alone; its title is the next paragraph.
		at = s.nextText(i + 1)
		if at < 0 || at > i+4 || s.stopsTitle(at) || s.isLone(at) || !isItem && (s.lowerWords(s.lines[at].text) > 1 || !isTitleShaped(s.lines[at].text)) {
			return h
		}
		parts = append(parts, s.lines[at].text)
	} else {
		parts = append(parts, m.text)
	}
	first := s.lines[i]
	titleCol := first.indent + m.col
	hanging := m.text != "" && s.hanging(m)
	if isItem {
		h.file, parts[0] = cutFileNumber(parts[0], s.lastFile)
	}
	j := at + 1
	for ; j < len(s.lines) && j < at+40; j++ {
		ln := s.lines[j]
		if ln.text == "" || s.stopsTitle(j) {
			break
		}
		if mk, ok := s.markerAt(j); ok && (s.wouldOpen(j, mk) || !isItem && (mk.kind != markRoman || mk.also > 0)) {
			break
		}
		if s.isSubheading(j) || ln.newPage && s.top == markNone && isCapitals(ln.text) && !isCapitals(parts[0]) && s.isUnnumbered(j) {
			break
		}
		full := !s.fits(j-1, ln.text)
		if ln.newPage && isSentence(ln.text) && (!full || hanging && ln.indent < titleCol-6) {
			break // the blank line between them is lost at the page's edge
		}
		if isItem && (h.file == "" && isFileNumber(ln.text) && !(full && wantsNumber(parts[len(parts)-1])) || s.isSponsor(ln.text) || s.isItemStatus(ln.text) && (!full || isCapitals(ln.text) && !isCapitals(parts[0]))) {
			break
		}
		// In a hanging layout what stands left of the title is the text below
		// it, and a sentence that stands right of it too; the margins of a new
		// page can lie elsewhere.
		if off := ln.indent - titleCol; hanging && ln.page == first.page && (off < -2 || off > 2 || off > 1 && s.lowerWords(ln.text) > 1) {
			break
		}
		if s.beginsBody(ln.text, parts, hanging && isItem, full) {
			break
		}
		parts = append(parts, ln.text)
	}
	h.title = joinLines(parts)
	h.end = j
	return h
}

// fits reports whether the first word of the next line would have had room at
// the end of line i: then the line was not broken by the margin.
func (s *scan) fits(i int, next string) bool {
	word := next
	if k := strings.IndexByte(next, ' '); k > 0 {
		word = next[:k]
	}
	edge := s.lines[i].indent + len(s.lines[i].text) + 1 + len(word)
	return edge*100 <= s.width*94
}

// nextText is the first line from i on that is not blank, or -1.
func (s *scan) nextText(i int) int {
	for ; i < len(s.lines); i++ {
		if s.lines[i].text != "" {
			return i
		}
	}
	return -1
}

// isLone reports whether line i holds nothing but a marker.
func (s *scan) isLone(i int) bool {
	m, ok := s.markerAt(i)
	return ok && m.text == ""
}

// stopsTitle reports whether line i can belong to no title.
func (s *scan) stopsTitle(i int) bool {
	text := s.lines[i].text
	if s.isResultLabel(i) {
		return true
	}
	if _, ok := attendeeHeader(text); ok {
		return true
	}
	if kind, _, ok := s.p.dialect.label(text, false); ok && kind != rowNext {
		return true
	}
	return s.isMotionLabel(text) || s.motionIn(i) != nil
}

// isMotionLabel knows the labels of the discussion column: "Motion:",
// "Discussion:", "Vote on the Motion:".
func (s *scan) isMotionLabel(text string) bool {
	if len(text) > 60 || len(text) < 4 {
		return false
	}
	switch text[0] {
	case 'M', 'D', 'V', 'C', 'S', 'P':
	default:
		return false
	}
	l := strings.ToLower(text)
	for _, p := range []string{"motion:", "motion as", "motion to", "discussion:", "discussion on the", "vote on", "call the question", "call the", "second:", "substitute motion", "primary motion"} {
		if strings.HasPrefix(l, p) && (strings.HasSuffix(l, ":") || strings.HasPrefix(l, "motion:") || len(l) < 22) {
			return true
		}
	}
	return l == "motion" || l == "call the"
}

// beginsBody reports whether a line below a title begins the text of the item:
// by its first words, or because the title is set in capitals, has come to its
// end before the margin, and this is a sentence. In a column of titles only a
// plain sentence counts.
func (s *scan) beginsBody(text string, title []string, column, full bool) bool {
	if c := text[0]; c >= 'a' && c <= 'z' {
		return false // a sentence would begin with a capital
	}
	for _, p := range s.p.dialect.motionStop {
		if strings.HasPrefix(text, p) {
			return true
		}
	}
	if strings.HasPrefix(text, "It is ") && s.lowerWords(text) >= 3 {
		return true
	}
	if !column || !full {
		for _, p := range s.p.dialect.bodyStart {
			if strings.HasPrefix(text, p) {
				return true
			}
		}
	}
	lower := s.lowerWords(text)
	if lower < 2 || s.lowerWords(strings.Join(title, " ")) > 0 {
		return false
	}
	// A sentence below a title in capitals.
	switch {
	case lower >= 5 && lower*2 >= strings.Count(text, " "):
		return true
	case !column:
		return !full || strings.Contains(text, ". ") || lower >= 6
	}
	return !full && lower >= 4
}

// lowerWords counts the words that a heading would write with a capital.
func (s *scan) lowerWords(text string) int {
	n := 0
	for _, w := range strings.Fields(text) {
		w = strings.Trim(w, ".,:;()\"'“”‘’")
		if w != "" && w[0] >= 'a' && w[0] <= 'z' && !s.p.dialect.small[w] && len(w) > 1 {
			n++
		}
	}
	return n
}

// isFileNumber reports whether a whole line is a file number: "CMA 2026-34",
// "2025-117", "RES 26-04A".
func isFileNumber(text string) bool {
	if len(text) > 30 {
		return false
	}
	rest := text
	if inner, ok := strings.CutPrefix(text, "(ID # "); ok {
		inner, ok = strings.CutSuffix(inner, ")")
		return ok && allDigits(inner)
	}
	for _, p := range []string{"File #:", "File #", "File ID:", "File No.", "File Number:"} {
		if r, ok := strings.CutPrefix(rest, p); ok {
			rest = strings.TrimLeft(r, " ")
			break
		}
	}
	n := 0
	for n < len(rest) && upper(rest[n]) {
		n++
	}
	if n > 6 {
		return false
	}
	if n > 0 {
		if n < len(rest) && (rest[n] == ' ' || rest[n] == '-') {
			n++
		}
		rest = rest[n:]
	}
	return dashedNumber(rest) == len(rest) && len(rest) > 0
}

// wantsNumber reports whether a line breaks off where a number must follow:
// "… and Town Board Resolution".
func wantsNumber(text string) bool {
	switch strings.ToLower(strings.TrimRight(lastWord(text), ".")) {
	case "resolution", "resolutions", "ordinance", "law", "bill", "order", "contract", "file", "case", "no", "number", "and", "of", "through", "to", "#":
		return true
	}
	return false
}

// dashedNumber returns the length of "2025-117", "26-04A" or "25–9" at the
// beginning of s, 0 when there is none.
func dashedNumber(s string) int {
	n := leadingDigits(s, 4)
	if n < 2 || n >= len(s) {
		return 0
	}
	rest := strings.TrimPrefix(s[n:], "-")
	if rest == s[n:] {
		if rest = strings.TrimPrefix(s[n:], "–"); rest == s[n:] {
			return 0
		}
	}
	n = len(s) - len(rest)
	k := n + leadingDigits(s[n:], 5)
	if k == n {
		return 0
	}
	if k < len(s) && upper(s[k]) && (k+1 == len(s) || s[k+1] == ' ' || s[k+1] == ':') {
		k++
	}
	if k < len(s) && s[k] != ' ' && s[k] != ':' {
		return 0
	}
	return k
}

// cutFileNumber takes a file number off the front of a title: "2024-925
// Awards Re-Bid". A span of years ("2025-26 Budget") is no file number, unless
// the one before it was of the same series.
func cutFileNumber(text, before string) (file, rest string) {
	n := dashedNumber(text)
	if n == 0 {
		// CMA 2026-34: Title
		k := 0
		for k < len(text) && k < 6 && upper(text[k]) {
			k++
		}
		if k < 2 || k >= len(text) || text[k] != ' ' {
			return "", text
		}
		if n = dashedNumber(text[k+1:]); n == 0 {
			return "", text
		}
		n += k + 1
	} else if i := strings.IndexByte(text[:n], '-'); i == 4 {
		from, to := atoi(text[:4]), 0
		if allDigits(text[5:n]) {
			to = atoi(text[5:n])
		}
		series := strings.HasPrefix(before, text[:5])
		if !series && (n == 9 && to > from && to <= from+30 || n == 7 && to == from%100+1) {
			return "", text
		}
	}
	rest = strings.TrimLeft(text[n:], " :")
	rest = strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(rest, "- "), "– "), " ")
	if rest == "" {
		return "", text
	}
	return strings.TrimSpace(text[:n]), rest
}

// isItemStatus knows lines about what became of an item, which stand below its
// title and do not belong to it.
func (s *scan) isItemStatus(text string) bool {
	up := strings.ToUpper(text)
	for _, p := range s.p.dialect.itemStatus {
		if strings.HasPrefix(up, p) {
			return true
		}
	}
	return false
}

// isSponsor reports whether a line names members with their offices and
// nothing else: "COUNCILLOR ROE", "Mayor Doe, Councillor Roe".
func (s *scan) isSponsor(text string) bool {
	if len(text) > 160 {
		return false
	}
	for piece := range strings.SplitSeq(strings.TrimSuffix(text, ","), ",") {
		words := strings.Fields(piece)
		if len(words) < 2 || len(words) > 6 || !s.titleWordNearly(words[0]) {
			return false
		}
		name := s.p.dialect.stripTitle(strings.Join(words, " "))
		if len(words) == len(strings.Fields(name)) {
			name = strings.Join(words[1:], " ")
		}
		if !s.people.resolve(name).match.Found() {
			return false
		}
	}
	return true
}

// titleWordNearly also takes a misspelt office ("COUCILLOR").
func (s *scan) titleWordNearly(word string) bool {
	d := s.p.dialect
	if d.isTitleWord(word) {
		return true
	}
	if w := strings.ToLower(word); len(w) >= 7 {
		for _, title := range d.longTitles {
			if council.EditDistance(w, title) <= 2 {
				return true
			}
		}
	}
	return false
}

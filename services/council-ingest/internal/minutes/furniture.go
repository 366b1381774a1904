package minutes

import "strings"

// dropFurniture takes out page headers and footers, and the blank lines around
// page breaks, so that a paragraph, a title or a roll that runs over a break
// is whole. The first line that is left of a page is marked newPage.
//
// A line is furniture when the deployment says so, when it is a page number,
// or when it stands, apart from its digits, at the same edge of many pages.
// Text without form feeds has its headers and footers somewhere in the middle;
// there only lines that repeat and show a web address or page number count.
func (p *Parser) dropFurniture(lines []line) []line {
	var edge map[int]bool
	if len(lines) > 0 && lines[len(lines)-1].page > 1 {
		edge = p.pageEdges(lines)
	}
	repeated := p.repeatedLines(lines)
	out := make([]line, 0, len(lines))
	broken := true // a page break lies before the next line
	for i, ln := range lines {
		if ln.newPage && i > 0 {
			broken = true
			for len(out) > 0 && out[len(out)-1].text == "" {
				out = out[:len(out)-1]
			}
		}
		if ln.text != "" && (edge[i] || p.ownFurniture(ln.text) || isPageNumber(ln.text) || repeated[foldDigits(ln.text)]) {
			broken = true
			for len(out) > 0 && out[len(out)-1].text == "" {
				out = out[:len(out)-1]
			}
			continue
		}
		if ln.text == "" && broken {
			continue
		}
		ln.newPage = broken
		broken = false
		out = append(out, ln)
	}
	return out
}

func (p *Parser) ownFurniture(text string) bool {
	for _, f := range p.opt.Furniture {
		if f != "" && strings.HasPrefix(text, f) {
			return true
		}
	}
	return false
}

// isPageNumber knows the page numbers of the common producers: "Page 3",
// "Page 3 of 9", "Packet Pg. 21", also with the section and item that packets
// print in the margin beside it.
func isPageNumber(text string) bool {
	s, found := strings.CutPrefix(text, "Page ")
	if !found {
		if s, found = strings.CutPrefix(text, "Packet Pg. "); found {
			f := strings.Fields(s)
			return len(f) >= 1 && len(f) <= 2 && allDigits(f[0])
		}
		s, found = strings.CutPrefix(text, "- ")
		if s2, ok := strings.CutSuffix(s, " -"); found && ok {
			return allDigits(s2)
		}
		return false
	}
	f := strings.Fields(s)
	switch {
	case len(f) == 1:
		return allDigits(f[0])
	case len(f) == 3:
		return allDigits(f[0]) && f[1] == "of" && allDigits(f[2])
	}
	return false
}

// leadingDigits is with how many digits s begins, counted up to most.
func leadingDigits(s string, most int) int {
	n := 0
	for n < len(s) && n < most && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

func allDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// foldDigits makes lines equal that differ in a page number only.
func foldDigits(text string) string {
	hasDigit := false
	for i := 0; i < len(text); i++ {
		if text[i] >= '0' && text[i] <= '9' {
			hasDigit = true
			break
		}
	}
	if !hasDigit && !strings.Contains(text, "  ") {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	digits := false
	for _, r := range fold(text) {
		if r >= '0' && r <= '9' {
			if !digits {
				b.WriteByte('#')
			}
			digits = true
			continue
		}
		digits = false
		b.WriteRune(r)
	}
	return b.String()
}

// repeatedLines finds the furniture of a text without page breaks: lines that
// come at least three times and show an address of the web.
func (p *Parser) repeatedLines(lines []line) map[string]bool {
	var count map[string]int
	for _, ln := range lines {
		if len(ln.text) < 120 && hasAddress(ln.text) {
			if count == nil {
				count = map[string]int{}
			}
			count[foldDigits(ln.text)]++
		}
	}
	var out map[string]bool
	for k, n := range count {
		if n >= 3 {
			if out == nil {
				out = map[string]bool{}
			}
			out[k] = true
		}
	}
	return out
}

func hasAddress(text string) bool {
	return strings.Contains(text, "www.") || strings.Contains(text, "http://") || strings.Contains(text, "https://")
}

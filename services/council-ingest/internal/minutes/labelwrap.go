package minutes

import "strings"

// mendLabels puts labels of several words together that a narrow column has set
// on two or three lines: "SECONDED" above "BY:", each perhaps with a line of the
// value beside it.
func (p *Parser) mendLabels(lines []line) []line {
	out := lines[:0]
	for i := 0; i < len(lines); {
		label, values, n := p.wrappedLabel(lines[i:])
		if n == 0 {
			out = append(out, lines[i])
			i++
			continue
		}
		first := lines[i]
		first.text = label
		if len(values) == 0 || values[0].text == "" {
			out = append(out, first)
		} else {
			first.text += strings.Repeat(" ", max(2, values[0].indent-first.indent-len(label))) + values[0].text
			out = append(out, first)
		}
		for _, v := range values[1:] {
			if v.text != "" {
				out = append(out, v)
			}
		}
		i += n
	}
	return out
}

// wrappedLabel reads a label that begins on the first of the lines and ends,
// with its colon, on the second or third; n is how many it takes, 0 when none.
// values are the cells beside its words.
func (p *Parser) wrappedLabel(lines []line) (label string, values []line, n int) {
	first := ""
	if len(lines) < 2 || lines[0].text == "" || !upper(lines[0].text[0]) || strings.IndexByte(lines[1].text, ':') < 0 && (len(lines) < 3 || strings.IndexByte(lines[2].text, ':') < 0) {
		return "", nil, 0
	}
	for n < min(3, len(lines)) {
		ln := lines[n]
		word, rest := cutCell(ln.text)
		last := strings.HasSuffix(word, ":")
		if n == 0 && !last && len(word) > 12 {
			// Set to the right, a long column of labels leaves one blank before the value.
			word, rest = p.labelWord(ln.text, lines[1].text)
		}
		if word = strings.TrimRight(strings.TrimSuffix(word, ":"), " "); word == "" || len(word) > 12 || n > 0 && !sameColumn(lines[0].indent, first, ln.indent, word) {
			return "", nil, 0
		}
		if n == 0 {
			first = word
		}
		label = strings.TrimLeft(label+" "+word, " ")
		values = append(values, line{text: rest, indent: ln.indent + len(ln.text) - len(rest), page: ln.page})
		if n++; !last {
			continue
		}
		if n < 2 || p.dialect.labels[strings.ToUpper(label)] <= rowMotion && !strings.EqualFold(label, "vote result") {
			return "", nil, 0
		}
		return label + ":", values, n
	}
	return "", nil, 0
}

// sameColumn reports whether two words stand under each other: at the left or
// right edge of their column, or in its middle. Letters of a proportional font
// put the edges a little apart.
func sameColumn(at int, word string, below int, under string) bool {
	left, right := below-at, below+len(under)-at-len(word)
	return left >= -1 && left <= 1 || right >= -5 && right <= 5 || left+right >= -2 && left+right <= 2
}

// labelWord cuts the first word of a label off its value where the line below
// is nothing but the label's end.
func (p *Parser) labelWord(text, below string) (word, rest string) {
	word, rest, _ = strings.Cut(text, " ")
	end, colon := strings.CutSuffix(below, ":")
	if end = strings.TrimRight(end, " "); !colon || rest == "" || !upper(strings.TrimLeft(rest, " ")[0]) || isCapitals(word) != isCapitals(end) {
		return text, "" // "Vote on the Motion" above "RESULT:" is a sentence
	}
	rest = strings.TrimLeft(rest, " ")
	kind, known := p.dialect.labels[strings.ToUpper(word+" "+end)]
	next, _, _ := strings.Cut(rest, " ")
	if !known || kind == rowResult && (!isCapitals(rest) && !p.looksLikeResult(rest) || p.dialect.small[strings.ToLower(next)]) {
		return text, "" // "VOTE ON THE MOTION" too
	}
	return word, rest
}

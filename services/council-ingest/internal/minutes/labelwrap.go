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
	if len(lines) < 2 || lines[0].text == "" || !upper(lines[0].text[0]) || strings.IndexByte(lines[1].text, ':') < 0 && (len(lines) < 3 || strings.IndexByte(lines[2].text, ':') < 0) {
		return "", nil, 0
	}
	for n < min(3, len(lines)) {
		ln := lines[n]
		word, rest := cutCell(ln.text)
		last := strings.HasSuffix(word, ":")
		if word = strings.TrimRight(strings.TrimSuffix(word, ":"), " "); word == "" || len(word) > 12 || ln.indent < lines[0].indent-1 || ln.indent > lines[0].indent+1 {
			return "", nil, 0
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

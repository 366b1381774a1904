package layout

import (
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// mendLabels puts labels of several words together that a narrow column has set on two or three lines: "SECONDED" above "BY:", each perhaps
// with a line of the value beside it.
func (r *reader) mendLabels(lines []Line) []Line {
	out := lines[:0]
	for i := 0; i < len(lines); {
		label, values, n := r.wrappedLabel(lines[i:])
		if n == 0 {
			label, values, n = r.brokenLabel(lines[i:])
		}
		if n == 0 {
			out = append(out, lines[i])
			i++
			continue
		}
		first := lines[i]
		first.Text = label
		if len(values) == 0 || values[0].Text == "" {
			out = append(out, first)
		} else {
			first.Text += strings.Repeat(" ", max(2, values[0].Indent-first.Indent-len(label))) + values[0].Text
			out = append(out, first)
		}
		for _, v := range values[1:] {
			if v.Text != "" {
				out = append(out, v)
			}
		}
		i += n
	}
	return out
}

// brokenLabel reads a label that a narrow column broke: its last letters stand on the next line ("SECONDE" above "R:"), or its colon does,
// perhaps behind a count ("ABSENT" above "(1):").
func (r *reader) brokenLabel(lines []Line) (label string, values []Line, n int) {
	if len(lines) < 2 || lines[0].Text == "" || strings.IndexByte(lines[1].Text, ':') < 0 {
		return "", nil, 0
	}
	head, value := shape.CutCell(lines[0].Text)
	tail, rest := shape.CutCell(lines[1].Text)
	tail, ends := strings.CutSuffix(tail, ":")
	row, known := r.RowOf(head)
	if whole, _ := r.RowOf(head + tail); ends && !known && whole > dialect.Unknown && len(head) >= 3 && shape.IsCapitals(head) && shape.IsCapitals(tail) {
		return head + tail + ":", []Line{{Text: shape.JoinNames([]string{value, rest}), Indent: lines[0].Indent, Page: lines[0].Page}}, 2
	}
	if !known { // one blank before the value
		head, value, _ = strings.Cut(lines[0].Text, " ")
		row, _ = r.RowOf(head)
	}
	below := lines[1].Text
	_, count := shape.CountIn(below)
	after, colon := strings.CutPrefix(below[count:], ":")
	if row == dialect.Unknown || !shape.IsCapitals(head) || !colon || count > 0 && after != "" || after != "" && after[0] != ' ' {
		return "", nil, 0
	}
	value = strings.TrimLeft(value, " ")
	at := lines[0].Indent + len(lines[0].Text) - len(value)
	return head + below[:count] + ":", []Line{{Text: value, Indent: at}, {Text: strings.TrimLeft(after, " "), Indent: at, Page: lines[1].Page, No: lines[1].No}}, 2
}

// wrappedLabel reads a label that begins on the first of the lines and ends, with its colon, on the second or third; n is how many it
// takes, 0 when none. values are the cells beside its words.
func (r *reader) wrappedLabel(lines []Line) (label string, values []Line, n int) {
	first := ""
	if len(lines) < 2 || lines[0].Text == "" || !shape.IsUpper(lines[0].Text[0]) || strings.IndexByte(lines[1].Text, ':') < 0 && (len(lines) < 3 || strings.IndexByte(lines[2].Text, ':') < 0) {
		return "", nil, 0
	}
	for n < min(3, len(lines)) {
		ln := lines[n]
		word, rest := shape.CutCell(ln.Text)
		last := strings.HasSuffix(word, ":")
		if n == 0 && !last && len(word) > 12 {
			// Set to the right, a long column of labels leaves one blank before the value.
			word, rest = r.labelWord(ln.Text, lines[1].Text)
		}
		word = strings.TrimRight(strings.TrimSuffix(word, ":"), " ")
		if word == "" || len(word) > 12 || n > 0 && !sameColumn(lines[0].Indent, first, ln.Indent, word) {
			return "", nil, 0
		}
		if n == 0 {
			first = word
		}
		label = strings.TrimLeft(label+" "+word, " ")
		values = append(values, Line{Text: rest, Indent: ln.Indent + len(ln.Text) - len(rest), Page: ln.Page})
		if n++; !last {
			continue
		}
		if row, _ := r.RowOf(label); n < 2 || row <= dialect.Motion && !strings.EqualFold(label, "vote result") {
			return "", nil, 0
		}
		return label + ":", values, n
	}
	return "", nil, 0
}

// sameColumn reports whether two words stand under each other: at the left or right edge of their column, or in its middle. Letters of a
// proportional font put the edges a little apart.
func sameColumn(at int, word string, below int, under string) bool {
	left, right := below-at, below+len(under)-at-len(word)
	return left >= -1 && left <= 1 || right >= -5 && right <= 5 || left+right >= -2 && left+right <= 2
}

// labelWord cuts the first word of a label off its value where the line below is nothing but the label's end.
func (r *reader) labelWord(text, below string) (word, rest string) {
	word, rest, _ = strings.Cut(text, " ")
	end, colon := strings.CutSuffix(below, ":")
	end = strings.TrimRight(end, " ")
	if !colon || rest == "" || !shape.IsUpper(strings.TrimLeft(rest, " ")[0]) || shape.IsCapitals(word) != shape.IsCapitals(end) {
		return text, "" // "Vote on the Motion" above "RESULT:" is a sentence
	}
	rest = strings.TrimLeft(rest, " ")
	kind, known := r.RowOf(word + " " + end)
	next, _, _ := strings.Cut(rest, " ")
	if !known || kind == dialect.Result && (!shape.IsCapitals(rest) && !r.LooksLikeResult(rest) || r.IsSmall(next)) {
		return text, "" // "VOTE ON THE MOTION" too
	}
	return word, rest
}

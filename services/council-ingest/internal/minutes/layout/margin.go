package layout

import "github.com/townline/townline/services/council-ingest/internal/minutes/shape"

// cutMargin takes the left margin off all lines: the columns that at least 19
// lines in 20 leave blank, but none in which numbered headings stand: those are
// few beside the lines of many items.
func cutMargin(lines []Line) {
	const widest = 60
	var count [widest + 1]int
	total := 0
	for _, ln := range lines {
		if ln.Text != "" {
			count[min(ln.Indent, widest)]++
			total++
		}
	}
	margin, left := 0, 0
	for ; margin < widest; margin++ {
		if left += count[margin]; left*20 > total {
			break
		}
	}
	margin = min(margin, headingIndent(lines, margin))
	if margin == 0 {
		return
	}
	for i := range lines {
		lines[i].Indent = max(lines[i].Indent-margin, 0)
	}
}

// headingIndent is where numbered headings stand left of the margin: at least
// three that follow each other; the margin where there are none.
func headingIndent(lines []Line, margin int) int {
	last, length, indent := map[shape.Kind]int{}, map[shape.Kind]int{}, map[shape.Kind]int{}
	for _, ln := range lines {
		if ln.Text == "" || ln.Indent >= margin {
			continue
		}
		m, ok := shape.ReadMarker(ln.Text)
		if !ok || m.Kind >= shape.Dotted || m.Text == "" || !shape.IsTitle(m.Text) {
			continue
		}
		if m.Value != last[m.Kind]+1 || length[m.Kind] == 0 && m.Value != 1 {
			continue
		}
		if length[m.Kind] == 0 {
			indent[m.Kind] = ln.Indent
		}
		last[m.Kind], indent[m.Kind] = m.Value, min(indent[m.Kind], ln.Indent)
		if length[m.Kind]++; length[m.Kind] >= 3 {
			return indent[m.Kind]
		}
	}
	return margin
}

package minutes

import (
	"slices"

	"github.com/townline/townline/services/council-ingest/internal/minutes/walk"
)

// Line is how a printed line was read, and why.
type Line struct {
	Line int    `json:"line"`           // 1-based, of the text
	Page int    `json:"page,omitempty"` // 1-based
	Kind string `json:"kind"`           // furniture, attendance, heading, item, file, motion, label, value, prose, attachment
	Row  string `json:"row,omitempty"`  // of a label or value: result, mover, aye …
	Why  string `json:"why"`
	Text string `json:"text"`
}

// Explain says how each line of a text that is not blank was read, and why: what an operator needs to see which words of a town no dialect
// has.
func (p *Parser) Explain(text string) []Line {
	sheet, w := p.read(text)
	var lines []Line
	for _, ln := range sheet.Dropped {
		lines = append(lines, Line{Line: ln.No, Page: ln.Page, Kind: "furniture", Why: ln.Why, Text: ln.Text})
	}
	for i, r := range w.Rows {
		t := w.Types[i]
		if r.Text != "" && t.Kind == "" {
			t = walk.Typed{Kind: "prose", Why: "behind what was read"}
		}
		if r.Text != "" {
			lines = append(lines, Line{Line: r.No, Page: r.Page, Kind: t.Kind, Row: t.Row, Why: t.Why, Text: r.Text})
		}
	}
	slices.SortStableFunc(lines, func(a, b Line) int { return a.Line - b.Line })
	return lines
}

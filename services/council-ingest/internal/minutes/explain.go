package minutes

import (
	"cmp"
	"slices"

	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/layout"
	"github.com/townline/townline/services/council-ingest/internal/minutes/vote"
)

// Line is how a printed line was read, and why.
type Line struct {
	Line int    `json:"line"`           // 1-based, of the text
	Page int    `json:"page,omitempty"` // 1-based
	Kind string `json:"kind"`           // furniture, attendance, heading, item, file, motion, label, value, marks, prose, attachment
	Row  string `json:"row,omitempty"`  // of a label or value: result, mover, aye …
	Why  string `json:"why"`
	Text string `json:"text"`
}

// typed is what the walk read a row as.
type typed struct{ kind, row, why string }

// Explain says how each line of a text that is not blank was read, and why: what an operator needs to see which words of a town no dialect
// has.
func (p *Parser) Explain(text string) []Line {
	sheet := layout.Read(text, p.dialect, p.opt.Furniture, p.opt.Paged)
	s := p.walkOver(sheet)
	var lines []Line
	for _, ln := range sheet.Dropped {
		lines = append(lines, Line{Line: ln.No, Page: ln.Page, Kind: "furniture", Why: ln.Why, Text: ln.Text})
	}
	for i, r := range s.Rows {
		t := s.types[i]
		if r.Text != "" && t.kind == "" {
			t = typed{kind: "prose", why: "behind what was read"}
		}
		if r.Text != "" {
			lines = append(lines, Line{Line: r.No, Page: r.Page, Kind: t.kind, Row: t.row, Why: t.why, Text: r.Text})
		}
	}
	slices.SortStableFunc(lines, func(a, b Line) int { return a.Line - b.Line })
	return lines
}

// typed keeps what the rows up to line to were read as, and returns it.
func (s *walk) typed(from, to int, kind, why string) int {
	for i := from; i < to; i++ {
		s.types[i] = typed{kind: kind, why: why}
	}
	return to
}

// typedTable keeps what the lines of a table were read as.
func (s *walk) typedTable(b *vote.Block) {
	s.typed(b.Line, b.End, "prose", "within a table, and no row of it")
	for _, c := range b.Cells {
		t := &s.types[c.Line]
		switch {
		case c.Why != "" && c.IsLabel:
			*t = typed{"label", c.Row.String(), c.Why}
		case c.Why != "":
			*t = typed{"value", c.Row.String(), c.Why}
		case !c.IsLabel && t.kind == "label" && t.row == c.Row.String(): // the value beside it
		case !c.IsLabel:
			*t = typed{"value", c.Row.String(), "below the label, and it can be its value"}
		case c.Row == dialect.Unknown:
			*t = typed{"label", c.Row.String(), "a label that no dialect has; its value is not used"}
		default:
			*t = typed{"label", c.Row.String(), "a label of " + cmp.Or(s.From(c.Text), "the table, broken in two")}
		}
	}
}

// whyHeading says why a heading begins at line i.
func (s *walk) whyHeading(i int) string {
	switch m, ok := s.MarkerAt(i); {
	case ok:
		return "the next " + m.Kind.String() + " of the outline"
	case s.IsHeading(s.Rows[i].Text):
		return "a heading that stands without a number"
	}
	return "stands alone where a heading can, and has no number"
}

// whyProse says why line i is neither heading nor table.
func (s *walk) whyProse(i int) string {
	if row, _, ok := s.Label(i); ok && row != dialect.Unknown {
		return "the label " + row.String() + " outside of a table"
	} else if ok {
		return "a label that no dialect has, outside of a table"
	}
	if m, ok := s.MarkerAt(i); ok {
		return "begins with a " + m.Kind.String() + ", where no heading or item can begin"
	}
	return "text"
}

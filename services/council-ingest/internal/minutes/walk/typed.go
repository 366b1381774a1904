package walk

import (
	"cmp"

	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/vote"
)

// typed keeps what the rows up to line to were read as, and returns it.
func (s *Walk) typed(from, to int, kind, why string) int {
	for i := from; i < to; i++ {
		s.Types[i] = Typed{Kind: kind, Why: why}
	}
	return to
}

// typedTable keeps what the lines of a table were read as.
func (s *Walk) typedTable(b *vote.Block) {
	s.typed(b.Line, b.End, "prose", "within a table, and no row of it")
	for _, c := range b.Cells {
		t := &s.Types[c.Line]
		switch {
		case c.Why != "" && c.IsLabel:
			*t = Typed{"label", c.Row.String(), c.Why}
		case c.Why != "":
			*t = Typed{"value", c.Row.String(), c.Why}
		case !c.IsLabel && t.Kind == "label" && t.Row == c.Row.String(): // the value beside it
		case !c.IsLabel:
			*t = Typed{"value", c.Row.String(), "below the label, and it can be its value"}
		case c.Row == dialect.Unknown:
			*t = Typed{"label", c.Row.String(), "a label that no dialect has; its value is not used"}
		default:
			*t = Typed{"label", c.Row.String(), "a label of " + cmp.Or(s.From(c.Text), "the table, broken in two")}
		}
	}
}

// whyHeading says why a heading begins at line i.
func (s *Walk) whyHeading(i int) string {
	m, ok := s.MarkerAt(i)
	switch {
	case ok:
		return "the next " + m.Kind.String() + " of the outline"
	case s.IsHeading(s.Rows[i].Text):
		return "a heading that stands without a number"
	}
	return "stands alone where a heading can, and has no number"
}

// whyProse says why line i is neither heading nor table.
func (s *Walk) whyProse(i int) string {
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

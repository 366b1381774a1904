package vote

import (
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

type lineVerdict int

const (
	endTable lineVerdict = iota
	takeLine             // a value
	passLine             // prose inside the table
)

// judge decides about line j without label, of which text is left.
func (t *table) judge(j int, text string) lineVerdict {
	before := t.before()
	if t.open {
		switch m, marked := t.MarkerAt(j); {
		case marked && m.Text != "" && !t.LooksLikeResult(text): // a heading is no result
			if !t.queued {
				return endTable
			}
			return passLine
		case t.LooksLikeResult(text) || shape.IsCapitals(text) && len(text) < 70 && !strings.Contains(text, ","):
			return takeLine
		case !t.queued && t.attached && t.lastRow == dialect.Result && !shape.IsSentence(text):
			return takeLine
		case t.queued || !t.attached:
			return passLine
		}
	}
	known, unknown := t.People.Known(text)
	allKnown := known > 0 && unknown == 0
	shaped := t.IsPersonShaped(text) || shape.IsNobody(strings.TrimSuffix(text, ","))
	if t.lastRow.IsList() && t.attached && before != "" && (shaped || shape.EndsInHyphen(before)) && t.People.Whole(before, text) {
		return takeLine
	}
	if t.lastRow.IsList() && t.attached && before != "" && known >= 2 && unknown <= 1 && strings.ContainsAny(text, ",;") {
		return takeLine // it broke within a name
	}
	if t.lastRow == dialect.Motion && t.attached && t.LabelFollows(j) {
		return takeLine
	}
	if t.lastRow.IsList() && t.pending == 0 && t.attached && before != "" && shaped && t.inColumn(j) && !t.hangsHere(j) {
		return takeLine // a name that nobody knows can go on in its column
	}
	if t.broken && before != "" && t.lastRow >= dialect.Mover && t.People.Whole(before, text) {
		return takeLine
	}
	if m, heading := t.MarkerAt(j); heading && (!allKnown || t.Hanging(m)) {
		return endTable
	}
	if (shape.IsOpenList(before) || before != "" && t.lastRow.IsList() && shape.CutAnd(text) != text) && (shaped || allKnown) && (t.attached || t.pending > 0) {
		return takeLine
	}
	if !t.attached && t.pending == 0 && shaped && t.opensTallList(j) && t.inColumn(j) && t.labelNext(j) {
		return takeLine // the first line of a list that is taller than its label
	}
	switch {
	case t.pending > 0 && (shaped || allKnown), t.queued && t.attached && (allKnown || shaped && known > 0 || shape.IsNobody(text)):
		return takeLine
	case t.pending > 0 && t.IsTitle(text) && t.attached && strings.HasSuffix(before, ","):
		return takeLine
	case t.pending >= 2:
		return passLine
	case t.pending > 0 || !t.attached:
		return endTable
	}
	switch {
	case t.lastRow == dialect.Result:
		if continuesResult(text, before) || t.inColumn(j) && !strings.Contains(before, "]") && !shape.IsSentence(text) && !t.Heading(j) {
			return takeLine
		}
	case t.lastRow == dialect.Mover || t.lastRow == dialect.Seconder:
		if strings.HasSuffix(before, ",") || strings.HasSuffix(before, "&") || t.IsTitle(text) && len(text) < 40 ||
			shaped && t.inColumn(j) || len(text) <= 3 && t.IsTitleWord(shape.LastWord(before)) || t.People.Whole(before, text) {
			return takeLine
		}
	case allKnown && (t.Rows[j].Indent > t.Rows[t.first].Indent || strings.HasSuffix(before, "-")):
		return takeLine
	}
	if t.ResultLast && shaped && t.lastRow.IsList() && t.attached && j+1 < len(t.Rows) && t.Rows[j+1].Result {
		return takeLine // between a list and RESULT
	}
	if (shaped || allKnown) && t.labelNext(j) || allKnown && known >= 2 && t.lastRow.IsList() {
		return takeLine // the value stands above its label, or the list goes on
	}
	return endTable
}

// hangsHere reports whether line j begins with a number or letter that hangs
// beside a title, as the initial of a name does not.
func (s *Reader) hangsHere(j int) bool {
	m, ok := shape.ReadMarker(s.Rows[j].Text)
	return ok && (m.Text == "" || s.Hanging(m) || len(m.Label) != 2 || !shape.IsUpper(m.Label[0]))
}

// continuesResult reports whether a line carries on the text after RESULT:.
func continuesResult(text, before string) bool {
	upper := strings.ToUpper(before)
	open := strings.Count(before, "[") > strings.Count(before, "]")
	switch {
	case open:
		return true
	case strings.HasSuffix(upper, " WITH") || strings.HasSuffix(upper, " AND") || strings.HasSuffix(upper, " TO THE") || strings.HasSuffix(upper, " OF") ||
		strings.HasSuffix(upper, ","):
		return true
	}
	if !strings.Contains(before, "[") && !shape.ReadTally(before).Counted {
		if strings.HasSuffix(text, "]") && len(text) < 90 {
			return true
		}
		// A line filled to its end, and more of it below.
		return len(before) > 60 && !shape.IsSentence(text) && len(text) < 60
	}
	return strings.HasPrefix(strings.ToUpper(text), "WITH ") && len(text) < 40
}

// labelNext reports whether a row of the same table follows line j, with only
// names between: the label of a tall cell can stand beside its middle.
func (s *Reader) labelNext(j int) bool {
	for n := 0; n < 8; n++ {
		if j++; j >= len(s.Rows) || s.Rows[j].Text == "" {
			break
		}
		if kind, _, ok := s.Label(j); ok {
			return kind > dialect.Next
		}
		if !s.IsPersonShaped(s.Rows[j].Text) {
			return false
		}
	}
	if next := s.Next(j); next >= 0 {
		kind, _, ok := s.Label(next)
		return ok && kind > dialect.Next
	}
	return false
}

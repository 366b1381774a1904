package vote

import (
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lex"
)

// table is the table of a vote while it is read: its cells, and how far reading has come.
type table struct {
	*Reader
	first     int // the RESULT line
	last      int // the last line that belongs to the table
	cells     []Cell
	lastRow   dialect.Label // the row to which the last value belongs, by reading order
	pending   int           // labels that still wait for a value
	queued    bool          // several labels stand before their values
	open      bool          // the RESULT row has no value yet
	attached  bool          // no blank line since the last cell
	prose     int           // lines of prose passed over
	inProse   bool          // within a paragraph of prose
	unread    string        // a line of members beside the table that was not taken into it
	displaced int           // the line of a heading's number inside the table, 0 for none
}

const (
	MaxLines      = 60 // a table that goes on longer is not one
	maxProseLines = 14 // lines of a sentence that column order puts inside a table
)

// collect gathers the cells of the table that begins at line i and finds where it ends: at a
// heading, at prose, or at the next table. Column-order text can put all labels first, and a
// sentence between them and their values.
func (s *Reader) collect(i int) *table {
	t := &table{Reader: s, first: i, last: i, attached: true}
	for j := i; j < len(s.Rows) && j-i < MaxLines; {
		next := t.read(j)
		if next == j {
			break
		}
		j = next
	}
	return t
}

// read takes line j into the table, or passes over it, and returns the line to read next; it
// returns j where the table has ended.
func (t *table) read(j int) int {
	text := t.Rows[j].Text
	if text == "" {
		t.attached, t.inProse = false, false
		return j + 1
	}
	if j > t.first && t.attached && !strings.Contains(text, ":") && (t.breaksOff() || strings.Contains(t.before(), "[") &&
		continuesResult(text, t.before())) {
		t.value(text, j, false)
		return j + 1
	}
	if kind, value, ok := t.Label(j); ok && !(kind == dialect.Unknown && dialect.IsMotionLabel(text)) {
		if j > t.first && (kind == dialect.Result || kind == dialect.Unknown && !t.attached && t.pending == 0) {
			return j
		}
		t.labels(kind, value, j)
		return j + 1
	}
	if t.open && t.queued && t.displaced == 0 && t.IsLone(j) {
		if next := t.Next(j + 1); next > 0 && t.LooksLikeResult(t.Rows[next].Text) {
			t.displaced = j
			return j + 1
		}
	}
	verdict := passLine
	if !t.inProse {
		verdict = t.judge(j, text)
	}
	if known, unknown := t.People.Known(text); verdict != takeLine && !t.inProse && known > 0 && unknown == 0 &&
		(t.attached || verdict == passLine) {
		t.unread = text
	}
	switch {
	case verdict == takeLine:
		t.value(text, j, false)
		t.open = false
		t.pending = max(t.pending-1, 0)
		return j + 1
	case verdict == passLine && t.prose < maxProseLines:
		t.prose++
		t.inProse = true
		return j + 1
	}
	return j
}

// labels takes a line that begins with a label; a further label can stand on the same line.
func (t *table) labels(kind dialect.Label, value string, j int) {
	d, ln := t.Dialect, t.Rows[j]
	for {
		first, more := d.CutAtLabel(value)
		first = strings.TrimLeft(strings.TrimPrefix(first, ":"), " ")
		t.label(kind, ln.Text, first, j)
		if more == "" {
			return
		}
		kind, value, _ = d.Label(more, true)
	}
}

// label takes one label and the value beside it.
func (t *table) label(kind dialect.Label, text, value string, j int) {
	t.cells = append(t.cells, Cell{IsLabel: true, Row: kind, Text: text, Line: j})
	t.lastRow, t.attached, t.last = kind, true, j
	if kind == dialect.Result {
		t.open = value == ""
	}
	if value != "" {
		t.value(value, j, true)
		return
	}
	t.pending++
	t.queued = t.queued || t.pending > 1
}

// value takes one line of values.
func (t *table) value(text string, j int, inline bool) {
	t.cells = append(t.cells, Cell{Row: t.lastRow, Text: text, Line: j, inline: inline})
	t.attached, t.last = true, j
}

// before is the value right before the line, empty behind a bare label.
func (t *table) before() string {
	if n := len(t.cells); n > 0 && !t.cells[n-1].IsLabel {
		return t.cells[n-1].Text
	}
	return ""
}

// breaksOff reports whether the text after RESULT: ends before a word that is also a label: "[12 TO
// 0] WITH 1", with "ABSTENTION" below it.
func (t *table) breaksOff() bool {
	f := strings.Fields(strings.ToUpper(t.before()))
	return len(f) >= 2 && (f[len(f)-2] == "WITH" || f[len(f)-2] == "AND") && lex.AllDigits(f[len(f)-1])
}

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
		m, marked := t.MarkerAt(j)
		switch {
		case marked && m.Text != "" && !t.LooksLikeResult(text): // a heading is no result
			return endTable
		case t.LooksLikeResult(text), !t.queued && t.attached && !lex.IsSentence(text):
			return takeLine
		case t.queued || !t.attached:
			return passLine
		}
	}
	known, unknown := t.People.Known(text)
	allKnown := known > 0 && unknown == 0
	shaped := t.IsPersonShaped(text) || lex.IsNobody(strings.TrimSuffix(text, ","))
	if t.lastRow.IsList() && t.attached && before != "" && (shaped || lex.EndsInHyphen(before)) &&
		t.People.Whole(before, text) {
		return takeLine
	}
	if m, heading := t.MarkerAt(j); heading && (!allKnown || t.Hanging(m)) {
		return endTable
	}
	if (lex.IsOpenList(before) || before != "" && t.lastRow.IsList() && lex.CutAnd(text) != text) &&
		(shaped || allKnown) && (t.attached || t.pending > 0) {
		return takeLine
	}
	switch {
	case t.pending > 0 && (shaped || allKnown), t.queued && t.attached &&
		(allKnown || shaped && known > 0 || lex.IsNobody(text)):
		return takeLine
	case t.pending >= 2:
		return passLine
	case t.pending > 0 || !t.attached:
		return endTable
	}
	isPerson := t.lastRow == dialect.Mover || t.lastRow == dialect.Seconder
	if t.lastRow == dialect.Result && continuesResult(text, before) ||
		isPerson && (strings.HasSuffix(before, ",") || t.IsTitle(text) && len(text) < 40 || len(text) <= 3 &&
			t.IsOfficeWord(lex.LastWord(before)) || t.People.Whole(before, text)) {
		return takeLine
	}
	return endTable
}

// continuesResult reports whether a line carries on the text after RESULT:.
func continuesResult(text, before string) bool {
	if strings.Count(before, "[") > strings.Count(before, "]") ||
		lex.HasAnySuffix(strings.ToUpper(before), " WITH", " AND", " TO THE", " OF", ",") {
		return true
	}
	if !strings.Contains(before, "[") {
		// The bracket stands below, or a line filled to its end goes on.
		return strings.HasSuffix(text, "]") || len(before) > 60 && !lex.IsSentence(text) && len(text) < 60
	}
	return strings.HasPrefix(strings.ToUpper(text), "WITH ")
}

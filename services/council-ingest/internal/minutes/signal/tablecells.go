package signal

import (
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// collector reads the cells of one table.
type collector struct {
	tableReader
	first     int // line of RESULT
	last      int
	cells     []cell
	lastRow   lexicon.Sense
	pending   int    // number of labels without a value
	queued    bool   // several labels come before their values
	open      bool   // RESULT has no value yet
	attached  bool   // no blank line followed the last cell
	prose     int    // number of skipped lines of prose
	inProse   bool   // the last line was prose, and its paragraph continues
	unread    string // line with members that is not read yet
	displaced int    // line of a heading's number; 0 if there is none
}

const (
	maxTableLines = 60 // largest number of lines of a table
	maxProseLines = 14 // inside a table, if the text is in column order
)

// collect reads the cells of the table at line i. The table ends at a heading, at prose or at the
// next table. In a text in column order all labels may come first, and prose may stand between them
// and their values.
func (s tableReader) collect(i int) *collector {
	t := &collector{tableReader: s, first: i, last: i, attached: true}
	for j := i; j < len(s.Rows) && j-i < maxTableLines; {
		next := t.read(j)
		if next == j {
			break
		}
		j = next
	}
	return t
}

// read adds line j to the table or skips it, and returns the next line. It returns j if the table
// has ended.
func (t *collector) read(j int) int {
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
	if kind, value, ok := t.Label(j); ok && !(kind == lexicon.Unknown && lexicon.IsMotionLabel(text)) {
		if j > t.first && (kind == lexicon.Result || kind == lexicon.Unknown && !t.attached && t.pending == 0) {
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
	kind := proseLine
	if !t.inProse {
		kind = t.classify(j, text)
	}
	if known, unknown := t.People.Known(text); kind != valueLine && !t.inProse && known > 0 && unknown == 0 &&
		(t.attached || kind == proseLine) {
		t.unread = text
	}
	switch {
	case kind == valueLine:
		t.value(text, j, false)
		t.open = false
		t.pending = max(t.pending-1, 0)
		return j + 1
	case kind == proseLine && t.prose < maxProseLines:
		t.prose++
		t.inProse = true
		return j + 1
	}
	return j
}

func (t *collector) labels(kind lexicon.Sense, value string, j int) {
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

func (t *collector) label(kind lexicon.Sense, text, value string, j int) {
	t.cells = append(t.cells, cell{IsLabel: true, Row: kind, Text: text, Line: j})
	t.lastRow = kind
	t.attached = true
	t.last = j
	if kind == lexicon.Result {
		t.open = value == ""
	}
	if value != "" {
		t.value(value, j, true)
		return
	}
	t.pending++
	t.queued = t.queued || t.pending > 1
}

func (t *collector) value(text string, j int, inline bool) {
	t.cells = append(t.cells, cell{Row: t.lastRow, Text: text, Line: j, inline: inline})
	t.attached, t.last = true, j
}

func (t *collector) before() string {
	if n := len(t.cells); n > 0 && !t.cells[n-1].IsLabel {
		return t.cells[n-1].Text
	}
	return ""
}

// breaksOff reports whether a result is cut off before a word that is also a label: "[12 TO 0] WITH
// 1" above "ABSTENTION".
func (t *collector) breaksOff() bool {
	f := strings.Fields(strings.ToUpper(t.before()))
	return len(f) >= 2 && (f[len(f)-2] == "WITH" || f[len(f)-2] == "AND") && lexicon.AllDigits(f[len(f)-1])
}

type lineKind int

const (
	afterTable lineKind = iota
	valueLine
	proseLine // prose inside the table
)

func (t *collector) classify(j int, text string) lineKind {
	before := t.before()
	if t.open {
		m, marked := t.MarkerAt(j)
		switch {
		case marked && m.Text != "" && !t.LooksLikeResult(text): // it is a heading, not a result
			return afterTable
		case t.LooksLikeResult(text), !t.queued && t.attached && !lexicon.IsSentence(text):
			return valueLine
		case t.queued || !t.attached:
			return proseLine
		}
	}
	known, unknown := t.People.Known(text)
	allKnown := known > 0 && unknown == 0
	shaped := t.People.IsFragment(text) || t.People.IsNobody(text)
	if t.lastRow.IsList() && t.attached && before != "" && (shaped || lexicon.EndsInHyphen(before)) &&
		t.People.Whole(before, text) {
		return valueLine
	}
	if m, heading := t.MarkerAt(j); heading && (!allKnown || t.Hanging(m)) {
		return afterTable
	}
	if (person.IsOpen(before) || before != "" && t.lastRow.IsList() && lexicon.HasAnyPrefix(text, "and ", "AND ", "& ")) &&
		(shaped || allKnown) && (t.attached || t.pending > 0) {
		return valueLine
	}
	switch {
	case t.pending > 0 && (shaped || allKnown), t.queued && t.attached &&
		(allKnown || shaped && known > 0 || t.People.IsNobody(text)):
		return valueLine
	case t.pending >= 2:
		return proseLine
	case t.pending > 0 || !t.attached:
		return afterTable
	}
	isPerson := t.lastRow == lexicon.Mover || t.lastRow == lexicon.Seconder
	if t.lastRow == lexicon.Result && continuesResult(text, before) ||
		isPerson && (strings.HasSuffix(before, ",") || t.People.IsOffice(text) && len(text) < 40 || len(text) <= 3 &&
			t.People.IsOfficeWord(lexicon.LastWord(before)) || t.People.Whole(before, text)) {
		return valueLine
	}
	return afterTable
}

func continuesResult(text, before string) bool {
	if strings.Count(before, "[") > strings.Count(before, "]") ||
		lexicon.HasAnySuffix(strings.ToUpper(before), " WITH", " AND", " TO THE", " OF", ",") {
		return true
	}
	if !strings.Contains(before, "[") {
		// The bracket follows on the next line, or a full line continues there.
		return strings.HasSuffix(text, "]") || len(before) > 60 && !lexicon.IsSentence(text) && len(text) < 60
	}
	return strings.HasPrefix(strings.ToUpper(text), "WITH ")
}

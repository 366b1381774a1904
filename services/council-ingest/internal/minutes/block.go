package minutes

import (
	"strings"

	"github.com/townline/townline/pkg/council"
)

// block is one table of a vote as printed: RESULT, MOVER, SECONDER, AYES …
type block struct {
	line, end int // the RESULT line, and the first line after the table
	page      int
	result    string // the text after RESULT:
	tally     tally
	mover     string // resolved; empty when not printed
	seconder  string
	movers    []string // everybody on the MOVER row when there are several
	hasList   map[rowKind]bool
	positions Positions
	problems  []problem

	motion     *motion // the motion it is the vote on
	viaConsent bool
	displaced  int   // the line of a heading's number that column order put into the table, 0 for none
	names      *item // of an attachment: the item whose file number it shows
}

// problem is an anomaly in the making.
type problem struct {
	code    council.AnomalyCode
	message string
}

func (b *block) note(code council.AnomalyCode, message string) {
	b.problems = append(b.problems, problem{code, message})
}

// cell is a piece of the table in reading order: a label, or a line of values.
type cell struct {
	isLabel bool
	kind    rowKind // of a label
	text    string  // the label as printed, or the value
	line    int
	inline  bool // a value on the same line as the label before it
}

// isResultLabel reports whether a vote begins at line i.
func (s *scan) isResultLabel(i int) bool {
	text := s.lines[i].text
	if len(text) < 6 || (text[0] != 'R' && text[0] != 'r') {
		return false
	}
	kind, value, ok := s.p.dialect.label(text, false)
	if !ok {
		// RESULT without its colon, or with the colon on the next line.
		switch {
		case strings.HasPrefix(text, "RESULT ") && s.colonBelow(i):
			return true
		case text == "RESULT" || strings.HasPrefix(text, "RESULT  "):
			return s.colonBelow(i) || s.labelFollows(i)
		}
		return false
	}
	if kind != rowResult {
		return false
	}
	if strings.HasPrefix(text, "RESULT") {
		return true
	}
	// "Result:" can be a word of a sentence; a table goes on with a label, or
	// says what a table says.
	return s.labelFollows(i) || s.p.looksLikeResult(value)
}

// colonBelow reports whether line i+1 begins with a colon that a narrow column
// broke off the label of line i.
func (s *scan) colonBelow(i int) bool {
	if i+1 >= len(s.lines) {
		return false
	}
	text := s.lines[i+1].text
	return text == ":" || strings.HasPrefix(text, ": ")
}

// labelAt reads the label of line j within a table.
func (s *scan) labelAt(j int) (kind rowKind, value string, ok bool) {
	text := s.lines[j].text
	if kind, value, ok = s.p.dialect.label(text, true); ok || !s.colonBelow(j) {
		return kind, value, ok
	}
	if word, rest, found := strings.Cut(text, " "); found {
		if kind = s.p.dialect.labels[word]; kind != rowUnknown {
			return kind, strings.TrimLeft(rest, " "), true
		}
	}
	return 0, "", false
}

// labelFollows reports whether one of the next lines that are not blank begins
// with a label of a vote.
func (s *scan) labelFollows(i int) bool {
	for j, left := i+1, 3; j < len(s.lines) && left > 0; j++ {
		if s.lines[j].text == "" {
			continue
		}
		if kind, _, ok := s.p.dialect.label(s.lines[j].text, true); ok && kind > rowNext {
			return true
		}
		left--
	}
	return false
}

// readBlock reads the table that begins at line i.
func (s *scan) readBlock(i int) *block {
	cells, end, displaced := s.collect(i)
	b := &block{line: i, end: end, displaced: displaced, page: s.lines[i].page, hasList: map[rowKind]bool{}}
	rows, clear := s.align(cells)
	if !clear {
		b.note(council.CodeLayoutUnclear, "the rows of the vote could not be told apart with certainty")
	}
	s.fillBlock(b, rows)
	return b
}

const (
	maxBlockLines = 60 // a table that goes on longer is not one
	maxProseLines = 14 // lines of a sentence that column order puts inside a table
)

// collect gathers the cells of the table that begins at line i and finds where
// it ends: at a heading, at prose, or at the next table. Column-order text can
// put all labels first and a sentence between them and their values.
func (s *scan) collect(i int) (cells []cell, end, displaced int) {
	d := s.p.dialect
	pending := 0          // labels that still wait for a value
	queued := false       // several labels stand before their values
	inProse := false      // within a paragraph of prose
	valueCol := 0         // the column in which values stand
	resultOpen := false   // the RESULT row has no value yet
	last := i             // the last line that belongs to the table
	prose := 0            // lines of prose passed over
	attached := true      // no blank line since the last cell
	lastRow := rowUnknown // the row to which the last value belongs, by reading order
	for j := i; j < len(s.lines) && j-i < maxBlockLines; j++ {
		text := s.lines[j].text
		if text == "" {
			attached, inProse = false, false
			continue
		}
		if joined, value, ok := s.brokenLabel(j); ok && j > i {
			kind := d.labels[joined]
			cells = append(cells, cell{isLabel: true, kind: kind, text: joined, line: j})
			if value != "" {
				cells = append(cells, cell{text: value, line: j, inline: true})
			} else {
				pending++
			}
			lastRow, attached, last = kind, true, j+1
			j++
			continue
		}
		if lastRow == rowResult && attached && j > i && s.goesOnInWords(cells, text) {
			cells = append(cells, cell{text: text, line: j})
			last = j
			continue
		}
		if kind, value, ok := s.labelAt(j); ok && !(kind == rowResult && j > i) && !(kind == rowUnknown && s.isMotionLabel(text)) {
			if kind == rowUnknown && (!attached && pending == 0 || len(cells) == 0) {
				break
			}
			for {
				cells = append(cells, cell{isLabel: true, kind: kind, text: text, line: j})
				var more string
				value, more = d.cutAtLabel(value)
				if kind == rowResult {
					resultOpen = value == ""
				}
				if value == "" || value == ":" {
					pending++
					queued = queued || pending > 1
				} else {
					cells = append(cells, cell{text: strings.TrimPrefix(value, ": "), line: j, inline: true})
					if more == "" && !s.flat {
						valueCol = s.lines[j].indent + len(text) - len(value)
					}
				}
				lastRow, attached, last = kind, true, j
				if more == "" {
					break
				}
				kind, value, _ = d.label(more, true)
			}
			continue
		} else if ok && kind == rowResult {
			break
		}
		if attached && j > i && text[0] == ':' && (text == ":" || strings.HasPrefix(text, ": ")) {
			// The colon of a label that a narrow column broke off.
			last = j
			if text = strings.TrimLeft(text[1:], " "); text == "" {
				continue
			}
			if lastRow == rowResult && pending == 0 {
				cells = append(cells, cell{text: text, line: j})
				continue
			}
		}
		if resultOpen && queued && displaced == 0 && s.isLone(j) {
			if next := s.nextText(j + 1); next > 0 && s.p.looksLikeResult(s.lines[next].text) {
				displaced = j
				continue
			}
		}
		verdict := passLine
		if !inProse {
			verdict = s.valueLine(j, text, tableState{cells, pending, queued, valueCol, resultOpen, attached, lastRow})
		}
		if verdict == takeLine {
			cells = append(cells, cell{text: text, line: j})
			if valueCol == 0 && !s.flat {
				valueCol = s.lines[j].indent
			}
			if resultOpen {
				resultOpen = false
			}
			if pending > 0 {
				pending--
			}
			attached, last = true, j
			continue
		}
		if verdict == passLine && prose < maxProseLines {
			prose++
			inProse = true
			continue
		}
		break
	}
	return cells, last + 1, displaced
}

type lineVerdict int

const (
	endTable lineVerdict = iota
	takeLine             // a value
	passLine             // prose inside the table
)

// tableState is how far collect has come when it meets a line without label.
type tableState struct {
	cells      []cell
	pending    int
	queued     bool
	valueCol   int // the column in which values stand, 0 when it is not known
	resultOpen bool
	attached   bool
	lastRow    rowKind
}

// before is the value right before the line, empty behind a bare label.
func (t tableState) before() string {
	if n := len(t.cells); n > 0 && !t.cells[n-1].isLabel {
		return t.cells[n-1].text
	}
	return ""
}

// valueLine judges line j, of which text is left, inside a table.
func (s *scan) valueLine(j int, text string, t tableState) lineVerdict {
	d := s.p.dialect
	before := t.before()
	if t.resultOpen {
		switch {
		case s.p.looksLikeResult(text) || isCapitals(text) && len(text) < 70 && !strings.Contains(text, ","):
			return takeLine
		case !t.queued && t.attached && t.lastRow == rowResult && !isSentence(text):
			return takeLine
		case t.queued || !t.attached:
			return passLine
		}
	}
	known, unknown := s.people.knownNames(text)
	allKnown := known > 0 && unknown == 0
	shaped := d.isPersonShaped(text) || isNobody(strings.TrimSuffix(text, ","))
	if t.lastRow.isList() && t.attached && before != "" && shaped && s.wholeAcrossBreak(before, text) {
		return takeLine
	}
	if m, heading := s.markerAt(j); heading && (!allKnown || s.hanging(m)) {
		return endTable
	}
	if strings.HasSuffix(before, ",") && (shaped || allKnown) && (t.attached || t.pending > 0) {
		return takeLine
	}
	switch {
	case t.pending > 0 && (shaped || allKnown), t.queued && t.attached && allKnown:
		return takeLine
	case t.pending > 0 && d.isTitle(text) && t.attached && strings.HasSuffix(before, ","):
		return takeLine
	case t.pending >= 2:
		return passLine
	case t.pending > 0 || !t.attached:
		return endTable
	}
	switch {
	case t.lastRow == rowResult:
		if s.continuesResult(text, before) || s.inColumn(j, t) && !strings.Contains(before, "]") && !isSentence(text) && !s.isSubheading(j) {
			return takeLine
		}
	case t.lastRow == rowMover || t.lastRow == rowSeconder:
		if strings.HasSuffix(before, ",") || strings.HasSuffix(before, "&") || d.isTitle(text) && len(text) < 40 {
			return takeLine
		}
	case allKnown && (s.lines[j].indent > s.lines[t.cells[0].line].indent || strings.HasSuffix(before, "-")):
		return takeLine
	}
	if (shaped || allKnown) && s.labelNext(j) {
		return takeLine // the value stands above its label
	}
	if allKnown && known >= 2 && t.lastRow.isList() {
		return takeLine
	}
	return endTable
}

// inColumn reports whether line j begins in the column of the values, well to
// the right of the labels.
func (s *scan) inColumn(j int, t tableState) bool {
	off := s.lines[j].indent - t.valueCol
	return t.valueCol > s.lines[t.cells[0].line].indent+6 && off >= -3 && off <= 4
}

// isCapitals reports whether text is of capitals only, as result words are.
func isCapitals(text string) bool {
	letters := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c >= 'a' && c <= 'z':
			return false
		case c >= 'A' && c <= 'Z':
			letters = true
		}
	}
	return letters
}

// wholeAcrossBreak reports whether the end of one line and the beginning of the
// next make one member's name: "…, Joann" and "Waski".
func (s *scan) wholeAcrossBreak(before, text string) bool {
	if i := strings.LastIndexAny(before, ",;"); i >= 0 {
		before = before[i+1:]
	}
	if i := strings.IndexAny(text, ",;"); i >= 0 {
		text = text[:i]
	}
	joined := joinNames([]string{strings.TrimSpace(before), text})
	r := s.people.resolve(s.p.dialect.stripTitle(joined))
	if !r.match.Found() {
		return false
	}
	// "Kern" and "Joann Waski" are two people, not one.
	alone := s.people.resolve(s.p.dialect.stripTitle(strings.TrimSpace(before)))
	return !alone.match.Found() || alone.name == r.name
}

// continuesResult reports whether a line carries on the text after RESULT:.
func (s *scan) continuesResult(text, before string) bool {
	upper := strings.ToUpper(before)
	open := strings.Count(before, "[") > strings.Count(before, "]")
	switch {
	case open:
		return true
	case strings.HasSuffix(upper, " WITH") || strings.HasSuffix(upper, " AND") || strings.HasSuffix(upper, " TO THE") || strings.HasSuffix(upper, " OF") ||
		strings.HasSuffix(upper, ","):
		return true
	}
	if !strings.Contains(before, "[") && !readTally(before).counted {
		if strings.HasSuffix(text, "]") && len(text) < 90 {
			return true
		}
		// A line filled to its end, and more of it below.
		return len(before) > 60 && !isSentence(text) && len(text) < 60
	}
	return strings.HasPrefix(strings.ToUpper(text), "WITH ") && len(text) < 40
}

// goesOnInWords reports whether the text after RESULT: breaks off before a word
// that is also a label: "[12 TO 0] WITH 1" above "ABSTENTION".
func (s *scan) goesOnInWords(cells []cell, text string) bool {
	if strings.Contains(text, ":") || len(cells) == 0 || cells[len(cells)-1].isLabel {
		return false
	}
	f := strings.Fields(strings.ToUpper(cells[len(cells)-1].text))
	return len(f) >= 2 && (f[len(f)-2] == "WITH" || f[len(f)-2] == "AND") && allDigits(f[len(f)-1])
}

// labelNext reports whether a row of the same table follows line j, with only
// names between: the label of a tall cell can stand beside its middle.
func (s *scan) labelNext(j int) bool {
	for n := 0; n < 8; n++ {
		if j++; j >= len(s.lines) || s.lines[j].text == "" {
			break
		}
		if kind, _, ok := s.p.dialect.label(s.lines[j].text, true); ok {
			return kind > rowNext
		}
		if !s.p.dialect.isPersonShaped(s.lines[j].text) {
			return false
		}
	}
	if next := s.nextText(j); next >= 0 {
		kind, _, ok := s.p.dialect.label(s.lines[next].text, true)
		return ok && kind > rowNext
	}
	return false
}

// brokenLabel reads a label that a narrow column broke in two: "SECONDE" above
// "R:", each perhaps with a value beside it.
func (s *scan) brokenLabel(j int) (label, value string, ok bool) {
	if j+1 >= len(s.lines) {
		return "", "", false
	}
	head, value := cutCell(s.lines[j].text)
	if len(head) < 3 || len(head) > 12 || head != strings.ToUpper(head) || s.p.dialect.labels[head] != rowUnknown {
		return "", "", false
	}
	tail, rest := cutCell(s.lines[j+1].text)
	tail, colon := strings.CutSuffix(tail, ":")
	if !colon || len(tail) == 0 || len(tail) > 10 {
		return "", "", false
	}
	if _, known := s.p.dialect.labels[head+tail]; !known {
		return "", "", false
	}
	return head + tail, joinNames([]string{value, rest}), true
}

// cutCell parts a line at its first wide gap.
func cutCell(text string) (cell, rest string) {
	if i := strings.Index(text, "  "); i >= 0 {
		return text[:i], strings.TrimLeft(text[i:], " ")
	}
	return text, ""
}

// cutAtLabel parts a value from a further label on the same line: "TABLED
// [UNANIMOUS]   Next: 2/19/2025".
func (d *dialect) cutAtLabel(value string) (before, rest string) {
	for from := 0; ; {
		i := strings.IndexByte(value[from:], ':')
		if i < 0 {
			return value, ""
		}
		colon := from + i
		from = colon + 1
		// One or two words before the colon can be a label.
		start := colon
		for words := 0; words < 2; words++ {
			j := strings.LastIndexByte(strings.TrimRight(value[:start], " "), ' ')
			if j < 0 {
				break
			}
			start = j + 1
			wide := j > 0 && value[j-1] == ' '
			kind, _, ok := d.label(value[start:], wide)
			if ok && kind != rowUnknown || strings.HasPrefix(value[start:], "Next:") {
				return strings.TrimSpace(value[:start]), value[start:]
			}
		}
	}
}

// isSentence reports whether text is running prose: it has words in lower case
// that a title, a name or a result would not have.
func isSentence(text string) bool {
	lower := 0
	for _, w := range strings.Fields(text) {
		if c := w[0]; c >= 'a' && c <= 'z' && len(w) > 3 {
			lower++
		}
	}
	return lower >= 3
}

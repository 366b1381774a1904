package minutes

import (
	"fmt"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// block is one table of a vote as printed: RESULT, MOVER, SECONDER, AYES …
type block struct {
	line, end int // the RESULT line, and the first line after the table
	Page      int
	result    string // the text after RESULT:
	tally     shape.Tally
	moved     string // the text of a row MOTION
	mover     string // resolved; empty when not printed
	seconder  string
	movers    []string // everybody on the MOVER row when there are several
	positions Positions
	counts    map[dialect.Row]int // how many names a row says that it has
	rolled    bool                // a row for names is printed, with or without names
	problems  []problem
	withheld  string // why the roll cannot be true, empty when it may

	motion     *motion // the motion it is the vote on
	viaConsent bool
	prose      proseTally
	hasProse   bool
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
	Kind    dialect.Row // of a label
	Text    string      // the label as printed, or the value
	line    int
	inline  bool // a value on the same line as the label before it
}

// isResultLabel reports whether a vote begins at line i.
func (s *scan) isResultLabel(i int) bool {
	text := s.lines[i].Text
	if len(text) < 6 {
		return false
	}
	switch text[0] {
	case 'R', 'r', 'V', 'v', 'O', 'o', 'D', 'd':
	default:
		return false
	}
	kind, value, ok := s.p.dialect.Label(text, false)
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
	if kind != dialect.Result {
		return false
	}
	if strings.HasPrefix(text, "RESULT") && text[len("RESULT")] != 'S' || strings.HasPrefix(text, "VOTE RESULT") {
		return true
	}
	// "Result:" can be a word of a sentence; a table goes on with a label, or
	// says what a table says.
	return s.labelFollows(i) || s.p.dialect.LooksLikeResult(value) || s.mixed && value != "" && shape.IsUpper(value[0]) && !shape.IsSentence(value)
}

// isResultLast reports whether the document's tables end with RESULT instead of
// beginning with it.
func (s *scan) isResultLast() bool {
	last, first := 0, 0
	row := func(j int) bool {
		kind, _, ok := s.labelAt(j)
		return ok && kind > dialect.Next
	}
	for i := range s.lines {
		if s.isResultLabel(i) {
			next := s.nextText(i + 1)
			above, below := s.rowAbove(i, row), next >= 0 && row(next)
			switch {
			case below && !above:
				first++
			case above && !below && !s.isBareLabel(i):
				last++
			}
		}
	}
	return last > 0 && first == 0
}

// isBareLabel reports whether nothing stands beside the label of line i: its
// value comes further down, and what stands above it is another table's.
func (s *scan) isBareLabel(i int) bool {
	_, value, _ := s.labelAt(i)
	return value == ""
}

// rowAbove reports whether a row of a table stands above line i, with nothing
// between but the rest of a list.
func (s *scan) rowAbove(i int, row func(int) bool) bool {
	for j, left := i-1, 4; j >= 0 && left > 0; j-- {
		text := s.lines[j].Text
		switch {
		case text == "":
			continue
		case row(j):
			return true
		case text != ":" && !s.p.dialect.IsPersonShaped(text):
			return false
		}
		left--
	}
	return false
}

// opensResultLast reports whether a table that ends with RESULT begins at line
// i: rows follow up to its RESULT, and no heading between.
func (s *scan) opensResultLast(i int) bool {
	if kind, _, ok := s.p.dialect.Label(s.lines[i].Text, true); !ok || kind < dialect.Motion {
		return false
	}
	for j := i + 1; j < len(s.lines) && j < i+maxTableLines; j++ {
		if s.isResultLabel(j) {
			return true
		}
		if m, ok := s.markerAt(j); ok && s.wouldOpen(j, m) {
			return false
		}
	}
	return false
}

// mixedLabels reports whether the document prints its labels in mixed case, or
// has another word for them: several tables begin with "Result:" or "RESULTS:",
// and none with "RESULT:".
func (s *scan) mixedLabels() bool {
	tables := 0
	for i := range s.lines {
		text := s.lines[i].Text
		switch {
		case strings.HasPrefix(text, "RESULT") && !strings.HasPrefix(text, "RESULTS"):
			return false
		case s.isResultLabel(i):
			tables++
		}
	}
	return tables >= 2
}

// colonBelow reports whether line i+1 begins with a colon that a narrow column
// broke off the label of line i.
func (s *scan) colonBelow(i int) bool {
	if i+1 >= len(s.lines) {
		return false
	}
	text := s.lines[i+1].Text
	if _, n := shape.CountIn(text); n > 0 && text[n:] == ":" {
		return true // "ABSENT" above "(1):"
	}
	return text == ":" || strings.HasPrefix(text, ": ")
}

// labelAt reads the label of line j within a table.
func (s *scan) labelAt(j int) (kind dialect.Row, value string, ok bool) {
	text := s.lines[j].Text
	if kind, value, ok = s.p.dialect.Label(text, true); ok {
		return kind, value, ok
	}
	if !s.colonBelow(j) {
		return s.labelBesideNames(text)
	}
	if word, rest, found := strings.Cut(text, " "); found {
		if kind, _ = s.p.dialect.RowOf(word); kind != dialect.Unknown && shape.IsCapitals(word) {
			return kind, strings.TrimLeft(rest, " "), true
		}
	}
	return 0, "", false
}

// labelBesideNames reads a label in capitals that has lost its colon, and stands
// beside members and nothing else: "ABSENT Odile Brandt".
func (s *scan) labelBesideNames(text string) (kind dialect.Row, value string, ok bool) {
	word, rest, found := strings.Cut(text, " ")
	if kind, _ = s.p.dialect.RowOf(word); !found || !kind.IsList() || !shape.IsCapitals(word) {
		return 0, "", false
	}
	known, unknown := s.people.Known(rest)
	return kind, rest, known > 0 && unknown == 0
}

// labelFollows reports whether one of the next lines that are not blank begins
// with a label of a vote.
func (s *scan) labelFollows(i int) bool {
	for j, left := i+1, 3; j < len(s.lines) && left > 0; j++ {
		if s.lines[j].Text == "" {
			continue
		}
		if kind, _, ok := s.p.dialect.Label(s.lines[j].Text, true); ok && kind > dialect.Next {
			return true
		}
		left--
	}
	return false
}

// readBlock reads the table that begins at line i.
func (s *scan) readBlock(i int) *block {
	t := s.collect(i)
	for _, c := range t.cells {
		if c.isLabel && c.Kind == dialect.Result {
			i = c.line // it can stand last
			break
		}
	}
	b := &block{line: i, end: t.last + 1, displaced: t.displaced, Page: s.lines[i].Page}
	rows, clear := s.align(t.cells)
	if !clear {
		b.note(council.CodeLayoutUnclear, "the rows of the vote could not be told apart with certainty")
	}
	if t.unread != "" {
		b.note(council.CodeLayoutUnclear, fmt.Sprintf("the members on the line %q were not taken into the vote", t.unread))
	}
	s.fillBlock(b, rows)
	if t.ticks == nil {
		t.ticks = s.ticks
	}
	if s.ticks = nil; t.ticks != nil {
		b.take(t.ticks)
	}
	return b
}

// brokenLabel reads a label that a narrow column broke in two: "SECONDE" above
// "R:", each perhaps with a value beside it.
func (s *scan) brokenLabel(j int) (label, value string, ok bool) {
	if j+1 >= len(s.lines) {
		return "", "", false
	}
	head, value := shape.CutCell(s.lines[j].Text)
	if row, _ := s.p.dialect.RowOf(head); len(head) < 3 || len(head) > 12 || head != strings.ToUpper(head) || row != dialect.Unknown {
		return "", "", false
	}
	tail, rest := shape.CutCell(s.lines[j+1].Text)
	tail, colon := strings.CutSuffix(tail, ":")
	if !colon || len(tail) == 0 || len(tail) > 10 {
		return "", "", false
	}
	if _, known := s.p.dialect.RowOf(head + tail); !known || tail != strings.ToUpper(tail) {
		return "", "", false
	}
	return head + tail, shape.JoinNames([]string{value, rest}), true
}

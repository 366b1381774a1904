package dialect

import (
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// Label reads a label at the beginning of a line: "AYES: Doe, Roe" gives Aye and the names. Inside the table of a vote a label may lack its
// colon or stand in mixed case, and a label that no dialect has is reported as Unknown; outside only what is certain counts.
func (d *Dialect) Label(s string, inside bool) (row Row, value string, ok bool) {
	if s == "" || !shape.IsLetter(s[0]) {
		return Unknown, "", false
	}
	end, lower := 0, false
	for end < len(s) && end < 28 {
		c := s[end]
		if c >= 'a' && c <= 'z' {
			lower = true
		} else if !shape.IsUpper(c) && c != ' ' && c != '/' {
			break
		}
		if c == ' ' && end+1 < len(s) && s[end+1] == ' ' {
			break // a gap ends the cell
		}
		end++
	}
	word := strings.TrimSpace(s[:end])
	rest := strings.TrimLeft(s[end:], " ")
	if _, n := shape.CountIn(rest); n > 0 {
		rest = strings.TrimLeft(rest[n:], " ") // AYES (5): Doe, Roe
	}
	after, colon := strings.CutPrefix(rest, ":")
	if !colon && !inside || lower && len(word) > 14 {
		return Unknown, "", false
	}
	row, known := d.RowOf(word)
	if row == Motion && (lower || !colon) {
		known = false // "Motion:" stands over the text of a discussion
	}
	switch {
	case known && colon && lower && !inside && row != Result:
	case known && colon:
		return row, strings.TrimSpace(after), true
	case known && !lower && (rest == "" || len(s) > end+1 && s[end] == ' '):
		return row, rest, true
	case colon && inside && !lower && len(word) >= 3 && !strings.Contains(word, "/"):
		return Unknown, strings.TrimSpace(after), true
	}
	return Unknown, "", false
}

// RowOf is the row of a label without its colon, in whatever case.
func (d *Dialect) RowOf(word string) (row Row, known bool) {
	l, known := d.labels[word]
	if !known {
		l, known = d.labels[strings.ToUpper(word)]
	}
	return l.row, known
}

// From is the dialect that a line's label is from, empty when none has it.
func (d *Dialect) From(line string) string {
	word, _, _ := strings.Cut(strings.ToUpper(line), ":")
	for word = strings.TrimSpace(word); word != ""; word = strings.TrimRight(word[:max(strings.LastIndexByte(word, ' '), 0)], " ") {
		if l, known := d.labels[word]; known {
			return l.from
		}
	}
	return ""
}

// CutAtLabel parts a value from a further label on the same line: "TABLED [UNANIMOUS]   Next: 2/19/2025".
func (d *Dialect) CutAtLabel(value string) (before, rest string) {
	for from := 0; ; {
		i := strings.IndexByte(value[from:], ':')
		if i < 0 {
			return value, ""
		}
		colon := from + i
		from = colon + 1
		// One or two words before the colon can be a label.
		start := colon
		for range 2 {
			j := strings.LastIndexByte(strings.TrimRight(value[:start], " "), ' ')
			if j < 0 {
				break
			}
			start = j + 1
			row, _, ok := d.Label(value[start:], j > 0 && value[j-1] == ' ')
			if ok && row != Unknown || strings.HasPrefix(value[start:], "Next:") {
				return strings.TrimSpace(value[:start]), value[start:]
			}
		}
	}
}

// LooksLikeResult reports whether a line can be the value of a RESULT row: it has a bracketed tally, or its words are in the result table,
// and it is no sentence.
func (d *Dialect) LooksLikeResult(s string) bool {
	if i := strings.IndexByte(s, '['); i >= 0 && i < 80 {
		t := shape.ReadTally(s)
		return (t.Counted || t.Unanimous) && shape.EndsResult(s[i:])
	}
	if strings.HasSuffix(s, ".") || len(s) > 90 {
		return false
	}
	if strings.HasPrefix(s, "VV") && shape.ReadTally(s).Voice {
		return true
	}
	words := len(strings.Fields(s))
	return words <= 8 && (words <= 4 || s == strings.ToUpper(s)) && d.Classify(s) != council.Other
}

// Classify is the result that the text after RESULT: says.
func (d *Dialect) Classify(raw string) council.Result { return d.results.Classify(raw) }

// Moved is the result of a motion that passed, by the words that say what was moved; false if they do not say.
func (d *Dialect) Moved(words string) (council.Result, bool) { return d.results.Moved(words) }

// Misprint is a word of a result that looks like a misprint of another one.
func (d *Dialect) Misprint(words string) (printed, meant string) { return d.results.Misprint(words) }

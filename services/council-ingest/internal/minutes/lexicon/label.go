package lexicon

import (
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
)

var (
	nextLabel = words.Plain("Next label")
	voiceVote = words.Plain("VOICES")
)

// Label reads the label at the beginning of a line: "AYES: Doe, Roe" gives Aye and the names. If
// inside is true (inside a table), a label may lack its colon or be in mixed case, and an unknown
// label gives Unknown.
func (d *Dialect) Label(s string, inside bool) (row Sense, value string, ok bool) {
	if s == "" || !IsLetter(s[0]) {
		return Unknown, "", false
	}
	end, lower := 0, false
	for end < len(s) && end < 28 {
		c := s[end]
		if c >= 'a' && c <= 'z' {
			lower = true
		} else if !IsUpper(c) && c != ' ' && c != '/' {
			break
		}
		if c == ' ' && end+1 < len(s) && s[end+1] == ' ' {
			break // the cell ends at a gap
		}
		end++
	}
	word := strings.TrimSpace(s[:end])
	rest := strings.TrimLeft(s[end:], " ")
	if _, n := CountIn(rest); n > 0 {
		rest = strings.TrimLeft(rest[n:], " ") // as in "AYES (5): Doe, Roe"
	}
	after, colon := strings.CutPrefix(rest, ":")
	if !colon && !inside || lower && len(word) > 14 {
		return Unknown, "", false
	}
	row, known := d.RowOf(word)
	if row == Motion && (lower || !colon) {
		known = false // "Motion:" begins a discussion
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

// RowOf looks up a label without its colon. Case does not matter.
func (d *Dialect) RowOf(word string) (row Sense, known bool) {
	l, known := d.labels[word]
	if !known {
		l, known = d.labels[strings.ToUpper(word)]
	}
	if !known {
		return d.Patterns().rowOf(word)
	}
	return l.row, known
}

// From returns the dialect that has the label of a line, or "".
func (d *Dialect) From(line string) string {
	word, _, _ := strings.Cut(strings.ToUpper(line), ":")
	for word = strings.TrimSpace(word); word != ""; word = strings.TrimRight(
		word[:max(strings.LastIndexByte(word, ' '), 0)], " ") {
		if l, known := d.labels[word]; known {
			return l.from
		}
		if _, known := d.Patterns().rowOf(word); known {
			return "any minutes"
		}
	}
	return ""
}

// CutAtLabel cuts a value before another label on the same line: "TABLED [UNANIMOUS] Next:
// 2/19/2025".
func (d *Dialect) CutAtLabel(value string) (before, rest string) {
	for from := 0; ; {
		i := strings.IndexByte(value[from:], ':')
		if i < 0 {
			return value, ""
		}
		colon := from + i
		from = colon + 1
		// One or two words before the colon may be a label.
		start := colon
		for range 2 {
			j := strings.LastIndexByte(strings.TrimRight(value[:start], " "), ' ')
			if j < 0 {
				break
			}
			start = j + 1
			row, _, ok := d.Label(value[start:], j > 0 && value[j-1] == ' ')
			if ok && row != Unknown || nextLabel.Begins(value[start:]) {
				return strings.TrimSpace(value[:start]), value[start:]
			}
		}
	}
}

// LooksLikeResult reports whether a line can follow RESULT. It has a tally in brackets, or it has
// words of results and is not a sentence.
func (d *Dialect) LooksLikeResult(s string) bool {
	if i := strings.IndexByte(s, '['); i >= 0 && i < 80 {
		t := d.English().ReadTally(s)
		return (t.Counted || t.Unanimous) && EndsResult(s[i:])
	}
	if strings.HasSuffix(s, ".") || len(s) > 90 {
		return false
	}
	if voiceVote.Begins(s) && d.English().ReadTally(s).Voice {
		return true
	}
	words := len(strings.Fields(s))
	return words <= 8 && (words <= 4 || s == strings.ToUpper(s)) && d.Classify(s) != council.Other
}

// Classify returns the result for the text after RESULT:.
func (d *Dialect) Classify(raw string) council.Result { return d.results.Classify(raw) }

// Moved returns the result of a motion that passed, from the motion's text. It returns false if the
// result is unclear.
func (d *Dialect) Moved(words string) (council.Result, bool) { return d.results.Moved(words) }

// Misprint finds a word that is probably a misprint of a result word. It also returns the word that
// was meant.
func (d *Dialect) Misprint(words string) (printed, meant string) { return d.results.Misprint(words) }

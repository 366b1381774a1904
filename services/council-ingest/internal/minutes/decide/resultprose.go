package decide

import (
	"fmt"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lex"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

func checkProse(v *record.Vote, s *tallySentence, report reportFunc) {
	if s == nil {
		return
	}
	if s.ayes != v.AyesCount || s.nays >= 0 && s.nays != v.NaysCount {
		nays := ""
		if s.nays >= 0 {
			nays = fmt.Sprintf(" to %d", s.nays)
		}
		report(council.CodeProseMismatch, "the sentence beside the table counts %d%s, the table %d to %d", s.ayes, nays,
			v.AyesCount, v.NaysCount)
	} else if s.named >= 0 && s.named != s.ayes {
		report(council.CodeProseMismatch, "the sentence beside the table counts %d in favor and names %d", s.ayes, s.named)
	}
}

// tallySentence is a sentence that counts a vote: "The motion passed with 14 in favor (Brandt, …)
// and 1 opposed (Vance)."
type tallySentence struct {
	ayes, nays int // -1 if the sentence does not count them
	named      int // number of names after "in favor"; -1 if there are none
}

const maxTallyLines = 40 // largest distance of a sentence and its table

// proseOf returns the only sentence that counts the vote of a table, or nil.
func (r *reader) proseOf(t *table) *tallySentence {
	var found []tallySentence
	for j := max(t.from, t.line-maxTallyLines); j < t.end && j < len(r.doc.Rows); j++ {
		if strings.Contains(r.doc.Rows[j].Text, " favor") {
			if p, is := r.readTallySentence(r.sentenceAround(j, t)); is {
				found = append(found, p)
			}
		}
	}
	if len(found) != 1 {
		return nil
	}
	return &found[0]
}

func (r *reader) sentenceAround(j int, t *table) string {
	from, to := j, j+1
	for from > 0 && j-from < 3 && r.doc.Rows[from-1].Text != "" && from-1 != t.line {
		from--
	}
	for to < len(r.doc.Rows) && to-j < 8 && r.doc.Rows[to].Text != "" && !r.doc.Rows[to].Result {
		to++
	}
	parts := make([]string, 0, to-from)
	for _, ln := range r.doc.Rows[from:to] {
		parts = append(parts, ln.Text)
	}
	return lex.Join(parts)
}

// readTallySentence reads the figures of a sentence with "in favor", and counts the names after
// these words.
func (r *reader) readTallySentence(text string) (tallySentence, bool) {
	at := strings.Index(text, "in favor")
	if at < 0 {
		return tallySentence{}, false
	}
	head, rest := text[:at], strings.TrimLeft(text[at+len("in favor"):], " ,")
	if i := strings.LastIndex(head, ". "); i >= 0 {
		head = head[i+2:]
	}
	verb := lex.ContainsAny(strings.ToLower(head), "passed", "failed", "received", "defeated")
	t := tallySentence{ayes: lastFigure(head), nays: -1, named: -1}
	if !verb || t.ayes < 0 {
		return t, false
	}
	if names, found := strings.CutPrefix(rest, "("); found {
		// The closing parenthesis may be missing. A digit or another parenthesis also ends the list.
		end := strings.IndexAny(names, ")(0123456789")
		if end > 0 && end < 400 {
			known, unknown := r.doc.People.Known(strings.ReplaceAll(names[:end], ". ", ", "))
			t.named = known + unknown
			if names[end] != ')' && unknown > 0 {
				t.named = -1
			}
			rest = names[end:]
		}
	}
	if end := strings.Index(rest, ". "); end >= 0 {
		rest = rest[:end]
	}
	for _, word := range []string{"opposed", "against", "in opposition"} {
		if i := strings.Index(rest, word); i >= 0 {
			t.nays = lastFigure(rest[:i])
			break
		}
	}
	return t, true
}

func lastFigure(s string) int {
	s = strings.TrimRightFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	digits := s[len(strings.TrimRight(s, "0123456789")):]
	if digits == "" || len(digits) > 3 {
		return -1
	}
	return lex.Atoi(digits)
}

package minutes

import (
	"fmt"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// proseTally is a sentence about a vote beside its table: "The motion passed
// with 14 in favor (Brandt, …) and 1 opposed (Vance)."
type proseTally struct {
	Ayes, Nays int // -1 where the sentence gives no figure
	named      int // names behind "in favor"; -1 when there are none
}

const maxTallyLines = 40 // how far above its table the sentence can begin

// proseTally finds the one sentence that counts the votes of a table, above it
// or inside it; ok is false when there is none, or several, of which it would
// not be clear which is meant.
func (s *scan) proseTally(b *block) (t proseTally, ok bool) {
	found := 0
	from := max(s.blockBefore, s.headedFrom, b.line-maxTallyLines)
	for j := from; j < b.end && j < len(s.lines); j++ {
		at := strings.Index(s.lines[j].Text, " favor")
		if at < 0 {
			continue
		}
		text := s.sentenceAround(j, b)
		if sentence, is := s.readProseTally(text); is {
			t = sentence
			found++
		}
	}
	return t, found == 1
}

// sentenceAround joins the paragraph of line j.
func (s *scan) sentenceAround(j int, b *block) string {
	from, to := j, j+1
	for from > 0 && j-from < 3 && s.lines[from-1].Text != "" && from-1 != b.line {
		from--
	}
	for to < len(s.lines) && to-j < 8 && s.lines[to].Text != "" && !s.isResultLabel(to) {
		to++
	}
	parts := make([]string, 0, to-from)
	for _, ln := range s.lines[from:to] {
		parts = append(parts, ln.Text)
	}
	return shape.Join(parts)
}

// readProseTally reads the figures of the sentence that says "in favor", and
// counts the names behind it.
func (s *scan) readProseTally(text string) (proseTally, bool) {
	at := strings.Index(text, "in favor")
	if at < 0 {
		return proseTally{}, false
	}
	head, rest := text[:at], strings.TrimLeft(text[at+len("in favor"):], " ,")
	if i := strings.LastIndex(head, ". "); i >= 0 {
		head = head[i+2:]
	}
	verb := false
	for _, v := range []string{"passed", "failed", "received", "defeated"} {
		verb = verb || strings.Contains(strings.ToLower(head), v)
	}
	t := proseTally{Ayes: lastFigure(head), Nays: -1, named: -1}
	if !verb || t.Ayes < 0 {
		return t, false
	}
	if names, found := strings.CutPrefix(rest, "("); found {
		// A closing bracket can be missing; then a figure or another bracket
		// shows that the list is over.
		end := strings.IndexAny(names, ")(0123456789")
		if end > 0 && end < 400 {
			known, unknown := s.people.Known(strings.ReplaceAll(names[:end], ". ", ", "))
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
			t.Nays = lastFigure(rest[:i])
			break
		}
	}
	return t, true
}

// lastFigure is the last number of a text, in digits; -1 when there is none.
func lastFigure(s string) int {
	end := len(s)
	for end > 0 && (s[end-1] < '0' || s[end-1] > '9') {
		end--
	}
	start := end
	for start > 0 && s[start-1] >= '0' && s[start-1] <= '9' {
		start--
	}
	if start == end || end-start > 3 {
		return -1
	}
	return shape.Atoi(s[start:end])
}

// proveProse compares the table with the sentence about the vote.
func proveProse(v *Vote, b *block, say sayFunc) {
	if !b.hasProse {
		return
	}
	t := b.prose
	if t.Ayes != v.AyesCount || t.Nays >= 0 && t.Nays != v.NaysCount {
		nays := ""
		if t.Nays >= 0 {
			nays = fmt.Sprintf(" to %d", t.Nays)
		}
		say(council.CodeProseMismatch, "the sentence beside the table counts %d%s, the table %d to %d", t.Ayes, nays, v.AyesCount, v.NaysCount)
	} else if t.named >= 0 && t.named != t.Ayes {
		say(council.CodeProseMismatch, "the sentence beside the table counts %d in favor and names %d", t.Ayes, t.named)
	}
}

package vote

import (
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// Prose is a sentence about a vote beside its table: "The motion passed
// with 14 in favor (Brandt, …) and 1 opposed (Vance)."
type Prose struct {
	Ayes, Nays int // -1 where the sentence gives no figure
	Named      int // names behind "in favor"; -1 when there are none
}

const maxTallyLines = 40 // how far above its table the sentence can begin

// ProseOf finds the one sentence that counts the votes of a table, above it, from
// line from on, or inside it; nil when there is none, or several, of which it
// would not be clear which is meant.
func (s *Reader) ProseOf(b *Block, from int) *Prose {
	var found []Prose
	for j := max(from, b.Line-maxTallyLines); j < b.End && j < len(s.Rows); j++ {
		if strings.Contains(s.Rows[j].Text, " favor") {
			if p, is := s.readProse(s.sentenceAround(j, b)); is {
				found = append(found, p)
			}
		}
	}
	if len(found) != 1 {
		return nil
	}
	return &found[0]
}

// sentenceAround joins the paragraph of line j.
func (s *Reader) sentenceAround(j int, b *Block) string {
	from, to := j, j+1
	for from > 0 && j-from < 3 && s.Rows[from-1].Text != "" && from-1 != b.Line {
		from--
	}
	for to < len(s.Rows) && to-j < 8 && s.Rows[to].Text != "" && !s.Rows[to].Result {
		to++
	}
	parts := make([]string, 0, to-from)
	for _, ln := range s.Rows[from:to] {
		parts = append(parts, ln.Text)
	}
	return shape.Join(parts)
}

// readProse reads the figures of the sentence that says "in favor", and
// counts the names behind it.
func (s *Reader) readProse(text string) (Prose, bool) {
	at := strings.Index(text, "in favor")
	if at < 0 {
		return Prose{}, false
	}
	head, rest := text[:at], strings.TrimLeft(text[at+len("in favor"):], " ,")
	if i := strings.LastIndex(head, ". "); i >= 0 {
		head = head[i+2:]
	}
	verb := shape.ContainsAny(strings.ToLower(head), "passed", "failed", "received", "defeated")
	t := Prose{Ayes: lastFigure(head), Nays: -1, Named: -1}
	if !verb || t.Ayes < 0 {
		return t, false
	}
	if names, found := strings.CutPrefix(rest, "("); found {
		// A closing bracket can be missing; then a figure or another bracket
		// shows that the list is over.
		end := strings.IndexAny(names, ")(0123456789")
		if end > 0 && end < 400 {
			known, unknown := s.People.Known(strings.ReplaceAll(names[:end], ". ", ", "))
			t.Named = known + unknown
			if names[end] != ')' && unknown > 0 {
				t.Named = -1
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

package decide

import (
	"slices"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lex"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
	"github.com/townline/townline/services/council-ingest/internal/minutes/rows"
)

const maxMotionLines = 60 // largest number of lines of a motion

// motionAbove reads the motion of a table in a sentence: "Director Doe made the motion to …". In
// minutes with tables, other sentences speak of motions too.
func (r *reader) motionAbove(p *paragraph, s span) *motion {
	for n, ln := range p.lines {
		if p.starts[n] >= s.to || n+1 < len(p.starts) && p.starts[n+1] <= s.from {
			continue
		}
		i, _ := slices.BinarySearchFunc(r.doc.Rows, ln.No, func(row rows.Row, no int) int { return row.No - no })
		start, who, ok := r.doc.MotionAt(i)
		if !ok || p.starts[n]+start < s.from || p.starts[n]+start >= s.to {
			continue
		}
		m := &motion{moved: true, text: r.sentence(i, start), named: true}
		if who != "" {
			m.mover = &person.Name{Text: who}
		}
		m.kind = kindOf(strings.ToLower(m.text[:min(len(m.text), 100)]))
		return m
	}
	return nil
}

// sentence returns the motion that begins at column start of line i. It ends before the seconder's
// sentence, or at the end of the paragraph.
func (r *reader) sentence(i, start int) string {
	limit, second := r.secondedAt(i)
	parts := []string{r.doc.Rows[i].Text[start:]}
	by := func(k int) string { // "seconded" and "by" may be on two lines
		if k+1 < len(r.doc.Rows) && strings.HasSuffix(r.doc.Rows[k].Text, "seconded") {
			return r.doc.Rows[k+1].Text
		}
		return ""
	}
	if second == i {
		parts = append(parts, by(i))
		return r.cutSpeaker(r.cutSeconder(lex.Join(parts), -1))
	}
	j := i + 1
	for ; j < len(r.doc.Rows) && j < limit; j++ {
		text := r.doc.Rows[j].Text
		if text == "" {
			if second < 0 {
				break
			}
			continue
		}
		if j == second {
			before := lex.Join(parts) // the seconder's name may begin here
			return r.cutSpeaker(r.cutSeconder(lex.Join([]string{before, text, by(j)}), len(before)+1))
		}
		if dialect.IsMotionLabel(text) {
			if second < 0 {
				break
			}
			continue
		}
		parts = append(parts, text)
	}
	return r.cutSpeaker(r.cutSeconder(lex.Join(parts), -1))
}

// cutSpeaker ends a motion before a sentence such as "Trustee Roe asked that item C be pulled.",
// unless the sentence is quoted.
func (r *reader) cutSpeaker(text string) string {
	from := 0
	for {
		end := strings.Index(text[from:], ". ")
		if end < 0 {
			return text
		}
		end += from
		from = end + 2
		if rows.IsAbbreviation(text[:end]) || strings.Count(text[:end], "“") > strings.Count(text[:end], "”") ||
			strings.Count(text[:end], "\"")%2 == 1 {
			continue
		}
		if r.opensWithSpeaker(text[from:]) || dialect.SaysOutcome(text[from:]) {
			return text[:end+1]
		}
	}
}

func (r *reader) opensWithSpeaker(sentence string) bool {
	name := r.doc.Dialect.StripTitle(sentence)
	if name == sentence {
		return false
	}
	words := strings.Fields(name[:min(len(name), 80)])
	for n := min(4, len(words)-1); n >= 1; n-- {
		if c := words[n][0]; c < 'a' || c > 'z' {
			continue
		}
		if who := r.doc.People.Resolve(strings.Join(words[:n], " ")); who.Match.Found() {
			return true
		}
	}
	return false
}

// secondedAt finds the seconder's sentence after a motion at line i, or returns -1. limit is the
// first line that cannot belong to the motion.
func (r *reader) secondedAt(i int) (limit, second int) {
	for j := i; j < len(r.doc.Rows) && j < i+maxMotionLines; j++ {
		text := r.doc.Rows[j].Text
		if text == "" {
			continue
		}
		if dialect.FindSeconded(text) >= 0 || strings.HasPrefix(text, "seconded") {
			return j + 1, j
		}
		if j > i && r.stopsMotion(j) {
			return j, -1
		}
	}
	return min(len(r.doc.Rows), i+maxMotionLines), -1
}

func (r *reader) stopsMotion(j int) bool {
	text := r.doc.Rows[j].Text
	if r.doc.Rows[j].Result {
		return true
	}
	if at, mark := dialect.FindMotion(text); at >= 0 && strings.Contains(mark, " made ") {
		return true
	}
	if r.doc.Dialect.StopsMotion(text) && !r.midSentence(j) {
		return true
	}
	if strings.Contains(text, " declared ") || strings.Contains(text, " withdrew ") {
		return true
	}
	kind := r.outline.types[j].Kind
	return kind == "heading" || kind == "item"
}

// cutSeconder removes "Director Roe seconded the motion." or ", seconded by Roe" from the end of a
// motion. broken is the position of a line break.
func (r *reader) cutSeconder(text string, broken int) string {
	at := dialect.FindSeconded(text)
	if at < 0 {
		return text
	}
	if start := r.seconderBefore(text, at, broken); start > 0 {
		return trimAnd(text[:start])
	}
	start := rows.SentenceStart(text, at)
	if strings.HasPrefix(text[at:], " seconded by") &&
		(start == 0 || start > at || strings.Count(text[start:at], " ") > 3) {
		return trimAnd(text[:at])
	}
	if start > 0 && start <= at {
		return strings.TrimSpace(text[:start]) // as in "The motion was seconded by …"
	}
	return text
}

// midSentence reports whether line j is the continuation of a wrapped sentence.
func (r *reader) midSentence(j int) bool {
	if j == 0 || r.doc.Rows[j-1].Text == "" {
		return false
	}
	before := r.doc.Rows[j-1].Text
	return !strings.ContainsAny(before[len(before)-1:], ".:;?!\")]") && !r.doc.Fits(j-1, r.doc.Rows[j].Text) &&
		!dialect.IsMotionLabel(before)
}

// seconderBefore finds the beginning of a member's name, with office, that ends at position at. It
// returns -1 if there is none. It prefers a name after a full stop, which may look like an initial
// ("items A and C. Trustee Roe seconded"), then a name at the beginning of a line, then the longest
// name.
func (r *reader) seconderBefore(text string, at, broken int) int {
	found, best := -1, -1
	for start, words := at, 0; words < 7 && start > 0; words++ {
		start = strings.LastIndexByte(text[:start], ' ')
		if start < 0 {
			break
		}
		name := text[start+1 : at]
		if c := name[0]; c >= 'a' && c <= 'z' && !lex.IsNameParticle(strings.SplitN(name, " ", 2)[0]) {
			break
		}
		if word, _, more := strings.Cut(name, " "); more && len(word) > 3 &&
			strings.ContainsAny(word[len(word)-1:], ".,;:?!") && !lex.IsNameSuffix(strings.Trim(word, ".,")) {
			break
		}
		if !r.doc.People.Resolve(r.doc.Dialect.StripTitle(name)).Match.Found() {
			continue
		}
		place := 0
		switch {
		case strings.ContainsAny(text[start-1:start], ".,;:?!\")") || strings.HasSuffix(text[:start], "”"):
			place = 2
		case start+1 == broken:
			place = 1
		}
		if place >= best {
			found, best = start+1, place
		}
	}
	return found
}

func trimAnd(text string) string {
	text = strings.TrimRight(text, " ,;")
	for _, and := range []string{" and", " with", " and was", ", which was"} {
		text = strings.TrimSuffix(text, and)
	}
	return strings.TrimRight(text, " ,;")
}

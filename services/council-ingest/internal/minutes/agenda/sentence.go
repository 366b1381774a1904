package agenda

import (
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lex"
	"github.com/townline/townline/services/council-ingest/internal/minutes/rows"
)

// sentence returns the motion that begins at column start of line i. It ends before the seconder's
// sentence, or at the end of the paragraph.
func (s *motionList) sentence(i, start int) string {
	limit, second := s.secondedAt(i)
	parts := []string{s.Rows[i].Text[start:]}
	by := func(k int) string { // "seconded" and "by" may be on two lines
		if k+1 < len(s.Rows) && strings.HasSuffix(s.Rows[k].Text, "seconded") {
			return s.Rows[k+1].Text
		}
		return ""
	}
	if second == i {
		parts = append(parts, by(i))
		return s.cutSpeaker(s.cutSeconder(lex.Join(parts), -1))
	}
	j := i + 1
	for ; j < len(s.Rows) && j < limit; j++ {
		text := s.Rows[j].Text
		if text == "" {
			if second < 0 {
				break
			}
			continue
		}
		if j == second {
			before := lex.Join(parts) // the seconder's name may begin here
			return s.cutSpeaker(s.cutSeconder(lex.Join([]string{before, text, by(j)}), len(before)+1))
		}
		if dialect.IsMotionLabel(text) {
			if second < 0 {
				break
			}
			continue
		}
		parts = append(parts, text)
	}
	return s.cutSpeaker(s.cutSeconder(lex.Join(parts), -1))
}

// cutSpeaker ends a motion before a sentence such as "Trustee Roe asked that item C be pulled.",
// unless the sentence is quoted.
func (s *motionList) cutSpeaker(text string) string {
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
		if s.opensWithSpeaker(text[from:]) || dialect.SaysOutcome(text[from:]) {
			return text[:end+1]
		}
	}
}

func (s *motionList) opensWithSpeaker(sentence string) bool {
	name := s.Dialect.StripTitle(sentence)
	if name == sentence {
		return false
	}
	words := strings.Fields(name[:min(len(name), 80)])
	for n := min(4, len(words)-1); n >= 1; n-- {
		if c := words[n][0]; c < 'a' || c > 'z' {
			continue
		}
		if r := s.People.Resolve(strings.Join(words[:n], " ")); r.Match.Found() {
			return true
		}
	}
	return false
}

// secondedAt finds the seconder's sentence after a motion at line i, or returns -1. limit is the
// first line that cannot belong to the motion.
func (s *motionList) secondedAt(i int) (limit, second int) {
	for j := i; j < len(s.Rows) && j < i+maxMotionLines; j++ {
		text := s.Rows[j].Text
		if text == "" {
			continue
		}
		if dialect.FindSeconded(text) >= 0 || strings.HasPrefix(text, "seconded") {
			return j + 1, j
		}
		if j > i && s.stopsMotion(j) {
			return j, -1
		}
	}
	return min(len(s.Rows), i+maxMotionLines), -1
}

func (s *motionList) stopsMotion(j int) bool {
	text := s.Rows[j].Text
	if s.Rows[j].Result {
		return true
	}
	if at, mark := dialect.FindMotion(text); at >= 0 && strings.Contains(mark, " made ") {
		return true
	}
	if s.Dialect.StopsMotion(text) && !s.midSentence(j) {
		return true
	}
	if strings.Contains(text, " declared ") || strings.Contains(text, " withdrew ") {
		return true
	}
	m, ok := s.MarkerAt(j)
	if !ok || m.Kind == lex.Bullet || m.Kind != s.top && s.Rows[j].NewPage && s.midSentence(j) {
		return false
	}
	return s.endsMotion(j, m)
}

// cutSeconder removes "Director Roe seconded the motion." or ", seconded by Roe" from the end of a
// motion. broken is the position of a line break.
func (s *motionList) cutSeconder(text string, broken int) string {
	at := dialect.FindSeconded(text)
	if at < 0 {
		return text
	}
	if start := s.nameBefore(text, at, broken); start > 0 {
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
func (s *motionList) midSentence(j int) bool {
	if j == 0 || s.Rows[j-1].Text == "" {
		return false
	}
	before := s.Rows[j-1].Text
	return !strings.ContainsAny(before[len(before)-1:], ".:;?!\")]") && !s.Fits(j-1, s.Rows[j].Text) &&
		!dialect.IsMotionLabel(before)
}

// nameBefore finds the beginning of a member's name, with office, that ends at position at. It
// returns -1 if there is none. It prefers a name after a full stop, which may look like an initial
// ("items A and C. Trustee Roe seconded"), then a name at the beginning of a line, then the longest
// name.
func (s *motionList) nameBefore(text string, at, broken int) int {
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
		if !s.People.Resolve(s.Dialect.StripTitle(name)).Match.Found() {
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

package minutes

import (
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// motionKind is what a motion would do; it tells an amendment from the motion
// that it amends.
type motionKind int

const (
	motionMain motionKind = iota
	motionAmend
	motionOther // table, postpone, divide, call the question, reconsider, substitute
)

// motion is a sentence in which somebody moves something.
type motion struct {
	Text  string
	who   string // resolved; empty when it is not clear
	Kind  motionKind
	line  int
	taken bool // a vote was taken on it
}

// motionIn reads the motion that begins at line i; nil when none does.
func (s *scan) motionIn(i int) *motion {
	text := s.lines[i].Text
	if !strings.Contains(text, "mo") && !strings.HasSuffix(text, " made") {
		return nil
	}
	at, mark := dialect.FindMotion(text)
	if at < 0 {
		// The mark can be broken by the line end.
		if i+1 >= len(s.lines) || s.lines[i+1].Text == "" || !(strings.HasSuffix(text, " made") || strings.HasSuffix(text, " made the") || strings.HasSuffix(text, " made a") || strings.HasSuffix(text, " moved")) {
			return nil
		}
		joined := text + " " + s.lines[i+1].Text
		if at, mark = dialect.FindMotion(joined); at < 0 || at >= len(text) {
			return nil
		}
	}
	start := sentenceStart(text, at)
	who, sure := s.mover(text[start:at])
	if !sure && !strings.Contains(mark, " made ") {
		return nil // "the item moved to the consent list"
	}
	m := &motion{line: i, who: who}
	m.Text = s.motionSentence(i, start)
	m.Kind = kindOfMotion(m.Text)
	return m
}

// sentenceStart finds where the sentence with the mark at position at begins:
// behind a label, or behind the full stop before it.
func sentenceStart(text string, at int) int {
	start := 0
	if i := strings.Index(text[:at], ": "); i >= 0 {
		start = i + 2
	}
	for i := start; i+2 < at; i++ {
		if text[i] != '.' && text[i] != '?' && text[i] != '!' {
			continue
		}
		rest := strings.TrimPrefix(strings.TrimPrefix(text[i+1:at], "”"), "\"")
		if strings.HasPrefix(rest, " ") && !isAbbreviation(text[start:i]) {
			start = at - len(rest) + 1
			i = start - 1
		}
	}
	for start < at && text[start] == ' ' {
		start++
	}
	return start
}

// isAbbreviation reports whether the full stop after s ends no sentence.
func isAbbreviation(s string) bool {
	if i := strings.LastIndexAny(s, " ."); i >= 0 {
		s = s[i+1:]
	}
	switch s {
	case "Mr", "Mrs", "Ms", "Dr", "Rev", "Hon", "Jr", "Sr", "No", "St", "Inc", "Ave", "Ch", "Sec":
		return true
	}
	return len(s) == 1
}

// mover finds who moves in the words before the mark.
func (s *scan) mover(subject string) (string, bool) {
	name := s.p.dialect.StripTitle(strings.TrimSpace(subject))
	if name == "" || len(name) > 60 {
		return "", false
	}
	if r := s.people.Resolve(name); r.Match.Found() {
		return r.Name, true
	}
	words := strings.Fields(name)
	if r := s.people.Resolve(words[len(words)-1]); r.Match.Found() {
		return r.Name, true
	}
	return "", false
}

const (
	maxMotionLines = 60 // how long a motion is thought to be
	maxMotions     = 60 // how many motions of one item can wait for their votes
)

// motionSentence returns the motion that begins at column start of line i, to
// its end: before the sentence of the seconder if there is one, else to the
// end of the paragraph.
func (s *scan) motionSentence(i, start int) string {
	limit, second := s.secondedAt(i)
	parts := []string{s.lines[i].Text[start:]}
	by := func(k int) string { // "seconded" and "by" can stand on two lines
		if k+1 < len(s.lines) && strings.HasSuffix(s.lines[k].Text, "seconded") {
			return s.lines[k+1].Text
		}
		return ""
	}
	if second == i {
		parts = append(parts, by(i))
		return s.cutSpeaker(s.cutSeconder(shape.Join(parts), -1))
	}
	j := i + 1
	for ; j < len(s.lines) && j < limit; j++ {
		text := s.lines[j].Text
		if text == "" {
			if second < 0 && !s.paragraphGoesOn(parts, j) {
				break
			}
			continue
		}
		if j == second {
			before := shape.Join(parts) // the seconder's name can begin here
			return s.cutSpeaker(s.cutSeconder(shape.Join([]string{before, text, by(j)}), len(before)+1))
		}
		if dialect.IsMotionLabel(text) {
			if second < 0 {
				break
			}
			continue
		}
		parts = append(parts, text)
	}
	return s.cutSpeaker(s.cutSeconder(shape.Join(parts), -1))
}

// cutSpeaker ends a motion before the sentence in which another member does
// something: "Trustee Roe asked that item C be pulled." What a motion quotes
// stays whole.
func (s *scan) cutSpeaker(text string) string {
	from := 0
	for {
		end := strings.Index(text[from:], ". ")
		if end < 0 {
			return text
		}
		end += from
		from = end + 2
		if isAbbreviation(text[:end]) || strings.Count(text[:end], "“") > strings.Count(text[:end], "”") || strings.Count(text[:end], "\"")%2 == 1 {
			continue
		}
		if s.opensWithSpeaker(text[from:]) || dialect.SaysOutcome(text[from:]) {
			return text[:end+1]
		}
	}
}

// opensWithSpeaker reports whether a sentence opens with a title, the name of
// a member and the word for what he does.
func (s *scan) opensWithSpeaker(sentence string) bool {
	name := s.p.dialect.StripTitle(sentence)
	if name == sentence {
		return false
	}
	words := strings.Fields(name[:min(len(name), 80)])
	for n := min(4, len(words)-1); n >= 1; n-- {
		if c := words[n][0]; c < 'a' || c > 'z' {
			continue
		}
		if r := s.people.Resolve(strings.Join(words[:n], " ")); r.Match.Found() {
			return true
		}
	}
	return false
}

// paragraphGoesOn reports whether a blank line at j only interrupts: the
// sentence has no end yet.
func (s *scan) paragraphGoesOn(parts []string, j int) bool {
	last := parts[len(parts)-1]
	if strings.HasSuffix(last, ".") || strings.HasSuffix(last, "”") || strings.HasSuffix(last, "\"") || strings.HasSuffix(last, "?") {
		return false
	}
	next := s.nextText(j)
	return next >= 0 && next <= j+3 && !s.stopsMotion(next) && !s.isLone(next)
}

// secondedAt looks for the sentence of the seconder behind a motion at line i.
// limit is the first line that cannot belong to the motion; second is -1 when
// nobody seconds before it.
func (s *scan) secondedAt(i int) (limit, second int) {
	for j := i; j < len(s.lines) && j < i+maxMotionLines; j++ {
		text := s.lines[j].Text
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
	return min(len(s.lines), i+maxMotionLines), -1
}

// stopsMotion reports whether line j can belong to no motion.
func (s *scan) stopsMotion(j int) bool {
	text := s.lines[j].Text
	if s.isResultLabel(j) {
		return true
	}
	if at, mark := dialect.FindMotion(text); at >= 0 && strings.Contains(mark, " made ") {
		return true
	}
	if s.p.dialect.StopsMotion(text) && !s.midSentence(j) {
		return true
	}
	if strings.Contains(text, " declared ") || strings.Contains(text, " withdrew ") {
		return true
	}
	m, ok := s.markerAt(j)
	if !ok || m.Kind == shape.Bullet || m.Kind != s.top && s.lines[j].NewPage && s.midSentence(j) {
		return false
	}
	if s.isTop(j, m) {
		return true
	}
	// A numbered line begins the next item, unless it is a list in the motion.
	_, ok = s.isItemMark(j, m)
	return ok && (s.item == nil || s.item.Kind == m.Kind || s.hanging(m))
}

// cutSeconder takes "Director Roe seconded the motion." off the end of a
// motion, and ", seconded by Roe" too. A line began at position broken.
func (s *scan) cutSeconder(text string, broken int) string {
	at := dialect.FindSeconded(text)
	if at < 0 {
		return text
	}
	if start := s.nameBefore(text, at, broken); start > 0 {
		return trimAnd(text[:start])
	}
	start := sentenceStart(text, at)
	if strings.HasPrefix(text[at:], " seconded by") && (start == 0 || start > at || strings.Count(text[start:at], " ") > 3) {
		return trimAnd(text[:at])
	}
	if start > 0 && start <= at {
		return strings.TrimSpace(text[:start]) // "The motion was seconded by …"
	}
	return text
}

// midSentence reports whether line j carries on the sentence of the line
// before it, which ran up to the margin.
func (s *scan) midSentence(j int) bool {
	if j == 0 || s.lines[j-1].Text == "" {
		return false
	}
	before := s.lines[j-1].Text
	return !strings.ContainsAny(before[len(before)-1:], ".:;?!\")]") && !s.fits(j-1, s.lines[j].Text) && !dialect.IsMotionLabel(before)
}

// nameBefore finds where the name of a member, with his office, begins that
// ends at position at; -1 when none does. It begins behind the end of a
// sentence, which can look like an initial ("items A and C. Trustee Roe
// seconded"), else at a line's beginning, else as far ahead as words allow.
func (s *scan) nameBefore(text string, at, broken int) int {
	found, best := -1, -1
	for start, words := at, 0; words < 7 && start > 0; words++ {
		if start = strings.LastIndexByte(text[:start], ' '); start < 0 {
			break
		}
		name := text[start+1 : at]
		if c := name[0]; c >= 'a' && c <= 'z' && !shape.IsNameParticle(strings.SplitN(name, " ", 2)[0]) {
			break
		}
		if word, _, more := strings.Cut(name, " "); more && len(word) > 3 && strings.ContainsAny(word[len(word)-1:], ".,;:?!") && !shape.IsNameSuffix(strings.Trim(word, ".,")) {
			break
		}
		if !s.people.Resolve(s.p.dialect.StripTitle(name)).Match.Found() {
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

// trimAnd takes off what joined the end of a motion to the seconder.
func trimAnd(text string) string {
	text = strings.TrimRight(text, " ,;")
	for _, and := range []string{" and", " with", " and was", ", which was"} {
		text = strings.TrimSuffix(text, and)
	}
	return strings.TrimRight(text, " ,;")
}

func kindOfMotion(text string) motionKind {
	l := strings.ToLower(text)
	if strings.Contains(l, "substitute motion") {
		return motionOther
	}
	if i := strings.Index(l, "motion"); i >= 0 {
		l = l[i:]
	} else if i := strings.Index(l, "moved"); i >= 0 {
		l = l[i:]
	}
	if len(l) > 60 {
		l = l[:60]
	}
	switch {
	case strings.Contains(l, "to amend"):
		return motionAmend
	case strings.Contains(l, "to table"), strings.Contains(l, "postpone"), strings.Contains(l, "question"), strings.Contains(l, "to divide"),
		strings.Contains(l, "reconsider"), strings.Contains(l, "substitute"), strings.Contains(l, "to refer"):
		return motionOther
	}
	return motionMain
}

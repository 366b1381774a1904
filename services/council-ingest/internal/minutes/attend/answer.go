package attend

import (
	"slices"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// answer is a member with what the member answered to the roll call: "Mr. Doe, present;", "Doe-P,". On
// lines of their own, a gap or dots stand between: "Ana Doe, Chair ...... Present".
var answer = words.Regexp(`^[\s,;.&|]*(?:{and} )?(\p{Lu}[^,;:()|\n]{1,40}?(?: \([\p{L}. ]{1,8}\))?(?:, (?:\p{Lu}[^,;:()|` +
	`\n]{0,30}?|[JS]r\.))?(?: ?\([\p{L} ]{3,30}\))?)(?:[ .]*[,:–—(|-]|[ .]*\.{2}|  )[\s.|]*(?:(?i:({answers call}` +
	`))\b|([PAE])\b)(?:,? (?i:{answers besides})\b)?\)?\s*(?:\([^)]{0,60}\))?`)

// answers reads a roll call of attendance with an answer behind each name, which stands at the
// beginning of a text, of one of its first lines, or behind a label. It reports whether the text has one.
func (r *reader) answers(text string, at int) bool {
	for from, n := 0, 0; n < 6; n++ {
		if above := strings.TrimSpace(text[:from]); above != "" && person.IsOpen(above) {
			// the list above goes on: "Members Doe," above "Roe, present. Member Poe, absent."
		} else if rest, ok := r.answered(text[from:], at); ok {
			r.prose(person.Join(strings.Split(text[:from], "\n")), at)
			r.listed = true
			r.prose(person.Join(strings.Split(rest, "\n")), at)
			return true
		}
		i := strings.IndexAny(text[from:], ":\n")
		if i < 0 {
			return false
		}
		from += i + 1
	}
	return false
}

// rollCall matches words before the first member of a roll call.
var rollCall = words.Regexp(`(?i)^\s*(?:(?:\d{1,2}\.\s*)?{roll call}|{attendance}|{members present})` +
	`\b[\s:–-]*`)

// answered reads the members at the beginning of a text, each with an answer, and returns the text
// after them. It reads nothing if there are fewer than three, or two outside of a roll call.
func (r *reader) answered(text string, at int) (rest string, ok bool) {
	fewest := 3
	if r.section {
		fewest = 2
	}
	if lead := rollCall.FindString(text); lead != "" && len(lead) < len(text) {
		text, fewest = text[len(lead):], 2
	}
	var found []listed
	var answers []status
	var unread []string
	for rest = text; len(found) < maxPeople; {
		m := answer.FindStringSubmatch(rest)
		if next := strings.TrimLeft(rest, " ,;.\n"); m == nil && len(found) > 0 {
			rest = strings.Replace(next, "\n", " ", 1) // the line breaks within a name
			m = answer.FindStringSubmatch(rest)
		}
		if m == nil {
			break
		}
		printed, office := m[1], ""
		if before, after, found := strings.Cut(printed, ", "); found && r.w.IsOfficeWord(firstWord(after)) {
			printed, office = before, after // Ana Huber, Regidora de Hacienda
		}
		l := r.w.List(printed, &r.people)
		rest = rest[len(m[0]):]
		if name, ok := r.turnedName(m[1]); ok && len(l.Names) == 2 && l.Names[1].Office == "" {
			l.Names = append(l.Names[:0], person.Name{Text: name})
		}
		if office != "" && len(l.Names) > 0 {
			l.Names[0].Office = strings.Trim(l.Names[0].Office+", "+office, ", ")
		}
		if len(l.Names) != 1 || !l.Whole() || l.Names[0].Text == "" {
			unread = append(unread, m[1])
			continue
		}
		found, answers = append(found, listed{l.Names[0], at}), append(answers, answerOf(m[2]+m[3]))
	}
	if len(found) < fewest || len(found) <= len(unread) {
		return "", false
	}
	titled := slices.ContainsFunc(found, func(one listed) bool {
		return r.titleOf(one.Office) != "" && !r.isStaff(one.Office)
	})
	for k := range found { // Supervisor Doe, present; Clerk Roe, present; Trustee Poe, present
		r.admit(found[k:k+1], answers[k], titled)
	}
	for _, name := range unread {
		r.Whole = false
		r.problem(r.lines[at].Page, "attendance row "+name+" was not read")
	}
	return strings.TrimLeft(rest, " ,;."), true
}

// answerOf returns the status of an answer.
func answerOf(word string) status {
	word, _ = lexicon.FoldText(word)
	switch {
	case word == "a", lexicon.HasAnyPrefix(word, "abs", "aus"):
		return absent
	case word == "e", lexicon.HasAnyPrefix(word, "exc"):
		return excused
	case word == "late", word == "tardy":
		return late
	}
	return present
}

// raw returns lines as they are printed, with their gaps.
func (r *reader) raw(from, to int) string {
	var b strings.Builder
	for _, ln := range r.lines[from:to] {
		b.WriteString(unmark(ln.Text) + "\n")
		if b.Len() > 6_000 {
			break
		}
	}
	return b.String()
}

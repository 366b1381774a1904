package signal

import (
	"regexp"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// A Bracketed is a vote in brackets behind what was decided: "(Motion – Doe; 2nd – Roe; Poe, Moe – yes)".
type Bracketed struct {
	Motion  Motion
	Entries []Entry
	Label   string // what the motion is about, before its mover: "APPROVE – Doe – motion"
}

var (
	inBrackets = regexp.MustCompile(`[(\[][^()\[\]]{8,600}[)\]]`)
	// bracketMark matches the word that says what a member did: moved, seconded, or voted.
	bracketMark = words.Regexp(`(?i)\b(?:({motion marks})|({second})|({ayes}|{nays}|{abstains}|{aways}|` +
		`{against}))\b\.?(?: {by}\b)?`)
	plainDashes = strings.NewReplacer("–", "-", "—", "-", "−", "-", "\n", " ")
	onlyLetters = regexp.MustCompile(`^[A-Z]{2,3}(?:; [A-Z]{2,3})*$`)
	// lettersOf matches a member's initials: "RT".
	lettersOf = regexp.MustCompile(`^\s*[-:]*\s*([A-Z]{2,3})\b`)
)

// BracketedIn returns where the next brackets with votes stand in a part of a paragraph, and the votes.
func (r *Scanner) BracketedIn(p *Paragraph, within Span) (votes []Bracketed, at Span) {
	for _, loc := range inBrackets.FindAllStringIndex(p.Text[within.From:within.To], 200) {
		at = Span{within.From + loc[0], within.From + loc[1]}
		if votes = r.bracketed(plainDashes.Replace(p.Text[at.From+1 : at.To-1])); len(votes) > 0 {
			return votes, at
		}
	}
	return nil, Span{}
}

// bracketed reads the votes in brackets. Each has a mover, a seconder and at least one position; the names
// stand before or behind the word.
func (r *Scanner) bracketed(inside string) (votes []Bracketed) {
	last := 0
	for _, m := range bracketMark.FindAllStringSubmatchIndex(inside, 60) {
		if m[0] < last {
			continue
		}
		before := strings.Trim(inside[last:m[0]], " -:;,.")
		if m[6] >= 0 {
			if len(votes) == 0 || votes[len(votes)-1].Motion.Seconder == nil {
				return nil
			}
			v := &votes[len(votes)-1]
			e := Entry{Count: -1}
			e.Sense = r.voteOf(strings.ToLower(inside[m[6]:m[7]]))
			e.Names, e.Unread = r.lettered(before[strings.LastIndexByte(before, ';')+1:])
			if len(e.Names) > 0 || onlyLetters.MatchString(e.Unread) {
				v.Entries, last = append(v.Entries, e), m[1]
			}
			continue
		}
		cut := strings.LastIndexAny(before, "-;,")
		n, ok := r.initialed(before[cut+1:])
		end := m[1]
		if !ok {
			var length int
			if n, length, ok = r.initialedAt(inside[m[1]:]); !ok {
				return nil
			}
			end += length
		}
		last = end
		if m[2] >= 0 {
			votes = append(votes, Bracketed{Motion: Motion{Mover: &n, Moved: true, Named: true},
				Label: strings.Trim(before[:max(cut, 0)], " -:;,")})
			continue
		}
		if len(votes) == 0 || votes[len(votes)-1].Motion.Seconder != nil {
			return nil
		}
		votes[len(votes)-1].Motion.Seconder, votes[len(votes)-1].Motion.Seconded = &n, true
	}
	for _, v := range votes {
		if len(v.Entries) == 0 {
			return nil
		}
	}
	return votes
}

// initialed reads a member who is named, or printed by the initials.
func (r *Scanner) initialed(text string) (person.Name, bool) {
	if text = strings.Trim(text, " .,:;-"); text == "" {
		return person.Name{}, false
	}
	if m := lettersOf.FindStringSubmatch(text); m != nil && m[0] == text {
		return person.Name{Text: text}, true
	}
	n, ok := r.oneName(text)
	return n, ok && n.Text != "" && r.plausible(&n) != nil
}

// initialedAt reads such a member at the beginning of a text, and returns where the name ends.
func (r *Scanner) initialedAt(text string) (n person.Name, length int, ok bool) {
	if m := lettersOf.FindStringSubmatch(text); m != nil {
		return person.Name{Text: m[1]}, len(m[0]), true
	}
	trimmed := strings.TrimLeft(text, " -:.")
	n, length, ok = r.nameAt(trimmed)
	return n, len(text) - len(trimmed) + length, ok && n.Text != "" && r.plausible(&n) != nil
}

// lettered reads a list of members who are named or printed by their initials. The initials of nobody who is known
// are not read, unless nobody is known.
func (r *Scanner) lettered(text string) (names []person.Name, unread string) {
	var misses []string
	for part := range strings.FieldsFuncSeq(text, func(c rune) bool { return c == ',' || c == '&' || c == ';' }) {
		part = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(part), "and "))
		if part = strings.Trim(part, " -.:"); part == "" {
			continue
		}
		n, ok := r.initialed(part)
		if ok && initials.MatchString(n.Text) {
			if full := r.Members.ByInitials(n.Text); full != "" {
				n.Text = full
			} else {
				ok = r.Members.Len() < 3
			}
		}
		if !ok {
			misses = append(misses, part)
			continue
		}
		names = append(names, n)
	}
	return names, strings.Join(misses, "; ")
}

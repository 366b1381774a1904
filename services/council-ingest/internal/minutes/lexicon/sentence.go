package lexicon

import (
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
)

// The words of headings and labels.
var (
	openings    = words.Plain("opens heading")
	motionLabel = words.Plain("motion label")
	motionColon = words.Plain("motion colon")
	bareMotion  = words.Plain("bare motion label")
	signatures  = words.Plain("signature")
	takenOff    = words.Plain("was taken off")
	adjourn     = words.Plain("adjourn")
)

// LowerWords counts the lower-case words that would have a capital in a heading.
func (d *Dialect) LowerWords(text string) int {
	n := 0
	for w := range strings.FieldsSeq(text) {
		w = strings.Trim(w, ".,:;()\"'“”‘’")
		if len(w) > 1 && w[0] >= 'a' && w[0] <= 'z' && !d.small[w] {
			n++
		}
	}
	return n
}

// IsHeading reports whether a line is a known heading without a number.
func (d *Dialect) IsHeading(text string) bool { return d.headings[strings.ToUpper(text)] }

// Opens reports whether a heading begins a meeting.
func (d *Dialect) Opens(text string) bool {
	return openings.In(strings.ToLower(text))
}

// EndsAttendance reports whether a line is a heading that usually follows an attendance list:
// "Pledge of Allegiance".
func (d *Dialect) EndsAttendance(text string) bool {
	return !strings.Contains(text, "  ") && (d.IsHeading(text) || openings.Begins(strings.ToLower(text)))
}

// IsConsent reports whether a heading names the consent calendar, or items removed from it.
func IsConsent(heading string) bool {
	list, removed := council.ConsentHeading(heading)
	return list || removed
}

func IsAdjourn(text string) bool {
	if len(text) >= 40 {
		return false
	}
	i, _ := adjourn.Find(lowerASCII(text))
	return i >= 0 && i < 12
}

// IsFate reports whether a line below a title states the outcome of the item.
func (d *Dialect) IsFate(text string) bool {
	return HasAnyPrefix(strings.ToUpper(text), d.fates...)
}

// StartsBody reports whether a line begins like a paragraph below a title.
func (d *Dialect) StartsBody(text string) bool { return HasAnyPrefix(text, d.bodyStarts...) }

// StopsMotion reports whether a line begins with words that end the motion before it.
func (d *Dialect) StopsMotion(text string) bool { return HasAnyPrefix(text, d.motionStops...) }

// IsMotionLabel reports whether a line is a label of the discussion column: "Motion:", "Vote on the
// Motion:".
func IsMotionLabel(text string) bool {
	if len(text) > 60 || len(text) < 4 || !IsUpper(text[0]) {
		return false
	}
	l := strings.ToLower(text)
	return bareMotion.Is(l) ||
		motionLabel.Begins(l) && (strings.HasSuffix(l, ":") || motionColon.Begins(l) || len(l) < 22)
}

// TakesOff reports whether a sentence says that its item was removed from the consent calendar.
func TakesOff(text string) bool {
	return len(text) < 120 && takenOff.In(text)
}

// StatesRoll returns the position of words such as "by the following vote" in a line, or -1. The
// words may continue on the line below.
func (d *Dialect) StatesRoll(text, below string) int {
	if !ContainsAny(text, d.rollWords...) && !ContainsAny(below, d.rollWords...) {
		return -1
	}
	for _, words := range d.rolls {
		if at := strings.Index(text, words); at >= 0 {
			return at
		}
		for i := range len(words) {
			if words[i] == ' ' && strings.HasPrefix(below, words[i+1:]) && strings.HasSuffix(text, words[:i]) {
				return len(text) - i
			}
		}
	}
	return -1
}

// ListsMembers reports whether a label on the cover announces the names of all members.
func (d *Dialect) ListsMembers(label string) bool { return d.members[strings.ToUpper(label)] }

// IsPart reports whether a heading divides the list under the heading above.
func (d *Dialect) IsPart(heading string) bool {
	return HasAnyPrefix(strings.ToUpper(heading), d.parts...)
}

// IsSignature reports whether a line is part of the signature of the minutes.
func IsSignature(text string) bool { return signatures.Begins(strings.ToLower(text)) }

// Status returns the canonical attendance status that a word means, even if it is misspelt
// ("REMTOE"). It returns "" if the word is not a status.
func (d *Dialect) Status(word string) (status string, misspelt bool) {
	if strings.ContainsAny(word, " ,:.") || len(word) > 9 {
		return "", false
	}
	w := strings.ToLower(word)
	if st := d.status[w]; st != "" || len(w) < 5 || word == w {
		return st, false
	}
	for known, st := range d.status {
		if len(known) >= 6 && council.EditDistance(w, known) == 1 {
			return st, true
		}
	}
	return "", false
}

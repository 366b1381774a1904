package council

import (
	"slices"
	"strings"
)

// motionVerbs maps a verb to the result for the item if the motion passes. Verbs that refer the
// item, reject it or concern the meeting are Other: an aye on such a motion is not an aye on the
// item.
var motionVerbs = verbs(map[Result]string{
	Adopted: `adopt adopted adoption approve approved approving approval pass passed passage accept accepted
		acceptance ordain ordained enact enacted enactment ratify ratified ratification confirm confirmed
		confirmation authorize authorized award awarded grant granted appoint appointed reappoint
		amend amended amendment favorable`,
	Continued: `defer deferred deferral deferment continue continued continuance continuation postpone postponed
		postponement hold held lay laid carryover`,
	Tabled:   "table tabled tabling",
	NoAction: "withdraw withdrawn withdrawal",
	Other: `refer referred referral recommit recommitted remand remanded adjourn adjourned adjournment recess
		recessed close closed open opened reopen
		receive received file filed waive waived suspend suspended reconsider reconsidered reconsideration convene
		convened enter go
		take taken remove removed discuss discussed reject rejected rejection rescind rescinded read
		deny denied denial disapprove disapproved`,
})

func verbs(by map[Result]string) map[string]Result {
	out := map[string]Result{}
	for result, words := range by {
		for word := range strings.FieldsSeq(words) {
			out[word] = result
		}
	}
	return out
}

// maxLabelWords is the number of words of the longest label, "approved on the Consent Agenda".
const maxLabelWords = 6

// Moved returns the result of a motion that passed. It parses a label such as "deferred", or a
// sentence such as "A motion was made by Roe that the item be deferred. The motion carried."
func (t *ResultWords) Moved(words string) (Result, bool) {
	all := strings.Fields(foldWords(words))
	if len(all) > 0 && len(all) <= maxLabelWords {
		folded := " " + strings.Join(all, " ") + " "
		for _, r := range t.rules[:t.own] {
			if strings.Contains(folded, r.words) {
				return r.result, true
			}
		}
	}
	sentence := beforeOutcome(all)
	if moving := slices.IndexFunc(sentence, isMoving); moving >= 0 {
		return resultOfMotion(sentence[moving+1:])
	}
	for i, w := range sentence {
		if r, ok := verbAt(sentence, i); ok && (i == 0 || isBe(sentence[i-1]) || len(sentence) <= maxLabelWords) {
			return r, true
		}
		if w == "not" {
			return Other, false
		}
	}
	return Other, false
}

// beforeOutcome removes "the motion carried" and all words after it.
func beforeOutcome(words []string) []string {
	for i := 1; i+1 < len(words); i++ {
		if words[i] == "motion" && slices.Contains([]string{"carried", "passed", "failed", "prevailed", "was", "died"},
			words[i+1]) && words[i-1] == "the" && i > 1 {
			return words[:i-1]
		}
	}
	return words
}

// resultOfMotion reads the words after "motion" or "moved".
func resultOfMotion(words []string) (Result, bool) {
	for i, w := range words {
		switch {
		case w == "to":
			// One adverb is allowed: "to unanimously approve".
			for k := i + 1; k < min(i+3, len(words)); k++ {
				if r, ok := verbAt(words, k); ok {
					return r, true
				}
			}
			return Other, false
		case w == "that":
			return passive(words[i+1:])
		case isNoun(w):
			return verbAt(words, i)
		}
	}
	return passive(words)
}

// passive parses "the item be deferred". Other words may stand in between: "be unanimously
// approved", "be public hearing closed".
func passive(words []string) (Result, bool) {
	for i, w := range words {
		if !isBe(w) {
			continue
		}
		for k := i + 1; k < min(i+4, len(words)) && words[k] != "not"; k++ {
			if r, ok := verbAt(words, k); ok {
				return r, true
			}
		}
	}
	return Other, false
}

// verbAt returns the result of the verb at i. "Held" and "laid" need further words: "held over",
// "laid on the table". What goes on is not continued to another day: "continue using", "continue with".
func verbAt(words []string, i int) (Result, bool) {
	r, ok := motionVerbs[words[i]]
	rest := words[i+1:]
	switch words[i] {
	case "continue":
		ok = len(rest) == 0 || rest[0] != "with" && (!strings.HasSuffix(rest[0], "ing") || rest[0] == "hearing" ||
			rest[0] == "meeting")
	case "lay", "laid":
		if slices.Contains(rest, "table") {
			return Tabled, true
		}
	case "hold", "held":
		ok = len(rest) == 0 || slices.Contains(rest, "over") || slices.Contains(rest, "committee") ||
			slices.Contains(rest, "abeyance")
	}
	return r, ok
}

func isMoving(w string) bool { return slices.Contains(moving, w) }

func isBe(w string) bool { return slices.Contains(being, w) }

var (
	moving = strings.Fields("motion motioned motions moved move moves")
	being  = strings.Fields("be is are was were been")
)

// isNoun reports whether a word names a motion without a verb: "moved approval of the minutes",
// "motion for adoption".
func isNoun(w string) bool {
	_, verb := motionVerbs[w]
	return verb && (strings.HasSuffix(w, "al") || strings.HasSuffix(w, "ion") || strings.HasSuffix(w, "ment") ||
		strings.HasSuffix(w, "ance") || w == "passage")
}

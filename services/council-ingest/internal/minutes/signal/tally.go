package signal

import (
	"regexp"
	"slices"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
)

// opensTally matches a tally at the beginning of a sentence: "4-1, Evans no."
var opensTally = regexp.MustCompile(`^[(\[]?\d{1,2} ?- ?\d{1,2}\b`)

// Count reads the tally in the sentence of an outcome.
func (r *Scanner) Count(o *Outcome, f string, labelled bool) {
	at := lexicon.InSentence
	if labelled {
		at = lexicon.BehindLabel
	}
	if o.Tally = r.Words.Tally(f, at); o.Several {
		o.Unread = "votes for several proposals are counted"
	}
}

var harmless = lexicon.Compile(`\b{harmless}\b`)

// firmFate matches what a clause says about a motion, and nothing else.
var firmFate = words.Regexp(`(?:^|[,;] ?){motion fate}[.,;]?$`)

// tallyBehindFate matches a tally directly behind the word of an outcome.
var tallyBehindFate = regexp.MustCompile(`^[ ,:;(-]{1,3}\d{1,2} ?[-/] ?\d{1,2}(?:$|[^\d/-])`)

// countsFate reports whether a short sentence has an outcome with its tally: "Appeal denied, 3-2".
func (r *Scanner) countsFate(f string) bool {
	return len(f) < 200 && slices.ContainsFunc(r.Words.Outcome.FindAllStringIndex(f, 8), func(m []int) bool {
		return tallyBehindFate.MatchString(f[m[1]:])
	})
}

// SpeaksOfVote reports whether a sentence that was not read may state a vote.
func (r *Scanner) SpeaksOfVote(f string) bool {
	if firmFate.MatchString(strings.TrimSpace(f)) || r.countsFate(f) {
		return true
	}
	return len(f) < 600 && r.Words.Speaks.MatchString(f) && !harmless.MatchString(f) &&
		!motionText.MatchString(f) &&
		!otherDay.MatchString(f)
}

package portal

import (
	"fmt"
	"slices"

	"github.com/townline/townline/pkg/council"
)

// NoPosition is what a word means that takes no position: the member is not counted in any row.
const NoPosition council.Position = "none"

// Words are positions by the words of one council, folded by FoldName. They win over the words that
// all share.
type Words map[string]council.Position

// known are the words that portals use for the positions of members. The numbers that come with
// them are no key: what is Absent in one council is Nay in another.
var known = map[council.Position][]string{
	council.Aye: {"aye", "ayes", "yea", "yeas", "yes", "for", "affirmative", "in favor", "in favour", "approve",
		"support"},
	council.Nay:     {"nay", "nays", "no", "noes", "against", "negative", "opposed", "oppose"},
	council.Abstain: {"abstain", "abstained", "abstaining", "abstention", "abstentions"},
	council.Absent: {"absent", "excused", "not present", "away", "absent excused", "excused absence", "medical",
		"bereavement", "maternity", "paternity", "parental",
		"conference", "jury duty", "military", "suspended"},
	council.Recused: {"recused", "recuse", "recusal", "conflict", "conflict of interest", "disqualified"},
	NoPosition:      {"present", "non-voting", "nonvoting", "not voting", "rising vote", "ineligible", "vacant"},
}

// Of returns the position that a word means: "" for NoPosition. ok is false for a word that nobody
// knows; it is no abstention.
func (w Words) Of(word string) (p council.Position, ok bool) {
	folded := FoldName(word)
	p, ok = w[folded]
	for _, of := range append(council.Positions(), NoPosition) {
		if !ok && slices.Contains(known[of], folded) {
			p, ok = of, true
		}
	}
	if p == NoPosition {
		p = ""
	}
	return p, ok && folded != ""
}

// NewWords reads positions by words as council.yaml has them.
func NewWords(words map[string]string) (Words, error) {
	w := Words{}
	for word, means := range words {
		p := council.Position(means)
		if p != NoPosition && !slices.Contains(council.Positions(), p) {
			return nil, fmt.Errorf("%q means %q, which is not one of %v or %s", word, means, council.Positions(), NoPosition)
		}
		w[FoldName(word)] = p
	}
	return w, nil
}

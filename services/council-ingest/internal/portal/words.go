package portal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
)

// NoPosition means that a member took no position and does not count.
const NoPosition council.Position = "none"

// Present is the word of an attendance list. In a vote it means that the member did not vote.
const Present = "present"

// Words maps the words of one council, folded by FoldName, to positions. They take precedence over
// the shared words.
type Words map[string]council.Position

// sharedWords maps positions to the portals' words for them. The portals' numbers for positions are
// not used, because the number for Absent in one council means Nay in another.
var sharedWords = map[council.Position][]string{
	council.Aye: {"aye", "ayes", "yea", "yeas", "yes", "for", "affirmative", "in favor", "in favour", "approve",
		"support"},
	council.Nay:     {"nay", "nays", "no", "noes", "against", "negative", "opposed", "oppose"},
	council.Abstain: {"abstain", "abstained", "abstaining", "abstention", "abstentions"},
	council.Absent: {"absent", "excused", "not present", "away", "absent excused", "excused absence", "medical",
		// present, but not voting
		Present, "nv", "n v", "not voting", "no vote", "did not vote", "not voted", "didnt vote",
		"present not voting", "present did not vote", "present but not voting", "left", "left early",
		"left meeting", "left the meeting", "left before the vote", "out of room", "out of the room", "not in room",
		"absent at time of vote", "absent at the time of vote", "absent for vote", "excused from vote",
		"bereavement", "maternity", "paternity", "parental",
		"conference", "jury duty", "military", "suspended"},
	council.Recused: {"recused", "recuse", "recusal", "conflict", "conflict of interest", "disqualified"},
	NoPosition:      {"non voting", "nonvoting", "rising vote", "ineligible", "vacant"},
}

// Position returns the position for a word, or "" for NoPosition. ok is false for an unknown word,
// which is not an abstention.
func (w Words) Position(word string) (p council.Position, ok bool) {
	folded := FoldName(word)
	p, ok = w[folded]
	for _, of := range append(council.Positions(), NoPosition) {
		if !ok && slices.Contains(sharedWords[of], plain(folded)) {
			p, ok = of, true
		}
	}
	if p == NoPosition {
		p = ""
	}
	return p, ok && folded != ""
}

// plain removes what separates words: "Present - Not Voting" and "N/V" become "present not voting"
// and "n v".
func plain(word string) string {
	word = strings.NewReplacer("'", "", "’", "").Replace(word)
	return strings.Join(strings.FieldsFunc(word, func(r rune) bool { return strings.ContainsRune(" -–—/.,()", r) }), " ")
}

// NewWords converts the vote_words of council.yaml.
func NewWords(words map[string]string) (Words, error) {
	w := Words{}
	for word, means := range words {
		p := council.Position(means)
		if p != NoPosition && !slices.Contains(council.Positions(), p) {
			return nil, fmt.Errorf("%q is %q: must be one of %v or %s", word, means, council.Positions(), NoPosition)
		}
		w[FoldName(word)] = p
	}
	return w, nil
}

package council

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// A Result is the outcome of a motion (spec: Vote.result).
type Result string

const (
	Adopted   Result = "adopted"
	Failed    Result = "failed"
	Tabled    Result = "tabled"
	Continued Result = "continued"
	NoAction  Result = "no_action"
	Other     Result = "other"
)

// Results lists every result in the order of the API description.
func Results() []Result { return []Result{Adopted, Failed, Tabled, Continued, NoAction, Other} }

func (r Result) Contradicts(ayes, nays int) bool {
	return r == Adopted && nays > 0 && nays >= ayes || r == Failed && ayes > nays
}

// A Position is the position of a member on a motion (spec: VotePosition.position).
type Position string

// Documents use synonyms: YEAS for aye, NOES for nay, PRESENT for abstain, AWAY and EXCUSED for
// absent.
const (
	Aye     Position = "aye"
	Nay     Position = "nay"
	Abstain Position = "abstain"
	Absent  Position = "absent"
	Recused Position = "recused"
)

// Positions lists every position in the order of the API description.
func Positions() []Position { return []Position{Aye, Nay, Abstain, Absent, Recused} }

// ResultWords maps the words of a RESULT line to a Result. It is safe for concurrent use.
type ResultWords struct {
	rules []resultRule // the first match wins
	own   int          // number of the deployment's rules, which come first
	known []string     // single words of all rules
}

type resultRule struct {
	words  string // folded, with a blank at each end
	result Result
}

// The built-in table, in the order of tests. Negative words are first, because NOT ADOPTED contains
// ADOPTED; then postponement; then adoption.
var builtIn = []struct {
	result Result
	words  []string
}{
	{Failed, []string{"not adopted", "not passed", "not approved", "not accepted", "not carried", "failed of adoption",
		"failed", "fails", "defeated", "denied"}},
	{Tabled, []string{"tabled"}},
	{Continued, []string{"continued", "postponed", "held over", "held"}},
	{NoAction, []string{"no action", "withdrawn"}},
	{Adopted, []string{"adopted", "passed", "approved", "accepted", "carried", "favorable"}},
}

// NewResultWords returns a table with the rules of a deployment (results of council.yaml) before
// the built-in ones.
func NewResultWords(own map[string]Result) *ResultWords {
	t := &ResultWords{}
	for words, r := range own {
		if f := foldWords(words); f != "" {
			t.rules = append(t.rules, resultRule{" " + f + " ", r})
		}
	}
	// Longer wordings are more specific. The order must not depend on the map.
	slices.SortFunc(t.rules, func(a, b resultRule) int {
		return cmp.Or(cmp.Compare(len(b.words), len(a.words)), strings.Compare(a.words, b.words))
	})
	t.own = len(t.rules)
	for _, of := range builtIn {
		for _, w := range of.words {
			t.rules = append(t.rules, resultRule{" " + w + " ", of.result})
		}
	}
	for _, r := range t.rules {
		t.known = append(t.known, strings.Fields(r.words)...)
	}
	// Words with another meaning are not misprints of a result.
	t.known = append(t.known, "filed", "received", "referred", "noted", "heard", "closed", "opened", "passes", "carries",
		"moved", "ordained", "amended", "granted", "waived")
	return t
}

// Classify returns the result of a RESULT line, or Other if the line has no words or unknown ones.
func (t *ResultWords) Classify(raw string) Result {
	folded := " " + foldWords(raw) + " "
	for _, r := range t.rules {
		if strings.Contains(folded, r.words) {
			return r.result
		}
	}
	return Other
}

// Misprint finds the first printed word that is one or two letters away from a word of the table,
// such as "ADPOTED". It also returns the word that was meant. Classify ignores misprints.
func (t *ResultWords) Misprint(raw string) (printed, meant string) {
	for _, w := range strings.Fields(foldWords(raw)) {
		if len(w) < 5 || slices.Contains(t.known, w) {
			continue
		}
		for _, k := range t.known {
			if len(k) >= 5 && w != k && !strings.HasPrefix(w, k) && !strings.HasPrefix(k, w) &&
				EditDistance(w, k) <= 1+len(k)/8 {
				return w, k
			}
		}
	}
	return "", ""
}

func foldWords(s string) string {
	other := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), other), " ")
}

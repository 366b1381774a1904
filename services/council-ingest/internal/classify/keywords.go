package classify

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/townline/townline/pkg/council"
)

// KeywordsModel is the name of the keyword classifier. Its number changes when its answers change.
const KeywordsModel = "townline-keywords-2"

// vocabulary is the list of terms. Its header explains how to change it.
//
//go:embed terms.txt
var vocabulary string

// Keywords finds the topic of an item by weighted terms. It is safe for concurrent use.
type Keywords struct {
	terms   map[string][]vote // by term; words are folded
	longest int               // number of words of the longest term
}

type vote struct {
	topic  int // index into council.Topics
	weight float64
}

// An Opinion is the answer of Keywords.
type Opinion struct {
	Topic council.Topic // "" if Keywords abstains
	// Confidence is the share of right answers with the same margin among labelled titles.
	Confidence float64
	Quote      string  // term with the largest weight, as in the title
	margin     float64 // how much the topic's weight exceeds the second topic's
}

// Terms with a weight of at most hints count for at most hints together: common words of contracts
// and hearings must not outweigh the subject.
const hints = 2

// clearMargin is the smallest margin of an answer. About half the answers with smaller margins were
// wrong.
const clearMargin = 2

// sectionShare is the weight of the heading. "Parks" above "Fee schedule" helps, but "Parks" must
// not decide above "Budget".
const sectionShare = 0.5

func NewKeywords() *Keywords {
	k := &Keywords{terms: map[string][]vote{}}
	eachTerm(func(topic council.Topic, weight float64, term string) {
		words, _ := wordsOf(term)
		k.longest = max(k.longest, len(words))
		key := strings.Join(words, " ")
		k.terms[key] = append(k.terms[key], vote{slices.Index(council.Topics(), topic), weight})
	})
	return k
}

// eachTerm calls add for every term of the vocabulary. A malformed line gives a term without a
// topic, which a test detects.
func eachTerm(add func(topic council.Topic, weight float64, term string)) {
	var topic council.Topic
	for line := range strings.Lines(vocabulary) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if name, ok := strings.CutPrefix(line, "["); ok {
			topic = council.Topic(strings.TrimSuffix(name, "]"))
			continue
		}
		for term := range strings.SplitSeq(line[min(2, len(line)):], ",") {
			add(topic, float64(line[0]-'0'), strings.TrimSpace(term))
		}
	}
}

// keywordsVersion is a hash of everything that the answers of Keywords depend on.
func keywordsVersion() string {
	// encoding strings and numbers cannot fail
	all, _ := json.Marshal([]any{vocabulary, confidences, hints, clearMargin, sectionShare})
	sum := sha256.Sum256(all)
	return hex.EncodeToString(sum[:6])
}

func (k *Keywords) Label(in Input) Opinion {
	type tally struct {
		score, hinted, strongest float64
		quote                    string // strongest term of the title, or first term of the section
	}
	tallies := make([]tally, len(council.Topics()))
	add := func(t *tally, weight, share float64) {
		value := share * weight
		if weight <= hints {
			value = min(value, hints-t.hinted)
			t.hinted += value
		}
		t.score += value
	}
	k.count(in.Title, func(v vote, quote string) {
		t := &tallies[v.topic]
		add(t, v.weight, 1)
		if v.weight > t.strongest {
			t.strongest, t.quote = v.weight, quote
		}
	})
	k.count(in.Section, func(v vote, quote string) {
		t := &tallies[v.topic]
		add(t, v.weight, sectionShare)
		t.quote = cmp.Or(t.quote, quote)
	})
	best, next := 0, 0.0
	for i, t := range tallies {
		if t.score > tallies[best].score {
			best, next = i, tallies[best].score
		} else if i > 0 {
			next = max(next, t.score)
		}
	}
	margin := tallies[best].score - next
	if margin < clearMargin {
		return Opinion{}
	}
	return Opinion{Topic: council.Topics()[best], Confidence: confidenceOf(margin), Quote: tallies[best].quote,
		margin: margin}
}

// count calls found once for every term of a text. Longer terms take precedence over shorter ones.
func (k *Keywords) count(text string, found func(v vote, quote string)) {
	words, at := wordsOf(text)
	seen := map[string]bool{}
	for i := 0; i < len(words); {
		taken := 1
		for n := min(k.longest, len(words)-i); n > 0; n-- {
			key := strings.Join(words[i:i+n], " ")
			votes, known := k.terms[key]
			if !known || n == 1 && i+1 < len(words) && slices.Contains(streets, words[i+1]) {
				continue // as in Water Street and Park Avenue
			}
			if !seen[key] {
				seen[key] = true
				for _, v := range votes {
					found(v, text[at[i][0]:at[i+n-1][1]])
				}
			}
			taken = n
			break
		}
		i += taken
	}
}

var streets = strings.Fields("street avenue road boulevard lane drive court place terrace way st ave rd blvd")

var wordForm = regexp.MustCompile(`[\p{L}\p{Nd}\p{Mn}][\p{L}\p{Nd}\p{Mn}'’]*`)

func wordsOf(text string) (words []string, at [][]int) {
	at = wordForm.FindAllStringIndex(text, -1)
	for _, w := range at {
		words = append(words, stem(text[w[0]:w[1]]))
	}
	return words, at
}

func plain(w string) string {
	w = strings.ToLower(w)
	if strings.IndexFunc(w, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return w
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(w))
}

// stem removes the endings of plurals and possessives: "Treasurer’s" and "treasurers" become
// "treasurer".
func stem(w string) string {
	w, _, _ = strings.Cut(strings.ReplaceAll(plain(w), "’", "'"), "'")
	switch {
	case len(w) <= 3, w == "minutes", w == "arts": // these are not plurals of minute and art
	case strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "xes"), strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"),
		strings.HasSuffix(w, "sses"):
		return w[:len(w)-2]
	case strings.HasSuffix(w, "ss"), strings.HasSuffix(w, "us"), strings.HasSuffix(w, "is"):
	case strings.HasSuffix(w, "s"):
		return w[:len(w)-1]
	}
	return w
}

type step struct {
	From, Confidence float64
}

// confidences has the share of right answers for each margin, measured on testdata/calibrate.tsv.
// The share is (right+1)/(answers+2), and never falls as the margin grows.
// TestConfidencesAreMeasured compares the table with the data, and prints the new table if they
// differ.
var confidences = []step{{2, 0.8}, {3, 0.89}, {4, 0.97}}

func confidenceOf(margin float64) float64 {
	c := 0.0
	for _, s := range confidences {
		if margin >= s.From {
			c = s.Confidence
		}
	}
	return c
}

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

// KeywordsModel is what the keyword classifier signs with. The number moves when its answers do.
const KeywordsModel = "townline-keywords-2"

// vocabulary is what [Keywords] knows, and how to change it.
//
//go:embed terms.txt
var vocabulary string

// Keywords finds the topic of an item by weighted terms. It is safe for concurrent use.
type Keywords struct {
	terms   map[string][]vote // by the folded words of a term
	longest int               // words of the longest term
}

// A vote is what one term says for one topic.
type vote struct {
	topic  int // index into council.Topics
	weight float64
}

// An Opinion is what Keywords makes of an item.
type Opinion struct {
	Topic council.Topic // "" when it abstains
	// Confidence is how often answers with this much evidence were right on labelled titles; 0 when it
	// abstains.
	Confidence float64
	// Quote is the term with the most weight, as in the title.
	Quote string
	// margin is by how much the topic beats the next one.
	margin float64
}

// Terms of weight 2 and less add up to no more than hints for one topic: the words that every
// contract or hearing is announced with must not outweigh what it is about.
const hints = 2

// Keywords answers when the best topic beats the next one by at least this much; with less it was
// wrong about every second time.
const clearMargin = 2

// An item's heading counts half: "Parks" above "Fee schedule" helps, above "Budget" it does not
// decide.
const sectionShare = 0.5

// NewKeywords builds the classifier from its vocabulary.
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

// eachTerm calls add with every term of the vocabulary, the topic above it and the weight before
// it. A line that is none of the file's kinds is a term of no topic, which a test finds.
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

// keywordsVersion identifies what the keyword classifier answers by.
func keywordsVersion() string {
	// strings and numbers cannot fail
	all, _ := json.Marshal([]any{vocabulary, confidences, hints, clearMargin, sectionShare})
	sum := sha256.Sum256(all)
	return hex.EncodeToString(sum[:6])
}

// Label says what an item is about.
func (k *Keywords) Label(in Input) Opinion {
	type tally struct {
		score, hinted, strongest float64
		quote                    string // by the strongest term of the title, else the first of the section
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

// count yields every term of a text, each once, longest first from the left.
func (k *Keywords) count(text string, found func(v vote, quote string)) {
	words, at := wordsOf(text)
	seen := map[string]bool{}
	for i := 0; i < len(words); {
		taken := 1
		for n := min(k.longest, len(words)-i); n > 0; n-- {
			key := strings.Join(words[i:i+n], " ")
			votes, known := k.terms[key]
			if !known || n == 1 && i+1 < len(words) && slices.Contains(streets, words[i+1]) {
				continue // the name of a street is not a hint: Water Street, Park Avenue
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

// streets are words that end the name of a street.
var streets = strings.Fields("street avenue road boulevard lane drive court place terrace way st ave rd blvd")

var wordForm = regexp.MustCompile(`[\p{L}\p{Nd}\p{Mn}][\p{L}\p{Nd}\p{Mn}'’]*`)

// wordsOf cuts a text into words as terms have them, and returns where each begins and ends.
func wordsOf(text string) (words []string, at [][]int) {
	at = wordForm.FindAllStringIndex(text, -1)
	for _, w := range at {
		words = append(words, stem(text[w[0]:w[1]]))
	}
	return words, at
}

// plain is a word in lower case and without accents.
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

// stem brings a word and its plural together: "Treasurer’s" and "treasurers" to "treasurer".
func stem(w string) string {
	w, _, _ = strings.Cut(strings.ReplaceAll(plain(w), "’", "'"), "'")
	switch {
	case len(w) <= 3, w == "minutes", w == "arts": // not more than one minute or art
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

// A step of confidences: what a margin of at least From is worth.
type step struct {
	From, Confidence float64
}

// confidences is measured, not chosen: the share of right answers per margin on
// testdata/calibrate.tsv, counted as (right+1)/(answers+2) and never falling as the margin grows.
// TestConfidencesAreMeasured holds the table to the data and prints the new one when they part.
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

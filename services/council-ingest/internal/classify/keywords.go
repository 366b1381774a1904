package classify

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/townline/townline/pkg/council"
)

// KeywordsModel is what the keyword classifier signs with. The number moves when its answers do.
const KeywordsModel = "townline-keywords-2"

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
	// Confidence is how often answers with this much evidence were right on labelled titles; 0 when it abstains.
	Confidence float64
	// Quote is the term with the most weight, as in the title.
	Quote string
	// margin is by how much the topic beats the next one.
	margin float64
}

// Terms of weight 2 and less add up to no more than hints for one topic: the words that every contract or hearing is announced with
// must not outweigh what it is about.
const hints = 2

// Keywords answers when the best topic beats the next one by at least this much; with less it was wrong about every second time.
const clearMargin = 2

// An item's heading counts half: "Parks" above "Fee schedule" helps, above "Budget" it does not decide.
const sectionShare = 0.5

// NewKeywords builds the classifier from its vocabulary.
func NewKeywords() *Keywords {
	k := &Keywords{terms: map[string][]vote{}}
	topics := council.Topics()
	eachTerm(func(topic council.Topic, weight float64, term string) {
		words := wordsOf(term)
		k.longest = max(k.longest, len(words))
		key := joined(words)
		k.terms[key] = append(k.terms[key], vote{slices.Index(topics, topic), weight})
	})
	return k
}

// keywordsVersion identifies what the keyword classifier answers by.
func keywordsVersion() string {
	all, _ := json.Marshal([]any{vocabulary, confidences, hints, clearMargin, sectionShare}) // strings and numbers cannot fail
	sum := sha256.Sum256(all)
	return hex.EncodeToString(sum[:6])
}

// Label says what an item is about.
func (k *Keywords) Label(in Input) Opinion {
	n := len(council.Topics())
	scores, hinted, strongest, quotes := make([]float64, n), make([]float64, n), make([]float64, n), make([]string, n)
	add := func(v vote, share float64) {
		weight := share * v.weight
		if v.weight <= 2 {
			weight = min(weight, hints-hinted[v.topic])
			hinted[v.topic] += weight
		}
		scores[v.topic] += weight
	}
	k.count(in.Title, func(v vote, quote string) {
		add(v, 1)
		if v.weight > strongest[v.topic] {
			strongest[v.topic], quotes[v.topic] = v.weight, quote
		}
	})
	k.count(in.Section, func(v vote, quote string) {
		add(v, sectionShare)
		if quotes[v.topic] == "" {
			quotes[v.topic] = quote
		}
	})
	best, next := 0, 0.0
	for i := range scores {
		if scores[i] > scores[best] {
			best = i
		}
	}
	for i := range scores {
		if i != best {
			next = max(next, scores[i])
		}
	}
	margin := scores[best] - next
	if margin < clearMargin {
		return Opinion{}
	}
	return Opinion{Topic: council.Topics()[best], Confidence: confidenceOf(margin), Quote: quotes[best], margin: margin}
}

// count yields every term of a text, each once, longest first from the left.
func (k *Keywords) count(text string, found func(v vote, quote string)) {
	words := wordsOf(text)
	seen := map[string]bool{}
	for i := 0; i < len(words); {
		taken := 1
		for n := min(k.longest, len(words)-i); n > 0; n-- {
			key := joined(words[i : i+n])
			votes, known := k.terms[key]
			if !known || n == 1 && i+1 < len(words) && isStreet(words[i+1].folded) {
				continue // the name of a street is not a hint: Water Street, Park Avenue
			}
			if !seen[key] {
				seen[key] = true
				for _, v := range votes {
					found(v, text[words[i].start:words[i+n-1].end])
				}
			}
			taken = n
			break
		}
		i += taken
	}
}

// A word is a word of a text as terms have it, with its place.
type word struct {
	folded     string
	start, end int
}

func joined(words []word) string {
	if len(words) == 1 {
		return words[0].folded
	}
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.folded)
	}
	return b.String()
}

// wordsOf cuts a text into words: letters and digits, lower case, without accents, possessives and plurals.
func wordsOf(text string) []word {
	var out []word
	start := -1
	flush := func(end int) {
		if start >= 0 {
			out = append(out, word{stem(text[start:end]), start, end})
		}
		start = -1
	}
	for i, r := range text {
		inside := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)
		if (r == '\'' || r == '’') && start >= 0 {
			inside = true
		}
		switch {
		case !inside:
			flush(i)
		case start < 0:
			start = i
		}
	}
	flush(len(text))
	return out
}

// stem brings a word and its plural together: "Treasurer’s" and "treasurers" to "treasurer".
func stem(w string) string {
	w = strings.ToLower(w)
	if strings.IndexFunc(w, func(r rune) bool { return r >= 0x80 }) >= 0 {
		w = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Mn, r) {
				return -1
			}
			return r
		}, norm.NFD.String(w))
	}
	w, _, _ = strings.Cut(strings.ReplaceAll(w, "’", "'"), "'")
	switch {
	case len(w) <= 3, w == "minutes", w == "arts": // not more than one minute or art
	case strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "xes"), strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"), strings.HasSuffix(w, "sses"):
		return w[:len(w)-2]
	case strings.HasSuffix(w, "ss"), strings.HasSuffix(w, "us"), strings.HasSuffix(w, "is"):
	case strings.HasSuffix(w, "s"):
		return w[:len(w)-1]
	}
	return w
}

// isStreet reports whether a word ends the name of a street.
func isStreet(folded string) bool {
	return slices.Contains([]string{"street", "avenue", "road", "boulevard", "lane", "drive", "court", "place", "terrace", "way", "st", "ave", "rd", "blvd"}, folded)
}

// A step of confidences: what a margin of at least From is worth.
type step struct {
	From, Confidence float64
}

// confidences is measured, not chosen: the share of right answers per margin on testdata/calibrate.tsv, counted as (right+1)/(answers+2) and
// never falling as the margin grows. TestConfidencesAreMeasured holds the table to the data and prints the new one when they part.
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

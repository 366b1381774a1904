package edition

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/townline/townline/pkg/spelling"
)

// abbreviations pairs words of street names and places with their usual abbreviations. Searches
// that find nothing try one for the other.
var abbreviations = [][2]string{
	{"avenue", "av"}, {"avenue", "ave"}, {"boulevard", "blvd"}, {"boulevard", "boul"}, {"bridge", "br"},
	{"calle", "c"}, {"centre", "center"}, {"centre", "ctr"}, {"chemin", "ch"}, {"circle", "cir"}, {"court", "ct"},
	{"crescent", "cres"}, {"crossing", "xing"}, {"drive", "dr"}, {"east", "e"}, {"expressway", "expy"}, {"fort", "ft"},
	{"heights", "hts"}, {"highway", "hwy"}, {"hospital", "hosp"}, {"junction", "jct"}, {"lane", "ln"}, {"mount", "mt"},
	{"north", "n"}, {"park", "pk"}, {"parkway", "pkwy"}, {"place", "pl"}, {"plaza", "plz"}, {"road", "rd"},
	{"saint", "st"}, {"sainte", "ste"}, {"school", "sch"}, {"south", "s"}, {"square", "sq"}, {"station", "sta"},
	{"station", "stn"}, {"street", "st"}, {"terminal", "term"}, {"terrace", "terr"}, {"trail", "trl"},
	{"university", "univ"}, {"west", "w"},
}

const (
	maxSpellings  = 4  // spellings of a word that are tried
	maxVariants   = 64 // combinations of spellings that are tried
	shortestTyped = 4  // shorter words are not corrected
	dropped       = 20 // price of a search without one of its words
)

// A spelledWord is searched for in place of a typed word.
type spelledWord struct {
	text  string // after a space, as in Terms; "" leaves the word out
	price int    // 0 for the word itself, 1 for an abbreviation, then by typing errors
}

// SearchForgiving is [SearchAll]. If it finds nothing, it tries abbreviations and the most similar
// words of the feeds in place of the typed ones, and then fewer words. It returns what the fewest
// changes find, and the words that found it, or "" if they are the typed words.
func SearchForgiving(
	ctx context.Context, feeds []*Feed, s Search, limit int,
) (best []Hit, total int, corrected string, err error) {
	best, total, err = SearchAll(ctx, feeds, s, limit)
	if total > 0 || err != nil || s.Terms == nil {
		return best, total, "", err
	}
	spellings, err := s.spellings(ctx, feeds)
	if err != nil {
		return nil, 0, "", err
	}
	for _, words := range variants(spellings) {
		tried := s
		corrected = strings.Join(words, "")[1:]
		tried.Terms = newTerms(words)
		best, total, err = SearchAll(ctx, feeds, tried, limit)
		if total > 0 || err != nil {
			return best, total, corrected, err
		}
	}
	return nil, 0, "", nil
}

// spellings returns for each word of a search the words that may be meant, the likeliest first.
func (w *Terms) spellings(ctx context.Context, feeds []*Feed) ([][]spelledWord, error) {
	all := make([][]spelledWord, len(w.words))
	typed := make([][]rune, len(w.words))
	for i, word := range w.words {
		all[i] = []spelledWord{{text: word}}
		typed[i] = []rune(word[1:])
		for _, pair := range abbreviations {
			for k := range pair {
				if pair[k] == word[1:] {
					all[i] = append(all[i], spelledWord{text: " " + pair[1-k], price: 1})
				}
			}
		}
	}
	seen := map[string]bool{}
	for _, f := range feeds {
		if f.Edition == nil {
			continue
		}
		for word := range f.index.words() {
			if len(seen)%1000 == 999 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if len(word) < shortestTyped || seen[string(word)] {
				continue
			}
			seen[string(word)] = true
			known := []rune(string(word))
			for i := range typed {
				if len(typed[i]) < shortestTyped {
					continue
				}
				if n, ok := spelling.Errors(typed[i], known); ok && n > 0 {
					all[i] = append(all[i], spelledWord{text: " " + string(word), price: 2 * n})
				}
			}
		}
	}
	for i, found := range all {
		slices.SortStableFunc(found, func(a, b spelledWord) int {
			return cmp.Or(cmp.Compare(a.price, b.price), strings.Compare(a.text, b.text))
		})
		all[i] = found[:min(len(found), maxSpellings)]
		if strings.ContainsFunc(found[0].text, unicode.IsLetter) { // a number of a stop says more than its other words
			all[i] = append(all[i], spelledWord{price: dropped})
		}
	}
	return all, nil
}

// words yields the words of the names of all stops, with repetitions.
func (x *index) words() func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for stop := range bytes.SplitSeq(x.text, []byte{stopMark}) {
			name, _, _ := bytes.Cut(stop, []byte{wordMark})
			for word := range bytes.SplitSeq(name, []byte{' '}) {
				if !yield(word) {
					return
				}
			}
		}
	}
}

// variants combines the spellings of each word, the combinations with the fewest changes first.
func variants(spellings [][]spelledWord) [][]string {
	type variant struct {
		words []string
		price int
	}
	made := []variant{{}}
	for _, of := range spellings {
		var longer []variant
		for _, v := range made {
			for _, word := range of {
				next := variant{words: v.words, price: v.price + word.price}
				if word.text != "" {
					next.words = append(slices.Clip(v.words), word.text)
				}
				longer = append(longer, next)
			}
		}
		slices.SortStableFunc(longer, func(a, b variant) int { return cmp.Compare(a.price, b.price) })
		made = longer[:min(len(longer), maxVariants)]
	}
	var all [][]string
	for _, v := range made {
		if v.price > 0 && len(v.words) > 0 { // the typed words were tried already
			all = append(all, v.words)
		}
	}
	return all
}

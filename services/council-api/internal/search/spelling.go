package search

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/snippet"
)

// wordLike is a word that may be misspelt. Numbers are not.
var wordLike = regexp.MustCompile(`^\pL[\pL\pM]{2,39}$`)

// mostCorrected is the largest number of words of a search that are looked for among all words.
const mostCorrected = 8

// corrected replaces the words of a search that no text has by the most similar ones that some text
// has. It returns "" if there is nothing to replace.
func corrected(ctx context.Context, c *rest.Call, q string) (string, error) {
	words := slices.DeleteFunc(plainWords(q), func(w string) bool { return len([]rune(w)) < 4 })
	words = words[:min(len(words), mostCorrected)]
	if len(words) == 0 {
		return "", nil
	}
	known, err := knownWords.List(ctx, c, wordList{words})
	if err != nil {
		return "", err
	}
	changed := false
	for _, typed := range words {
		folded := snippet.Fold(typed)
		if slices.Contains(known, folded) {
			continue
		}
		like, err := similarWords.List(ctx, c, oneWord{typed})
		if err != nil {
			return "", err
		}
		if best := nearest(folded, like); best != "" {
			q, changed = replaceWord(q, typed, best), true
		}
	}
	if !changed {
		return "", nil
	}
	return q, nil
}

// replaceWord replaces a word of a search wherever it stands between blanks.
func replaceWord(q, word, by string) string {
	parts := strings.Split(q, `"`)
	for i := 0; i < len(parts); i += 2 {
		fields := strings.Split(parts[i], " ")
		for j, f := range fields {
			if f == word {
				fields[j] = by
			}
		}
		parts[i] = strings.Join(fields, " ")
	}
	return strings.Join(parts, `"`)
}

// named reports whether one of the words is a word of a name, or the beginning of one, but for
// typing errors.
func named(name string, words []string) bool {
	for part := range strings.FieldsFuncSeq(snippet.Fold(name), func(r rune) bool { return !unicode.IsLetter(r) }) {
		for _, w := range words {
			w = snippet.Fold(w)
			if strings.HasPrefix(part, w) || nearest(w, []string{part}) != "" {
				return true
			}
		}
	}
	return false
}

// nearest is the first of several words, the most similar of which come first, that is the fewest
// typing errors away: at most one for short words, two for others.
func nearest(word string, among []string) string {
	letters, most := []rune(word), 2
	if len(letters) < 6 {
		most = 1
	}
	best := ""
	for _, w := range among {
		other := []rune(w)
		if d := len(letters) - len(other); d > most || -d > most {
			continue
		}
		if d := council.Edits(letters, other); d <= most {
			best, most = w, d-1
		}
	}
	return best
}

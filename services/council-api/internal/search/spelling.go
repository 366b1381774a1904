package search

import (
	"context"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/spelling"
)

// isWordLike reports whether the spelling of a word can be corrected: it has 3 to 40 letters and
// marks, and begins with a letter.
func isWordLike(w string) bool {
	first, _ := utf8.DecodeRuneInString(w)
	n := utf8.RuneCountInString(w)
	return n >= 3 && n <= 40 && unicode.IsLetter(first) &&
		!strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
}

const mostCorrected = 8

// corrected replaces unknown words of a search by the most similar words of the corpus. It returns
// "" if it replaces no word.
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
		folded := Fold(typed)
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

// replaceWord replaces a word that stands between blanks and outside quotes.
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

// matchesName reports whether one of words is the beginning of a word of the name, or equals it
// except for typing errors.
func matchesName(name string, words []string) bool {
	for part := range strings.FieldsFuncSeq(Fold(name), func(r rune) bool { return !unicode.IsLetter(r) }) {
		for _, w := range words {
			w = Fold(w)
			if strings.HasPrefix(part, w) || nearest(w, []string{part}) != "" {
				return true
			}
		}
	}
	return false
}

// nearest returns the word with the fewest typing errors: at most one in a short word, at most two
// in others. If several have equally few, it returns the first of them.
func nearest(word string, among []string) string {
	best, fewest := "", math.MaxInt
	for _, w := range among {
		if n, ok := spelling.Errors([]rune(word), []rune(w)); ok && n < fewest {
			best, fewest = w, n
		}
	}
	return best
}

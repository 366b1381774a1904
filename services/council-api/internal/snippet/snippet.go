// Package snippet cuts the place out of a text where a search found its words, and marks them.
//
// The database looks for words in folded text: accents are dropped, ligatures are opened. Readers
// are to see what is printed, so a text stays as it is, and its words are compared in the form that
// [Fold] gives them. The package is pure, and knows no query.
package snippet

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A TextPart is a piece of a snippet.
type TextPart struct {
	Text  string `json:"text" doc:"As printed, with single blanks. … stands where text is left out."`
	Match bool   `json:"match" doc:"Whether this is what was searched for."`
}

// context is how many characters a snippet has before the first word that was found.
const context = 60

// Words are the words of a text, folded: letters and digits, and the accents that stand behind
// them.
func Words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !ofWord(r) }) {
			word = Fold(word)
			if word != "" && !yield(word) {
				return
			}
		}
	}
}

func ofWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)
}

// Cut returns about so many characters of a text, where most of the wanted words stand; these are
// folded. A text that is not longer stays whole. Without such a word it is the beginning of the
// text.
func Cut(text string, wanted map[string]bool, length int) []TextPart {
	letters, length := mark(text, wanted), max(length, context+1)
	from, to := window(letters, length)
	parts := []TextPart{}
	add := func(s string, match bool) {
		if n := len(parts); n > 0 && parts[n-1].Match == match {
			parts[n-1].Text += s
			return
		}
		parts = append(parts, TextPart{s, match})
	}
	if from > 0 {
		add("… ", false)
	}
	for at := from; at < to; {
		end := at
		var run strings.Builder
		for ; end < to && letters[end].found == letters[at].found; end++ {
			run.WriteRune(letters[end].is)
		}
		add(run.String(), letters[at].found)
		at = end
	}
	if to < len(letters) {
		add(" …", false)
	}
	return parts
}

// A letter is a character of the printed text.
type letter struct {
	is    rune
	found bool
}

// mark returns the characters of a text, each with whether its word is wanted. White space becomes
// one blank.
func mark(text string, wanted map[string]bool) []letter {
	letters := make([]letter, 0, len(text))
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		if unicode.IsSpace(r) {
			if n := len(letters); n > 0 && letters[n-1].is != ' ' {
				letters = append(letters, letter{' ', false})
			}
			text = text[size:]
			continue
		}
		found := false
		if ofWord(r) {
			size = strings.IndexFunc(text, func(r rune) bool { return !ofWord(r) })
			if size < 0 {
				size = len(text)
			}
			found = wanted[Fold(text[:size])]
		}
		for _, r := range text[:size] {
			letters = append(letters, letter{r, found})
		}
		text = text[size:]
	}
	if n := len(letters); n > 0 && letters[n-1].is == ' ' {
		letters = letters[:n-1]
	}
	return letters
}

// Fold is what the database makes of a word, lower(council.fold(word)).
func Fold(word string) string {
	plain := true
	for i := range len(word) {
		plain = plain && word[i] < utf8.RuneSelf
	}
	if plain {
		return strings.ToLower(word)
	}
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r >= 0x300 && r <= 0x36F {
			return -1
		}
		if plain, ok := plainLetters[r]; ok {
			return plain
		}
		return r
	}, norm.NFKD.String(word)))
}

// plainLetters are the letters that council.fold translates.
var plainLetters = map[rune]rune{'Ø': 'O', 'ø': 'o', 'Ł': 'L', 'ł': 'l', 'Đ': 'D', 'đ': 'd', 'Ħ': 'H', 'ħ': 'h',
	'ı': 'i', '‘': '\'', '’': '\'', 'ʼ': '\''}

// window chooses the part of a text that has most found characters, from the beginning of a word to
// the end of one. A short text stays whole.
func window(letters []letter, length int) (from, to int) {
	if len(letters) <= length {
		return 0, len(letters)
	}
	most, start := 0, 0
	for first, next, found := 0, 0, 0; first < len(letters); first++ {
		for ; next < len(letters) && next < first+length-context; next++ {
			if letters[next].found {
				found++
			}
		}
		if found > most && letters[first].found {
			most, start = found, first
		}
		if letters[first].found {
			found--
		}
	}
	from, to = max(0, start-context), min(len(letters), start+length-context)
	if start == 0 {
		to = min(len(letters), length)
	}
	for from > 0 && from < start && letters[from-1].is != ' ' {
		from++
	}
	for to < len(letters) && to > start+1 && letters[to].is != ' ' {
		to--
	}
	for to > from && letters[to-1].is == ' ' {
		to--
	}
	return from, to
}

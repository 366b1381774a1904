package search

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A TextPart is a part of a snippet, which is the part of a text with the words that were found.
// The database compares folded words; a snippet shows the text as printed.
type TextPart struct {
	Text  string `json:"text" doc:"As printed, with single blanks. … stands where text is left out."`
	Match bool   `json:"match" doc:"Whether this is what was searched for."`
}

// lead is the number of characters before the first match of a snippet.
const lead = 60

// FoldedWords yields the folded words of a text.
func FoldedWords(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !isWordRune(r) }) {
			word = Fold(word)
			if word != "" && !yield(word) {
				return
			}
		}
	}
}

// isWordRune reports whether a character is part of a word. An accent can be a character of its
// own.
func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)
}

// CutSnippet returns about length characters of a text, where most of the wanted words are. The
// wanted words must be folded. A shorter text stays whole. A text without a wanted word is cut at
// its end.
func CutSnippet(text string, wanted map[string]bool, length int) []TextPart {
	letters, length := markLetters(text, wanted), max(length, lead+1)
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
		for ; end < to && letters[end].match == letters[at].match; end++ {
			run.WriteRune(letters[end].rune)
		}
		add(run.String(), letters[at].match)
		at = end
	}
	if to < len(letters) {
		add(" …", false)
	}
	return parts
}

type letter struct {
	rune  rune
	match bool
}

// markLetters returns the characters of a text, and for each whether its word is wanted. White
// space becomes one blank.
func markLetters(text string, wanted map[string]bool) []letter {
	letters := make([]letter, 0, len(text))
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		if unicode.IsSpace(r) {
			if n := len(letters); n > 0 && letters[n-1].rune != ' ' {
				letters = append(letters, letter{' ', false})
			}
			text = text[size:]
			continue
		}
		match := false
		if isWordRune(r) {
			size = strings.IndexFunc(text, func(r rune) bool { return !isWordRune(r) })
			if size < 0 {
				size = len(text)
			}
			match = wanted[Fold(text[:size])]
		}
		for _, r := range text[:size] {
			letters = append(letters, letter{r, match})
		}
		text = text[size:]
	}
	if n := len(letters); n > 0 && letters[n-1].rune == ' ' {
		letters = letters[:n-1]
	}
	return letters
}

// Fold folds a word as the database does, with lower(council.fold(word)). It removes accents and
// expands ligatures.
func Fold(word string) string {
	isASCII := true
	for i := range len(word) {
		isASCII = isASCII && word[i] < utf8.RuneSelf
	}
	if isASCII {
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

var plainLetters = map[rune]rune{'Ø': 'O', 'ø': 'o', 'Ł': 'L', 'ł': 'l', 'Đ': 'D', 'đ': 'd', 'Ħ': 'H', 'ħ': 'h',
	'ı': 'i', '‘': '\'', '’': '\'', 'ʼ': '\''}

// window chooses the part of a text that has most matching characters. The part begins and ends
// between words.
func window(letters []letter, length int) (from, to int) {
	if len(letters) <= length {
		return 0, len(letters)
	}
	most, start := 0, 0
	next, matches := 0, 0
	for first := 0; first < len(letters); first++ {
		for ; next < len(letters) && next < first+length-lead; next++ {
			if letters[next].match {
				matches++
			}
		}
		if matches > most && letters[first].match {
			most, start = matches, first
		}
		if letters[first].match {
			matches--
		}
	}
	from, to = max(0, start-lead), min(len(letters), start+length-lead)
	if start == 0 {
		to = min(len(letters), length)
	}
	for from > 0 && from < start && letters[from-1].rune != ' ' {
		from++
	}
	for to < len(letters) && to > start+1 && letters[to].rune != ' ' {
		to--
	}
	for to > from && letters[to-1].rune == ' ' {
		to--
	}
	return from, to
}

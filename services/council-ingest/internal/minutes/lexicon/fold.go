package lexicon

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
)

// FoldText returns a text in lower case without accents, with straight quotation marks, and blanks
// for line feeds. at has the offset in s of each byte, or is nil if no offset changes.
func FoldText(s string) (folded string, at []int) {
	ascii := true
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			ascii = false
			break
		}
	}
	if ascii {
		return strings.ReplaceAll(strings.ToLower(s), "\n", " "), nil
	}
	var b strings.Builder
	b.Grow(len(s))
	put := func(r rune, offset int) {
		for range utf8.RuneLen(r) {
			at = append(at, offset)
		}
		b.WriteRune(r)
	}
	for i, r := range s {
		switch {
		case r == '\n':
			put(' ', i)
		case r == '’' || r == '‘' || r == 'ʼ':
			put('\'', i)
		case r == '“' || r == '”':
			put('"', i)
		case r == '–' || r == '—' || r == '‒' || r == '−':
			put('-', i)
		case r < utf8.RuneSelf:
			put(unicode.ToLower(r), i)
		default:
			base, _ := utf8.DecodeRuneInString(norm.NFD.String(string(r)))
			if base == utf8.RuneError {
				base = '?'
			}
			put(unicode.ToLower(base), i)
		}
	}
	return b.String(), at
}

// numbers has the values of the counts in words, in all languages.
var (
	numbers = words.Values("number")
	one     = words.Plain("one")
	nobody  = words.Plain("nobody counted")
)

// ValueOf returns the value of a number in digits or words, or -1.
func ValueOf(s string) int {
	if s == "" {
		return -1
	}
	if n, found := numbers[s]; found {
		return n
	}
	if nobody.Is(s) {
		return 0
	}
	if one.Is(s) {
		return 1
	}
	n := 0
	for _, c := range s {
		if c < '0' || c > '9' || n > 999 {
			return -1
		}
		n = n*10 + int(c-'0')
	}
	return n
}

package edition

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// spelled are letters that have no accent to take off and are typed in other ways.
var spelled = map[rune]string{'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'ł': "l", 'þ': "th", 'ı': "i", 'ħ': "h"}

// fold appends the words of a text as a search compares them: each after a blank, in lower case and without accents. Apostrophes
// fall out, all else that is no letter and no digit ends a word; so does each letter of a script that writes no blanks.
func fold(b []byte, text string) []byte {
	inside := false // a word
	for _, r := range norm.NFKD.String(text) {
		switch {
		case r == '\'' || r == '’' || r == 'ʼ' || unicode.Is(unicode.Mn, r):
			continue
		case r == utf8.RuneError || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mc, r):
			inside = false
			continue
		}
		alone := unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
		if !inside || alone {
			b = append(b, ' ')
		}
		inside = !alone
		r = unicode.ToLower(r)
		if s, ok := spelled[r]; ok {
			b = append(b, s...)
		} else {
			b = utf8.AppendRune(b, r)
		}
	}
	return b
}

// maxWords is how many words of a search count.
const maxWords = 8

// A Wording is what a search looks for: words, or their beginnings.
type Wording struct {
	whole string   // folded
	words []string // each after a blank; the longest first
}

// NewWording reads a search; nil when it has no word.
func NewWording(text string) *Wording {
	whole := string(fold(nil, text))
	if whole == "" {
		return nil
	}
	w := &Wording{whole: whole}
	for word := range strings.SplitSeq(whole[1:], " ") {
		if len(w.words) == maxWords {
			break
		}
		w.words = append(w.words, " "+word)
		if last := len(w.words) - 1; len(w.words[last]) > len(w.words[0]) {
			w.words[0], w.words[last] = w.words[last], w.words[0]
		}
	}
	return w
}

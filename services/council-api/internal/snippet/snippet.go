// Package snippet cuts the place out of a text where a search found its words, and marks them.
//
// The database looks for words in folded text: accents are dropped, ligatures are opened. It marks them there. Readers are to see what is
// printed, so [Cut] carries the marks back to the text as it is. It is pure, and knows no query.
package snippet

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Start and Stop stand around each found word of a marked text. They are of Unicode's private use area.
const (
	Start = '\uE000'
	Stop  = '\uE001'
)

// Marked is the SQL that marks the words of a query in the text of a column. A "<" becomes a blank: what looks like a tag would be left out.
func Marked(column, query string) string {
	return `ts_headline('english', translate(council.fold(` + column + `), U&'<\E000\E001', ' '), ` + query + `, U&'HighlightAll=true, StartSel=\E000, StopSel=\E001')`
}

// A TextPart is a piece of a snippet.
type TextPart struct {
	Text  string `json:"text" doc:"As printed, with single blanks. … stands where text is left out."`
	Match bool   `json:"match" doc:"Whether this is what was searched for."`
}

// context is how many characters a snippet has before the first word that was found.
const context = 60

// Cut returns about so many characters of a text, where most found words stand; a text that is not longer stays whole. marked is what
// [Marked] makes of it. Without a mark it is the beginning of the text.
func Cut(text, marked string, length int) []TextPart {
	letters, length := align(text, marked), max(length, context+1)
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

// align returns the characters of a text, each with whether its folded form is marked. White space becomes one blank.
// Behind a place where the two texts differ in more than folding, nothing counts as found.
func align(text, marked string) []letter {
	letters := make([]letter, 0, len(text))
	inside := false
	for _, r := range text {
		if r == Start || r == Stop {
			continue
		}
		found := false
		for i, want := range fold(r) {
			have, size := utf8.DecodeRuneInString(marked)
			for ; have == Start || have == Stop; have, size = utf8.DecodeRuneInString(marked) {
				inside, marked = have == Start, marked[size:]
			}
			if have != want {
				inside, marked = false, "" // no other character equals what follows
			}
			if i == 0 {
				found = inside
			}
			marked = marked[min(size, len(marked)):]
		}
		last := len(letters) - 1
		switch {
		case unicode.IsSpace(r) && (last < 0 || letters[last].is == ' '):
			continue
		case unicode.IsSpace(r):
			r = ' '
		case unicode.Is(unicode.Mn, r) && last >= 0: // an accent of its own
			found = letters[last].found
		}
		letters = append(letters, letter{r, found})
	}
	if n := len(letters); n > 0 && letters[n-1].is == ' ' {
		letters = letters[:n-1]
	}
	return letters
}

// fold is what council.fold and [Marked] make of a character.
func fold(r rune) string {
	switch {
	case r == '<':
		return " "
	case r < utf8.RuneSelf:
		return string(r)
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 0x300 && r <= 0x36F:
			return -1
		case r == '<':
			return ' '
		}
		if plain, ok := plainLetters[r]; ok {
			return plain
		}
		return r
	}, norm.NFKD.String(string(r)))
}

// plainLetters are the letters that council.fold translates.
var plainLetters = map[rune]rune{'Ø': 'O', 'ø': 'o', 'Ł': 'L', 'ł': 'l', 'Đ': 'D', 'đ': 'd', 'Ħ': 'H', 'ħ': 'h', 'ı': 'i', '‘': '\'', '’': '\'', 'ʼ': '\''}

// window chooses the part of a text that has most found characters, from the beginning of a word to the end of one. A short text stays whole.
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

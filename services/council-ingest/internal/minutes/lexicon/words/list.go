package words

import (
	"regexp/syntax"
	"strings"
)

// A List has the words of a row, written out. Code compares a text with it where a pattern would be slow, or where
// the word alone matters.
type List struct {
	words []string
	set   map[string]bool
}

// Plain returns the words of rows in all languages, folded like the text that they are compared with. A name in
// capitals stands for its words in capitals, and a name that begins with one for words that do, as in Regexp.
func Plain(names ...string) List { return PlainIn(Languages, names...) }

// PlainIn returns the words of rows in some languages.
func PlainIn(languages string, names ...string) List {
	l := List{set: map[string]bool{}}
	for _, name := range names {
		for _, word := range writtenOut(In(languages, strings.ToLower(name))) {
			switch {
			case name == strings.ToLower(name):
			case name == strings.ToUpper(name):
				word = capitals(word, false)
			default:
				word = capitals(word, true)
			}
			if word != "" && !l.set[word] {
				l.words, l.set[word] = append(l.words, word), true
			}
		}
	}
	return l
}

// Values returns the words of a row by their place in it: the months of a language are 0 to 11. Words of two languages
// in one place mean the same.
func Values(name string) map[string]int {
	values := map[string]int{}
	for language := range strings.FieldsSeq(Languages) {
		for _, r := range Of(language) {
			if r.Name != name {
				continue
			}
			for i, one := range alternatives(r.Words) {
				for _, word := range writtenOut(one) {
					values[word] = i
				}
			}
		}
	}
	return values
}

// alternatives cuts an expression at the bars outside of groups.
func alternatives(expr string) (out []string) {
	from, depth := 0, 0
	for i := range len(expr) {
		switch {
		case expr[i] == '(':
			depth++
		case expr[i] == ')':
			depth--
		case expr[i] == '|' && depth == 0:
			out, from = append(out, expr[from:i]), i+1
		}
	}
	return append(out, expr[from:])
}

// Is reports whether a text is one of the words.
func (l List) Is(text string) bool { return l.set[text] }

// In reports whether a text has one of the words, which can be a part of another.
func (l List) In(text string) bool { return l.find(text, strings.Contains) != "" }

// Begins reports whether a text begins with one of the words.
func (l List) Begins(text string) bool { return l.find(text, strings.HasPrefix) != "" }

// Ends reports whether a text ends with one of the words.
func (l List) Ends(text string) bool { return l.find(text, strings.HasSuffix) != "" }

// Opens reports whether a text begins with one of the words, and the word ends there.
func (l List) Opens(text string) bool {
	return l.find(text, func(text, word string) bool {
		return strings.HasPrefix(text, word) && (len(text) == len(word) || !isLetter(text[len(word)]))
	}) != ""
}

// isLetter is true for a byte of a word; those of letters with accents are.
func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 }

func (l List) find(text string, has func(text, word string) bool) string {
	for _, word := range l.words {
		if has(text, word) {
			return word
		}
	}
	return ""
}

// Find returns where the first of the words begins and ends in a text, or -1.
func (l List) Find(text string) (from, to int) {
	from, to = -1, -1
	for _, word := range l.words {
		if i := strings.Index(text, word); i >= 0 && (from < 0 || i < from || i == from && i+len(word) > to) {
			from, to = i, i+len(word)
		}
	}
	return from, to
}

// Count returns how often the words stand in a text.
func (l List) Count(text string) (n int) {
	for _, word := range l.words {
		n += strings.Count(text, word)
	}
	return n
}

// CutWord returns a text without one of the words at its beginning, and the blanks behind it.
func (l List) CutWord(text string) (after string, found bool) {
	after, found = l.CutPrefix(text)
	if rest := strings.TrimLeft(after, " "); found && rest != after {
		return rest, true
	}
	return text, false
}

// CutPrefix returns a text without the longest of the words with which it begins.
func (l List) CutPrefix(text string) (after string, found bool) {
	after = text
	for _, word := range l.words {
		if rest, begins := strings.CutPrefix(text, word); begins && len(rest) < len(after) {
			after, found = rest, true
		}
	}
	return after, found
}

// Words returns the words.
func (l List) Words() []string { return l.words }

// writtenOut returns the words that an expression matches, or nil if they are too many to write.
func writtenOut(expr string) []string {
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil
	}
	all, _ := all(tree)
	return all
}

// maxWords bounds the words of one row.
const maxWords = 2_000

// all returns what an expression matches. ok is false if that is not a list.
func all(re *syntax.Regexp) (out []string, ok bool) {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return []string{""}, true
	case syntax.OpLiteral:
		return []string{string(re.Rune)}, true
	case syntax.OpCapture:
		return all(re.Sub[0])
	case syntax.OpQuest:
		out, ok = all(re.Sub[0])
		return append(out, ""), ok
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1] && len(out) < maxWords; r++ {
				out = append(out, string(r))
			}
		}
		return out, len(out) < maxWords
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			more, listed := all(sub)
			if out = append(out, more...); !listed || len(out) > maxWords {
				return nil, false
			}
		}
		return out, true
	case syntax.OpConcat:
		out = []string{""}
		for _, sub := range re.Sub {
			more, listed := all(sub)
			if !listed || len(out)*len(more) > maxWords {
				return nil, false
			}
			var next []string
			for _, a := range out {
				for _, b := range more {
					next = append(next, a+b)
				}
			}
			out = next
		}
		return out, true
	}
	return nil, false
}

// Package words is the table of the words of minutes: each row has the words of one meaning in one
// language, with a sample of a document and the source of the sample.
//
// Every pattern of the reader is a form in code with the names of rows in braces: "\b{motion} {by}\b".
// Only this table has words, so a word is added in one place, for all forms.
package words

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// A Row has the words of one meaning in one language. Words are separated by "|", in lower case and
// without accents; they are regular expressions.
type Row struct {
	Name   string
	Words  string
	Sample string
	Source string
}

// Languages are the languages of the table, in the order in which their words are tried.
const Languages = "English French Spanish Irish Welsh"

// Of returns the rows of a language.
func Of(language string) []Row {
	switch language {
	case "English":
		return slices.Concat(english, englishForms, englishLayout, englishLists, englishTelling)
	case "French":
		return slices.Concat(french, frenchForms, frenchLists, frenchTelling)
	case "Spanish":
		return slices.Concat(spanish, spanishForms, spanishLists, spanishTelling)
	case "Irish":
		return irish
	case "Welsh":
		return welsh
	}
	return nil
}

// In returns the words of the rows with a name in some languages, or "" if there are none.
func In(languages, name string) string {
	var all []string
	for language := range strings.FieldsSeq(languages) {
		for _, r := range Of(language) {
			if r.Name == name {
				all = append(all, r.Words)
			}
		}
	}
	return strings.Join(all, "|")
}

// every has the words of all languages by name, in two spellings: folded, and as printed.
var every = sync.OnceValue(func() map[string][2]string {
	all := map[string][2]string{}
	for language := range strings.FieldsSeq(Languages) {
		for _, r := range Of(language) {
			printed := strings.ReplaceAll(r.Words, "'", "['’]")
			if language != "English" {
				printed = withAccents(printed)
			}
			if have, found := all[r.Name]; found {
				all[r.Name] = [2]string{have[0] + "|" + r.Words, have[1] + "|" + printed}
			} else {
				all[r.Name] = [2]string{r.Words, printed}
			}
		}
	}
	return all
})

// placeholder matches the name of a row in braces, and the Unicode classes that look like one.
var placeholder = regexp.MustCompile(`\\[pP]\{[^}]*\}|\{\pL[\pL ]*\}`)

// Folded puts the words of the table into a form for folded text.
func Folded(form string) string { return expand(form, 0) }

// Regexp compiles a form for text as it is printed: letters can have accents. The name of a row in
// capitals stands for its words in capitals, and a name that begins with one for words that do.
func Regexp(form string) *regexp.Regexp { return regexp.MustCompile(expand(form, 1)) }

func expand(form string, spelling int) string {
	return placeholder.ReplaceAllStringFunc(form, func(name string) string {
		if name[0] == '\\' {
			return name
		}
		name = name[1 : len(name)-1]
		row, found := every()[strings.ToLower(name)]
		if !found {
			return fmt.Sprintf("(?no words %q)", name) // which does not compile
		}
		switch text := row[spelling]; {
		case name == strings.ToLower(name):
			return "(?:" + text + ")"
		case name == strings.ToUpper(name):
			return "(?:" + capitals(text, false) + ")"
		default:
			return "(?:" + capitals(text, true) + ")"
		}
	})
}

// capitals changes the letters of an expression to capitals, or the first letter of each alternative.
func capitals(expr string, first bool) string {
	var b strings.Builder
	escaped, begins := false, true
	for _, r := range expr {
		switch {
		case escaped:
			escaped = false
		case r == '\\':
			escaped = true
		case unicode.IsLetter(r) && (!first || begins):
			r, begins = unicode.ToUpper(r), false
		case unicode.IsLetter(r):
		default:
			begins = begins || r == '|'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// accents are the letters that folded letters can be in print.
var accents = map[rune]string{'a': "aàâáä", 'c': "cç", 'e': "eéèêë", 'i': "iîïí", 'n': "nñ", 'o': "oôóö", 'u': "uùûúü"}

// withAccents lets each letter of an expression have any accent.
func withAccents(expr string) string {
	var b strings.Builder
	escaped, class := false, false
	for _, r := range expr {
		with := accents[r]
		switch {
		case escaped || with == "":
			b.WriteRune(r)
		case class:
			b.WriteString(with)
		default:
			b.WriteString("[" + with + "]")
		}
		class = !escaped && r == '[' || class && (escaped || r != ']')
		escaped = !escaped && r == '\\'
	}
	return b.String()
}

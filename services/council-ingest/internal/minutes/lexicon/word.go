package lexicon

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

func IsLetter(c byte) bool { return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' }

func IsUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

// Lower is like strings.ToLower, for words to look up. It returns "" for a word that is longer than
// any entry.
func Lower(w string) string {
	if len(w) > 20 {
		return ""
	}
	return strings.ToLower(w)
}

// IsSmallRoman reports whether w is a Roman numeral up to 20, as in "Ward IV". The name Li does not
// count.
func IsSmallRoman(w string) bool {
	v := romanValue(strings.ToUpper(w))
	return v > 0 && v <= 20
}

// Atoi returns the value of digits.
func Atoi(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

// LeadingDigits returns the number of digits at the beginning of s, but not more than most.
func LeadingDigits(s string, most int) int {
	n := 0
	for n < len(s) && n < most && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

func AllDigits(s string) bool { return s != "" && LeadingDigits(s, len(s)) == len(s) }

// CountIn returns the number in parentheses at the beginning of s, and the length of that text.
// Both are 0 if there is none.
func CountIn(s string) (count, length int) {
	end := strings.IndexByte(s, ')')
	if end < 2 || end > 3 || s[0] != '(' || !AllDigits(s[1:end]) {
		return 0, 0
	}
	return Atoi(s[1:end]), end + 1
}

// Join joins wrapped lines with blanks.
func Join(parts []string) string { return council.Fold(strings.Join(parts, " ")) }

// EndsSentence reports whether text ends with a full stop. The full stop of "Jr." does not count.
func EndsSentence(text string) bool {
	return strings.HasSuffix(text, ".") && !person.IsSuffix(LastWord(text))
}

// CutCell cuts a line at its first gap of at least two blanks.
func CutCell(text string) (cell, rest string) {
	if i := strings.Index(text, "  "); i >= 0 {
		return text[:i], strings.TrimLeft(text[i:], " ")
	}
	return text, ""
}

// EndsInHyphen reports whether a line was broken within a word.
func EndsInHyphen(text string) bool {
	return len(text) > 1 && text[len(text)-1] == '-' && IsLetter(text[len(text)-2])
}

// IsCapitals reports whether a text has letters, and no small ones.
func IsCapitals(text string) bool { return strings.ToUpper(text) == text && Letters(text) > 1 }

// Letters returns the number of letters in a text.
func Letters(text string) (n int) {
	for _, r := range text {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

func LastWord(s string) string { return s[strings.LastIndexByte(s, ' ')+1:] }

// IsSentence reports whether text is prose: it has three longer words in lower case.
func IsSentence(text string) bool {
	lower, _ := lowerOf(text)
	return lower >= 3
}

func lowerOf(text string) (lower, words int) {
	for w := range strings.FieldsSeq(text) {
		words++
		if c := w[0]; c >= 'a' && c <= 'z' && len(w) > 3 {
			lower++
		}
	}
	return lower, words
}

// IsTitle reports whether text can be the first line of a title. It must not begin with a
// lower-case word. If it ends with a full stop, most words must have capitals.
func IsTitle(text string) bool {
	c := text[0]
	if c >= 'a' && c <= 'z' && !strings.HasPrefix(text, "e") || c == ',' || c == ')' || c == ';' {
		return false
	}
	lower, words := lowerOf(text)
	return !strings.HasSuffix(text, ".") || lower*2 <= words
}

func WordSet(words []string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}

func HasAnyPrefix(s string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}

func HasAnySuffix(s string, suffixes ...string) bool {
	return slices.ContainsFunc(suffixes, func(p string) bool { return strings.HasSuffix(s, p) })
}

func ContainsAny(s string, substrings ...string) bool {
	return slices.ContainsFunc(substrings, func(p string) bool { return strings.Contains(s, p) })
}

// Agenda packets print section and item next to the number of the page.
var pageNumber = words.Regexp(`^(?:{Page}\s+\d+(?:\s+{of}\s+\d+)?\s*|(?i:{packet page})` +
	`\. \s*\d+(?:\s+\S+)?\s*|- \d+ -)$`)

// IsPageNumber reports whether a line is only a page number, such as "Page 3 of 9", "Packet Pg. 21"
// or "- 3 -".
func IsPageNumber(text string) bool {
	return text != "" && (text[0] == 'P' || text[0] == '-') && pageNumber.MatchString(text)
}

// FoldDigits makes lines equal that differ only in numbers.
func FoldDigits(text string) string {
	return digits.ReplaceAllString(council.Fold(text), "#")
}

var webAddress = words.Plain("web address")

var digits = regexp.MustCompile(`\d+`)

// HasAddress reports whether a line contains a web address.
func HasAddress(text string) bool {
	return webAddress.In(text)
}

// Date formats a day as YYYY-MM-DD. It returns "" if the day does not exist.
func Date(year, month, day int) string {
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if year < 1800 || year > 2200 || t.Day() != day || int(t.Month()) != month {
		return ""
	}
	return t.Format(time.DateOnly)
}

var clock = words.Regexp(`^\d{1,2}:\d\d *(?i:{clock})$`)

// IsClock reports whether text is a time of day, such as "5:31 PM".
func IsClock(text string) bool { return clock.MatchString(text) }

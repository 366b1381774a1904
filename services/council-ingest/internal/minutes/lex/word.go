// Package lex reads the forms of print that no dialect changes: numbers before headings, file
// numbers, tallies, page numbers, dates, and whether a line looks like a title, a name or a
// sentence. It looks at one line or a part of one and knows no document; the words that differ from
// town to town are in dialect.
package lex

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// IsLetter reports whether c is a letter of English.
func IsLetter(c byte) bool { return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' }

// IsUpper reports whether c is a capital of English.
func IsUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

// Lower is strings.ToLower for words that mostly begin with a capital: it does not allocate for
// those that are too long to be looked up.
func Lower(w string) string {
	if len(w) > 20 {
		return ""
	}
	return strings.ToLower(w)
}

// IsSmallRoman knows the Roman numerals of wards and districts; Li is a name.
func IsSmallRoman(w string) bool {
	v := romanValue(strings.ToUpper(w))
	return v > 0 && v <= 20
}

// Atoi is the number that digits print.
func Atoi(s string) int {
	v := 0
	for i := 0; i < len(s); i++ {
		v = v*10 + int(s[i]-'0')
	}
	return v
}

// LeadingDigits is with how many digits s begins, counted up to most.
func LeadingDigits(s string, most int) int {
	n := 0
	for n < len(s) && n < most && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// AllDigits reports whether s is a number in digits.
func AllDigits(s string) bool { return s != "" && LeadingDigits(s, len(s)) == len(s) }

// CountIn reads a number in brackets at the beginning of s, as clerks put it beside a label, and
// its length; the length is 0 when there is none.
func CountIn(s string) (count, length int) {
	end := strings.IndexByte(s, ')')
	if end < 2 || end > 3 || s[0] != '(' || !AllDigits(s[1:end]) {
		return 0, 0
	}
	return Atoi(s[1:end]), end + 1
}

// CutCount takes the number of names off the front of a list: "5 - Doe, Roe", "(5) Doe", or just
// "5"; -1 when none is printed.
func CutCount(value string) (int, string) {
	count, n := CountIn(value)
	if n == 0 {
		n = LeadingDigits(value, 3)
		if n == 0 || n > 2 || n < len(value) && value[n] != ' ' && value[n] != '-' && value[n] != ':' {
			return -1, value
		}
		count = Atoi(value[:n])
	}
	return count, strings.TrimLeft(value[n:], " -–:")
}

// Fold turns every run of blanks into one and trims the ends.
func Fold(s string) string {
	if !strings.Contains(s, "  ") {
		return strings.TrimSpace(s)
	}
	return strings.Join(strings.Fields(s), " ")
}

// Join puts wrapped lines together with one blank between them; a hyphen at a line end stays, and
// so does the blank after it.
func Join(parts []string) string { return Fold(strings.Join(parts, " ")) }

// JoinNames puts the wrapped lines of a list together. A name broken at its hyphen is whole again.
func JoinNames(parts []string) string {
	s := ""
	for _, part := range parts {
		switch {
		case s == "":
			s = part
		case strings.HasSuffix(s, "-") && !strings.HasSuffix(s, " -"):
			s += part
		default:
			s += " " + part
		}
	}
	return Fold(s)
}

// IsNobody reports whether a row says that nobody is on it.
func IsNobody(s string) bool {
	return slices.Contains([]string{"", "none", "n/a", "na", "nobody", "no one", "0", "nil"},
		strings.ToLower(strings.Trim(s, ". -–—")))
}

// CutAnd takes off the "and" at which a line of a list broke.
func CutAnd(piece string) string {
	for _, and := range []string{"and", "AND", "&"} {
		if rest, is := strings.CutPrefix(piece, and+" "); is {
			piece = rest
		}
		if rest, is := strings.CutSuffix(piece, " "+and); is {
			piece = rest
		}
	}
	return piece
}

// IsOpenList reports whether a line of a list ends where another name follows.
func IsOpenList(text string) bool {
	return HasAnySuffix(text, ",", ";", " &", " and", " AND")
}

// IsNameSuffix knows "Jr." and its like.
func IsNameSuffix(s string) bool {
	return slices.Contains([]string{"jr", "sr", "ii", "iii", "iv", "esq", "ph.d", "phd", "md", "m.d"},
		strings.ToLower(strings.Trim(s, ".")))
}

// IsNameParticle knows the words of names that begin with a small letter.
func IsNameParticle(w string) bool {
	return slices.Contains([]string{"de", "del", "der", "den", "di", "du", "da", "dos", "la", "le", "van", "von"}, w)
}

// EndsSentence reports whether text ends with a full stop that is not that of a name ("Jr.").
func EndsSentence(text string) bool {
	return strings.HasSuffix(text, ".") && !IsNameSuffix(LastWord(text))
}

// CutCell parts a line at its first wide gap.
func CutCell(text string) (cell, rest string) {
	if i := strings.Index(text, "  "); i >= 0 {
		return text[:i], strings.TrimLeft(text[i:], " ")
	}
	return text, ""
}

// EndsInHyphen reports whether a line breaks off within a word.
func EndsInHyphen(text string) bool {
	return len(text) > 1 && text[len(text)-1] == '-' && IsLetter(text[len(text)-2])
}

// IsCapitals reports whether text is of capitals only, as result words are.
func IsCapitals(text string) bool {
	return !strings.ContainsAny(text, "abcdefghijklmnopqrstuvwxyz") &&
		strings.ContainsAny(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
}

// LastWord is what follows the last blank.
func LastWord(s string) string { return s[strings.LastIndexByte(s, ' ')+1:] }

// IsSentence reports whether text is running prose: it has words in lower case that a title, a name
// or a result would not have.
func IsSentence(text string) bool {
	lower, _ := lowerOf(text)
	return lower >= 3
}

// lowerOf counts the longer words in lower case, and all words.
func lowerOf(text string) (lower, words int) {
	for w := range strings.FieldsSeq(text) {
		words++
		if c := w[0]; c >= 'a' && c <= 'z' && len(w) > 3 {
			lower++
		}
	}
	return lower, words
}

// IsTitle reports whether text can be the first line of a title: it begins with a capital, a figure
// or a quote, and is no running sentence in lower case, unless it is long enough to be an item in
// full sentences.
func IsTitle(text string) bool {
	c := text[0]
	if c >= 'a' && c <= 'z' && !strings.HasPrefix(text, "e") || c == ',' || c == ')' || c == ';' {
		return false
	}
	lower, words := lowerOf(text)
	return !strings.HasSuffix(text, ".") || lower*2 <= words
}

// WordSet is the set of some words.
func WordSet(words []string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}

// HasAnyPrefix reports whether s begins with one of the prefixes.
func HasAnyPrefix(s string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}

// HasAnySuffix reports whether s ends with one of the suffixes.
func HasAnySuffix(s string, suffixes ...string) bool {
	return slices.ContainsFunc(suffixes, func(p string) bool { return strings.HasSuffix(s, p) })
}

// ContainsAny reports whether s contains one of the pieces.
func ContainsAny(s string, pieces ...string) bool {
	return slices.ContainsFunc(pieces, func(p string) bool { return strings.Contains(s, p) })
}

// pageNumber is how the common producers print it, also with the section and item that packets
// print in the margin beside it.
var pageNumber = regexp.MustCompile(`^(?:Page\s+\d+(?:\s+of\s+\d+)?\s*|Packet Pg\. \s*\d+(?:\s+\S+)?\s*|- \d+ -)$`)

// IsPageNumber reports whether a line is nothing but "Page 3", "Page 3 of 9", "Packet Pg. 21" or "-
// 3 -".
func IsPageNumber(text string) bool {
	return text != "" && (text[0] == 'P' || text[0] == '-') && pageNumber.MatchString(text)
}

// FoldDigits makes lines equal that differ in a page number only.
func FoldDigits(text string) string {
	return digits.ReplaceAllString(Fold(text), "#")
}

var digits = regexp.MustCompile(`\d+`)

// HasAddress reports whether a line shows an address of the web.
func HasAddress(text string) bool {
	return ContainsAny(text, "www.", "http://", "https://")
}

// Date is a day as YYYY-MM-DD, empty when there is no such day.
func Date(year, month, day int) string {
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if year < 1800 || year > 2200 || t.Day() != day || int(t.Month()) != month {
		return ""
	}
	return t.Format(time.DateOnly)
}

var clock = regexp.MustCompile(`^\d{1,2}:\d\d *(?i:AM|PM|A\.M\.|P\.M\.)$`)

// IsClock reports whether text is a time of day: "5:31 PM".
func IsClock(text string) bool { return clock.MatchString(text) }

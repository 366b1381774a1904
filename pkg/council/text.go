package council

import (
	"strings"
	"unicode/utf8"
)

// Storable is a text as Postgres and JSON hold it: UTF-8 without NUL. What is no UTF-8 becomes U+FFFD.
func Storable(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
}

// Clip returns at most the given number of characters of a text; one that was cut ends with "…".
func Clip(s string, most int) string {
	if len(s) <= most || utf8.RuneCountInString(s) <= most {
		return s
	}
	n := 0
	for i := range s {
		if n++; n == most {
			return strings.TrimRight(s[:i], " ") + "…"
		}
	}
	return s
}

// Fit returns a text that may be absent as tables can hold it: storable, and cut to most characters. Nil stays nil.
func Fit(s *string, most int) *string {
	if s == nil {
		return nil
	}
	text := Clip(Storable(*s), most)
	return &text
}

package council

import (
	"strings"
	"unicode/utf8"
)

// Storable makes a text fit for Postgres and JSON: UTF-8 without NUL. Bytes that are not UTF-8
// become U+FFFD.
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

// Fit makes a text fit for a column: storable, and cut to most characters. Nil stays nil.
func Fit(s *string, most int) *string {
	if s == nil {
		return nil
	}
	text := Clip(Storable(*s), most)
	return &text
}

// Text is a text that may be missing; a missing one is empty.
func Text[T ~string](s *T) string {
	if s == nil {
		return ""
	}
	return string(*s)
}

// Some is the reverse: nil for an empty text.
func Some(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

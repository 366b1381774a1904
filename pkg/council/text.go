package council

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of texts in tables. Names are in unique indexes, whose rows are short.
const (
	MaxTitle  = 4_000  // characters of a title or heading
	MaxLabel  = 500    // characters of a number, a status or a printed result
	MaxMotion = 20_000 // characters of a motion
	MaxRoll   = 300    // names in one roll call
	MaxTally  = 9_999  // votes in one position
)

// Storable makes a text valid for Postgres and JSON: UTF-8 without NUL. Invalid bytes become
// U+FFFD.
func Storable(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
}

// Fold replaces each run of white space by one blank and trims the ends.
func Fold(s string) string {
	odd := func(r rune) bool { return r != ' ' && unicode.IsSpace(r) }
	if !strings.Contains(s, "  ") && strings.IndexFunc(s, odd) < 0 {
		return strings.Trim(s, " ")
	}
	return strings.Join(strings.Fields(s), " ")
}

// Line returns a text on one line, without control characters and characters that change the
// direction or are invisible: they would change the text around a name, or hide a part of it.
func Line(s string, most int) string {
	return Clip(Fold(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == '\u200b', r == '\u2060', r == '\ufeff':
			return -1
		}
		return r
	}, Storable(s))), most)
}

// Clip shortens a text to at most the given number of characters. A shortened text ends in "…".
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

// Fit applies [Storable] and [Clip] to a text; nil stays nil.
func Fit(s *string, most int) *string {
	if s == nil {
		return nil
	}
	return new(Clip(Storable(*s), most))
}

// Text returns an optional text as a string; nil is empty.
func Text[T ~string](s *T) string { return string(OrZero(s)) }

// OrZero returns an optional value, zero for nil.
func OrZero[T any](v *T) (zero T) {
	if v == nil {
		return zero
	}
	return *v
}

// Some returns nil for an empty text.
func Some(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Count formats a number of things: "1 nay", "2 nays", "3 anomalies".
func Count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	if stem, is := strings.CutSuffix(one, "ly"); is {
		return fmt.Sprintf("%d %slies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, one)
}

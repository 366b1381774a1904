package classify

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Prose is a text as guards compare it: words, and figures with what belongs to them.
type prose []token

type token struct {
	folded  string // lower case, without accents and possessive
	figure  string // "$1250000", "5%", "2.5 million", "2026-27"; "" for words without a numeral
	capital bool   // begins with a capital letter, or is all capitals
	opens   bool   // begins a sentence
	apart   bool   // a comma or the like stands before it
}

var scales = []string{"hundred", "thousand", "million", "billion"}

// read cuts a text into tokens.
func read(text string) prose {
	var out prose
	opens, apart, currency := true, false, ""
	for _, raw := range strings.Fields(strings.ReplaceAll(text, "\n", " . ")) {
		if raw == "." {
			opens = true
			continue
		}
		if raw == "$" {
			currency = raw // "$ 1,250"
			continue
		}
		body := strings.Trim(raw, `.,;:!?"'“”‘’()[]–—-/&…`)
		if body == "" {
			continue
		}
		apart = apart || !strings.HasPrefix(raw, body)
		if strings.ContainsFunc(body, unicode.IsNumber) { // "½" and "Ⅻ" are figures, too
			out = append(out, token{figure: figureOf(currency + body), folded: fold(body), opens: opens, apart: apart})
		} else {
			// Hyphens and slashes part words, so that "Smith-Jones" is found in "Smith - Jones".
			for i, part := range strings.FieldsFunc(body, func(r rune) bool { return strings.ContainsRune("-–—/&", r) }) {
				part = strings.Trim(part, `.,'’"`)
				if part == "" {
					continue
				}
				first, _ := utf8.DecodeRuneInString(part)
				out = append(out, token{folded: fold(part), capital: unicode.IsUpper(first), opens: opens && i == 0, apart: apart && i == 0})
				opens = false
			}
		}
		opens, apart, currency = endsSentence(raw, body), !strings.HasSuffix(raw, body), ""
	}
	return join(out)
}

// endsSentence reports whether a full stop after a word ends a sentence: "No.", "St." and initials do not.
func endsSentence(raw, body string) bool {
	tail := strings.TrimRight(raw, `"'”’)`)
	switch {
	case strings.HasSuffix(tail, "!"), strings.HasSuffix(tail, "?"), strings.HasSuffix(tail, ";"):
		return true
	case !strings.HasSuffix(tail, "."):
		return false
	}
	return utf8.RuneCountInString(body) > 3 || strings.ContainsFunc(body, unicode.IsDigit)
}

// join makes "2.5" and "million" one figure, and likewise percents and dollars.
func join(in prose) prose {
	var out prose
	for _, t := range in {
		if n := len(out); n > 0 && out[n-1].figure != "" && t.figure == "" {
			last := &out[n-1].figure
			switch {
			case slices.Contains(scales, t.folded):
				*last += " " + t.folded
				continue
			case t.folded == "percent":
				*last += "%"
				continue
			case t.folded == "dollars" && !strings.HasPrefix(*last, "$"):
				*last = "$" + *last
				continue
			}
		}
		out = append(out, t)
	}
	return out
}

// figureOf brings the ways of writing one amount together: "$1,250.00" and "$1250".
func figureOf(s string) string {
	s = strings.ToLower(strings.ReplaceAll(s, ",", ""))
	s = strings.TrimSuffix(s, ".00")
	s = strings.TrimPrefix(s, "#")
	return strings.NewReplacer("–", "-", "—", "-", "’", "'").Replace(s)
}

// fold brings spellings of one word together without making two words one.
func fold(w string) string {
	w = strings.ReplaceAll(plain(w), "’", "'")
	return strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "'"), ".", "")
}

// has reports whether words stand in the text in one row.
func (p prose) has(words ...string) bool {
	for i := 0; i+len(words) <= len(p); i++ {
		if slices.EqualFunc(p[i:i+len(words)], words, func(t token, w string) bool { return t.folded == w }) {
			return true
		}
	}
	return false
}

// pairs reports whether two neighbours in the text are as asked.
func (p prose) pairs(match func(a, b token) bool) bool {
	for i := 1; i < len(p); i++ {
		if match(p[i-1], p[i]) {
			return true
		}
	}
	return false
}

var months = []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}

// month returns the month that a word names, in three letters; "" for other words.
func (t token) month() string {
	if !t.capital || len(t.folded) < 3 {
		return ""
	}
	for _, m := range months {
		if t.folded == m || t.folded == m[:3] || t.folded == "sept" && m == "september" {
			return m[:3]
		}
	}
	return ""
}

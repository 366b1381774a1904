package shape

import "strings"

// IsFileNumber reports whether a whole line is a file number: "CMA 2026-34",
// "2025-117", "RES 26-04A".
func IsFileNumber(text string) bool {
	if len(text) > 30 {
		return false
	}
	if inner, ok := strings.CutPrefix(text, "(ID # "); ok {
		inner, ok = strings.CutSuffix(inner, ")")
		return ok && AllDigits(inner)
	}
	rest, _ := cutFileWord(text)
	n := 0
	for n < len(rest) && IsUpper(rest[n]) {
		n++
	}
	if n > 6 {
		return false
	}
	if n > 0 {
		if n < len(rest) && (rest[n] == ' ' || rest[n] == '-') {
			n++
		}
		rest = rest[n:]
	}
	return dashedNumber(rest) == len(rest) && len(rest) > 0
}

// dashedNumber returns the length of "2025-117", "26-04A" or "25–9" at the
// beginning of s, 0 when there is none.
func dashedNumber(s string) int {
	n := LeadingDigits(s, 4)
	if n < 2 || n >= len(s) {
		return 0
	}
	dash := 0
	switch {
	case s[n] == '-':
		dash = 1
	case strings.HasPrefix(s[n:], "–"):
		dash = len("–")
	default:
		return 0
	}
	n += dash
	k := n + LeadingDigits(s[n:], 5)
	if k == n {
		return 0
	}
	if k < len(s) && IsUpper(s[k]) && (k+1 == len(s) || s[k+1] == ' ' || s[k+1] == ':') {
		k++
	}
	if k < len(s) && s[k] != ' ' && s[k] != ':' {
		return 0
	}
	return k
}

// CutFileNumber takes a file number off the front of a title: "2024-925
// Awards Re-Bid". A span of years ("2025-26 Budget") is no file number, unless
// the one before it was of the same series.
func CutFileNumber(text, before string) (file, rest string) {
	n := dashedNumber(text)
	if n == 0 {
		// CMA 2026-34: Title
		k := 0
		for k < len(text) && k < 6 && IsUpper(text[k]) {
			k++
		}
		if k < 2 || k >= len(text) || text[k] != ' ' {
			return "", text
		}
		if n = dashedNumber(text[k+1:]); n == 0 {
			return "", text
		}
		n += k + 1
	} else if i := strings.IndexByte(text[:n], '-'); i == 4 {
		from, to := Atoi(text[:4]), 0
		if AllDigits(text[5:n]) {
			to = Atoi(text[5:n])
		}
		series := strings.HasPrefix(before, text[:5])
		if !series && (n == 9 && to > from && to <= from+30 || n == 7 && to == from%100+1) {
			return "", text
		}
	}
	rest = strings.TrimLeft(text[n:], " :")
	rest = strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(rest, "- "), "– "), " ")
	if rest == "" {
		return "", text
	}
	return strings.TrimSpace(text[:n]), rest
}

// WantsNumber reports whether a line breaks off where a number must follow:
// "… and Town Board Resolution".
func WantsNumber(text string) bool {
	switch strings.ToLower(strings.TrimRight(LastWord(text), ".")) {
	case "resolution", "resolutions", "ordinance", "law", "bill", "order", "contract", "file", "case", "no", "number", "and", "of", "through", "to", "#":
		return true
	}
	return false
}

// ResolutionNumber reads a line that does nothing but name a resolution,
// ordinance or order: "TB Resolution 2026-12".
func ResolutionNumber(text string) (file string, ok bool) {
	i := strings.LastIndexByte(text, ' ')
	if i < 0 || len(text) > 60 {
		return "", false
	}
	head := strings.ToLower(text[:i])
	if !ContainsAny(head, "resolution", "ordinance", "order") {
		return "", false
	}
	return text[i+1:], IsFileNumber(text[i+1:])
}

// FileNumber is the file number on a line that holds nothing else.
func FileNumber(text string) string {
	if rest, found := cutFileWord(text); found {
		return rest
	}
	return strings.Trim(text, "()")
}

func cutFileWord(text string) (rest string, found bool) {
	for _, p := range []string{"File #:", "File #", "File ID:", "File No.", "File Number:"} {
		if r, ok := strings.CutPrefix(text, p); ok {
			return strings.TrimLeft(r, " "), true
		}
	}
	return text, false
}

// NamesFile reports whether a line does nothing but name a file or a resolution,
// as those attached to minutes do at the top of many a page.
func NamesFile(text string) bool {
	_, resolution := ResolutionNumber(text)
	return resolution || IsFileNumber(text)
}

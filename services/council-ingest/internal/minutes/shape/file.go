package shape

import (
	"regexp"
	"strings"
)

var (
	fileWord   = regexp.MustCompile(`^(?:File #:|File #|File ID:|File No\.|File Number:) *`)
	fileNumber = regexp.MustCompile(`^(?:\(ID # \d+\)|(?:[A-Z]{1,6}[ -]?)?\d{2,4}(?:-|–)\d{1,5}[A-Z]?)$`)
	titleFile  = regexp.MustCompile(`^((?:[A-Z]{2,6} )?(\d{2,4})(-|–)(\d{1,5})[A-Z]?)(?:[ :]|$)`)
)

// IsFileNumber reports whether a whole line is a file number: "CMA 2026-34",
// "2025-117", "RES 26-04A".
func IsFileNumber(text string) bool {
	return len(text) > 3 && len(text) <= 30 && (fileNumber.MatchString(text) || fileNumber.MatchString(fileWord.ReplaceAllString(text, "")))
}

// FileNumber is the file number on a line that holds nothing else.
func FileNumber(text string) string { return strings.Trim(fileWord.ReplaceAllString(text, ""), "()") }

// CutFileNumber takes a file number off the front of a title: "2024-925
// Awards Re-Bid". A span of years ("2025-26 Budget") is no file number, unless
// the one before it was of the same series.
func CutFileNumber(text, before string) (file, rest string) {
	m := titleFile.FindStringSubmatch(text)
	if m == nil {
		return "", text
	}
	from, to := Atoi(m[2]), Atoi(m[4])
	if m[1] == m[2]+"-"+m[4] && len(m[2]) == 4 && !strings.HasPrefix(before, m[2]+"-") &&
		(len(m[4]) == 4 && to > from && to <= from+30 || len(m[4]) == 2 && to == from%100+1) {
		return "", text
	}
	rest = strings.TrimLeft(text[len(m[1]):], " :")
	rest = strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(rest, "- "), "– "), " ")
	if rest == "" {
		return "", text
	}
	return m[1], rest
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

// NamesFile reports whether a line does nothing but name a file or a resolution,
// as those attached to minutes do at the top of many a page.
func NamesFile(text string) bool {
	_, resolution := ResolutionNumber(text)
	return resolution || IsFileNumber(text)
}

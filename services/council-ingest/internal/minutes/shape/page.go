package shape

import (
	"regexp"
	"strings"
)

// pageNumber is how the common producers print it, also with the section and item that packets print in the margin beside it.
var pageNumber = regexp.MustCompile(`^(?:Page\s+\d+(?:\s+of\s+\d+)?\s*|Packet Pg\. \s*\d+(?:\s+\S+)?\s*|- \d+ -)$`)

// IsPageNumber reports whether a line is nothing but "Page 3", "Page 3 of 9", "Packet Pg. 21" or "- 3 -".
func IsPageNumber(text string) bool {
	return text != "" && (text[0] == 'P' || text[0] == '-') && pageNumber.MatchString(text)
}

var figures = regexp.MustCompile(`[0-9]+`)

// FoldDigits makes lines equal that differ in a page number only.
func FoldDigits(text string) string {
	if text = Fold(text); strings.ContainsAny(text, "0123456789") {
		return figures.ReplaceAllLiteralString(text, "#")
	}
	return text
}

// HasAddress reports whether a line shows an address of the web.
func HasAddress(text string) bool {
	return ContainsAny(text, "www.", "http://", "https://")
}

// SpeaksOfPages reports whether a line, its figures folded, says that they are
// those of pages, or shows an address.
func SpeaksOfPages(key string) bool {
	if HasAddress(key) || strings.Contains(key, "# of #") || strings.Contains(key, "#/#") {
		return true
	}
	for w := range strings.FieldsSeq(key) {
		switch strings.ToLower(strings.Trim(w, "#.,:;()[]|-–—")) {
		case "page", "pages", "pg", "p", "leaf", "sheet", "folio":
			return true
		}
	}
	return false
}

// EndFigures are the figures with which a line begins and ends, -1 for none.
func EndFigures(text string) (first, last int) {
	n := LeadingDigits(text, 6)
	m := len(text)
	for m > max(len(text)-6, 0) && text[m-1] >= '0' && text[m-1] <= '9' {
		m--
	}
	first, last = -1, -1
	if n > 0 {
		first = Atoi(text[:n])
	}
	if m < len(text) {
		last = Atoi(text[m:])
	}
	return first, last
}

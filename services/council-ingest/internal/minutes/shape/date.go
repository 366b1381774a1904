package shape

import (
	"strings"
	"time"
)

// Date is a day as YYYY-MM-DD, empty when there is no such day.
func Date(year, month, day int) string {
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if year < 1800 || year > 2200 || t.Day() != day || int(t.Month()) != month {
		return ""
	}
	return t.Format(time.DateOnly)
}

// IsClock reports whether text is a time of day: "5:31 PM".
func IsClock(text string) bool {
	i := strings.IndexByte(text, ':')
	if i < 1 || i > 2 || len(text) < i+6 || !AllDigits(text[:i]) || !AllDigits(text[i+1:i+3]) {
		return false
	}
	switch strings.ToUpper(strings.TrimSpace(text[i+3:])) {
	case "AM", "PM", "A.M.", "P.M.":
		return true
	}
	return false
}

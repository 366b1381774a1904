package iqm2

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/townline/townline/services/council-ingest/internal/portal"
)

const months = `(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?`

// The ways in which portals write a day. Each finds it anywhere in a line; order says which group is year, month and day.
var days = []struct {
	form             *regexp.Regexp
	year, month, day int
}{
	{regexp.MustCompile(`(?i)\b` + months + `\s+(\d{1,2})(?:st|nd|rd|th)?\s*,?\s+(\d{4})\b`), 3, 1, 2},   // Tuesday, March 5, 2024
	{regexp.MustCompile(`(?i)\b(\d{1,2})(?:st|nd|rd|th)?[\s-]+` + months + `[\s,-]+(\d{4})\b`), 3, 2, 1}, // 5 March 2024, 05-Mar-2024
	{regexp.MustCompile(`\b(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:\D|$)`), 1, 2, 3},                         // 2024-03-05T19:00
	{regexp.MustCompile(`\b(\d{1,2})[-/](\d{1,2})[-/](\d{4})\b`), 3, 1, 2},                               // 3/5/2024
}

// The ways in which portals write a time of day, which follows the day.
var (
	clock12 = regexp.MustCompile(`(?i)\b(\d{1,2})(?::(\d{2}))?(?::\d{2})?\s*([ap])\.?\s?m\b`) // 7:00 PM, 7 p.m.
	clock24 = regexp.MustCompile(`(?:^|[\sT])(\d{1,2}):(\d{2})`)                              // 19:00
	noon    = regexp.MustCompile(`(?i)\bnoon\b`)
)

// readStart finds in a line when a meeting starts, local in zone. timed reports whether
// the line says more than the day; a meeting without a time starts at midnight.
func readStart(line string, zone *time.Location) (t time.Time, timed, ok bool) {
	line = portal.Fold(line)
	for _, d := range days {
		at := d.form.FindStringSubmatchIndex(line)
		if at == nil {
			continue
		}
		group := func(n int) string { return line[at[2*n]:at[2*n+1]] }
		year, _ := strconv.Atoi(group(d.year)) // digits, as the form says
		month, err := strconv.Atoi(group(d.month))
		if err != nil {
			month = 1 + strings.Index("janfebmaraprmayjunjulaugsepoctnovdec", strings.ToLower(group(d.month)))/3
		}
		day, _ := strconv.Atoi(group(d.day)) // likewise
		// What can separate day and time, such as the T of 2024-03-05T19:00, can be part of the day's match.
		hour, minute, timed := readClock(line[at[2*max(d.year, d.month, d.day)+1]:])
		t = time.Date(year, time.Month(month), day, hour, minute, 0, 0, zone)
		if noon := time.Date(year, time.Month(month), day, 12, 0, 0, 0, time.UTC); noon.Day() == day && int(noon.Month()) == month && year >= 1800 {
			return t, timed, true
		}
	}
	return time.Time{}, false, false
}

func readClock(s string) (hour, minute int, ok bool) {
	if m := clock12.FindStringSubmatch(s); m != nil {
		hour, _ = strconv.Atoi(m[1])   // digits
		minute, _ = strconv.Atoi(m[2]) // digits, or none for the full hour
		if hour >= 1 && hour <= 12 && minute < 60 {
			hour %= 12
			if strings.EqualFold(m[3], "p") {
				hour += 12
			}
			return hour, minute, true
		}
	}
	if noon.MatchString(s) {
		return 12, 0, true
	}
	if m := clock24.FindStringSubmatch(s); m != nil {
		hour, _ = strconv.Atoi(m[1])   // digits
		minute, _ = strconv.Atoi(m[2]) // digits
		if hour < 24 && minute < 60 {
			return hour, minute, true
		}
	}
	return 0, 0, false
}

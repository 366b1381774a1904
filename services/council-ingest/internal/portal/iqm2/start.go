package iqm2

import (
	"cmp"
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
		month := strings.ToLower(group(d.month))
		if n := strings.Index("janfebmaraprmayjunjulaugsepoctnovdec", month); n >= 0 {
			month = strconv.Itoa(1 + n/3)
		}
		day, err := time.Parse("2006-1-2", group(d.year)+"-"+month+"-"+group(d.day))
		if err != nil || day.Year() < 1800 {
			continue
		}
		// What can separate day and time, such as the T of 2024-03-05T19:00, can be part of the day's match.
		clock, timed := readClock(line[at[2*max(d.year, d.month, d.day)+1]:])
		return time.Date(day.Year(), day.Month(), day.Day(), clock.Hour(), clock.Minute(), 0, 0, zone), timed, true
	}
	return time.Time{}, false, false
}

func readClock(s string) (at time.Time, ok bool) {
	if m := clock12.FindStringSubmatch(s); m != nil {
		at, err := time.Parse("3:04PM", m[1]+":"+cmp.Or(m[2], "00")+strings.ToUpper(m[3])+"M")
		if err == nil {
			return at, true
		}
	}
	if noon.MatchString(s) {
		return time.Time{}.Add(12 * time.Hour), true
	}
	if m := clock24.FindStringSubmatch(s); m != nil {
		at, err := time.Parse("15:04", m[1]+":"+m[2])
		return at, err == nil
	}
	return time.Time{}, false
}

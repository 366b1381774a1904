package operator

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const (
	minutesOfDay  = 24 * 60
	minutesOfWeek = 7 * minutesOfDay
)

var weekdays = []string{"mo", "tu", "we", "th", "fr", "sa", "su"}

// ReadHours parses hours of the week, such as "Mo-Fr 06:00-09:00,16:00-19:00; Sa 22:00-02:00; Su",
// and returns a Postgres multirange in minutes from Monday 00:00. A rule without days applies to
// every day, a rule without hours to the whole day.
func ReadHours(text string) (string, error) {
	var spans [][2]int
	for rule := range strings.SplitSeq(text, ";") {
		more, err := hoursRule(strings.Fields(strings.ReplaceAll(rule, ", ", ",")))
		if err != nil {
			return "", fmt.Errorf("hours %q: %w", strings.TrimSpace(rule), err)
		}
		spans = append(spans, more...)
	}
	set := make([]string, len(spans))
	for i, s := range spans {
		set[i] = fmt.Sprintf("[%d,%d)", s[0], s[1])
	}
	return "{" + strings.Join(set, ",") + "}", nil
}

func hoursRule(words []string) ([][2]int, error) {
	days, hours := []int{0, 1, 2, 3, 4, 5, 6}, [][2]int{{0, minutesOfDay}}
	if len(words) == 0 || len(words) > 2 {
		return nil, fmt.Errorf("write days, hours or both, such as Mo-Fr 06:00-09:00")
	}
	var err error
	if c := words[0][0]; c < '0' || c > '9' {
		days, err = hoursDays(words[0])
		if err != nil {
			return nil, err
		}
		words = words[1:]
	}
	if len(words) > 1 {
		return nil, fmt.Errorf("hours come after the days")
	}
	if len(words) == 1 {
		hours, err = hoursSpans(words[0])
		if err != nil {
			return nil, err
		}
	}
	var spans [][2]int
	for _, d := range days {
		for _, h := range hours {
			from, to := d*minutesOfDay+h[0], d*minutesOfDay+h[1]
			if to > minutesOfWeek { // from Sunday into Monday
				spans = append(spans, [2]int{0, to - minutesOfWeek})
				to = minutesOfWeek
			}
			spans = append(spans, [2]int{from, to})
		}
	}
	return spans, nil
}

// hoursDays parses "Mo-Fr,Su".
func hoursDays(text string) ([]int, error) {
	var days []int
	for part := range strings.SplitSeq(text, ",") {
		from, to, span := strings.Cut(part, "-")
		first, err := weekday(from)
		if err != nil {
			return nil, err
		}
		last := first
		if span {
			last, err = weekday(to)
			if err != nil {
				return nil, err
			}
		}
		for d := first; ; d = (d + 1) % 7 {
			if !slices.Contains(days, d) {
				days = append(days, d)
			}
			if d == last {
				break
			}
		}
	}
	return days, nil
}

func weekday(word string) (int, error) {
	low := strings.ToLower(word)
	for i, d := range weekdays {
		if strings.HasPrefix(low, d) {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%q is not a day: write Mo, Tu, We, Th, Fr, Sa or Su", word)
}

// hoursSpans parses "06:00-09:00,22:00-02:00" into minutes of the day. A span that ends on the next
// day ends after 24:00.
func hoursSpans(text string) ([][2]int, error) {
	var spans [][2]int
	for part := range strings.SplitSeq(text, ",") {
		from, to, ok := strings.Cut(part, "-")
		start, err := minuteOfDay(from)
		end, endErr := minuteOfDay(to)
		if !ok || err != nil || endErr != nil || start == minutesOfDay || start == end {
			return nil, fmt.Errorf("%q is not a span of hours, such as 06:00-09:00", part)
		}
		if end < start {
			end += minutesOfDay
		}
		spans = append(spans, [2]int{start, end})
	}
	return spans, nil
}

func minuteOfDay(text string) (int, error) {
	h, m, ok := strings.Cut(text, ":")
	hour, err := strconv.Atoi(h)
	minute, minuteErr := strconv.Atoi(m)
	at := hour*60 + minute
	if !ok || err != nil || minuteErr != nil || len(m) != 2 || hour < 0 || minute < 0 || minute > 59 || at > minutesOfDay {
		return 0, fmt.Errorf("%q is not a time of day", text)
	}
	return at, nil
}

// A Span is hours of a day of the week: minutes from its midnight, with Monday as day 0.
type Span struct{ Day, From, Until int }

// Spans parses a multirange of minutes. It cuts ranges at midnight.
func Spans(set string) (all []Span) {
	for span := range strings.SplitSeq(strings.Trim(set, "{}"), "),") {
		from, to, ok := strings.Cut(strings.Trim(span, "[)"), ",")
		start, err := strconv.Atoi(from)
		end, endErr := strconv.Atoi(to)
		for ok && err == nil && endErr == nil && start < end {
			day := start / minutesOfDay
			until := min(end, (day+1)*minutesOfDay)
			all = append(all, Span{Day: day, From: start - day*minutesOfDay, Until: until - day*minutesOfDay})
			start = until
		}
	}
	return all
}

// HoursText formats a multirange of minutes as hours of the week, such as "Mo 06:00-09:00, Sa".
func HoursText(set string) string {
	var out []string
	for _, s := range Spans(set) {
		d := weekdays[s.Day]
		text := strings.ToUpper(d[:1]) + d[1:]
		if s.From > 0 || s.Until < minutesOfDay {
			text += fmt.Sprintf(" %02d:%02d-%02d:%02d", s.From/60, s.From%60, s.Until/60, s.Until%60)
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// Package head reads the body and the date of a meeting from the lines of its minutes. It is a pure
// pass. A date counts only if it is that of the meeting: dates of approvals, of other meetings, and
// of minutes that the meeting approved do not.
package head

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lines"
)

// maxLines bounds the head of a document: the lines that can name its body and date.
const maxLines = 80

// The names of months and weekdays, by language.
var (
	months      = words.Values("month")
	shortMonths = words.Values("short month")
	weekdays    = words.Plain("weekday", "short weekday", "weekday or name")
)

func monthOf(word string) int {
	if len(word) < 3 || len(word) > 12 || !unicode.IsLetter(rune(word[0])) {
		return 0
	}
	word = folded(strings.Trim(word, ".,"))
	for _, names := range []map[string]int{months, shortMonths} {
		if i, found := names[word]; found {
			return i + 1
		}
	}
	return 0
}

// token is a word of the head.
type token struct {
	text  string
	lower string
	line  int // index of its line
}

// found is a date in the text.
type found struct {
	date     string
	from, to int // tokens
}

// Head is what the minutes say about the meeting. A field is "" if it is not certain.
type Head struct {
	Body string
	Date string // as YYYY-MM-DD
}

// Read reads the body and the date from the lines of minutes. dropped has the headers and footers of
// pages, which may be the only lines with a date.
func Read(kept, dropped []lines.Line) Head {
	all := slices.Concat(kept, dropped)
	slices.SortStableFunc(all, func(a, b lines.Line) int { return a.No - b.No })
	r := newDay(all)
	return Head{Body: body(kept, all, r.headEnds()), Date: r.date()}
}

// BeginsWithDate reports whether a line begins with a date, such as "Tuesday, May 5, 2026".
func BeginsWithDate(text string) bool {
	first, _, _ := strings.Cut(text, " ")
	return (monthOf(first) > 0 || strings.HasSuffix(first, ",") && weekdays.Is(clean(first))) &&
		len(datesIn(tokensOf([]lines.Line{{Text: text}}))) > 0
}

func tokensOf(lines []lines.Line) []token {
	var out []token
	for i, ln := range lines {
		for w := range strings.FieldsSeq(ln.Text) {
			if len(out) > 12_000 {
				return out
			}
			out = append(out, token{w, folded(strings.Trim(w, `*,.;:()[]“”"—–#`)), i})
		}
	}
	return out
}

var numeric = regexp.MustCompile(`^[(*]*(\d{1,4})([/.-])(\d{1,2})([/.-])(\d{2,4})[),.;:*]*$`)

// datesIn finds the dates of a text in all their forms.
func datesIn(tokens []token) []found {
	var out []found
	order := orderOf(tokens)
	for i := 0; i < len(tokens); i++ {
		date, n := dateAt(tokens[i:], order)
		if date == "" && inYear.Is(tokens[i].lower) {
			var at int
			date, at, n = dateOfYear(tokens[i+1:])
			i += at
		}
		if date != "" {
			out = append(out, found{date, i, i + n})
			i += n - 1
		}
	}
	return out
}

// dateOfYear reads a date whose year stands before it: "l'an deux mille vingt-quatre, le cinq mars". It begins at a
// token, as counted from the word before the year.
func dateOfYear(t []token) (date string, at, n int) {
	if len(t) == 0 {
		return "", 0, 0
	}
	year, n := yearOf(t[0].lower), 1
	if year == 0 {
		year, n = yearInWords(t)
	}
	for i := n; year > 0 && i < min(n+8, len(t)); i++ {
		if date, _ := dateAt(t[i:], unsure); date != "" {
			return "", 0, 0 // it has a year of its own
		}
		if day, month, length := dayAndMonth(t[i:]); month > 0 {
			return lexicon.Date(year, month, day), i + 1, length
		}
	}
	return "", 0, 0
}

// order is the order of the numbers of a date.
type order int

const (
	monthFirst order = iota
	dayFirst
	unsure
)

// orderOf returns the order in which a document writes the numbers of its dates: as its other dates show, or its
// language. Where the day stands first in the country of the document, or can, the order is not sure.
func orderOf(tokens []token) order {
	var shown [3]int
	english := 0
	for i, t := range tokens {
		if i < 400 && dayBeforeMonth.Is(t.lower) {
			return dayFirst
		}
		if m := numeric.FindStringSubmatch(t.text); m != nil && m[2] == m[4] && len(m[1]) < 3 {
			if a, b := lexicon.Atoi(m[1]), lexicon.Atoi(m[3]); a > 12 && b <= 12 {
				shown[dayFirst]++
			} else if b > 12 && a <= 12 {
				shown[monthFirst]++
			}
		}
		if day, ok := dayOf(t.lower); ok && day > 0 && i+1 < len(tokens) && monthOf(tokens[i+1].lower) > 0 &&
			(i == 0 || monthOf(tokens[i-1].lower) == 0) {
			shown[dayFirst]++
		}
		if dayFirstOffice.Is(t.lower) {
			english++
		}
	}
	switch {
	case shown[dayFirst] > 0 && shown[monthFirst] == 0:
		return dayFirst
	case shown[dayFirst] > 0 || english > 0 && shown[monthFirst] == 0:
		return unsure
	}
	return monthFirst
}

// dateAt reads a date at the first token, and returns its number of tokens: "April 4, 2018", "4
// April 2018", "26TH FEBRUARY, 2024", "12TH DAY OF JANUARY, 2011", "13 de abril de 2026", "1er mai
// 2026", "3/4/2026", "2026-03-04", "cinco de abril de dos mil once". Of days such as "June 12-13, 2024" and
// "12 and 13 June 2024" it reads the first.
func dateAt(t []token, numbers order) (date string, n int) {
	if m := numeric.FindStringSubmatch(t[0].text); m != nil && m[2] == m[4] {
		return numericDate(m[1], m[3], m[5], m[2] == "/", numbers), 1
	}
	if month := monthOf(t[0].lower); month > 0 {
		n = 1
		if len(t) > n && article.Is(t[n].lower) {
			n++
		}
		if len(t) < n+2 {
			return "", 0
		}
		day, ok := firstDayOf(t[n].lower)
		n += 1 + further(t[n+1:])
		if ok && n < len(t) && yearOf(t[n].lower) > 0 {
			return lexicon.Date(yearOf(t[n].lower), month, day), n + 1
		}
		return "", 0
	}
	day, month, n := dayAndMonth(t)
	if month == 0 {
		return "", 0
	}
	for n < len(t) && beforeYear.Is(t[n].lower) {
		n++
	}
	if n == len(t) {
		return "", 0
	}
	if year := yearOf(t[n].lower); year > 0 {
		return lexicon.Date(year, month, day), n + 1
	}
	if year, words := yearInWords(t[n:]); year > 0 {
		return lexicon.Date(year, month, day), n + words
	}
	return "", 0
}

// dayAndMonth reads a day and the month behind it, or returns month 0.
func dayAndMonth(t []token) (day, month, n int) {
	day, ok := firstDayOf(t[0].lower)
	if day = max(day, numeral(t[0].lower)); day == 0 || !ok && day > 31 {
		return 0, 0, 0
	}
	n = 1 + further(t[1:])
	for len(t) > n && n < 7 && (beforeMonth.Is(t[n].lower) || numeral(t[n].lower) == day) {
		n++ // the 9th day of, 19 (diecinueve) de
	}
	if len(t) <= n {
		return 0, 0, 0
	}
	return day, monthOf(t[n].lower), n + 1
}

// firstDayOf reads a day, or the first of two: 12-13.
func firstDayOf(word string) (day int, ok bool) {
	if first, second, found := strings.Cut(strings.ReplaceAll(word, "–", "-"), "-"); found {
		if _, ok := dayOf(second); ok {
			return dayOf(first)
		}
	}
	return dayOf(word)
}

// further returns the number of tokens that add another day to a date: "and 13", "& June 10".
func further(t []token) int {
	if len(t) < 2 || t[0].lower != "" && !joinsDays.Is(t[0].lower) {
		return 0
	}
	n := 1
	if monthOf(t[n].lower) > 0 {
		n++
	}
	if n == len(t) {
		return 0
	}
	if _, ok := dayOf(t[n].lower); !ok {
		return 0
	}
	return n + 1
}

// The words of dates.
var (
	dayBeforeMonth = words.Plain("day first") // in minutes whose towns write the day first
	dayFirstOffice = words.Plain("day first or not")
	joinsDays      = words.Plain("joins days")
	inYear         = words.Plain("in the year")
	beforeMonth    = words.Plain("before month")
	beforeYear     = words.Plain("before year")
	firstDay       = words.Plain("first day")
	thousand       = words.Plain("thousand")
	ordinalEnding  = words.Plain("ordinal ending")
)

// numeral returns the value of a number word of a day, or 0.
func numeral(word string) int {
	if firstDay.Is(word) {
		return 1
	}
	if n := lexicon.ValueOf(word); lexicon.LeadingDigits(word, 1) == 0 && n > 0 {
		return n
	}
	return 0
}

// yearInWords reads a year of this century: "dos mil once", "deux mille vingt-deux".
func yearInWords(t []token) (year, n int) {
	if len(t) < 2 || numeral(t[0].lower) != 2 || !thousand.Is(t[1].lower) {
		return 0, 0
	}
	if len(t) > 2 {
		if rest := numeral(t[2].lower); rest > 0 {
			return 2000 + rest, 3
		}
	}
	return 2000, 2
}

// numericDate reads numbers. In an unsure order, only numbers count that can be but one date, as do two digits of a
// year; a slash is what the order of a document is for.
func numericDate(a, b, c string, slash bool, numbers order) string {
	x, y := lexicon.Atoi(a), lexicon.Atoi(b)
	z := lexicon.Atoi(c)
	switch {
	case len(a) == 4 && len(c) == 2:
		return lexicon.Date(x, y, z)
	case len(a) > 2 || len(c) == 3:
		return ""
	case len(c) == 2:
		z += 2000
	}
	switch {
	case x > 12 && y <= 12 || numbers == dayFirst && len(c) == 4 && y <= 12:
		return lexicon.Date(z, y, x)
	case y > 12 || x == y || slash && len(c) == 4 && numbers == monthFirst:
		return lexicon.Date(z, x, y)
	}
	return ""
}

func dayOf(word string) (int, bool) {
	n := lexicon.LeadingDigits(word, 3)
	if n == 0 || n > 2 {
		return 0, false
	}
	if end := strings.TrimLeft(word[n:], "º°ª"); end != "" && !ordinalEnding.Is(end) {
		return 0, false
	}
	day := lexicon.Atoi(word[:n])
	return day, day >= 1 && day <= 31
}

func yearOf(word string) int {
	n := lexicon.LeadingDigits(word, 5)
	if n != 4 || n < len(word) && unicode.IsLetter(rune(word[n])) {
		return 0
	}
	return lexicon.Atoi(word[:4])
}

// isMinutes reports whether a line says nothing but that these are minutes.
func isMinutes(text string) bool {
	t := folded(strings.Trim(text, " *#"))
	return len(t) < 40 && (minutes.Begins(t) || minutes.Ends(t))
}

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
	return Head{Body: body(kept, all), Date: dateOf(all)}
}

// BeginsWithDate reports whether a line begins with a date, such as "Tuesday, May 5, 2026".
func BeginsWithDate(text string) bool {
	first, _, _ := strings.Cut(text, " ")
	return (monthOf(first) > 0 || strings.HasSuffix(first, ",") && weekdays.Is(clean(first))) &&
		len(datesIn(tokensOf([]lines.Line{{Text: text}}))) > 0
}

func dateOf(lines []lines.Line) string {
	tokens := tokensOf(lines)
	dates := datesIn(tokens)
	times := map[string]int{}
	for _, d := range dates {
		if weigh(tokens, d, lines) > 0 {
			times[d.date]++
		}
	}
	best, score := "", 0.0
	for _, d := range dates {
		if s := weigh(tokens, d, lines); s > 0 && s+min(float64(times[d.date]-1), 3)*0.5 > score {
			best, score = d.date, s+min(float64(times[d.date]-1), 3)*0.5
		}
	}
	return best
}

func tokensOf(lines []lines.Line) []token {
	var out []token
	seen := 0
	for i, ln := range lines {
		if ln.Text == "" {
			continue
		}
		if seen++; seen > maxLines && !isMeetingLine(ln.Text) || seen > 4_000 {
			continue
		}
		for w := range strings.FieldsSeq(ln.Text) {
			if len(out) > 12_000 {
				return out
			}
			out = append(out, token{w, folded(strings.Trim(w, `*,.;:()[]“”"—–#`)), i})
		}
	}
	return out
}

// isMeetingLine reports whether a line below the head can still be the heading of the meeting.
func isMeetingLine(text string) bool {
	return len(text) < 120 && gathering.In(strings.ToLower(text))
}

var numeric = regexp.MustCompile(`^[(*]*(\d{1,4})([/.-])(\d{1,2})([/.-])(\d{2,4})[),.;:*]*$`)

// datesIn finds the dates of a text in all their forms.
func datesIn(tokens []token) []found {
	var out []found
	dayFirst := slices.ContainsFunc(tokens[:min(len(tokens), 400)], func(t token) bool {
		return dayBeforeMonth.Is(t.lower)
	})
	for i := range tokens {
		if date, n := dateAt(tokens[i:], dayFirst); date != "" {
			out = append(out, found{date, i, i + n})
		}
	}
	return out
}

// dateAt reads a date at the first token, and returns its number of tokens: "April 4, 2018", "4
// April 2018", "26TH FEBRUARY, 2024", "12TH DAY OF JANUARY, 2011", "13 de abril de 2026", "1er mai
// 2026", "3/4/2026", "2026-03-04", "cinco de abril de dos mil once".
func dateAt(t []token, dayFirst bool) (date string, n int) {
	if m := numeric.FindStringSubmatch(t[0].text); m != nil && m[2] == m[4] {
		if a, b := lexicon.Atoi(m[1]), lexicon.Atoi(m[3]); dayFirst && len(m[5]) == 4 && b <= 12 {
			return lexicon.Date(lexicon.Atoi(m[5]), b, a), 1
		}
		return numericDate(m[1], m[3], m[5], m[2] == "/"), 1
	}
	if month := monthOf(t[0].lower); month > 0 {
		n = 1
		if len(t) > n && article.Is(t[n].lower) {
			n++
		}
		if len(t) < n+2 {
			return "", 0
		}
		day, ok := dayOf(t[n].lower)
		year := yearOf(t[n+1].lower)
		if ok && year > 0 {
			return lexicon.Date(year, month, day), n + 2
		}
		return "", 0
	}
	day, ok := dayOf(t[0].lower)
	if day = max(day, numeral(t[0].lower)); day == 0 || !ok && day > 31 {
		return "", 0
	}
	n = 1
	for len(t) > n && n < 5 && (beforeMonth.Is(t[n].lower) || numeral(t[n].lower) == day) {
		n++ // the 9th day of, 19 (diecinueve) de
	}
	if len(t) < n+2 {
		return "", 0
	}
	month := monthOf(t[n].lower)
	for n++; n < len(t) && beforeYear.Is(t[n].lower); {
		n++
	}
	if month == 0 || len(t) <= n {
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

// The words of dates.
var (
	dayBeforeMonth = words.Plain("day first") // in minutes whose towns write the day first
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

// numericDate reads numbers: a slash separates month, day and year, in this order unless the first
// cannot be a month. Other numbers count only if their order is certain.
func numericDate(a, b, c string, slash bool) string {
	x := lexicon.Atoi(a)
	y := lexicon.Atoi(b)
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
	case x > 12 && y <= 12:
		return lexicon.Date(z, y, x)
	case y > 12 || x == y || slash && len(c) == 4:
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

var listed = words.Regexp(`^\(?[a-z0-9]{1,3}(?:[.)]\s|\s+(?i:{approval})\S* )`)

// The words near a date that say what it is of.
var (
	ofAnother    = words.Plain("date of another")
	ofThis       = words.Plain("date of meeting")
	approvedOn   = words.Plain("approved on")
	fromThatDay  = words.Plain("from that day")
	laterDay     = words.Plain("at a later day")
	minutes      = words.Plain("minutes")
	approving    = words.Plain("approving minutes")
	isOn         = words.Plain("is on")
	nextOne      = words.Plain("next one")
	otherMinutes = words.Plain("other minutes")
)

// weigh returns how likely a date is that of the meeting; it is not, if the weight is not positive.
func weigh(tokens []token, d found, lines []lines.Line) float64 {
	s := 1.5 - float64(min(tokens[d.from].line, 400))*0.01
	from := d.from
	if from > 0 && weekdays.Is(tokens[from-1].lower) {
		from--
		s++
	}
	own, all := d.to-from, 0
	for i := from; i >= 0 && tokens[i].line == tokens[d.from].line; i-- {
		all++
	}
	for i := from + 1; i < len(tokens) && tokens[i].line == tokens[d.from].line; i++ {
		all++
	}
	if all <= own+4 {
		s++ // the line has little else, perhaps the time
	}
	if isForeign(tokens, d, from) {
		return 0
	}
	if all <= 16 && !lexicon.EndsSentence(lines[tokens[d.from].line].Text) && tokens[d.from].line < 40 {
		s += 0.8 // a heading
	}
	near := 0
	for i := from - 1; i >= max(from-8, 0); i-- {
		t := tokens[i]
		if near++; tokens[i].line < tokens[d.from].line-1 || i < from-1 && ends(t.text) {
			break
		}
		if yearOf(t.lower) > 1900 && i < from-1 && s > 0 && near > 1 {
			break // the words before it belong to another date
		}
		if ofAnother.Is(t.lower) && (tokens[i].line == tokens[d.from].line || all > own+4) {
			return 0
		}
		if ofThis.Is(t.lower) {
			if isApproved(tokens, i) {
				return 0
			}
			s += 1.2
			break
		}
	}
	for i := d.to; i < min(d.to+5, len(tokens)) && tokens[i].line <= tokens[d.from].line+1; i++ {
		if ofThis.Is(tokens[i].lower) {
			s += 0.8
			break
		}
	}
	ln := lines[tokens[d.from].line]
	if m, ok := lexicon.ReadMarker(ln.Text); ok && m.Text != "" || listed.MatchString(ln.Text) {
		s -= 2.5 // it is an item of the agenda
	}
	around := make([]string, 0, 16)
	for i := max(from-6, 0); i < min(d.to+5, len(tokens)); i++ {
		around = append(around, tokens[i].lower)
	}
	if otherMinutes.In(strings.Join(around, " ")) && all > own+2 {
		return 0
	}
	return s
}

// isApproved reports whether words such as "approved at the meeting" stand before a token.
func isApproved(tokens []token, at int) bool {
	for i := at - 1; i >= max(at-5, 0); i-- {
		if approvedOn.Is(tokens[i].lower) {
			return i < at-1
		}
	}
	return false
}

// isForeign reports whether the words around a date say that it is that of another meeting: "from the
// November 14, 2018 meeting", "will be held on", "the minutes of 7 March 2018 were approved".
func isForeign(tokens []token, d found, from int) bool {
	if from > 0 && fromThatDay.Is(tokens[from-1].lower) ||
		from > 1 && fromThatDay.Is(tokens[from-2].lower) && article.Is(tokens[from-1].lower) {
		return true
	}
	for i := from - 1; i >= max(from-7, 0) && !ends(tokens[i].text); i-- {
		if laterDay.Is(tokens[i].lower) {
			return true
		}
	}
	if isOfMinutes(tokens, from) || isOfNext(tokens, from) {
		return true
	}
	for i := d.to; i < min(d.to+4, len(tokens)); i++ {
		if approvedOn.Is(tokens[i].lower) {
			next := min(i+1, len(tokens)-1)
			return monthOf(tokens[next].lower) == 0 && !weekdays.Is(tokens[next].lower) &&
				lexicon.LeadingDigits(tokens[next].lower, 1) == 0
		}
		if ends(tokens[i].text) {
			break
		}
	}
	return false
}

// isOfMinutes reports whether a date is that of minutes in a motion or a proposal: "moved to accept the
// minutes of the February 12, 2024 meeting", "THAT the minutes of June 11, 2024 …".
func isOfMinutes(tokens []token, from int) bool {
	ofMinutes := false
	for i := from - 1; i >= max(from-18, 0) && !ends(tokens[i].text); i-- {
		if minutes.Is(tokens[i].lower) {
			ofMinutes = true
		} else if ofMinutes && approving.Is(tokens[i].lower) {
			return true
		}
	}
	return false
}

// isOfNext reports whether the sentence before a date says when the next meeting is: "The next meeting of
// the Board is at 5:30 PM on July 21".
func isOfNext(tokens []token, from int) bool {
	verb := false
	for i := from - 1; i >= max(from-18, 0) && !ends(tokens[i].text); i-- {
		if isOn.Is(tokens[i].lower) {
			verb = true
		} else if nextOne.Is(tokens[i].lower) {
			return verb
		}
	}
	return false
}

// ends reports whether a word ends a sentence.
func ends(word string) bool {
	return strings.HasSuffix(word, ".") && len(word) > 4 && !strings.Contains(word[:len(word)-1], ".")
}

// isMinutes reports whether a line says nothing but that these are minutes.
func isMinutes(text string) bool {
	t := folded(strings.Trim(text, " *#"))
	return len(t) < 40 && (minutes.Begins(t) || minutes.Ends(t))
}

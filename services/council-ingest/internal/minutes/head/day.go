package head

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lines"
)

// The words near a date that say what it is of.
var (
	ofAnother   = words.Plain("date of another")
	ofThis      = words.Plain("date of meeting")
	approvedOn  = words.Plain("approved on")
	behind      = words.Plain("approval behind date")
	fromThatDay = words.Plain("from that day")
	laterDay    = words.Plain("at a later day")
	adjourned   = words.Plain("adjourned")
	minutes     = words.Plain("minutes")
	approving   = words.Plain("approving minutes")
	isOn        = words.Plain("is on")
	nextOne     = words.Plain("next one")
	leadsOn     = words.Plain("leads to date")
	pageNumber  = words.Regexp(`(?i)\b{page}\W*\d{1,3}\b`)
	hour        = words.Regexp(`(?:{hour of day})\b`)

	// The words of the first business of a meeting: below them are dates of other days.
	business = words.Plain("first business")
	onRoll   = words.Plain("attending", "missing")
	opened   = words.Plain("opens heading")
	listed   = words.Regexp(`^\(?[a-z0-9]{1,3}(?:[.)]\s|\s+(?i:{approval})\S* )`)
)

// What shows that a date is that of the meeting: one sign is enough in the head, which is above the business of the
// meeting, and this many are needed below it.
const signsBelow = 3

// day finds the day of a meeting among the dates of its minutes.
type day struct {
	lines    []lines.Line
	tokens   []token
	dates    []found
	business int            // the first token of the business
	printed  map[string]int // how often a line that has a date can be the head of a page
}

func newDay(lines []lines.Line) *day {
	r := &day{lines: lines, tokens: tokensOf(lines), printed: map[string]int{}}
	r.dates = datesIn(r.tokens)
	for _, d := range r.dates {
		if at := r.tokens[d.from].line; r.names(at) {
			r.printed[lexicon.FoldDigits(lines[at].Text)]++
		}
	}
	r.business = len(r.tokens)
	r.business = r.businessFrom()
	return r
}

// date returns the date with the most signs that it is the day of the meeting, or "". A date in the head comes before
// all dates below it, and one that stands there twice is no more certain.
func (r *day) date() string {
	best, most := "", 0.0
	for _, d := range r.dates {
		if w := r.weigh(d); w > most {
			best, most = d.date, w
		}
	}
	return best
}

// headEnds returns the number of the first line that has no part of the head.
func (r *day) headEnds() int {
	if r.business == len(r.tokens) {
		return math.MaxInt
	}
	line := r.tokens[r.business].line
	if r.business > 0 && r.tokens[r.business-1].line == line {
		return r.lines[line].No + 1 // the business begins inside of a line
	}
	return r.lines[line].No
}

// weigh returns how certainly a date is the day of the meeting, or 0 if it is not.
func (r *day) weigh(d found) float64 {
	const head = 10
	from := d.from
	if from > 0 && weekdays.Is(r.tokens[from-1].lower) {
		from--
	}
	if r.isOfAnother(d, from) {
		return 0
	}
	signs := r.signs(d, from)
	late := min(float64(r.tokens[d.from].line)*0.05, 2)
	switch {
	case (d.from < r.business || r.isRunning(d)) && signs > 0:
		return head + signs - late
	case d.from >= r.business && signs >= signsBelow:
		return signs - late
	}
	return 0
}

// businessFrom returns the first token of the business of a meeting: the first item that does not open it, the approval
// of other minutes, or the list of who was present, if the date stands above it.
func (r *day) businessFrom() int {
	for i, seen := 0, 0; i < len(r.tokens); seen++ {
		at := r.tokens[i].line
		text := r.lines[at].Text
		if low := folded(text); r.isItem(at) && !opened.In(low) && len(datesIn(tokensOf(r.lines[at:at+1]))) == 0 {
			return i
		} else if seen < maxLines && onRoll.Is(r.tokens[i].lower) && r.isDated(i) {
			return i
		} else if where, _ := business.Find(low); where >= 0 {
			return i + len(strings.Fields(low[:where]))
		}
		for i < len(r.tokens) && r.tokens[i].line == at {
			i++
		}
	}
	return len(r.tokens)
}

// isDated reports whether the day of the meeting stands before a token.
func (r *day) isDated(i int) bool {
	return slices.ContainsFunc(r.dates, func(d found) bool { return d.to <= i && r.weigh(d) > 0 })
}

// isItem reports whether a line is one of the first items of a list that goes on: "I. Municipalidad" is none.
func (r *day) isItem(at int) bool {
	m, ok := lexicon.ReadMarker(r.lines[at].Text)
	if !ok || m.Kind == lexicon.Bullet || m.Text == "" || max(m.Value, m.Major) > 3 {
		return false
	}
	return slices.ContainsFunc(r.lines[at+1:min(at+400, len(r.lines))], func(ln lines.Line) bool {
		next, ok := lexicon.ReadMarker(ln.Text)
		return ok && next.Kind == m.Kind && (next.Value == m.Value+1 && next.Major == m.Major || next.Major == m.Major+1)
	})
}

// isRunning reports whether a date stands in the head or foot of pages, which names these minutes.
func (r *day) isRunning(d found) bool {
	at := r.tokens[d.from].line
	line := r.lines[at].Text
	return r.names(at) &&
		(r.lines[at].Why != "" || pageNumber.MatchString(line) || r.printed[lexicon.FoldDigits(line)] > 1) &&
		!r.isItem(at) && len(datesIn(tokensOf(r.lines[at:at+1]))) == 1
}

// names reports whether a line can be the head of a page: it is short and speaks of minutes or a meeting.
func (r *day) names(at int) bool {
	low := folded(r.lines[at].Text)
	return len(low) <= 120 && (gathering.In(low) || minutes.In(low))
}

// signs counts what shows that a date is the day of the meeting: a weekday, an hour, a word such as "held", the name of
// a body next to it, or a line with little else.
func (r *day) signs(d found, from int) float64 {
	line := r.tokens[d.from].line
	n := 0.0
	if from < d.from || d.to < len(r.tokens) && r.tokens[d.to].line == line && weekdays.Is(r.tokens[d.to].lower) {
		n++
	}
	if hour.MatchString(r.text(from-8, d.to+10, line)) {
		n++
	}
	if r.has(ofThis, from-8, from, line) {
		n++
	} else if r.has(ofThis, d.to, d.to+5, line) {
		n += 0.7
	}
	if slices.ContainsFunc(strings.Fields(r.text(from-12, d.to+12, line)), func(w string) bool { return nouns.Is(w) }) {
		n++
	}
	own, all := d.to-from, 0
	for _, t := range r.tokens[max(from-20, 0):min(d.to+20, len(r.tokens))] {
		if t.line == line {
			all++
		}
	}
	switch {
	case all <= own+4:
		n++ // the line has little else, perhaps the time
	case all <= 16 && !lexicon.EndsSentence(r.lines[line].Text):
		n += 0.8 // a heading
	}
	if listed.MatchString(r.lines[line].Text) {
		n-- // it is an item
	}
	return n
}

// near reports whether a token is on a line or one next to it.
func (r *day) near(i, line int) bool {
	return i >= 0 && i < len(r.tokens) && r.tokens[i].line >= line-2 && r.tokens[i].line <= line+2
}

// has reports whether one of the tokens near a line is one of the words.
func (r *day) has(l words.List, from, to, line int) bool {
	for i := from; i < to; i++ {
		if r.near(i, line) && l.Is(r.tokens[i].lower) {
			return true
		}
	}
	return false
}

// text returns the tokens near a line.
func (r *day) text(from, to, line int) string {
	var text strings.Builder
	for i := from; i < to; i++ {
		if r.near(i, line) {
			text.WriteString(r.tokens[i].lower + " ")
		}
	}
	return text.String()
}

// isOfAnother reports whether the words around a date say that it is not the day of the meeting: "from the November 14,
// 2018 meeting", "will be held on", "the minutes of 7 March 2018 were approved".
func (r *day) isOfAnother(d found, from int) bool {
	t := r.tokens
	if from > 0 && fromThatDay.Is(t[from-1].lower) ||
		from > 1 && fromThatDay.Is(t[from-2].lower) && article.Is(t[from-1].lower) {
		return true
	}
	return r.saysAnother(d, from) || r.isOfMinutes(d, from) || r.isApproved(d) || r.before(from, laterDay, laterDay) ||
		r.before(from, isOn, nextOne) || r.before(from, fromThatDay, adjourned)
}

// before reports whether a word and one of others before it stand in the sentence before a token: "The next meeting of
// the Board is at 5:30 PM on July 21", "Adjourned at 9 p.m. to the meeting on July 21". Both can be the same.
func (r *day) before(from int, word, other words.List) bool {
	found := false
	for i := from - 1; i >= max(from-24, 0) && !r.ends(i); i-- {
		found = found || word.Is(r.tokens[i].lower)
		if found && other.Is(r.tokens[i].lower) {
			return true
		}
	}
	return false
}

// saysAnother reports whether the nearest word before a date that says what it is of says that it is of something else.
func (r *day) saysAnother(d found, from int) bool {
	t, line := r.tokens, r.tokens[d.from].line
	above := from > 0 && t[from-1].line == line // the line begins before the date
	for i := from - 1; i >= max(from-8, 0); i-- {
		if t[i].line < line-1 || i < from-1 && r.ends(i) || t[i].line < line && !above && !r.leads(from-1) {
			return false
		}
		if yearOf(t[i].lower) > 1900 && i < from-2 {
			return false // the words before it belong to another date
		}
		if ofAnother.Is(t[i].lower) {
			return true
		}
		if ofThis.Is(t[i].lower) {
			return r.follows(i)
		}
	}
	return false
}

// leads reports whether a line that ends with a token goes on with a date.
func (r *day) leads(last int) bool {
	t := r.tokens[last]
	first, _ := utf8.DecodeRuneInString(t.text)
	return unicode.IsLower(first) || strings.HasSuffix(t.text, ",") || strings.HasSuffix(t.text, ":") ||
		leadsOn.Is(t.lower)
}

// follows reports whether words such as "approved at the meeting" stand before a token.
func (r *day) follows(at int) bool {
	for i := at - 1; i >= max(at-5, 0); i-- {
		if approvedOn.Is(r.tokens[i].lower) {
			return i < at-1
		}
	}
	return false
}

// isApproved reports whether the words behind a date say that minutes of that day were approved, and not on which day
// these minutes were.
func (r *day) isApproved(d found) bool {
	t := r.tokens
	for i := d.to; i < min(d.to+4, len(t)); i++ {
		if approvedOn.Is(t[i].lower) {
			behind := t[min(i+1, len(t)):min(i+12, len(t))]
			return len(datesIn(behind)) == 0 && (len(behind) == 0 || monthOf(behind[0].lower) == 0 &&
				!weekdays.Is(behind[0].lower) && lexicon.LeadingDigits(behind[0].lower, 1) == 0)
		}
		if r.ends(i) {
			break
		}
	}
	return false
}

// isOfMinutes reports whether a date is that of minutes in a motion or a proposal: "moved to accept the
// minutes of the February 12, 2024 meeting", "THAT the minutes of June 11, 2024 …", "Minutes of June 11: approval".
func (r *day) isOfMinutes(d found, from int) bool {
	t := r.tokens
	if r.before(from, minutes, approving) {
		return true
	}
	for i := d.to; i < min(d.to+5, len(t)) && t[i].line == t[d.from].line; i++ {
		if behind.Is(t[i].lower) {
			return r.before(from, minutes, minutes)
		}
	}
	return false
}

// ends reports whether a token is the last of a sentence or a paragraph.
func (r *day) ends(i int) bool {
	word := r.tokens[i].text
	return strings.HasSuffix(word, ".") && len(word) > 4 && !strings.Contains(word[:len(word)-1], ".") ||
		i+1 < len(r.tokens) && r.tokens[i+1].line > r.tokens[i].line+1
}

// Package missed finds unread text that looks like a vote, so that minutes with unread roll calls
// do not look complete. It has its own patterns and does not use a dialect, so that a gap in a
// dialect does not affect it. It only counts; package agenda reports what it finds.
package missed

import (
	"regexp"
	"slices"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lex"
	"github.com/townline/townline/services/council-ingest/internal/minutes/rows"
)

// Place is the location of a possible vote.
type Place struct {
	Line, Page int // where it begins
	Lines      int // number of lines that look like parts of a vote
	read       bool
	unread     []Place // rows of it that were not read
}

// Found has the possible votes of a document.
type Found struct {
	Read   int     // number of roll calls and results that were read
	Rolls  []Place // roll calls and results that were not read
	Rows   []Place // unread rows of roll calls that were read
	Spoken []Place // sentences about the outcome of a motion, outside of roll calls
}

// near is the largest number of lines between two signs of one vote. It allows a long list of names
// across a page break.
const near = 14

// Find finds votes in the lines of a document, and in lines that were dropped as headers and
// footers. read reports whether a line belongs to a vote that was read or reported. Sentences about
// outcomes count only if sentences is true.
func Find(lines, dropped []rows.Line, sentences bool, read func(no int) bool) Found {
	if slices.ContainsFunc(dropped, func(ln rows.Line) bool { return signOf([]rows.Line{ln}, 0, false) != none }) {
		lines = slices.Concat(lines, dropped)
		slices.SortStableFunc(lines, func(a, b rows.Line) int { return a.No - b.No })
	}
	var f Found
	var rolls, spoken []Place
	var open struct {
		at                  int // line of the last sign; -1 if no roll call is open
		rows, intro, result bool
	}
	open.at = -1
	for i, printed := 0, 0; i < len(lines); i++ {
		ln := lines[i]
		if ln.Text == "" {
			continue
		}
		printed++
		s := signOf(lines, i, sentences)
		switch s {
		case none:
			continue
		case outcome:
			spoken = append(spoken, Place{Line: ln.No, Page: ln.Page, Lines: 1, read: read(ln.No)})
			continue
		}
		goesOn := open.at >= 0 && printed-open.at <= near
		if s == absent && !goesOn { // it belongs to an attendance list
			continue
		}
		// A roll call has one row of ayes and one RESULT. A second one begins the next roll call.
		again := s == ayes && open.rows || s == result && open.result || s == intro &&
			(open.intro || open.rows || open.result)
		if !goesOn || again {
			rolls = append(rolls, Place{Line: ln.No, Page: ln.Page})
			open.rows, open.intro, open.result = false, false, false
		}
		open.at = printed
		open.rows = open.rows || s == ayes
		open.intro = open.intro || s == intro
		open.result = open.result || s == result
		p := &rolls[len(rolls)-1]
		p.Lines++
		if read(ln.No) {
			p.read = true
		} else if s == ayes || s == nays || s == absent {
			p.unread = append(p.unread, Place{Line: ln.No, Page: ln.Page, Lines: 1})
		}
	}
	for _, p := range rolls {
		if p.read {
			f.Read++
			f.Rows = append(f.Rows, p.unread...)
		} else {
			f.Rolls = append(f.Rolls, p)
		}
	}
	for _, p := range spoken {
		at, _ := slices.BinarySearchFunc(rolls, p.Line-near, func(r Place, line int) int { return r.Line - line })
		if beside := at < len(rolls) && rolls[at].Line <= p.Line+near; !p.read && !beside {
			f.Spoken = append(f.Spoken, p)
		}
	}
	return f
}

type sign int

const (
	none    sign = iota
	outcome      // a sentence that states the outcome of a motion
	absent       // a row of members who did not vote
	nays
	ayes
	intro  // words such as "by the following vote"
	result // RESULT, or a tally in brackets
)

const (
	ayeWords = `ayes?(?: by roll call)?|yeas?|yes(?: votes)?|for|in favou?r|affirmative|` +
		`voting (?:aye|yes|yea)|voted (?:aye|yes)`
	nayWords    = `nays?|noes|no(?: votes)?|against|opposed|negative|voting (?:no|nay)|voted no`
	absentWords = `absent|not present|excused|abstain(?:ed|ing)?|abstentions?|recus(?:ed?|als?|ing)`
	figures     = `\d{1,2}(?: ?(?:-|–|to) ?\d{1,2}){1,3}`
	passed      = `passed|carried|adopted|approved|failed|defeated|denied`
)

var (
	// countedRow matches a row with a count: "Aye: 8 -", "Yes 24 – Doe", "AYES (5):", "No: 0". It does
	// not match "No. 5" or "No 12th Street".
	countedRow = regexp.MustCompile(`^(?i:(` + ayeWords + `)|(` + nayWords + `)|` + absentWords + `)` +
		`(?:(?: *[:(-][(:– -]*\d{1,3}| +\d{1,3} *[-–])[-–): ]*(?:$|[A-Z\x{80}-\x{10FFFF}])|  +\d{1,3}$)`)
	// namedRow matches a row with names: "AYES: Doe, Roe", "Yea - Doe, Roe".
	namedRow = regexp.MustCompile(`^(?i:(` + ayeWords + `)|(` + nayWords + `)|(` + absentWords + `)) *(:| [-–—]) *(.*)$`)
	// resultRow matches RESULT, or a line with only an outcome and its tally: "Passed 5-0-1", "Roll
	// Call: Carried 7 – 2".
	resultRow = regexp.MustCompile(`^(?:RESULT(?::|  )|Result:(?i:.{0,80}(?:` + passed + `|tabled|unanimous))|` +
		`(?:[A-Z][A-Za-z]*(?: [A-Za-z]+){0,2}: *)?(?i:motion )?(?i:` + passed + `),? *\(?` + figures + `\)?\.?$)`)
	// bracket matches a tally in brackets: [9-0-0], [4 TO 1], [VV9].
	bracket   = regexp.MustCompile(`\[(?:VV *\d{1,2}|\d{1,2}(?: *(?:-|–|TO|to) *\d{1,2}){1,4}|UNANIMOUS(?:LY)?)\]`)
	introMark = regexp.MustCompile(`following (?:recorded |roll call )?vote|following roll call|roll call vote:|` +
		`(?:vote|votes|voting|voted) .*as follows|as follows.*(?:vote|votes|voting|voted) `)
	// saidMark matches the positions in "Brandt – aye, Vance – nay, Arano – aye".
	saidMark = regexp.MustCompile(`\b(?:aye|yea|yes|nay|no)\b`)
	// counted matches a tally in prose: "12 to 2", "7-0".
	counted = regexp.MustCompile(`\b\d{1,2} ?(?:-|–| to ) ?\d{1,2}\b`)
)

func signOf(lines []rows.Line, i int, sentences bool) sign {
	text, below := lines[i].Text, ""
	if i+1 < len(lines) {
		below = lines[i+1].Text
	}
	if s := rowOf(text, below); s != none {
		return s
	}
	if text == "RESULT" && below != "" || strings.Contains(text, "[") && bracket.MatchString(text) ||
		(strings.HasPrefix(text, "R") || endsInFigure(text)) && resultRow.MatchString(text) {
		return result
	}
	if len(text) > 400 {
		return none
	}
	l := strings.ToLower(text)
	switch {
	case strings.Contains(l, "oll") && lex.ContainsAny(l, "vot", "roll call") && introMark.MatchString(l),
		strings.HasSuffix(l, "the following") &&
			strings.EqualFold(below[:min(len(below), 4)], "vote"):
		return intro
	case strings.Contains(l, "aye") && len(saidMark.FindAllString(l, 3)) == 3:
		return ayes
	case sentences && decides(l, below):
		return outcome
	}
	return none
}

// endsInFigure reports whether a line may end with a tally. It saves time, because few lines do and
// resultRow is slow.
func endsInFigure(text string) bool {
	text = strings.TrimRight(text, ".)")
	return text != "" && lex.AllDigits(text[len(text)-1:])
}

// rowOf reads a label with a count or names. An empty form ("AYES: ____") does not count.
func rowOf(text, below string) sign {
	const starts = "ay ye fo in fa af vo na no ag op ne ab ex re" // beginnings of the words in rows
	if len(text) < 2 || !strings.Contains(starts, strings.ToLower(text[:2])) {
		return none // avoids the slow patterns
	}
	signed := func(aye, nay string) sign {
		switch {
		case aye != "":
			return ayes
		case nay != "":
			return nays
		}
		return absent
	}
	if m := countedRow.FindStringSubmatch(text); m != nil {
		return signed(m[1], m[2])
	}
	m := namedRow.FindStringSubmatch(text)
	if m == nil || lex.LeadingDigits(m[5], 1) > 0 {
		return none
	}
	label, value := m[1]+m[2]+m[3], strings.TrimSpace(m[5])
	capitals := m[4] == ":" && label == strings.ToUpper(label)
	switch {
	case capitals && value == "": // the names are on the next line
		if below == "" || !lex.IsUpper(below[0]) || lex.IsSentence(below) || strings.Contains(below, ":") ||
			len(below) > 120 {
			return none
		}
	case value == "" || strings.ContainsAny(value[:1], "_☐□.") || !capitals && m[3] == "" && !listsNames(value):
		return none
	}
	return signed(m[1], m[2])
}

// listsNames reports whether the value of a row in mixed case is a list of names, "all" or "none".
func listsNames(value string) bool {
	if lex.IsSentence(value) || !lex.IsUpper(value[0]) {
		return false
	}
	first, _, several := strings.Cut(value, ",")
	return several && len(strings.Fields(first)) <= 5 || strings.Contains(value, " and ") && len(value) < 80 ||
		lex.IsNobody(value) ||
		strings.EqualFold(strings.TrimSuffix(value, "."), "all")
}

// Words of outcomes.
var (
	subjects = []string{"motion", "vote", "ayes"}
	verbs    = []string{"carried", "carries", "passed", "passes", "failed", "prevailed", "adopted",
		"approved unanimously", "was approved", "defeated", "unanimous"}
)

// decides reports whether a sentence states the outcome of a motion. The sentence is in lower case,
// and may continue on the next line.
func decides(l, below string) bool {
	if lex.ContainsAny(l, "carried unanimously", "passed unanimously", "approved unanimously", "adopted unanimously",
		"unanimously approved", "unanimously adopted",
		"unanimously carried", "unanimously passed", "by voice vote", "by a voice vote", "by unanimous vote", "all in favor",
		"all ayes") {
		return true
	}
	i := strings.LastIndex(l, "motion")
	if i < 0 {
		i = strings.Index(l, "vote")
	}
	if i < 0 {
		return false
	}
	rest := l[i:] + " " + strings.ToLower(below[:min(len(below), 40)])
	if end := strings.Index(rest, ". "); end > 0 {
		rest = rest[:end]
	}
	rest = rest[:min(len(rest), 90)]
	if !lex.ContainsAny(rest, verbs...) {
		return strings.Contains(l, "vote of ") && counted.MatchString(rest)
	}
	return lex.ContainsAny(l, subjects...)
}

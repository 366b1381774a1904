package minutes

import (
	"maps"
	"slices"
	"strings"
)

// rowKind is the meaning of a label in the table of a vote.
type rowKind int

const (
	rowUnknown rowKind = iota // a label that is not in the table
	rowResult
	rowNext   // the day to which a matter was put off
	rowMotion // what was moved, in the table's own words
	rowMover
	rowSeconder
	rowAye
	rowNay
	rowAbstain
	rowPresent
	rowAbsent
	rowAway
	rowRecused
	rowRemote // who took part from elsewhere; it is no position
)

// isList reports whether the row holds a list of names.
func (k rowKind) isList() bool { return k >= rowAye }

// dialect is the words by which minutes are understood. One table serves
// MinuteTraq/IQM2, CivicClerk and PrimeGov; they differ in which of these
// words they use and in where they break lines, not in their meaning.
type dialect struct {
	labels     map[string]rowKind
	titles     map[string]bool   // words of offices, folded
	longTitles []string          // those in which a misprint can be recognised
	status     map[string]string // attendance status, folded, to its canonical form
	months     map[string]int
	small      map[string]bool // words that stay in lower case in a title
	sections   map[string]bool // headings that stand without a number, upper case
	itemStatus []string        // how a line about an item's fate begins, upper case
	bodyStart  []string        // how the paragraph below a title begins
	motionStop []string        // what ends the sentence of a motion, at a line's start
	bodies     []string        // words by which a council is called
	and        *strings.Replacer
	openings   []string // how a meeting begins, lower case
}

func newDialect() *dialect {
	d := &dialect{
		labels: map[string]rowKind{
			"RESULT": rowResult, "RESULTS": rowResult, "VOTE RESULT": rowResult, "RESULT OF VOTE": rowResult, "OUTCOME": rowResult, "DISPOSITION": rowResult, "NEXT": rowNext, "MOTION": rowMotion,
			"MOVER": rowMover, "MOVED BY": rowMover, "MOVED": rowMover, "MOTION BY": rowMover,
			"MOTION MADE BY": rowMover, "INTRODUCED BY": rowMover, "OFFERED BY": rowMover, "MOTIONED BY": rowMover, "MOTIONER": rowMover, "MOVANT": rowMover, "MADE BY": rowMover,
			"SECONDER": rowSeconder, "SECONDED BY": rowSeconder, "SECONDED": rowSeconder, "SECOND": rowSeconder, "SECOND BY": rowSeconder,
			"AYES": rowAye, "AYE": rowAye, "YEAS": rowAye, "YEA": rowAye, "YES": rowAye, "FOR": rowAye, "IN FAVOR": rowAye,
			"VOTING AYE": rowAye, "VOTING YES": rowAye, "VOTING YEA": rowAye, "VOTED AYE": rowAye, "VOTED YES": rowAye, "AFFIRMATIVE": rowAye, "IN FAVOUR": rowAye, "APPROVE": rowAye,
			"NAYS": rowNay, "NAY": rowNay, "NOES": rowNay, "NO": rowNay, "AGAINST": rowNay, "OPPOSED": rowNay, "OPPOSE": rowNay,
			"VOTING NAY": rowNay, "VOTING NO": rowNay, "VOTED NAY": rowNay, "VOTED NO": rowNay, "NEGATIVE": rowNay, "IN OPPOSITION": rowNay, "DISSENTING": rowNay,
			"ABSTAIN": rowAbstain, "ABSTAINED": rowAbstain, "ABSTENTION": rowAbstain, "ABSTENTIONS": rowAbstain, "ABSTAINING": rowAbstain,
			"PRESENT": rowPresent,
			"ABSENT":  rowAbsent, "NOT PRESENT": rowAbsent, "EXCUSED": rowAway, "AWAY": rowAway, "ABSENT/EXCUSED": rowAway, "EXCUSED ABSENCE": rowAway, "EXCUSED ABSENT": rowAway, "ABSENT EXCUSED": rowAway, "UNEXCUSED": rowAway, "ABSENTEES": rowAbsent,
			"REMOTE": rowRemote, "REMOTELY": rowRemote,
			"RECUSED": rowRecused, "RECUSE": rowRecused, "RECUSAL": rowRecused, "RECUSALS": rowRecused, "RECUSING": rowRecused,
		},
		status: map[string]string{
			"present": "Present", "absent": "Absent", "late": "Late", "excused": "Excused", "remote": "Remote", "away": "Absent",
		},
		months: map[string]int{},
		and:    strings.NewReplacer(" and ", ", ", " AND ", ", "),
	}
	d.titles = wordSet(strings.Fields(`mayor vice deputy pro tem tempore council councilman councilwoman councilmember councilmembers councilperson
		councillor councilor councillors councilors councilmen councilwomen councilpeople representative representatives assemblymember assemblyman assemblywoman delegate
		burgess warden alder alders aldermen trustees commissioners supervisors selectmen legislators freeholders village select presiding officer member-at-large selectperson ranking elect board member members chair chairman chairwoman chairperson vice-chair vicechair committee
		commissioner alderman alderwoman alderperson trustee president supervisor director directors secretary treasurer clerk
		selectman selectwoman legislator freeholder district ward seat at-large large first second third dr mr mrs ms hon rev
		honorable town city village county majority minority leader justice manager`))
	for t := range d.titles {
		if len(t) >= 8 {
			d.longTitles = append(d.longTitles, t)
		}
	}
	slices.Sort(d.longTitles)
	d.small = wordSet(strings.Fields(`a an and as at but by for from in into of on or nor per pro tem nunc re the to up via vs with within without under upon over
		between through during d/b/a dba de la del van der`))
	d.sections = wordSet(strings.Split("CONSENT CALENDAR|CONSENT AGENDA|CONSENT|UNANIMOUS CONSENT|CHARTER RIGHT|TABLED|UNFINISHED BUSINESS|NEW BUSINESS|OLD BUSINESS|"+
		"AWAITING REPORT LIST|PUBLIC HEARINGS|PUBLIC HEARING|REGULAR CALENDAR|REGULAR AGENDA|DISCUSSION ITEMS|ACTION ITEMS|ORDINANCES|RESOLUTIONS|"+
		"REPORTS|COMMUNICATIONS|PROCLAMATION|PROCLAMATIONS|CONSENT ITEMS|COMMITTEE REPORTS|CLOSED SESSION|BUSINESS ITEMS|SCHEDULED ITEMS|RECOMMENDED ACTION|RECOMMENDED ACTIONS", "|"))
	d.itemStatus = []string{"CHARTER RIGHT EXERCISED", "PLACED ON THE TABLE", "PLACED ON FILE", "REFERRED TO", "NO ACTION TAKEN",
		"PASS TO A SECOND READING", "PASSED TO A SECOND READING", "ELIGIBLE TO BE ORDAINED", "TABLED IN COUNCIL", "ACCEPTED IN COUNCIL"}
	d.bodyStart = []string{"It is ", "For the ", "That the Board", "Recommendation:", "Motion", "Discussion", "Vote on", "The following", "Public Hearing Opened",
		"Chair ", "Staff presented", "Background", "Summary", "Presented by", "Recommended Action"}
	d.motionStop = []string{"Vote on", "Vote On", "VOTE ON", "Discussion", "The motion ", "The main motion", "The vote ", "Motion to", "Motion To", "Motion as",
		"Motion:", "Call The", "Call the", "Roll Call", "Roll call", "ROLL CALL"}
	d.openings = []string{"call to order", "called to order", "roll call", "opening", "convene", "pledge", "invocation", "welcome", "attendance", "quorum"}
	d.bodies = []string{"council", "board", "committee", "commission", "authority", "trustees", "supervisors", "directors", "selectmen", "agency"}
	for i, m := range strings.Fields("january february march april may june july august september october november december") {
		d.months[m] = i + 1
		d.months[m[:3]] = i + 1
	}
	d.months["sept"] = 9
	return d
}

func wordSet(words []string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}

// label reads a label at the beginning of a line: "AYES: Doe, Roe" gives
// rowAye and the names. Inside the table of a vote a label may lack its colon
// or stand in mixed case, and a label that is not in the table is reported as
// rowUnknown; outside only what is certain counts.
func (d *dialect) label(s string, inside bool) (kind rowKind, value string, ok bool) {
	if s == "" || !letter(s[0]) {
		return 0, "", false
	}
	end, lower := 0, false
	for end < len(s) && end < 28 {
		c := s[end]
		if c >= 'a' && c <= 'z' {
			lower = true
		} else if !(c >= 'A' && c <= 'Z') && c != ' ' && c != '/' {
			break
		}
		if c == ' ' && end+1 < len(s) && s[end+1] == ' ' {
			break // a gap ends the cell
		}
		end++
	}
	word := strings.TrimSpace(s[:end])
	rest := strings.TrimLeft(s[end:], " ")
	if _, n := countIn(rest); n > 0 {
		rest = strings.TrimLeft(rest[n:], " ") // AYES (5): Doe, Roe
	}
	colon := strings.HasPrefix(rest, ":")
	if !colon && !inside {
		return 0, "", false
	}
	if lower && len(word) > 14 {
		return 0, "", false
	}
	if lower {
		word = strings.ToUpper(word)
	}
	kind, known := d.labels[word]
	if kind == rowMotion && (lower || !colon) {
		known = false // "Motion:" stands over the text of a discussion
	}
	switch {
	case known && colon:
		if lower && !inside && kind != rowResult {
			return 0, "", false
		}
		return kind, strings.TrimSpace(rest[1:]), true
	case known && !lower && (rest == "" || len(s) > end+1 && s[end] == ' '):
		return kind, rest, true
	case colon && inside && !lower && len(word) >= 3 && !strings.Contains(word, "/"):
		return rowUnknown, strings.TrimSpace(rest[1:]), true
	}
	return 0, "", false
}

// countIn reads a number in brackets at the beginning of s, as clerks put it
// beside a label, and its length; the length is 0 when there is none.
func countIn(s string) (count, length int) {
	end := strings.IndexByte(s, ')')
	if end < 2 || end > 3 || s[0] != '(' || !allDigits(s[1:end]) {
		return 0, 0
	}
	return atoi(s[1:end]), end + 1
}

// cutCount takes the number of names off the front of a list: "5 - Doe, Roe",
// "(5) Doe", or just "5"; -1 when none is printed.
func cutCount(value string) (int, string) {
	count, n := countIn(value)
	if n == 0 {
		n = leadingDigits(value, 3)
		if n == 0 || n > 2 || n < len(value) && value[n] != ' ' && value[n] != '-' && value[n] != ':' {
			return -1, value
		}
		count = atoi(value[:n])
	}
	rest := strings.TrimLeft(value[n:], " -–:")
	if inner, is := strings.CutPrefix(rest, "("); is && strings.HasSuffix(inner, ")") && !strings.Contains(inner, "(") {
		rest = strings.TrimSuffix(inner, ")")
	}
	return count, rest
}

// isTitleWord reports whether a word names an office.
func (d *dialect) isTitleWord(word string) bool {
	return d.titles[lower(strings.Trim(word, ".,:;()"))]
}

// lower is strings.ToLower for words that mostly begin with a capital: it does
// not allocate for those that are too long to be looked up.
func lower(w string) string {
	if len(w) > 20 {
		return ""
	}
	return strings.ToLower(w)
}

// withTitles is the dialect with further words of offices.
func (d *dialect) withTitles(words []string) *dialect {
	own := *d
	own.titles = maps.Clone(d.titles)
	for _, w := range words {
		own.titles[w] = true
	}
	return &own
}

// isSmallRoman knows the Roman numerals of wards and districts; Li is a name.
func isSmallRoman(w string) bool {
	v := romanValue(strings.ToUpper(w))
	return v > 0 && v <= 20
}

// isTitle reports whether a whole cell is an office and no name: "Director,
// District C", "Committee Vice-Chair", "Board Chair & Director".
func (d *dialect) isTitle(s string) bool {
	any := false
	for w := range strings.FieldsSeq(s) {
		w = lower(strings.Trim(w, ".,:;()"))
		switch {
		case d.titles[w]:
			any = true
		case w == "" || w == "&" || w == "and" || w == "of" || w == "the" || w == "-" || w == "–":
		case len(w) == 1 || allDigits(w) || w == "at" || w == "in" || w == "ex" || isSmallRoman(w): // a district's letter or number
		default:
			return false
		}
	}
	return any
}

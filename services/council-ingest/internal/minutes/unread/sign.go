package unread

import (
	"regexp"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/layout"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// sign is what a line shows of a vote.
type sign int

const (
	none    sign = iota
	outcome      // a sentence says what became of a motion
	others       // a row of nays
	ayes         // a row of ayes
	intro        // "by the following vote"
	result       // RESULT, or a tally in brackets
)

// The words with which a row of a roll begins, in small letters.
var rowWords = map[string]sign{
	"aye": ayes, "ayes": ayes, "yea": ayes, "yeas": ayes, "yes": ayes, "for": ayes, "in favor": ayes, "in favour": ayes, "affirmative": ayes,
	"voting aye": ayes, "voting yes": ayes, "voting yea": ayes, "voted aye": ayes, "voted yes": ayes, "yes votes": ayes, "ayes by roll call": ayes,
	"nay": others, "nays": others, "noes": others, "no": others, "against": others, "opposed": others, "negative": others, "voting no": others,
	"voting nay": others, "voted no": others, "no votes": others,
}

// bracketed is a tally between brackets at the end of a line: [9-0-0], [4 TO 1], [VV9].
var bracketed = regexp.MustCompile(`\[(?:VV *\d{1,2}|\d{1,2}(?: *(?:-|–|TO|to) *\d{1,2}){1,4}|UNANIMOUS(?:LY)?)\]`)

// counted is a tally in running text: "12 to 2", "7-0".
var counted = regexp.MustCompile(`\b\d{1,2} ?(?:-|–| to ) ?\d{1,2}\b`)

// ruled is a line that is nothing but an outcome with its tally: "Passed 5-0-1", "Roll Call: Carried 7 – 2".
var ruled = regexp.MustCompile(`^(?:[A-Z][A-Za-z]*(?: [A-Za-z]+){0,2}: *)?(?i:motion )?(?i:passed|carried|adopted|approved|failed|defeated|denied),? *\(?\d{1,2}(?: ?(?:-|–|to) ?\d{1,2}){1,3}\)?\.?$`)

// signOf reads the sign of line i; sentences about outcomes count only where they are asked for.
func signOf(lines []layout.Line, i int, sentences bool) sign {
	text := lines[i].Text
	if s := rowOf(lines, i); s != none {
		return s
	}
	if isResult(lines, i) || strings.IndexByte(text, '[') >= 0 && bracketed.MatchString(text) || len(text) < 60 && shape.ContainsAny(text, "ed ", "ED ", "ed,") && ruled.MatchString(text) {
		return result
	}
	if len(text) > 400 || !shape.ContainsAny(text, "ollow", "oll call", "aye", "Aye") && !(sentences && shape.ContainsAny(text, "ote", "otion", "OTE", "OTION", "nanimous")) {
		return none
	}
	l := strings.ToLower(text)
	below := next(lines, i)
	if shape.ContainsAny(l, "following vote", "following roll call", "following recorded vote", "roll call vote:") || strings.Contains(l, "as follows") && shape.ContainsAny(l, "vote ", "votes ", "voting ", "voted ") ||
		strings.HasSuffix(l, "the following") && strings.HasPrefix(below, "vote") {
		return intro
	}
	if said(l) {
		return ayes
	}
	if sentences && decides(l, below) {
		return outcome
	}
	return none
}

// next is the line below line i in small letters, empty where a paragraph ends.
func next(lines []layout.Line, i int) string {
	if i+1 >= len(lines) {
		return ""
	}
	text := lines[i+1].Text
	return strings.ToLower(text[:min(len(text), 40)])
}

// rowOf reads the label of a row of a roll with something behind it: how many, or who. An empty form ("AYES: ____") is no roll.
func rowOf(lines []layout.Line, i int) sign {
	text := lines[i].Text
	end := 0
	for end < len(text) && end < 20 && (shape.IsLetter(text[end]) || text[end] == ' ' && end+1 < len(text) && shape.IsLetter(text[end+1])) {
		end++
	}
	if end < 2 {
		return none
	}
	if behind := strings.TrimLeft(text[end:], " "); behind == "" || !strings.ContainsAny(behind[:1], ":(-0123456789") && !strings.HasPrefix(behind, "–") && !strings.HasPrefix(behind, "—") {
		return none // most lines end here, without a word in small letters made of them
	}
	s := rowWords[shape.Lower(text[:end])]
	if s == none {
		return none
	}
	rest := strings.TrimLeft(text[end:], " ")
	gap := len(text) - end - len(rest)
	n := shape.LeadingDigits(strings.TrimLeft(rest, "(:– -"), 3)
	value, colon := strings.CutPrefix(rest, ":")
	if !colon && gap > 0 && n == 0 { // "Yea - Smith, Jones"
		if value, dash := cutDash(rest); dash && value != "" {
			return listed(value, s)
		}
	}
	if n > 0 {
		// "Aye: 8 -", "Yes: 24 –", "AYES (5):", "No: 0"; but not "No. 5" or "No 12th Street".
		behind := strings.TrimLeft(strings.TrimLeft(rest, "(:– -")[n:], " ")
		apart := colon || gap > 1 || rest[0] == '(' || rest[0] == '-' || strings.HasPrefix(behind, "-") || strings.HasPrefix(behind, "–")
		who := strings.TrimLeft(behind, "-–): ")
		if apart && (who == "" || (colon || who != behind) && (shape.IsUpper(who[0]) || who[0] >= 0x80)) {
			return s
		}
		return none
	}
	value = strings.TrimSpace(value)
	if !colon {
		return none
	}
	capitals := text[:end] == strings.ToUpper(text[:end])
	switch {
	case value == "":
		below := ""
		if i+1 < len(lines) {
			below = lines[i+1].Text
		}
		if capitals && below != "" && shape.IsUpper(below[0]) && !shape.IsSentence(below) && !strings.Contains(below, ":") && len(below) < 120 {
			return s
		}
		return none
	case strings.ContainsAny(value[:1], "_☐□."):
		return none
	case capitals:
		return s
	}
	return listed(value, s)
}

// cutDash returns what follows a dash.
func cutDash(s string) (value string, dash bool) {
	for _, d := range []string{"-", "–", "—"} {
		value, dash = strings.CutPrefix(s, d)
		if dash {
			return strings.TrimSpace(value), true
		}
	}
	return s, false
}

// listed is the sign where the value of a row in mixed case is a list of names, or everybody or nobody.
func listed(value string, s sign) sign {
	if shape.IsSentence(value) || !shape.IsUpper(value[0]) {
		return none
	}
	first, _, several := strings.Cut(value, ",")
	if several && len(strings.Fields(first)) <= 5 || strings.Contains(value, " and ") && len(value) < 80 || shape.IsNobody(value) || strings.EqualFold(strings.TrimSuffix(value, "."), "all") {
		return s
	}
	return none
}

// isResult reports whether a row RESULT with a value begins at line i.
func isResult(lines []layout.Line, i int) bool {
	text := lines[i].Text
	rest, capitals := strings.CutPrefix(text, "RESULT")
	if !capitals {
		rest, capitals = strings.CutPrefix(text, "Result")
		if !capitals {
			return false
		}
		value, colon := strings.CutPrefix(rest, ":")
		value = strings.ToLower(strings.TrimSpace(value))
		return colon && len(value) < 100 && shape.ContainsAny(value, "passed", "carried", "adopted", "approved", "failed", "defeated", "denied", "tabled", "unanimous")
	}
	value, colon := strings.CutPrefix(rest, ":")
	value = strings.TrimSpace(value)
	if !colon && rest != "" && !strings.HasPrefix(rest, "  ") {
		return false
	}
	return value != "" || i+1 < len(lines) && lines[i+1].Text != "" || colon
}

// said reports whether a line spells out what several members said: "Brandt – aye, Vance – nay, Arano – aye".
func said(lower string) bool {
	n := 0
	for w := range strings.FieldsFuncSeq(lower, func(r rune) bool {
		return r == ' ' || r == ',' || r == ';' || r == '.' || r == ':' || r == '(' || r == ')'
	}) {
		switch w {
		case "aye", "yea", "yes", "nay", "no":
			n++
		}
	}
	return n >= 3
}

// How a sentence says what became of a motion.
var (
	subjects = []string{"motion", "vote", "ayes"}
	verbs    = []string{"carried", "carries", "passed", "passes", "failed", "prevailed", "adopted", "approved unanimously", "was approved", "defeated", "unanimous"}
)

// decides reports whether a sentence, in small letters, says what became of a motion. It can go on in the next line.
func decides(l, below string) bool {
	if shape.ContainsAny(l, "carried unanimously", "passed unanimously", "approved unanimously", "adopted unanimously", "unanimously approved", "unanimously adopted",
		"unanimously carried", "unanimously passed", "by voice vote", "by a voice vote", "by unanimous vote", "all in favor", "all ayes") {
		return true
	}
	i := strings.LastIndex(l, "motion")
	if i < 0 {
		i = strings.Index(l, "vote")
	}
	if i < 0 {
		return false
	}
	rest := l[i:] + " " + below[:min(len(below), 40)]
	if end := strings.Index(rest, ". "); end > 0 {
		rest = rest[:end]
	}
	rest = rest[:min(len(rest), 90)]
	if !shape.ContainsAny(rest, verbs...) {
		return strings.Contains(l, "vote of ") && counted.MatchString(rest)
	}
	return shape.ContainsAny(l, subjects...)
}

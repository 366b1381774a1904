package lexicon

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
)

// A Tally is what a text says about the count of a vote, in figures or words.
type Tally struct {
	Ayes, Nays int
	Others     int  // abstentions that are counted
	Counted    bool // the ayes are counted
	BothSides  bool // a count of nays or abstentions is printed, perhaps 0
	Unanimous  bool // everyone who voted was in favor
	Voice      bool // no names were taken
	Majority   bool // the words say that some were against or abstained
	Several    bool // votes for several proposals are counted
}

// A Place says where a tally is looked for.
type Place int

const (
	InSentence  Place = iota // a word of a vote must stand next to the figures
	BehindLabel              // as in "Vote: 4-1"
	InResult                 // behind RESULT, where other figures are the day of a postponement
)

// ReadTally reads the tally of a RESULT line: [UNANIMOUS], [4 TO 1], [8-0-1], [FOUR TO ONE], [4 AYES, 1
// NAY], [VV9]. It may be in parentheses, or at the end of the line without any brackets. WITH 1
// ABSTENTION may follow.
func (x *Patterns) ReadTally(raw string) Tally {
	f, _ := FoldText(raw)
	return x.Tally(strings.TrimSpace(f), InResult)
}

// Tally reads the tally in folded text.
func (x *Patterns) Tally(f string, at Place) Tally {
	t := Tally{}
	if m := x.Unanimous.FindStringIndex(f); m != nil && !consentList(f, m) && !x.Requires.MatchString(f[:m[0]]) &&
		!noUnanimity.In(f) {
		t.Unanimous = true
	}
	t.Voice = x.Voice.MatchString(f)
	t.Majority = !t.Unanimous && x.Majority.MatchString(f)
	t.figures(x, f, at)
	if t.Counted && t.Others > 0 {
		return t
	}
	words, _ := x.InWords(f)
	if t.Several = words.Several; !t.Counted {
		t.Ayes, t.Nays = words.Ayes, words.Nays
		t.Counted, t.BothSides = words.Counted, words.BothSides
	}
	t.Others = words.Others
	return t
}

// Count sets the counts. nays is negative if no count of them is printed.
func (t *Tally) Count(ayes, nays int) {
	t.Ayes, t.Nays = ayes, max(nays, 0)
	t.Counted, t.BothSides = true, nays >= 0
}

// bracketed matches names in parentheses: "4 yes, 1 no (Doe)".
var bracketed = regexp.MustCompile(`[(\[][^()\[\]0-9]*[)\]]`)

// CountedAlone reports whether a text has a tally and no other content.
func (x *Patterns) CountedAlone(f string) bool {
	if strings.ContainsAny(f, "([") {
		f = bracketed.ReplaceAllString(f, " ")
	}
	return onlyOf(x.counting, f)
}

// UnanimousAlone reports whether a text says no more than that all agreed.
func (x *Patterns) UnanimousAlone(f string) bool {
	return onlyOf(x.agreeing, x.Voice.ReplaceAllString(x.Unanimous.ReplaceAllString(f, " "), " "))
}

// LatinWord matches the words of a folded text.
var LatinWord = regexp.MustCompile(`[a-z]+`)

func onlyOf(words map[string]bool, f string) bool {
	for _, w := range LatinWord.FindAllString(f, 40) {
		if !words[w] {
			return false
		}
	}
	return true
}

// The forms of tallies in figures.
var (
	// Ballot matches a tally in a form of its own: "(Y-4; N-1)".
	Ballot    = regexp.MustCompile(`\(y-(\d{1,2})(?:[;,] ?n-(\d{1,2}))?`)
	voice     = words.Regexp(`(?:^|[ \[(]){voices} ?(\d{1,3})\b`)
	inSlash   = regexp.MustCompile(`[\[(](\d{1,2}) ?/ ?(\d{1,2})[\])]`)
	endSlash  = words.Regexp(`^{motion ended}\b.{0,60}\s(\d{1,2}) ?/ ?(\d{1,2})\.?$`)
	tallyMark = words.Regexp(`(?:^|[^\w.$/#-])(\d{1,3}) ?(?:-|{to}|:) ?(\d{1,3})(?: ?- ?(\d{1,3}))` +
		`?(?: ?- ?(\d{1,3}))?(?:$|[^\w/%-])`)
	slashTally = Compile(`\b{before slash}:? *\(?(\d{1,2}) ?/ ?(\d{1,2})(?:$|[^\d/])`)
	// commaTally matches a tally behind the word of an outcome, which ends its sentence: "Passed 6, 0."
	commaTally = Compile(`\b{before comma tally},? (\d{1,2}), (\d{1,2})[.;)]?$`)
	slashAbove = words.Regexp(`^(\d{1,2}) ?/ ?(\d{1,2})\s+(?:[a-z]+ )?{passed}\b`)
	wordTally  = Compile(`\b(\d{1,3}|{one}|{number})(?: ?\(\d{1,2}\))?(?: {counted votes})? {to}` +
		` (\d{1,3}|{one}|{number})\b`)
)

// figures reads a tally in figures: "4-1", "4 to 1", "carried 4/1", "four votes to one".
func (t *Tally) figures(x *Patterns, f string, at Place) {
	set := func(m []string) bool {
		if m != nil {
			t.Count(ValueOf(m[1]), max(ValueOf(m[2]), 0))
		}
		return m != nil
	}
	if at == InResult {
		if m := voice.FindStringSubmatch(f); m != nil {
			t.Count(ValueOf(m[1]), -1)
			t.Voice = true
			return
		}
		if set(inSlash.FindStringSubmatch(f)) {
			return
		}
	}
	for _, m := range sideBySide.FindAllStringSubmatchIndex(f, 4) {
		if x.endsInFate(strings.TrimRight(f[:m[0]], " ,")) {
			t.Count(ValueOf(f[m[2]:m[3]]), ValueOf(f[m[4]:m[5]]))
			return
		}
	}
	if set(slashAbove.FindStringSubmatch(f)) {
		if t.Unanimous && t.Nays == t.Ayes {
			t.Nays = 0 // nine of the nine present
		}
		return
	}
	if at == InSentence && !x.OfVote.MatchString(f) && !nearTally.In(f) && !beforeTally.MatchString(f) &&
		!x.CountedAlone(f) {
		return
	}
	if set(Ballot.FindStringSubmatch(f)) || set(slashTally.FindStringSubmatch(f)) ||
		set(commaTally.FindStringSubmatch(strings.TrimSpace(f))) || set(endSlash.FindStringSubmatch(f)) {
		return
	}
	for _, m := range tallyMark.FindAllStringSubmatchIndex(f, 8) {
		if padded(f[m[4]:m[5]]) || !x.isTally(f, m, at) {
			continue // 24-04-051 is the number of a resolution
		}
		t.Count(ValueOf(f[m[2]:m[3]]), ValueOf(f[m[4]:m[5]]))
		if m[6] >= 0 {
			t.Others = ValueOf(f[m[6]:m[7]])
		}
		return
	}
	if m := wordTally.FindStringSubmatch(f); m != nil && ValueOf(m[1]) <= 60 && (at == InResult ||
		nearWords.In(f)) {
		set(m)
	}
}

// sideBySide matches a tally in words: "four to one", "dos a tres".
var sideBySide = Compile(`\b({one}|{number}) (?:{to}|{against in words}) ({one}|{number})\b`)

// endsInFate reports whether a text ends with the word of an outcome.
func (x *Patterns) endsInFate(f string) bool {
	all := x.Outcome.FindAllStringIndex(f, 8)
	return len(all) > 0 && all[len(all)-1][1] == len(f)
}

// padded reports whether a number has a zero before it, as no count has.
func padded(s string) bool { return len(s) > 1 && s[0] == '0' }

var (
	// hour matches what stands behind a time of day.
	hour = words.Regexp(`^ *{hour}`)
	// thousands matches the digits before the comma of a number: "1,203 to 1,377" counts no body.
	thousands = regexp.MustCompile(`\d,$`)
	// numberNext matches a number directly behind figures.
	numberNext = regexp.MustCompile(`^[ .]{0,3}\d`)
	// postponed matches words before the day of a postponement, or before a range.
	postponed = words.Regexp(`\b{until} *$`)
)

// behindFavor matches words before a tally: "All in favor, 5-0".
var behindFavor = words.Regexp(`^["' ]*(?:{counted votes}: )?{all in favor}[ ,:;.(-]*$`)

// behindComma matches the words of a sentence before the tally that ends it: "approved on a motion by Doe, 5-0."
var behindComma = regexp.MustCompile(`[a-z)], ?$`)

// isTally reports whether figures are a tally, not a date, a time or a range.
func (x *Patterns) isTally(f string, m []int, at Place) bool {
	before, after := f[:m[2]], f[max(m[5], m[7], m[9]):]
	sep := f[m[3]:m[4]]
	if m[6] >= 0 && m[7]-m[6] > 2 {
		return false // 52-4-205 is the section of a code
	}
	if thousands.MatchString(before) || x.numbering.MatchString(before) || hour.MatchString(after) ||
		strings.Contains(sep, ":") && m[5]-m[4] > 1 ||
		at == InResult && postponed.MatchString(before) {
		return false // 7:15
	}
	if at == InResult && (strings.ContainsAny(before, "[(") || strings.Trim(after, " .])") == "") {
		return true
	}
	if x.OfVote.MatchString(before[max(0, len(before)-40):]) || x.OfVote.MatchString(after[:min(len(after), 12)]) ||
		movedWord.Ends(strings.TrimRight(before, " ")) {
		return true
	}
	if beforeFigures.MatchString(before) {
		return true
	}
	if m[3]-m[2] > 2 || m[5]-m[4] > 2 || numberNext.MatchString(after) {
		return false // "26-104 11.1. Adoption du règlement" has the number of a resolution
	}
	if behindFavor.MatchString(before) || behindComma.MatchString(before) &&
		strings.Trim(bracketed.ReplaceAllString(after, ""), " .)") == "" {
		return true
	}
	closed := strings.HasSuffix(before, "(") || strings.HasSuffix(before, "[")
	return strings.Trim(before, " (:[") == "" && !strings.Contains(sep, ":") || closed && strings.HasPrefix(after, ")")
}

// beforeTally and beforeFigures match the word of an outcome directly before figures: "La moción fue aprobada 4-1".
var (
	beforeTally   = Compile(`\b{before tally}[ ,:(]{1,3}\d`)
	beforeFigures = words.Regexp(`\b{before tally}[ ,:(]{1,3}$`)
)

// The words next to tallies.
var (
	noUnanimity   = words.Plain("no unanimity")
	nearTally     = words.Plain("near tally")
	nearWords     = words.Plain("near tally in words")
	movedWord     = words.Plain("moved")
	consentBehind = words.Plain("consent behind")
	favorOfThe    = words.Plain("in favor of the")
	weakSide      = words.Plain("weak side")
	zeroFigure    = words.Plain("zero figure")
	zeroLetter    = words.Plain("zero letter")
	oneFor        = words.Plain("one for")
	behindBracket = words.Plain("BEHIND BRACKET")
)

var byConsent = Compile(`\b{by consent} $`)

// consentList reports whether "unanimous" belongs to the name of a list: "items on the unanimous
// consent".
func consentList(f string, m []int) bool {
	return consentBehind.Begins(f[m[1]:]) && !byConsent.MatchString(f[:m[0]])
}

// IsElection reports whether a count that no body has stands behind a position: "Votes Against: 21,423".
func IsElection(behind string) bool { return electionCount.MatchString(behind) }

var electionCount = words.Regexp(`^[ :=-]{1,4}(?:\d{1,3}[,;]? (?i:{yes or no}|{one side})[ :=-]{1,4})?\d{1,3}(?:[,.]\d{3})+\b`)

// InWords reads counts with their positions, "six were in favour, one abstained", "Ayes – 4; Nays – 1", "6 voix
// pour et 2 contre", and returns where the first of them stands, or -1.
func (x *Patterns) InWords(f string) (t Tally, at int) {
	at = -1
	if favorOfThe.Count(f) > 1 {
		t.Several = true // for the motion and for its amendment
		return t, at
	}
	alone, announced := x.CountedAlone(f), announcedCount.MatchString(f)
	if !x.Figure.May(f) || !alone && !announced && !weakSide.In(f) && !x.Position.May(f) {
		return t, at
	}
	c := counter{Patterns: x, f: f, weak: !HasBoth(f) && !alone && !announced, at: -1,
		ayes: -1, nays: -1, others: -1}
	c.read()
	if c.ayes < 0 && c.nays < 0 {
		c.readGroups()
	}
	switch {
	case c.twice && c.nays < 0:
		t.Several = true
		return t, -1
	case c.ayes >= 0:
		t.Count(c.ayes, c.nays)
	case c.nays < 0:
		c.at = -1
	}
	t.Nays, t.Others = max(c.nays, 0), max(c.others, 0)
	t.BothSides = t.Counted && (c.nays >= 0 || c.others >= 0)
	return t, c.at
}

// A counter reads the counts of one text.
type counter struct {
	*Patterns
	f                  string
	weak               bool // common words are no positions
	ayes, nays, others int  // -1 if they are not counted
	twice              bool // different counts of ayes are printed
	at                 int
}

// take takes a position with its number, which stand from an offset.
func (c *counter) take(word, number string, from int) {
	n := ValueOf(number)
	if zeroFigure.Begins(number) || zeroLetter.Is(number) {
		n = 0 // a scanned zero is read as "O" or "Q"
	}
	if c.weak && weakSide.Is(word) {
		return
	}
	s, _ := c.SenseOf(word, Abstain, Aye, AyeVotes, Nay, NayVotes)
	c.takeAs(s, n, from)
}

// takeAs takes a number of those on one side.
func (c *counter) takeAs(s Sense, n, from int) {
	if n < 0 || n > 300 {
		return
	}
	switch known := c.ayes >= 0 && c.nays >= 0; {
	case s == Abstain:
		c.others = max(c.others, n)
	case s == 0, known:
		return
	case s == Aye || s == AyeVotes:
		c.twice = c.twice || c.ayes >= 0 && c.ayes != n
		c.ayes = max(c.ayes, n)
	default:
		c.nays = max(c.nays, n)
	}
	if c.at < 0 || from < c.at {
		c.at = from
	}
}

func (c *counter) read() {
	f := c.f
	for _, m := range versus.FindAllStringSubmatchIndex(f, 1) {
		c.takeAs(Aye, ValueOf(f[m[2]:m[3]]), m[0])
		c.takeAs(Nay, ValueOf(f[m[4]:m[5]]), m[0])
	}
	for _, m := range forAgainst.FindAllStringSubmatchIndex(f, 1) {
		c.takeAs(Aye, ValueOf(f[m[2]:m[3]]), m[0])
		c.takeAs(Nay, ValueOf(f[m[4]:m[5]]), m[0])
	}
	for _, m := range votesToAct.FindAllStringSubmatchIndex(f, 1) {
		if !c.Requires.MatchString(f[:m[0]]) {
			c.takeAs(Aye, ValueOf(f[m[2]:m[3]]), m[0])
		}
	}
	if !c.positionFirst() {
		for _, m := range c.Counted.FindAllStringSubmatchIndex(f, 8) {
			if m[2] > 0 && (strings.ContainsAny(f[m[2]-1:m[2]], ".,$#/-&") || strings.HasSuffix(f[:m[2]], "£")) ||
				oneFor.Begins(f[m[2]:]) || c.numbering.MatchString(f[:m[2]]) {
				continue // "un pour les branchements" counts nobody
			}
			c.take(f[m[4]:m[5]], f[m[2]:m[3]], m[0])
		}
	}
	if c.ayes >= 0 || c.nays >= 0 {
		return
	}
	for _, m := range c.Counts.FindAllStringSubmatchIndex(f, 8) {
		word, number := f[m[2]:m[3]], f[m[4]:m[5]]
		between := f[m[3]:m[4]]
		if IsElection(f[m[3]:]) {
			c.ayes, c.nays = -1, -1
			c.others, c.at = -1, -1
			return
		}
		if zeroLetter.Is(number) && !strings.Contains(between, ":") {
			continue
		}
		if strings.ContainsAny(between, ":=-(") || strings.HasSuffix(word, "s") || HasBoth(f) && len(f) < 60 {
			c.take(word, number, m[0])
		}
	}
}

// groupCount matches the number of members of a group: "los concejales del PP (5)".
var groupCount = regexp.MustCompile(`\((\d{1,2})\)`)

// readGroups reads sides whose groups are counted: "con los votos a favor de los concejales del PP (3) y del PSOE (2)".
func (c *counter) readGroups() {
	sides := c.Position.FindAllStringIndex(c.f, 6)
	for i, m := range sides {
		end := len(c.f)
		if i+1 < len(sides) {
			end = sides[i+1][0]
		}
		part := c.f[m[1]:end]
		groups := groupCount.FindAllStringSubmatch(part, 12)
		if len(groups) == 0 || !ofGroups.MatchString(part) {
			continue
		}
		sum := 0
		for _, g := range groups {
			sum += ValueOf(g[1])
		}
		c.take(c.f[m[0]:m[1]], strconv.Itoa(sum), m[0])
	}
}

// ofGroups matches what stands between a side and its groups.
var ofGroups = words.Regexp(`^,? {of names} `)

// positionFirst reports whether the first position of a text stands before its number: "Yes - 5 No - 0" has no
// five who voted no.
func (c *counter) positionFirst() bool {
	number := c.Counted.FindStringIndex(c.f)
	if number == nil {
		return false
	}
	first := c.Counts.FindAllStringIndex(c.f, 2)
	return len(first) > 1 && first[0][0] < number[0]
}

// announcedCount matches a count behind the words for it: "roll call vote, 5 yes, motion carried", "by show of hands (5
// councillors for".
var announcedCount = Compile(`\b{count follows}[,:;-]? *(?:\d{1,3}|{one}|{number}) {yes or no}\b|` +
	`\b{show of hands},? \(?(?:\d{1,3}|{one}|{number})(?: \w+)? {for}\b`)

// votesToAct matches the votes for a motion by what it does: "12 votes to accept the minutes, 1 abstained".
var votesToAct = Compile(`\b(\d{1,3}|{one}|{number}) {votes to act}\b`)

var twoSides = Compile(`\b{one side}\b|\b\d+ {yes}\b.{0,12}\b\d+ {no}\b|\b{yes}` +
	` ?[:-]? ?\d+\b.{0,12}\b{no} ?[:-]? ?\d+\b|\b\d+ {for}\b.{0,12}\b\d+ {opposing}\b`)

// HasBoth reports whether a sentence speaks of one side at least in a word that nothing but a vote
// has.
func HasBoth(f string) bool { return twoSides.MatchString(f) && len(f) < 200 }

// forAgainst matches the tally "(For 3, Against 4)" behind an outcome.
var forAgainst = Compile(`\b{for}:? (\d{1,3})[,;]? (?:{and} )?{against}:? (\d{1,3})\b`)

// versus matches the tally "35 voix contre 6", in which no 35 are against.
var versus = Compile(`\b(\d{1,3}|{one}|{number}) {votes against} (\d{1,3}|{one}|{number})\b`)

// Bracket returns the text of a RESULT line in square brackets, or "" if there is none.
func Bracket(raw string) string {
	_, b, _ := strings.Cut(raw, "[")
	b, _, _ = strings.Cut(b, "]")
	return strings.TrimSpace(b)
}

// EndsResult reports whether the text after a bracket belongs to the result, as "WITH 1 ABSTENTION"
// does.
func EndsResult(bracket string) bool {
	_, rest, _ := strings.Cut(bracket, "]")
	rest = strings.ToUpper(strings.TrimSpace(rest))
	return rest == "" || rest[0] == '(' || behindBracket.Opens(rest)
}

// ResultWords returns the words of a RESULT line before its bracket.
func ResultWords(raw string) string {
	words, _, _ := strings.Cut(raw, "[")
	return strings.TrimSpace(words)
}

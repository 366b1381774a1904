package signal

import (
	"regexp"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
)

// opensTally matches a tally at the beginning of a sentence: "4-1, Evans no."
var opensTally = regexp.MustCompile(`^[(\[]?\d{1,2} ?- ?\d{1,2}\b`)

// UnanimousRest matches the words of a folded text.
var UnanimousRest = regexp.MustCompile(`[a-z]+`)

// unanimousAlone reports whether a sentence says no more than that all agreed.
func unanimousAlone(x *lexicon.Patterns, f string) bool {
	rest := x.Unanimous.ReplaceAllString(f, " ")
	rest = x.Voice.ReplaceAllString(rest, " ")
	for _, w := range UnanimousRest.FindAllString(rest, 30) {
		switch w {
		case "the", "vote", "was", "were", "motion", "a", "by", "on", "and", "it", "to", "approve", "councilors",
			"councillors", "council", "members", "board", "member", "present", "with", "upon", "is", "roll", "call", "taken",
			"of", "in", "favor", "voted", "trustees", "commissioners", "directors", "this", "for", "favour", "passed", "carried",
			"approved", "an":
		default:
			return false
		}
	}
	return true
}

// bracketed matches names in parentheses: "4 yes, 1 no (Doe)".
var bracketed = regexp.MustCompile(`\([^()0-9]*\)`)

// countedAlone reports whether a sentence has a tally and no other content.
func countedAlone(f string) bool {
	if strings.Contains(f, "(") {
		f = bracketed.ReplaceAllString(f, " ")
	}
	for _, w := range UnanimousRest.FindAllString(f, 40) {
		switch w {
		case "ayes", "aye", "yeas", "yea", "yes", "nays", "nay", "noes", "no", "in", "favor", "favour", "opposed", "oppose",
			"abstained", "abstain", "abstentions", "abstention", "recused", "recusal", "recusals", "absent", "board", "vote",
			"votes", "total", "for", "against", "voting", "and", "with", "of", "were", "was", "y", "n",
			"members", "abstaining", "excused", "a", "by", "to", "one", "two", "three", "four", "five", "six", "seven", "eight",
			"nine", "ten", "zero", "the", "roll", "call":
		default:
			return false
		}
	}
	return true
}

// count sets a tally. nays is negative if no count of them is printed.
func (o *Outcome) count(ayes, nays int) {
	o.Ayes, o.Nays = ayes, max(nays, 0)
	o.Counted, o.BothSides = true, nays >= 0
}

// Tally reads the count of a vote.
func (o *Outcome) Tally(f string, labelled bool) {
	context := labelled || strings.Contains(f, "vote") || strings.Contains(f, "carried") ||
		strings.Contains(f, "passed") || strings.Contains(f, "failed") ||
		strings.Contains(f, "approved") || strings.Contains(f, "adopted") || strings.Contains(f, "defeated") ||
		strings.Contains(f, "motion") || strings.Contains(f, "moved") || strings.Contains(f, "lost") || countedAlone(f) ||
		strings.Contains(f, "no.")
	if !context {
		return
	}
	set := func(a, n, x string) {
		o.count(lexicon.ValueOf(a), max(lexicon.ValueOf(n), 0))
		if x != "" {
			o.Others = max(lexicon.ValueOf(x), 0)
		}
	}
	if m := YTally.FindStringSubmatch(f); m != nil {
		set(m[1], m[2], "")
		return
	}
	if m := slashTally.FindStringSubmatch(f); m != nil {
		set(m[1], m[2], "")
		return
	}
	if m := endSlash.FindStringSubmatch(f); m != nil {
		set(m[1], m[2], "")
		return
	}
	for _, m := range tallyMark.FindAllStringSubmatchIndex(f, 8) {
		if !tallyPlace(f, m) {
			continue
		}
		x := ""
		if padded(f[m[4]:m[5]]) {
			continue // 24-04-051 is the number of a resolution
		}
		if m[6] >= 0 {
			x = f[m[6]:m[7]]
		}
		set(f[m[2]:m[3]], f[m[4]:m[5]], x)
		return
	}
	if m := wordTally.FindStringSubmatch(f); m != nil &&
		(strings.Contains(f, "vote") || strings.Contains(f, "carried") || strings.Contains(f, "passed")) &&
		lexicon.ValueOf(m[1]) <= 60 {
		set(m[1], m[2], "")
	}
}

// padded reports whether a number has a zero before it, as no count has.
func padded(s string) bool { return len(s) > 1 && s[0] == '0' }

var dateNear = regexp.MustCompile(`(?:january|february|march|april|may|june|july|august|september|october|november|` +
	`december|section|sections|no\.|number|resolution|ordinance|` +
	`bill|chapter|item|items|fy|article|page|lot|lots|between|from|r-|code|case|file|\$)\s*$`)

// tallyPlace reports whether figures are a tally, not a date, a time or a range.
func tallyPlace(f string, m []int) bool {
	end := m[5]
	for _, group := range []int{7, 9} {
		end = max(end, m[group])
	}
	before, after := f[:m[2]], f[end:]
	if dateNear.MatchString(before) || strings.HasPrefix(strings.TrimLeft(after, " "), "p.m") ||
		strings.HasPrefix(strings.TrimLeft(after, " "), "a.m") || strings.HasPrefix(strings.TrimLeft(after, " "), "pm") ||
		strings.HasPrefix(strings.TrimLeft(after, " "), "am ") {
		return false
	}
	sep := f[m[3]:m[4]]
	if strings.Contains(sep, ":") && m[5]-m[4] > 1 {
		return false // 7:15
	}
	near := before[max(0, len(before)-40):] + " " + after[:min(len(after), 12)]
	for _, w := range []string{"vote", "voting", "carried", "passed", "failed", "approved", "adopted", "defeated", "lost",
		"unanimous", "carries", "passes", "tie", "moved "} {
		if strings.Contains(near, w) && !(w == "moved " && !strings.HasSuffix(strings.TrimRight(before, " "), "moved")) {
			return true
		}
	}
	if m[3]-m[2] > 2 || m[5]-m[4] > 2 || numberNext.MatchString(after) {
		return false // "26-104 11.1. Adoption du règlement" has the number of a resolution
	}
	closed := strings.HasSuffix(before, "(") || strings.HasSuffix(before, "[")
	return strings.Trim(before, " (:[") == "" && !strings.Contains(sep, ":") || closed && strings.HasPrefix(after, ")")
}

// numberNext matches a number directly behind figures.
var numberNext = regexp.MustCompile(`^[ .]{0,3}\d`)

var byConsent = lexicon.Compile(`\b(?:by|with|through)(?: a)? $`)

// consentList reports whether "unanimous" belongs to the name of a list: "items on the unanimous
// consent".
func consentList(f string, m []int) bool {
	return strings.HasPrefix(f[m[1]:], " consent") && !byConsent.MatchString(f[:m[0]])
}

// byMajority matches words that say that not all were in favor.
var byMajority = lexicon.Compile(`\bby (?:a )?(?:simple )?majority\b|\bon (?:a )?division\b|\bnot unanimous\b`)

// Unanimity reads words such as "unanimously" and "voice vote".
func (o *Outcome) Unanimity(x *lexicon.Patterns, f string) {
	if m := x.Unanimous.FindStringIndex(f); m != nil && !consentList(f, m) && !required.MatchString(f[:m[0]]) &&
		!strings.Contains(f, "not unanimous") {
		o.Unanimous = true
	}
	o.Voice = x.Voice.MatchString(f)
	o.Majority = !o.Unanimous && byMajority.MatchString(f)
}

// CountedWords reads counts in words: "six were in favour, one abstained", "Ayes – 4; Nays – 1".
func (r *Scanner) CountedWords(o *Outcome, f string) {
	if o.Counted && o.Others > 0 {
		return
	}
	ayes := -1
	nays := -1
	others := -1
	twice := false
	if strings.Count(f, "favour of the ")+strings.Count(f, "favor of the ") > 1 {
		o.Unread = "votes for several proposals are counted" // for the motion and for its amendment
		return
	}
	both := strings.Contains(f, "against") || strings.Contains(f, "opposed") || strings.Contains(f, "favo") ||
		strings.Contains(f, "abst") || strings.Contains(f, "yes")
	both = both || strings.Contains(f, "contre") || strings.Contains(f, "contra")
	announced := announcedCount.MatchString(f)
	if !r.Words.Figure.May(f) || !both && !r.Words.Position.May(f) && !countedAlone(f) {
		return
	}
	take := func(word, number string) {
		n := lexicon.ValueOf(number)
		if n < 0 || n > 200 || strings.Contains(" for yes no agreed approve pour ", " "+word+" ") && !(both && hasBoth(f)) &&
			!countedAlone(f) && !announced {
			return
		}
		switch s, _ := r.Words.SenseOf(word, lexicon.Aye, lexicon.Nay, lexicon.Abstain, lexicon.Absent, lexicon.Recused); s {
		case lexicon.Aye:
			twice = twice || ayes >= 0 && ayes != n
			ayes = max(ayes, n)
		case lexicon.Nay:
			nays = max(nays, n)
		case lexicon.Abstain:
			others = max(others, n)
		}
	}
	for _, m := range r.Words.Counted.FindAllStringSubmatchIndex(f, 8) {
		if m[2] == 0 || !strings.ContainsAny(f[m[2]-1:m[2]], ".,$#/-&") && !strings.HasSuffix(f[:m[2]], "£") {
			take(f[m[4]:m[5]], f[m[2]:m[3]])
		}
	}
	if ayes < 0 && nays < 0 || positionFirst(r.Words, f) {
		ayes = -1
		nays = -1
		others = -1
		for _, m := range r.Words.Counts.FindAllStringSubmatchIndex(f, 8) {
			between := f[m[3]:m[4]]
			if electionCount.MatchString(f[m[3]:]) {
				continue
			}
			if word := f[m[2]:m[3]]; strings.ContainsAny(between, ":=-(") || strings.HasSuffix(word, "s") ||
				hasBoth(f) && len(f) < 60 {
				take(word, f[m[4]:m[5]])
			}
		}
	}
	if twice && nays < 0 {
		o.Unread = "votes for several proposals are counted" // for the motion and for its amendment
		return
	}
	if !o.Counted && ayes >= 0 {
		o.count(ayes, nays)
	} else if !o.Counted && nays >= 0 {
		o.Nays = nays
	}
	if others > 0 {
		o.Others = others
	}
}

// announcedCount matches a count behind the word for it: "roll call vote, 5 yes, motion carried".
var announcedCount = lexicon.Compile(`\b(?:vote|roll call)[,:;-]? *(?:` + lexicon.Figure + `) (?:yes|no)\b`)

// positionFirst reports whether the first position of a sentence stands before its number: "Yes - 5 No -
// 0" has no five who voted no.
func positionFirst(x *lexicon.Patterns, f string) bool {
	first, number := x.Counts.FindStringIndex(f), x.Counted.FindStringIndex(f)
	return first != nil && number != nil && first[0] < number[0] && len(x.Counts.FindAllStringIndex(f, 2)) > 1
}

var twoSides = lexicon.Compile(`\b(?:against|opposed|abstain|abstained|abstentions?|in favou?r|contre|en contra)\b|` +
	`\b\d+ yes\b.{0,12}\b\d+ no\b|\byes ?[:-]? ?\d+\b.{0,12}\bno ?[:-]? ?\d+\b|\b\d+ for\b.{0,12}\b\d+ against\b`)

// hasBoth reports whether a sentence speaks of one side at least in a word that nothing but a vote
// has.
func hasBoth(f string) bool { return twoSides.MatchString(f) && len(f) < 200 }

var harmless = lexicon.Compile(`\b(?:if|whether|would|could|should|may|must|will|shall|can|requires?|required|` +
	`needs?|when|until|eligible|ballots?|voters?|election|explained|asked|said|stated|felt|thought|believed)\b`)

// firmFate matches what a clause says about a motion, and nothing else.
var firmFate = regexp.MustCompile(`(?:^|[,;] ?)(?:the )?motion (?:was )?(?:carried|carries|passed|passes|failed|` +
	`fails|defeated)[.,;]?$`)

// SpeaksOfVote reports whether a sentence that was not read may state a vote.
func (r *Scanner) SpeaksOfVote(f string) bool {
	if firmFate.MatchString(strings.TrimSpace(f)) {
		return true
	}
	return len(f) < 600 && r.Words.Speaks.MatchString(f) && !harmless.MatchString(f) &&
		!motionText.MatchString(f) &&
		!otherDay.MatchString(f)
}

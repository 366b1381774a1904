package decide

import (
	"regexp"
	"strings"
)

// opensTally matches a tally at the beginning of a sentence: "4-1, Evans no."
var opensTally = regexp.MustCompile(`^[(\[]?\d{1,2} ?- ?\d{1,2}\b`)

var unanimousRest = regexp.MustCompile(`[a-z]+`)

// unanimousAlone reports whether a sentence says no more than that all agreed.
func unanimousAlone(x *expr, f string) bool {
	rest := x.unanimous.ReplaceAllString(f, " ")
	rest = x.voice.ReplaceAllString(rest, " ")
	for _, w := range unanimousRest.FindAllString(rest, 30) {
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
	for _, w := range unanimousRest.FindAllString(f, 40) {
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
func (o *outcome) count(ayes, nays int) {
	o.ayes, o.nays = ayes, max(nays, 0)
	o.counted, o.bothSides = true, nays >= 0
}

// tally reads the count of a vote.
func (o *outcome) tally(f string, labelled bool) {
	context := labelled || strings.Contains(f, "vote") || strings.Contains(f, "carried") ||
		strings.Contains(f, "passed") || strings.Contains(f, "failed") ||
		strings.Contains(f, "approved") || strings.Contains(f, "adopted") || strings.Contains(f, "defeated") ||
		strings.Contains(f, "motion") || strings.Contains(f, "moved") || strings.Contains(f, "lost") || countedAlone(f) ||
		strings.Contains(f, "no.")
	if !context {
		return
	}
	set := func(a, n, x string) {
		o.count(valueOf(a), max(valueOf(n), 0))
		if x != "" {
			o.others = max(valueOf(x), 0)
		}
	}
	if m := yTally.FindStringSubmatch(f); m != nil {
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
		valueOf(m[1]) <= 60 {
		set(m[1], m[2], "")
	}
}

// padded reports whether a number has a zero before it, as no count has.
func padded(s string) bool { return len(s) > 1 && s[0] == '0' }

var dateNear = regexp.MustCompile(`(?:january|february|march|april|may|june|july|august|september|october|november|december|section|sections|no\.|number|resolution|ordinance|` +
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

var byConsent = compile(`\b(?:by|with|through)(?: a)? $`)

// consentList reports whether "unanimous" belongs to the name of a list: "items on the unanimous
// consent".
func consentList(f string, m []int) bool {
	return strings.HasPrefix(f[m[1]:], " consent") && !byConsent.MatchString(f[:m[0]])
}

// byMajority matches words that say that not all were in favor.
var byMajority = compile(`\bby (?:a )?(?:simple )?majority\b|\bon (?:a )?division\b|\bnot unanimous\b`)

// unanimity reads words such as "unanimously" and "voice vote".
func (o *outcome) unanimity(x *expr, f string) {
	if m := x.unanimous.FindStringIndex(f); m != nil && !consentList(f, m) && !required.MatchString(f[:m[0]]) &&
		!strings.Contains(f, "not unanimous") {
		o.unanimous = true
	}
	o.voice = x.voice.MatchString(f)
	o.majority = !o.unanimous && byMajority.MatchString(f)
}

// countedWords reads counts in words: "six were in favour, one abstained", "Ayes – 4; Nays – 1".
func (r *scanner) countedWords(o *outcome, f string) {
	if o.counted && o.others > 0 {
		return
	}
	ayes, nays, others, twice := -1, -1, -1, false
	if strings.Count(f, "favour of the ")+strings.Count(f, "favor of the ") > 1 {
		o.unread = "votes for several proposals are counted" // for the motion and for its amendment
		return
	}
	both := strings.Contains(f, "against") || strings.Contains(f, "opposed") || strings.Contains(f, "favo") ||
		strings.Contains(f, "abst") || strings.Contains(f, "yes")
	both = both || strings.Contains(f, "contre") || strings.Contains(f, "contra")
	announced := announcedCount.MatchString(f)
	if !r.x.figure.may(f) || !both && !r.x.position.may(f) && !countedAlone(f) {
		return
	}
	take := func(word, number string) {
		n := valueOf(number)
		if n < 0 || n > 200 || strings.Contains(" for yes no agreed approve pour ", " "+word+" ") && !(both && hasBoth(f)) &&
			!countedAlone(f) && !announced {
			return
		}
		switch s, _ := r.x.senseOf(word, aye, nay, abstain, absent, recused); s {
		case aye:
			twice = twice || ayes >= 0 && ayes != n
			ayes = max(ayes, n)
		case nay:
			nays = max(nays, n)
		case abstain:
			others = max(others, n)
		}
	}
	for _, m := range r.x.counted.FindAllStringSubmatchIndex(f, 8) {
		if m[2] == 0 || !strings.ContainsAny(f[m[2]-1:m[2]], ".,$#/-&") && !strings.HasSuffix(f[:m[2]], "£") {
			take(f[m[4]:m[5]], f[m[2]:m[3]])
		}
	}
	if ayes < 0 && nays < 0 || positionFirst(r.x, f) {
		ayes, nays, others = -1, -1, -1
		for _, m := range r.x.counts.FindAllStringSubmatchIndex(f, 8) {
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
		o.unread = "votes for several proposals are counted" // for the motion and for its amendment
		return
	}
	if !o.counted && ayes >= 0 {
		o.count(ayes, nays)
	} else if !o.counted && nays >= 0 {
		o.nays = nays
	}
	if others > 0 {
		o.others = others
	}
}

// announcedCount matches a count behind the word for it: "roll call vote, 5 yes, motion carried".
var announcedCount = compile(`\b(?:vote|roll call)[,:;-]? *(?:` + figure + `) (?:yes|no)\b`)

// positionFirst reports whether the first position of a sentence stands before its number: "Yes - 5 No -
// 0" has no five who voted no.
func positionFirst(x *expr, f string) bool {
	first, number := x.counts.FindStringIndex(f), x.counted.FindStringIndex(f)
	return first != nil && number != nil && first[0] < number[0] && len(x.counts.FindAllStringIndex(f, 2)) > 1
}

var twoSides = compile(`\b(?:against|opposed|abstain|abstained|abstentions?|in favou?r|contre|en contra)\b|\b\d+ yes\b.{0,12}\b\d+ no\b|\byes ?[:-]? ?\d+\b.{0,12}\bno ?[:-]? ?\d+\b|\b\d+ for\b.{0,12}\b\d+ against\b`)

// hasBoth reports whether a sentence speaks of one side at least in a word that nothing but a vote
// has.
func hasBoth(f string) bool { return twoSides.MatchString(f) && len(f) < 200 }

var harmless = compile(`\b(?:if|whether|would|could|should|may|must|will|shall|can|requires?|required|needs?|when|until|eligible|ballots?|voters?|election|explained|asked|said|stated|felt|thought|believed)\b`)

// speaksOfVote reports whether a sentence that was not read may state a vote.
func (r *scanner) speaksOfVote(f string) bool {
	return len(f) < 600 && r.x.speaks.MatchString(f) && !harmless.MatchString(f) &&
		!motionText.MatchString(f) &&
		!otherDay.MatchString(f)
}

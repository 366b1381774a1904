package head

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lines"
)

// The words of names of bodies, by language.
var (
	nouns      = words.Plain("body name")
	lowerNouns = words.Plain("body in lower case")
	// described stand behind a noun in lower case: Conseil communal
	described = words.Plain("behind body name")
	// adjectives stand before the name, and are no part of it
	adjectives = words.Plain("before body name")
	stops      = words.Plain("ends body name")
	hardStops  = words.Plain("before any body")
	// shortened have a full stop that does not end the name: Board of the St. Louis County Library District
	shortened = words.Plain("shortened place")
	joining   = words.Plain("joins body name")
	following = words.Plain("following")
	partOf    = words.Plain("part of body name")
	opensThat = words.Plain("That")
	sitting   = words.Plain("meeting")
	annual    = words.Plain("annual")
	gathering = words.Plain("gathering")
	article   = words.Plain("the")

	ofBody  = words.Regexp(`(?i)\b{meeting} {meeting of}\s?(?:{the} )?(.{4,140})|(?i)\b{held by} (.{4,140})`)
	opening = words.Regexp(`(?i)\b(?:{meeting}|{held}) `)
	opens   = words.Regexp(`(?i)\b(?:{opens meeting}|{held})\b`)
	bodyMet = words.Regexp(`(?i)(?:^|[.,] |\b{the} )(\p{Lu}.{3,100}?),? (?:{state of} [\p{L} ]+?,? )?{met}` +
		`\b`)
	// "le Conseil Municipal de Tronget, dûment convoqué, s'est réuni": France's registers
	assembled   = words.Regexp(`(?i)\b{le} ({conseil} .{3,200}?)\b{assembled}\b`)
	boardNumber = words.Regexp(`^{CB} ?#?(\d{1,2}) .*(?i:{meeting word})`)
	afterNoun   = words.Regexp(`(?i)\b({body noun})[-–—](\p{L})`)
	possessive  = regexp.MustCompile(`[’'][sS]$`)      // the Board of Selectmen's meeting
	numbered    = regexp.MustCompile(`^\d{1,3}\s{2,}`) // numbers of lines
	ofMinutes   = words.Regexp(`(?i)\b{minutes of} (?:{the} )?(?:\S+ ){0,3}\S+ $`)
	goesOn      = words.Plain("joins body name")
	partial     = words.Plain("part of a body")
	kindInside  = words.Plain("kind in body name")
	town        = words.Regexp(`(?i)^(?:{the} )?(?:{corporation of} (?:{the} )?)?` +
		`({kind of town} {town of} ?[\p{L}’' .-]{2,40})$`)
)

// maxHeading is the length of the longest heading, in bytes.
const maxHeading = 140

// A name is a candidate for the body that met.
type name struct {
	text   string
	weight float64
}

// body returns the name of the body that met, or "": the one of which the head says most. all has the headers and
// footers of pages, too; the business begins at a line.
func body(kept, all []lines.Line, business int) string {
	var names []name
	consider := func(text string, weight float64) {
		if text == "" || following.Opens(strings.ToLower(text)) {
			return // "The following members of the council were present"
		}
		if !strings.Contains(text, " ") {
			weight -= 2.5 // "Commission" may be any
		}
		if partial.Ends(strings.ToLower(text)) {
			weight += 0.5 // a committee's head names its council, too
		}
		if weight > 0 {
			names = append(names, name{text, weight})
		}
	}
	seen := 0
	dated, gap := false, false
	head, opening := "", ""
	above := ""
	for i, ln := range kept {
		if ln.Text == "" {
			gap = true
			continue
		}
		if seen++; seen > maxLines {
			break
		}
		t := strings.TrimSpace(strings.TrimLeft(strings.ReplaceAll(numbered.ReplaceAllString(ln.Text, ""), "**", ""), "# "))
		if t == "" {
			continue
		}
		if gap && unicode.IsUpper([]rune(t)[0]) && opening != "" && !strings.HasSuffix(opening, ".") && seen < 40 {
			opening += "." // a paragraph ends
		}
		if gap = false; seen < 40 {
			opening += " " + t
		}
		if ln.No >= business {
			above = t
			continue
		}
		head = opening
		text, s := headingBody(t)
		if seen == 1 && text == "" && len(t) > maxHeading {
			if title, _ := nameIn(withoutKind(strings.Fields(t[:maxHeading])), true); strings.Contains(title, " ") {
				text, s = title, 2 // a text without line breaks begins with its title
			}
		}
		if joined, weight := headingBody(above + " " + t); isBroken(above, t, text, joined) {
			if text, s = joined, weight; len(strings.Fields(t)) == 1 {
				s = 4
			}
		}
		if s > 1 && (isMinutes(above) || i+1 < len(kept) && isMinutes(kept[i+1].Text)) {
			s += 3
		}
		if partOf.Opens(strings.ToLower(t)) {
			s -= 3 // a part of the name above
		}
		// The last name above the date counts, because a letterhead may come first.
		late := -float64(seen) * 0.01
		if !dated {
			late = -late
		}
		if above = t; (seen < 25 || s >= 4) && !(dated && itemNumber.MatchString(t)) {
			consider(text, float64(s)+late)
		}
		dated = dated || len(datesIn(tokensOf([]lines.Line{ln}))) > 0
	}
	consider(sentenceBody(council.Fold(head), council.Fold(opening)))
	if best := bestOf(names); strings.Contains(best, " ") {
		return best
	} else if of := placeIn(kept); best != "" && of != "" {
		return of + " " + best
	} else if best != "" {
		return best
	}
	return cmp.Or(townIn(kept), frequent(all))
}

// isBroken reports whether a heading goes on from the line above: "EXECUTIVE DIRECTOR SELECTION" above "AND RETENTION
// COMMITTEE", or a name above its last word.
func isBroken(above, text, name, joined string) bool {
	if joined == "" || joined == name || above == "" || strings.HasSuffix(above, ".") {
		return false
	}
	first, last := clean(strings.Fields(text)[0]), clean(above[strings.LastIndex(above, " ")+1:])
	switch {
	case len(joined) <= len(name) || !strings.HasSuffix(strings.ToLower(joined), strings.ToLower(name)):
		return false
	case !strings.Contains(name, " ") && len(strings.Fields(text)) == 1:
		return name != ""
	}
	return goesOn.Is(first) && !article.Is(first) && !nouns.Is(last) || goesOn.Is(last) || strings.HasSuffix(above, ",")
}

// bestOf returns the name with the highest weight, in its longest form: "Elm County Board of Supervisors" for "Board of
// Supervisors", or "Board of Directors" for "Board".
func bestOf(names []name) string {
	if len(names) == 0 {
		return ""
	}
	best := slices.MaxFunc(names, func(a, b name) int { return cmp.Compare(a.weight, b.weight) }).text
	for _, n := range names {
		low := strings.Fields(strings.ToLower(n.text))
		if !strings.Contains(best, " ") && len(low) > 1 && slices.Contains(low, strings.ToLower(best)) {
			return n.text
		}
		before, found := strings.CutSuffix(strings.ToLower(n.text), " "+strings.ToLower(best))
		if found && strings.Contains(best, " ") && !slices.ContainsFunc(strings.Fields(before), nouns.Is) &&
			!goesOn.Is(low[0]) {
			return n.text
		}
	}
	return best
}

var (
	// itemNumber matches the number of an item below the date: "7b. Zoning Board of Appeals"
	itemNumber = regexp.MustCompile(`^\d{1,2}[a-z]?[.)] `)
	place      = words.Regexp(`(?i)^(?:{the} )?(?:[\p{L}’'-]+ ){1,4}{place noun}$`)
)

// placeIn returns the town that one of the first lines names, and nothing else: "BIRCH LAKE TOWNSHIP".
func placeIn(lines []lines.Line) string {
	for i, seen := 0, 0; i < len(lines) && seen < 3; i++ {
		if lines[i].Text == "" {
			continue
		}
		seen++
		text := strings.Trim(lines[i].Text, "*# ")
		if place.MatchString(text) {
			return titled(strings.Fields(text))
		} else if m := town.FindStringSubmatch(text); m != nil {
			return titled(strings.Fields(m[1]))
		}
	}
	return ""
}

// frequent returns the name that most of the repeated lines of a document have, which are the heads of its pages.
func frequent(lines []lines.Line) string {
	lines = lines[:min(len(lines), 4_000)]
	printed := map[string]int{}
	for _, ln := range lines {
		printed[lexicon.FoldDigits(ln.Text)]++
	}
	best, most := "", 1
	for _, ln := range lines {
		times := printed[lexicon.FoldDigits(ln.Text)]
		if pageNumber.MatchString(ln.Text) {
			times++
		}
		if times <= most {
			continue
		}
		if name, weight := headingBody(ln.Text); name != "" && weight >= 2 {
			best, most = name, times
		}
	}
	return best
}

// headingBody reads the name of a body in a heading: "ADJOURNED REGULAR CHICO CITY COUNCIL MEETING —
// June 23, 2020". The weight says how certain it is.
func headingBody(text string) (name string, weight int) {
	if len(text) > maxHeading && !startsInCapitals(text) || lexicon.HasAddress(text) || len(text) > 600 {
		return "", 0
	}
	words := strings.Fields(afterNoun.ReplaceAllString(text, "$1 $2")) // City Council-Regular Session
	if len(words) == 0 || lexicon.EndsSentence(text) && len(words) > 10 && !startsInCapitals(text) {
		return "", 0
	}
	if len(text) > maxHeading { // capitals before a sentence on the same line
		n := 0
		for n < len(words) && words[n] == strings.ToUpper(words[n]) {
			n++
		}
		words = words[:n]
	}
	if m := boardNumber.FindStringSubmatch(text); m != nil {
		return "Community Board " + m[1], 4 // New York's short form
	}
	after := withoutKind(words)
	name, rest := nameIn(after, true)
	if name == "" {
		return "", 0
	}
	if opensThat.Opens(name) {
		return "", 0 // That Council do …
	}
	weight = 2
	if shorter, found := withoutKindInside(name, rest); found {
		return shorter, 1
	}
	if len(after) < len(words) {
		weight++
	}
	if len(rest) > 5 && !slices.ContainsFunc(rest, func(w string) bool { return monthOf(clean(w)) > 0 }) {
		weight -= 3 // an entry of a list
	}
	low, _ := lexicon.FoldText(strings.Join(rest[:min(len(rest), 3)], " "))
	switch {
	case sitting.In(low):
		weight += 2
	case len(rest) > 3 && !slices.ContainsFunc(rest[:min(len(rest), 6)],
		func(w string) bool { return monthOf(clean(w)) > 0 }):
		return "", 0
	}
	return name, weight
}

// withoutKind cuts the kind of a meeting and its date from a heading: "ADJOURNED REGULAR", "June 5 Minutes of the".
func withoutKind(words []string) []string {
	from := 0
	for from < len(words) && (adjectives.Is(clean(words[from])) || monthOf(clean(words[from])) > 0 ||
		from < 4 && (lexicon.LeadingDigits(words[from], 1) > 0 || from > 0 && clean(words[from]) == "")) {
		from++
	}
	return words[from:]
}

func startsInCapitals(text string) bool {
	words := strings.Fields(text)
	return len(words) > 3 && words[0]+words[1] == strings.ToUpper(words[0]+words[1]) && len(words[0]) > 1
}

// clean returns a word to compare, without what stands around it.
func clean(word string) string { return folded(strings.Trim(word, `,.;:()[]“”"—–-`)) }

func folded(text string) string {
	text, _ = lexicon.FoldText(text)
	return text
}

// describes reports whether a word is a part of the name of a body behind its noun: Conseil communal.
func describes(noun, word string) bool { return lowerNouns.Is(clean(noun)) && described.Is(word) }

// withoutKindInside cuts the kind of a meeting that stands before the last word of a name: "Port of Doe Regular
// Commission" in the heading of a meeting.
func withoutKindInside(name string, rest []string) (shorter string, found bool) {
	words := strings.Fields(name)
	at := len(words) - 2
	if at < 1 || len(rest) == 0 || !kindInside.Is(clean(words[at])) || !sitting.Is(clean(rest[0])) {
		return name, false
	}
	return strings.Trim(strings.Join(words[:at], " "), " -–—") + " " + words[at+1], true
}

// nameIn reads a name at the first word: capitalised words, of which one is the noun of a body.
func nameIn(words []string, heading bool) (name string, rest []string) {
	noun := -1
	end := 0
	for i, w := range words {
		c := clean(w)
		if i >= 14 || c == "" || noun >= 0 && (stops.Is(c) && !joining.Is(c) || monthOf(c) > 0 || weekdays.Is(c)) {
			break
		}
		if i > 0 && noun < 0 && hardStops.Is(c) {
			return "", nil
		}
		r := []rune(w)[0]
		isNumber := lexicon.AllDigits(c) && len(c) < 3 && noun >= 0 && noun == i-1
		isPart := joining.Is(c) || lowerNouns.Is(c) || noun >= 0 && describes(words[noun], c) || isNumber
		if !unicode.IsUpper(r) && !isPart {
			break
		}
		if strings.ContainsAny(w, "|@_") {
			return "", nil
		}
		if noun >= 0 && noun < i-1 && nouns.Is(c) && possessive.MatchString(words[i-1]) {
			return "", nil // "Board of Director's Board" is misprinted
		}
		if nouns.Is(c) {
			noun = i
		}
		if noun >= 0 && noun < i && !joining.Is(c) && !joining.Is(clean(words[noun+1])) &&
			!describes(words[noun], clean(words[noun+1])) && !isNumber {
			return "", nil // "City Council Chambers" is a place
		}
		end = i + 1
		if strings.HasSuffix(w, ",") && noun < 0 && !heading {
			return "", nil
		}
		if strings.HasSuffix(w, ",") && noun >= 0 || strings.HasSuffix(w, ":") || strings.HasSuffix(w, ".") &&
			(noun >= 0 || len(w) > 6) && !shortened.Is(c) {
			break
		}
	}
	for end > 0 && joining.Is(clean(words[end-1])) {
		end--
	}
	if noun < 0 || noun >= end {
		return "", nil
	}
	return titled(words[:end]), words[end:]
}

// titled writes a name in capitals in title case.
func titled(words []string) string {
	name := strings.Trim(strings.Join(words, " "), ` ,.;:“”"—–-`)
	name = possessive.ReplaceAllString(name, "")
	if slices.ContainsFunc(strings.Fields(name), func(w string) bool {
		return w != strings.ToUpper(w) && !joining.Is(clean(w))
	}) {
		return name
	}
	out := strings.Fields(strings.ToLower(name))
	for i, w := range out {
		parts := strings.Split(w, "-") // Saint-Aubin-du-Plain
		for k, part := range parts {
			if r := []rune(part); len(r) > 0 && (i == 0 && k == 0 || !joining.Is(part)) {
				r[0] = unicode.ToUpper(r[0])
				parts[k] = string(r)
			}
		}
		out[i] = strings.Join(parts, "-")
	}
	return strings.Join(out, " ")
}

// sentenceBody reads the body in a sentence: "A regular meeting of the Township of Nipissing Council
// was held on …", "the Logan Redevelopment Agency convened on …".
//
// A meeting of a body counts below the head only if it opens there: others are reported.
func sentenceBody(head, text string) (string, float64) {
	for _, m := range bodyMet.FindAllStringSubmatch(text, 12) {
		words := strings.Fields(m[1])
		for i := len(words) - 1; i > 0; i-- { // behind the last article above a noun
			if article.Is(strings.ToLower(words[i])) &&
				slices.ContainsFunc(words[i:], func(w string) bool { return nouns.Is(clean(w)) }) {
				words = words[i+1:]
				break
			}
		}
		for i := range words {
			if name, rest := nameIn(words[i:], false); strings.Contains(name, " ") && len(rest) <= 4 {
				return withoutHonour(name), 4.5
			}
		}
	}
	if m := assembled.FindStringSubmatch(text); m != nil {
		if name, _ := nameIn(strings.Fields(m[1]), false); strings.Contains(name, " ") {
			return name, 3.2
		}
	}
	single, weight := "", 0.0
	for _, at := range opening.FindAllStringIndex(text, 12) {
		m := ofBody.FindStringSubmatch(text[at[0]:])
		if m == nil {
			continue
		}
		after, below := m[1]+m[2], at[0] >= len(head)
		words := strings.Fields(after)
		for len(words) > 0 && adjectives.Is(clean(words[0])) {
			words = words[1:]
		}
		name, _ := nameIn(words, false)
		name = withoutArticle(name)
		certain := 1.9
		if name != "" && (m[2] != "" || opens.MatchString(after[:min(len(after), len(name)+60)])) {
			certain = 3.2
		} else if below {
			continue
		} else if ofMinutes.MatchString(text[:at[1]]) {
			certain = 5.5
		}
		if certain > weight && name != "" || !strings.Contains(single, " ") && strings.Contains(name, " ") {
			single, weight = name, certain
		}
	}
	return single, weight
}

func withoutArticle(name string) string {
	if first, rest, found := strings.Cut(name, " "); found && article.Is(strings.ToLower(first)) {
		return rest
	}
	return name
}

// withoutHonour cuts what a clerk says of every body: "the Honorable Commissioners' Court".
func withoutHonour(name string) string {
	first, rest, found := strings.Cut(withoutArticle(name), " ")
	if found && adjectives.Is(clean(first)) {
		return rest
	}
	return withoutArticle(name)
}

// townIn returns the town of the heading, for minutes that do not name the body.
func townIn(lines []lines.Line) string {
	of := ""
	for i, seen := 0, 0; i < len(lines) && seen < 8; i++ {
		if lines[i].Text == "" {
			continue
		}
		seen++
		text := strings.Trim(lines[i].Text, "*# ")
		if low := strings.ToLower(text); annual.In(low) && gathering.Ends(low) &&
			len(text) < 80 {
			return titled(strings.Fields(text))
		}
		if m := town.FindStringSubmatch(text); of == "" && m != nil {
			of = titled(strings.Fields(m[1]))
		}
	}
	return of
}

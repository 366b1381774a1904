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
	town        = words.Regexp(`(?i)^(?:{the} )?{kind of town} {town of} ?[\p{L}’' .-]{2,40}$`)
)

// maxHeading is the length of the longest heading, in bytes.
const maxHeading = 140

// body returns the name of the body that met, or "". all has the headers and footers of pages, too.
func body(kept, all []lines.Line) string {
	best := ""
	score := 0.0
	longer := []string(nil)
	consider := func(name string, weight float64) {
		if following.Opens(strings.ToLower(name)) {
			return // "The following members of the council were present"
		}
		if !strings.Contains(name, " ") {
			weight -= 2.5 // "Commission" may be any
		} else if weight > 0 {
			longer = append(longer, name)
		}
		if name != "" && weight > score {
			best, score = name, weight
		}
	}
	seen, dated := 0, false
	text, above := "", ""
	for i, ln := range kept {
		if ln.Text == "" {
			continue
		}
		if seen++; seen > maxLines {
			break
		}
		t := strings.TrimSpace(strings.TrimLeft(strings.ReplaceAll(numbered.ReplaceAllString(ln.Text, ""), "**", ""), "# "))
		if seen < 40 {
			text += " " + t
		}
		name, s := headingBody(t)
		if seen == 1 && name == "" && len(t) > maxHeading {
			if title, _ := nameIn(strings.Fields(t[:maxHeading]), true); strings.Contains(title, " ") {
				name, s = title, 2 // a text without line breaks begins with its title
			}
		}
		if joined, _ := headingBody(above + " " + t); s > 0 && !strings.Contains(name, " ") && len(strings.Fields(t)) == 1 &&
			strings.HasSuffix(strings.ToLower(joined), strings.ToLower(name)) && !strings.HasSuffix(above, ".") {
			name, s = joined, 4 // the heading is broken into two lines
		}
		if name != "" && (isMinutes(above) || i+1 < len(kept) && isMinutes(kept[i+1].Text)) {
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
			consider(name, float64(s)+late)
		}
		dated = dated || len(datesIn(tokensOf([]lines.Line{ln}))) > 0
	}
	name, weight := sentenceBody(council.Fold(text))
	consider(name, weight)
	if best != "" && !strings.Contains(best, " ") {
		for _, name := range longer {
			if slices.Contains(strings.Fields(strings.ToLower(name)), strings.ToLower(best)) {
				return name // "Board of Directors" above "Special Board Meeting"
			}
		}
		if of := placeIn(kept); of != "" {
			return of + " " + best
		}
	}
	return cmp.Or(best, townIn(kept), frequent(all))
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
		if text := strings.Trim(lines[i].Text, "*# "); place.MatchString(text) || town.MatchString(text) {
			return titled(strings.Fields(text))
		}
	}
	return ""
}

// frequent returns the name that most headings of the whole document have.
func frequent(lines []lines.Line) string {
	count, best := map[string]int{}, ""
	for _, ln := range lines[:min(len(lines), 4_000)] {
		name, weight := headingBody(ln.Text)
		if name == "" || !strings.Contains(name, " ") || weight < 2 {
			continue
		}
		count[name] += weight
		if best == "" || count[name] > count[best] {
			best = name
		}
	}
	if count[best] < 4 {
		return ""
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
	from := 0
	for from < len(words) && (adjectives.Is(clean(words[from])) || monthOf(clean(words[from])) > 0 ||
		from < 4 && lexicon.LeadingDigits(words[from], 1) > 0) {
		from++
	}
	name, rest := nameIn(words[from:], true)
	if name == "" {
		return "", 0
	}
	if opensThat.Opens(name) {
		return "", 0 // That Council do …
	}
	weight = 2
	if from > 0 {
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
func sentenceBody(text string) (string, float64) {
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
				return withoutArticle(name), 4.5
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
		after := m[1] + m[2]
		words := strings.Fields(after)
		for len(words) > 0 && adjectives.Is(clean(words[0])) {
			words = words[1:]
		}
		name, _ := nameIn(words, false)
		name = withoutArticle(name)
		certain := 1.9
		if name != "" && (m[2] != "" || opens.MatchString(after[:min(len(after), len(name)+60)])) {
			certain = 3.2
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
		if of == "" && town.MatchString(text) {
			of = titled(strings.Fields(text))
		}
	}
	return of
}

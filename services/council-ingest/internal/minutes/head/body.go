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
	nouns = strings.Fields(`council board committee commission authority trustees supervisors directors selectmen agency
		selectboard aldermen legislature court assembly jury conseil comité pleno ayuntamiento concejo cabildo
		junta legislatura`)
	// described stand behind a noun: Conseil communal
	described  = strings.Fields("municipal communal communale régional regional général constitucional plenario")
	lowerNouns = strings.Fields("conseil legislatura comité pleno ayuntamiento concejo cabildo junta")
	// adjectives stand before the name, and are no part of it
	adjectives = strings.Fields(`regular special adjourned ordinary extraordinary draft approved unapproved emergency
		joint monthly meeting minutes of the a an at action actions summary official proceedings final organizational
		reorganization annual rescheduled virtual study session workshop agenda telephonic hybrid full procès-verbal
		proces-verbal compte-rendu réunion reunion séance seance de la du honorable`)
	// stops end the name
	stops = strings.Fields(`regular special meeting meetings minutes session workshop summary held was were met
		convened on as el annual action final called to hearing voting agenda attendance draft work study organizational
		emergency joint séance seance sesión report reports recommendations`)
	hardStops = strings.Fields("meeting meetings minutes session was were held met called")
	// shortened have a full stop that does not end the name: Board of the St. Louis County Library District
	shortened = strings.Fields("st ste mt ft")
	joining   = strings.Fields("of and the for de du la le des del y et & on")

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
		if strings.HasPrefix(strings.ToLower(name), "following ") {
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
		if strings.HasPrefix(strings.ToLower(t), "of ") {
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
	if len(text) > maxHeading && !startsInCapitals(text) || strings.HasPrefix(text, "http") || len(text) > 600 {
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
	for from < len(words) && (in(adjectives, clean(words[from])) || monthOf(clean(words[from])) > 0 ||
		from < 4 && lexicon.LeadingDigits(words[from], 1) > 0) {
		from++
	}
	name, rest := nameIn(words[from:], true)
	if name == "" {
		return "", 0
	}
	if strings.HasPrefix(name, "That ") {
		return "", 0 // That Council do …
	}
	weight = 2
	if from > 0 {
		weight++
	}
	if len(rest) > 5 && !slices.ContainsFunc(rest, func(w string) bool { return monthOf(clean(w)) > 0 }) {
		weight -= 3 // an entry of a list
	}
	low := strings.ToLower(strings.Join(rest[:min(len(rest), 3)], " "))
	switch {
	case lexicon.ContainsAny(low, "meeting", "minutes", "session"):
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

func clean(word string) string { return strings.ToLower(strings.Trim(word, `,.;:()[]“”"—–-`)) }

// nameIn reads a name at the first word: capitalised words, of which one is the noun of a body.
func nameIn(words []string, heading bool) (name string, rest []string) {
	noun := -1
	end := 0
	for i, w := range words {
		c := clean(w)
		if i >= 14 || c == "" || noun >= 0 && (in(stops, c) && !in(joining, c) || monthOf(c) > 0 || in(weekdays, c)) {
			break
		}
		if i > 0 && noun < 0 && in(hardStops, c) {
			return "", nil
		}
		r := []rune(w)[0]
		isNumber := lexicon.AllDigits(c) && noun >= 0 && noun == i-1
		if !unicode.IsUpper(r) && !in(joining, c) && !in(lowerNouns, c) && !(noun >= 0 && in(described, c)) && !isNumber {
			break
		}
		if strings.ContainsAny(w, "|@_") {
			return "", nil
		}
		if in(nouns, c) {
			noun = i
		}
		if noun >= 0 && noun < i && !in(joining, c) && !in(joining, clean(words[noun+1])) &&
			!in(described, clean(words[noun+1])) && !isNumber {
			return "", nil // "City Council Chambers" is a place
		}
		end = i + 1
		if strings.HasSuffix(w, ",") && noun < 0 && !heading {
			return "", nil
		}
		if strings.HasSuffix(w, ",") && noun >= 0 || strings.HasSuffix(w, ":") || strings.HasSuffix(w, ".") &&
			(noun >= 0 || len(w) > 6) && !in(shortened, c) {
			break
		}
	}
	for end > 0 && in(joining, clean(words[end-1])) {
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
		return w != strings.ToUpper(w) && !in(joining, clean(w))
	}) {
		return name
	}
	out := strings.Fields(strings.ToLower(name))
	for i, w := range out {
		parts := strings.Split(w, "-") // Saint-Aubin-du-Plain
		for k, part := range parts {
			if r := []rune(part); len(r) > 0 && (i == 0 && k == 0 || !in(joining, part)) {
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
		text := m[1]
		for at := len(text); at > 0; { // behind the last article above a noun
			before := text[:at]
			at = max(strings.LastIndex(before, " the "), strings.LastIndex(before, " The "), strings.LastIndex(before, " THE "))
			if at >= 0 && slices.ContainsFunc(strings.Fields(text[at:]), func(w string) bool { return in(nouns, clean(w)) }) {
				text = text[at+len(" the "):]
				break
			}
		}
		words := strings.Fields(text)
		for i := range words {
			if name, rest := nameIn(words[i:], false); strings.Contains(name, " ") && len(rest) <= 4 {
				return strings.TrimPrefix(strings.TrimPrefix(name, "the "), "The "), 4.5
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
		for len(words) > 0 && in(adjectives, clean(words[0])) {
			words = words[1:]
		}
		name, _ := nameIn(words, false)
		name = strings.TrimPrefix(name, "the ")
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

// townIn returns the town of the heading, for minutes that do not name the body.
func townIn(lines []lines.Line) string {
	of := ""
	for i, seen := 0, 0; i < len(lines) && seen < 8; i++ {
		if lines[i].Text == "" {
			continue
		}
		seen++
		text := strings.Trim(lines[i].Text, "*# ")
		if low := strings.ToLower(text); strings.Contains(low, "annual") && strings.HasSuffix(low, "meeting") &&
			len(text) < 80 {
			return titled(strings.Fields(text))
		}
		if of == "" && town.MatchString(text) {
			of = titled(strings.Fields(text))
		}
	}
	return of
}

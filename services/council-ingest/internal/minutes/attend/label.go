package attend

import (
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
)

// label is the words before a list.
type label struct {
	status status
	rest   string // text after the label on its line
	office string // of the people of the list: "Mayor: Doe"
	member bool   // the label says that they are members
	alone  bool   // nothing but the label is on the line
	colon  bool
	roll   bool   // nothing but "Roll Call"
	mixed  bool   // members and staff
	before string // text before the label on its line
	mark   string // stands next to those who are present: "Members (* present)"
}

// classify returns the status that the words of a label mean. A label may have a few other words,
// such as the name of the town; strange is their number.
func (r *reader) classify(text string, strange int) (s status, ok bool) {
	text, _ = lexicon.FoldText(strings.Trim(text, " *•-–—:.#"))
	if i := strings.Index(text, " - ref "); i > 0 {
		text = text[:i] // Apologies - Ref 24/104
	}
	if text == "" || len(text) > 90 || strings.Contains(text, ". ") {
		return "", false
	}
	several := strings.ContainsAny(text, "/&")
	text = strings.ReplaceAll(text, "/", " ") // Yn bresennol / Present
	has := map[lexicon.Sense]bool{}
	unknown, count := 0, 0
	for word := range strings.FieldsSeq(text) {
		word = strings.Trim(word, ",.:;()[]“”\"")
		if count++; count > 12 {
			return "", false
		}
		kinds := r.words[word]
		if len(kinds) == 0 && len(word) > 8 && !r.w.IsOffice(word) {
			kinds = r.misspelt(word)
		}
		for _, kind := range kinds {
			has[kind] = true
		}
		if len(kinds) == 0 && word != "" && !lexicon.AllDigits(word) && !r.w.IsOffice(word) && !r.w.IsOffice("member "+word) {
			unknown++
		}
	}
	if unknown > 0 && (unknown > strange || !has[lexicon.OfBody] && !has[lexicon.Guests]) {
		return "", false
	}
	if has[lexicon.OfBody] && strings.HasPrefix(text, "officers and ") {
		has[lexicon.Guests] = false // Officers and Trustees: they are members
	}
	if has[lexicon.OfBody] && has[lexicon.Attending] && withStaff.MatchString(text) {
		return present, unknown == 0
	}
	if several && has[lexicon.Attending] && (has[lexicon.Missing] || has[lexicon.Excusing]) {
		return "", false // Attendance / Apologies
	}
	attending := has[lexicon.Attending] || has[lexicon.Missing] || has[lexicon.Excusing] || has[lexicon.Tardy]
	switch {
	case has[lexicon.Guests] && !(has[lexicon.OfBody] && !lexicon.ContainsAny(text, "staff", "appointed") &&
		lexicon.ContainsAny(text, "other member", "other board", "other council", "other commission", "other trustee",
			"other director")):
		return other, attending || unknown == 0
	case r.listed && !has[lexicon.OfBody] && !has[lexicon.Missing] && strings.HasPrefix(text, "in attendance"):
		return other, true // below "Present": the officers
	case (text == "attendees" || text == "attending") && r.grouped:
		return other, true // below the members and the staff
	case text == "roll call":
		return present, true
	case text == "in person" || text == "in-person" || text == "on site":
		return present, true
	case text == "officials" || strings.Contains(text, "officials in attendance") || strings.Contains(text, "non-member"):
		return other, true
	case has[lexicon.Presiding] && unknown == 0:
		return present, true
	case !attending && has[lexicon.OfBody]:
		return cover, (unknown == 0 || strange == 1 && unknown == 1) && !has[lexicon.Online] && count <= 5
	case !attending && has[lexicon.Online]:
		return remote, (r.listed || r.section) && unknown == 0 && count <= 3
	case has[lexicon.Excusing]:
		return excused, true
	case has[lexicon.Missing] || has[lexicon.Negating] && (has[lexicon.Attending] || has[lexicon.OfBody]):
		return absent, true
	case has[lexicon.Tardy]:
		return late, true
	case has[lexicon.Attending] && has[lexicon.Online]:
		return remote, true
	case has[lexicon.Attending]:
		return present, true
	}
	return "", false
}

// misspelt returns the senses of the word of labels that a long word has one letter more or less than.
func (r *reader) misspelt(word string) []lexicon.Sense {
	best := ""
	for known := range r.words {
		if d := len(known) - len(word); len(known) > 8 && d >= -1 && d <= 1 && (best == "" || known < best) &&
			council.EditDistance(known, word) == 1 {
			best = known
		}
	}
	return r.words[best]
}

// sirs matches the honorifics before an office in Spanish labels: "Sras. y Sres. Concejales:".
var sirs = words.Regexp(`^(?i:{sirs}) `)

// labelAt reads the label at the beginning of a line. It ends at a colon, at a gap, before the first
// word in mixed case after capitals, or at the end of the line.
func (r *reader) labelAt(i int) (l label, ok bool) {
	head, _, _ := strings.Cut(r.lines[i].Text, ":")
	if l, ok = r.labelOf(i); ok && l.status == other {
		r.grouped = r.grouped || ofMembers.MatchString(head)
	} else if ok {
		l.member = ofMembers.MatchString(head)
		l.mixed = withStaff.MatchString(head)
		l.roll = strings.EqualFold(strings.Trim(head, " #*.0123456789IVX"), "roll call")
		ok = !(l.roll && ofVote.MatchString(l.rest))
	}
	return l, ok
}

// ofGroup matches a party above or next to its members: "GRUPO SOCIALISTA (PSOE): Doe, Roe".
var ofGroup = words.Regexp(`(?i)^(?:{convened} )?{group} [^:]{2,60}$`)

// isPresident reports whether line i has the head of the body, directly above the list of those
// present: "ALCALDESA-PRESIDENTA: Ana Huber".
func (r *reader) isPresident(i int, office string, alone bool) bool {
	if !lexicon.ContainsAny(strings.ToLower(office), "president", "président", "alcald", "maire") {
		return false
	}
	next := r.next(i + 1)
	if next >= 0 && alone {
		next = r.next(next + 1)
	}
	if next < 0 {
		return false
	}
	before, _, found := strings.Cut(sirs.ReplaceAllString(r.lines[next].Text, ""), ":")
	s, ok := r.classify(before, 0)
	return found && ok && s == present
}

// ofMembers matches a label that says that the people of its list are members, also those who are the
// clerk or the treasurer of the body.
var ofMembers = words.Regexp(`(?i)^\W*\w*\W*{of members}\b`)

// withStaff matches a label of members and staff: "Members of the Council and administration present".
var withStaff = words.Regexp(`(?i)\b{with staff}\b`)

// toWit matches the words between a label and its list: "the following members present, to-wit:".
var toWit = words.Regexp(`(?i),? {to wit} ?:?$`)

func (r *reader) labelOf(i int) (l label, ok bool) {
	raw := r.lines[i].Text
	text := unmark(raw)
	text = strings.TrimSpace(strings.TrimLeft(text, "•-–—● "))
	if m, marked := lexicon.ReadMarker(text); marked && m.Text != "" && m.Kind != lexicon.Bullet {
		text = m.Text // A. Present:
	}
	text = toWit.ReplaceAllString(text, ":")
	if m := legend.FindStringSubmatch(text); m != nil {
		return label{status: present, alone: true, colon: true, mark: m[1]}, true
	}
	if isSection(text) && bothLists.MatchString(text) && !strings.Contains(text, ". ") {
		return label{status: present, alone: true, roll: true}, true
	}
	if strings.HasSuffix(text, ":") && len(text) > 30 { // "… convened with the following members present:"
		at, s := r.lastLabel(strings.TrimSpace(text[:len(text)-1]))
		if at > 0 && s == present && strings.Contains(strings.TrimSpace(text[:at]), " ") {
			return label{status: s, alone: true, colon: true, before: text[:at]}, true
		}
	}
	if text == "" || text[0] >= 'a' && text[0] <= 'z' {
		s, known := r.classify(text, 0) // "with the following⏎members present:"
		announced := known && s == present && strings.HasSuffix(text, ":") && i > 0 && r.lines[i-1].Text != ""
		return label{status: s, alone: true, colon: true}, announced
	}
	text = sirs.ReplaceAllString(text, "")
	before, after, colon := strings.Cut(text, ":")
	if colon && len(before) <= 90 && !strings.Contains(before, "   ") {
		if s, ok := r.classify(before, 3); ok {
			l = label{status: s, rest: r.behindGroup(after), colon: true}
			l.alone = l.rest == ""
			return l, true
		}
	}
	if s, ok := r.classify(before, 1); colon && !r.listed && ok && s == cover && r.othersBelow(i, after) {
		return label{status: present, rest: strings.TrimSpace(after), colon: true, alone: strings.TrimSpace(after) == ""},
			true
	}
	if colon && r.d.ListsMembers(before) && strings.TrimSpace(after) != "" {
		return label{status: cover, rest: strings.TrimSpace(after), colon: true}, true
	}
	if colon && r.section && ofGroup.MatchString(before) {
		rest := strings.TrimSpace(after)
		return label{status: present, rest: rest, colon: true, alone: rest == ""}, true
	}
	if colon && (r.section || r.isPresident(i, before, strings.TrimSpace(after) == "")) &&
		r.w.IsOffice(before) { // Alcaldesa: above her name, or next to it
		l = label{status: present, rest: strings.TrimSpace(after), colon: true, office: before}
		l.alone = l.rest == ""
		switch {
		case r.isStaff(before) || isClerk(before) && r.staffBelow(i):
			l.status = other
		case l.alone && !r.isPresident(i, before, true):
			l.status = cover
		}
		return l, true
	}
	if head, rest, dashed := strings.Cut(text, " - "); dashed && len(head) < 40 &&
		!strings.ContainsAny(head, "0123456789") {
		if s, ok := r.classify(head, 0); ok && (s == present || s == absent || s == excused) {
			return label{status: s, rest: strings.TrimSpace(rest), colon: true}, true
		}
	}
	if cell, rest := lexicon.CutCell(text); rest != "" {
		if s, ok := r.classify(rest, 0); ok && strings.HasSuffix(rest, ":") && isSection(cell) {
			return label{status: s, alone: true, colon: true}, true // ATTENDANCE   Directors Present:
		}
		if s, ok := r.classify(cell, 0); ok && s != cover {
			if isColumnHead(rest) {
				return label{status: s, alone: true}, true // MEMBERS PRESENT   JURISDICTION
			}
			return label{status: s, rest: r.behindGroup(rest)}, true
		} else if ok && r.section && (isAllCaps(cell) || membersOnly.Is(strings.ToLower(cell)) && r.beginsPerson(rest)) {
			return label{status: present, rest: rest}, true
		}
	}
	if s, ok := r.classify(text, 0); ok && !strings.HasSuffix(text, ".") && len(text) < 60 {
		if s != cover || r.section || isAllCaps(text) && r.othersBelow(i, "") {
			return label{status: s, alone: true}, true
		}
	}
	if head, rest := cutCapitals(text); rest != "" {
		if s, ok := r.classify(head, 1); ok && (s != cover || r.section) {
			if s == cover {
				s = present
			}
			return label{status: s, rest: rest}, true
		}
	}
	return l, false
}

var (
	// legend matches a label that says what a mark next to its members means: "Members (* present)"
	legend = words.Regexp(`(?i)^{of members}[^:;]{0,50}[(\[ ]([*✓✔†])\s*(?:=|-|–|{denotes})?\s*{those present}[)\]]?:?$`)
	// bothLists matches a heading over the lists of those who are present and absent
	bothLists = words.Regexp(`(?i)\b(?:{attendance}|{members present})\b.*(?:/|&|,|\b{and}\b).*(?:{apology}|{missing}|{excusing})`)
)

// membersOnly has the offices that say no more than that somebody is a member.
var membersOnly = words.Plain("members only")

// behindGroup returns the list behind the group of its first people: "Council:  Mayor Doe".
func (r *reader) behindGroup(text string) string {
	text = strings.TrimSpace(text)
	if head, rest, found := strings.Cut(text, ":"); found && len(head) < 30 &&
		(!r.w.IsOffice(head) || membersOnly.Is(strings.ToLower(head))) {
		if s, ok := r.classify(head, 0); ok && s == cover {
			return strings.TrimSpace(rest)
		}
	}
	return text
}

// beginsPerson reports whether the first cell of a text is a person.
func (r *reader) beginsPerson(text string) bool {
	first, _ := lexicon.CutCell(text)
	_, ok := r.entry(first)
	return ok
}

// staffBelow reports whether the office in the next line is one of staff: "Secretary: Doe" above "Solicitor: Roe".
func (r *reader) staffBelow(i int) bool {
	next := r.next(i + 1)
	if next < 0 {
		return false
	}
	head, _, found := strings.Cut(r.lines[next].Text, ":")
	return found && len(head) < maxOffice && !isClerk(head) && r.isStaff(head)
}

// isColumnHead reports whether a cell next to a label is the head of a column, which says what
// the members hold or represent.
func isColumnHead(text string) bool {
	switch strings.ToLower(strings.Trim(text, " :.")) {
	case "jurisdiction", "representing", "representation", "agency", "organization", "organisation", "office", "title",
		"position", "district", "ward", "seat", "municipality", "entity", "member agency", "affiliation", "term",
		"term expires", "municipalité", "entidad", "cargo", "fonction", "role":
		return true
	}
	return false
}

// cutCapitals cuts a line after its leading words in capitals: "CONDUCTING Mayor Doe".
func cutCapitals(text string) (head, rest string) {
	words := strings.Fields(text)
	n := 0
	for n < len(words) && len(words[n]) > 1 && words[n] == strings.ToUpper(words[n]) && lexicon.IsUpper(words[n][0]) {
		n++
	}
	if n == 0 || n == len(words) {
		return "", ""
	}
	return strings.Join(words[:n], " "), strings.Join(words[n:], " ")
}

// isSection reports whether a heading announces the attendance.
func isSection(text string) bool {
	head, _, _ := strings.Cut(text, " (") // RECORD OF ATTENDANCE / APOLOGIES (PREVIOUSLY APPROVED)
	t := strings.ToLower(strings.Trim(head, " *#:.0123456789"))
	return len(t) < 60 && lexicon.ContainsAny(t, "roll call", "attendance", "present", "quorum", "conducting", "presiding")
}

package attend

import (
	"regexp"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lex"
)

// label is the words before a list.
type label struct {
	status status
	rest   string // text after the label on its line
	column int    // column where a second list begins on the same lines; 0 if there is none
	second status // status of the second list
	office string // of the people of the list: "Mayor: Doe"
	member bool   // the label says that they are members
	alone  bool   // nothing but the label is on the line
	colon  bool
}

// The words of labels, by language. A label is made of them, of offices and of names of places.
var labelWords = map[string]string{
	"present": "present presents présent présents présente présentes presentes presente present(e)s attendance " +
		"attendees attendee attending asistentes asisten asiste asistencia asistente attended answering responding " +
		"présence présences presences concurren concurrentes comparecen láthair presennol bresennol",
	"absent": "absent absents absente absentes absentees absences absence absentee regrets ausentes ausente " +
		"ausencias apologies apology missing leithscéal leithscéalta leithscéala ymddiheuriadau pouvoir pouvoirs " +
		"procuration procurations représentés représentées représenté représentée faltan falta faltas",
	"excused": "excused excusa excusan excusados excusado excusada excuses excusés excusé excusée excusées unexcused",
	"remote": "remote remotely zoom teleconference telephone phone virtual virtually online electronically " +
		"videoconference video",
	"late": "late tardy",
	"other": "staff other others also guest guests visitor visitors public press media administration " +
		"suplentes administrative employees consultants consultant personnel observers citizens residents audience " +
		"également " +
		"egalement aussi invités otros otras también tambien funcionarios officers appointed nonmembers nonmember advisory " +
		"advisors witnesses presenters speakers personal técnicos autre autres bhfreastal hefyd",
	"members": "cllr cllrs cr crs clr clrs propietarios propietario " +
		"members member council councilmembers councilmember councillors councilors councilmen board " +
		"commission commissioners commissioner trustees directors supervisors selectmen selectboard elected committee " +
		"aldermen alderpersons legislators representatives officials membres conseillers conseillères élus concejales " +
		"regidores miembros vocales señores sres sras señoras",
	"chair": "conducting presiding presidente presidencia présidence",
	"not":   "not non no",
	"together": "to wit wit: motive the of were was are is at roll call those following follow follows as beginning " +
		"meeting voting with " +
		"without notice by and or in via name names on from for sont est étaient à al la los las les le de du cette séance " +
		"sesión señor señora ont été et y also, additionally participating person electronic means quorum prior joined d " +
		"a l " +
		"leave previously approved granted ayant donné su sus i yn ar",
}

// newVocabulary returns the kinds of each word of labels.
func newVocabulary() map[string][]string {
	out := map[string][]string{}
	for kind, words := range labelWords {
		for word := range strings.FieldsSeq(words) {
			out[word] = append(out[word], kind)
		}
	}
	return out
}

// classify returns the status that the words of a label mean. A label may have a few other words,
// such as the name of the town; strange is their number.
func (r *reader) classify(text string, strange int) (s status, ok bool) {
	text = strings.ToLower(strings.Trim(text, " *•-–—:.#"))
	if i := strings.Index(text, " - ref "); i > 0 {
		text = text[:i] // Apologies - Ref 24/104
	}
	if text == "" || len(text) > 90 || strings.Contains(text, ". ") {
		return "", false
	}
	has := map[string]bool{}
	unknown, count := 0, 0
	for word := range strings.FieldsSeq(text) {
		word = strings.Trim(word, ",.:;()[]“”\"")
		if count++; count > 12 {
			return "", false
		}
		kinds := r.words[word]
		for _, kind := range kinds {
			has[kind] = true
		}
		if len(kinds) == 0 && word != "" && !lex.AllDigits(word) && !r.w.IsOffice(word) && !r.w.IsOffice("member "+word) {
			unknown++
		}
	}
	if unknown > 0 && (unknown > strange || !has["members"] && !has["other"]) {
		return "", false
	}
	if has["members"] && strings.HasPrefix(text, "officers and ") {
		has["other"] = false // Officers and Trustees: they are members
	}
	attending := has["present"] || has["absent"] || has["excused"] || has["late"]
	switch {
	case has["other"] && !(has["members"] && !strings.Contains(text, "staff") && !strings.Contains(text, "appointed") &&
		lex.ContainsAny(text, "other member", "other board", "other council", "other commission", "other trustee",
			"other director")):
		return other, attending || unknown == 0
	case r.listed && !has["members"] && !has["absent"] && strings.HasPrefix(text, "in attendance"):
		return other, true // below "Present": the officers
	case text == "officials" || strings.Contains(text, "officials in attendance") || strings.Contains(text, "non-member"):
		return other, true
	case has["chair"] && unknown == 0:
		return present, true
	case !attending && has["members"]:
		return cover, (unknown == 0 || strange == 1 && unknown == 1) && !has["remote"] && count <= 5
	case !attending && has["remote"]:
		return remote, r.listed && unknown == 0 && count <= 3
	case has["excused"]:
		return excused, true
	case has["absent"] || has["not"] && (has["present"] || has["members"]):
		return absent, true
	case has["late"]:
		return late, true
	case has["present"] && has["remote"]:
		return remote, true
	case text == "presentes" || text == "présents" || has["present"]:
		return present, true
	}
	return "", false
}

// sirs matches the honorifics before an office in Spanish labels: "Sras. y Sres. Concejales:".
var sirs = regexp.MustCompile(`^(?:Sr(?:es|as?)?\.(?: y Sr(?:es|as)\.)? )`)

// labelAt reads the label at the beginning of a line. It ends at a colon, at a gap, before the first
// word in mixed case after capitals, or at the end of the line.
func (r *reader) labelAt(i int) (l label, ok bool) {
	if l, ok = r.labelOf(i); ok && l.status != other {
		head, _, _ := strings.Cut(r.lines[i].Text, ":")
		l.member = ofMembers.MatchString(head)
	}
	return l, ok
}

// ofGroup matches a party above or next to its members: "GRUPO SOCIALISTA (PSOE): Doe, Roe".
var ofGroup = regexp.MustCompile(`(?i)^(?:grupo|groupe|group|partido) [^:]{2,60}$`)

// isPresident reports whether line i has the head of the body, directly above the list of those
// present: "ALCALDESA-PRESIDENTA: Ana Huber".
func (r *reader) isPresident(i int, office string) bool {
	if next := r.next(i + 1); next >= 0 && lex.ContainsAny(strings.ToLower(office), "president", "président", "alcald",
		"maire") {
		before, _, found := strings.Cut(r.lines[next].Text, ":")
		s, ok := r.classify(before, 0)
		return found && ok && s == present
	}
	return false
}

// ofMembers matches a label that says that the people of its list are members, also those who are the
// clerk or the treasurer of the body.
var ofMembers = regexp.MustCompile(`(?i)^\W*\w*\W*(?:members?|trustees|directors|commissioners|supervisors|council(?:lors|members)?|board|selectmen)\b`)

func (r *reader) labelOf(i int) (l label, ok bool) {
	raw := r.lines[i].Text
	text := unmark(raw)
	text = strings.TrimSpace(strings.TrimLeft(text, "•-–—● "))
	if m, marked := lex.ReadMarker(text); marked && m.Text != "" && m.Kind != lex.Bullet {
		text = m.Text // A. Present:
	}
	if strings.HasSuffix(text, ":") && len(text) > 30 { // "… convened with the following members present:"
		at, s := r.lastLabel(strings.TrimSpace(text[:len(text)-1]))
		if at > 0 && s == present && strings.Contains(strings.TrimSpace(text[:at]), " ") {
			return label{status: s, alone: true, colon: true}, true
		}
	}
	if text == "" || text[0] >= 'a' && text[0] <= 'z' {
		return l, false
	}
	text = sirs.ReplaceAllString(text, "")
	before, after, colon := strings.Cut(text, ":")
	if colon && len(before) <= 90 && !strings.Contains(before, "   ") {
		if s, ok := r.classify(before, 3); ok {
			l = label{status: s, rest: strings.TrimSpace(after), colon: true}
			l.alone = l.rest == ""
			r.secondColumn(&l, i)
			return l, true
		}
	}
	if colon && r.d.ListsMembers(before) && strings.TrimSpace(after) != "" {
		return label{status: cover, rest: strings.TrimSpace(after), colon: true}, true
	}
	if colon && r.section && ofGroup.MatchString(before) && strings.TrimSpace(after) != "" {
		return label{status: present, rest: strings.TrimSpace(after), colon: true}, true
	}
	if colon && (r.section || r.isPresident(i, before)) &&
		r.w.IsOffice(before) { // Alcaldesa: above her name, or next to it
		l = label{status: present, rest: strings.TrimSpace(after), colon: true, office: before}
		l.alone = l.rest == ""
		switch {
		case r.isStaff(before):
			l.status = other
		case l.alone:
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
	if cell, rest := lex.CutCell(text); rest != "" {
		if s, ok := r.classify(rest, 0); ok && strings.HasSuffix(rest, ":") && isSection(cell) {
			return label{status: s, alone: true, colon: true}, true // ATTENDANCE   Directors Present:
		}
		if s, ok := r.classify(cell, 0); ok && s != cover {
			return label{status: s, rest: rest}, true
		} else if ok && r.section && isAllCaps(cell) {
			return label{status: present, rest: rest}, true
		}
	}
	if s, ok := r.classify(text, 0); ok && !strings.HasSuffix(text, ".") && len(text) < 60 {
		if s != cover || r.section {
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

// cutCapitals cuts a line after its leading words in capitals: "CONDUCTING Mayor Doe".
func cutCapitals(text string) (head, rest string) {
	words := strings.Fields(text)
	n := 0
	for n < len(words) && len(words[n]) > 1 && words[n] == strings.ToUpper(words[n]) && lex.IsUpper(words[n][0]) {
		n++
	}
	if n == 0 || n == len(words) {
		return "", ""
	}
	return strings.Join(words[:n], " "), strings.Join(words[n:], " ")
}

// secondColumn finds another label on the line of a label: "Councilmembers:      City Staff:".
func (r *reader) secondColumn(l *label, i int) {
	at := strings.LastIndex(l.rest, "  ")
	if at < 0 && !strings.HasSuffix(l.rest, ":") {
		return
	}
	second := strings.TrimSpace(l.rest[max(at, 0):])
	before, _, found := strings.Cut(second, ":")
	s, ok := r.classify(before, 2)
	if !found || !ok {
		return
	}
	l.second = s
	l.column = r.lines[i].Indent + strings.LastIndex(r.lines[i].Text, second)
	l.rest = strings.TrimSpace(strings.TrimSuffix(l.rest, second))
	l.alone = l.rest == ""
}

// isSection reports whether a heading announces the attendance.
func isSection(text string) bool {
	t := strings.ToLower(strings.Trim(text, " *#:.0123456789"))
	return len(t) < 60 && lex.ContainsAny(t, "roll call", "attendance", "present", "quorum", "conducting", "presiding")
}

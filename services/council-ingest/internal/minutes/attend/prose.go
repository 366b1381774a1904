package attend

import (
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// The sentences about attendance, by language.
var (
	// "Mayor Doe and Councillors Roe and Poe were present"
	verb = words.Regexp(`(?i),?\s+(?:{attends}\s+)((?:{attends how}\s+)*)({attends as})(?:\b|[ ,.;]|$)`)
	// "Board members present were Doe and Roe"
	heads = words.Regexp(`(?i)^(.{0,240}?\b{present heading})\s+(?:{at the} [\p{L} ]{0,30})?{heading verb}` +
		`\b(?: {as follows})?[:,]?\s+(.+)$`)
	// "The following members were present: Doe" has its label before the colon
	opened = words.Regexp(`(?i)^(.{3,90}?),?\s+(?:\([^)]{0,120}\)\s+)?{opened}\b`)
	openBy = words.Regexp(`(?i)\b{called to order}\b.{0,60}?\b{by}\s+((?:{the} )?[\p{Lu}][^.;]{2,80}?)` +
		`(?:,? {behind chair}\b.*)?$`)
	seated = words.Regexp(`(?i)^(?:.*\b{with} )?(?:{the} )?(.{3,80}?),? {in the chair}\b`)
	// "bajo la Presidencia del Sr. Alcalde Doe", "sous la Présidence de Monsieur Claude Doe, Maire"
	presided = words.Regexp(`(?i:\b(?:{presidency} {presidency of} (?:{excellency}\.? )*(?:{monsieur} )?|` +
		`{presides} (?:{by} )?(?:[el]l?[ea]? )?(?:{don}\s*)?))((?i:{maire},? (?:{monsieur} |{ladies} )?)?\p{Lu}[^,.;:]{3,80}(?:, \p{L}+)?)`)
	ladies = words.Regexp(`\b{Ladies}\.? `)
	// "los Sres. Concejales siguientes: Doe, Roe y Poe"
	convened = words.Regexp(`(?i){convened}[^:]{0,60}{who follow}[^:.]{0,20}:\s*`)
	excuse   = words.Regexp(`(?i)^.{0,80}\b{apology}\b.{0,60}?\b{apology from}\s+(.+?)(?: {apology verb}\b.*)` +
		`?$`)
	// "The absence of Director Doe was excused"
	ofAbsence = words.Regexp(`(?i)^{absence of} (.+?) {was excused}\b`)
	// "10 present, 1 excused (Ana Huber)"
	countedAway = words.Regexp(`(?i)\b\d{1,2} ({away word}) \(([^()]{3,200})\)`)
	// "Falta con aviso el regidor Doe"
	missing = words.Regexp(`(?i)^{missing without} (.+)$`)
	// "Directors Doe and Roe present", "Poe absent"
	verbless = words.Regexp(`(?i)(?:,| [–—-])?\s+()({verbless})(?:\s*;|$)`)
	// "reunidos los C.C. ANA DOE, PRESIDENTA MUNICIPAL, JUAN ROE (REGIDORES), se instala …"
	gathered = words.Regexp(`(?i)\b{gathered} (?:l[oa]s )?(?:{gathered as}:? )*(\p{Lu}.{20,1000}?)(?:, {se}` +
		` \p{Ll}|\.(?: |$)|$)`)
	// "with Chair Doe presiding and Commissioners Roe and Poe present"
	withThose = words.Regexp(`(?i)\b{with} ((?:[^.;]{0,60} {presiding and} )?\p{Lu}[^.]{3,400}?)` +
		`,? {those present}\b`)
	presiding = words.Regexp(`(?i) {presiding and}`)
	// "All members were present except Doe"
	allExcept = words.Regexp(`(?i)\b{all of them}\b[^.;:]{0,60}\b{those present}\b,? {except} (.+)$`)
	// "Present Councilmen Doe and Roe"
	bareLabel = words.Regexp(`(?i)^({answers call}) (\S.+)$`)
	// "Asisten los concejales Doe y Roe"
	attendFirst = words.Regexp(`(?i)^({not attend} )?{attend first} (?:l[oa]s )?(?:{gathered as} )*(.{6,1000})$`)
	comes       = words.Regexp(`(?i)^(.{3,60}?)\s+{arrives}\b(?: ({arrives at}) \d)?`)
)

// ofVote matches a sentence about a vote, whose names are no attendance.
var ofVote = words.Regexp(`(?i)\b{vote word of line} ?[:–-] |\b{of motion}\b`)

// prose reads the sentences of a paragraph. It reports whether one is about attendance.
func (r *reader) prose(text string, at int) bool {
	any := false
	if m := convened.FindStringIndex(text); m != nil && !r.listed {
		r.findChair(text[:m[1]])
		return r.list(text[m[1]:], present, at)
	}
	if m := gathered.FindStringSubmatchIndex(text); m != nil && !r.listed && r.list(text[m[2]:m[3]], present, at) {
		r.findChair(text[:m[0]])
		any, text = true, text[m[1]:]
	}
	for n := 0; text != "" && n < 40; n++ {
		var s string
		s, text = r.w.CutSentence(text)
		any = r.sentence(strings.TrimSpace(s), text, at) || any
	}
	return any
}

// sentence reads a sentence, behind which others stand.
func (r *reader) sentence(s, behind string, at int) bool {
	if len(s) < 8 || len(s) > 3_000 {
		return false
	}
	r.findChair(s)
	if r.listed && ofVote.MatchString(s) {
		return false
	}
	head, list, kind := r.cutLabel(s)
	if list != "" && kind == cover && r.listed { // Officers and trustees: Ana Huber (President), Bo Morgan
		for _, n := range r.w.List(list, nil).Names {
			if strings.Contains(n.Text, " ") && !r.isStaff(n.Office) && len(r.Cover) < maxPeople {
				r.Cover = append(r.Cover, n.Text)
			}
		}
	}
	if _, list, next := r.cutLabel(behind); kind == cover && !r.listed && list != "" && (next == absent || next == other) {
		kind = present // Voting members: Ana Huber, Bo Morgan. Absent: Cy Ory
	}
	if list != "" && kind != cover {
		r.clause(head, at)
		if kind == other {
			return false
		}
		if (kind == absent || kind == excused) && !r.listed && len(r.Attendance) == 0 {
			return false
		}
		return r.list(list, kind, at)
	}
	if m := excuse.FindStringSubmatch(s); m != nil && r.listed {
		return r.list(m[1], excused, at)
	}
	if m := ofAbsence.FindStringSubmatch(s); m != nil && r.listed {
		return r.list(m[1], excused, at)
	}
	if m := withThose.FindStringSubmatch(s); m != nil && !r.listed {
		l := r.w.List(presiding.ReplaceAllString(m[1], ","), &r.people)
		if len(l.Names) > 1 && l.Whole() && l.Tail == "" && (r.officed(l) > 0 || len(l.Names) > 2) {
			r.names(l, present, -1, at)
			r.listed = true
			return true
		}
	}
	if m := allExcept.FindStringSubmatch(s); m != nil {
		return r.list(m[1], absent, at)
	}
	if m := attendFirst.FindStringSubmatch(s); m != nil && r.listed == (m[1] != "") {
		kind := present
		if m[1] != "" {
			kind = absent
		}
		return r.list(m[2], kind, at)
	}
	if m := missing.FindStringSubmatch(s); m != nil && r.listed {
		return r.list(m[1], absent, at)
	}
	for _, m := range countedAway.FindAllStringSubmatch(s, 4) {
		kind := excused
		if strings.EqualFold(m[1], "absent") {
			kind = absent
		}
		if l := r.w.List(m[2], &r.people); len(l.Names) > 0 && l.Whole() {
			r.names(l, kind, -1, at)
		}
	}
	if m := comes.FindStringSubmatch(s); m != nil && r.listed {
		if l := r.w.List(m[1], &r.people); len(l.Names) == 1 && l.Whole() {
			if _, match := r.people.Resolve(l.Names[0]); match.Found() || at == r.told && m[2] != "" &&
				(strings.Contains(l.Names[0].Text, " ") || r.titleOf(l.Names[0].Office) != "") {
				// "Bo Morgan arrived at 7:04" behind those who were present
				n := l.Names[0]
				n.Note = "arrived"
				r.admit([]listed{{n, at}}, late, false)
			}
		}
	}
	if m := bareLabel.FindStringSubmatch(s); m != nil && list == "" {
		if kind, ok := r.classify(m[1], 0); ok && kind != other && kind != cover && (kind == present) != r.listed {
			rest, _, _ := strings.Cut(m[2], ", who ") // Absent Councilman Doe, who is away
			l := r.w.List(rest, &r.people)
			if len(l.Names) > 0 && l.Whole() && l.Tail == "" && r.titleOf(l.Names[0].Office) != "" {
				return r.list(rest, kind, at)
			}
		}
	}
	if m := heads.FindStringSubmatch(s); m != nil {
		if from, kind := r.lastLabel(m[1]); from >= 0 && kind != other && kind != cover {
			return r.list(m[2], kind, at)
		}
	}
	return r.clause(s, at)
}

// clause reads clauses of people with a verb: "Councillors Doe and Roe were present and Councillor
// Poe was excused". A roll call can do without: "Roll call: Doe, Roe, Poe present; Moe absent".
func (r *reader) clause(s string, at int) bool {
	if strings.Contains(s, "observer") {
		return false
	}
	form, roll := verb, false
	if !verb.MatchString(s) {
		head, _, _ := strings.Cut(s, ":")
		form, roll = verbless, r.section || r.listed || strings.Contains(strings.ToLower(head), "roll")
	}
	any := false
	for range 6 {
		m := form.FindStringSubmatchIndex(s)
		if m == nil {
			break
		}
		subject := s[:m[0]]
		between := strings.ToLower(s[m[2]:m[3]])
		what := strings.ToLower(s[m[4]:m[5]])
		s = strings.TrimLeft(s[m[1]:], " ,;")
		for _, and := range []string{"and ", "while ", "but ", "et "} {
			s = strings.TrimPrefix(s, and)
		}
		kind := present
		switch {
		case strings.HasPrefix(what, "absen"), strings.Contains(between, "not "), isForeign(what):
			kind = absent
		case strings.HasPrefix(what, "exc"):
			kind = excused
		case strings.Contains("zoom telephone phone remotely virtually online teleconference in remote attendance", what) &&
			what != "in":
			kind = remote
		}
		if also := strings.Contains(between, "also") || strings.Contains(between, "galement"); also && !r.listed {
			continue
		}
		any = r.subject(subject, kind, at, roll) || any
	}
	return any
}

// isForeign reports whether a verb stands behind "no": "El regidor Doe no asistió".
func isForeign(what string) bool { return lexicon.HasAnyPrefix(what, "asist", "concurr") }

// subject adds the people of a clause, if it has nothing but people: several, or one with an office
// or a known name. In a roll call, several need no office.
func (r *reader) subject(text string, kind status, at int, roll bool) bool {
	if i := strings.LastIndexByte(text, ':'); i >= 0 {
		text = text[i+1:]
	}
	if _, said, found := strings.Cut(text, " that "); found && kind == remote {
		text = said // it being noted that Councillors Doe and Roe were in remote attendance
	}
	text = strings.TrimSpace(text)
	for _, lead := range []string{"Roll call", "ROLL CALL", "Roll Call", "In attendance", "Present", "The following",
		"with"} {
		text = strings.TrimLeft(strings.TrimPrefix(text, lead), " -–—:,")
	}
	l := r.w.List(text, &r.people)
	if len(l.Names) == 0 || !l.Whole() || l.Tail != "" {
		return false
	}
	named := 0
	for _, n := range l.Names {
		if n.Text != "" {
			named++
		}
	}
	away := kind != present && kind != remote
	if named == 0 || away && !r.listed {
		return false
	}
	if r.officed(l) == 0 && !(roll && (away || named > 1)) && !(away && named < 4 && (at <= r.found+4 || at == r.told) &&
		l.Whole() &&
		(l.Names[0].Office != "" || strings.Contains(l.Names[0].Text, " "))) { // Di Stone was absent
		return false
	}
	r.names(l, kind, -1, at)
	if named > 1 && (kind == present || kind == remote) {
		r.listed, r.told = true, at
	}
	return true
}

// officed returns the number of names of a list that are known or have an office.
func (r *reader) officed(l person.List) (n int) {
	for _, one := range l.Names {
		if _, match := r.people.Resolve(one); one.Text != "" && (match.Found() || r.titleOf(one.Office) != "") {
			n++
		}
	}
	return n
}

// findChair finds the member who opened the meeting.
func (r *reader) findChair(s string) {
	if r.chair.Text != "" {
		return
	}
	text := ""
	if m := presided.FindStringSubmatch(ladies.ReplaceAllString(s, "")); m != nil {
		text = m[1]
	} else if m := openBy.FindStringSubmatch(s); m != nil {
		text = m[1]
	} else if m := seated.FindStringSubmatch(s); m != nil {
		text = m[1]
	} else if m := opened.FindStringSubmatch(s); m != nil {
		text = m[1]
	}
	if text == "" {
		return
	}
	if i := strings.LastIndexByte(text, ':'); i >= 0 {
		text = text[i+1:]
	}
	if before, after, found := strings.Cut(text, ", "); found && !r.w.IsOffice(after) && strings.Contains(before, " ") {
		text = before // presidencia del Alcalde Doe, y
	}
	if before, _, found := strings.Cut(text, " ("); found {
		text = before
	}
	l := r.w.List(strings.TrimSpace(text), nil)
	var n person.Name
	for _, name := range l.Names {
		if name.Text != "" && n.Text != "" {
			return
		}
		if name.Text != "" {
			name.Office = strings.Trim(name.Office+", "+n.Office, ", ")
			n = name
			continue
		}
		n.Office = name.Office
	}
	if n.Text != "" && l.Whole() && r.titleOf(n.Office) != "" && !r.isStaff(n.Office) {
		r.chair = n
	}
}

// Package attend reads who attended a meeting: the members who were present, absent, excused, late
// or remote. It is a pure pass over the lines of minutes.
//
// Clerks print a table (table.go), lists under labels such as "Members Absent:" (block.go,
// running.go, label.go), or sentences such as "Mayor Doe and Councillors Roe and Poe were present" (prose.go).
// Staff and guests are not members. What cannot be read with certainty is left out and reported,
// and the list is then not whole.
package attend

import (
	"slices"
	"strings"
	"unicode"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/grid"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lines"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

// Sheet is the attendance of one meeting.
type Sheet struct {
	Attendance []record.Attendee
	// Whole says that every row of the list was read. Only then does "All" name the members.
	Whole    bool
	From, To int // lines of the list: a table or the lists under labels, not sentences
	Cover    []string
	Problems []Problem
}

// Problem is an anomaly of the attendance list.
type Problem struct {
	Code    council.AnomalyCode
	Page    int
	Message string
}

// Limits for hostile texts.
const (
	maxPeople = person.MaxPeople
	maxCover  = 40  // lines of a letterhead that names the members
	maxHead   = 300 // lines that are searched for the attendance
	maxAfter  = 45  // lines after the last part that may have another part
	maxBlock  = 80  // lines of one list
)

// Read reads the attendance from the lines of minutes. It ends where stop reports the first vote.
func Read(kept []lines.Line, d *lexicon.Dialect, stop func(line int) bool) *Sheet {
	r := &reader{Sheet: &Sheet{Attendance: []record.Attendee{}, Whole: true}, lines: onlyNames(kept), d: d,
		w:     d.People(),
		words: d.Patterns().LabelWords, found: -1, told: -1, boxes: slices.ContainsFunc(kept[:min(len(kept), headLines)],
			func(ln lines.Line) bool {
				return strings.ContainsAny(ln.Text, "☒☑✓✔")
			})}
	r.flat = lines.IsFlat(kept)
	language, _ := lines.LanguageOf(kept[:min(len(kept), headLines)])
	r.english = language == lexicon.English
	r.layOut()
	r.read(stop)
	if len(r.Attendance) < 2 {
		r.Attendance = []record.Attendee{}
		r.From = 0
		r.To = 0 // it is no list of a body's members
	}
	r.Whole = r.Whole && r.listed && len(r.Attendance) > 0
	r.complete()
	return r.Sheet
}

var (
	// ofProxies matches the label of those who gave a proxy, and toOther whom they gave it to
	ofProxies = words.Regexp(`(?i)^[^:]*\b{pouvoir}\b[^:]*:`)
	// openProxy matches the end of a line whose proxy goes on in the next one
	openProxy = words.Regexp(` (?:{gives} {pouvoir}|{represented}|(?:(?:{gives} {pouvoir}|{represented}) )?{to whom}(?: {Proxy title})?)$`)
	toOther   = words.Regexp(`(?:^| )(?:{to whom}|->|→) {Proxy title} (?:\p{Lu}\.(?:-?\p{Lu}\.)? )?\p{Lu}[\p{L}'’-]*(?: (?:{name particle})` +
		`?\p{Lu}[\p{L}'’-]*)*`)
)

// worship matches how a mayor is addressed: "His Worship the Mayor, Councillor Doe"
var worship = words.Regexp(`(?i)(^|[\s,;:])(?:{the} )?(?:{right} )?{worship}(?: {the})?\b`)

const headLines = 120

// onlyNames removes the degrees behind names, and the honorifics of French and Spanish minutes, which look like
// initials.
func onlyNames(kept []lines.Line) []lines.Line {
	language, _ := lines.LanguageOf(kept[:min(len(kept), headLines)])
	out := slices.Clone(kept)
	if language != lexicon.English {
		joinProxies(out)
	}
	for i := range out {
		if strings.Contains(out[i].Text, "orship") || strings.Contains(out[i].Text, "ORSHIP") {
			out[i].Text = worship.ReplaceAllString(out[i].Text, "$1")
		}
	}
	if language == lexicon.English {
		for i := range out {
			out[i].Text = person.WithoutDegrees(out[i].Text)
		}
		return out
	}
	proxies := false
	for i := range out {
		text := lexicon.Proxy.ReplaceAllString(out[i].Text, "")
		if strings.Contains(text, ":") || text == "" {
			proxies = ofProxies.MatchString(text)
		}
		if proxies {
			text = toOther.ReplaceAllString(text, "")
		}
		out[i].Text = language.WithoutHonorifics(text)
	}
	return out
}

// joinProxies puts the words about a proxy that a line breaks, "Ana Doe a donné pouvoir" above "à Bo Roe", on the next
// line.
func joinProxies(out []lines.Line) {
	for i := range len(out) - 1 {
		at := openProxy.FindStringIndex(out[i].Text)
		if at != nil && at[0] > 0 && out[i+1].Text != "" {
			out[i+1].Text = strings.TrimSpace(out[i].Text[at[0]:]) + " " + out[i+1].Text
			out[i].Text = out[i].Text[:at[0]]
		}
	}
}

type reader struct {
	*Sheet
	lines   []lines.Line
	d       *lexicon.Dialect
	w       *person.Words
	words   map[string][]lexicon.Sense
	flat    bool // the text has no columns
	english bool
	boxes   bool // members are ticked
	// members and staff were printed in one list, so that "Attendees" are others
	grouped bool

	people  person.Roster
	section bool // below a heading such as "Roll Call"
	listed  bool // a list of those present was read
	bare    int  // labels above whose names stand elsewhere
	// the list is that of members, so that a clerk or a treasurer in it is one
	ofMembers bool
	turned    bool // names are printed last name first: "Doe, Ana"
	found     int  // last line that was read as attendance
	told      int  // line of the paragraph whose sentence lists those present
	chair     person.Name
}

func (r *reader) read(stop func(line int) bool) {
	for i, seen := 0, 0; i < len(r.lines) && seen < maxHead; {
		text := r.lines[i].Text
		if text == "" {
			i++
			continue
		}
		seen++
		if rest, ok := cutHeader(text); ok && (!r.listed || rest != "") {
			// The sentence above may say who was absent; the table says it of everybody.
			above, whole := r.Attendance, r.Whole
			people := r.people
			r.Attendance, r.Whole = nil, true
			r.people = person.Roster{}
			end := r.table(i)
			if len(r.Attendance) == 0 {
				r.Attendance, r.Whole = above, r.Whole && whole
				r.people = people
			}
			if end > i {
				r.From = i
				r.To = end
				r.listed = true
				return
			}
		}
		if end := r.grid(i); end > i {
			i = end
			continue
		}
		if stop != nil && stop(i) || r.isRoll(text) && r.listed || r.found >= 0 && i > r.found+maxAfter {
			break
		}
		i = r.step(i)
	}
	r.addChair()
}

// step reads what begins at line i, and returns the line after it.
func (r *reader) step(i int) int {
	if r.isRoll(r.lines[i].Text) {
		return i + 8 // rows such as ABSENT below it belong to a vote
	}
	l, ok := r.labelAt(i)
	if ok && !l.alone && !l.roll && (l.status == present || l.status == cover) {
		if _, end := r.paragraph(i); r.answers(r.raw(i, end), i) { // Trustees: Ana Huber, present; Bo Morgan, absent
			r.found, r.section = end, true
			return end
		}
	}
	if next := r.next(i + 1); ok && l.alone && next >= 0 {
		if columns, marks := r.gridColumns(next); columns != nil && !marks {
			r.section = true
			return i + 1 // Attendance, above lists side by side
		}
	}
	if ok && !l.roll {
		if end := r.block(i, l); end > i {
			return end
		}
	}
	text, end := r.paragraph(i)
	if l.roll {
		if r.answers(r.raw(i, end), i) {
			r.found, r.section = end, true
			return end
		}
		if end := r.block(i, l); end > i {
			return end
		}
	}
	if r.answers(r.raw(i, end), i) || r.prose(text, i) {
		r.found = end
	}
	for j := i; j < end && (j == i || !r.listed && j < maxCover); j++ {
		if _, marked := lexicon.ReadMarker(r.lines[j].Text); marked && j > i {
			break // the items begin
		}
		if name, ok := r.coverLine(r.lines[j].Text); ok && len(r.Cover) < maxPeople {
			r.Cover = append(r.Cover, name)
		}
	}
	r.section = isSection(text) || r.section && end-i < 3
	return end
}

// isRoll reports whether a line is a row of a vote: who moved, who was in favor or against, the result.
func (r *reader) isRoll(text string) bool {
	label, rest, found := strings.Cut(text, ":")
	if !found || len(label) > 24 || label != "" && label[0] >= 'a' && label[0] <= 'z' {
		return false
	}
	first := strings.FieldsFunc(rest[:min(len(rest), 24)], func(c rune) bool { return !unicode.IsLetter(c) })
	if len(first) > 1 {
		row, known := r.d.RowOf(strings.ToLower(first[0])) // "Roll call: YES - Doe, Roe (2). NO - Poe (1)."
		if known && (row == lexicon.Aye || row == lexicon.Nay) {
			return true
		}
	}
	row, known := r.d.RowOf(strings.ToLower(strings.Trim(label, " *()0123456789")))
	return known && (row == lexicon.Aye || row == lexicon.Nay || row == lexicon.Result || row == lexicon.Mover ||
		row == lexicon.Motion)
}

// paragraph joins the lines from i to the next blank line, label or heading.
func (r *reader) paragraph(i int) (text string, end int) {
	var parts []string
	size := 0
	for end = i; end < len(r.lines) && end < i+maxBlock; end++ {
		line := r.lines[end].Text
		if line == "" || end > i && (r.isRoll(line) || IsTable(line)) {
			break
		}
		if l, ok := r.labelAt(end); ok && end > i {
			parts = append(parts, l.before)
			break
		}
		parts = append(parts, line)
		if size += len(line); size > 6_000 {
			end++
			break
		}
	}
	return unmark(person.Join(parts)), max(end, i+1)
}

func (r *reader) beginsLabel(i int) bool {
	_, ok := r.labelAt(i)
	return ok
}

// unmark removes the marks of Markdown.
func unmark(text string) string {
	if strings.Contains(text, "**") {
		text = strings.ReplaceAll(text, "**", "")
	}
	return strings.TrimSpace(strings.TrimLeft(text, "# "))
}

// coverLine reads a line that has nothing but a full name, perhaps with its office: the letterhead of
// a board names its members so.
func (r *reader) coverLine(text string) (name string, ok bool) {
	if row := grid.Cells(text, 0, 2); len(row) > 1 && grid.IsMark(row[1].Text) {
		text = row[0].Text
	}
	if len(text) > 2 && text[1] == ' ' {
		return "", false // "A   Doe" is the vote of a member
	}
	n, ok := r.entry(text)
	return n.Text, ok && strings.Contains(n.Text, " ") && !r.isStaff(n.Office) && !isAllCaps(n.Text)
}

// addChair adds the member who opened the meeting, if the list does not have that member.
func (r *reader) addChair() {
	if n := r.chair; n.Text != "" && len(r.Attendance) > 1 && r.listed {
		r.add(n, present, r.found)
	}
}

// status is a state of attendance.
type status string

const (
	present status = "Present"
	absent  status = "Absent"
	excused status = "Excused"
	late    status = "Late"
	remote  status = "Remote"
	other   status = "other" // staff and guests
	cover   status = "cover" // names that a label lists without saying who attended
)

// statusOf returns the state of a person in a list, which a note beside the name can change.
func statusOf(s status, note string) status {
	n := strings.ToLower(note)
	switch {
	case n == "":
	case lexicon.ContainsAny(n, "excus", "justif"):
		return excused
	case lexicon.ContainsAny(n, "arriv", "joined at", "joined the", "late", "came in", "llegó", "llego"),
		n[0] >= '1' && n[0] <= '9' && s == absent:
		if s != remote {
			return late
		}
	case lexicon.ContainsAny(n, "absent", "ausent", "not present", "no show", "on leave", "leave of", "sick") || n == "no":
		return absent
	case s == present && lexicon.ContainsAny(n, "remote", "zoom", "phone", "virtual", "online", "teleconf", "video",
		"electronic"):
		return remote
	}
	return s
}

// admit adds the members of a list, not the staff, and returns their number. A clerk, a secretary or a treasurer is a
// member if the label says so or a member stands below, and staff below one of the staff.
func (r *reader) admit(people []listed, s status, ofMembers bool) (members int) {
	staff := false
	for k, e := range people {
		switch officer := isClerk(e.Office) && isOfficer(e.Office); {
		case officer && (ofMembers || slices.ContainsFunc(people[k+1:], func(o listed) bool {
			return r.titleOf(o.Office) != "" && !r.isStaff(o.Office)
		})): // Clerk Doe, Treasurer Roe, Trustee Poe
		case r.isStaff(e.Office):
			staff = true
			continue
		case staff && isClerk(r.titleOf(e.Office)):
			continue
		}
		members++
		var joined person.List
		if m := byRemote.FindStringSubmatch(e.Note); m != nil {
			joined = r.w.List(m[1], nil) // Ana Doe (Bo Roe by Zoom)
			e.Note = ""
		}
		r.add(e.Name, s, e.line)
		for _, other := range joined.Names {
			r.add(other, remote, e.line)
		}
	}
	return members
}

// add adds a member. A person who is already in the list keeps the first status, but gets the
// longer name.
func (r *reader) add(n person.Name, s status, at int) {
	if n.Text == "" || isStaffName(n.Text) || len(r.Attendance) >= maxPeople {
		return
	}
	page := 0
	if at >= 0 && at < len(r.lines) {
		page = r.lines[at].Page
	}
	if person.IsUnread(n.Text) {
		r.Whole = false
		r.problem(page, "attendance row of "+n.Text+" holds characters that could not be read; it was left out")
		return
	}
	s = statusOf(s, n.Note)
	printed := string(s)
	a := record.Attendee{Name: n.Text, Title: council.Some(r.titleOf(n.Office)), Status: &printed}
	if full, match := r.people.Resolve(person.Name{Text: n.Text}); match <= council.MatchGiven {
		for i := range r.Attendance {
			if old := &r.Attendance[i]; old.Name == full {
				if len(n.Text) > len(old.Name) && !isAllCaps(n.Text) {
					old.Name = n.Text
				}
				if old.Title == nil {
					old.Title = a.Title
				}
				if s == late || s == remote && council.OrZero(old.Status) == string(present) {
					old.Status = a.Status
				}
			}
		}
		return
	}
	if r.isTurned(n.Text) {
		return // DOE Ana, who is Ana DOE above
	}
	// The chair's full name may stand above a row that has only last names.
	for i := range r.Attendance {
		if old := &r.Attendance[i]; !strings.Contains(old.Name, " ") && strings.Contains(n.Text, " ") &&
			council.FoldName(council.LastName(n.Text)) == council.FoldName(old.Name) {
			old.Name = n.Text
			if old.Title == nil {
				old.Title = a.Title
			}
			r.people.Add(n.Text, n.Office)
			return
		}
	}
	r.people.Add(n.Text, n.Office)
	r.Attendance = append(r.Attendance, a)
}

// isTurned reports whether somebody has the words of a name in another order.
func (r *reader) isTurned(name string) bool {
	words := sortedWords(name)
	return len(words) > 1 && slices.ContainsFunc(r.Attendance, func(a record.Attendee) bool {
		return slices.Equal(words, sortedWords(a.Name))
	})
}

func sortedWords(name string) []string {
	words := strings.Fields(council.FoldName(name))
	slices.Sort(words)
	return words
}

// titleOf removes the honorific from an office: "Mr., Chair" is Chair.
func (r *reader) titleOf(office string) string {
	var kept []string
	for part := range strings.SplitSeq(office, ",") {
		part = strings.TrimSpace(part)
		for {
			word, rest, _ := strings.Cut(part, " ")
			if part == "" || !r.w.IsHonorific(word) {
				break
			}
			part = rest
		}
		for { // Cllr Mrs
			before, last, found := cutLastWord(part)
			if !found || !r.w.IsHonorific(last) {
				break
			}
			part = before
		}
		if part != "" {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, ", ")
}

func cutLastWord(text string) (before, last string, found bool) {
	i := strings.LastIndexByte(text, ' ')
	return text[:max(i, 0)], text[i+1:], i > 0
}

func (r *reader) problem(page int, message string) {
	r.Problems = append(r.Problems, Problem{Code: council.CodeAttendanceRow, Page: page, Message: message})
}

// isStaff reports whether an office is that of staff. Clerks, secretaries and treasurers are staff,
// except of boards whose officers are members.
func (r *reader) isStaff(office string) bool {
	if office == "" {
		return false
	}
	directs := false
	qualified := false
	officer := false
	for _, word := range strings.FieldsFunc(memberOffices.Replace(strings.ToLower(office)),
		func(c rune) bool { return strings.ContainsRune(" ,/-–&.()", c) }) {
		if isStaffWord(word) {
			return true
		}
		switch word {
		case "director", "directors":
			directs = true
		case "clerk", "secretary", "treasurer", "secrétaire", "trésorier", "trésorière":
			officer = true
		case "board", "of", "the", "district", "ward", "seat", "division", "place", "vice", "large", "at", "president",
			"chair", "chairperson", "chairman", "chairwoman", "deputy", "alternate", "electoral", "member", "and", "area",
			"zone", "position", "pro", "tem", "tempore", "elect":
		default:
			qualified = qualified || len(word) > 2
		}
	}
	return directs && qualified || officer && !(r.officers() && !qualified)
}

// memberOffices are the offices of members that have a word of staff.
var memberOffices = strings.NewReplacer("executive mayor", "mayor", "presiding officer", "chair", "chief whip", "whip",
	"executive member", "member", "judge/executive", "judge", "judge executive", "judge")

// isClerk reports whether an office is that of a clerk, a secretary or a treasurer.
func isClerk(office string) bool {
	return lexicon.ContainsAny(strings.ToLower(office), "clerk", "secretary", "treasurer", "recorder")
}

// isStaffName reports whether an office of staff stands within a name: "Police Chief Rick Shank".
func isStaffName(name string) bool {
	words := strings.Fields(strings.ToLower(name))
	return len(words) > 2 && slices.ContainsFunc(words[:len(words)-1], isStaffWord)
}

// isOfficer reports whether an office is one that a member can hold: the bare clerk, secretary or
// treasurer.
func isOfficer(office string) bool {
	for word := range strings.FieldsFuncSeq(strings.ToLower(office),
		func(c rune) bool { return strings.ContainsRune(" ,/-–&.()", c) }) {
		switch word {
		case "clerk", "secretary", "treasurer", "member", "the", "and", "board", "trustee", "director", "commissioner",
			"vice":
		default:
			return false
		}
	}
	return true
}

// officers reports whether the body has a president or a chair, and no mayor.
func (r *reader) officers() bool {
	chaired := false
	for _, a := range r.Attendance {
		title := strings.ToLower(council.OrZero(a.Title))
		if lexicon.ContainsAny(title, "mayor", "alcald", "maire") {
			return false
		}
		chaired = chaired || lexicon.ContainsAny(title, "president", "chair")
	}
	return chaired
}

func isStaffWord(word string) bool {
	switch word {
	case "manager", "attorney", "solicitor", "counsel", "counselor", "administrator", "engineer", "planner", "analyst",
		"superintendent", "recorder", "comptroller", "controller", "auditor", "coordinator", "assistant", "liaison",
		"officer", "chief", "inspector", "assessor", "librarian", "parliamentarian", "specialist", "intern", "consultant",
		"executive", "staff", "reporter", "stenographer", "ceo", "cfo", "cao", "cio", "supervisor-elect", "foreman",
		"technician", "support", "deputy-clerk", "directeur", "directrice", "dga", "dgs", "técnico", "técnica", "arquitecto",
		"arquitecta", "greffier", "greffière", "secretario", "secretaria", "secretario-interventor",
		"secretaria-interventora", "interventor", "interventora", "taker", "notetaker", "transcriptionist", "scribe",
		"visitor", "guest", "resident", "student":
		return true
	}
	return false
}

func isAllCaps(s string) bool { return s == strings.ToUpper(s) }

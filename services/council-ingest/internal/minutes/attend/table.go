package attend

import (
	"regexp"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

// IsTable reports whether a line is the header of an attendance table.
func IsTable(text string) bool {
	_, ok := cutHeader(text)
	return ok
}

// cutHeader removes "Attendee Name" from the header of the table. In a narrow column, "Name" is on
// the next line.
func cutHeader(text string) (rest string, ok bool) {
	const attendee, name = "attendee", "name"
	if len(text) < len(attendee) || !strings.EqualFold(text[:len(attendee)], attendee) {
		return "", false
	}
	rest = strings.TrimLeft(text[len(attendee):], " ")
	if len(rest) >= len(name) && strings.EqualFold(rest[:len(name)], name) {
		return strings.TrimLeft(rest[len(name):], " "), true
	}
	return rest, strings.HasPrefix(rest, "Title ") && strings.Contains(rest, "Status")
}

// table reads the table "Attendee Name / Title / Status / Arrived" whose header is on line i, by rows
// or by columns, and returns the line after it.
func (r *reader) table(i int) int {
	if strings.Contains(r.lines[i].Text, "Status") { // the header is on one line
		return max(r.tableRows(i), i+1)
	}
	var c columns
	end := i + 1
	for j := i; j < min(len(r.lines), i+maxTable); j++ {
		text := r.lines[j].Text
		if j == i {
			text, _ = cutHeader(text)
		}
		if text == "" {
			continue
		}
		if !r.addToColumn(&c, text, j, i) {
			break
		}
		end = j + 1
	}
	r.addColumns(&c, i)
	return end
}

const maxTable = 400

type columns struct{ names, titles, statuses []string }

// addToColumn adds line j to a column of the table that begins at line i. It returns false after
// the end of the table.
func (r *reader) addToColumn(c *columns, text string, j, i int) bool {
	m, marked := lexicon.ReadMarker(r.lines[j].Text)
	switch {
	case strings.HasSuffix(text, ":"): // as in "Staff Present:"
		return false
	case text == "Title" || text == "Status" || text == "Arrived" || lexicon.IsClock(text):
	case r.isStatus(text):
		c.statuses = append(c.statuses, text)
	case marked && m.Text == "":
		// The number of the next heading may stand between a name and its office.
		next := r.next(j + 1)
		return len(c.names) > len(c.titles) && next >= 0 && r.w.IsOffice(r.lines[next].Text)
	case r.w.IsOffice(text):
		c.titles = append(c.titles, text)
	case !r.w.IsFragment(text) || r.isStatus(lexicon.LastWord(text)):
		return false
	default:
		if len(c.statuses) > 0 && len(c.statuses) >= len(c.names) {
			r.addColumns(c, i) // the rows read so far are complete
		}
		c.names = append(c.names, text)
	}
	return true
}

// addColumns adds the rows from the cells read so far, and clears the columns. The table begins at
// line i.
func (r *reader) addColumns(c *columns, i int) {
	if len(c.titles)+len(c.statuses) == 0 && len(r.Attendance) > 0 {
		c.names = nil // a heading follows the table
	}
	for n := range max(len(c.names), len(c.titles), len(c.statuses)) {
		var a record.Attendee
		if n < len(c.names) {
			a.Name = c.names[n]
		}
		if n < len(c.titles) {
			a.Title = &c.titles[n]
		}
		if n < len(c.statuses) {
			r.setStatus(&a, c.statuses[n])
		}
		r.addRow(a, i)
	}
	*c = columns{}
}

func (r *reader) setStatus(a *record.Attendee, printed string) {
	status, misspelt := r.d.Status(printed)
	a.Status = &status
	if misspelt {
		r.Problems = append(r.Problems, Problem{Code: council.CodeStatusMisspelt,
			Message: "attendance status " + printed + " was read as " + status})
	}
}

func (r *reader) isStatus(word string) bool {
	status, _ := r.d.Status(word)
	return status != ""
}

// addRow adds a row of the table. Its status may be missing.
func (r *reader) addRow(a record.Attendee, at int) {
	who := a.Name
	if who == "" && a.Title != nil {
		who = *a.Title
	}
	switch {
	case r.people.Len() >= maxPeople:
		return
	case person.IsUnread(a.Name):
		r.Whole = false
		r.problem(r.lines[at].Page, "attendance row of "+a.Name+" holds characters that could not be read; it was left out")
		return
	case who != "" && (a.Name == "" || a.Status == nil):
		r.Whole = false
		r.problem(r.lines[at].Page, "attendance row of "+who+" lacks its name or status")
	}
	if a.Name != "" {
		r.Attendance = append(r.Attendance, a)
		r.people.Add(a.Name, council.OrZero(a.Title))
	}
}

// tableRows reads the rows below the header on line i, and returns the line after them, or 0 if
// there are none. A narrow cell continues on the next line.
func (r *reader) tableRows(i int) (end int) {
	titleCol := r.lines[i].Indent + strings.Index(r.lines[i].Text, "Title")
	var found []record.Attendee
	var lines []int
	for j := i + 1; j < min(len(r.lines), i+maxTable/2); j++ {
		text := r.lines[j].Text
		if text == "" || j == i+1 && strings.EqualFold(text, "name") {
			continue
		}
		a, ok := r.tableRow(text)
		m, marked := lexicon.ReadMarker(r.lines[j].Text)
		if ok && !(marked && len(m.Label) > 2) { // "J. Roe" looks like a marker but can be a member
			found, lines = append(found, a), append(lines, j)
		} else if len(found) == 0 || !r.carriesOn(&found[len(found)-1], j, titleCol) {
			break
		}
		end = j + 1
	}
	for k, a := range found {
		r.addRow(a, lines[k])
	}
	return end
}

var times = regexp.MustCompile(`(?: +\d{1,2}:\d\d(?: *[AP]M)?)+$`)

// tableRow reads one row. The status is the last word before the times. The title begins at the
// first word of an office or at a gap. A row without a status has a name, a gap and an office.
func (r *reader) tableRow(text string) (a record.Attendee, ok bool) {
	rest := times.ReplaceAllString(text, "")
	i := strings.LastIndexByte(rest, ' ')
	if i < 0 || !r.isStatus(rest[i+1:]) {
		name, title := lexicon.CutCell(text)
		ok := strings.Contains(name, " ") && r.w.IsFragment(name) && title != "" && r.w.IsOffice(title)
		return record.Attendee{Name: name, Title: &title}, ok
	}
	r.setStatus(&a, rest[i+1:])
	name, title := r.cutTitle(strings.TrimRight(rest[:i], " "))
	a.Name, a.Title = council.Fold(name), council.Some(council.Fold(title))
	others := lexicon.HasAnyPrefix(strings.ToLower(name), "staff", "other", "also") // these people are not members
	return a, !others && r.w.IsFragment(a.Name)
}

// cutTitle separates a name from the office after it. It cuts at the first gap that a word of an
// office follows, or else before the first such word, or else at the first gap.
func (r *reader) cutTitle(text string) (name, title string) {
	for i := range text {
		rest := strings.TrimLeft(text[i:], " ")
		word, _, _ := strings.Cut(rest, " ")
		if strings.HasPrefix(text[i:], "  ") && r.w.IsOfficeWord(word) {
			return text[:i], rest
		}
	}
	words := strings.Fields(text)
	for n := 2; n < len(words); n++ {
		if r.w.IsOfficeWord(words[n]) {
			return strings.Join(words[:n], " "), strings.Join(words[n:], " ")
		}
	}
	return lexicon.CutCell(text)
}

// carriesOn adds line j to the row above if the line continues a name or an office.
func (r *reader) carriesOn(a *record.Attendee, j, titleCol int) bool {
	name, title := lexicon.CutCell(r.lines[j].Text)
	if r.lines[j].Indent >= titleCol-3 {
		name, title = "", r.lines[j].Text
	}
	_, heading := lexicon.ReadMarker(r.lines[j].Text)
	if heading || r.flat || r.lines[j-1].Text == "" || lexicon.EndsSentence(r.lines[j].Text) ||
		r.d.EndsAttendance(r.lines[j].Text) || !r.w.IsFragment(name+" "+title) {
		return false
	}
	a.Name = person.Join([]string{a.Name, name})
	if a.Title != nil && title != "" {
		title = person.Join([]string{*a.Title, title})
		a.Title = &title
	}
	return true
}

// next returns the first line that is not blank, from i on, or -1.
func (r *reader) next(i int) int {
	for ; i < len(r.lines); i++ {
		if r.lines[i].Text != "" {
			return i
		}
	}
	return -1
}

package agenda

import (
	"regexp"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lex"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/minutes/rows"
)

// readAttendance reads the attendance list into the record and the roster, and returns the lines of
// the list. The list is a table "Attendee Name / Title / Status / Arrived", by rows or by columns,
// or it consists of lists "Present:" and "Absent:". Uncertain rows are omitted.
func (s *Reader) readAttendance() (from, to int) {
	for i := range s.Rows {
		if _, ok := cutHeader(s.Rows[i].Text); ok {
			return i, s.attendanceTable(i)
		}
		if s.Rows[i].Result {
			break
		}
		end := s.countedRoll(i)
		if end == 0 {
			end = s.membersListed(i)
		}
		if row, _, ok := s.Label(i); end == 0 && ok && row == dialect.Present {
			end = s.rollCall(i)
		}
		if end > 0 {
			return i, end
		}
	}
	return 0, 0
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

func (s *Reader) attendanceTable(i int) int {
	if strings.Contains(s.Rows[i].Text, "Status") { // the header is on one line
		return max(s.tableRows(i), i+1)
	}
	var c columns
	end := i + 1
	for j := i; j < min(len(s.Rows), i+maxTable); j++ {
		text := s.Rows[j].Text
		if j == i {
			text, _ = cutHeader(text)
		}
		if text == "" {
			continue
		}
		if !s.addToColumn(&c, text, j, i) {
			break
		}
		end = j + 1
	}
	s.addColumns(&c, i)
	return end
}

const maxTable = 400

type columns struct{ names, titles, statuses []string }

// addToColumn adds line j to a column of the table that begins at line i. It returns false after
// the end of the table.
func (s *Reader) addToColumn(c *columns, text string, j, i int) bool {
	m, marked := s.MarkerAt(j)
	switch {
	case strings.HasSuffix(text, ":"): // as in "Staff Present:"
		return false
	case text == "Title" || text == "Status" || text == "Arrived" || lex.IsClock(text):
	case s.isStatus(text):
		c.statuses = append(c.statuses, text)
	case marked && m.Text == "":
		// The number of the next heading may stand between a name and its office.
		next := s.Next(j + 1)
		return len(c.names) > len(c.titles) && next >= 0 && s.IsTitle(s.Rows[next].Text)
	case s.IsTitle(text):
		c.titles = append(c.titles, text)
	case !s.IsPersonShaped(text) || s.isStatus(lex.LastWord(text)):
		return false
	default:
		if len(c.statuses) > 0 && len(c.statuses) >= len(c.names) {
			s.addColumns(c, i) // the rows read so far are complete
		}
		c.names = append(c.names, text)
	}
	return true
}

// addColumns adds the rows from the cells read so far, and clears the columns. The table begins at
// line i.
func (s *Reader) addColumns(c *columns, i int) {
	if len(c.titles)+len(c.statuses) == 0 && len(s.Attendance) > 0 {
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
			s.setStatus(&a, c.statuses[n])
		}
		s.addAttendee(a, i)
	}
	*c = columns{}
}

func (s *Reader) setStatus(a *record.Attendee, printed string) {
	status, misspelt := s.Status(printed)
	a.Status = &status
	if misspelt {
		s.Report(council.CodeStatusMisspelt, -1, nil, 0, "attendance status "+printed+" was read as "+status)
	}
}

func (s *Reader) isStatus(word string) bool {
	status, _ := s.Status(word)
	return status != ""
}

func (s *Reader) addAttendee(a record.Attendee, at int) {
	who := a.Name
	if who == "" && a.Title != nil {
		who = *a.Title
	}
	switch {
	case s.People.Present.Len() >= rows.MaxPeople:
		return
	case rows.IsUnread(a.Name):
		s.Report(council.CodeAttendanceRow, -1, nil, s.Rows[at].Page,
			"attendance row of "+a.Name+" holds characters that could not be read; it was left out")
		return
	case who != "" && (a.Name == "" || a.Status == nil):
		s.Report(council.CodeAttendanceRow, -1, nil, s.Rows[at].Page, "attendance row of "+who+" lacks its name or status")
	}
	if a.Name != "" {
		s.Attendance = append(s.Attendance, a)
		s.People.Present.Add(a.Name)
	}
}

// tableRows reads the rows below the header on line i, and returns the line after them, or 0 if
// there are none. A narrow cell continues on the next line.
func (s *Reader) tableRows(i int) (end int) {
	titleCol := s.Rows[i].Indent + strings.Index(s.Rows[i].Text, "Title")
	var rows []record.Attendee
	var lines []int
	for j := i + 1; j < min(len(s.Rows), i+maxTable/2); j++ {
		text := s.Rows[j].Text
		if text == "" || j == i+1 && strings.EqualFold(text, "name") {
			continue
		}
		a, ok := s.tableRow(text)
		m, marked := s.MarkerAt(j)
		if ok && !(marked && len(m.Label) > 2) { // "J. Roe" looks like a marker but can be a member
			rows, lines = append(rows, a), append(lines, j)
		} else if len(rows) == 0 || !s.carriesOn(&rows[len(rows)-1], j, titleCol) {
			break
		}
		end = j + 1
	}
	for k, a := range rows {
		s.addAttendee(a, lines[k])
	}
	return end
}

var times = regexp.MustCompile(`(?: +\d{1,2}:\d\d(?: *[AP]M)?)+$`)

// tableRow reads one row. The status is the last word before the times. The title begins at the
// first word of an office or at a gap. A row without a status has a name, a gap and an office.
func (s *Reader) tableRow(text string) (a record.Attendee, ok bool) {
	rest := times.ReplaceAllString(text, "")
	i := strings.LastIndexByte(rest, ' ')
	if i < 0 || !s.isStatus(rest[i+1:]) {
		name, title := lex.CutCell(text)
		ok := strings.Contains(name, " ") && s.IsPersonShaped(name) && title != "" && s.IsTitle(title)
		return record.Attendee{Name: name, Title: &title}, ok
	}
	s.setStatus(&a, rest[i+1:])
	name, title := s.CutTitle(strings.TrimRight(rest[:i], " "))
	a.Name, a.Title = council.Fold(name), council.Some(council.Fold(title))
	others := lex.HasAnyPrefix(strings.ToLower(name), "staff", "other", "also") // these people are not members
	return a, !others && s.IsPersonShaped(a.Name)
}

// carriesOn adds line j to the row above if the line continues a name or an office.
func (s *Reader) carriesOn(a *record.Attendee, j, titleCol int) bool {
	name, title := lex.CutCell(s.Rows[j].Text)
	if s.Rows[j].Indent >= titleCol-3 {
		name, title = "", s.Rows[j].Text
	}
	_, heading := s.MarkerAt(j)
	if heading || s.Flat || s.Rows[j-1].Text == "" || lex.EndsSentence(s.Rows[j].Text) ||
		s.EndsAttendance(s.Rows[j].Text) || !s.IsPersonShaped(name+" "+title) {
		return false
	}
	a.Name = lex.JoinNames([]string{a.Name, name})
	if a.Title != nil && title != "" {
		title = lex.JoinNames([]string{*a.Title, title})
		a.Title = &title
	}
	return true
}

// Package attendance reads who was at the meeting, and what each one's office and status was. It adds the members to the roster of the
// document, and nobody whose row it cannot read for certain.
package attendance

import (
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/minutes/roster"
	"github.com/townline/townline/services/council-ingest/internal/minutes/rows"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// reader reads the attendance of one document.
type reader struct {
	*rows.Doc
	*record.Writer
}

// Read reads the list of who was there into the record and the roster, and returns the lines that it covers.
func Read(doc *rows.Doc, w *record.Writer) (from, to int) { return (&reader{doc, w}).attendance() }

// attendance reads the list of who was there: the table "Attendee Name / Title / Status / Arrived", row by row or column by column, or the
// lists "Present:" and "Absent:" of a roll call. It returns the lines that it covers.
func (s *reader) attendance() (from, to int) {
	for i := range s.Rows {
		text := s.Rows[i].Text
		if _, ok := attendeeHeader(text); ok {
			return i, s.attendanceTable(i)
		}
		if s.Rows[i].Result {
			return 0, 0
		}
		if end := s.countedRoll(i); end > 0 {
			return i, end
		}
		if end := s.membersListed(i); end > 0 {
			return i, end
		}
		if kind, _, ok := s.Dialect.Label(text, true); ok && kind == dialect.Present {
			if end := s.rollCall(i); end > 0 {
				return i, end
			}
		}
	}
	return 0, 0
}

// IsHeader reports whether a line begins the header of the table.
func IsHeader(text string) bool {
	_, ok := attendeeHeader(text)
	return ok
}

// attendeeHeader knows the header "Attendee Name" of the table and returns what follows it on its line. A narrow column puts "Name" on the
// next line.
func attendeeHeader(text string) (rest string, ok bool) {
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

// columns are the cells of a table that is printed column by column.
type columns struct{ names, titles, statuses []string }

// addColumns adds the rows that the cells so far make up, and empties the columns. The table begins at line i.
func (s *reader) addColumns(c *columns, i int) {
	if len(c.titles)+len(c.statuses) == 0 && len(s.Attendance) > 0 {
		c.names = nil // a heading below the table
	}
	for n := range max(len(c.names), len(c.titles), len(c.statuses)) {
		var a record.Attendee
		if n < len(c.names) {
			a.Name = c.names[n]
		}
		if n < len(c.titles) && c.titles[n] != "" {
			a.Title = &c.titles[n]
		}
		if n < len(c.statuses) {
			s.setStatus(&a, c.statuses[n])
		}
		s.addAttendee(a, i)
	}
	*c = columns{}
}

// attendanceTable reads the table that begins at line i.
func (s *reader) attendanceTable(i int) int {
	d := s.Dialect
	var c columns
	end := i + 1
	if strings.Contains(s.Rows[i].Text, "Status") { // the header stands on one line
		return max(s.attendanceRows(i), end)
	}
	for j := i; j < len(s.Rows) && j-i < 400; j++ {
		text := s.Rows[j].Text
		if j == i {
			text, _ = attendeeHeader(text)
		}
		if text == "" {
			continue
		}
		if strings.HasSuffix(text, ":") {
			break // Staff Present:
		}
		switch {
		case text == "Title" || text == "Status" || text == "Arrived" || text == "Organization" || text == "Departed":
		case shape.IsClock(text):
		case s.isStatus(text):
			c.statuses = append(c.statuses, text)
		default:
			if m, heading := s.MarkerAt(j); heading && (m.Text == "" || !d.IsPersonShaped(text)) {
				next := s.Next(j + 1)
				if m.Text == "" && len(c.names) > len(c.titles) && next >= 0 && d.IsTitle(s.Rows[next].Text) {
					break // the number of the next heading, between a name and its office
				}
				s.addColumns(&c, i)
				return end
			}
			if d.IsTitle(text) {
				c.titles = append(c.titles, text)
				break
			}
			if !d.IsPersonShaped(text) || shape.EndsSentence(text) || s.isStatus(shape.LastWord(text)) {
				s.addColumns(&c, i)
				return end
			}
			if len(c.statuses) > 0 && len(c.statuses) >= len(c.names) {
				s.addColumns(&c, i) // the rows so far are complete
			}
			c.names = append(c.names, text)
		}
		end = j + 1
	}
	s.addColumns(&c, i)
	return end
}

func (s *reader) setStatus(a *record.Attendee, printed string) {
	st, misspelt := s.Dialect.Status(printed)
	a.Status = &st
	if misspelt {
		s.Report(council.CodeStatusMisspelt, -1, nil, 0, "attendance status "+printed+" was read as "+st)
	}
}

func (s *reader) addAttendee(a record.Attendee, at int) {
	who := a.Name
	if who == "" && a.Title != nil {
		who = *a.Title
	}
	switch {
	case s.People.Present.Len() >= roster.Max:
		return
	case roster.IsUnread(a.Name):
		s.Report(council.CodeAttendanceRow, -1, nil, s.Rows[at].Page, "attendance row of "+a.Name+" holds characters that could not be read; it was left out")
		return
	case who != "" && (a.Name == "" || a.Status == nil):
		s.Report(council.CodeAttendanceRow, -1, nil, s.Rows[at].Page, "attendance row of "+who+" lacks its name or status")
	}
	if a.Name != "" {
		s.Attendance = append(s.Attendance, a)
		s.People.Present.Add(a.Name)
	}
}

func (s *reader) isStatus(word string) bool {
	st, _ := s.Dialect.Status(word)
	return st != ""
}

// An entry is a name on a list, with the office and remark beside it, and the status that the list states.
type entry struct{ text, status string }

// rollCall reads "Present:" and "Absent:" lists of names with titles, one a line, that begin at line i; 0 when it is no such list. A label
// that stands beside the middle of its names takes the whole paragraph.
func (s *reader) rollCall(i int) int {
	d := s.Dialect
	var entries []entry
	status, paragraph := "", 0
	end := i
	for j := i; j < len(s.Rows) && j-i < 60; j++ {
		text := s.Rows[j].Text
		if text == "" {
			paragraph = len(entries)
			continue
		}
		if kind, value, ok := d.Label(text, true); ok {
			status = rollStatus[kind]
			if status == "" {
				break // Staff Present, Others Present
			}
			// Names above the label in its own paragraph are its names.
			if paragraph > 0 || len(entries) > 0 && kind != dialect.Present && value == "" {
				for k := paragraph; k < len(entries); k++ {
					entries[k].status = status
				}
			}
			end = j + 1
			if !shape.IsNobody(value) {
				for _, piece := range strings.Split(value, ",") {
					piece = strings.TrimSpace(piece)
					if piece != "" {
						entries = append(entries, entry{piece, status})
					}
				}
			}
			continue
		}
		if m, heading := s.MarkerAt(j); heading && (!d.IsPersonShaped(text) || m.Col > len(m.Label)+1 || s.Rows[j-1].Text == "") {
			break
		}
		name, mark := cutRemark(strings.TrimSuffix(text, ","))
		if len(entries) > 1 && d.StripTitle(entries[0].text) != entries[0].text && d.StripTitle(name) == name && s.Rows[j].Indent <= s.Rows[i].Indent {
			break // everybody has an office, this has none
		}
		if status == "" || !d.IsPersonShaped(name) || len(strings.Fields(name)) < 2 {
			break
		}
		st := status
		if strings.Contains(strings.ToUpper(mark), "REMOTE") && st == "Present" {
			st = "Remote"
		}
		entries = append(entries, entry{name, st})
		end = j + 1
	}
	if len(entries) < 3 {
		return 0
	}
	s.addEntries(entries, i)
	return end
}

// rollStatus is the status of those on a list with a label.
var rollStatus = map[dialect.Row]string{dialect.Present: "Present", dialect.Absent: "Absent", dialect.Away: "Excused"}

// addEntries adds the attendees of the lists that begin at line i.
func (s *reader) addEntries(entries []entry, i int) {
	for _, e := range entries {
		name, mark := cutRemark(e.text)
		if strings.Contains(strings.ToUpper(mark), "REMOTE") && e.status == "Present" {
			e.status = "Remote"
		}
		full := s.Dialect.StripTitle(name)
		if shape.IsNobody(full) || len(strings.Fields(full)) < 1 {
			continue
		}
		a := record.Attendee{Name: full}
		if t := strings.TrimSpace(strings.TrimSuffix(name, full)); t != "" {
			a.Title = &t
		}
		st := e.status
		a.Status = &st
		s.addAttendee(a, i)
	}
}

// cutRemark parts a name from the time or place printed after it: "Teodor Vance – 5:32 PM", "Suki Arano-REMOTE".
func cutRemark(text string) (name, remark string) {
	for i, r := range text {
		if i == 0 || (r != '-' && r != '–' && r != '—' && r != '(') {
			continue
		}
		rest := strings.TrimLeft(text[i+len(string(r)):], " ")
		if rest == "" || rest[0] >= '0' && rest[0] <= '9' || strings.HasPrefix(strings.ToUpper(rest), "REMOTE") || strings.HasPrefix(strings.ToUpper(rest), "IN PERSON") ||
			strings.HasPrefix(strings.ToUpper(rest), "ARRIVED") || strings.HasPrefix(strings.ToUpper(rest), "LEFT") || strings.HasPrefix(strings.ToUpper(rest), "VIA ") {
			return strings.TrimSpace(text[:i]), rest
		}
	}
	return text, ""
}

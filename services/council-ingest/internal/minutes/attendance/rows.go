package attendance

import (
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// attendanceRows reads the table with its header on line i, whose rows are lines; a narrow cell goes on in the next line. It returns the
// line after the table, 0 when there are no such rows.
func (s *reader) attendanceRows(i int) (end int) {
	titleCol := s.Rows[i].Indent + strings.Index(s.Rows[i].Text, "Title")
	var rows []record.Attendee
	var lines []int
	for j := i + 1; j < min(len(s.Rows), i+200); j++ {
		text := s.Rows[j].Text
		if text == "" || j == i+1 && strings.EqualFold(text, "name") {
			continue
		}
		a, ok := s.attendanceRow(text)
		if !ok {
			a, ok = s.withoutStatus(text)
		}
		if ok && !s.endsTable(j, a) {
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

// withoutStatus reads a row that lacks its status: a whole name, and an office behind a gap.
func (s *reader) withoutStatus(text string) (record.Attendee, bool) {
	name, title := shape.CutCell(text)
	return record.Attendee{Name: name, Title: &title}, strings.Contains(name, " ") && s.IsPersonShaped(name) && title != "" && s.IsTitle(title)
}

// carriesOn adds line j to the row above it if its cells can be the rest of a name and an office.
func (s *reader) carriesOn(a *record.Attendee, j, titleCol int) bool {
	name, title := shape.CutCell(s.Rows[j].Text)
	if s.Rows[j].Indent >= titleCol-3 {
		name, title = "", s.Rows[j].Text
	}
	_, heading := s.MarkerAt(j)
	if heading || s.Flat || s.Rows[j-1].Text == "" || shape.EndsSentence(s.Rows[j].Text) ||
		s.EndsAttendance(s.Rows[j].Text) || !s.IsPersonShaped(name+" "+title) {
		return false
	}
	a.Name = shape.JoinNames([]string{a.Name, name})
	if a.Title != nil && title != "" {
		title = shape.JoinNames([]string{*a.Title, title})
		a.Title = &title
	}
	return true
}

// endsTable reports whether line j, which can be the row of a, is a heading; "J. Roe" can be a member.
func (s *reader) endsTable(j int, a record.Attendee) bool {
	m, ok := s.MarkerAt(j)
	initial := len(m.Label) == 2 && shape.IsUpper(m.Label[0]) && !s.Hanging(m)
	return ok && !(initial && (a.Title != nil || s.Rows[j-1].Text != ""))
}

// attendanceRow reads one printed row: the status is the last word that is no time, the title begins at the first word of an office or at a
// wide gap.
func (s *reader) attendanceRow(text string) (record.Attendee, bool) {
	d := s.Dialect
	rest := text
	for {
		i := strings.LastIndexByte(rest, ' ')
		if i < 0 {
			return record.Attendee{}, false
		}
		if w := rest[i+1:]; w == "AM" || w == "PM" || shape.IsClock(w) || shape.IsClock(w+" AM") {
			rest = strings.TrimRight(rest[:i], " ")
			continue
		}
		break
	}
	i := strings.LastIndexByte(rest, ' ')
	if i < 0 || !s.isStatus(rest[i+1:]) {
		return record.Attendee{}, false
	}
	var a record.Attendee
	s.setStatus(&a, rest[i+1:])
	rest = strings.TrimRight(rest[:i], " ")
	name, title := d.CutTitle(rest)
	a.Name = shape.Fold(name)
	if l := strings.ToLower(rest); strings.Contains(l, "staff") || strings.HasPrefix(l, "other") || strings.HasPrefix(l, "also") {
		return record.Attendee{}, false // who else was in the room
	}
	title = shape.Fold(title)
	if title != "" {
		a.Title = &title
	}
	if !d.IsPersonShaped(a.Name) {
		return record.Attendee{}, false
	}
	return a, true
}

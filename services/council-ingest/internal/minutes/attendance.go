package minutes

import (
	"strings"

	"github.com/townline/townline/pkg/council"
)

// attendance reads the list of who was there: the table "Attendee Name / Title
// / Status / Arrived", row by row or column by column, or the lists "Present:"
// and "Absent:" of a roll call. It returns the lines that it covers.
func (s *scan) attendance() (from, to int) {
	for i := range s.lines {
		text := s.lines[i].text
		if _, ok := attendeeHeader(text); ok {
			return i, s.attendanceTable(i)
		}
		if s.isResultLabel(i) {
			return 0, 0
		}
		if kind, _, ok := s.p.dialect.label(text, true); ok && kind == rowPresent {
			if end := s.rollCall(i); end > 0 {
				return i, end
			}
		}
	}
	return 0, 0
}

// attendeeHeader knows the header "Attendee Name" of the table and returns what
// follows it on its line. A narrow column puts "Name" on the next line.
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

// attendanceTable reads the table that begins at line i.
func (s *scan) attendanceTable(i int) int {
	d := s.p.dialect
	var names, titles, statuses []string
	flush := func() {
		if len(titles)+len(statuses) == 0 && len(s.record.Attendance) > 0 {
			names = nil // a heading below the table
		}
		for n := range max(len(names), len(titles), len(statuses)) {
			var a Attendee
			if n < len(names) {
				a.Name = names[n]
			}
			if n < len(titles) && titles[n] != "" {
				a.Title = &titles[n]
			}
			if n < len(statuses) {
				s.setStatus(&a, statuses[n])
			}
			s.addAttendee(a, i)
		}
		names, titles, statuses = nil, nil, nil
	}
	end := i + 1
	inRows := strings.Contains(s.lines[i].text, "Status") // the header stands on one line
	if inRows {
		if rowsEnd := s.attendanceRows(i); rowsEnd > 0 {
			return rowsEnd
		}
	}
	for j := i; j < len(s.lines) && j-i < 400; j++ {
		text := s.lines[j].text
		if j == i {
			text, _ = attendeeHeader(text)
			if inRows {
				continue
			}
		}
		if text == "" {
			continue
		}
		if strings.HasSuffix(text, ":") {
			break // Staff Present:
		}
		switch {
		case text == "Title" || text == "Status" || text == "Arrived" || text == "Organization" || text == "Departed":
		case isClock(text):
		case s.statusOf(text) != "":
			statuses = append(statuses, text)
		default:
			if m, heading := s.markerAt(j); heading && (m.text == "" || !d.isPersonShaped(text)) {
				next := s.nextText(j + 1)
				if m.text == "" && len(names) > len(titles) && next >= 0 && d.isTitle(s.lines[next].text) {
					break // the number of the next heading, between a name and its office
				}
				flush()
				return end
			}
			if a, ok := s.attendanceRow(text); ok {
				flush()
				s.addAttendee(a, j)
				inRows = true
				break
			}
			if !inRows && d.isTitle(text) {
				titles = append(titles, text)
				break
			}
			if inRows || !d.isPersonShaped(text) || isSentenceEnd(text) || s.statusOf(text[strings.LastIndexByte(text, ' ')+1:]) != "" {
				flush()
				return end
			}
			if len(statuses) > 0 && len(statuses) >= len(names) {
				flush() // the rows so far are complete
			}
			names = append(names, text)
		}
		end = j + 1
	}
	flush()
	return end
}

// statusOf gives the canonical form of an attendance status, misspelt ones
// ("REMTOE") too; empty when the word is none.
func (s *scan) statusOf(word string) string {
	if strings.ContainsAny(word, " ,:.") || len(word) > 9 {
		return ""
	}
	w := strings.ToLower(word)
	if st := s.p.dialect.status[w]; st != "" {
		return st
	}
	if len(w) < 5 || word == strings.ToLower(word) {
		return ""
	}
	for known, st := range s.p.dialect.status {
		if len(known) >= 6 && council.EditDistance(w, known) == 1 {
			return st
		}
	}
	return ""
}

func (s *scan) setStatus(a *Attendee, printed string) {
	st := s.statusOf(printed)
	a.Status = &st
	if !strings.EqualFold(st, printed) && s.p.dialect.status[strings.ToLower(printed)] == "" {
		s.report(council.CodeStatusMisspelt, -1, nil, 0, "attendance status "+printed+" was read as "+st)
	}
}

func (s *scan) addAttendee(a Attendee, at int) {
	if s.people.roster.Len() >= maxPeople {
		return
	}
	if isUnread(a.Name) {
		s.report(council.CodeAttendanceRow, -1, nil, s.lines[at].page, "attendance row of "+a.Name+" holds characters that could not be read; it was left out")
		return
	}
	if a.Name == "" || a.Status == nil {
		who := a.Name
		if who == "" && a.Title != nil {
			who = *a.Title
		}
		if who != "" {
			s.report(council.CodeAttendanceRow, -1, nil, s.lines[at].page, "attendance row of "+who+" lacks its name or status")
		}
		if a.Name == "" {
			return
		}
	}
	s.record.Attendance = append(s.record.Attendance, a)
	s.people.roster.Add(a.Name)
}

// isClock reports whether text is a time of day: "5:31 PM".
func isClock(text string) bool {
	i := strings.IndexByte(text, ':')
	if i < 1 || i > 2 || len(text) < i+6 || !allDigits(text[:i]) || !allDigits(text[i+1:i+3]) {
		return false
	}
	switch strings.ToUpper(strings.TrimSpace(text[i+3:])) {
	case "AM", "PM", "A.M.", "P.M.":
		return true
	}
	return false
}

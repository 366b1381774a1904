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
		if strings.HasPrefix(text, "Attendee Name") || strings.HasPrefix(text, "ATTENDEE NAME") {
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
			text = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(text, "Attendee Name"), "ATTENDEE NAME"))
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
			if _, heading := s.markerAt(j); heading && !d.isPersonShaped(text) {
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
			if inRows || !d.isPersonShaped(text) || strings.HasSuffix(text, ".") || s.statusOf(text[strings.LastIndexByte(text, ' ')+1:]) != "" {
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

// attendanceRows reads a table whose header stands on one line and whose rows
// are lines; a narrow cell goes on in the next line, or begins in the line
// before. It returns the line after the table, 0 when there are no such rows.
func (s *scan) attendanceRows(i int) int {
	header := s.lines[i]
	titleCol := strings.Index(header.text, "Title")
	statusCol := strings.Index(header.text, "Status")
	if titleCol < 0 {
		titleCol = statusCol
	}
	titleCol, statusCol = titleCol+header.indent, statusCol+header.indent
	type fragment struct {
		line  int
		text  string
		title bool
	}
	type anchor struct {
		line int
		Attendee
	}
	var anchors []anchor
	var loose []fragment
	end := 0
	for j := i + 1; j < len(s.lines) && j < i+200; j++ {
		ln := s.lines[j]
		if ln.text == "" {
			continue
		}
		if m, ok := s.markerAt(j); ok && (s.hanging(m) || m.text == "" || m.kind == markRoman && m.also == 0 || s.lines[j-1].text == "") {
			break
		}
		if a, ok := s.attendanceRow(ln.text); ok {
			anchors = append(anchors, anchor{j, a})
			end = j + 1
			continue
		}
		// Cells of a row that is several lines high.
		if s.flat || ln.text == "" || s.lines[j-1].text == "" && !ln.newPage || strings.HasSuffix(ln.text, ".") || strings.HasSuffix(ln.text, ":") {
			break
		}
		ok := true
		var row anchor
		for rest, col := ln.text, ln.indent; rest != ""; {
			cell, more := cutCell(rest)
			switch {
			case s.statusOf(cell) != "" && col > titleCol:
				row.line = j
				s.setStatus(&row.Attendee, cell)
			case isClock(cell):
			case !s.p.dialect.isPersonShaped(cell) && !s.p.dialect.isTitle(cell):
				ok = false
			default:
				loose = append(loose, fragment{j, cell, col > header.indent+3 && col >= titleCol-3})
			}
			col += len(rest) - len(more)
			rest = more
		}
		if !ok {
			for len(loose) > 0 && loose[len(loose)-1].line == j {
				loose = loose[:len(loose)-1]
			}
			break
		}
		if row.line > 0 {
			anchors = append(anchors, row)
		}
		end = j + 1
	}
	if len(anchors) == 0 {
		return 0
	}
	// A fragment belongs to the row that is nearest; between two rows, to the
	// one above unless that is complete and the one below has no name.
	above := make([][]fragment, len(anchors))
	below := make([][]fragment, len(anchors))
	for _, f := range loose {
		k := 0
		for k+1 < len(anchors) && anchors[k+1].line <= f.line {
			k++
		}
		switch {
		case f.line < anchors[k].line:
			above[k] = append(above[k], f)
		case k+1 < len(anchors) && anchors[k+1].Name == "" && !f.title && (anchors[k].Name != "" || anchors[k+1].line-f.line < f.line-anchors[k].line):
			above[k+1] = append(above[k+1], f)
		default:
			below[k] = append(below[k], f)
		}
	}
	for k, a := range anchors {
		var name, title []string
		put := func(f fragment) {
			if f.title {
				title = append(title, f.text)
			} else {
				name = append(name, f.text)
			}
		}
		for _, f := range above[k] {
			put(f)
		}
		if a.Name != "" {
			name = append(name, a.Name)
		}
		if a.Title != nil {
			title = append(title, *a.Title)
		}
		for _, f := range below[k] {
			put(f)
		}
		a.Name = joinNames(name)
		if t := joinLines(title); t != "" {
			a.Title = &t
		}
		s.addAttendee(a.Attendee, a.line)
	}
	return end
}

// attendanceRow reads one printed row: the status is the last word that is no
// time, the title begins at the first word of an office or at a wide gap.
func (s *scan) attendanceRow(text string) (Attendee, bool) {
	d := s.p.dialect
	rest := text
	for {
		i := strings.LastIndexByte(rest, ' ')
		if i < 0 {
			return Attendee{}, false
		}
		if w := rest[i+1:]; w == "AM" || w == "PM" || isClock(w) || isClock(w+" AM") {
			rest = strings.TrimRight(rest[:i], " ")
			continue
		}
		break
	}
	i := strings.LastIndexByte(rest, ' ')
	if i < 0 || s.statusOf(rest[i+1:]) == "" {
		return Attendee{}, false
	}
	var a Attendee
	s.setStatus(&a, rest[i+1:])
	rest = strings.TrimRight(rest[:i], " ")
	name, title := d.cutTitle(rest)
	a.Name = fold(name)
	if l := strings.ToLower(rest); strings.Contains(l, "staff") || strings.HasPrefix(l, "other") || strings.HasPrefix(l, "also") {
		return Attendee{}, false // who else was in the room
	}
	if title = fold(title); title != "" {
		a.Title = &title
	}
	if !d.isPersonShaped(a.Name) {
		return Attendee{}, false
	}
	return a, true
}

// cutTitle parts a name from the office behind it: at the first wide gap before
// a word of an office, else before the first such word, else at the widest gap.
func (d *dialect) cutTitle(text string) (name, title string) {
	widest, at := 1, -1
	for i := 0; i < len(text); i++ {
		n := 0
		for i+n < len(text) && text[i+n] == ' ' {
			n++
		}
		if n < 2 {
			continue
		}
		word, _, _ := strings.Cut(text[i+n:], " ")
		if d.isTitleWord(word) {
			return text[:i], text[i+n:]
		}
		if n > widest {
			widest, at = n, i
		}
		i += n
	}
	words := strings.Fields(text)
	for n := 2; n < len(words); n++ {
		if d.isTitleWord(words[n]) {
			return strings.Join(words[:n], " "), strings.Join(words[n:], " ")
		}
	}
	if at >= 0 {
		return text[:at], strings.TrimLeft(text[at:], " ")
	}
	return text, ""
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

// rollCall reads "Present:" and "Absent:" lists of names with titles, one a
// line, that begin at line i; 0 when it is no such list. A label that stands
// beside the middle of its names takes the whole paragraph.
func (s *scan) rollCall(i int) int {
	d := s.p.dialect
	type entry struct {
		text   string
		status string
	}
	var entries []entry
	status, paragraph := "", 0
	end := i
	for j := i; j < len(s.lines) && j-i < 60; j++ {
		text := s.lines[j].text
		if text == "" {
			paragraph = len(entries)
			continue
		}
		if kind, value, ok := d.label(text, true); ok {
			switch kind {
			case rowPresent:
				status = "Present"
			case rowAbsent:
				status = "Absent"
			case rowAway:
				status = "Excused"
			default:
				status = "" // Staff Present, Others Present
			}
			if status == "" {
				break
			}
			// Names above the label in its own paragraph are its names.
			if paragraph > 0 || len(entries) > 0 && kind != rowPresent && value == "" {
				for k := paragraph; k < len(entries); k++ {
					entries[k].status = status
				}
			}
			end = j + 1
			if !isNobody(value) {
				for _, piece := range strings.Split(value, ",") {
					if piece = strings.TrimSpace(piece); piece != "" {
						entries = append(entries, entry{piece, status})
					}
				}
			}
			continue
		}
		if m, heading := s.markerAt(j); heading && (!d.isPersonShaped(text) || m.col > len(m.label)+1 || s.lines[j-1].text == "") {
			break
		}
		name, mark := cutRemark(strings.TrimSuffix(text, ","))
		if len(entries) > 1 && d.stripTitle(entries[0].text) != entries[0].text && d.stripTitle(name) == name && s.lines[j].indent <= s.lines[i].indent {
			break // everybody has an office, this has none
		}
		if status == "" || !d.isPersonShaped(name) || len(strings.Fields(name)) < 2 {
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
	for _, e := range entries {
		name, mark := cutRemark(e.text)
		if strings.Contains(strings.ToUpper(mark), "REMOTE") && e.status == "Present" {
			e.status = "Remote"
		}
		full := d.stripTitle(name)
		if isNobody(full) || len(strings.Fields(full)) < 1 {
			continue
		}
		a := Attendee{Name: full}
		if t := strings.TrimSpace(strings.TrimSuffix(name, full)); t != "" {
			a.Title = &t
		}
		st := e.status
		a.Status = &st
		s.addAttendee(a, i)
	}
	return end
}

// cutRemark parts a name from the time or place printed after it: "Burhan
// Azeem – 5:32 PM", "Denise Simmons-REMOTE".
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

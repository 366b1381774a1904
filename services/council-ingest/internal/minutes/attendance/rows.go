package attendance

import (
	"slices"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// attendanceRows reads a table whose header stands on one line and whose rows are lines; a narrow cell goes on in the next line, or begins
// in the line before. It returns the line after the table, 0 when there are no such rows.
func (s *reader) attendanceRows(i int) int {
	header := s.Rows[i]
	titleCol := strings.Index(header.Text, "Title")
	if titleCol < 0 {
		titleCol = strings.Index(header.Text, "Status")
	}
	titleCol += header.Indent
	type fragment struct {
		line  int
		Text  string
		title bool
	}
	type anchor struct {
		line int
		record.Attendee
	}
	var anchors []anchor
	var loose []fragment
	end := 0
	for j := i + 1; j < len(s.Rows) && j < i+200; j++ {
		ln := s.Rows[j]
		if ln.Text == "" || j == i+1 && strings.EqualFold(ln.Text, "name") {
			continue
		}
		// A heading; but "J. Roe" can be a member.
		if m, ok := s.MarkerAt(j); ok && !s.isInitialRow(ln.Text, m) && (s.Hanging(m) || m.Text == "" || len(m.Label) != 2 || !shape.IsUpper(m.Label[0]) || s.Rows[j-1].Text == "") {
			break
		}
		if a, ok := s.attendanceRow(ln.Text); ok {
			anchors = append(anchors, anchor{j, a})
			end = j + 1
			continue
		}
		// Cells of a row that is several lines high.
		if s.Flat || ln.Text == "" || s.Rows[j-1].Text == "" && !ln.NewPage || shape.EndsSentence(ln.Text) || strings.HasSuffix(ln.Text, ":") || s.Dialect.EndsAttendance(ln.Text) {
			break
		}
		ok := true
		var row anchor
		for rest, col := ln.Text, ln.Indent; rest != ""; {
			cell, more := shape.CutCell(rest)
			switch {
			case s.isStatus(cell) && col > titleCol:
				row.line = j
				s.setStatus(&row.Attendee, cell)
			case shape.IsClock(cell):
			case !s.Dialect.IsPersonShaped(cell) && !s.Dialect.IsTitle(cell):
				ok = false
			default:
				loose = append(loose, fragment{j, cell, col > header.Indent+3 && col >= titleCol-3})
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
	// endsOffices reports whether the offices of most rows end with this word on a line of their own, as in a narrow column.
	endsOffices := func(office string) bool {
		all, whole := 0, 0
		for n, f := range loose {
			if f.title && f.Text == office {
				all++
				if n > 0 && loose[n-1].line == f.line && strings.Contains(loose[n-1].Text, " ") {
					whole++
				}
			}
		}
		return all > 2 && whole*2 < all
	}
	// A whole name and a whole office on a line without status are a row of their own, unless statuses stand centred between the lines of
	// their rows.
	if !slices.ContainsFunc(anchors, func(a anchor) bool { return a.Name == "" }) {
		for n := 0; n+1 < len(loose); n++ {
			name, title := loose[n], loose[n+1]
			if name.line == title.line && !name.title && title.title && strings.Contains(name.Text, " ") && s.Dialect.IsTitle(title.Text) &&
				!strings.HasSuffix(title.Text, ",") && !strings.HasSuffix(title.Text, "&") && !endsOffices(title.Text) {
				anchors = append(anchors, anchor{name.line, record.Attendee{Name: name.Text, Title: &title.Text}})
				loose = slices.Delete(loose, n, n+2)
				n--
			}
		}
		slices.SortFunc(anchors, func(a, b anchor) int { return a.line - b.line })
	}
	attendees := make([]*record.Attendee, len(anchors))
	for k := range anchors {
		attendees[k] = &anchors[k].Attendee
	}
	cutCommonOffice(attendees)
	// A fragment belongs to the row that is nearest; between two rows, to the one above unless that is complete and the one below has no
	// name.
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
				title = append(title, f.Text)
			} else {
				name = append(name, f.Text)
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
		a.Name = shape.JoinNames(name)
		if t := shape.JoinNames(title); t != "" {
			a.Title = &t
		}
		s.addAttendee(a.Attendee, a.line)
	}
	return end
}

// isInitialRow reports whether a line that begins like a heading is a row of the table: "E. Roe", an office and a status in columns.
func (s *reader) isInitialRow(text string, m shape.Marker) bool {
	if len(m.Label) != 2 || !shape.IsUpper(m.Label[0]) || s.Hanging(m) || !strings.Contains(text, "  ") {
		return false
	}
	a, ok := s.attendanceRow(text)
	return ok && a.Title != nil && s.Dialect.IsTitle(*a.Title)
}

// cutCommonOffice takes an office that no table knows off the names: the last word of several rows, each of which leaves a full name.
func cutCommonOffice(rows []*record.Attendee) {
	count := map[string]int{}
	office := func(a *record.Attendee) string {
		if a.Title != nil || strings.Count(a.Name, " ") < 2 || shape.IsNameSuffix(shape.LastWord(a.Name)) {
			return ""
		}
		return shape.LastWord(a.Name)
	}
	for _, a := range rows {
		count[office(a)]++
	}
	for _, a := range rows {
		if word := office(a); word != "" && count[word] >= 2 && count[word]*2 >= len(rows) {
			a.Name = strings.TrimSpace(strings.TrimSuffix(a.Name, word))
			a.Title = &word
		}
	}
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
	if title = shape.Fold(title); title != "" {
		a.Title = &title
	}
	if !d.IsPersonShaped(a.Name) {
		return record.Attendee{}, false
	}
	return a, true
}

package attendance

import (
	"regexp"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// tableRows reads the table with its header on line i, whose rows are lines; a narrow cell goes on in the next line. It returns the line
// after the table, 0 if there are no such rows.
func (s *reader) tableRows(i int) (end int) {
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
		if ok && !(marked && len(m.Label) > 2) { // "J. Roe" can be a member
			rows, lines = append(rows, a), append(lines, j)
		} else if len(rows) == 0 || !s.carriesOn(&rows[len(rows)-1], j, titleCol) {
			break
		}
		end = j + 1
	}
	for k, a := range rows {
		s.add(a, lines[k])
	}
	return end
}

// times are what stands behind the status.
var times = regexp.MustCompile(`(?: +\d{1,2}:\d\d(?: *[AP]M)?)+$`)

// tableRow reads one printed row: the status is the last word that is no time, the title begins at the first word of an office or at a wide
// gap. A row without its status has a whole name, and an office behind a gap.
func (s *reader) tableRow(text string) (a record.Attendee, ok bool) {
	rest := times.ReplaceAllString(text, "")
	i := strings.LastIndexByte(rest, ' ')
	if i < 0 || !s.isStatus(rest[i+1:]) {
		name, title := shape.CutCell(text)
		ok := strings.Contains(name, " ") && s.IsPersonShaped(name) && title != "" && s.IsTitle(title)
		return record.Attendee{Name: name, Title: &title}, ok
	}
	s.setStatus(&a, rest[i+1:])
	name, title := s.CutTitle(strings.TrimRight(rest[:i], " "))
	a.Name, a.Title = shape.Fold(name), council.Some(shape.Fold(title))
	others := shape.HasAnyPrefix(strings.ToLower(name), "staff", "other", "also") // in the room
	return a, !others && s.IsPersonShaped(a.Name)
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

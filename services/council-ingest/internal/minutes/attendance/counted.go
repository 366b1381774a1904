package attendance

import (
	"fmt"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/minutes/rows"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// countedRoll reads a roll call in rows that count their names, "Present: 8 - Council Member Doe, …", which begins at line i, and returns
// the line after it; 0 when there is none. Members called by their last names get their full names from the cover.
func (s *reader) countedRoll(i int) int {
	text := s.Rows[i].Text
	if text == "" {
		return 0
	}
	label, _, _ := strings.Cut(text, ":")
	label, _, _ = strings.Cut(label, "  ")
	if kind, known := s.RowOf(strings.TrimRight(label, " 0123456789-–")); !known || kind != dialect.Present {
		return 0
	}
	roll, end := s.Roll(i)
	if len(roll) == 0 || roll[0].Kind != dialect.Present || roll[0].Count < 2 {
		return 0
	}
	cover := s.NamesAbove(i)
	for _, row := range roll {
		var status string
		switch row.Kind {
		case dialect.Present:
			status = "Present"
		case dialect.Absent:
			status = "Absent"
		case dialect.Away:
			status = "Excused"
		case dialect.Remote:
			status = "Remote"
		default:
			continue
		}
		named := 0
		for _, printed := range membersIn(row.Names) {
			named += s.addCounted(printed, status, cover, row)
		}
		if named != row.Count && row.Count >= 0 {
			s.Report(council.CodeAttendanceRow, -1, nil, s.Rows[row.Line].Page, fmt.Sprintf("the row %s says that it has %s, and names %d", row.Label, council.Count(row.Count, "name"), named))
		}
	}
	for _, name := range cover {
		s.People.Learn(name)
	}
	return end
}

// memberLabel is the status of the members behind or below a label such as "Commission Members Present:"; ok is false for every other text.
func memberLabel(text string) (status, value string, ok bool) {
	label, value, found := strings.Cut(text, ":")
	l := strings.ToLower(strings.TrimSpace(label))
	if !found || len(l) > 40 || !strings.Contains(l, "member") && !strings.HasPrefix(l, "commissioners") || shape.ContainsAny(l, "staff", "non", "other") {
		return "", "", false
	}
	switch {
	case strings.HasSuffix(l, "present"):
		status = "Present"
	case strings.HasSuffix(l, "absent"):
		status = "Absent"
	case strings.HasSuffix(l, "excused"):
		status = "Excused"
	}
	return status, strings.TrimSpace(value), status != ""
}

// membersListed reads such lists, a member a line or all behind the label, from line i on, in a document that states its votes in sentences,
// and returns the line after them; 0 when there is none.
func (s *reader) membersListed(i int) int {
	status, _, ok := memberLabel(s.Rows[i].Text)
	if !s.Stating || !ok || status != "Present" {
		return 0
	}
	end, row := 0, rows.RollRow{Line: i}
	for j, gap := i, 0; j < len(s.Rows) && j < i+60 && gap < 3; j++ {
		text := s.Rows[j].Text
		if text == "" {
			gap++
			continue
		}
		gap = 0
		if next, value, is := memberLabel(text); is {
			status, end = next, j+1
			for _, printed := range membersIn(value) {
				s.addCounted(printed, status, nil, row)
			}
			continue
		}
		name, office, found := strings.Cut(text, ",")
		if found && !s.IsTitle(office) && !shape.IsNameSuffix(strings.TrimSpace(office)) || !s.IsPersonShaped(name) || len(strings.Fields(name)) < 2 || strings.Contains(text, ":") {
			break
		}
		a := record.Attendee{Name: s.StripTitle(strings.TrimSpace(name)), Status: record.Text(status)}
		office = strings.TrimSpace(office)
		if shape.IsNameSuffix(office) {
			a.Name += ", " + office
		} else if found {
			a.Title = &office
		}
		s.addAttendee(a, j)
		end = j + 1
	}
	return end
}

// membersIn parts the names of a row, each with its office; what stands in brackets behind a name goes, and a suffix stays with it.
func membersIn(list string) []string {
	var out []string
	for piece := range strings.SplitSeq(strings.ReplaceAll(list, " and ", ", "), ",") {
		name, _, _ := strings.Cut(piece, "(")
		name = strings.TrimSpace(name)
		if n := len(out); n > 0 && shape.IsNameSuffix(name) {
			out[n-1] += ", " + name
		} else {
			out = append(out, name)
		}
	}
	return out
}

// addCounted adds one name of a counted row, with the office before it, and returns how many members it was.
func (s *reader) addCounted(printed, status string, cover []string, row rows.RollRow) int {
	if printed == "" {
		return 0
	}
	names := s.SplitNames(printed)
	if len(names) == 0 {
		return 0
	}
	full := names[0].Text
	a := record.Attendee{Name: rows.FullName(full, cover), Status: &status}
	if office := strings.TrimSpace(strings.TrimSuffix(printed, full)); office != "" && office != printed {
		a.Title = &office
	}
	s.addAttendee(a, row.Line)
	return 1
}

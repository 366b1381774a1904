package agenda

import (
	"fmt"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lex"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

const maxRollCall = 60

var statusOf = map[dialect.Label]string{
	dialect.Present: "Present", dialect.Absent: "Absent", dialect.Away: "Excused", dialect.Remote: "Remote",
}

type entry struct{ text, status string }

// rollCall reads lists "Present:" and "Absent:" with one name on each line, from line i. It returns
// the line after them, or 0 if there are none. A label next to the middle of a paragraph applies to
// all names of the paragraph.
func (s *Reader) rollCall(i int) int {
	var entries []entry
	status, paragraph, end := "", 0, i
	for j := i; j < min(len(s.Rows), i+maxRollCall); j++ {
		text := s.Rows[j].Text
		if text == "" {
			paragraph = len(entries)
			continue
		}
		if row, value, ok := s.Label(j); ok {
			status = statusOf[row]
			if status == "" || row == dialect.Remote {
				break // as in "Staff Present" and "Others Present"
			}
			if paragraph > 0 || row != dialect.Present && value == "" {
				for k := range entries[paragraph:] {
					entries[paragraph+k].status = status
				}
			}
			for piece := range strings.SplitSeq(value, ",") {
				if piece = strings.TrimSpace(piece); piece != "" {
					entries = append(entries, entry{piece, status})
				}
			}
		} else if s.isEntry(entries, j) {
			entries = append(entries, entry{strings.TrimSuffix(text, ","), status})
		} else {
			break
		}
		end = j + 1
	}
	if len(entries) < 3 {
		return 0
	}
	for _, e := range entries {
		name, remark := cutRemark(e.text)
		if strings.Contains(strings.ToUpper(remark), "REMOTE") && e.status == "Present" {
			e.status = "Remote"
		}
		full := s.StripTitle(name)
		if !lex.IsNobody(full) {
			title := strings.TrimSpace(strings.TrimSuffix(name, full))
			s.addAttendee(record.Attendee{Name: full, Title: council.Some(title), Status: &e.status}, i)
		}
	}
	return end
}

func (s *Reader) isEntry(above []entry, j int) bool {
	text := s.Rows[j].Text
	name, _ := cutRemark(strings.TrimSuffix(text, ","))
	if len(above) > 1 && s.StripTitle(above[0].text) != above[0].text && s.StripTitle(name) == name {
		return false // all other entries have an office
	}
	m, marked := s.MarkerAt(j)
	heading := marked && (m.Col > len(m.Label)+1 || s.Rows[j-1].Text == "")
	return !heading && s.IsPersonShaped(name) && strings.Contains(name, " ")
}

// cutRemark separates a name from the time or place after it: "Teodor Vance – 5:32 PM", "Suki
// Arano-REMOTE".
func cutRemark(text string) (name, remark string) {
	for i, r := range text {
		if i == 0 || !strings.ContainsRune("-–—(", r) {
			continue
		}
		rest := strings.TrimLeft(text[i+len(string(r)):], " ")
		upper := strings.ToUpper(rest)
		if rest == "" || lex.LeadingDigits(rest, 1) > 0 || lex.HasAnyPrefix(upper, "REMOTE", "IN PERSON", "ARRIVED",
			"LEFT", "VIA ") {
			return strings.TrimSpace(text[:i]), rest
		}
	}
	return text, ""
}

// countedRoll reads rows that count their names, such as "Present: 8 - Council Member Doe, …", from
// line i. It returns the line after them, or 0 if there are none. The full names are on the cover.
func (s *Reader) countedRoll(i int) int {
	label, _, _ := strings.Cut(s.Rows[i].Text, ":")
	label, _, _ = strings.Cut(label, "  ")
	if row, _ := s.RowOf(strings.TrimRight(label, " 0123456789-–")); row != dialect.Present {
		return 0
	}
	roll, end := s.Roll(i)
	if len(roll) == 0 || roll[0].Count < 2 {
		return 0
	}
	cover := s.NamesAbove(i)
	for _, row := range roll {
		status := statusOf[row.Kind]
		if status == "" {
			continue
		}
		named := s.addAttendees(row.Names, status, cover, row.Line)
		if named != row.Count && row.Count >= 0 {
			s.Report(council.CodeAttendanceRow, -1, nil, s.Rows[row.Line].Page,
				fmt.Sprintf("the row %s says that it has %s, and names %d", row.Label, council.Count(row.Count, "name"), named))
		}
	}
	for _, name := range cover {
		s.People.Learn(name)
	}
	return end
}

// memberLabel returns the status in a label such as "Commission Members Present:", or "" for any
// other text.
func memberLabel(text string) (status, value string) {
	label, value, found := strings.Cut(text, ":")
	l := strings.ToLower(strings.TrimSpace(label))
	if !found || !strings.Contains(l, "member") && !strings.HasPrefix(l, "commissioners") ||
		lex.ContainsAny(l, "staff", "non", "other") {
		return "", ""
	}
	for _, status := range []string{"Present", "Absent", "Excused"} {
		if strings.HasSuffix(l, strings.ToLower(status)) {
			return status, strings.TrimSpace(value)
		}
	}
	return "", ""
}

// membersListed reads lists of members from line i, in a document that states votes in sentences.
// It returns the line after the lists, or 0 if there are none.
func (s *Reader) membersListed(i int) (end int) {
	status, _ := memberLabel(s.Rows[i].Text)
	if !s.Stating || status != "Present" {
		return 0
	}
	for j := i; j < min(len(s.Rows), i+maxRollCall); j++ {
		text := s.Rows[j].Text
		if text == "" {
			continue
		}
		if next, value := memberLabel(text); next != "" {
			status, end = next, j+1
			s.addAttendees(value, status, nil, i)
			continue
		}
		name, office, found := strings.Cut(text, ",")
		office = strings.TrimSpace(office)
		suffix := lex.IsNameSuffix(office)
		if found && !s.IsTitle(office) && !suffix || !s.IsPersonShaped(name) || !strings.Contains(name, " ") {
			break
		}
		a := record.Attendee{Name: s.StripTitle(strings.TrimSpace(name)), Status: council.Some(status)}
		if suffix {
			a.Name += ", " + office
		} else {
			a.Title = council.Some(office)
		}
		s.addAttendee(a, j)
		end = j + 1
	}
	return end
}

// addAttendees adds and counts the names in a row at line at. Each name may follow an office. It
// drops text in parentheses and keeps suffixes.
func (s *Reader) addAttendees(list, status string, cover []string, at int) (named int) {
	var pieces []string
	for piece := range strings.SplitSeq(strings.ReplaceAll(list, " and ", ", "), ",") {
		name, _, _ := strings.Cut(piece, "(")
		name = strings.TrimSpace(name)
		if n := len(pieces); n > 0 && lex.IsNameSuffix(name) {
			pieces[n-1] += ", " + name
		} else {
			pieces = append(pieces, name)
		}
	}
	for _, printed := range pieces {
		for _, n := range s.SplitNames(printed) {
			office := strings.TrimSpace(strings.TrimSuffix(printed, n.Text))
			s.addAttendee(record.Attendee{Name: fullName(n.Text, cover), Title: council.Some(office), Status: &status}, at)
			named++
			break
		}
	}
	return named
}

// fullName returns the full name with the printed last name. If there is none or several, it
// returns the printed name.
func fullName(printed string, names []string) string {
	found := printed
	for _, name := range names {
		if strings.Contains(printed, " ") || council.FoldName(council.LastName(name)) != council.FoldName(printed) ||
			found == name {
			continue
		}
		if found != printed {
			return printed
		}
		found = name
	}
	return found
}

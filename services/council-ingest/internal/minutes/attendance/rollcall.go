package attendance

import (
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// rollCall reads "Present:" and "Absent:" lists of names with titles, one a
// line, that begin at line i; 0 when it is no such list. A label that stands
// beside the middle of its names takes the whole paragraph.
func (s *reader) rollCall(i int) int {
	d := s.Dialect
	type entry struct {
		Text   string
		status string
	}
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
			switch kind {
			case dialect.Present:
				status = "Present"
			case dialect.Absent:
				status = "Absent"
			case dialect.Away:
				status = "Excused"
			default:
				status = "" // Staff Present, Others Present
			}
			if status == "" {
				break
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
					if piece = strings.TrimSpace(piece); piece != "" {
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
		if len(entries) > 1 && d.StripTitle(entries[0].Text) != entries[0].Text && d.StripTitle(name) == name && s.Rows[j].Indent <= s.Rows[i].Indent {
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
	for _, e := range entries {
		name, mark := cutRemark(e.Text)
		if strings.Contains(strings.ToUpper(mark), "REMOTE") && e.status == "Present" {
			e.status = "Remote"
		}
		full := d.StripTitle(name)
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
	return end
}

// cutRemark parts a name from the time or place printed after it: "Teodor
// Vance – 5:32 PM", "Suki Arano-REMOTE".
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

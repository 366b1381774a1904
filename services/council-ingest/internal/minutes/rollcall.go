package minutes

import "strings"

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

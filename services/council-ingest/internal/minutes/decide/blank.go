package decide

import "github.com/townline/townline/services/council-ingest/internal/minutes/rows"

// blanked returns the lines without those of the attendance list, which ends at the first line that
// speaks of a motion.
func blanked(lines []rows.Line, skip [2]int) []rows.Line {
	if skip[1] <= skip[0] {
		return lines
	}
	out := append([]rows.Line(nil), lines...)
	for i := skip[0]; i < skip[1] && i < len(out); i++ {
		if f, _ := foldText(out[i].Text); endsAttendance.MatchString(f) {
			break
		}
		out[i].Text = ""
	}
	return out
}

// endsAttendance matches a line that is no longer a list of those present.
var endsAttendance = compile(`\b(?:motion (?:by|was|to|made|carried|passed|failed)|moved|motioned|seconded|supported by|carried|` +
	`(?:il est |est )?propose par|appuye par|adoptee? a|approuvee? a|se aprueba|aprobad[oa]|por unanimidad)\b`)

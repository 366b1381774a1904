package merge

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

// What a document can make of a meeting at most. Names go into unique indexes, whose rows are short, and everything goes into
// answers; what is longer than any real text is cut, and what is longer than any name is none.
const (
	maxName       = 120    // characters of a person's name
	maxRoll       = 300    // names of one vote
	maxAttendance = 1_000  // rows
	maxTitle      = 4_000  // characters of a title or heading
	maxLabel      = 500    // of a number, a status, a result as printed
	maxMotion     = 20_000 // of a motion
	maxMessage    = 2_000  // of an anomaly
	maxTally      = 9_999  // votes of one kind
)

// isName reports whether a text can be a person's name.
func isName(s string) bool {
	return len(s) <= 4*maxName && utf8.RuneCountInString(s) <= maxName && council.FoldName(s) != ""
}

// bound makes the state such as the tables can hold it. A mover or seconder that is no name is left out, and so is a whole
// roll with such a name in it: who stands in the rest of it is not certain then. Each is an anomaly.
func (s *State) bound() {
	var notes []record.Anomaly
	for i := range s.Items {
		it := &s.Items[i]
		note := func(v *record.Vote, code council.AnomalyCode, format string, args ...any) {
			a := record.Anomaly{Item: i, Kind: council.KindOf(code), Code: code, Message: fmt.Sprintf(format, args...), Page: it.Page}
			if v != nil {
				a.MotionSeq, a.Page = &v.MotionSeq, v.Page
			}
			notes = append(notes, a)
		}
		title := council.Storable(it.Title)
		it.Title = council.Clip(title, maxTitle)
		if it.Title != title {
			note(nil, council.CodeTextCut, "the title of %d characters was cut to %d", utf8.RuneCountInString(title), maxTitle)
		}
		it.ItemNumber, it.FileNumber, it.Section = council.Fit(it.ItemNumber, maxLabel), council.Fit(it.FileNumber, maxLabel), council.Fit(it.Section, maxTitle)
		for j := range it.Votes {
			boundVote(&it.Votes[j], note)
		}
	}
	if n := len(s.Attendance); n > maxAttendance {
		s.Attendance = s.Attendance[:maxAttendance]
		notes = append(notes, Note(council.CodeAttendanceRow, fmt.Sprintf("the attendance has %d rows; the first %d were read", n, maxAttendance)))
	}
	s.Attendance = slices.DeleteFunc(slices.Clone(s.Attendance), func(a record.Attendee) bool {
		if isName(a.Name) {
			return false
		}
		notes = append(notes, Note(council.CodeAttendanceRow, fmt.Sprintf("a row of the attendance begins with %d characters, which are no name: %s", utf8.RuneCountInString(a.Name), council.Clip(a.Name, 60))))
		return true
	})
	for i := range s.Attendance {
		a := &s.Attendance[i]
		a.Name, a.Title, a.Status = council.Storable(a.Name), council.Fit(a.Title, maxLabel), council.Fit(a.Status, maxLabel)
	}
	s.Anomalies = append(s.Anomalies, notes...)
	for i := range s.Anomalies {
		s.Anomalies[i].Message = council.Clip(council.Storable(s.Anomalies[i].Message), maxMessage)
	}
}

func boundVote(v *record.Vote, note func(*record.Vote, council.AnomalyCode, string, ...any)) {
	motion := council.Storable(v.MotionText)
	v.MotionText = council.Clip(motion, maxMotion)
	if v.MotionText != motion {
		note(v, council.CodeTextCut, "the text of the motion, %d characters, was cut to %d", utf8.RuneCountInString(motion), maxMotion)
	}
	v.ResultRaw = council.Clip(council.Storable(v.ResultRaw), maxLabel)
	for _, row := range []struct {
		label string
		who   **string
	}{{"MOVER", &v.Mover}, {"SECONDER", &v.Seconder}} {
		if name := *row.who; name != nil && !isName(*name) {
			note(v, council.CodeLayoutUnclear, "the %s row has %d characters, which are no name: %s", row.label, utf8.RuneCountInString(*name), council.Clip(*name, 60))
			*row.who = nil
		} else {
			*row.who = council.Fit(name, maxName)
		}
	}
	named := 0
	for _, list := range listsOf(&v.Positions) {
		named += len(*list)
		for k, name := range *list {
			if !isName(name) {
				note(v, council.CodeLayoutUnclear, "the roll names %d characters, which are no name; it was left out as a whole: %s", utf8.RuneCountInString(name), council.Clip(name, 60))
				v.Positions = record.Positions{}
				named = 0
				break
			}
			(*list)[k] = council.Storable(name)
		}
	}
	if named > maxRoll {
		note(v, council.CodeLayoutUnclear, "the roll has %d names; no council has more than %d, so it was left out as a whole", named, maxRoll)
		v.Positions = record.Positions{}
	}
	if v.AyesCount < 0 || v.AyesCount > maxTally || v.NaysCount < 0 || v.NaysCount > maxTally {
		note(v, council.CodeTallyUnreadable, "the tally counts %d and %d votes, which is impossible; it was left out", v.AyesCount, v.NaysCount)
		v.AyesCount, v.NaysCount = len(v.Positions.Aye), len(v.Positions.Nay)
	}
}

package merge

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

// These are further limits for documents. A longer text is cut. A longer name is not accepted as a
// name.
const (
	maxName       = 120   // characters of a person's name
	maxAttendance = 1_000 // rows of an attendance list
	maxMessage    = 2_000 // characters of an anomaly
)

func isName(s string) bool {
	return len(s) <= 4*maxName && utf8.RuneCountInString(s) <= maxName && council.FoldName(s) != ""
}

// bound makes the state fit the tables. It omits invalid names of movers and seconders. If a roll
// has an invalid name, it omits the whole roll, because the rest is uncertain. It adds an anomaly
// for each omission.
func (s *State) bound() {
	for i := range s.Items {
		it := &s.Items[i]
		title := council.Storable(it.Title)
		it.Title = council.Clip(title, council.MaxTitle)
		if it.Title != title {
			a := s.Note(council.CodeTextCut, fmt.Sprintf("the title of %d characters was cut to %d",
				utf8.RuneCountInString(title), council.MaxTitle))
			a.Item, a.Page = i, it.Page
		}
		it.ItemNumber = council.Fit(it.ItemNumber, council.MaxLabel)
		it.FileNumber = council.Fit(it.FileNumber, council.MaxLabel)
		it.Section = council.Fit(it.Section, council.MaxTitle)
		for j := range it.Votes {
			v := &it.Votes[j]
			boundVote(v, func(code council.AnomalyCode, format string, args ...any) {
				a := s.Note(code, fmt.Sprintf(format, args...))
				a.Item = i
				a.MotionSeq = &v.MotionSeq
				a.Page = v.Page
			})
		}
	}
	if n := len(s.Attendance); n > maxAttendance {
		s.Attendance = s.Attendance[:maxAttendance]
		s.Note(council.CodeAttendanceRow, fmt.Sprintf("the attendance has %d rows; the first %d were read", n, maxAttendance))
	}
	var attendance []record.Attendee
	for _, a := range s.Attendance {
		if !isName(a.Name) {
			s.Note(council.CodeAttendanceRow, fmt.Sprintf("a row of the attendance begins with %s", describeText(a.Name)))
			continue
		}
		attendance = append(attendance, record.Attendee{Name: council.Storable(a.Name),
			Title: council.Fit(a.Title, council.MaxLabel), Status: council.Fit(a.Status, council.MaxLabel)})
	}
	s.Attendance = attendance
	for i := range s.Anomalies {
		s.Anomalies[i].Message = council.Clip(council.Storable(s.Anomalies[i].Message), maxMessage)
	}
}

func describeText(text string) string {
	return fmt.Sprintf("%d characters, which are no name: %s", utf8.RuneCountInString(text), council.Clip(text, 60))
}

func boundVote(v *record.Vote, report func(code council.AnomalyCode, format string, args ...any)) {
	motion := council.Storable(v.MotionText)
	v.MotionText = council.Clip(motion, council.MaxMotion)
	if v.MotionText != motion {
		report(council.CodeTextCut, "the text of the motion, %d characters, was cut to %d", utf8.RuneCountInString(motion),
			council.MaxMotion)
	}
	v.ResultRaw = council.Clip(council.Storable(v.ResultRaw), council.MaxLabel)
	for i, who := range []**string{&v.Mover, &v.Seconder} {
		if name := *who; name != nil && !isName(*name) {
			report(council.CodeLayoutUnclear, "the %s row has %s", []string{"MOVER", "SECONDER"}[i], describeText(*name))
			*who = nil
		}
		*who = council.Fit(*who, maxName)
	}
	at := slices.IndexFunc(v.Roll, func(e council.RollEntry) bool { return !isName(e.Member) })
	if at >= 0 {
		report(council.CodeLayoutUnclear, "the roll names %d characters, which are no name; it was left out as a whole: %s",
			utf8.RuneCountInString(v.Roll[at].Member), council.Clip(v.Roll[at].Member, 60))
		v.Roll = nil
	} else if len(v.Roll) > council.MaxRoll {
		report(council.CodeLayoutUnclear, "the roll has %d names; no council has more than %d, so it was left out as a whole",
			len(v.Roll), council.MaxRoll)
		v.Roll = nil
	}
	for k := range v.Roll {
		v.Roll[k].Member = council.Storable(v.Roll[k].Member)
	}
	if min(v.AyesCount, v.NaysCount) < 0 || max(v.AyesCount, v.NaysCount) > council.MaxTally {
		report(council.CodeTallyUnreadable, "the tally counts %d and %d votes, which is impossible; it was left out",
			v.AyesCount, v.NaysCount)
		v.AyesCount, v.NaysCount = v.Roll.Count(council.Aye), v.Roll.Count(council.Nay)
	}
}

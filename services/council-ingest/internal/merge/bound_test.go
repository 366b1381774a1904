package merge

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

// Invalid names are omitted and longer texts are cut. Each has an anomaly.
func TestBoundLimitsTextsAndNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Überlang ", 500)
	vote := func(change func(*record.Vote)) record.Vote {
		mover := "Ann Archer"
		v := record.Vote{MotionSeq: 1, AyesCount: 2, Mover: &mover,
			Roll: council.NewRoll([]string{"Ann Archer", "Ben Baker"})}
		change(&v)
		return v
	}
	crowd := make([]string, council.MaxRoll+1)
	for i := range crowd {
		crowd[i] = fmt.Sprint("Member ", i)
	}
	for name, test := range map[string]struct {
		change func(*record.Vote)
		code   council.AnomalyCode
		want   string // mover, number of named ayes, number of counted ayes
	}{
		"all is well": {func(*record.Vote) {}, "", "Ann Archer 2 2"},
		"mover":       {func(v *record.Vote) { v.Mover = &long }, council.CodeLayoutUnclear, " 2 2"},
		"roll": {func(v *record.Vote) {
			v.Roll[1].Member = long
		}, council.CodeLayoutUnclear, "Ann Archer 0 2"},
		"no name": {func(v *record.Vote) {
			v.Roll[1].Member = "-"
		}, council.CodeLayoutUnclear, "Ann Archer 0 2"},
		"a crowd": {func(v *record.Vote) {
			v.Roll = council.NewRoll(crowd)
		}, council.CodeLayoutUnclear, "Ann Archer 0 2"},
		"tally": {func(v *record.Vote) {
			v.AyesCount = 1 << 40
		}, council.CodeTallyUnreadable, "Ann Archer 2 2"},
		"motion": {func(v *record.Vote) {
			v.MotionText = strings.Repeat(long, 10)
		}, council.CodeTextCut, "Ann Archer 2 2"},
		"result that is no text": {func(v *record.Vote) { v.ResultRaw = "ADOPTED\x00\xff" }, "", "Ann Archer 2 2"},
	} {
		s := Compose(nil, &record.Record{Items: []record.Item{{Title: "T", Votes: []record.Vote{vote(test.change)}}}}, nil)
		v := s.Items[0].Votes[0]
		if got := fmt.Sprintf("%s %d %d", council.Text(v.Mover), v.Roll.Count(council.Aye), v.AyesCount); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
		if test.code == "" && len(s.Anomalies) != 0 || test.code != "" &&
			(len(s.Anomalies) != 1 || s.Anomalies[0].Code != test.code || *s.Anomalies[0].MotionSeq != 1) {
			t.Errorf("%s: anomalies %+v", name, s.Anomalies)
		}
		if !utf8.ValidString(v.ResultRaw) || strings.Contains(v.ResultRaw, "\x00") ||
			utf8.RuneCountInString(v.MotionText) > council.MaxMotion {
			t.Errorf("%s: the result is %q, and the motion has %d bytes", name, v.ResultRaw, len(v.MotionText))
		}
	}
	s := Compose(nil, &record.Record{Items: []record.Item{{Title: long}},
		Attendance: []record.Attendee{{Name: "Ann Archer"}, {Name: long}}}, nil)
	if len(s.Attendance) != 1 || len(s.Anomalies) != 2 || utf8.RuneCountInString(s.Items[0].Title) != council.MaxTitle {
		t.Errorf("%d entries of attendance, %d anomalies, a title of %d characters", len(s.Attendance), len(s.Anomalies),
			utf8.RuneCountInString(s.Items[0].Title))
	}
}

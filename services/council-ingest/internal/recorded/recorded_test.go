package recorded

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/sample"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// The portal's passed flag alone is not enough for Adopted.
func TestResultFollowsTheMotion(t *testing.T) {
	t.Parallel()
	pass, fail := true, false
	words := council.NewResultWords(map[string]council.Result{"Waived": council.NoAction})
	for _, test := range []struct {
		action, motion string
		passed         *bool
		want           council.Result
	}{
		{"approved", "", &pass, council.Adopted},
		{"Passed Finally", "", &pass, council.Adopted},
		{"deferred", "A motion was made by Roe, seconded by Doe, that the Action Item be deferred. The motion carried.",
			&pass, council.Continued},
		{"continued", "", &pass, council.Continued},
		{"postponed", "", &pass, council.Continued},
		{"tabled", "", &pass, council.Tabled},
		{"withdrawn", "", &pass, council.NoAction},
		{"referred", "", &pass, council.Other},
		{"Read, Received and Filed", "", &pass, council.Other},
		{"public hearing closed", "", &pass, council.Other},
		{"Waived under Rule 8", "", &pass, council.NoAction},
		{"", "", &pass, council.Other},
		{"Failed", "A motion was made that this be approved. The motion carried by the following vote:", &pass,
			council.Adopted},
		{"", "Motion to postpone item 4", &pass, council.Continued}, // CivicClerk has motions without an action
		{"", "Approve the minutes", &pass, council.Adopted},
		{"", "Motion 1", &pass, council.Other},
		{"deferred", "", &fail, council.Failed},
		{"approved", "", nil, council.Adopted},
		{"postponed", "", nil, council.Continued},
	} {
		v := portal.Vote{Action: test.action, Motion: test.motion, Passed: test.passed}
		if got := resultOf(v, words); got != test.want {
			t.Errorf("action %q, motion %q: %s, want %s", test.action, test.motion, got, test.want)
		}
	}
}

// In the recordings, no motion to postpone or refer, or about the meeting itself, counts as
// adopted.
func TestRecordedDeferralsAreNotAdopted(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(sample.Folder(t, "council/portals/legistar"), "*/event-*.cassette.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d recordings: %v", len(files), err)
	}
	elsewhere := regexp.MustCompile(
		`(?i)^(deferred|continued|postponed|referred|tabled|withdrawn|adjourn|read|waived|public hearing)`)
	words, seen := council.NewResultWords(nil), 0
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		paths := map[string]json.RawMessage{}
		if err := json.Unmarshal(data, &paths); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		for path, body := range paths {
			if !strings.HasSuffix(path, "/eventitems") {
				continue
			}
			var items []struct{ EventItemActionName, EventItemActionText, EventItemPassedFlagName string }
			if err := json.Unmarshal(body, &items); err != nil {
				t.Fatalf("%s: %v", f, err)
			}
			for _, it := range items {
				if it.EventItemPassedFlagName != "Pass" || !elsewhere.MatchString(it.EventItemActionName) {
					continue
				}
				seen++
				passed := true
				got := resultOf(portal.Vote{Action: it.EventItemActionName, Motion: it.EventItemActionText, Passed: &passed}, words)
				if got == council.Adopted {
					t.Errorf("%s: %q counts as adopted", filepath.Base(f), it.EventItemActionName)
				}
			}
		}
	}
	if seen < 30 {
		t.Errorf("only %d votes of this kind", seen)
	}
}

// Forsyth lists its consent items under the headings of departments.
func TestNestedHeadingsOfTheConsentCalendar(t *testing.T) {
	t.Parallel()
	rec := Read(portal.Detail{Items: []portal.Item{
		{Title: "Consent Agenda", Section: true},
		{Level: 1, Title: "Department of Finance", Section: true},
		{Level: 2, Title: "Budget Resolution", ID: "1"},
		{Level: 1, Title: "Items Removed from the Consent Agenda", Section: true},
		{Level: 2, Title: "Dredging", ID: "2"},
		{Level: 3, Title: "Amendment", ID: "3"},
		{Title: "New Business", Section: true},
		{Level: 1, Title: "Lighting", ID: "4"},
	}, Votes: []portal.Vote{{ItemID: "4", Seq: 1}}}, council.NewResultWords(nil))
	var got []string
	for _, it := range rec.Items {
		got = append(got, fmt.Sprint(it.Title, ", ", council.Text(it.Section), ", ", it.IsConsent, ", ", len(it.Votes)))
	}
	want := []string{"Budget Resolution, Department of Finance, true, 0",
		"Dredging, Items Removed from the Consent Agenda, false, 0",
		"Amendment, Items Removed from the Consent Agenda, false, 0", "Lighting, New Business, false, 1"}
	if !slices.Equal(got, want) {
		t.Errorf("items\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The portal numbers its votes; those that could not be read are missing, and the others move up.
func TestNotesAreAboutTheirVote(t *testing.T) {
	t.Parallel()
	rec := Read(portal.Detail{Items: []portal.Item{{Title: "Lighting", ID: "4"}},
		Votes: []portal.Vote{{ItemID: "4", Seq: 2}},
		Notes: []portal.Note{
			{Code: council.CodeUnreadable, ItemID: "4", Seq: 1, Message: "unreadable"},
			{Code: council.CodeRecordNoPositions, ItemID: "4", Seq: 2, Message: "no positions"},
		}}, council.NewResultWords(nil))
	about := map[council.AnomalyCode]int{}
	for _, a := range rec.Anomalies {
		if a.MotionSeq != nil {
			about[a.Code] = *a.MotionSeq
		}
	}
	if want := map[council.AnomalyCode]int{council.CodeRecordNoPositions: 1}; !maps.Equal(about, want) {
		t.Errorf("anomalies are about the motions %v, want %v", about, want)
	}
}

func voted(roll ...string) portal.Vote {
	v := portal.Vote{ItemID: "1", Seq: 1, Action: "approved", PassedWord: "Pass", Passed: new(true)}
	for i, one := range roll {
		name, word, _ := strings.Cut(one, ": ")
		position, _ := portal.Words{}.Position(word)
		v.Positions = append(v.Positions, portal.MemberPosition{PersonID: fmt.Sprint(20 + i), Name: name, Word: word,
			Position: position})
	}
	return v
}

func recordOf(votes ...portal.Vote) portal.Detail {
	return portal.Detail{Items: []portal.Item{{ID: "1", Title: "An item"}}, Votes: votes}
}

// What a portal's record cannot mean is said: a motion that passed without an aye, an office without
// a name. A list of who is present is no vote.
func TestOddRecords(t *testing.T) {
	t.Parallel()
	attendance := voted("Ann: Present", "Bo: Absent")
	attendance.Passed, attendance.Action = nil, "Roll call"
	for name, test := range map[string]struct {
		vote       portal.Vote
		roll, said string
		tally      [2]int
	}{
		"all absent": {voted("Ann: Absent", "Bo: Excused"), "Ann absent, Bo absent", "record-contradicts-itself", [2]int{}},
		"not voting": {voted("Ann: Aye", "Bo: NV", "Cy: Present - Not Voting", "Di: Present", "Ed: No"),
			"Ann aye, Ed nay, Bo absent, Cy absent, Di absent", "result-contradicts-counts", [2]int{1, 1}},
		"voice vote with attendance": {voted("Ann: Present", "Bo: Present"), "", "", [2]int{}},
		"offices": {voted("Ann: Aye", "Mayor: Aye", "Mr. President: Nay", "Sarah Ward: Aye"), "Ann aye, Sarah Ward aye",
			"names-missing, names-missing", [2]int{3, 1}},
		"attendance": {attendance, "no vote", "", [2]int{}},
	} {
		rec := Read(recordOf(test.vote), council.NewResultWords(nil))
		roll := "no vote"
		var tally [2]int
		for _, v := range rec.Items[0].Votes {
			var entries []string
			for _, e := range v.Roll {
				entries = append(entries, e.Member+" "+string(e.Position))
			}
			roll, tally = strings.Join(entries, ", "), [2]int{v.AyesCount, v.NaysCount}
			if v.Unanimous {
				t.Errorf("%s: unanimous", name)
			}
		}
		var said []string
		for _, a := range rec.Anomalies {
			said = append(said, string(a.Code))
		}
		if got := strings.Join(said, ", "); roll != test.roll || tally != test.tally || test.said != got &&
			test.said != "result-contradicts-counts" {
			t.Errorf("%s: %s %v, said %q", name, roll, tally, got)
		}
	}
}

// One roll of one file under two items is kept twice and said once. Another roll, or another file, is
// another vote.
func TestOneRollUnderTwoItems(t *testing.T) {
	t.Parallel()
	d := portal.Detail{Items: []portal.Item{{ID: "1", FileNumber: "26-77"}, {ID: "2", FileNumber: "26-77"},
		{ID: "3", FileNumber: "26-78"}, {ID: "4", FileNumber: "26-77"}, {ID: "5"}, {ID: "6"}}}
	for _, it := range d.Items {
		v := voted("Ann: Aye", "Bo: Aye", "Cy: Nay")
		if it.ID == "4" {
			v = voted("Ann: Nay", "Bo: Aye", "Cy: Aye")
		}
		v.ItemID = it.ID
		d.Votes = append(d.Votes, v)
	}
	rec := Read(d, council.NewResultWords(nil))
	for i, it := range rec.Items {
		if len(it.Votes) != 1 {
			t.Errorf("item %d has %d votes", i, len(it.Votes))
		}
	}
	var said []string
	for _, a := range rec.Anomalies {
		said = append(said, fmt.Sprint(a.Code, " ", a.Item))
	}
	if !slices.Equal(said, []string{"block-repeated 1"}) {
		t.Errorf("said %q", said)
	}
}

// A roll with a position that was not read proves nothing about those who voted against.
func TestUnreadPositionsAreNotUnanimous(t *testing.T) {
	t.Parallel()
	d := recordOf(voted("Ann: Aye", "Bo: x"), voted("Ann: Aye", "Bo: Aye"))
	d.Votes[1].Seq = 2
	d.Notes = append(d.Notes, portal.Note{Code: council.CodeUnknownVoteWord, ItemID: "1", Seq: 1})
	votes := Read(d, council.NewResultWords(nil)).Items[0].Votes
	if len(votes) != 2 || votes[0].Unanimous || !votes[1].Unanimous {
		t.Errorf("%+v", votes)
	}
}

// Two people of one name stay two, in each roll and in later meetings.
func TestNamesakesStayTwo(t *testing.T) {
	t.Parallel()
	d := recordOf(voted("Ann: Aye", "John Smith: Aye", "John Smith: Nay", "Bo: Aye"))
	apart, only := TellApart(d, Known{})
	rec := Read(apart, council.NewResultWords(nil))
	v := rec.Items[0].Votes[0]
	if v.AyesCount != 3 || v.NaysCount != 1 || v.Unanimous || len(v.Roll) != 4 ||
		!slices.Equal(v.Roll.Of(council.Nay), []string{"John Smith (22)"}) {
		t.Errorf("%+v", v)
	}
	if len(rec.Anomalies) != 1 || len(only) != 0 || rec.Anomalies[0].Code != council.CodeMemberAmbiguous {
		t.Errorf("%+v", rec.Anomalies)
	}
	one := func(known Known) string {
		t.Helper()
		later, only := TellApart(recordOf(voted("Ann: Aye", "Bo: Aye", "John Smith: Nay")), known)
		name := later.Votes[0].Positions[2].Name
		if (name == "John Smith") != (only["john smith"] == "") || len(later.Notes) > 1 {
			t.Errorf("%q, only %v, %+v", name, only, later.Notes)
		}
		return fmt.Sprintf("%s, %d notes", name, len(later.Notes))
	}
	id := recordOf(voted("Ann: Aye", "Bo: Aye", "John Smith: Nay")).Votes[0].Positions[2].PersonID
	spelling := fmt.Sprintf("John Smith (%s)", id)
	for _, c := range []struct {
		name  string
		known Known
		want  string
	}{
		{"nobody is known", Known{}, "John Smith, 0 notes"},
		{"the same person", Known{IDs: map[string][]string{"john smith": {"5", id}}}, "John Smith, 0 notes"},
		{"another person", Known{IDs: map[string][]string{"john smith": {"5"}}}, spelling + ", 1 notes"},
		{"known as another", Known{Spellings: map[string]bool{spelling: true}, Earlier: map[string]bool{spelling: true}},
			spelling + ", 0 notes"},
		{"first here", Known{Spellings: map[string]bool{spelling: true}}, spelling + ", 1 notes"},
	} {
		if got := one(c.known); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	if d.Votes[0].Positions[2].Name != "John Smith" {
		t.Error("the portal's record was changed")
	}
}

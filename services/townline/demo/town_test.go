package demo_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/townline/townline/services/townline/demo/town"
)

// opened starts the town with a fixed clock.
func opened(t *testing.T, at time.Time) *town.Town {
	t.Helper()
	meetings, err := town.Read()
	if err != nil {
		t.Fatal(err)
	}
	return town.New(meetings, func() time.Time { return at })
}

func motions(m *town.Meeting) []*town.Motion {
	var out []*town.Motion
	for _, s := range m.Sections {
		if s.Consent != nil {
			out = append(out, s.Consent)
		}
		for _, it := range s.Items {
			out = append(out, it.Motions...)
		}
	}
	return out
}

// TestMeetingsAreAlwaysAhead checks that a later day shows the same past, and that planned meetings
// move by whole weeks.
func TestMeetingsAreAlwaysAhead(t *testing.T) {
	t.Parallel()
	first := map[int]*town.Meeting{}
	for _, m := range opened(t, noon.AddDate(0, 0, 14)).Meetings() {
		first[m.ID] = m
	}
	for _, days := range []int{0, 14, 20, 40, 300, 3000} {
		now := noon.AddDate(0, 0, days)
		all := opened(t, now).Meetings()
		if !slices.IsSortedFunc(all, func(a, b *town.Meeting) int { return a.Starts.Compare(b.Starts) }) {
			t.Errorf("after %d days the meetings are not in order", days)
		}
		ahead, moved := 0, 0
		for _, m := range all {
			was := first[m.ID]
			const local = "Monday 15:04"
			if was == nil || m.Starts.Format(local) != was.Starts.Format(local) {
				t.Errorf("after %d days meeting %d is on %s", days, m.ID, m.Starts)
				continue
			}
			if !m.Starts.Equal(was.Starts) {
				moved++
				if !was.MinutesPosted.IsZero() || len(was.Attendance) > 0 {
					t.Errorf("after %d days meeting %d, which was held, is on another day", days, m.ID)
				}
			}
			if m.Starts.After(now) {
				ahead++
			}
		}
		if ahead < 10 || (moved > 0) != (days > 20) {
			t.Errorf("after %d days %d meetings have moved, %d are ahead", days, moved, ahead)
		}
	}
}

// TestVotesAddUp checks each vote against the rules: each member has one position, and the counts
// give the result.
func TestVotesAddUp(t *testing.T) {
	t.Parallel()
	rolls := 0
	for _, m := range opened(t, noon).Meetings() {
		if len(m.Attendance) == 0 {
			continue // the meeting is planned
		}
		for _, v := range motions(m) {
			rolls += len(v.Rolls)
			if len(v.Rolls) == 0 {
				if v.Mover != nil || v.Word != "NO ACTION TAKEN" && v.Word != "WITHDRAWN" {
					t.Errorf("meeting %d: %q has no roll call", m.ID, v.Word)
				}
				continue
			}
			seen := map[string]bool{}
			for _, members := range v.Rolls {
				for _, p := range members {
					if seen[p.Name] {
						t.Errorf("meeting %d: %s voted twice", m.ID, p.Name)
					}
					seen[p.Name] = true
				}
			}
			if len(seen) != len(m.Attendance) {
				t.Errorf("meeting %d: %d of %d members in the roll", m.ID, len(seen), len(m.Attendance))
			}
			ayes, nays := v.Rolls["Aye"], v.Rolls["Nay"]
			lost := slices.Contains([]string{"FAILED", "NOT ADOPTED", "DENIED"}, v.Word)
			if lost != (len(ayes) <= len(nays)) {
				t.Errorf("meeting %d: %s with %d to %d", m.ID, v.Word, len(ayes), len(nays))
			}
			voted := func(by *town.Person) bool {
				return slices.ContainsFunc(ayes, func(p *town.Person) bool { return *p == *by })
			}
			if *v.Mover == *v.Seconder || !voted(v.Mover) || !voted(v.Seconder) {
				t.Errorf("meeting %d: %s moved and seconded out of order", m.ID, v.Word)
			}
		}
	}
	if rolls == 0 {
		t.Error("the town has no roll call")
	}
}

// The town has the cases for which it was made, today and in ten years.
func TestAnyDayShowsEverything(t *testing.T) {
	t.Parallel()
	for _, years := range []int{0, 1, 10} {
		day := noon.AddDate(years, 0, 0)
		all := opened(t, day).Meetings()
		has := cases(all, opened(t, day), day)
		for _, want := range wanted {
			if !has[want] {
				t.Errorf("%s: no %s", day.Format(time.DateOnly), want)
			}
		}
		topics := map[string]bool{}
		for _, m := range all {
			for _, s := range m.Sections {
				for _, it := range s.Items {
					topics[it.Topic] = true
				}
			}
		}
		if len(topics) != 13 {
			t.Errorf("%s: %d topics", day.Format(time.DateOnly), len(topics))
		}
	}
}

var wanted = []string{
	"4-3", "5-2", "6-1", "3-4", "Abstain", "Recused", "Absent", "Excused", "Away", "late", "remote", "ADOPTED AS AMENDED",
	"substitute", "question", "TABLED", "CONTINUED",
	"NO ACTION TAKEN", "WITHDRAWN", "REFERRED TO THE HARBOR ADVISORY COMMITTEE", "taken up again", "pulled",
	"consent one block", "consent each block",
	"cancelled", "withdrawn page", "scan", "packet only", "twins", "Special Meeting", "Special Meeting/Closed Session",
	"Study Session", town.Planning, town.Parks,
	"retired", "joined", "apostrophe", "hyphen", "particle", "beyond ASCII", "minutes pending", "agenda only",
	"nothing posted",
	"tally-mismatch", "word-misspelt", "mover-missing", "tally-missing", "member-unknown",
	"label-broken", "mover-doubled", "result-word-absent",
}

// cases returns the names of the cases that the meetings have.
func cases(all []*town.Meeting, city *town.Town, now time.Time) map[string]bool {
	has := map[string]bool{}
	files := map[int]int{}
	first := map[string]bool{}
	for _, m := range all {
		has[m.Board], has[m.Type] = true, true
		has["cancelled"] = has["cancelled"] || m.Cancelled && m.Board == town.Council
		has["withdrawn page"] = has["withdrawn page"] || m.Withdrawn
		has["twins"] = has["twins"] || len(m.Twins) > 1
		if m.Board != town.Council || m.Cancelled || m.Withdrawn {
			continue
		}
		out := city.HasMinutes(m)
		has["scan"] = has["scan"] || m.Scanned && out
		has["packet only"] = has["packet only"] || m.PacketOnly && out
		has["minutes pending"] = has["minutes pending"] || !out && m.Starts.Before(now)
		has["agenda only"] = has["agenda only"] || m.Starts.After(now) && city.HasAgenda(m)
		has["nothing posted"] = has["nothing posted"] || !city.HasAgenda(m)
		if !out || m.Scanned {
			continue // only minutes have the other cases
		}
		people := map[string]bool{}
		for _, a := range m.Attendance {
			people[a.Name] = true
			has[strings.ToLower(a.Status)] = true
			has["apostrophe"] = has["apostrophe"] || strings.Contains(a.Last, "'")
			has["hyphen"] = has["hyphen"] || strings.Contains(a.Last, "-")
			has["particle"] = has["particle"] || strings.HasPrefix(a.Last, "van der ")
			has["beyond ASCII"] = true
		}
		for name := range first {
			has["retired"] = has["retired"] || !people[name]
		}
		for name := range people {
			has["joined"] = has["joined"] || len(first) > 0 && !first[name]
		}
		if len(first) == 0 {
			first = people
		}
		for _, s := range m.Sections {
			if s.Consent != nil {
				has["consent one block"] = has["consent one block"] || !s.EachBlock
				has["consent each block"] = has["consent each block"] || s.EachBlock
			}
			for _, it := range s.Items {
				has["pulled"] = has["pulled"] || it.Pulled != ""
				if it.LegiFile > 0 && it.Pulled == "" {
					if before := files[it.LegiFile]; before != 0 && before != m.ID {
						has["taken up again"] = true
					}
					files[it.LegiFile] = m.ID
				}
				for _, v := range it.Motions {
					has["substitute"] = has["substitute"] || strings.Contains(v.Label, "SUBSTITUTE")
					has["question"] = has["question"] || strings.Contains(v.Label, "QUESTION")
				}
			}
		}
		for _, v := range motions(m) {
			has[v.Word], has[v.Slip] = true, true
			has[fmt.Sprintf("%d-%d", len(v.Rolls["Aye"]), len(v.Rolls["Nay"]))] = true
			for position := range v.Rolls {
				has[position] = true
			}
		}
	}
	return has
}

package demo_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/townline/townline/services/townline/demo/town"
)

func opened(t *testing.T) *town.Town {
	t.Helper()
	town, err := town.New(0)
	if err != nil {
		t.Fatal(err)
	}
	return town
}

// motions are all votes of a meeting with the section they stand in.
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

func printed(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestADayShowsOneTown(t *testing.T) {
	t.Parallel()
	a, b := printed(t, opened(t).Meetings(noon)), printed(t, opened(t).Meetings(noon.Add(3*time.Hour)))
	if a != b {
		t.Error("the town differs within a day")
	}
}

// TestThePastStays holds that a later day shows the same meetings, whatever was archived of them.
func TestThePastStays(t *testing.T) {
	t.Parallel()
	town := opened(t)
	now := map[int]string{}
	for _, m := range town.Meetings(noon) {
		if _, twice := now[m.ID]; twice {
			t.Errorf("meeting id %d is given twice", m.ID)
		}
		now[m.ID] = printed(t, m)
	}
	kept := 0
	for _, m := range town.Meetings(noon.AddDate(0, 0, 40)) {
		if was, ok := now[m.ID]; ok {
			kept++
			if was != printed(t, m) {
				t.Errorf("meeting %d changed in forty days", m.ID)
			}
		}
	}
	if kept < 40 {
		t.Errorf("only %d meetings stayed", kept)
	}
}

// TestVotesAddUp holds each vote against the rules of the house: everybody in one row, the result
// by the count.
func TestVotesAddUp(t *testing.T) {
	t.Parallel()
	rolls := 0
	for _, m := range opened(t).Meetings(noon) {
		for _, v := range motions(m) {
			rolls += len(v.Rolls)
			if len(v.Rolls) == 0 {
				if v.Mover != nil || v.Word != "NO ACTION TAKEN" && v.Word != "WITHDRAWN" {
					t.Errorf("meeting %d: %q without a roll", m.ID, v.Word)
				}
				continue
			}
			seen := map[string]bool{}
			for _, r := range v.Rolls {
				for _, p := range r.Members {
					if seen[p.Name] {
						t.Errorf("meeting %d: %s voted twice", m.ID, p.Name)
					}
					seen[p.Name] = true
				}
			}
			if len(seen) != len(m.Attendance) {
				t.Errorf("meeting %d: %d of %d members in the roll", m.ID, len(seen), len(m.Attendance))
			}
			ayes, nays := v.Of(town.Aye), v.Of(town.Nay)
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

// The town has the cases for which it was made on any day.
func TestAnyDayShowsEverything(t *testing.T) {
	t.Parallel()
	for i := range 20 {
		day := noon.AddDate(0, 0, 37*i)
		all := opened(t).Meetings(day)
		has := cases(all, day)
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
	"4-3", "5-2", "6-1", "3-4", "ABSTAIN", "RECUSED", "ABSENT", "EXCUSED", "AWAY", "late", "remote", "ADOPTED AS AMENDED",
	"substitute", "question", "TABLED", "CONTINUED",
	"NO ACTION TAKEN", "WITHDRAWN", "REFERRED TO THE HARBOR ADVISORY COMMITTEE", "taken up again", "pulled",
	"consent one block", "consent each block",
	"cancelled", "withdrawn page", "scan", "packet only", "twins", "Special Meeting", "Special Meeting/Closed Session",
	"Study Session", town.Planning, town.Parks,
	"retired", "joined", "apostrophe", "hyphen", "particle", "beyond ASCII", "minutes pending", "agenda only",
	"nothing posted",
	string(town.WrongTally), string(town.Misspelt), string(town.NoMover), string(town.NoTally), string(town.WrongName),
	string(town.NoColon), string(town.TwoMovers), string(town.BareBracket),
}

// cases names what meetings hold.
func cases(all []*town.Meeting, now time.Time) map[string]bool {
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
		out := !now.Before(m.MinutesPosted)
		has["scan"] = has["scan"] || m.Scanned && out
		has["packet only"] = has["packet only"] || m.PacketOnly && out
		has["minutes pending"] = has["minutes pending"] || !out && m.Starts.Before(now)
		has["agenda only"] = has["agenda only"] || m.Starts.After(now) && !now.Before(m.AgendaPosted)
		has["nothing posted"] = has["nothing posted"] || now.Before(m.AgendaPosted)
		if !out || m.Scanned {
			continue // the rest is what a reader of minutes must find
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
			has[v.Word], has[string(v.Slip)] = true, true
			has[fmt.Sprintf("%d-%d", len(v.Of(town.Aye)), len(v.Of(town.Nay)))] = true
			for _, r := range v.Rolls {
				has[string(r.Position)] = true
			}
		}
	}
	return has
}

package match

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

// A Comparison has the differences between the minutes of a meeting and the portal's record.
type Comparison struct {
	Compared    int              // number of rolls that both have
	Equal       int              // number of compared rolls without a difference
	Differences []record.Anomaly // Item is the index of the item in the minutes, or -1
}

// maxDifferences bounds the cost of comparing two unrelated documents.
const maxDifferences = 100

// Compare compares the votes of the minutes with the recorded votes: result, tally, mover, seconder
// and every position. It changes no vote. Each difference is an anomaly, for a person to review. A
// recorded vote without positions is a voice vote or an empty roster, which the minutes may lack.
// The record may lack the vote on the consent calendar for some of the items.
func Compare(minutes, recorded []record.Item) Comparison {
	var c Comparison
	add := func(code council.AnomalyCode, item int, v *record.Vote, format string, args ...any) {
		if len(c.Differences) >= maxDifferences {
			return
		}
		d := record.Anomaly{Kind: council.KindOf(code), Code: code, Item: item, Message: fmt.Sprintf(format, args...)}
		if v != nil {
			d.MotionSeq, d.Page = &v.MotionSeq, v.Page
		}
		c.Differences = append(c.Differences, d)
	}
	inRecord := rollsOf(recorded, hasRoll)
	if len(inRecord) == 0 {
		return c // the portal does not record roll calls
	}
	inMinutes := rollsOf(minutes, func(v *record.Vote) bool { return hasRoll(v) || v.AyesCount+v.NaysCount > 0 })
	members, paired := rosterOf(recorded), make([]bool, len(inRecord))
	var unpaired []roll
	for i, at := range pairRolls(inMinutes, inRecord) {
		m := inMinutes[i]
		if at < 0 {
			if hasRoll(m.Vote) && !m.ViaConsent {
				unpaired = append(unpaired, m)
			}
			continue
		}
		paired[at] = true
		c.Compared++
		if found := differences(m.Vote, inRecord[at].Vote, members); len(found) > 0 {
			add(council.CodeSourcesDiffer, m.ItemIndex, m.Vote, "%s: %s", label(m.Item), strings.Join(found, "; "))
		} else {
			c.Equal++
		}
	}
	for i, p := range inRecord {
		if paired[i] {
			continue
		}
		item := slices.IndexFunc(minutes, func(m record.Item) bool {
			return len(m.Votes) > 0 && p.Item.FileNumber != nil && m.FileNumber != nil &&
				council.FoldName(*m.FileNumber) == council.FoldName(*p.Item.FileNumber)
		})
		add(council.CodeVoteOnlyInRecord, item, nil, "%s: the portal records %s, and the minutes have no such vote",
			label(p.Item), summary(p.Vote))
	}
	for _, m := range unpaired {
		add(council.CodeVoteOnlyInMinutes, m.ItemIndex, m.Vote,
			"%s: the minutes have %s, and the portal records no such vote", label(m.Item), summary(m.Vote))
	}
	return c
}

func label(it *record.Item) string {
	return cmp.Or(council.Text(it.FileNumber), council.Text(it.ItemNumber), it.Title)
}

func summary(v *record.Vote) string {
	return fmt.Sprintf("%q with %s and %s", v.ResultRaw, council.Count(v.AyesCount, "aye"),
		council.Count(v.NaysCount, "nay"))
}

// hasRoll reports whether a vote names a member who was present.
func hasRoll(v *record.Vote) bool { return len(v.Roll) > v.Roll.Count(council.Absent) }

// differences describes the differences between two votes. In each text, the portal's value follows
// the value of the minutes.
func differences(m, p *record.Vote, members *council.Roster) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if m.Result != p.Result && m.Result != council.Other && p.Result != council.Other &&
		(m.Result == council.Failed || p.Result == council.Failed) {
		add("the minutes say %s, the portal %s", m.Result, p.Result)
	}
	person := func(role string, a, b *string) {
		if a != nil && b != nil && nameKey(*a, members) != nameKey(*b, members) {
			add("%s is %s in the minutes, %s at the portal", role, *a, *b)
		}
	}
	person("mover", m.Mover, p.Mover)
	person("seconder", m.Seconder, p.Seconder)
	printed, recorded := firstEntries(m.Roll, members), firstEntries(p.Roll, members)
	for _, e := range m.Roll {
		key := nameKey(e.Member, members)
		position := recorded[key].Position
		if printed[key] == e && e.Position != position && !(position == "" && e.Position == council.Absent) {
			add("%s is %s in the minutes, %s at the portal", e.Member, e.Position, cmp.Or(position, "in no row"))
		}
	}
	for _, e := range p.Roll {
		key := nameKey(e.Member, members)
		_, isPrinted := printed[key]
		if len(printed) > 0 && !isPrinted && recorded[key] == e && e.Position != council.Absent {
			add("%s is in no row of the minutes, %s at the portal", e.Member, e.Position)
		}
	}
	if len(out) == 0 && (m.AyesCount != p.AyesCount || m.NaysCount != p.NaysCount) {
		add("the minutes count %d to %d, the portal %d to %d", m.AyesCount, m.NaysCount, p.AyesCount, p.NaysCount)
	}
	return out
}

// firstEntries returns the first entry of each member of a roll. The key of a member is the same
// for minutes and portal.
func firstEntries(roll council.Roll, members *council.Roster) map[string]council.RollEntry {
	first := map[string]council.RollEntry{}
	for _, e := range roll {
		key := nameKey(e.Member, members)
		if _, isNamed := first[key]; !isNamed {
			first[key] = e
		}
	}
	return first
}

// nameKey returns the key of a member. If a printed name matches only one full name of the portal,
// the key is the folded full name, otherwise the folded printed name.
func nameKey(name string, members *council.Roster) string {
	if full, match := members.Resolve(name); match <= council.MatchGiven {
		return council.FoldName(full)
	}
	return council.FoldName(name)
}

// rosterOf returns the members in the portal's record, which has full names.
func rosterOf(recorded []record.Item) *council.Roster {
	members := &council.Roster{}
	for _, it := range recorded {
		for _, v := range it.Votes {
			for _, name := range append(v.Roll.Members(), council.Text(v.Mover), council.Text(v.Seconder)) {
				if strings.Contains(name, " ") {
					members.Add(name)
				}
			}
		}
	}
	return members
}

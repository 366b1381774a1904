// Package witness compares two witnesses of one meeting: the votes that were read from its minutes, and the votes that the portal's own
// data record. Both stay as they are; what they disagree on becomes an anomaly, so that a person looks.
//
// It is a pure function: it knows no portal, no product and no database, and decides nothing. Votes are matched within the meeting: by file
// number, then by order among those of one file, then by number and title. It compares what came of a vote, its tally, mover and seconder,
// and every member.
//
// Start with Compare; package match finds what belongs together.
package witness

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/match"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

// Result is what comparing came to.
type Result struct {
	Compared    int              // rolls that both witnesses have
	Equal       int              // those of them on which they agree whole
	Differences []record.Anomaly // of items and votes of the minutes; of no item where they do not have it
}

// maxDifferences bounds what two wholly different answers may cost.
const maxDifferences = 100

// Compare compares the votes of the minutes with the recorded ones. A recorded vote without positions is a voice vote or an empty roster: it
// is no roll, and its absence from the minutes is no difference. Nor is it that a vote on a list is not recorded for each item of it.
func Compare(minutes, recorded []record.Item) Result {
	var r Result
	say := func(code council.AnomalyCode, item int, v *record.Vote, format string, args ...any) {
		if len(r.Differences) >= maxDifferences {
			return
		}
		d := record.Anomaly{Kind: council.KindOf(code), Code: code, Item: item, Message: fmt.Sprintf(format, args...)}
		if v != nil {
			d.MotionSeq, d.Page = &v.MotionSeq, v.Page
		}
		r.Differences = append(r.Differences, d)
	}
	people := rosterOf(recorded)
	inMinutes := votesOf(minutes, func(v *record.Vote) bool { return isRoll(v) || v.AyesCount+v.NaysCount > 0 })
	inRecord := votesOf(recorded, isRoll)
	rolls, paired := 0, make([]bool, len(inRecord))
	var alone []vote // of the minutes
	for i, at := range match.Rolls(keysOf(inMinutes), keysOf(inRecord)) {
		m := inMinutes[i]
		if at < 0 {
			if isRoll(m.Vote) {
				alone = append(alone, m)
			}
			continue
		}
		paired[at] = true
		rolls++
		r.Compared++
		if found := differences(m.Vote, inRecord[at].Vote, people); len(found) > 0 {
			say(council.CodeSourcesDiffer, m.item, m.Vote, "%s: %s", m.name(), strings.Join(found, "; "))
		} else {
			r.Equal++
		}
	}
	for i, p := range inRecord {
		if paired[i] {
			continue
		}
		rolls++
		item := slices.IndexFunc(minutes, func(m record.Item) bool {
			return len(m.Votes) > 0 && p.of.FileNumber != nil && m.FileNumber != nil && council.FoldName(*m.FileNumber) == council.FoldName(*p.of.FileNumber)
		})
		say(council.CodeVoteOnlyInRecord, item, nil, "%s: the portal records %s, and the minutes have no such vote", p.name(), summary(p.Vote))
	}
	if rolls == 0 {
		return r // a portal that records no rolls is no witness
	}
	for _, m := range alone {
		if !m.ViaConsent {
			say(council.CodeVoteOnlyInMinutes, m.item, m.Vote, "%s: the minutes have %s, and the portal records no such vote", m.name(), summary(m.Vote))
		}
	}
	return r
}

// A vote is one of a witness, with its item.
type vote struct {
	*record.Vote
	of   *record.Item
	item int
}

func votesOf(items []record.Item, counts func(*record.Vote) bool) []vote {
	var out []vote
	for i := range items {
		for k := range items[i].Votes {
			if v := &items[i].Votes[k]; counts(v) {
				out = append(out, vote{v, &items[i], i})
			}
		}
	}
	return out
}

func keysOf(votes []vote) []match.Roll {
	out := make([]match.Roll, len(votes))
	for i, v := range votes {
		out[i] = match.Roll{Item: match.NewItem(v.of.FileNumber, v.of.ItemNumber, nil, v.of.Title), Result: v.Result, Ayes: v.AyesCount, Nays: v.NaysCount}
	}
	return out
}

// name is the item of a vote, as a message calls it.
func (v *vote) name() string {
	return cmp.Or(council.Text(v.of.FileNumber), council.Text(v.of.ItemNumber), v.of.Title)
}

func summary(v *record.Vote) string {
	return fmt.Sprintf("%q with %s and %s", v.ResultRaw, council.Count(v.AyesCount, "aye"), council.Count(v.NaysCount, "nay"))
}

// isRoll reports whether a vote names who voted.
func isRoll(v *record.Vote) bool {
	return len(v.Positions.Aye)+len(v.Positions.Nay)+len(v.Positions.Abstain)+len(v.Positions.Recused) > 0
}

// differences says in what two votes differ, the portal's after the minutes'.
func differences(m, p *record.Vote, people *council.Roster) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if m.Result != p.Result && m.Result != council.Other && p.Result != council.Other && (m.Result == council.Failed || p.Result == council.Failed) {
		add("the minutes say %s, the portal %s", m.Result, p.Result)
	}
	for _, one := range []struct {
		role   string
		mm, pp *string
	}{{"mover", m.Mover, p.Mover}, {"seconder", m.Seconder, p.Seconder}} {
		if one.mm != nil && one.pp != nil && key(*one.mm, people) != key(*one.pp, people) {
			add("%s is %s in the minutes, %s at the portal", one.role, *one.mm, *one.pp)
		}
	}
	inMinutes, inRecord := positionsOf(m, people), positionsOf(p, people)
	if len(inMinutes.at) > 0 {
		for _, name := range inMinutes.names {
			a, b := inMinutes.at[name], inRecord.at[name]
			if a != b && !(b == "" && a == council.Absent) {
				add("%s is %s in the minutes, %s at the portal", inMinutes.printed[name], a, or(b))
			}
		}
		for _, name := range inRecord.names {
			if a, b := inMinutes.at[name], inRecord.at[name]; a == "" && b != council.Absent {
				add("%s is in no row of the minutes, %s at the portal", inRecord.printed[name], b)
			}
		}
	}
	if len(out) == 0 && (m.AyesCount != p.AyesCount || m.NaysCount != p.NaysCount) {
		add("the minutes count %d to %d, the portal %d to %d", m.AyesCount, m.NaysCount, p.AyesCount, p.NaysCount)
	}
	return out
}

func or(p council.Position) string {
	if p == "" {
		return "in no row"
	}
	return string(p)
}

// positions are the members of a roll, by the name that both witnesses share.
type positions struct {
	names   []string // in printed order
	at      map[string]council.Position
	printed map[string]string
}

func positionsOf(v *record.Vote, people *council.Roster) positions {
	out := positions{at: map[string]council.Position{}, printed: map[string]string{}}
	for _, row := range []struct {
		position council.Position
		names    []string
	}{{council.Aye, v.Positions.Aye}, {council.Nay, v.Positions.Nay}, {council.Abstain, v.Positions.Abstain}, {council.Absent, v.Positions.Absent}, {council.Recused, v.Positions.Recused}} {
		for _, name := range row.names {
			k := key(name, people)
			if _, twice := out.at[k]; twice {
				continue
			}
			out.names, out.at[k], out.printed[k] = append(out.names, k), row.position, name
		}
	}
	return out
}

// key is the name by which both witnesses know a member: the portal's full name where the printed one can only be that, else the printed
// one.
func key(name string, people *council.Roster) string {
	if full, match := people.Resolve(name); match <= council.MatchGiven {
		return council.FoldName(full)
	}
	return council.FoldName(name)
}

// rosterOf are the members by the portal's data, which name everybody in full.
func rosterOf(recorded []record.Item) *council.Roster {
	people := &council.Roster{}
	for _, it := range recorded {
		for _, v := range it.Votes {
			for _, name := range slices.Concat(v.Positions.All(), []string{council.Text(v.Mover), council.Text(v.Seconder)}) {
				if strings.Contains(name, " ") {
					people.Add(name)
				}
			}
		}
	}
	return people
}

// Package witness compares two witnesses of one meeting: the votes that were read from its minutes,
// and the votes that the portal's own data record. Both stay as they are; what they disagree on
// becomes an anomaly, so that a person looks.
//
// It is a pure function: it knows no portal, no product and no database, and decides nothing. Votes
// are matched within the meeting: by file number, then by order among those of one file, then by
// number and title. It compares what came of a vote, its tally, mover and seconder, and every
// member.
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

// Compare compares the votes of the minutes with the recorded ones. A recorded vote without
// positions is a voice vote or an empty roster: it is no roll, and its absence from the minutes is
// no difference. Nor is it that a vote on a list is not recorded for each item of it.
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
	inMinutes, keys := votesOf(minutes, func(v *record.Vote) bool { return isRoll(v) || v.AyesCount+v.NaysCount > 0 })
	inRecord, recordedKeys := votesOf(recorded, isRoll)
	if len(inRecord) == 0 {
		return r // a portal that records no rolls is no witness
	}
	people, paired := rosterOf(recorded), make([]bool, len(inRecord))
	var alone []vote // of the minutes
	for i, at := range match.Rolls(keys, recordedKeys) {
		m := inMinutes[i]
		if at < 0 {
			if isRoll(m.Vote) && !m.ViaConsent {
				alone = append(alone, m)
			}
			continue
		}
		paired[at] = true
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
		item := slices.IndexFunc(minutes, func(m record.Item) bool {
			return len(m.Votes) > 0 && p.of.FileNumber != nil && m.FileNumber != nil &&
				council.FoldName(*m.FileNumber) == council.FoldName(*p.of.FileNumber)
		})
		say(council.CodeVoteOnlyInRecord, item, nil, "%s: the portal records %s, and the minutes have no such vote", p.name(),
			summary(p.Vote))
	}
	for _, m := range alone {
		say(council.CodeVoteOnlyInMinutes, m.item, m.Vote, "%s: the minutes have %s, and the portal records no such vote",
			m.name(), summary(m.Vote))
	}
	return r
}

// A vote is one of a witness, with its item.
type vote struct {
	*record.Vote
	of   *record.Item
	item int
}

// votesOf lists the votes of items that count, and what each is matched by.
func votesOf(items []record.Item, counts func(*record.Vote) bool) (votes []vote, keys []match.Roll) {
	for i := range items {
		it := &items[i]
		for k := range it.Votes {
			if v := &it.Votes[k]; counts(v) {
				votes = append(votes, vote{v, it, i})
				keys = append(keys, match.Roll{Item: match.NewItem(it.FileNumber, it.ItemNumber, nil, it.Title), Result: v.Result,
					Ayes: v.AyesCount, Nays: v.NaysCount})
			}
		}
	}
	return votes, keys
}

// name is the item of a vote, as a message calls it.
func (v *vote) name() string {
	return cmp.Or(council.Text(v.of.FileNumber), council.Text(v.of.ItemNumber), v.of.Title)
}

func summary(v *record.Vote) string {
	return fmt.Sprintf("%q with %s and %s", v.ResultRaw, council.Count(v.AyesCount, "aye"),
		council.Count(v.NaysCount, "nay"))
}

// isRoll reports whether a vote names who voted.
func isRoll(v *record.Vote) bool { return len(v.Positions.All()) > len(v.Positions.Absent) }

// differences says in what two votes differ, the portal's after the minutes'.
func differences(m, p *record.Vote, people *council.Roster) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if m.Result != p.Result && m.Result != council.Other && p.Result != council.Other &&
		(m.Result == council.Failed || p.Result == council.Failed) {
		add("the minutes say %s, the portal %s", m.Result, p.Result)
	}
	who := func(role string, a, b *string) {
		if a != nil && b != nil && key(*a, people) != key(*b, people) {
			add("%s is %s in the minutes, %s at the portal", role, *a, *b)
		}
	}
	who("mover", m.Mover, p.Mover)
	who("seconder", m.Seconder, p.Seconder)
	said, recorded := positionsOf(m, people), positionsOf(p, people)
	for _, a := range said {
		b := at(recorded, a.key)
		if a.position != b && !(b == "" && a.position == council.Absent) {
			add("%s is %s in the minutes, %s at the portal", a.printed, a.position, cmp.Or(b, "in no row"))
		}
	}
	for _, b := range recorded {
		if len(said) > 0 && at(said, b.key) == "" && b.position != council.Absent {
			add("%s is in no row of the minutes, %s at the portal", b.printed, b.position)
		}
	}
	if len(out) == 0 && (m.AyesCount != p.AyesCount || m.NaysCount != p.NaysCount) {
		add("the minutes count %d to %d, the portal %d to %d", m.AyesCount, m.NaysCount, p.AyesCount, p.NaysCount)
	}
	return out
}

// A place is where a member stands in a roll, by the name that both witnesses share.
type place struct {
	key, printed string
	position     council.Position
}

// positionsOf are the members of a roll in printed order; the first place of each.
func positionsOf(v *record.Vote, people *council.Roster) []place {
	var out []place
	for i, list := range v.Positions.Lists() {
		for _, name := range *list {
			if k := key(name, people); at(out, k) == "" {
				out = append(out, place{k, name, council.Positions()[i]})
			}
		}
	}
	return out
}

// at is the position of a member, "" if the roll does not name the member.
func at(roll []place, key string) council.Position {
	for _, p := range roll {
		if p.key == key {
			return p.position
		}
	}
	return ""
}

// key is the name by which both witnesses know a member: the portal's full name where the printed
// one can only be that, else the printed one.
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

// Package witness compares two witnesses of one meeting: the votes that were read from its minutes, and the votes that the portal's own
// data record. Both stay as they are; what they disagree on becomes an anomaly, so that a person looks.
//
// It is a pure function: it knows no portal, no product and no database, and decides nothing. Votes are matched within the meeting: by file
// number, then by order among those of one file, then by number and title. It compares what came of a vote, its tally, mover and seconder,
// and every member.
//
// Start with Compare; match.go finds what belongs together.
package witness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

// Item is an agenda item as one witness has it, with its votes in order.
type Item struct {
	File, Number, Title string
	Votes               []record.Vote
}

// Items are the items of a record that have votes.
func Items(r record.Record) []Item {
	var out []Item
	for _, it := range r.Items {
		if len(it.Votes) > 0 {
			out = append(out, Item{File: text(it.FileNumber), Number: text(it.ItemNumber), Title: it.Title, Votes: it.Votes})
		}
	}
	return out
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Difference is one thing on which the witnesses disagree.
type Difference struct {
	Code      council.AnomalyCode
	Item      int // index into the items of the minutes; -1 when they do not have it
	MotionSeq int // of the vote in the minutes; 0 when they do not have it
	Page      int // of the vote in the minutes; 0 when they do not have it
	Message   string
}

// Result is what comparing came to.
type Result struct {
	Compared    int // rolls that both witnesses have
	Equal       int // those of them on which they agree whole
	Differences []Difference
}

// maxDifferences bounds what two wholly different answers may cost.
const maxDifferences = 100

// Compare compares the votes of the minutes with the recorded ones. A recorded vote without positions is a voice vote or an empty roster: it
// is no roll, and its absence from the minutes is no difference. Nor is it that a vote on a list is not recorded for each item of it.
func Compare(minutes, recorded []Item) Result {
	var r Result
	say := func(code council.AnomalyCode, item int, v *record.Vote, format string, args ...any) {
		if len(r.Differences) >= maxDifferences {
			return
		}
		d := Difference{Code: code, Item: item, Message: fmt.Sprintf(format, args...)}
		if v != nil {
			d.MotionSeq = v.MotionSeq
			if v.Page != nil {
				d.Page = *v.Page
			}
		}
		r.Differences = append(r.Differences, d)
	}
	people := rosterOf(recorded)
	rolls := 0
	for _, p := range pair(minutes, recorded) {
		switch {
		case p.minutes == nil:
			rolls++
			say(council.CodeVoteOnlyInRecord, p.item, nil, "%s: the portal records %s, and the minutes have no such vote", p.name, summary(p.recorded))
		case p.recorded == nil:
		default:
			rolls++
			r.Compared++
			if found := differences(p.minutes, p.recorded, people); len(found) > 0 {
				say(council.CodeSourcesDiffer, p.item, p.minutes, "%s: %s", p.name, strings.Join(found, "; "))
			} else {
				r.Equal++
			}
		}
	}
	if rolls == 0 {
		return r // a portal that records no rolls is no witness
	}
	for _, p := range pair(minutes, recorded) {
		if p.recorded == nil && !p.minutes.ViaConsent {
			say(council.CodeVoteOnlyInMinutes, p.item, p.minutes, "%s: the minutes have %s, and the portal records no such vote", p.name, summary(p.minutes))
		}
	}
	return r
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
func rosterOf(recorded []Item) *council.Roster {
	people := &council.Roster{}
	for _, it := range recorded {
		for _, v := range it.Votes {
			for _, name := range slices.Concat(v.Positions.All(), []string{text(v.Mover), text(v.Seconder)}) {
				if strings.Contains(name, " ") {
					people.Add(name)
				}
			}
		}
	}
	return people
}

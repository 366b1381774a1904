// Package recorded turns what a portal's data say of a meeting into a record of the form that
// minutes have, so that one merge serves both witnesses.
//
// It is a pure function: it knows no product, no database and no minutes. It concludes no position:
// what it counts are the members whose word means something, and the outcome is the portal's own.
// What the data leave out or contradict becomes an anomaly.
//
// Start with Read; Less reports whether a later answer of the portal shows less than an earlier
// one.
package recorded

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// Read returns the items of a meeting with the votes that are recorded of them, in order. words
// mean results.
func Read(d portal.Detail, words *council.ResultWords) record.Record {
	w := record.NewWriter()
	w.Body = council.Some(d.Body)
	if !d.Starts.IsZero() {
		w.MeetingDate = council.Some(d.Starts.Format("2006-01-02"))
	}
	for _, a := range d.Attendance {
		w.Attendance = append(w.Attendance, record.Attendee{Name: a.Name, Status: council.Some(a.Status)})
	}
	index := map[string]int{} // of items, by the portal's id
	var section []string      // headings above, by level
	for _, it := range d.Items {
		section = section[:min(it.Level, len(section))]
		for len(section) < it.Level {
			section = append(section, "")
		}
		if it.Section {
			section = append(section, it.Title)
			continue
		}
		above := ""
		if len(section) > 0 {
			above = section[len(section)-1]
		}
		if it.ID != "" {
			index[it.ID] = len(w.Items)
		}
		consent, removed := council.ConsentHeading(above)
		w.Items = append(w.Items, record.Item{ItemNumber: council.Some(it.Number), FileNumber: council.Some(it.FileNumber),
			Section: council.Some(above), Title: it.Title,
			IsConsent: it.Consent || consent && !removed, Votes: []record.Vote{}})
	}
	moved := slices.ContainsFunc(d.Votes, func(v portal.Vote) bool { return v.Mover != "" })
	for _, v := range d.Votes {
		at, known := index[v.ItemID]
		if !known {
			w.Report(council.CodeItemMissing, -1, nil, 0, fmt.Sprintf("the portal's record has a vote of an item %q that is "+
				"not on its agenda", v.ItemID))
			continue
		}
		r := reader{Writer: w, at: at, moved: moved}
		w.Items[at].Votes = append(w.Items[at].Votes, r.vote(v, words))
	}
	for _, n := range d.Notes {
		at, known := index[n.ItemID]
		if !known {
			at = -1
		}
		var seq *int
		if known && n.Seq > 0 && n.Seq <= len(w.Items[at].Votes) {
			seq = &n.Seq
		}
		w.Report(n.Code, at, seq, 0, n.Message)
	}
	w.Finish()
	return *w.Record
}

// A reader reads the votes of one item.
type reader struct {
	*record.Writer
	at    int
	moved bool // votes of this meeting have movers
}

func (r reader) vote(v portal.Vote, words *council.ResultWords) record.Vote {
	seq := len(r.Items[r.at].Votes) + 1
	note := func(code council.AnomalyCode, format string, args ...any) {
		r.Report(code, r.at, &seq, 0, fmt.Sprintf(format, args...))
	}
	out := record.Vote{MotionSeq: seq, MotionText: v.Motion, ResultRaw: printed(v), Result: resultOf(v, words),
		ViaConsent: v.Consent,
		Mover:      council.Some(v.Mover), Seconder: council.Some(v.Seconder)}
	seen, lists := map[string]bool{}, out.Positions.Lists()
	for _, p := range v.Positions {
		at, key := slices.Index(council.Positions(), p.Position), council.FoldName(p.Name)
		switch {
		case at < 0:
		case seen[key]:
			note(council.CodeMemberTwice, "the portal's record names %s twice; the first row counts", p.Name)
		default:
			seen[key] = true
			*lists[at] = append(*lists[at], p.Name)
		}
	}
	out.Positions.Fill()
	out.AyesCount, out.NaysCount = len(out.Positions.Aye), len(out.Positions.Nay)
	out.Unanimous = out.AyesCount > 0 && out.NaysCount == 0 && len(out.Positions.Abstain) == 0
	switch {
	case len(seen) > 0 && r.moved && v.Mover == "":
		note(council.CodeMoverMissing, "the portal's record has a roll and no mover")
	case v.Mover != "" && v.Seconder == "":
		note(council.CodeSeconderMissing, "the portal's record has a mover and no seconder")
	}
	if out.Result == council.Adopted && out.NaysCount > 0 && out.NaysCount >= out.AyesCount ||
		out.Result == council.Failed && out.AyesCount > out.NaysCount {
		note(council.CodeRecordContradicts, "the portal's record says %q with %s and %s", out.ResultRaw,
			council.Count(out.AyesCount, "aye"), council.Count(out.NaysCount, "nay"))
	}
	return out
}

// printed is the outcome in the portal's own words.
func printed(v portal.Vote) string {
	said := strings.TrimSuffix(strings.TrimPrefix(v.Action+": "+v.PassedWord, ": "), ": ")
	if v.Tally != "" {
		said += " [" + v.Tally + "]"
	}
	return said
}

// resultOf returns the result of a vote. A motion that passed means what was moved: the action says
// it, else the sentence of the motion. The portal's flag alone adopts nothing.
func resultOf(v portal.Vote, words *council.ResultWords) council.Result {
	switch {
	case v.Passed == nil:
		return words.Classify(v.Action)
	case !*v.Passed:
		return council.Failed
	}
	for _, text := range []string{v.Action, v.Motion} {
		if r, ok := words.Moved(text); ok {
			return r
		}
	}
	return council.Other
}

// Less says what a later record of a meeting shows less of than an earlier one; "" when it shows as
// much. An agenda that changes is none: only votes, positions, and a list of items that vanished
// count.
func Less(before, now portal.Detail) string {
	var lost []string
	for _, v := range before.Votes {
		at := slices.IndexFunc(now.Votes, func(n portal.Vote) bool { return n.ItemID == v.ItemID && n.Seq == v.Seq })
		what := cmp.Or(v.FileNumber, "item "+v.ItemID)
		all := council.Count(len(v.Positions), "position")
		if at < 0 {
			lost = append(lost, fmt.Sprintf("the vote on %s with %s", what, all))
		} else if n := len(now.Votes[at].Positions); n < len(v.Positions) {
			lost = append(lost, fmt.Sprintf("%d of %s of the vote on %s", len(v.Positions)-n, all, what))
		}
	}
	const most = 5
	switch {
	case len(now.Items) == 0 && !now.NoItems && len(before.Items) > 0:
		return "the portal now shows none of " + council.Count(len(before.Items), "item")
	case len(lost) > most:
		return fmt.Sprintf("the portal no longer shows %s, and %d more", strings.Join(lost[:most], ", "), len(lost)-most)
	case len(lost) > 0:
		return "the portal no longer shows " + strings.Join(lost, ", ")
	}
	return ""
}

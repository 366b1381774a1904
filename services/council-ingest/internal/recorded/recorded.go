// Package recorded reads the votes that a portal publishes as data. Read converts them to the
// record format of minutes, so that one merge serves both. LossOf detects that a portal's answer
// has less data than an earlier answer.
//
// Its functions are pure, and do not depend on a product or a database. A position counts only if
// the meaning of its word is known. The result is the portal's own. Gaps and contradictions become
// anomalies.
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

// Read returns the items of a meeting with their recorded votes, in the order of the agenda.
func Read(d portal.Detail, words *council.ResultWords) record.Record {
	w := record.NewWriter()
	w.Body = council.Some(d.Body)
	if !d.Starts.IsZero() {
		w.MeetingDate = council.Some(d.Starts.Format("2006-01-02"))
	}
	for _, a := range d.Attendance {
		w.Attendance = append(w.Attendance, record.Attendee{Name: a.Name, Status: council.Some(a.Status)})
	}
	w.Items, _ = SplitOutline(d.Items)
	index := map[string]int{} // indexes of items by the portal's id
	for i, it := range slices.DeleteFunc(slices.Clone(d.Items), func(it portal.Item) bool { return it.Section }) {
		if it.ID != "" {
			index[it.ID] = i
		}
	}
	seqs := make([][]int, len(w.Items)) // the portal's numbers of the votes that were read, by item
	hasMovers := slices.ContainsFunc(d.Votes, func(v portal.Vote) bool { return v.Mover != "" })
	for _, v := range d.Votes {
		at, ok := index[v.ItemID]
		if !ok {
			w.Report(council.CodeItemMissing, -1, nil, 0, fmt.Sprintf("the portal's record has a vote of an item %q that is "+
				"not on its agenda", v.ItemID))
			continue
		}
		if isAttendance(v) {
			continue
		}
		vote := readVote(w, at, v, words, hasMovers)
		vote.Unanimous = vote.Unanimous && !hasUnknownWord(d.Notes, v)
		w.Items[at].Votes = append(w.Items[at].Votes, vote)
		seqs[at] = append(seqs[at], v.Seq)
		reportRepeated(w, at)
	}
	for _, n := range d.Notes {
		at, ok := index[n.ItemID]
		var seq *int
		if !ok {
			at = -1
		} else if i := slices.Index(seqs[at], n.Seq); i >= 0 {
			seq = new(i + 1)
		}
		w.Report(n.Code, at, seq, 0, n.Message)
	}
	w.Finish()
	return *w.Record
}

// reportRepeated reports that the last vote of an item, its roll included, also stands under another
// item of the same file. Nobody knows whether the council voted once or twice, so both are kept.
func reportRepeated(w *record.Writer, item int) {
	it := &w.Items[item]
	last := &it.Votes[len(it.Votes)-1]
	if len(last.Roll) == 0 || it.FileNumber == nil {
		return
	}
	for i := range w.Items {
		if i == item || council.Text(w.Items[i].FileNumber) != *it.FileNumber {
			continue
		}
		for k := range w.Items[i].Votes {
			if isSameVote(last, &w.Items[i].Votes[k]) {
				w.Report(council.CodeBlockRepeated, item, &last.MotionSeq, 0, fmt.Sprintf(
					"the portal's record has this roll of file %s under two items; they may be one vote", *it.FileNumber))
				return
			}
		}
	}
}

func isSameVote(a, b *record.Vote) bool {
	return a.ResultRaw == b.ResultRaw && a.MotionText == b.MotionText &&
		council.Text(a.Mover) == council.Text(b.Mover) && council.Text(a.Seconder) == council.Text(b.Seconder) &&
		slices.Equal(a.Roll, b.Roll)
}

// SplitOutline splits the agenda of a portal into items (without votes) and headings.
func SplitOutline(outline []portal.Item) (items, headings []record.Item) {
	var path []string // titles of the headings above, by level
	for _, e := range outline {
		path = path[:min(e.Level, len(path))]
		it := record.Item{ItemNumber: council.Some(e.Number), FileNumber: council.Some(e.FileNumber), Title: e.Title,
			URL: council.Some(e.URL), Shown: e.Result}
		if len(path) > 0 {
			it.Section = council.Some(path[len(path)-1])
		}
		if e.LegifileID > 0 {
			it.LegifileID = &e.LegifileID
		}
		for len(path) < e.Level {
			path = append(path, "")
		}
		if e.Section {
			path = append(path, e.Title)
			headings = append(headings, it)
			continue
		}
		it.IsConsent = e.Consent || underConsent(path)
		items = append(items, it)
	}
	return items, headings
}

// underConsent reports whether the headings above an item put it on the consent calendar. path has
// the outermost heading first. Removed items are under a heading of their own.
func underConsent(path []string) bool {
	consent := false
	for _, heading := range path {
		list, removed := council.ConsentHeading(heading)
		consent = list || consent && !removed
	}
	return consent
}

// hasUnknownWord reports whether the position of somebody was not read: then nobody knows whether the
// vote was unanimous.
func hasUnknownWord(notes []portal.Note, v portal.Vote) bool {
	return slices.ContainsFunc(notes, func(n portal.Note) bool {
		return n.Code == council.CodeUnknownVoteWord && n.ItemID == v.ItemID && n.Seq == v.Seq
	})
}

// readVote reads the next vote on an item. hasMovers says that votes of the meeting have movers.
func readVote(w *record.Writer, item int, v portal.Vote, words *council.ResultWords, hasMovers bool) record.Vote {
	seq := len(w.Items[item].Votes) + 1
	report := func(code council.AnomalyCode, format string, args ...any) {
		w.Report(code, item, &seq, 0, fmt.Sprintf(format, args...))
	}
	out := record.Vote{MotionSeq: seq, MotionText: v.Motion, ResultRaw: printedResult(v), Result: resultOf(v, words),
		ViaConsent: v.Consent, Mover: council.Some(v.Mover), Seconder: council.Some(v.Seconder)}
	for _, name := range []**string{&out.Mover, &out.Seconder} {
		if *name != nil && council.IsOffice(**name) {
			*name = nil
		}
	}
	seen, lists := map[string]bool{}, [5][]string{} // lists has the order of council.Positions
	nameless := map[council.Position]int{}
	for _, p := range v.Positions {
		at, key := slices.Index(council.Positions(), p.Position), council.FoldName(p.Name)
		switch {
		case at < 0, isPresent(p) && !isCast(v):
		case council.IsOffice(p.Name):
			report(council.CodeNamesMissing, "the portal's record has %s for %q, an office without a name; it counts in the "+
				"tally and for no member", p.Word, p.Name)
			nameless[p.Position]++
		case seen[key]:
			report(council.CodeMemberTwice, "the portal's record names %s twice; the first row counts", p.Name)
		default:
			seen[key] = true
			lists[at] = append(lists[at], p.Name)
		}
	}
	out.Roll = council.NewRoll(lists[:]...)
	out.AyesCount = out.Roll.Count(council.Aye) + nameless[council.Aye]
	out.NaysCount = out.Roll.Count(council.Nay) + nameless[council.Nay]
	out.Unanimous = out.AyesCount > 0 && out.NaysCount == 0 &&
		out.Roll.Count(council.Abstain)+nameless[council.Abstain] == 0
	switch {
	case len(seen) > 0 && hasMovers && v.Mover == "":
		report(council.CodeMoverMissing, "the portal's record has a roll and no mover")
	case v.Mover != "" && v.Seconder == "":
		report(council.CodeSeconderMissing, "the portal's record has a mover and no seconder")
	}
	// A motion cannot pass without an aye.
	nobody := v.Passed != nil && *v.Passed && len(out.Roll) > 0 && len(out.Roll) == len(v.Positions) && out.AyesCount == 0
	if nobody || out.Result.Contradicts(out.AyesCount, out.NaysCount) {
		report(council.CodeRecordContradicts, "the portal's record says %q with %s and %s", out.ResultRaw,
			council.Count(out.AyesCount, "aye"), council.Count(out.NaysCount, "nay"))
	}
	return out
}

// isCast reports whether somebody voted aye or nay.
func isCast(v portal.Vote) bool {
	return slices.ContainsFunc(v.Positions, func(p portal.MemberPosition) bool {
		return p.Position == council.Aye || p.Position == council.Nay
	})
}

// isPresent reports whether a member has the word of attendance lists, and no meaning of the
// council's own for it.
func isPresent(p portal.MemberPosition) bool {
	return p.Position == council.Absent && portal.FoldName(p.Word) == portal.Present
}

// isAttendance reports whether a roll call lists who is present, and is no vote.
func isAttendance(v portal.Vote) bool {
	return v.Passed == nil && !isCast(v) && slices.ContainsFunc(v.Positions, isPresent)
}

// Known has what the stored meetings show about people of one name. Names are folded.
type Known struct {
	IDs       map[string][]string // the portal's ids of the member with a name on the meeting's body
	Spellings map[string]bool     // spellings with an id after the name
	Earlier   map[string]bool     // those of them that first occurred in another meeting
	// IsOne reports whether council.yaml says that a name and a spelling are one person. It may be nil.
	IsOne func(name, spelling string) bool
}

// TellApart gives two people of one name, who have two ids at the portal, two spellings: the one who
// is known, or else the one with the lower id, has the plain name, and the other has the id after the
// name. only maps the plain name, folded, to such a spelling if the meeting has nobody else of that
// name.
func TellApart(d portal.Detail, known Known) (apart portal.Detail, only map[string]string) {
	ids := map[string][]string{} // by folded name
	each := func(do func(name *string, id string)) {
		for i := range d.Votes {
			for j := range d.Votes[i].Positions {
				p := &d.Votes[i].Positions[j]
				do(&p.Name, p.PersonID)
			}
		}
		for i := range d.Attendance {
			do(&d.Attendance[i].Name, d.Attendance[i].PersonID)
		}
	}
	each(func(name *string, id string) {
		key := council.FoldName(*name)
		if id != "" && !slices.Contains(ids[key], id) {
			ids[key] = append(ids[key], id)
		}
	})
	plain := map[string]string{} // id of the person with the plain name
	for key, list := range ids {
		slices.SortFunc(list, func(a, b string) int { return cmp.Or(len(a)-len(b), cmp.Compare(a, b)) })
		at := slices.IndexFunc(list, func(id string) bool {
			return len(known.IDs[key]) == 0 || slices.Contains(known.IDs[key], id)
		})
		if at >= 0 {
			plain[key] = list[at]
		}
	}
	d, only = copyOf(d), map[string]string{}
	noted := map[string]bool{}
	each(func(name *string, id string) {
		key, spelling := council.FoldName(*name), fmt.Sprintf("%s (%s)", *name, id)
		if id == "" || !known.Spellings[spelling] && plain[key] == id || known.IsOne != nil && known.IsOne(*name, spelling) {
			return
		}
		if (len(ids[key]) > 1 || !known.Earlier[spelling]) && !noted[spelling] {
			noted[spelling] = true
			d.Notes = append(d.Notes, portal.Note{Code: council.CodeMemberAmbiguous, Message: fmt.Sprintf("the portal has %d "+
				"people with the name %s; the one with the id %s is %q here", max(2, len(ids[key])), *name, id, spelling)})
		}
		if len(ids[key]) == 1 {
			only[key] = spelling
		}
		*name = spelling
	})
	return d, only
}

// copyOf copies the lists in which names change.
func copyOf(d portal.Detail) portal.Detail {
	d.Votes = slices.Clone(d.Votes)
	d.Attendance = slices.Clone(d.Attendance)
	d.Notes = slices.Clone(d.Notes)
	for i := range d.Votes {
		d.Votes[i].Positions = slices.Clone(d.Votes[i].Positions)
	}
	return d
}

func printedResult(v portal.Vote) string {
	text := strings.TrimSuffix(strings.TrimPrefix(v.Action+": "+v.PassedWord, ": "), ": ")
	if v.Tally != "" {
		text += " [" + v.Tally + "]"
	}
	return text
}

// resultOf returns the result of a vote. If a motion passed, the result depends on the motion,
// which means on the action or on the text of the motion. The portal's passed flag alone is not
// enough for Adopted.
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

// LossOf describes the votes, positions and items that an earlier record of a meeting has and a
// later record lacks. It returns "" if there are none. A changed agenda is a loss only if it is
// empty.
func LossOf(before, now portal.Detail) string {
	var lost []string
	for _, v := range before.Votes {
		at := slices.IndexFunc(now.Votes, func(n portal.Vote) bool { return n.ItemID == v.ItemID && n.Seq == v.Seq })
		item := cmp.Or(v.FileNumber, "item "+v.ItemID)
		all := council.Count(len(v.Positions), "position")
		if at < 0 {
			lost = append(lost, fmt.Sprintf("the vote on %s with %s", item, all))
		} else if n := len(now.Votes[at].Positions); n < len(v.Positions) {
			lost = append(lost, fmt.Sprintf("%d of %s of the vote on %s", len(v.Positions)-n, all, item))
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

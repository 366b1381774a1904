package merge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/match"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

// rowsOf converts a state to rows. Recognised items and votes get their stored ids, all others
// negative ids.
func rowsOf(s State, stored rows) rows {
	if s.KeepStored {
		return withAnomalies(stored, s.Anomalies)
	}
	var w rows
	next := int64(0)
	for i, it := range s.Items {
		next--
		item := next
		w.items = append(w.items, itemRow{ID: item, Ord: i + 1, LegifileID: it.LegifileID, FileNumber: it.FileNumber,
			ItemNumber: it.ItemNumber, Section: it.Section, Title: it.Title, IsConsent: it.IsConsent, SourceURL: it.URL,
			SourcePage: it.Page})
		for _, v := range it.Votes {
			next--
			vote := voteRow{ID: next, ItemID: item, Ord: len(w.votes) + 1, MotionSeq: v.MotionSeq, MotionText: v.MotionText,
				Result: v.Result, ResultRaw: v.ResultRaw, AyesCount: v.AyesCount, NaysCount: v.NaysCount, Unanimous: v.Unanimous,
				ViaConsent: v.ViaConsent, Mover: v.Mover, Seconder: v.Seconder, ParseSource: s.Source,
				Origin: origin(s.Recorded), SourcePage: v.Page, Roll: v.Roll}
			w.votes = append(w.votes, vote)
		}
	}
	w.recognise(stored, s.Reread && !s.Recorded && !stored.areRecorded())
	for i, a := range s.Attendance {
		w.attendance = append(w.attendance, attendanceRow{i + 1, a.Name, council.FoldName(a.Name), council.Text(a.Title),
			council.Text(a.Status)})
	}
	w.anomalies = anomalyRows(s.Anomalies, w.items, stored.anomalies)
	return w
}

// areRecorded reports whether the votes come from the portal's record. The record can change while
// the minutes remain the same document.
func (r *rows) areRecorded() bool {
	return slices.ContainsFunc(r.votes, func(v voteRow) bool { return v.Origin == origin(true) })
}

func (r *rows) recognise(stored rows, reread bool) {
	oldItems, oldVotes := stored.matchKeys()
	newItems, newVotes := r.matchKeys()
	ids := map[int64]int64{} // stored ids by new ids
	for o, n := range match.Identify(oldItems, newItems, reread) {
		if n < 0 {
			continue
		}
		was, is := oldItems[o].ID, newItems[n].ID
		ids[is] = was
		for ov, nv := range match.Identify(oldVotes[was], newVotes[is], reread) {
			if nv >= 0 {
				ids[newVotes[is][nv].ID] = oldVotes[was][ov].ID
			}
		}
	}
	replace := func(id *int64) {
		if stored, ok := ids[*id]; ok {
			*id = stored
		}
	}
	for i := range r.items {
		replace(&r.items[i].ID)
	}
	for i := range r.votes {
		replace(&r.votes[i].ID)
		replace(&r.votes[i].ItemID)
	}
}

func (r *rows) matchKeys() (items []match.Item, votes map[int64][]match.Item) {
	votes = map[int64][]match.Item{}
	for _, v := range r.votes {
		votes[v.ItemID] = append(votes[v.ItemID], match.Item{ID: v.ID, Page: council.OrZero(v.SourcePage),
			Votes: []match.Vote{v.matchKey()}})
	}
	for _, it := range r.items {
		key := match.NewItem(it.FileNumber, it.ItemNumber, it.Section, it.Title)
		key.ID, key.Legifile, key.Page = it.ID, council.OrZero(it.LegifileID), council.OrZero(it.SourcePage)
		for _, v := range votes[it.ID] {
			key.Votes = append(key.Votes, v.Votes...)
		}
		items = append(items, key)
	}
	return items, votes
}

func (v *voteRow) matchKey() match.Vote {
	var roll []string
	for _, p := range v.Roll {
		roll = append(roll, string(p.Position)+" "+council.FoldName(p.Member))
	}
	slices.Sort(roll)
	return match.Vote{Motion: council.FoldName(v.MotionText),
		Outcome: fmt.Sprint(v.ResultRaw, "|", v.AyesCount, "|", v.NaysCount),
		Mover:   council.FoldName(council.Text(v.Mover)), Seconder: council.FoldName(council.Text(v.Seconder)),
		Roll: strings.Join(roll, ", ")}
}

// withAnomalies adds anomalies about the whole meeting to stored rows. They replace stored
// anomalies with the same code.
func withAnomalies(stored rows, all []record.Anomaly) rows {
	w := stored
	w.anomalies = slices.Clone(stored.anomalies)
	for _, a := range all {
		at := slices.IndexFunc(w.anomalies, func(b anomalyRow) bool { return b.Code == a.Code && b.ItemID == nil })
		if at < 0 {
			at = len(w.anomalies)
			w.anomalies = append(w.anomalies, anomalyRow{Ord: at + 1})
		}
		row := &w.anomalies[at]
		*row = anomalyRow{ID: row.ID, Ord: row.Ord, Kind: a.Kind, Code: a.Code, Message: a.Message, SourcePage: a.Page}
	}
	return w
}

// anomalyRows gives each anomaly the id of the stored anomaly with the same item, code and message,
// or otherwise of the first remaining one with the same item and code.
func anomalyRows(all []record.Anomaly, items []itemRow, stored []anomalyRow) []anomalyRow {
	out := make([]anomalyRow, len(all))
	for i, a := range all {
		out[i] = anomalyRow{Ord: i + 1, MotionSeq: a.MotionSeq, Kind: a.Kind, Code: a.Code, Message: a.Message,
			SourcePage: a.Page}
		if a.Item >= 0 {
			out[i].ItemID = &items[a.Item].ID
		}
	}
	taken := make([]bool, len(stored))
	for _, exact := range []bool{true, false} {
		for i := range out {
			a := &out[i]
			for j, b := range stored {
				same := a.Code == b.Code && council.OrZero(a.ItemID) == council.OrZero(b.ItemID) &&
					(!exact || a.Message == b.Message)
				if a.ID == 0 && !taken[j] && same {
					a.ID, taken[j] = b.ID, true
				}
			}
		}
	}
	return out
}

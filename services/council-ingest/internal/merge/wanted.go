package merge

import (
	"cmp"
	"slices"

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
	items, votes := stored.recognise(s.Items, s.Reread && s.Origin != council.FromRecord && !stored.areRecorded())
	next := int64(0)
	newID := func() int64 {
		next--
		return next
	}
	var w rows
	for i, it := range s.Items {
		item := itemRow{ID: cmp.Or(items[i], newID()), Ord: i + 1, Item: it}
		item.Votes, item.Shown = nil, ""
		w.items = append(w.items, item)
		for k, v := range it.Votes {
			w.votes = append(w.votes, council.StoredVote{ID: cmp.Or(votes[i][k], newID()), ItemID: item.ID,
				Ord: len(w.votes) + 1, Vote: v, ParseSource: s.Source, Origin: s.Origin})
		}
	}
	for i, a := range s.Attendance {
		w.attendance = append(w.attendance, attendanceRow{
			Ord:     i + 1,
			Name:    a.Name,
			NameKey: council.FoldName(a.Name),
			Title:   council.Text(a.Title),
			Status:  council.Text(a.Status),
		})
	}
	w.anomalies = anomalyRows(s.Anomalies, w.items, stored.anomalies)
	return w
}

// areRecorded reports whether the votes come from the portal's record. The record can change while
// the minutes remain the same document.
func (r *rows) areRecorded() bool {
	return slices.ContainsFunc(r.votes, func(v council.StoredVote) bool { return v.Origin == council.FromRecord })
}

// recognise returns the stored ids of items and of their votes; 0 for those that are not stored.
func (r *rows) recognise(now []record.Item, reread bool) (items []int64, votes [][]int64) {
	items, votes = make([]int64, len(now)), make([][]int64, len(now))
	for i := range now {
		votes[i] = make([]int64, len(now[i].Votes))
	}
	old, oldVotes := r.withVotes()
	foundItems, foundVotes := match.Identify(old, now, reread)
	for o, n := range foundItems {
		if n < 0 {
			continue
		}
		items[n] = r.items[o].ID
		for ov, nv := range foundVotes[o] {
			if nv >= 0 {
				votes[n][nv] = oldVotes[o][ov]
			}
		}
	}
	return items, votes
}

// withVotes returns the items with their votes, and the ids of the votes of each item.
func (r *rows) withVotes() (items []record.Item, ids [][]int64) {
	items, ids = make([]record.Item, len(r.items)), make([][]int64, len(r.items))
	index := map[int64]int{}
	for i, it := range r.items {
		items[i], index[it.ID] = it.Item, i
	}
	for _, v := range r.votes {
		i := index[v.ItemID]
		items[i].Votes, ids[i] = append(items[i].Votes, v.Vote), append(ids[i], v.ID)
	}
	return items, ids
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

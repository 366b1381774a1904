package merge

import (
	"slices"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/match"
)

// wanted turns a state into rows: ids of what is stored already where it can be
// recognised, negative ids for what is new.
func wanted(s State, stored rows, p *people) rows {
	if s.Kept {
		return keep(s, stored)
	}
	var w rows
	fresh := int64(0)
	next := func() int64 { fresh--; return fresh }

	for i, it := range s.Items {
		row := itemRow{ID: next(), Ord: int32(i + 1), LegifileID: it.LegifileID, FileNumber: it.FileNumber, ItemNumber: it.ItemNumber, Section: it.Section,
			Title: it.Title, IsConsent: it.IsConsent, SourceURL: it.URL, SourcePage: page(it.Page)}
		w.items = append(w.items, row)
		for j := range it.Votes {
			v := &it.Votes[j]
			vote := voteRow{ID: next(), ItemID: row.ID, Ord: int32(len(w.votes) + 1), MotionSeq: int32(v.MotionSeq), MotionText: v.MotionText,
				Result: string(v.Result), ResultRaw: v.ResultRaw, AyesCount: int32(v.AyesCount), NaysCount: int32(v.NaysCount),
				Unanimous: v.Unanimous, ViaConsent: v.ViaConsent, MoverID: p.idOf(v.Mover), SeconderID: p.idOf(v.Seconder),
				ParseSource: string(s.Source), Origin: origin(s.Recorded), SourcePage: page(v.Page)}
			for k, list := range listsOf(&v.Positions) {
				for _, name := range *list {
					vote.Roll = append(vote.Roll, positionRow{*p.idOf(&name), int16(len(vote.Roll) + 1), string(council.Positions()[k])})
				}
			}
			w.votes = append(w.votes, vote)
		}
	}
	w.recognise(stored, s.Reread && !s.Recorded && !stored.recorded())
	for i, a := range s.Attendance {
		w.attendance = append(w.attendance, attendanceRow{int16(i + 1), a.Name, council.FoldName(a.Name), council.Text(a.Title), council.Text(a.Status)})
	}
	w.anomalies = wantedAnomalies(s, w.items, stored.anomalies, next)
	return w
}

// recorded reports whether votes come from the portal's record, which changes while the minutes beside it stay the same document.
func (r *rows) recorded() bool {
	return slices.ContainsFunc(r.votes, func(v voteRow) bool { return v.Origin == origin(true) })
}

// recognise gives items and votes the ids under which they are stored already.
func (r *rows) recognise(stored rows, reread bool) {
	oldItems, oldVotes := stored.keys()
	nowItems, nowVotes := r.keys()
	items, votes := map[int64]int64{}, map[int64]int64{} // stored ids, by the new ones
	for o, n := range match.Identify(oldItems, nowItems, reread) {
		if n < 0 {
			continue
		}
		was, is := oldItems[o].ID, nowItems[n].ID
		items[is] = was
		for ov, nv := range match.Identify(oldVotes[was], nowVotes[is], reread) {
			if nv >= 0 {
				votes[nowVotes[is][nv].ID] = oldVotes[was][ov].ID
			}
		}
	}
	rename := func(id *int64, ids map[int64]int64) {
		if stored, is := ids[*id]; is {
			*id = stored
		}
	}
	for i := range r.items {
		rename(&r.items[i].ID, items)
	}
	for i := range r.votes {
		rename(&r.votes[i].ID, votes)
		rename(&r.votes[i].ItemID, items)
	}
}

// keep is what is stored and the anomalies to add, each in the place of the one that said the same of the meeting before.
func keep(s State, stored rows) rows {
	w := stored
	w.anomalies = slices.Clone(stored.anomalies)
	for _, a := range s.Anomalies {
		row := anomalyRow{ID: -1 - int64(len(w.anomalies)), Ord: int32(len(w.anomalies) + 1), Kind: string(a.Kind), Code: string(a.Code), Message: a.Message, SourcePage: page(a.Page)}
		at := slices.IndexFunc(w.anomalies, func(b anomalyRow) bool { return b.Code == row.Code && b.ItemID == nil })
		if at < 0 {
			w.anomalies = append(w.anomalies, row)
			continue
		}
		row.ID, row.Ord = w.anomalies[at].ID, w.anomalies[at].Ord
		w.anomalies[at] = row
	}
	return w
}

// wantedAnomalies gives each anomaly the id of the stored one that says the same of
// the same item, or, failing that, of the first one left of its code and item.
func wantedAnomalies(s State, items []itemRow, stored []anomalyRow, next func() int64) []anomalyRow {
	out := make([]anomalyRow, len(s.Anomalies))
	taken := make([]bool, len(stored))
	for i, a := range s.Anomalies {
		out[i] = anomalyRow{Ord: int32(i + 1), MotionSeq: page(a.MotionSeq), Kind: string(a.Kind), Code: string(a.Code), Message: a.Message, SourcePage: page(a.Page)}
		if a.Item >= 0 {
			out[i].ItemID = &items[a.Item].ID
		}
	}
	same := func(a, b anomalyRow) bool {
		return a.Code == b.Code && (a.ItemID == nil) == (b.ItemID == nil) && (a.ItemID == nil || *a.ItemID == *b.ItemID)
	}
	for _, exact := range []bool{true, false} {
		for i := range out {
			for j := range stored {
				if out[i].ID == 0 && !taken[j] && same(out[i], stored[j]) && (!exact || out[i].Message == stored[j].Message) {
					out[i].ID, taken[j] = stored[j].ID, true
				}
			}
		}
	}
	for i := range out {
		if out[i].ID == 0 {
			out[i].ID = next()
		}
	}
	return out
}

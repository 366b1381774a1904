package merge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/match"
)

// keys are what the items of a meeting are recognised by in another reading, and by item what its votes are.
func (r *rows) keys() (items []match.Item, votes map[int64][]match.Item) {
	votes = map[int64][]match.Item{}
	for i := range r.votes {
		v := &r.votes[i]
		votes[v.ItemID] = append(votes[v.ItemID], match.Item{ID: v.ID, Page: orZero(v.SourcePage), Votes: []match.Vote{keyOf(v)}})
	}
	for i := range r.items {
		it := &r.items[i]
		key := match.NewItem(it.FileNumber, it.ItemNumber, it.Section, it.Title)
		key.ID, key.Legifile, key.Page = it.ID, orZero(it.LegifileID), orZero(it.SourcePage)
		for _, v := range votes[it.ID] {
			key.Votes = append(key.Votes, v.Votes...)
		}
		items = append(items, key)
	}
	return items, votes
}

func keyOf(v *voteRow) match.Vote {
	names := make([]string, len(v.Roll))
	for i, p := range v.Roll {
		names[i] = fmt.Sprint(p.Position, p.MemberID)
	}
	slices.Sort(names)
	return match.Vote{Motion: council.FoldName(v.MotionText), Outcome: fmt.Sprint(v.ResultRaw, "|", v.AyesCount, "|", v.NaysCount),
		Mover: orZero(v.MoverID), Seconder: orZero(v.SeconderID), Roll: strings.Join(names, " ")}
}

func orZero[N int32 | int64](n *N) N {
	if n == nil {
		return 0
	}
	return *n
}

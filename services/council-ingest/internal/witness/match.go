package witness

import (
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

// paired is a vote with what the other witness has of it; one of the two can be missing.
type paired struct {
	name              string // of the item, as a message calls it
	item              int    // index into the items of the minutes, -1 for none
	minutes, recorded *record.Vote
}

// place is a vote and the item it is of.
type place struct {
	item int
	vote *record.Vote
}

// pair matches the rolls of the minutes with the recorded ones. Votes without a roll stay out, but for those of the minutes of which the roll
// was withheld: their tally can still be compared.
func pair(minutes, recorded []Item) []paired {
	var out []paired
	usedM, usedR := map[*record.Vote]bool{}, map[*record.Vote]bool{}
	match := func(keyOf func(Item) string) {
		groupM, order := group(minutes, keyOf, usedM, func(v *record.Vote) bool { return isRoll(v) || v.AyesCount+v.NaysCount > 0 })
		groupR, _ := group(recorded, keyOf, usedR, isRoll)
		for _, k := range order {
			for _, two := range align(groupM[k], groupR[k]) {
				m, r := two[0], two[1]
				usedM[m.vote], usedR[r.vote] = true, true
				out = append(out, paired{nameOf(minutes[m.item]), m.item, m.vote, r.vote})
			}
		}
	}
	match(func(it Item) string { return fold(it.File) })
	match(func(it Item) string {
		if it.Number == "" || it.Title == "" {
			return ""
		}
		return fold(it.Number) + " " + head(it.Title)
	})
	match(func(it Item) string { return head(it.Title) })
	for i, it := range minutes {
		for k := range it.Votes {
			if v := &it.Votes[k]; !usedM[v] && isRoll(v) {
				out = append(out, paired{nameOf(it), i, v, nil})
			}
		}
	}
	for _, it := range recorded {
		at := slices.IndexFunc(minutes, func(m Item) bool { return it.File != "" && fold(m.File) == fold(it.File) })
		for k := range it.Votes {
			if v := &it.Votes[k]; !usedR[v] && isRoll(v) {
				out = append(out, paired{nameOf(it), at, nil, v})
			}
		}
	}
	return out
}

// group puts the votes that are not used yet together by a key of their items, in order.
func group(items []Item, keyOf func(Item) string, used map[*record.Vote]bool, counts func(*record.Vote) bool) (groups map[string][]place, order []string) {
	groups = map[string][]place{}
	for i, it := range items {
		k := keyOf(it)
		if k == "" {
			continue
		}
		for n := range it.Votes {
			v := &it.Votes[n]
			if used[v] || !counts(v) {
				continue
			}
			if groups[k] == nil {
				order = append(order, k)
			}
			groups[k] = append(groups[k], place{i, v})
		}
	}
	return groups, order
}

// maxAligned is how many votes of one item are distinguished by what they say; more are matched by their order alone.
const maxAligned = 60

// align matches two lists in order. Where one is longer, the votes stay without a counterpart whose leaving out makes the others agree best.
func align(ms, rs []place) [][2]place {
	if len(ms) == len(rs) || len(ms) > maxAligned || len(rs) > maxAligned {
		out := make([][2]place, 0, min(len(ms), len(rs)))
		for i := range min(len(ms), len(rs)) {
			out = append(out, [2]place{ms[i], rs[i]})
		}
		return out
	}
	best := make([][]int, len(ms)+1)
	for i := range best {
		best[i] = make([]int, len(rs)+1)
	}
	for i := len(ms) - 1; i >= 0; i-- {
		for j := len(rs) - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1], best[i+1][j+1]+likeness(ms[i].vote, rs[j].vote))
		}
	}
	var out [][2]place
	for i, j := 0, 0; i < len(ms) && j < len(rs); {
		switch best[i][j] {
		case best[i+1][j+1] + likeness(ms[i].vote, rs[j].vote):
			out = append(out, [2]place{ms[i], rs[j]})
			i, j = i+1, j+1
		case best[i+1][j]:
			i++
		default:
			j++
		}
	}
	return out
}

// likeness says how much two votes look like one; any two do a little.
func likeness(m, r *record.Vote) int {
	n := 1
	if m.Result == r.Result {
		n += 2
	}
	if m.AyesCount == r.AyesCount && m.NaysCount == r.NaysCount {
		n += 3
	}
	return n
}

func nameOf(it Item) string {
	for _, name := range []string{it.File, it.Number} {
		if name != "" {
			return name
		}
	}
	return it.Title
}

func fold(s string) string {
	return strings.ToUpper(strings.Join(strings.Fields(strings.Trim(s, " .")), " "))
}

// head is the beginning of a title, by which it is known; empty where it is too short to distinguish items.
func head(title string) string {
	folded := council.FoldName(title)
	if len(folded) < 12 {
		return ""
	}
	return folded[:min(len(folded), 60)]
}

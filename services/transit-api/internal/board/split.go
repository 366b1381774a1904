package board

import (
	"cmp"
	"slices"
)

// maxParts is how many parts a direction has.
const maxParts = 6

// Split parts the trips of a direction into those that one table can show: a trip stays with others if it calls at more
// than half of its stops together with them. A feed that does not tell its directions apart has both ways in one service order, which
// have no row in common. The part of most trips comes first.
func Split(trips []SheetTrip) (parts [][]SheetTrip) {
	rows := map[int32]int{} // how many rows each pattern has
	for i := range trips {
		rows[trips[i].Pattern] = len(trips[i].Rows)
	}
	patterns := make([]int32, 0, len(rows))
	for n := range rows {
		patterns = append(patterns, n)
	}
	slices.SortFunc(patterns, func(a, b int32) int { return cmp.Or(cmp.Compare(rows[b], rows[a]), cmp.Compare(a, b)) })
	var taken []map[int32]bool // rows of each part
	part := map[int32]int{}    // of each pattern
	for _, n := range patterns {
		i := slices.IndexFunc(trips, func(t SheetTrip) bool { return t.Pattern == n })
		best, shared, calls := 0, 0, 0
		for k := range taken {
			common := 0
			calls = 0
			for _, r := range trips[i].Rows {
				if r.Valid {
					calls++
					if taken[k][r.Int32] {
						common++
					}
				}
			}
			if common > shared {
				best, shared = k, common
			}
		}
		if 2*shared <= calls && len(taken) < maxParts {
			best, taken = len(taken), append(taken, map[int32]bool{})
		}
		part[n] = best
		for _, r := range trips[i].Rows {
			if r.Valid {
				taken[best][r.Int32] = true
			}
		}
	}
	parts = make([][]SheetTrip, len(taken))
	for _, t := range trips {
		parts[part[t.Pattern]] = append(parts[part[t.Pattern]], t)
	}
	slices.SortStableFunc(parts, func(a, b []SheetTrip) int { return cmp.Compare(len(b), len(a)) })
	return parts
}

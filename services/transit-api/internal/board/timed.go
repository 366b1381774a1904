package board

import (
	"cmp"
	"slices"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/townline/townline/services/transit-api/internal/edition"
)

// A TimedTrip is a trip with its times or, if Every is set, the departures of a trip by frequency.
type TimedTrip struct {
	*edition.Trip
	Run         *edition.Run
	Rows        []pgtype.Int4 // row of each call in the service order, ascending; null for a call without a stop
	Start       int32         // first departure in seconds of the service day
	Every       int64         // headway in seconds; 0 means one departure
	Until       int32         // end of the departures
	Approximate bool          // the trip keeps the headway, not these times
}

// At returns the departure of a call, or the arrival at the last call, in seconds of the service
// day. If the feed does not give that time, At interpolates it, and given is false.
func (t *TimedTrip) At(call int) (seconds int32, given bool) {
	r := t.Run
	if d := r.Departures[call]; d.Valid && call < len(r.StopID)-1 {
		return t.Start + d.Int32, true
	}
	given = r.Departures[call].Valid || r.Arrivals != nil && r.Arrivals[call].Valid
	return t.Start + r.Expected[call], given
}

const maxParts = 6

// Split divides the trips of a direction into tables: a trip belongs to a table that has more than
// half of its rows. In feeds without direction_id, one service order has both directions without
// common rows. The table with the most trips comes first.
func Split(trips []TimedTrip) (parts [][]TimedTrip) {
	rows := map[int32]int{} // by pattern: number of rows
	for i := range trips {
		rows[trips[i].Pattern] = len(trips[i].Rows)
	}
	patterns := make([]int32, 0, len(rows))
	for n := range rows {
		patterns = append(patterns, n)
	}
	slices.SortFunc(patterns, func(a, b int32) int { return cmp.Or(cmp.Compare(rows[b], rows[a]), cmp.Compare(a, b)) })
	var used []map[int32]bool // by part: its rows
	part := map[int32]int{}   // by pattern: its part
	for _, n := range patterns {
		i := slices.IndexFunc(trips, func(t TimedTrip) bool { return t.Pattern == n })
		best := 0
		shared := 0
		calls := 0
		for k := range used {
			common := 0
			calls = 0
			for _, r := range trips[i].Rows {
				if r.Valid {
					calls++
					if used[k][r.Int32] {
						common++
					}
				}
			}
			if common > shared {
				best, shared = k, common
			}
		}
		if 2*shared <= calls && len(used) < maxParts {
			best, used = len(used), append(used, map[int32]bool{})
		}
		part[n] = best
		for _, r := range trips[i].Rows {
			if r.Valid {
				used[best][r.Int32] = true
			}
		}
	}
	parts = make([][]TimedTrip, len(used))
	for _, t := range trips {
		parts[part[t.Pattern]] = append(parts[part[t.Pattern]], t)
	}
	slices.SortStableFunc(parts, func(a, b []TimedTrip) int { return cmp.Compare(len(b), len(a)) })
	return parts
}

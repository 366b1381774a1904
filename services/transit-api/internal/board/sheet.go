package board

import (
	"cmp"
	"slices"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/townline/townline/services/transit-api/internal/edition"
)

// A Sheet is the timetable of one direction of a route on one day, as it hangs on a wall: trips in
// the order in which they come by, and the stops that most riders look for.
type Sheet struct {
	Trips []SheetTrip
	Rows  []int // of the service order at which any trip calls, ascending
	Main  []int // of those, the ones to show first: timepoints, or stops spread along the way
	// Timepoints says that Main is what the feed calls timepoints.
	Timepoints bool
}

// A SheetTrip is a trip, or with Every a headway, of which the first departure is shown.
type SheetTrip struct {
	*edition.Trip
	Run   *edition.Run
	Rows  []pgtype.Int4 // of each call in the service order, ascending; null for a call without a stop
	Start int32         // first departure, seconds of the service day
	Every int64         // seconds from one departure to the next; 0: once
	Until int32         // no departure at it or after it
	About bool          // it leaves as often, not at these times
	calls []int32       // by row of the service order: call + 1, 0 for none
}

// MaxMain is how many stops are shown first.
const MaxMain = 10

// NewSheet arranges trips whose service order has so many rows.
func NewSheet(trips []SheetTrip, rows int) *Sheet {
	s := &Sheet{Trips: trips}
	calling := make([]int, rows) // trips that call at each row
	for i := range trips {
		t := &trips[i]
		t.calls = make([]int32, rows)
		for call, r := range t.Rows {
			if r.Valid && int(r.Int32) < rows && call < len(t.Run.Expected) {
				t.calls[r.Int32] = int32(call) + 1
				calling[r.Int32]++
			}
		}
	}
	for r, n := range calling {
		if n > 0 {
			s.Rows = append(s.Rows, r)
		}
	}
	s.order(calling)
	s.pick(calling)
	return s
}

// Call is which call of the trip stands in a row of the service order; ok is false where it does
// not call.
func (t *SheetTrip) Call(row int) (call int, ok bool) {
	n := t.calls[row]
	return int(n) - 1, n > 0
}

// At is the time of a call in seconds of the service day: when the trip leaves, or where it ends
// when it arrives. Given says that the feed gives it, else it is reckoned.
func (t *SheetTrip) At(call int) (seconds int32, given bool) {
	r := t.Run
	if d := r.Departures[call]; d.Valid && call < len(r.StopID)-1 {
		return t.Start + d.Int32, true
	}
	given = r.Departures[call].Valid || r.Arrivals != nil && r.Arrivals[call].Valid
	return t.Start + r.Expected[call], given
}

// order sorts the trips by when they come by the stop where most of them call. Where a trip does
// not call there, it counts when it would, by how long the others take from where it calls.
func (s *Sheet) order(calling []int) {
	if len(s.Rows) == 0 {
		return
	}
	hub := s.Rows[0]
	for _, r := range s.Rows {
		if calling[r] > calling[hub] {
			hub = r
		}
	}
	rides := make([][]int32, len(calling)) // from each row to the hub, of the trips that call at both
	for i := range s.Trips {
		t := &s.Trips[i]
		at, ok := t.at(hub)
		if !ok {
			continue
		}
		for r := range rides {
			if here, ok := t.at(r); ok {
				rides[r] = append(rides[r], at-here)
			}
		}
	}
	for r := range rides {
		slices.Sort(rides[r])
	}
	by := make(map[*SheetTrip]int32, len(s.Trips))
	sorted := make([]*SheetTrip, len(s.Trips))
	for i := range s.Trips {
		t := &s.Trips[i]
		sorted[i], by[t] = t, t.Start
		best := len(calling) + 1
		for r, all := range rides {
			if here, ok := t.at(r); ok && len(all) > 0 && max(hub-r, r-hub) < best {
				best, by[t] = max(hub-r, r-hub), here+all[len(all)/2]
			}
		}
	}
	slices.SortStableFunc(sorted, func(a, b *SheetTrip) int {
		return cmp.Or(cmp.Compare(by[a], by[b]), cmp.Compare(a.Start, b.Start), cmp.Compare(a.ID, b.ID))
	})
	next := make([]SheetTrip, len(sorted))
	for i, t := range sorted {
		next[i] = *t
	}
	s.Trips = next
}

func (t *SheetTrip) at(row int) (int32, bool) {
	call, ok := t.Call(row)
	if !ok {
		return 0, false
	}
	at, _ := t.At(call)
	return at, true
}

// pick chooses the main rows.
func (s *Sheet) pick(calling []int) {
	if len(s.Rows) <= MaxMain {
		s.Main = s.Rows
		return
	}
	var timed []int
	ends := map[int]int{} // rows where trips begin or end
	for _, r := range s.Rows {
		if slices.ContainsFunc(s.Trips, func(t SheetTrip) bool { return t.timepoint(r) }) {
			timed = append(timed, r)
		}
	}
	for i := range s.Trips {
		first, last := -1, -1
		for _, r := range s.Rows {
			if _, ok := s.Trips[i].Call(r); ok {
				last = r
				if first < 0 {
					first = r
				}
			}
		}
		ends[first]++
		ends[last]++
	}
	if len(timed) >= 2 && len(timed) < len(s.Rows) && len(timed) <= MaxMain+4 {
		s.Main, s.Timepoints = timed, true
		return
	}
	// Where many trips begin or end, and between these as evenly as can be, the stops where most call.
	var must []int
	for _, r := range s.Rows {
		if 10*ends[r] >= len(s.Trips) {
			must = append(must, r)
		}
	}
	slices.SortStableFunc(must, func(a, b int) int { return ends[b] - ends[a] })
	s.Main = must[:min(len(must), MaxMain/2)]
	for len(s.Main) < MaxMain {
		best, gap := -1, 0
		for i, r := range s.Rows {
			near := len(s.Rows)
			for _, m := range s.Main {
				at := slices.Index(s.Rows, m)
				near = min(near, max(at-i, i-at))
			}
			if weight := near * calling[r]; near > 0 && weight > gap {
				best, gap = r, weight
			}
		}
		if best < 0 {
			break
		}
		s.Main = append(s.Main, best)
	}
	slices.Sort(s.Main)
}

// timepoint reports whether the trip keeps its time at a row.
func (t *SheetTrip) timepoint(row int) bool {
	call, ok := t.Call(row)
	if !ok {
		return false
	}
	_, given := t.At(call)
	exact := t.Run.Timepoint.At(call)
	return given && (exact == nil || *exact != "0")
}

// maxParts is how many parts a direction has.
const maxParts = 6

// Split parts the trips of a direction into those that one table can show: a trip stays with others
// if it calls at more than half of its stops together with them. A feed that does not tell its
// directions apart has both ways in one service order, which have no row in common. The part of
// most trips comes first.
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

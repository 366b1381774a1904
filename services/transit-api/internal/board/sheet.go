package board

import (
	"cmp"
	"slices"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/townline/townline/services/transit-api/internal/edition"
)

// A Sheet is a printed timetable for a route's direction on one day: trips in the order in which
// they pass, and the main stops.
type Sheet struct {
	Trips []SheetTrip
	Rows  []int // rows of the service order at which a trip calls, ascending
	Main  []int // the rows to show first: timepoints, or stops spread over the route
	// Timepoints is set if Main has the feed's timepoints.
	Timepoints bool
}

// A SheetTrip is a trip or, if Every is set, the departures of a trip by frequency.
type SheetTrip struct {
	*edition.Trip
	Run         *edition.Run
	Rows        []pgtype.Int4 // row of each call in the service order, ascending; null for a call without a stop
	Start       int32         // first departure in seconds of the service day
	Every       int64         // headway in seconds; 0 means one departure
	Until       int32         // end of the departures
	Approximate bool          // the trip keeps the headway, not these times
	calls       []int32       // by row of the service order: index of the call + 1, or 0
}

// MaxMain is the maximum number of main stops.
const MaxMain = 10

// NewSheet arranges trips. rows is the length of their service order.
func NewSheet(trips []SheetTrip, rows int) *Sheet {
	s := &Sheet{Trips: trips}
	calling := make([]int, rows) // by row: number of trips that call there
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

// Call returns the index of the trip's call in a row of the service order.
func (t *SheetTrip) Call(row int) (call int, ok bool) {
	n := t.calls[row]
	return int(n) - 1, n > 0
}

// At returns the departure of a call, or the arrival at the last call, in seconds of the service
// day. If the feed does not give that time, At interpolates it, and given is false.
func (t *SheetTrip) At(call int) (seconds int32, given bool) {
	r := t.Run
	if d := r.Departures[call]; d.Valid && call < len(r.StopID)-1 {
		return t.Start + d.Int32, true
	}
	given = r.Departures[call].Valid || r.Arrivals != nil && r.Arrivals[call].Valid
	return t.Start + r.Expected[call], given
}

// order sorts the trips by their time at the hub, the stop with the most calls. For a trip that
// does not call there it estimates the time from the median ride of the other trips.
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
	rides := make([][]int32, len(calling)) // by row: riding times to the hub of all trips that call at both
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
		return cmp.Or(cmp.Compare(by[a], by[b]), cmp.Compare(a.Start, b.Start), cmp.Compare(a.TripID, b.TripID))
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

// pick chooses the main rows: the timepoints if they are few enough, otherwise rows where many
// trips begin or end, and evenly between them the rows with the most calls.
func (s *Sheet) pick(calling []int) {
	if len(s.Rows) <= MaxMain {
		s.Main = s.Rows
		return
	}
	var timed []int
	ends := map[int]int{} // rows where trips begin or end, with the number of these trips
	for _, r := range s.Rows {
		if slices.ContainsFunc(s.Trips, func(t SheetTrip) bool { return t.isTimepoint(r) }) {
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
	var terminals []int
	for _, r := range s.Rows {
		if 10*ends[r] >= len(s.Trips) {
			terminals = append(terminals, r)
		}
	}
	slices.SortStableFunc(terminals, func(a, b int) int { return ends[b] - ends[a] })
	s.Main = terminals[:min(len(terminals), MaxMain/2)]
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

func (t *SheetTrip) isTimepoint(row int) bool {
	call, ok := t.Call(row)
	if !ok {
		return false
	}
	_, given := t.At(call)
	exact := t.Run.Timepoint.At(call)
	return given && (exact == nil || *exact != "0")
}

const maxParts = 6

// Split divides the trips of a direction into tables: a trip belongs to a table that has more than
// half of its rows. In feeds without direction_id, one service order has both directions without
// common rows. The table with the most trips comes first.
func Split(trips []SheetTrip) (parts [][]SheetTrip) {
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
		i := slices.IndexFunc(trips, func(t SheetTrip) bool { return t.Pattern == n })
		best, shared, calls := 0, 0, 0
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
	parts = make([][]SheetTrip, len(used))
	for _, t := range trips {
		parts[part[t.Pattern]] = append(parts[part[t.Pattern]], t)
	}
	slices.SortStableFunc(parts, func(a, b []SheetTrip) int { return cmp.Compare(len(b), len(a)) })
	return parts
}

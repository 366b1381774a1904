package transitapi

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5/pgtype"
)

// This file makes timetables of trips; it knows no database.

// Bounds of a grid: a frequency of one second would fill a day with 86,400 columns.
const (
	maxColumns   = 10_000
	maxCells     = 1_000_000 // rows by columns, most of them null
	maxGridCalls = 300_000   // cells that are not; with the others they are below what a body may have
)

// soonest keeps the first items by time, most of them at most. What is later than end need not be made.
type soonest[T any] struct {
	most    int
	compare func(a, b *T) int // by time first
	at      func(*T) int64
	items   []*T
	end     int64
	fell    bool // some fell away
}

func newSoonest[T any](most int, at func(*T) int64, compare func(a, b *T) int) *soonest[T] {
	return &soonest[T]{most: most, at: at, compare: compare, end: math.MaxInt64}
}

func (s *soonest[T]) add(item T) {
	if s.at(&item) > s.end {
		return
	}
	if s.items = append(s.items, &item); len(s.items) >= 2*s.most {
		s.cut()
	}
}

func (s *soonest[T]) cut() {
	slices.SortStableFunc(s.items, s.compare)
	if len(s.items) > s.most {
		clear(s.items[s.most:])
		s.items = s.items[:s.most]
		s.end, s.fell = s.at(s.items[s.most-1]), true
	}
}

// sorted are the items in their order.
func (s *soonest[T]) sorted() []T {
	s.cut()
	all := make([]T, len(s.items))
	for i, item := range s.items {
		all[i] = *item
	}
	return all
}

// A course is how some trips run: their pattern in the rows of a direction's
// service order, and their profile. Lists are in step with the calls.
type course struct {
	Pattern    int32
	Profile    int32
	Rows       []pgtype.Int4 // row of each call, ascending; null for a call without a stop
	Departures []pgtype.Int4 // seconds from the trip's start; null where the feed has no time
	Arrivals   []pgtype.Int4 // nil: the same as the departures
	Dist       []*string     // shape_dist_traveled, where a call has no time

	arrival []int32 // of each call, with the missing ones filled in
}

// A column is one trip of a grid, or one departure of a trip that runs by frequency.
type column struct {
	trip   *scheduledTrip
	course *course
	start  int32 // first departure, seconds of the service day
}

// A window is a row of frequencies.txt: departures every Headway seconds from
// Start until before End.
type window struct {
	TripID  string
	Start   int32 `db:"start_time"`
	End     int32 `db:"end_time"`
	Headway int32 `db:"headway_secs"`
}

// columns lays out trips by first departure; trips that have frequencies stand once
// for each departure. Trips without any time have no place in a timetable. Of too many columns
// the first are there, and they are not whole.
func columns(trips []scheduledTrip, courses map[[2]int32]*course, windows []window) (cols []column, whole bool) {
	byTrip := map[string][]window{}
	for _, w := range windows {
		byTrip[w.TripID] = append(byTrip[w.TripID], w)
	}
	start := func(c *column) int64 { return int64(c.start) }
	all := newSoonest(maxColumns, start, func(a, b *column) int { return cmp.Compare(a.start, b.start) })
	for i := range trips {
		t := &trips[i]
		if t.Pattern == nil || t.Profile == nil || t.StartTime == nil {
			continue
		}
		c := courses[[2]int32{*t.Pattern, *t.Profile}]
		if c == nil {
			continue
		}
		repeated := byTrip[t.TripID]
		if repeated == nil {
			all.add(column{t, c, *t.StartTime})
		}
		for _, w := range repeated {
			for at := int64(w.Start); at < int64(w.End) && at <= all.end; at += w.every() {
				all.add(column{t, c, int32(at)})
			}
		}
	}
	cols = all.sorted()
	return cols, !all.fell
}

// fitting are the first columns that one grid may hold, at least one, and whether that is all of them.
func fitting(cols []column, rows int) (fit []column, whole bool) {
	calls := 0
	for i, col := range cols {
		if calls += len(col.course.Rows); i > 0 && (calls > maxGridCalls || (i+1)*rows > maxCells) {
			return cols[:i], false
		}
	}
	return cols, true
}

// every is the headway: in 64 bits, because the sum of two of them need not fit into 32, and at least a second.
func (w window) every() int64 { return max(1, int64(w.Headway)) }

// usedRows tells which rows of the service order any column calls at, by their new number; -1 is a row that falls away.
func usedRows(cols []column, rows int) (number []int, used []int) {
	number = make([]int, rows)
	for _, col := range cols {
		for _, r := range col.course.Rows {
			if r.Valid {
				number[r.Int32] = 1
			}
		}
	}
	for r, n := range number {
		number[r] = -1
		if n == 1 {
			number[r] = len(used)
			used = append(used, r)
		}
	}
	return number, used
}

// fill works out the arrival of each call. Calls without a time lie between their
// neighbours by distance where the feed tells it, else evenly; before the first
// and after the last time there is only that time to tell.
func (c *course) fill() {
	c.arrival = make([]int32, len(c.Departures))
	last := -1 // call with the last known time
	for i := range c.Departures {
		at, ok := c.known(i)
		if !ok {
			continue
		}
		c.arrival[i] = at
		switch {
		case last < 0:
			for j := range i {
				c.arrival[j] = at
			}
		case last < i-1:
			c.between(last, i)
		}
		last = i
	}
	for j := last + 1; last >= 0 && j < len(c.arrival); j++ {
		c.arrival[j] = c.leaves(last)
	}
}

// known is the arrival of call i, or its departure where only that is told.
func (c *course) known(i int) (int32, bool) {
	if c.Arrivals != nil && c.Arrivals[i].Valid {
		return c.Arrivals[i].Int32, true
	}
	return c.Departures[i].Int32, c.Departures[i].Valid
}

// leaves is the departure of call i, which has a time.
func (c *course) leaves(i int) int32 {
	if c.Departures[i].Valid {
		return c.Departures[i].Int32
	}
	return c.Arrivals[i].Int32
}

// between fills the calls between two that have times.
func (c *course) between(from, to int) {
	start, end := c.leaves(from), c.arrival[to]
	share := c.distances(from, to)
	for j := from + 1; j < to; j++ {
		part := float64(j-from) / float64(to-from)
		if share != nil {
			part = share[j-from]
		}
		c.arrival[j] = start + int32(math.Round(part*float64(end-start)))
	}
}

// distances is how much of the way from one call to another each call between
// lies behind, from 0 to 1; nil when the feed's distances do not tell.
func (c *course) distances(from, to int) []float64 {
	if len(c.Dist) != len(c.Departures) {
		return nil
	}
	share := make([]float64, 0, to-from+1)
	for i := from; i <= to; i++ {
		if c.Dist[i] == nil {
			return nil
		}
		d, err := strconv.ParseFloat(*c.Dist[i], 64)
		if err != nil || math.IsNaN(d) || len(share) > 0 && d < share[len(share)-1] {
			return nil
		}
		share = append(share, d)
	}
	first, whole := share[0], share[len(share)-1]-share[0]
	if !(whole > 0) || math.IsInf(whole, 0) {
		return nil
	}
	for i := range share {
		share[i] = (share[i] - first) / whole
	}
	return share
}

// A displayClock writes times of the service day for people.
type displayClock struct{ twelve bool }

// format writes "6:05 am", or "06:05" on a 24 hour clock; times past midnight
// begin again at 0, and a feed whose trips go back in time may come before it.
func (d displayClock) format(seconds int32) string {
	const day = 24 * 60 * 60
	minutes := (int(seconds)%day + day) % day / 60
	h, m := minutes/60, minutes%60
	b := make([]byte, 0, 8)
	half := " am"
	switch {
	case !d.twelve:
		half = ""
		if h < 10 {
			b = append(b, '0')
		}
	case h >= 12:
		h, half = h-12, " pm"
	}
	if d.twelve && h == 0 {
		h = 12
	}
	b = strconv.AppendInt(b, int64(h), 10)
	b = append(b, ':', byte('0'+m/10), byte('0'+m%10))
	return string(append(b, half...))
}

package board

import (
	"cmp"
	"math"
	"slices"
)

// These constants bound a grid: a headway of one second would fill a day with 86,400 columns.
const (
	MaxColumns   = 10_000
	MaxCells     = 1_000_000 // rows × columns; most cells are null
	MaxGridCalls = 300_000   // cells that are not null; fewer than fill the largest body
)

// Columns sorts trips by first departure. A trip by frequency gets one column per departure. If
// there are too many columns, it returns the first ones, and whole is false.
func Columns(trips []TimedTrip) (cols []TimedTrip, whole bool) {
	start := func(c *TimedTrip) int64 { return int64(c.Start) }
	all := newSoonest(MaxColumns, start, func(a, b *TimedTrip) int { return cmp.Compare(a.Start, b.Start) })
	for _, t := range trips {
		if t.Every == 0 {
			all.add(&t)
			continue
		}
		for at := int64(t.Start); at < int64(t.Until) && at <= all.end; at += t.Every {
			again := t
			again.Start = int32(at)
			all.add(&again)
		}
	}
	return values(all.sorted()), !all.truncated
}

// Fitting returns the first columns, at least one, that fit into one grid. whole is set if all fit.
func Fitting(cols []TimedTrip, rows int) (fit []TimedTrip, whole bool) {
	calls := 0
	for i, col := range cols {
		calls += len(col.Rows)
		if i > 0 && (calls > MaxGridCalls || (i+1)*rows > MaxCells) {
			return cols[:i], false
		}
	}
	return cols, true
}

// UsedRows returns the rows at which a column calls as used. number maps each row to its index in
// used, or -1.
func UsedRows(cols []TimedTrip, rows int) (number []int, used []int) {
	number = make([]int, rows)
	for _, col := range cols {
		for _, r := range col.Rows {
			if r.Valid && int(r.Int32) < rows {
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

// soonest keeps the limit items with the earliest times. Callers may skip items later than end.
type soonest[T any] struct {
	limit     int
	compare   func(a, b *T) int // compares times first
	at        func(*T) int64
	items     []*T
	end       int64
	truncated bool
}

func newSoonest[T any](limit int, at func(*T) int64, compare func(a, b *T) int) *soonest[T] {
	return &soonest[T]{limit: limit, at: at, compare: compare, end: math.MaxInt64}
}

func (s *soonest[T]) add(item *T) {
	if s.at(item) > s.end {
		return
	}
	s.items = append(s.items, item)
	if len(s.items) >= 2*s.limit {
		s.cut()
	}
}

func (s *soonest[T]) cut() {
	slices.SortStableFunc(s.items, s.compare)
	if len(s.items) > s.limit {
		clear(s.items[s.limit:])
		s.items = s.items[:s.limit]
		s.end, s.truncated = s.at(s.items[s.limit-1]), true
	}
}

func (s *soonest[T]) sorted() []*T {
	s.cut()
	return s.items
}

func values[T any](items []*T) []T {
	all := make([]T, len(items))
	for i, item := range items {
		all[i] = *item
	}
	return all
}

package board

import (
	"math"
	"slices"
)

// soonest keeps the first items by time, not more than most. Callers may skip items later than end.
type soonest[T any] struct {
	most    int
	compare func(a, b *T) int // by time first
	at      func(*T) int64
	items   []*T
	end     int64
	fell    bool // some were dropped
}

func newSoonest[T any](most int, at func(*T) int64, compare func(a, b *T) int) *soonest[T] {
	return &soonest[T]{most: most, at: at, compare: compare, end: math.MaxInt64}
}

func (s *soonest[T]) add(item *T) {
	if s.at(item) > s.end {
		return
	}
	s.items = append(s.items, item)
	if len(s.items) >= 2*s.most {
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

// sorted returns the items by time.
func (s *soonest[T]) sorted() []*T {
	s.cut()
	return s.items
}

// values are the items that pointers point at.
func values[T any](items []*T) []T {
	all := make([]T, len(items))
	for i, item := range items {
		all[i] = *item
	}
	return all
}

package edition

import (
	"hash/fnv"
	"slices"
	"sort"
)

// TripsOf are the trips with ranks in a span, by rank. Nobody may change them.
func (e *Edition) TripsOf(s Span) []Trip {
	find := func(rank int) int {
		return sort.Search(len(e.trips), func(i int) bool { return int(e.trips[i].Rank) >= rank })
	}
	return e.trips[find(s.First):find(s.First+s.Count)]
}

// A Season is on which days a route runs how. Two days are alike when their timetables are,
// whatever their services are called.
type Season struct {
	services []*Service
	prints   []uint64 // of the trips of each service, in step; the print of a day is their sum
}

// NewSeason is the season of some trips.
func NewSeason(trips []Trip) *Season {
	s := &Season{}
	at := map[*Service]int{}
	for i := range trips {
		t := &trips[i]
		if !t.Timed() || t.Service == nil {
			continue
		}
		n, met := at[t.Service]
		if !met {
			n = len(s.services)
			at[t.Service] = n
			s.services, s.prints = append(s.services, t.Service), append(s.prints, 0)
		}
		s.prints[n] += t.print()
	}
	return s
}

// print is a number that trips have in common which run alike. Headways are not in memory: each
// such trip is its own.
func (t *Trip) print() uint64 {
	h := fnv.New64a()
	put := func(n int32) {
		_, _ = h.Write([]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)}) // a hash takes everything
	}
	put(int32(t.Direction))
	put(t.Pattern)
	put(t.Profile)
	put(t.Start)
	if t.Repeated {
		_, _ = h.Write([]byte(t.ID))
	}
	return h.Sum64()
}

// On is the print of a day: the same for days that are alike, 0 for one without service.
func (s *Season) On(day int) uint64 {
	sum := uint64(0)
	for i, service := range s.services {
		if service.Runs(day) {
			sum += s.prints[i]
		}
	}
	return sum
}

// Next is the first day of service from one on, within so many days; ok is false when there is
// none.
func (s *Season) Next(day, within int) (next int, ok bool) {
	for next = day; next <= day+within; next++ {
		if s.On(next) != 0 {
			return next, true
		}
	}
	return 0, false
}

// Services are those that run on a day.
func (s *Season) Services(day int) []*Service {
	return slices.DeleteFunc(slices.Clone(s.services), func(x *Service) bool { return !x.Runs(day) })
}

// Week is what is usual on each day of the week, by time.Weekday: the print that most of the days
// from one to another have. Days before the first service and after the last one are left out: the
// agency may not have published them yet. known is false for a day of the week that is not among
// the others.
func (s *Season) Week(from, to int) (usual [7]uint64, known [7]bool) {
	for ; from <= to && s.On(from) == 0; from++ {
	}
	for ; to >= from && s.On(to) == 0; to-- {
	}
	var seen [7]map[uint64]int
	for n := from; n <= to; n++ {
		w := Weekday(n)
		if !known[w] {
			seen[w], known[w] = map[uint64]int{}, true
		}
		print := s.On(n)
		if seen[w][print]++; seen[w][print] > seen[w][usual[w]] {
			usual[w] = print
		}
	}
	return usual, known
}

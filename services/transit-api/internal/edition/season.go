package edition

import (
	"hash/fnv"
	"slices"
)

// TripsOf returns the trips of a span by rank. Callers must not change them.
func (e *Edition) TripsOf(s Span) []Trip {
	return part(e.trips, s, func(t *Trip) int { return int(t.Rank) })
}

// Trips returns all trips by rank. Callers must not change them.
func (e *Edition) Trips() []Trip { return e.trips }

// A Season compares the timetables of a route on different days. It ignores service_ids.
type Season struct {
	services     []*Service
	fingerprints []uint64 // by service: sum over its trips; a day's fingerprint is the sum over its services
}

// NewSeason returns the Season of trips.
func NewSeason(trips []Trip) *Season {
	s := &Season{}
	at := map[*Service]int{}
	for i := range trips {
		t := &trips[i]
		if !t.HasTimes() || t.Service == nil {
			continue
		}
		n, seen := at[t.Service]
		if !seen {
			n = len(s.services)
			at[t.Service] = n
			s.services, s.fingerprints = append(s.services, t.Service), append(s.fingerprints, 0)
		}
		s.fingerprints[n] += t.fingerprint()
	}
	return s
}

// fingerprint is equal for trips with the same calls and times. Headways are not in memory, so
// trips by frequency all have different fingerprints.
func (t *Trip) fingerprint() uint64 {
	h := fnv.New64a()
	put := func(n int32) {
		_, _ = h.Write([]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)}) // a hash returns no errors
	}
	put(int32(t.Direction()[0]))
	put(t.Pattern)
	put(t.Profile)
	put(t.Start)
	if t.Repeated {
		_, _ = h.Write([]byte(t.TripID))
	}
	return h.Sum64()
}

// Fingerprint is equal for days with the same timetable; 0 without service.
func (s *Season) Fingerprint(day int) uint64 {
	sum := uint64(0)
	for i, service := range s.services {
		if service.Runs(day) {
			sum += s.fingerprints[i]
		}
	}
	return sum
}

// Next returns the first day with service, from a day on, within a number of days.
func (s *Season) Next(day, within int) (next int, ok bool) {
	for next = day; next <= day+within; next++ {
		if s.Fingerprint(next) != 0 {
			return next, true
		}
	}
	return 0, false
}

// Services returns the services that run on a day.
func (s *Season) Services(day int) []*Service {
	return slices.DeleteFunc(slices.Clone(s.services), func(x *Service) bool { return !x.Runs(day) })
}

// Week returns the most frequent fingerprint of each weekday between two days, indexed by
// time.Weekday. It ignores days before the first service and after the last service, because the
// agency may not have published them yet. known is false for a weekday without days.
func (s *Season) Week(from, to int) (usual [7]uint64, known [7]bool) {
	for ; from <= to && s.Fingerprint(from) == 0; from++ {
	}
	for ; to >= from && s.Fingerprint(to) == 0; to-- {
	}
	var seen [7]map[uint64]int
	for n := from; n <= to; n++ {
		w := Weekday(n)
		if !known[w] {
			seen[w], known[w] = map[uint64]int{}, true
		}
		day := s.Fingerprint(n)
		seen[w][day]++
		if seen[w][day] > seen[w][usual[w]] {
			usual[w] = day
		}
	}
	return usual, known
}

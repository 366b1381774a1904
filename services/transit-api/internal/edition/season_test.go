package edition

import (
	"slices"
	"testing"
)

// Days with the same trips have the same fingerprint, even if their services have different ids.
func TestSeasons(t *testing.T) {
	t.Parallel()
	if Weekday(20516) != 3 {
		t.Fatalf("4 March 2026 is weekday %d", Weekday(20516))
	}
	work := (&Service{ServiceID: "work", FirstDay: 20514, LastDay: 20600, Removed: []int32{20521}}).runOn("0111000")
	friday := (&Service{ServiceID: "as on work days", FirstDay: 20514, LastDay: 20600}).runOn("0000010")
	sunday := (&Service{ServiceID: "sunday", FirstDay: 20514, LastDay: 20600, Added: []int32{20521}}).runOn("1000000")
	trip := func(id string, s *Service, start int32) Trip {
		return Trip{TripID: id, ServiceRef: ServiceRef{s}, Start: start, Pattern: 1, Profile: 1}
	}
	untimed := trip("untimed", (&Service{ServiceID: "x", LastDay: 1 << 20}).runOn("1111111"), 0)
	untimed.Pattern = -1
	s := NewSeason([]Trip{trip("a", work, 100), trip("b", work, 200), trip("c", friday, 200), trip("d", friday, 100),
		trip("e", sunday, 100), untimed})
	const monday9, friday6, saturday7, sunday8 = 20521, 20518, 20519, 20520
	if s.Fingerprint(20516) != s.Fingerprint(friday6) || s.Fingerprint(20516) == s.Fingerprint(sunday8) ||
		s.Fingerprint(saturday7) != 0 ||
		s.Fingerprint(monday9) != s.Fingerprint(sunday8) {
		t.Errorf("fingerprints %d %d %d %d", s.Fingerprint(20516), s.Fingerprint(friday6), s.Fingerprint(sunday8),
			s.Fingerprint(monday9))
	}
	if next, ok := s.Next(saturday7, 5); !ok || next != sunday8 {
		t.Errorf("next: %d", next)
	}
	if _, ok := s.Next(20700, 50); ok {
		t.Error("Next found service after the end of the feed")
	}
	usual, _ := s.Week(20514, 20569)
	if usual[1] != s.Fingerprint(20516) || usual[0] != s.Fingerprint(sunday8) || usual[6] != 0 || usual[4] != 0 {
		t.Errorf("%v", usual)
	}
	// The feed ends on 27 May: later days are unknown, not days without service.
	if after, known := s.Week(20590, 20645); after != usual || known != [7]bool{true, true, true, true, true, true, true} {
		t.Errorf("week beyond the end: %v %v", after, known)
	}
	if _, known := s.Week(20597, 20645); known != [7]bool{true, true, true, true} {
		t.Errorf("week of the last days: %v", known)
	}
	if _, known := s.Week(20700, 20755); known != [7]bool{} {
		t.Errorf("week after the end: %v", known)
	}
	if got := s.Services(monday9); len(got) != 1 || got[0] != sunday {
		t.Errorf("%v", got)
	}
	e := New(nil, []Trip{{TripID: "x", Rank: 5, RouteRef: RouteRef{&Route{}}},
		{TripID: "y", Rank: 3, RouteRef: RouteRef{&Route{}}},
		{TripID: "z", Rank: 9, RouteRef: RouteRef{&Route{}}}})
	var ids []string
	for _, trip := range e.TripsOf(Span{First: 3, Count: 3}) {
		ids = append(ids, trip.TripID)
	}
	if !slices.Equal(ids, []string{"y", "x"}) {
		t.Errorf("%v", ids)
	}
}

// runOn sets the weekdays, from Sunday.
func (s *Service) runOn(week string) *Service {
	for i, day := range []*Digit{&s.Sunday, &s.Monday, &s.Tuesday, &s.Wednesday, &s.Thursday, &s.Friday, &s.Saturday} {
		*day = Digit(week[i])
	}
	return s
}

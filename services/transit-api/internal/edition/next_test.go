package edition

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
	"pgregory.net/rapid"
)

// For any timetable, Next returns the soonest stop time that passes the filter.
func TestNext(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		const horizon = 5
		stop, other := "a", "b"
		from := time.Date(2026, 3, 6, 0, 0, 0, 0, zone). // the clock changes on 8 March
									Add(time.Duration(rapid.IntRange(0, 4*86400).Draw(t, "from")) * time.Second)
		begin := DayNumber(from, zone)
		var trips []Trip
		for n := range rapid.IntRange(0, 4).Draw(t, "trips") {
			s := &Service{ServiceID: fmt.Sprint(n), FirstDay: int32(begin + rapid.IntRange(-3, 6).Draw(t, "first"))}
			s.LastDay = s.FirstDay + int32(rapid.IntRange(0, 3).Draw(t, "days"))
			s.runOn(rapid.StringMatching("[01]{7}").Draw(t, "weekdays"))
			trips = append(trips, Trip{TripID: fmt.Sprint(n), Rank: int32(n), Pattern: int32(n), Profile: int32(n),
				Start:      int32(10_000 * rapid.IntRange(0, 10).Draw(t, "start")),
				ServiceRef: ServiceRef{s}, RouteRef: RouteRef{&Route{RouteID: "r"}}})
		}
		e := New(nil, trips)
		calling := &StopCalls{StopID: stop}
		var want *int64
		first := "" // id of the trip that a board lists first
		today := false
		for i := range trips {
			trip := &trips[i]
			p := &Pattern{Number: int32(i)}
			profile := &Profile{Number: int32(i)}
			at := int32(0)
			for call := range rapid.IntRange(1, 4).Draw(t, "calls") {
				here := rapid.Bool().Draw(t, "here")
				if here {
					p.StopID = append(p.StopID, &stop)
					calling.Patterns = append(calling.Patterns, int32(i))
					calling.Positions = append(calling.Positions, int32(call+1))
					calling.Trips = append(calling.Trips, 1)
				} else {
					p.StopID = append(p.StopID, &other)
				}
				profile.Departures = append(profile.Departures, pgtype.Int4{Int32: at, Valid: true})
				e.longest.Run = max(e.longest.Run, int(at))
				// The filter rejects the second call of each trip, and trip 3.
				for day := begin - 5; here && call != 1 && trip.TripID != "3" && day <= begin+horizon; day++ {
					local := time.Unix(int64(day)*86400, 0).UTC()
					if !trip.Service.Runs(day) {
						continue
					}
					today = today || day == begin
					noon := time.Date(local.Year(), local.Month(), local.Day(), 12, 0, 0, 0, zone).Unix()
					leaves := noon - 12*3600 + int64(trip.Start) + int64(at)
					if leaves >= from.Unix() && (want == nil || leaves < *want || leaves == *want && trip.TripID < first) {
						want, first = &leaves, trip.TripID
					}
				}
				at += int32(10_000 * rapid.IntRange(0, 2).Draw(t, "ride"))
			}
			profile.expected = profile.arrivals(nil)
			e.patterns.Keep(int32(i), p, 1)
			e.profiles.Keep(int32(i), profile, 1)
			e.longest.LastStart = max(e.longest.LastStart, int(trip.Start))
		}
		e.calls.Keep(stop, calling, 1)
		filter := CallFilter{Trip: func(t *Trip) bool { return t.TripID != "3" },
			Call: func(_ *Pattern, call int) bool { return call != 1 }}
		next, err := e.Next(t.Context(), []string{stop}, from, horizon, zone, filter)
		if err != nil {
			t.Fatal(err)
		}
		if (next == nil) != (want == nil) || next != nil && (next.Departure != *want || next.TripID != first) {
			t.Fatalf("next %+v, want %v of trip %s", next, want, first)
		}
		if serves, err := e.Serves(t.Context(), []string{stop}, begin, filter); err != nil || serves != today {
			t.Fatalf("Serves: %v, %v; want %v", serves, err, today)
		}
	})
}

func TestFirstStartOfATripByFrequency(t *testing.T) {
	t.Parallel()
	trip := &Trip{Repeated: true}
	windows := []Window{{Start: 1000, End: 1300, Headway: 100}, {Start: 500, End: 650, Headway: 100}}
	for second, want := range map[int64]int64{
		0: 500, 500: 500, 501: 600, 600: 600, 601: 1000, 1001: 1100, 1200: 1200, 1201: -1,
	} {
		if got, ok := trip.firstStart(second, windows, func(int64) bool { return true }); ok != (want >= 0) ||
			ok && got != want {
			t.Errorf("first start from %d: %d, %v", second, got, ok)
		}
	}
}

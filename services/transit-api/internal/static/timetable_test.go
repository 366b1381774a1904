package static

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgtype"
	"pgregory.net/rapid"

	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
)

// timedTrip returns a trip with times at rows. A negative time is missing in the feed.
func timedTrip(id string, calls [][2]int32, timepoint ...string) board.TimedTrip {
	p, clock := &edition.Pattern{}, &edition.Profile{}
	t := board.TimedTrip{Trip: tripNamed(id)}
	for i, c := range calls {
		stop := fmt.Sprint(c[0])
		p.StopID = append(p.StopID, &stop)
		clock.Departures = append(clock.Departures, pgtype.Int4{Int32: c[1], Valid: c[1] >= 0})
		t.Rows = append(t.Rows, pgtype.Int4{Int32: c[0], Valid: true})
		if len(timepoint) > 0 {
			p.Timepoint = append(p.Timepoint, &timepoint[i])
		}
	}
	t.Run = edition.NewRun(p, clock)
	return t
}

func tripNamed(id string) *edition.Trip {
	return &edition.Trip{TripID: id, RouteRef: edition.RouteRef{Route: &edition.Route{}},
		ServiceRef: edition.ServiceRef{Service: &edition.Service{}}}
}

// arranged returns the timetable of trips whose service order has rows stops.
func arranged(t interface {
	Context() context.Context
	Fatal(args ...any)
}, trips []board.TimedTrip, rows int) *Timetable {
	var stops []edition.Stop
	var order []string
	for r := range rows {
		order = append(order, fmt.Sprint(r))
		stops = append(stops, edition.Stop{StopID: order[r], Label: order[r]})
	}
	s, err := NewTimetable(t.Context(), &edition.Feed{Edition: edition.New(stops, nil)}, order, trips)
	if err != nil {
		t.Fatal(err)
	}
	s.Arrange()
	return s
}

func ids(s *Timetable) string {
	out := ""
	for _, t := range s.Trips {
		out += t.TripID
	}
	return out
}

// A trip that begins at a later stop is sorted by its time at that stop.
func TestTimetablesAreInTheOrderOfPassing(t *testing.T) {
	t.Parallel()
	s := arranged(t, []board.TimedTrip{
		timedTrip("d", [][2]int32{{2, 2500}, {3, 2600}}), // begins midway, after c has passed
		timedTrip("c", [][2]int32{{0, 2000}, {1, 2100}, {2, 2200}, {3, 2300}}),
		timedTrip("a", [][2]int32{{0, 1000}, {1, 1100}, {2, 1200}, {3, 1300}}),
		timedTrip("b", [][2]int32{{2, 1900}, {3, 2000}}), // leaves there before c passes, although c began earlier
		timedTrip("e", [][2]int32{{0, 2350}, {1, 2450}}), // ends early; it would reach row 2 at 2550
	}, 5)
	if got := ids(s); got != "abcde" {
		t.Errorf("%s", got)
	}
	if len(s.Stops) != 4 || !slices.Equal(s.Main, []int{0, 1, 2, 3}) {
		t.Errorf("%v %v", s.Stops, s.Main)
	}
	if len(arranged(t, nil, 4).Stops) > 0 {
		t.Error("a timetable without trips has rows")
	}
}

func TestMainStops(t *testing.T) {
	t.Parallel()
	var calls [][2]int32
	var points []string
	for r := range int32(30) {
		at := r * 60
		point := "0"
		if r%10 == 0 || r == 29 {
			point = "1"
		}
		calls, points = append(calls, [2]int32{r, at}), append(points, point)
	}
	if s := arranged(t, []board.TimedTrip{timedTrip("a", calls, points...)}, 30); !slices.Equal(s.Main, []int{0, 10,
		20, 29}) ||
		!s.Timepoints {
		t.Errorf("timepoints: %v", s.Main)
	}
	s := arranged(t, []board.TimedTrip{timedTrip("a", calls), timedTrip("b", calls[:20])}, 30)
	if len(s.Main) != MaxMain || s.Timepoints || !slices.IsSorted(s.Main) || s.Main[0] != 0 ||
		s.Main[len(s.Main)-1] != 29 || !slices.Contains(s.Main, 19) {
		t.Errorf("main rows without timepoints: %v", s.Main)
	}
	for i, r := range calls { // the feed omits most times
		if i%7 != 0 && i != 29 {
			r[1] = -1
		}
		calls[i] = r
	}
	if s := arranged(t, []board.TimedTrip{timedTrip("a", calls)}, 30); !slices.Equal(s.Main, []int{0, 7, 14, 21, 28,
		29}) ||
		!s.Timepoints {
		t.Errorf("main rows with missing times: %v", s.Main)
	}
}

// Each trip is in the timetable once. Two trips with the same stops and riding times are sorted by
// start.
func TestTimetables(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.IntRange(1, 20).Draw(t, "rows")
		var trips []board.TimedTrip
		for n := range rapid.IntRange(0, 8).Draw(t, "trips") {
			var calls [][2]int32
			at := int32(0)
			for r := range rows {
				if rapid.Bool().Draw(t, "calls") {
					calls = append(calls, [2]int32{int32(r), at})
					at += int32(rapid.IntRange(0, 300).Draw(t, "ride"))
				}
			}
			if calls == nil {
				continue
			}
			trip := timedTrip(fmt.Sprintf("%c", 'a'+n), calls)
			trip.Start = int32(rapid.IntRange(0, 5000).Draw(t, "start"))
			later := trip
			later.Start += int32(rapid.IntRange(1, 100).Draw(t, "later"))
			later.Trip = tripNamed(trip.TripID + "'")
			trips = append(trips, later, trip)
		}
		s := arranged(t, slices.Clone(trips), rows)
		if len(s.Trips) != len(trips) || len(s.Main) > MaxMain+4 || len(trips) > 0 && len(s.Main) == 0 {
			t.Fatalf("%d of %d trips, main %v of %v", len(s.Trips), len(trips), s.Main, s.Stops)
		}
		place := map[string]int{}
		for i := range s.Trips {
			place[s.Trips[i].TripID] = i
			for r, c := range s.Trips[i].StopTimes {
				if c != nil && fmt.Sprint(s.Trips[i].Timed.Rows[c.Call].Int32) != s.Stops[r].StopID {
					t.Fatalf("call %d of %s is in row %d", c.Call, s.Trips[i].TripID, r)
				}
			}
		}
		for _, trip := range trips {
			if at, ok := place[trip.TripID+"'"]; ok && at < place[trip.TripID] {
				t.Fatalf("%s comes before an earlier trip with the same stops", trip.TripID)
			}
		}
		for _, m := range s.Main {
			if m < 0 || m >= len(s.Stops) {
				t.Fatalf("main row %d is not in %v", m, s.Stops)
			}
		}
	})
}

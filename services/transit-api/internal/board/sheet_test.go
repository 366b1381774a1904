package board

import (
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgtype"
	"pgregory.net/rapid"

	"github.com/townline/townline/services/transit-api/internal/edition"
)

// sheetTrip returns a trip with times at rows. A negative time is missing in the feed.
func sheetTrip(id string, calls [][2]int32, timepoint ...string) SheetTrip {
	p, clock := &edition.Pattern{}, &edition.Profile{}
	t := SheetTrip{Trip: &edition.Trip{TripID: id}}
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

func ids(s *Sheet) string {
	out := ""
	for _, t := range s.Trips {
		out += t.TripID
	}
	return out
}

// A trip that begins at a later stop is sorted by its time at that stop.
func TestSheetsAreInTheOrderOfPassing(t *testing.T) {
	t.Parallel()
	s := NewSheet([]SheetTrip{
		sheetTrip("d", [][2]int32{{2, 2500}, {3, 2600}}), // begins midway, after c has passed
		sheetTrip("c", [][2]int32{{0, 2000}, {1, 2100}, {2, 2200}, {3, 2300}}),
		sheetTrip("a", [][2]int32{{0, 1000}, {1, 1100}, {2, 1200}, {3, 1300}}),
		sheetTrip("b", [][2]int32{{2, 1900}, {3, 2000}}), // leaves there before c passes, although c began earlier
		sheetTrip("e", [][2]int32{{0, 2350}, {1, 2450}}), // ends early; it would reach row 2 at 2550
	}, 5)
	if got := ids(s); got != "abcde" {
		t.Errorf("%s", got)
	}
	if !slices.Equal(s.Rows, []int{0, 1, 2, 3}) || !slices.Equal(s.Main, s.Rows) {
		t.Errorf("%v %v", s.Rows, s.Main)
	}
	if NewSheet(nil, 4).Rows != nil {
		t.Error("a sheet without trips has rows")
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
	if s := NewSheet([]SheetTrip{sheetTrip("a", calls, points...)}, 30); !slices.Equal(s.Main, []int{0, 10, 20, 29}) ||
		!s.Timepoints {
		t.Errorf("timepoints: %v", s.Main)
	}
	s := NewSheet([]SheetTrip{sheetTrip("a", calls), sheetTrip("b", calls[:20])}, 30)
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
	if s := NewSheet([]SheetTrip{sheetTrip("a", calls)}, 30); !slices.Equal(s.Main, []int{0, 7, 14, 21, 28, 29}) ||
		!s.Timepoints {
		t.Errorf("main rows with missing times: %v", s.Main)
	}
}

// Each trip is on the sheet once. Two trips with the same stops and riding times are sorted by
// start.
func TestSheets(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.IntRange(1, 20).Draw(t, "rows")
		var trips []SheetTrip
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
			trip := sheetTrip(fmt.Sprintf("%c", 'a'+n), calls)
			trip.Start = int32(rapid.IntRange(0, 5000).Draw(t, "start"))
			later := trip
			later.Start += int32(rapid.IntRange(1, 100).Draw(t, "later"))
			later.Trip = &edition.Trip{TripID: trip.TripID + "'"}
			trips = append(trips, later, trip)
		}
		s := NewSheet(slices.Clone(trips), rows)
		if len(s.Trips) != len(trips) || len(s.Main) > MaxMain+4 || len(trips) > 0 && len(s.Main) == 0 {
			t.Fatalf("%d of %d trips, main %v of %v", len(s.Trips), len(trips), s.Main, s.Rows)
		}
		place := map[string]int{}
		for i := range s.Trips {
			place[s.Trips[i].TripID] = i
			for _, r := range s.Rows {
				if call, ok := s.Trips[i].Call(r); ok && s.Trips[i].Rows[call].Int32 != int32(r) {
					t.Fatalf("call %d of %s is in row %d", call, s.Trips[i].TripID, r)
				}
			}
		}
		for _, trip := range trips {
			if at, ok := place[trip.TripID+"'"]; ok && at < place[trip.TripID] {
				t.Fatalf("%s comes before an earlier trip with the same stops", trip.TripID)
			}
		}
		for _, m := range s.Main {
			if !slices.Contains(s.Rows, m) {
				t.Fatalf("main row %d is not in %v", m, s.Rows)
			}
		}
	})
}

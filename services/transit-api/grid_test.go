package transitapi

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgtype"
	"pgregory.net/rapid"

	"github.com/townline/townline/pkg/rest"
)

// Whatever the trips, every column read from top to bottom is the trip's calls in their
// order, no row is empty, and columns stand by first departure.
func TestTimetableReadsTopToBottom(t *testing.T) {
	t.Parallel()
	a := &api{clock: displayClock{twelve: true}}
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.IntRange(1, 12).Draw(t, "rows")
		byKey := map[[2]int32]*course{}
		var trips []scheduledTrip
		for i := range rapid.IntRange(0, 8).Draw(t, "trips") {
			key := [2]int32{int32(i), int32(i)}
			c := drawCourse(t, rows)
			c.fill()
			byKey[key] = c
			start := int32(rapid.IntRange(0, 100_000).Draw(t, "start"))
			trips = append(trips, scheduledTrip{TripID: fmt.Sprint(i), Pattern: &key[0], Profile: &key[1], StartTime: &start})
		}
		cols, _ := columns(trips, byKey, nil)
		if len(cols) != len(trips) {
			t.Fatalf("%d columns for %d trips", len(cols), len(trips))
		}
		if !slices.IsSortedFunc(cols, func(x, y column) int { return cmp.Compare(x.start, y.start) }) {
			t.Fatal("columns are not in the order of their first departure")
		}
		number, used := usedRows(cols, rows)
		stops := make([]*indexedStop, len(used))
		for i, r := range used {
			stops[i] = &indexedStop{Num: int64(r)} // a row's number in the service order stands for its stop
		}
		grid, err := a.timetable(context.Background(), scheduleParams{}, cols, number, stops)
		if err != nil {
			t.Fatal(err)
		}
		called := make([]bool, len(used))
		for i, trip := range grid.Trips {
			if len(trip.StopTimes) != len(grid.Stops) {
				t.Fatalf("column %d has %d cells for %d rows", i, len(trip.StopTimes), len(grid.Stops))
			}
			var got, want []int64
			last := int32(-1 << 30)
			for row, cell := range trip.StopTimes {
				if cell == nil {
					continue
				}
				called[row] = true
				got = append(got, cell.StopID)
				if cell.ArrivalTimeSeconds < last {
					t.Fatalf("column %d goes back in time: %d after %d", i, cell.ArrivalTimeSeconds, last)
				}
				last = cell.ArrivalTimeSeconds
			}
			for _, r := range cols[i].course.Rows {
				if r.Valid {
					want = append(want, int64(r.Int32))
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("column %d calls at %v, the trip at %v", i, got, want)
			}
		}
		if slices.Contains(called, false) {
			t.Fatalf("a row without a call: %v", called)
		}
	})
}

// drawCourse makes calls in some of the rows, some without a stop, with times that do not go back and may be missing.
func drawCourse(t *rapid.T, rows int) *course {
	c := &course{}
	at := int32(0)
	for r := range rows {
		if rapid.IntRange(0, 2).Draw(t, "call") == 0 {
			continue
		}
		c.Rows = append(c.Rows, pgtype.Int4{Int32: int32(r), Valid: rapid.IntRange(0, 5).Draw(t, "stop") > 0})
		arrive := at + int32(rapid.IntRange(0, 600).Draw(t, "ride"))
		at = arrive + int32(rapid.IntRange(0, 60).Draw(t, "wait"))
		c.Arrivals = append(c.Arrivals, pgtype.Int4{Int32: arrive, Valid: rapid.Bool().Draw(t, "arrival")})
		c.Departures = append(c.Departures, pgtype.Int4{Int32: at, Valid: rapid.Bool().Draw(t, "departure")})
		dist := fmt.Sprint(len(c.Rows) * rapid.IntRange(1, 3).Draw(t, "distance"))
		c.Dist = append(c.Dist, &dist)
	}
	if rapid.Bool().Draw(t, "equal") {
		c.Arrivals = nil
	}
	return c
}

// offsets writes seconds with -1 for none.
func offsets(list ...int32) []pgtype.Int4 {
	out := make([]pgtype.Int4, len(list))
	for i, n := range list {
		out[i] = pgtype.Int4{Int32: n, Valid: n != -1}
	}
	return out
}

func TestMissingTimes(t *testing.T) {
	t.Parallel()
	text := func(list ...string) []*string {
		out := make([]*string, len(list))
		for i := range list {
			if list[i] != "" {
				out[i] = &list[i]
			}
		}
		return out
	}
	for name, c := range map[string]struct {
		course course
		want   []int32
	}{
		"even":               {course{Departures: offsets(0, -1, -1, 300)}, []int32{0, 100, 200, 300}},
		"by distance":        {course{Departures: offsets(0, -1, -1, 300), Dist: text("10", "11", "12", "13")}, []int32{0, 100, 200, 300}},
		"uneven distance":    {course{Departures: offsets(0, -1, -1, 300), Dist: text("0", "0.5", "2.5", "3")}, []int32{0, 50, 250, 300}},
		"a distance missing": {course{Departures: offsets(0, -1, -1, 300), Dist: text("0", "", "2.5", "3")}, []int32{0, 100, 200, 300}},
		"distances go back":  {course{Departures: offsets(0, -1, -1, 300), Dist: text("0", "2", "1", "3")}, []int32{0, 100, 200, 300}},
		"no distance at all": {course{Departures: offsets(0, -1, -1, 300), Dist: text("0", "0", "0", "0")}, []int32{0, 100, 200, 300}},
		"not a distance":     {course{Departures: offsets(0, -1, -1, 300), Dist: text("0", "NaN", "x", "Inf")}, []int32{0, 100, 200, 300}},
		"one for all":        {course{Departures: offsets(0, -1, -1, 300), Dist: text("0")}, []int32{0, 100, 200, 300}},
		"at the ends":        {course{Departures: offsets(-1, 50, 80, -1)}, []int32{50, 50, 80, 80}},
		"after a wait":       {course{Departures: offsets(0, 100, -1, 300), Arrivals: offsets(0, 60, -1, 300)}, []int32{0, 60, 200, 300}},
		"only departures":    {course{Departures: offsets(0, 100), Arrivals: offsets(-1, -1)}, []int32{0, 100}},
		"only arrivals":      {course{Departures: offsets(-1, -1, -1), Arrivals: offsets(0, -1, 100)}, []int32{0, 50, 100}},
		"none":               {course{Departures: offsets(-1, -1)}, []int32{0, 0}},
		"no calls":           {course{}, []int32{}},
	} {
		c.course.fill()
		if diff := gocmp.Diff(c.want, c.course.arrival); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}

func TestFrequencies(t *testing.T) {
	t.Parallel()
	start, key := int32(7), [2]int32{0, 0}
	trips := []scheduledTrip{{TripID: "f", Pattern: &key[0], Profile: &key[1], StartTime: &start}, {TripID: "untimed", Pattern: &key[0]}}
	byKey := map[[2]int32]*course{key: {Rows: offsets(0), Departures: offsets(0), arrival: []int32{0}}}
	starts := func(windows ...window) []int32 {
		var out []int32
		cols, _ := columns(trips, byKey, windows)
		for _, c := range cols {
			out = append(out, c.start)
		}
		return out
	}
	if diff := gocmp.Diff([]int32{7}, starts()); diff != "" {
		t.Error(diff)
	}
	two := []window{{"f", 300, 500, 100}, {"f", 100, 250, 100}}
	if diff := gocmp.Diff([]int32{100, 200, 300, 400}, starts(two...)); diff != "" {
		t.Errorf("the end of a window is not a departure: %s", diff)
	}
	if n := len(starts(window{"f", 0, 1 << 30, 1})); n != maxColumns {
		t.Errorf("%d columns", n)
	}
	// A headway whose sum with a time is beyond 32 bits leaves one departure, not one after the other before the year 0.
	if diff := gocmp.Diff([]int32{100}, starts(window{"f", 100, 90_000, math.MaxInt32})); diff != "" {
		t.Errorf("the longest headway: %s", diff)
	}
	if got := nearest(50_000, []window{{"f", 100, 90_000, math.MaxInt32}}); got != 100 {
		t.Errorf("nearest by the longest headway: %d", got)
	}
	// Of too many the first stay, whichever trip they are of.
	cols, whole := columns(trips, byKey, []window{{"f", 40_000, 80_000, 1}, {"f", 0, 40_000, 1}})
	if whole || len(cols) != maxColumns || cols[0].start != 0 || cols[maxColumns-1].start != maxColumns-1 {
		t.Errorf("%d columns from %d to %d, whole: %v", len(cols), cols[0].start, cols[len(cols)-1].start, whole)
	}
}

// A grid has no more cells than an answer may hold, and tells when it is not whole.
func TestGridsFit(t *testing.T) {
	t.Parallel()
	long := &course{Rows: make([]pgtype.Int4, maxGridCalls/10)}
	cols := slices.Repeat([]column{{course: long}}, 100)
	if fit, whole := fitting(cols, len(long.Rows)); len(fit) != 10 || whole {
		t.Errorf("%d long columns, whole: %v", len(fit), whole)
	}
	short := slices.Repeat([]column{{course: &course{Rows: make([]pgtype.Int4, 1)}}}, 100)
	if fit, whole := fitting(short, maxCells/50); len(fit) != 50 || whole {
		t.Errorf("%d short columns of many rows, whole: %v", len(fit), whole)
	}
	if fit, whole := fitting(short, 10); len(fit) != 100 || !whole {
		t.Errorf("%d columns of few rows, whole: %v", len(fit), whole)
	}
	if fit, _ := fitting(cols[:1], 2*maxCells); len(fit) != 1 {
		t.Errorf("%d of one column", len(fit))
	}
}

func TestDisplayClock(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		seconds        int32
		twelve, twenty string
	}{
		{0, "12:00 am", "00:00"},
		{59, "12:00 am", "00:00"},
		{6*3600 + 5*60, "6:05 am", "06:05"},
		{12 * 3600, "12:00 pm", "12:00"},
		{13*3600 + 59*60 + 59, "1:59 pm", "13:59"},
		{24 * 3600, "12:00 am", "00:00"},
		{25*3600 + 10*60, "1:10 am", "01:10"},
		{36 * 3600, "12:00 pm", "12:00"},
		{-60, "11:59 pm", "23:59"},
	} {
		if got := (displayClock{twelve: true}).format(c.seconds); got != c.twelve {
			t.Errorf("%d: %q, want %q", c.seconds, got, c.twelve)
		}
		if got := (displayClock{}).format(c.seconds); got != c.twenty {
			t.Errorf("%d: %q, want %q", c.seconds, got, c.twenty)
		}
	}
}

func TestClock(t *testing.T) {
	t.Parallel()
	for at, want := range map[Clock]string{0: "00:00:00", 35999: "09:59:59", 36000: "10:00:00", 90061: "25:01:01", 360_000: "100:00:00"} {
		if got, err := at.MarshalJSON(); err != nil || string(got) != `"`+want+`"` {
			t.Errorf("%d: %s %v, want %s", int32(at), got, err, want)
		}
	}
}

// Dates are local midnights, also on days that have none.
func TestMidnight(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, day, want string }{
		{"UTC", "2026-01-02", "2026-01-02T00:00:00+00:00"},
		{"America/New_York", "2026-03-08", "2026-03-08T00:00:00-05:00"},
		{"America/New_York", "2026-03-09", "2026-03-09T00:00:00-04:00"},
		{"America/New_York", "2026-11-01", "2026-11-01T00:00:00-04:00"},
		{"Asia/Kathmandu", "2026-01-02", "2026-01-02T00:00:00+05:45"},
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04T00:00:00-03:00"}, // clocks went from 00:00 to 01:00
		{"America/Sao_Paulo", "2018-11-05", "2018-11-05T00:00:00-02:00"},
		{"Pacific/Apia", "2011-12-30", "2011-12-30T00:00:00-10:00"}, // a day that was left out
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		day, err := rest.ParseDate(c.day)
		if err != nil {
			t.Fatal(err)
		}
		if got := midnight(day, zone); got != c.want {
			t.Errorf("%s in %s: %s, want %s", c.day, c.zone, got, c.want)
		}
	}
}

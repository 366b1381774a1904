package static

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
	"pgregory.net/rapid"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
)

// For any trips, a column lists the trip's stop times in order, no row is empty, and columns are
// ordered by first departure.
func TestTimetableReadsTopToBottom(t *testing.T) {
	t.Parallel()
	a := &API{Display: DisplayClock{Twelve: true}}
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.IntRange(1, 12).Draw(t, "rows")
		var trips []board.SheetTrip
		for i := range rapid.IntRange(0, 8).Draw(t, "trips") {
			c := drawColumn(t, rows)
			c.Trip, c.Start = &edition.Trip{ID: fmt.Sprint(i)}, int32(rapid.IntRange(0, 100_000).Draw(t, "start"))
			trips = append(trips, c)
		}
		cols, _ := board.Columns(trips)
		if len(cols) != len(trips) {
			t.Fatalf("%d columns for %d trips", len(cols), len(trips))
		}
		if !slices.IsSortedFunc(cols, func(x, y board.SheetTrip) int { return cmp.Compare(x.Start, y.Start) }) {
			t.Fatal("columns are not sorted by first departure")
		}
		number, used := board.UsedRows(cols, rows)
		stops := make([]*edition.Stop, len(used))
		for i, r := range used {
			stops[i] = &edition.Stop{Num: int64(r)} // the row number identifies the row in place of a stop
		}
		grid, err := a.timetable(context.Background(), &edition.Feed{Edition: edition.New(nil, nil)}, scheduleParams{}, cols,
			number, stops)
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
			for _, r := range cols[i].Rows {
				if r.Valid {
					want = append(want, int64(r.Int32))
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("column %d calls at %v, the trip at %v", i, got, want)
			}
		}
		if slices.Contains(called, false) {
			t.Fatalf("row without a call: %v", called)
		}
	})
}

// drawColumn draws a trip that calls in some rows. Some calls have no stop. Times do not decrease;
// some are missing.
func drawColumn(t *rapid.T, rows int) board.SheetTrip {
	pattern, profile := &edition.Pattern{}, &edition.Profile{}
	var c board.SheetTrip
	at := int32(0)
	for r := range rows {
		if rapid.IntRange(0, 2).Draw(t, "call") == 0 {
			continue
		}
		c.Rows = append(c.Rows, pgtype.Int4{Int32: int32(r), Valid: rapid.IntRange(0, 5).Draw(t, "stop") > 0})
		arrive := at + int32(rapid.IntRange(0, 600).Draw(t, "ride"))
		at = arrive + int32(rapid.IntRange(0, 60).Draw(t, "wait"))
		profile.Arrivals = append(profile.Arrivals, pgtype.Int4{Int32: arrive, Valid: rapid.Bool().Draw(t, "arrival")})
		profile.Departures = append(profile.Departures, pgtype.Int4{Int32: at, Valid: rapid.Bool().Draw(t, "departure")})
		dist := fmt.Sprint(len(c.Rows) * rapid.IntRange(1, 3).Draw(t, "distance"))
		pattern.ShapeDistTraveled = append(pattern.ShapeDistTraveled, &dist)
	}
	if rapid.Bool().Draw(t, "equal") {
		profile.Arrivals = nil
	}
	c.Run = edition.NewRun(pattern, profile)
	return c
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
		if got := (DisplayClock{Twelve: true}).format(c.seconds); got != c.twelve {
			t.Errorf("%d: %q, want %q", c.seconds, got, c.twelve)
		}
		if got := (DisplayClock{}).format(c.seconds); got != c.twenty {
			t.Errorf("%d: %q, want %q", c.seconds, got, c.twenty)
		}
	}
}

func TestClock(t *testing.T) {
	t.Parallel()
	for at, want := range map[Clock]string{0: "00:00:00", 35999: "09:59:59", 36000: "10:00:00", 90061: "25:01:01",
		360_000: "100:00:00"} {
		if got, err := at.MarshalJSON(); err != nil || string(got) != `"`+want+`"` {
			t.Errorf("%d: %s %v, want %s", int32(at), got, err, want)
		}
	}
}

// Dates are local midnights, even if midnight does not exist on that day.
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
		{"Pacific/Apia", "2011-12-30", "2011-12-30T00:00:00-10:00"}, // the zone skipped this day
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

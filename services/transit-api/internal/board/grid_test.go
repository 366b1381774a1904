package board

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/townline/townline/services/transit-api/internal/edition"
)

func TestFrequencies(t *testing.T) {
	t.Parallel()
	columns := func(windows ...edition.Window) ([]TimedTrip, bool) {
		var trips []TimedTrip
		for _, w := range windows {
			trips = append(trips, TimedTrip{Start: w.Start, Every: w.Every(), Until: w.End})
		}
		return Columns(trips)
	}
	starts := func(windows ...edition.Window) []int32 {
		var out []int32
		cols, _ := columns(windows...)
		for _, c := range cols {
			out = append(out, c.Start)
		}
		return out
	}
	if cols, _ := Columns([]TimedTrip{{Start: 7}}); len(cols) != 1 || cols[0].Start != 7 {
		t.Errorf("%+v", cols)
	}
	two := []edition.Window{{Start: 300, End: 500, Headway: 100}, {Start: 100, End: 250, Headway: 100}}
	if diff := cmp.Diff([]int32{100, 200, 300, 400}, starts(two...)); diff != "" {
		t.Errorf("a departure at the end of a window: %s", diff)
	}
	if n := len(starts(edition.Window{Start: 0, End: 1 << 30, Headway: 1})); n != MaxColumns {
		t.Errorf("%d columns", n)
	}
	// A headway that overflows 32 bits when added to a time yields one departure, not many before
	// the year 0.
	if diff := cmp.Diff([]int32{100}, starts(edition.Window{Start: 100, End: 90_000,
		Headway: math.MaxInt32})); diff != "" {
		t.Errorf("starts with the longest headway: %s", diff)
	}
	if got, _ := nearest(50_000, []edition.Window{{Start: 100, End: 90_000, Headway: math.MaxInt32}}); got != 100 {
		t.Errorf("nearest start with the longest headway: %d", got)
	}
	// If there are too many columns, the first ones stay, from all trips.
	cols, whole := columns(edition.Window{Start: 40_000, End: 80_000, Headway: 1}, edition.Window{Start: 0, End: 40_000,
		Headway: 1})
	if whole || len(cols) != MaxColumns || cols[0].Start != 0 || cols[MaxColumns-1].Start != MaxColumns-1 {
		t.Errorf("%d columns from %d to %d, complete: %v", len(cols), cols[0].Start, cols[len(cols)-1].Start, whole)
	}
}

// A grid is truncated at the maximum answer size, and reports that.
func TestGridsFit(t *testing.T) {
	t.Parallel()
	long := TimedTrip{Rows: make([]pgtype.Int4, MaxGridCalls/10)}
	cols := slices.Repeat([]TimedTrip{long}, 100)
	if fit, whole := Fitting(cols, len(long.Rows)); len(fit) != 10 || whole {
		t.Errorf("%d columns with many calls, complete: %v", len(fit), whole)
	}
	short := slices.Repeat([]TimedTrip{{Rows: make([]pgtype.Int4, 1)}}, 100)
	if fit, whole := Fitting(short, MaxCells/50); len(fit) != 50 || whole {
		t.Errorf("%d columns with one call and many rows, complete: %v", len(fit), whole)
	}
	if fit, whole := Fitting(short, 10); len(fit) != 100 || !whole {
		t.Errorf("%d columns with few rows, complete: %v", len(fit), whole)
	}
	if fit, _ := Fitting(cols[:1], 2*MaxCells); len(fit) != 1 {
		t.Errorf("%d columns fit, want 1", len(fit))
	}
}

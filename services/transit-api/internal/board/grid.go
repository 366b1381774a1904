package board

import (
	"cmp"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/townline/townline/services/transit-api/internal/edition"
)

// Bounds of a grid: a frequency of one second would fill a day with 86,400 columns.
const (
	MaxColumns   = 10_000
	MaxCells     = 1_000_000 // rows by columns, most of them null
	MaxGridCalls = 300_000   // cells that are not null; all cells together stay below the largest body
)

// A Column is one trip of a timetable, or one departure of a trip that runs by frequency.
type Column struct {
	Label string
	Trip  *edition.Trip
	Run   *edition.Run
	Rows  []pgtype.Int4 // row of each call in the service order, ascending; null for a call without a stop
	Start int32         // first departure, seconds of the service day
}

// Columns lays out trips by first departure. A trip with frequencies gets a column for each departure. If there are too
// many columns, it returns the first ones and false.
func Columns(trips []Column, windows map[string][]edition.Window) (cols []Column, whole bool) {
	start := func(c *Column) int64 { return int64(c.Start) }
	all := newSoonest(MaxColumns, start, func(a, b *Column) int { return cmp.Compare(a.Start, b.Start) })
	for _, c := range trips {
		repeated := windows[c.Trip.ID]
		if repeated == nil {
			all.add(&c)
		}
		for _, w := range repeated {
			for at := int64(w.Start); at < int64(w.End) && at <= all.end; at += w.Every() {
				again := c
				again.Start = int32(at)
				all.add(&again)
			}
		}
	}
	return values(all.sorted()), !all.fell
}

// Fitting returns the first columns that fit into one grid, at least one, and whether all fit.
func Fitting(cols []Column, rows int) (fit []Column, whole bool) {
	calls := 0
	for i, col := range cols {
		calls += len(col.Rows)
		if i > 0 && (calls > MaxGridCalls || (i+1)*rows > MaxCells) {
			return cols[:i], false
		}
	}
	return cols, true
}

// UsedRows returns the new number of each row of the service order; -1 for a row that no column calls at.
func UsedRows(cols []Column, rows int) (number []int, used []int) {
	number = make([]int, rows)
	for _, col := range cols {
		for _, r := range col.Rows {
			if r.Valid {
				number[r.Int32] = 1
			}
		}
	}
	for r, n := range number {
		number[r] = -1
		if n == 1 {
			number[r] = len(used)
			used = append(used, r)
		}
	}
	return number, used
}

package board

import (
	"iter"

	"github.com/townline/townline/services/transit-api/internal/edition"
)

// starts are the first departures of a visit, in their order: one, or those of its frequency that matter between two instants, where the call
// that matters is so long after the first departure.
func starts(v *edition.Visit, from, to, last int64) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		if v.Window == nil {
			yield(v.Start)
			return
		}
		at, every := int64(v.Window.Start), v.Window.Every()
		if skip := from - last - every - v.Day.Start - at; skip > 0 {
			at += skip / every * every
		}
		for ; at < int64(v.Window.End) && v.Day.Start+at <= to && yield(int32(at)); at += every {
		}
	}
}

// nearest is the departure of a trip that runs by frequency which is nearest to a time, and its headway: a vehicle that
// keeps a headway need not leave at the second that the headway says.
func nearest(at int32, of []edition.Window) (start int32, every int64) {
	best := int64(at)
	for i, w := range of {
		first, headway := int64(w.Start), w.Every()
		n := (int64(w.End) - first - 1) / headway
		k := min(max((int64(at)-first+headway/2)/headway, 0), n)
		if start := first + k*headway; i == 0 || abs(start-int64(at)) < abs(best-int64(at)) {
			best, every = start, headway
		}
	}
	return int32(best), every
}

func abs(n int64) int64 { return max(n, -n) }

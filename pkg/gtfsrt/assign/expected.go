package assign

import (
	"math"
	"strconv"
)

// Expected returns when a trip is expected at each of its calls. times returns the arrival of a call or,
// without one, its departure, and the other way round; ok is false if it has neither. Then the time is
// interpolated: by distance if there is one for each call in between, otherwise evenly. Calls before the
// first time or after the last one get that time.
func Expected(calls int, times func(call int) (arrival, departure int32, ok bool), distances []float64) []int32 {
	out := make([]int32, calls)
	last, left := -1, int32(0) // the last call with a time, and its departure
	for i := range out {
		arrival, departure, ok := times(i)
		if !ok {
			out[i] = left // unless a time follows
			continue
		}
		out[i] = arrival
		for k := last + 1; k < i; k++ {
			if last < 0 {
				out[k] = arrival
			} else {
				out[k] = left + int32(math.Round(share(distances, last, k, i)*float64(arrival-left)))
			}
		}
		last, left = i, departure
	}
	return out
}

// share returns the position of a call between two others, from 0 to 1.
func share(distances []float64, from, call, to int) float64 {
	if to < len(distances) {
		whole := distances[to] - distances[from]
		for k := from; k < to; k++ {
			if !(distances[k] <= distances[k+1]) { // it falls, or is unknown
				whole = 0
			}
		}
		if whole > 0 && !math.IsInf(whole, 0) {
			return (distances[call] - distances[from]) / whole
		}
	}
	return float64(call-from) / float64(to-from)
}

// Distances parses the cells of shape_dist_traveled of all calls of a trip. It returns nil if there are
// fewer, and NaN for those that have none.
func Distances(cells []*string, calls int) []float64 {
	if len(cells) != calls {
		return nil
	}
	all := make([]float64, calls)
	for i, cell := range cells {
		all[i] = math.NaN()
		if cell == nil {
			continue
		}
		if d, err := strconv.ParseFloat(*cell, 64); err == nil {
			all[i] = d
		}
	}
	return all
}

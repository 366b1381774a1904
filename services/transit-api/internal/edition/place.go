package edition

import "math"

// Nearest is the stop that is nearest to a point within so many metres, among those with some ids, or, where there are none, among all
// that riders use; nil when none is so near.
func (e *Edition) Nearest(lat, lon, within float64, among []string) *Stop {
	if e == nil {
		return nil
	}
	var best *Stop
	nearer := func(s *Stop, place [2]float64) {
		// A degree of latitude is the least that both are apart by: most stops need no trigonometry.
		if math.Abs(place[0]-lat)*metresPerDegree > within {
			return
		}
		if d := metres(lat, lon, place[0], place[1]); d <= within { // not if it is NaN
			best, within = s, d
		}
	}
	for _, id := range among {
		if i, ok := e.stopAt[id]; ok {
			nearer(&e.Stops[i], e.index.place[i])
		}
	}
	if among != nil {
		return best
	}
	for i := range e.Stops {
		if e.Stops[i].public() {
			nearer(&e.Stops[i], e.index.place[i])
		}
	}
	return best
}

const metresPerDegree = 111_195

// A Box is west, south, east and north in degrees.
type Box [4]float64

// Box holds all stops; ok is false when none has a place. Stops at 0, 0 are those whose place the feed does not know.
func (e *Edition) Box() (b Box, ok bool) {
	if e == nil {
		return b, false
	}
	for _, at := range e.index.place {
		lat, lon := at[0], at[1]
		if math.IsNaN(lat) || math.IsNaN(lon) || lat == 0 && lon == 0 {
			continue
		}
		if !ok {
			b, ok = Box{lon, lat, lon, lat}, true
		}
		b = Box{min(b[0], lon), min(b[1], lat), max(b[2], lon), max(b[3], lat)}
	}
	return b, ok
}

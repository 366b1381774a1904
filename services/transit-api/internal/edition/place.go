package edition

import "math"

// Nearest is the stop that is nearest to a point within so many metres, among those with some ids, or, where there are none, among all
// that riders use; nil when none is so near.
func (e *Edition) Nearest(lat, lon, within float64, among []string) *Stop {
	if e == nil {
		return nil
	}
	var best *Stop
	rank := int32(-1) // of the best
	nearer := func(i int32) bool {
		place := e.index.place[i]
		if d := metres(lat, lon, place[0], place[1]); d < within || d == within && i > rank { // not if it is NaN
			best, rank, within = &e.Stops[i], i, d
		}
		return true
	}
	for _, id := range among {
		if i, ok := e.stopAt[id]; ok {
			nearer(i)
		}
	}
	if among != nil {
		return best
	}
	(&Near{lat, lon, within}).each(e.index.cells, func(i int32) bool { return !e.Stops[i].Public() || nearer(i) })
	return best
}

// Place is where the stop of a rank is, in degrees; NaN where the feed does not know.
func (e *Edition) Place(rank int) (lat, lon float64) {
	return e.index.place[rank][0], e.index.place[rank][1]
}

// Rank is the rank of a stop among [Edition.Stops].
func (e *Edition) Rank(stop string) (rank int, ok bool) {
	i, ok := e.stopAt[stop]
	return int(i), ok
}

// Metres is how far a stop is from a point; the length of half the equator, which is farther than any, when its place is not known.
func (e *Edition) Metres(from *Near, stop string) float64 {
	if e != nil {
		if i, ok := e.stopAt[stop]; ok {
			if d := metres(from.Lat, from.Lon, e.index.place[i][0], e.index.place[i][1]); !math.IsNaN(d) {
				return d
			}
		}
	}
	return math.Pi * earthRadius
}

// A Box is west, south, east and north in degrees. West is greater than east where it goes over the antimeridian; that of an edition never does.
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

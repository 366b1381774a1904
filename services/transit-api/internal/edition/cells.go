package edition

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// rowsPerDegree makes a row of stops about 900 metres high.
const rowsPerDegree = 128

// cells finds stops by their place: they lie in rows from south to north, and in each from west to east, packed into two lists.
type cells struct {
	first int       // number of the southernmost row
	from  []int32   // where each row begins in the lists; one more at the end
	stops []int32   // ranks
	lons  []float32 // longitudes, about
}

// cellBytes is what a stop takes in the cells.
const cellBytes = 8

// rowOf is the row of a latitude, from the south pole.
func rowOf(lat float64) int { return int(math.Floor((lat + 90) * rowsPerDegree)) }

// newCells packs stops; those without a place are found by none.
func newCells(place [][2]float64) *cells {
	c := &cells{}
	for i := range place {
		if !math.IsNaN(place[i][0]) && !math.IsNaN(place[i][1]) {
			c.stops = append(c.stops, int32(i))
		}
	}
	c.stops = slices.Clip(c.stops)
	slices.SortFunc(c.stops, func(i, k int32) int {
		a, b := place[i], place[k]
		return cmp.Or(cmp.Compare(rowOf(a[0]), rowOf(b[0])), cmp.Compare(a[1], b[1]), cmp.Compare(i, k))
	})
	c.lons = make([]float32, len(c.stops))
	for n, i := range c.stops {
		c.lons[n] = float32(place[i][1])
		row := rowOf(place[i][0])
		if n == 0 {
			c.first = row
		}
		for len(c.from) <= row-c.first {
			c.from = append(c.from, int32(n))
		}
	}
	c.from = append(c.from, int32(len(c.stops)))
	return c
}

// slack is more than what rounding moves a place by, in degrees; what is found too much is looked at again.
const slack = 1e-4

// each calls back with the stops between two latitudes and two longitudes, and some that are near, until the callback returns false. A west
// that is greater than the east lies on the other side of the antimeridian.
func (c *cells) each(south, west, north, east float64, found func(i int32) bool) bool {
	if west > east && west-east <= 2*slack { // around the world: the parts on both sides of the antimeridian would share stops
		west, east = -180, 180
	}
	if west > east {
		return c.each(south, west, north, 180, found) && c.each(south, -180, north, east, found)
	}
	low, high := max(rowOf(south-slack)-c.first, 0), min(rowOf(north+slack)-c.first, len(c.from)-2)
	for row := low; row <= high; row++ {
		lons := c.lons[c.from[row]:c.from[row+1]]
		stops := c.stops[c.from[row]:c.from[row+1]]
		begin := sort.Search(len(lons), func(i int) bool { return float64(lons[i]) >= west-slack })
		for k := begin; k < len(lons) && float64(lons[k]) <= east+slack; k++ {
			if !found(stops[k]) {
				return false
			}
		}
	}
	return true
}

// An Area is where stops are looked for: around a point, in a box, or in both.
type Area struct {
	Near *Near
	Box  *Box
}

// In calls back with the rank of each stop in an area and how many metres it is from the point, 0 without one, in no order, until the
// callback returns false. Stops without a place are in no area.
func (e *Edition) In(a Area, found func(rank int, metres float64) bool) {
	if e == nil || a.Near == nil && a.Box == nil {
		return
	}
	look := func(i int32) bool {
		at, away := e.index.place[i], 0.0
		if a.Box != nil && !a.Box.holds(at[0], at[1]) {
			return true
		}
		if a.Near != nil {
			away = metres(a.Near.Lat, a.Near.Lon, at[0], at[1])
			if away > a.Near.Radius {
				return true
			}
		}
		return found(int(i), away)
	}
	if a.Near == nil {
		e.index.cells.each(a.Box[1], a.Box[0], a.Box[3], a.Box[2], look)
		return
	}
	a.Near.each(e.index.cells, look)
}

// each calls back with all stops around the point, and some beyond.
func (n *Near) each(c *cells, found func(int32) bool) {
	const degree = 180 / math.Pi
	angle := n.Radius / earthRadius
	south, north := n.Lat-angle*degree, n.Lat+angle*degree
	if !(angle < 1) || south-slack <= -90 || north+slack >= 90 { // around a pole, every longitude is near
		c.each(max(south, -90), -180, min(north, 90), 180, found)
		return
	}
	across := math.Asin(min(1, math.Sin(angle)/math.Cos(n.Lat/degree)))*degree + slack
	west, east := n.Lon-across, n.Lon+across
	switch {
	case across >= 180:
		c.each(south, -180, north, 180, found)
	case west < -180:
		c.each(south, west+360, north, east, found)
	case east > 180:
		c.each(south, west, north, east-360, found)
	default:
		c.each(south, west, north, east, found)
	}
}

// holds reports whether a point is in the box, which may go over the antimeridian.
func (b *Box) holds(lat, lon float64) bool {
	if lat < b[1] || lat > b[3] {
		return false
	}
	if b[0] > b[2] {
		return lon >= b[0] || lon <= b[2]
	}
	return lon >= b[0] && lon <= b[2]
}

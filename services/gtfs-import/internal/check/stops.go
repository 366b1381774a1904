package check

import (
	"math"

	"github.com/townline/townline/pkg/gtfs"
)

// Kinds of stops, location_type.
const (
	platform = iota
	station
	entrance
	node
	boardingArea
)

// stops are numbered as the import numbers them.
type stops struct {
	line []int32
	kind []uint8
	// at are latitude and longitude in millionths of a degree; nowhere without.
	at       [][2]int32
	platform []bool // has a platform_code
	stations bool   // there are any
}

const nowhere = math.MaxInt32

// Stops judges how stops belong together, and whether anything calls at them. used reports whether
// a trip calls, nil that this is not known; id names a stop.
func (c *Checks) Stops(parent []int32, used func(int32) bool, id func(int32) []byte) {
	s := &c.stops
	children := make([]bool, len(s.line))
	for n := range s.line {
		if p := parent[n]; p >= 0 {
			children[p] = true
		}
	}
	for n, kind := range s.kind {
		report := func(code gtfs.Code, field string) {
			c.note(gtfs.Finding{Code: code, File: "stops.txt", Line: int(s.line[n]), Field: field, Value: id(int32(n))})
		}
		p := parent[n]
		switch {
		case p < 0 && kind >= entrance:
			report(gtfs.ParentMissing, "parent_station")
		case p < 0 && kind == platform && s.platform[n] && s.stations:
			report(gtfs.PlatformAlone, "parent_station")
		case p >= 0 && kind == station:
			report(gtfs.ParentForbidden, "parent_station")
		case p >= 0 && (kind == boardingArea) != (s.kind[p] == platform), p >= 0 && kind != boardingArea &&
			s.kind[p] != station:
			report(gtfs.ParentWrongType, "parent_station")
		}
		switch {
		case used == nil:
		case kind == platform && !children[n] && !used(int32(n)):
			report(gtfs.StopUnused, "")
		case kind == station && !children[n]:
			report(gtfs.StationUnused, "")
		}
	}
}

// Place gives stops without a position that of their parents.
func (c *Checks) Place(parent []int32) {
	for n := range c.stops.at {
		if p := parent[n]; c.stops.at[n][0] == nowhere && p >= 0 {
			c.stops.at[n] = c.stops.at[p]
		}
	}
}

// metresOf a millionth of a degree of latitude.
const metresOf = 0.111195

// scaleAt is how much shorter a degree of longitude is than one of latitude.
func scaleAt(latitude int32) float64 { return math.Cos(float64(latitude) * math.Pi / 180e6) }

// metres between two positions, as on a plane with the scale of one of them: exact enough within a
// town.
func metres(a, b [2]int32, scale float64) float64 {
	y, x := float64(a[0]-b[0]), float64(a[1]-b[1])*scale
	return math.Sqrt(x*x+y*y) * metresOf
}

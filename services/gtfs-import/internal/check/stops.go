package check

import (
	"bytes"
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

func (t *table) stop() Row {
	s, def := &t.c.stops, t.def
	name, desc, lat, lon := def.Column("stop_name"), def.Column("stop_desc"), def.Column("stop_lat"), def.Column("stop_lon")
	kind, url, zone, code := def.Column("location_type"), def.Column("stop_url"), def.Column("stop_timezone"), def.Column("platform_code")
	return func(line int, cells [][]byte) {
		k, ok := gtfs.ParseUint(cells[kind])
		if !ok || k > boardingArea {
			k = platform
		}
		at := [2]int32{nowhere, nowhere}
		if y, ok := gtfs.ParseFloat(cells[lat]); ok {
			if x, ok := gtfs.ParseFloat(cells[lon]); ok {
				at = [2]int32{int32(math.Round(y * 1e6)), int32(math.Round(x * 1e6))}
				switch {
				case math.Abs(y) <= 1 && math.Abs(x) <= 1:
					t.report(gtfs.PointNearOrigin, line, lat, cells[lat])
				case math.Abs(y) >= 89:
					t.report(gtfs.PointNearPole, line, lat, cells[lat])
				}
			}
		}
		s.line, s.kind, s.at = append(s.line, int32(line)), append(s.kind, uint8(k)), append(s.at, at)
		s.platform = append(s.platform, len(cells[code]) > 0)
		s.stations = s.stations || k == station
		if k <= entrance {
			if len(cells[name]) == 0 {
				t.report(gtfs.StopNameless, line, name, nil)
			}
			if at[0] == nowhere {
				t.report(gtfs.StopNowhere, line, lat, nil)
			}
		}
		if len(cells[desc]) > 0 && bytes.EqualFold(cells[desc], cells[name]) {
			t.report(gtfs.StopDescRepeats, line, desc, cells[desc])
		}
		if len(cells[url]) > 0 && t.c.agencies.urls[string(cells[url])] {
			t.report(gtfs.StopURLOfAgency, line, url, cells[url])
		}
		if len(cells[zone]) > 0 && !t.c.agencies.known(cells[zone]) {
			t.report(gtfs.BadTimeZone, line, zone, cells[zone])
		}
	}
}

// Stops judges how stops belong together, and whether anything calls at them. used reports whether a trip calls, nil that this is not
// known; id names a stop.
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
		case p >= 0 && (kind == boardingArea) != (s.kind[p] == platform), p >= 0 && kind != boardingArea && s.kind[p] != station:
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

// metres between two positions, as on a plane with the scale of one of them: exact enough within a town.
func metres(a, b [2]int32, scale float64) float64 {
	y, x := float64(a[0]-b[0]), float64(a[1]-b[1])*scale
	return math.Sqrt(x*x+y*y) * metresOf
}

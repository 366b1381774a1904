package check

import (
	"bytes"
	"math"

	"github.com/townline/townline/pkg/compact"
	"github.com/townline/townline/pkg/gtfs"
)

const (
	platform = iota
	station
	entrance
	genericNode
	boardingArea
)

type stops struct {
	line     []int32
	kind     []uint8
	at       [][2]int32  // latitude and longitude in millionths of a degree, or nowhere
	platform []bool      // has a platform_code
	street   compact.Set // riders reach it from the street: stop_access is 1
	leveled  compact.Set // has a level_id
	parented compact.Set // has a parent_station, even an unknown one
	children compact.Set // stops with children
}

const nowhere = math.MaxInt32

// Stops checks the parents of stops, and whether trips call at them. A nil used means that the
// calls are unknown.
func (c *Checker) Stops(parent []int32, used func(int32) bool, id func(int32) []byte) {
	s := &c.stops
	children := make([]bool, len(s.line))
	for n := range s.line {
		if p := parent[n]; p >= 0 {
			children[p] = true
		}
	}
	for n, kind := range s.kind {
		report := func(code gtfs.Code, field string) {
			c.noteID(code, "stops.txt", s.line[n], field, id(int32(n)))
		}
		p := parent[n]
		switch {
		case p < 0 && s.parented.Has(n):
		case p < 0 && kind >= entrance:
			report("location_without_parent_station", "parent_station")
		case p < 0 && kind == platform && s.platform[n]:
			report("platform_without_parent_station", "parent_station")
		case p >= 0 && kind == station:
			report("station_with_parent_station", "parent_station")
		case p >= 0 && (kind == boardingArea) != (s.kind[p] == platform), p >= 0 && kind != boardingArea &&
			s.kind[p] != station:
			report("wrong_parent_location_type", "parent_station")
		}
		switch {
		case used == nil:
		case kind == platform && !children[n] && !used(int32(n)):
			report("stop_without_stop_time", "")
		case kind == station && !children[n]:
			report("unused_station", "")
		}
	}
}

// LocateByParents gives stops without a position the position of their parent.
func (c *Checker) LocateByParents(parent []int32) {
	for n := range c.stops.at {
		if p := parent[n]; c.stops.at[n][0] == nowhere && p >= 0 {
			c.stops.at[n] = c.stops.at[p]
		}
	}
}

func (r *row) location() {
	s := &r.c.stops
	name := r.cell("stop_name")
	desc := r.cell("stop_desc")
	kind := r.kind()
	at := [2]int32{nowhere, nowhere}
	lat, ok1 := gtfs.ParseFloat(r.cell("stop_lat"))
	lon, ok2 := gtfs.ParseFloat(r.cell("stop_lon"))
	placed := ok1 && ok2
	if placed {
		at = [2]int32{Micro(lat), Micro(lon)}
	}
	s.line = append(s.line, int32(r.line))
	s.kind = append(s.kind, uint8(kind))
	s.at = append(s.at, at)
	s.platform = append(s.platform, len(r.cell("platform_code")) > 0)
	for _, mark := range []struct {
		set *compact.Set
		is  bool
	}{{&s.leveled, r.has("level_id")}, {&s.parented, r.has("parent_station")}, {&s.street, r.is("stop_access", "1")}} {
		if mark.is {
			mark.set.Add(r.n - 1)
		}
	}
	r.reportIf(placed && isNearOrigin(at), "point_near_origin", "stop_lat")
	r.reportIf(placed && isNearPole(at), "point_near_pole", "stop_lat")
	r.reportIf(kind <= entrance && len(name) == 0, "missing_stop_name", "stop_name")
	if kind <= entrance && (len(r.raw("stop_lat")) == 0 || len(r.raw("stop_lon")) == 0) {
		r.report("stop_without_location", "stop_lat", nil)
	}
	r.reportIf(len(desc) > 0 && bytes.EqualFold(desc, name), "same_name_and_description_for_stop", "stop_desc")
	r.reportIf(r.c.agencies.urls[string(r.cell("stop_url"))], "same_stop_and_agency_url", "stop_url")
	r.reportIf(!r.c.isTimeZone(r.cell("stop_timezone")), "invalid_timezone", "stop_timezone")
}

// apart returns the distance between two stops or their parents in metres; 0 if unknown.
func (c *Checker) apart(a, b int32) float64 {
	var at [2][2]int32
	for i, stop := range []int32{a, b} {
		for stop >= 0 && c.stops.at[stop][0] == nowhere {
			stop = c.refs.Parent(stop)
		}
		if stop < 0 {
			return 0
		}
		at[i] = c.stops.at[stop]
	}
	return metres(at[0], at[1], scaleAt(at[0][0]))
}

// Positions near 0, 0 or the poles are mistakes: no service runs there.
func isNearOrigin(at [2]int32) bool { return max(at[0], -at[0], at[1], -at[1]) <= 1e6 }

func isNearPole(at [2]int32) bool { return max(at[0], -at[0]) >= 89e6 }

const metresPerMicrodegree = 0.111195

// scaleAt returns the length of a degree of longitude divided by the length of a degree of
// latitude.
func scaleAt(latitude int32) float64 { return math.Cos(float64(latitude) * math.Pi / 180e6) }

// metres returns the distance between two positions, as on a plane: exact enough within a town.
func metres(a, b [2]int32, scale float64) float64 {
	y, x := float64(a[0]-b[0]), float64(a[1]-b[1])*scale
	return math.Sqrt(x*x+y*y) * metresPerMicrodegree
}

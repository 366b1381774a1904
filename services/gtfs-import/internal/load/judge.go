package load

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/services/gtfs-import/internal/bitset"
	"github.com/townline/townline/services/gtfs-import/internal/check"
	"github.com/townline/townline/services/gtfs-import/internal/gather"
	"github.com/townline/townline/services/gtfs-import/internal/stage"
)

// What package check gets at the end, when it is known which trips call where. What it gets while
// rows are read stands where they are read.

// mostWays bounds how many ways of trips along shapes are judged.
const mostWays = 1 << 20

// judged is what copyTrips collects for the end.
type judged struct {
	facts []patternFacts // by the number of a pattern
	ways  map[way]*wayTrips
}

// patternFacts are what a trip is judged by beside its own row.
type patternFacts struct {
	calls           int
	zones, headsign bool
}

type way struct{ pattern, shape int32 }

type wayTrips struct {
	trip, line int32 // of the first
	trips      int
}

// row returns what judges the rows of a file, nil if there are none.
func (x *rows) judge() check.RowFunc {
	if x.none {
		return nil
	}
	has := make([]bool, len(x.col))
	for i, c := range x.col {
		has[i] = c >= 0
	}
	return x.l.check.Table(x.def, has)
}

// judgeEnd judges what can be judged once calls, stops and shapes are read, and before trips are
// stored.
func (l *loader) judgeEnd() {
	t, s := &l.trips, &l.stops
	l.check.Place(s.parent)
	used := make(bitset.Set, s.ids.Len()/64+1)
	t.judged = judged{facts: make([]patternFacts, len(t.byNumber)), ways: map[way]*wayTrips{}}
	cells := t.newCells()
	for number, p := range t.byNumber {
		f := &t.judged.facts[number]
		t.eachCall(p, func(stop, _ int32, text []byte) {
			f.calls++
			if stop >= 0 {
				used.Add(int(stop))
			} else {
				f.zones = true
			}
			f.headsign = f.headsign || len(text) > 0 && len(cells.split(text)[cells.headsign]) > 0
		})
	}
	calls := func(n int32) bool { return used.Has(int(n)) }
	if l.feed.Has("location_group_stops.txt") || l.feed.Has("stop_areas.txt") { // vehicles may come on demand
		calls = nil
	}
	l.check.Stops(s.parent, calls, s.ids.Get)
	for n, trips := range l.routes.trips {
		l.check.Route(n, trips, l.routes.ids.Get(int32(n)))
	}
	l.judgeServices()
}

func (l *loader) judgeServices() {
	s := &l.services
	all, over := make([]check.Service, s.ids.Len()), true
	for n := range all {
		w := s.week(int32(n))
		first, last := w.first, w.last
		if w.days == 0 {
			first, last = 0, -1
		}
		if a := s.added[n]; a.last >= a.first && last < first {
			first, last = a.first, a.last
		} else if a.last >= a.first {
			first, last = min(first, a.first), max(last, a.last)
		}
		all[n] = check.Service{ID: s.ids.Get(int32(n)), First: first, Last: last, HasTrips: s.hasTrips[n]}
		over = over && l.check.Over(last)
	}
	for n, service := range all {
		l.check.Service(n, service, over)
	}
	file := "calendar.txt"
	if !l.feed.Has(file) {
		file = "calendar_dates.txt"
	}
	l.check.Running(file, s.running.days())
}

// judgeCourses judges the calls of trips, once for all that run alike.
func (l *loader) judgeCourses(ctx context.Context) error {
	t := &l.trips
	speed := func(n int32) uint16 { return l.check.TooFast(t.direction[n] / 2) }
	alike := func(a, b int32) int {
		return cmp.Or(cmp.Compare(t.pattern[a], t.pattern[b]), cmp.Compare(t.profile[a], t.profile[b]),
			cmp.Compare(speed(a), speed(b)))
	}
	order := make([]int32, 0, t.ids.Len()) // trips that run alike stand together, the first of them first
	for n := range int32(t.ids.Len()) {
		if t.pattern[n] >= 0 {
			order = append(order, n)
		}
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Or(alike(a, b), cmp.Compare(a, b)) })
	cells := t.newCells()
	var c check.Course
	for len(order) > 0 {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		trip, n := order[0], 1
		for n < len(order) && alike(trip, order[n]) == 0 {
			n++
		}
		order = order[n:]
		c = check.Course{Route: t.direction[trip] / 2, Trips: n, ID: t.ids.Get(trip), Line: int(t.line[trip]),
			Calls: c.Calls[:0]}
		t.eachOf(trip, func(row gather.Row, text []byte) {
			call := cells.call(row.C, text)
			call.Arrival, call.Departure = row.A, row.B
			c.Calls = append(c.Calls, call)
		})
		l.check.Course(&c)
	}
	return nil
}

// callCells split the text of calls into cells.
type callCells struct {
	*calls
	row [][]byte // by column of a pattern
	// Columns by which calls are judged.
	headsign, distance, timepoint, group, zone, from, to int
}

func (t *calls) newCells() *callCells {
	at := func(name string) int { return slices.Index(stage.PatternColumns(), name) }
	return &callCells{t, make([][]byte, len(t.columns)), at("stop_headsign"), at("shape_dist_traveled"), at("timepoint"),
		at("location_group_id"), at("location_id"), at("start_pickup_drop_off_window"), at("end_pickup_drop_off_window")}
}

// split returns the cells of a text, by column. They are valid until the next call.
func (k *callCells) split(text []byte) [][]byte {
	u := 0
	for i, c := range k.columns {
		k.row[i] = nil
		if u < len(k.used) && k.used[u] == c {
			u++
			k.row[i], text, _ = bytes.Cut(text, []byte{cellEnd})
		}
	}
	return k.row
}

// call is a call without its times.
func (k *callCells) call(stop int32, text []byte) check.Call {
	row := k.split(text)
	clock := func(cell []byte) int32 {
		if s, ok := gtfs.ParseTime(cell); ok {
			return int32(s)
		}
		return check.None
	}
	c := check.Call{Stop: stop, Arrival: noTime, Departure: noTime, Distance: check.None, From: clock(row[k.from]),
		To: clock(row[k.to])}
	if d, ok := gtfs.ParseFloat(row[k.distance]); ok {
		c.Distance = d
	}
	c.Timepoint = string(row[k.timepoint]) == "1"
	for _, named := range [...]bool{stop >= 0, len(row[k.group]) > 0, len(row[k.zone]) > 0} {
		if named {
			c.Places++
		}
	}
	return c
}

// judgeTrip judges a trip as its row is stored; shape is -1 without one.
func (l *loader) judgeTrip(n int32, line int, headsign bool, shape int32) {
	t := &l.trips
	if shape >= 0 {
		l.check.Follows(shape)
	}
	row := check.Trip{Line: line, ID: t.ids.Get(n), Headsign: headsign}
	if t.pattern[n] >= 0 {
		number := t.number[t.pattern[n]]
		f := t.judged.facts[number]
		row.Calls, row.Zones, row.Headsign = f.calls, f.zones, headsign || f.headsign
		if shape >= 0 {
			k := way{t.pattern[n], shape}
			w := t.judged.ways[k]
			switch {
			case w != nil:
				w.trips++
			case len(t.judged.ways) < mostWays:
				t.judged.ways[k] = &wayTrips{n, int32(line), 1}
			default:
				l.check.Partly("shapes.txt")
			}
		}
	}
	l.check.Trip(row)
}

// judgeWays judges stops against the lines on the map.
func (l *loader) judgeWays(ctx context.Context) error {
	t := &l.trips
	type one struct {
		way
		*wayTrips
	}
	all := make([]one, 0, len(t.judged.ways))
	for k, w := range t.judged.ways {
		all = append(all, one{k, w})
	}
	slices.SortFunc(all, func(a, b one) int { return int(a.trip) - int(b.trip) })
	cells := t.newCells()
	reported := map[[2]int32]bool{}
	w := check.Way{StopID: l.stops.ids.Get}
	for i, k := range all {
		if i&1023 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		w.Shape, w.ID, w.Trips, w.Line, w.Trip = k.shape, l.shapes.ids.Get(k.shape), k.trips, int(k.line), t.ids.Get(k.trip)
		w.Stops, w.End = w.Stops[:0], check.None
		var last []byte
		t.eachCall(k.pattern, func(stop, _ int32, text []byte) {
			if stop >= 0 {
				w.Stops = append(w.Stops, stop)
			}
			last = text
		})
		if len(last) > 0 {
			w.End = cells.call(0, last).Distance
		}
		l.check.Way(&w, reported)
	}
	l.check.Unused(l.shapes.ids.Get)
	return nil
}

// span is the days of a service that single days add.
type span struct{ first, last int32 }

var noSpan = span{math.MaxInt32, -1}

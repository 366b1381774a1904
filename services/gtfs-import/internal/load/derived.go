package load

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/townline/townline/pkg/compact"
	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/gtfs/check"
	"github.com/townline/townline/services/gtfs-import/internal/groupby"
	"github.com/townline/townline/services/gtfs-import/internal/stage"
)

// The checks in this file need the stop times of all trips. Other checks run while rows are read.

const maxShapeUses = 1 << 20

type summaries struct {
	patterns  []patternSummary // by number of the pattern
	shapeUses map[shapeUse]*shapeTrips
}

type patternSummary struct {
	calls           int
	zones, headsign bool
}

type shapeUse struct{ pattern, shape int32 }

type shapeTrips struct {
	first, line int32 // of the first trip
	count       int
}

func (x *rows) checker(wanted bool) check.RowFunc {
	if x.absent || !wanted {
		return func(int, [][]byte) {}
	}
	at := map[string]int{}
	index := func(column string) int {
		i, known := at[column]
		if !known {
			i = x.r.Column(column)
			at[column] = i
		}
		return i
	}
	return x.l.check.Table(x.def, check.Cells{
		Has:     func(column string) bool { return index(column) >= 0 },
		Raw:     func(column string) []byte { return x.named(column, index(column)) },
		IsShort: x.r.IsShort,
	})
}

func (l *loader) refs() check.Refs {
	return check.Refs{
		Has: l.feed.Has,
		Find: func(file string, id []byte) int32 {
			if ids := l.keys[file]; ids != nil {
				return ids.Find(id)
			}
			return -1
		},
		StopID:  l.stops.ids.Get,
		Parent:  func(stop int32) int32 { return l.stops.parent[stop] },
		RouteOf: func(trip int32) int32 { return l.trips.direction[trip] / 2 },
		Calls: func(trip int32, yield func(stop, sequence int32)) {
			if p := l.trips.pattern[trip]; p >= 0 {
				l.trips.eachCall(p, func(stop, sequence int32, _ []byte) { yield(stop, sequence) })
			}
		},
	}
}

func (l *loader) checkBlocks() {
	t, s := &l.trips, &l.services
	for i := range t.blocks {
		b := &t.blocks[i]
		b.First, b.Last = [2]int32{noTime, noTime}, [2]int32{noTime, noTime}
		if t.profile[b.Trip] < 0 {
			continue
		}
		isFirst := true
		t.eachTime(t.profile[b.Trip], func(arrival, departure int32) {
			b.Last = [2]int32{add(t.start[b.Trip], arrival), add(t.start[b.Trip], departure)}
			if isFirst {
				b.First, isFirst = b.Last, false
			}
		})
	}
	days := map[int32]compact.Set{}
	daysOf := func(n int32) compact.Set {
		if days[n] == nil {
			days[n] = s.daysOf(n)
		}
		return days[n]
	}
	slices.SortStableFunc(s.changes, func(a, b serviceChange) int { return cmp.Compare(a.service, b.service) })
	l.check.Blocks(t.blocks, t.blockIDs.Get, t.ids.Get, func(a, b int32) bool {
		x, y := daysOf(a), daysOf(b)
		for i := range min(len(x), len(y)) {
			if x[i]&y[i] != 0 {
				return true
			}
		}
		return false
	})
	t.blocks, s.changes = nil, nil
}

// checkDerived runs after stop times, stops and shapes are read and before trips are stored.
func (l *loader) checkDerived() {
	t, s := &l.trips, &l.stops
	used := make(compact.Set, s.ids.Len()/64+1)
	t.summaries = summaries{make([]patternSummary, len(t.byNumber)), map[shapeUse]*shapeTrips{}}
	cells := t.newCells()
	for number, p := range t.byNumber {
		f := &t.summaries.patterns[number]
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
	isUsed := func(n int32) bool { return used.Has(int(n)) }
	if l.feed.Has("location_group_stops.txt") || l.feed.Has("stop_areas.txt") { // trips may run on demand
		isUsed = nil
	}
	l.check.Stops(s.parent, isUsed, s.ids.Get)
	for n, trips := range l.routes.trips {
		l.check.Route(n, trips, l.routes.ids.Get(int32(n)))
	}
	l.checkServices()
}

func (l *loader) checkServices() {
	s := &l.services
	all, over := make([]check.Service, s.ids.Len()), true
	for n := range all {
		days := check.NoDays
		w := s.week(int32(n))
		if w.days != 0 {
			days = check.Days{First: w.first, Last: w.last}
		}
		added := s.added[n]
		switch {
		case added.Last < added.First:
		case days.Last < days.First:
			days = added
		default:
			days = check.Days{First: min(days.First, added.First), Last: max(days.Last, added.Last)}
		}
		all[n] = check.Service{ID: s.ids.Get(int32(n)), Days: days, HasTrips: s.hasTrips[n],
			Weekly: w.days != 0}
		over = over && l.check.IsOver(days.Last)
	}
	last := check.NoDays.Last
	for n, service := range all {
		l.check.Service(n, service, over)
		last = max(last, service.Last)
	}
	file := "calendar.txt"
	if !l.feed.Has(file) {
		file = "calendar_dates.txt"
	}
	if over && last >= 0 {
		l.check.Over(file, last)
	}
	l.check.ServiceDays(file, s.calendar.days())
}

// checkTimedPatterns checks stop times once for all trips with the same pattern, profile and speed
// limit.
func (l *loader) checkTimedPatterns(ctx context.Context) error {
	t := &l.trips
	class := func(n int32) int {
		class := 2 * l.check.RouteClass(t.direction[n]/2)
		if t.badTimes.Has(int(n)) {
			class++
		}
		return class
	}
	compare := func(a, b int32) int {
		return cmp.Or(cmp.Compare(t.pattern[a], t.pattern[b]), cmp.Compare(t.profile[a], t.profile[b]),
			cmp.Compare(class(a), class(b)))
	}
	order := make([]int32, 0, t.ids.Len())
	for n := range int32(t.ids.Len()) {
		if t.pattern[n] >= 0 {
			order = append(order, n)
		}
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Or(compare(a, b), cmp.Compare(a, b)) })
	cells := t.newCells()
	var p check.TimedPattern
	for len(order) > 0 {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		trip, n := order[0], 1
		for n < len(order) && compare(trip, order[n]) == 0 {
			n++
		}
		order = order[n:]
		p = check.TimedPattern{Route: t.direction[trip] / 2, Trips: n, TripID: t.ids.Get(trip), Line: int(t.line[trip]),
			Calls: p.Calls[:0], BadTime: t.badTimes.Has(int(trip))}
		t.eachCallOf(trip, func(row groupby.Row, text []byte) {
			call := cells.call(row.C, text)
			call.Arrival, call.Departure = row.A, row.B
			p.Calls = append(p.Calls, call)
		})
		l.check.TimedPattern(&p)
	}
	return nil
}

type callCells struct {
	*calls
	row [][]byte // by column of a pattern
	// The following fields are the indexes of the checked columns.
	headsign, distance, timepoint, from, to, pickup, dropOff int
	refs                                                     [len(check.RefColumns)]int
}

func (t *calls) newCells() *callCells {
	at := func(name string) int { return slices.Index(stage.PatternColumns(), name) }
	k := &callCells{calls: t, row: make([][]byte, len(t.columns)),
		headsign: at("stop_headsign"), distance: at("shape_dist_traveled"), timepoint: at("timepoint"),
		from: at("start_pickup_drop_off_window"), to: at("end_pickup_drop_off_window"),
		pickup: at("pickup_type"), dropOff: at("drop_off_type")}
	for i, name := range check.RefColumns {
		k.refs[i] = at(name)
	}
	return k
}

// split splits a text into cells, in the order of a pattern's columns. They are valid until the
// next call.
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

// call returns a stop time without its times.
func (k *callCells) call(stop int32, text []byte) check.Call {
	row := k.split(text)
	seconds := func(cell []byte) int32 {
		if s, ok := gtfs.ParseTime(cell); ok {
			return int32(s)
		}
		return check.None
	}
	c := check.Call{Stop: stop, Arrival: noTime, Departure: noTime, Distance: check.None,
		WindowStart: seconds(row[k.from]), WindowEnd: seconds(row[k.to]), Timepoint: string(row[k.timepoint]) == "1"}
	kind := func(cell []byte) byte {
		switch len(cell) {
		case 0:
			return '0'
		case 1:
			return cell[0]
		}
		return 0
	}
	c.Pickup, c.DropOff = kind(row[k.pickup]), kind(row[k.dropOff])
	for i, column := range k.refs {
		c.Refs[i] = row[column]
	}
	if d, ok := gtfs.ParseFloat(row[k.distance]); ok {
		c.Distance = d
	}
	for _, named := range [...]bool{stop >= 0, len(c.Refs[0]) > 0, len(c.Refs[1]) > 0} {
		if named {
			c.Places++
		}
	}
	return c
}

// checkTrip checks a trip whose row is stored; shape is -1 if the trip has none.
func (l *loader) checkTrip(n int32, line int, headsign bool, shape int32) {
	t := &l.trips
	if shape >= 0 {
		l.check.UseShape(shape)
	}
	row := check.Trip{Line: line, ID: t.ids.Get(n), Headsign: headsign}
	if p := t.pattern[n]; p >= 0 {
		f := t.summaries.patterns[t.number[p]]
		row.Calls = f.calls
		row.Zones = f.zones
		row.Headsign = headsign || f.headsign
		if shape >= 0 {
			l.countShapeUse(shapeUse{p, shape}, n, line)
		}
	}
	l.check.Trip(row)
}

func (l *loader) countShapeUse(use shapeUse, trip int32, line int) {
	all := l.trips.summaries.shapeUses
	trips := all[use]
	switch {
	case trips != nil:
		trips.count++
	case len(all) < maxShapeUses:
		all[use] = &shapeTrips{trip, int32(line), 1}
	default:
		l.check.Partly("shapes.txt")
	}
}

func (l *loader) checkStopsOnShapes(ctx context.Context) error {
	t := &l.trips
	type use struct {
		shapeUse
		*shapeTrips
	}
	uses := make([]use, 0, len(t.summaries.shapeUses))
	for k, trips := range t.summaries.shapeUses {
		uses = append(uses, use{k, trips})
	}
	slices.SortFunc(uses, func(a, b use) int { return int(a.first) - int(b.first) })
	cells := t.newCells()
	reported := map[[2]int32]bool{}
	s := check.ShapeUse{StopID: l.stops.ids.Get}
	for i, u := range uses {
		if i&1023 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		s.Shape, s.ShapeID = u.shape, l.shapes.ids.Get(u.shape)
		s.Trips, s.Line = u.count, int(u.line)
		s.TripID = t.ids.Get(u.first)
		s.Stops, s.LastDistance = s.Stops[:0], check.None
		var last []byte
		t.eachCall(u.pattern, func(stop, _ int32, text []byte) {
			if stop >= 0 {
				s.Stops = append(s.Stops, stop)
			}
			last = text
		})
		if len(last) > 0 {
			s.LastDistance = cells.call(0, last).Distance
		}
		l.check.ShapeUse(&s, reported)
	}
	l.check.Shapes(l.shapes.ids.Get)
	return nil
}

package load

import (
	"context"
	"slices"

	"github.com/townline/townline/pkg/compact"
	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/services/gtfs-import/internal/groupby"
)

// callRows reads the rows of stop_times.txt.
type callRows struct {
	*calls
	x *rows

	id, arr, dep, stop, seq, group, zone int // columns

	// The current row: its trip, and what is stored of it.
	trip int32
	row  groupby.Row
	text []byte // its cells that are stored as text

	stops, trips *finder
	tripID       []byte // of the trip
	isPlain      bool   // tripID can be part of a frame's row
	frames       *frames
	passed       bool    // the row is in a frame that was passed
	last         int32   // the frame of the row before; -1 if it has none
	lastOf       []int32 // by trip: the frame of its last row; -1 if it has none
	scratch      []byte
}

func (l *loader) newCallRows(x *rows) *callRows {
	t := &l.trips
	column := func(name string) int { return x.def.Column(name) }
	c := &callRows{calls: &t.calls, x: x, id: column("trip_id"), arr: column("arrival_time"),
		dep: column("departure_time"), stop: column("stop_id"), seq: column("stop_sequence"),
		group: column("location_group_id"), zone: column("location_id"),
		trip: -1, stops: newFinder(&l.stops.ids), trips: newFinder(&t.ids), last: -1}
	c.frames = newFrames(x, [3]int{c.id, c.arr, c.dep})
	c.lastOf = slices.Repeat([]int32{-1}, t.ids.Len())
	return c
}

// next moves to the next row of a trip. read has to follow.
func (c *callRows) next(ctx context.Context) bool {
	if c.passed = c.pass(); c.passed {
		return c.x.counts(ctx)
	}
	for c.x.next(ctx) {
		// The trip is usually that of the previous row.
		id := c.x.raw(c.id)
		if c.trip < 0 || string(id) != string(c.tripID) {
			c.tripID = append(c.tripID[:0], id...)
			c.isPlain = c.x.r.IsPlain(id)
			c.trip = c.trips.find(id, c.trips.last)
			if c.trip < 0 {
				c.trip = c.x.resolve(c.id, c.trips.ids)
			}
		}
		if c.trip >= 0 {
			return true
		}
	}
	return false
}

// pass moves past the next row if it is in the frame that is expected for this trip, or for the trip
// that followed this one before.
func (c *callRows) pass() bool {
	if c.trip < 0 || !c.frames.work() {
		return false
	}
	trip := c.trip
	n := c.expected(trip)
	if !c.isPlain || !c.frames.pass(n, c.tripID, &c.row) {
		trip = c.trips.after[trip]
		id := c.trips.ids.Get(trip)
		n = c.expected(trip)
		if !c.x.r.IsPlain(id) || !c.frames.pass(n, id, &c.row) {
			c.frames.was(false)
			return false
		}
		c.trip, c.trips.last = trip, trip
		c.tripID, c.isPlain = append(c.tripID[:0], id...), true
	}
	c.row.Line = int32(c.x.line())
	c.use(n)
	c.frames.was(true)
	return true
}

// expected returns the frame that followed the frame of the last row of a trip; for a trip without
// rows, the one that followed the frame of the row before.
func (c *callRows) expected(trip int32) int32 {
	if f := c.frames.get(c.before(trip)); f != nil {
		return f.next
	}
	return -1
}

func (c *callRows) before(trip int32) int32 {
	if n := c.lastOf[trip]; n >= 0 {
		return n
	}
	return c.last
}

// use sets what the frame of the current row has, if it is complete.
func (c *callRows) use(n int32) bool {
	if f := c.frames.get(c.before(c.trip)); f != nil {
		f.next = n
	}
	c.last, c.lastOf[c.trip] = n, n
	f := c.frames.get(n)
	if f == nil {
		return false
	}
	c.row.C, c.row.Seq = f.stop, f.seq
	c.text = c.frames.texts[f.text[0]:f.text[1]]
	return true
}

// read reads the current row. before is the last row of its trip, if that is known. If the row is
// unusable, read adds a finding and returns false.
func (c *callRows) read(before *groupby.Row) bool {
	if c.passed {
		c.times.count(c.row.A, c.row.B)
		return true
	}
	n := c.frames.current()
	c.row = groupby.Row{Line: int32(c.x.line()), C: -1}
	if c.use(n) {
		c.readTimes()
		return true
	}
	found := c.x.findings
	if !c.readPlace(before) {
		return false
	}
	isClean := found == c.x.findings
	c.readTimes()
	found = c.x.findings
	c.scratch = c.appendCells(c.scratch[:0], c.x)
	c.text = c.scratch
	if c.hasBadWindow(c.x) {
		c.badTimes.Add(int(c.trip))
	}
	if n >= 0 && isClean && found == c.x.findings {
		c.frames.complete(n, &c.row, c.text)
	}
	return true
}

// readPlace reads stop_id and stop_sequence.
func (c *callRows) readPlace(before *groupby.Row) bool {
	x := c.x
	if id := x.raw(c.stop); len(id) > 0 {
		last := c.stops.last
		if before != nil && before.C >= 0 {
			last = before.C
		}
		c.row.C = c.stops.find(id, last)
		if c.row.C < 0 {
			x.note("foreign_key_violation", c.stop, id)
			return false
		}
	} else if len(x.raw(c.group)) == 0 && len(x.raw(c.zone)) == 0 {
		x.leaveOut(c.stop, nil)
		return false
	}
	n, ok := gtfs.ParseUint(x.raw(c.seq))
	if !ok {
		x.leaveOut(c.seq, x.raw(c.seq))
		return false
	}
	c.row.Seq = int32(n)
	return true
}

// readTimes reads arrival_time and departure_time.
func (c *callRows) readTimes() {
	arrival, departure := c.x.raw(c.arr), c.x.raw(c.dep)
	c.row.A = c.time(c.x, c.arr)
	c.row.B = c.row.A
	if c.row.A == noTime || string(departure) != string(arrival) {
		c.row.B = c.time(c.x, c.dep)
	}
	if c.row.A == noTime && len(arrival) > 0 || c.row.B == noTime && len(departure) > 0 {
		c.badTimes.Add(int(c.trip))
	}
}

// A finder finds the numbers of ids. It first tries the one that followed the same id before: stops
// repeat their order, and so do trips whose rows are mixed. At first it takes the order of the file
// that has the ids. It is usually right, and then no hash is computed.
type finder struct {
	ids   *compact.Strings
	after []int32 // by id
	last  int32   // found last
	guesses
}

func newFinder(ids *compact.Strings) *finder {
	f := &finder{ids: ids, after: make([]int32, ids.Len())}
	for i := range f.after {
		f.after[i] = int32(i + 1)
	}
	if n := len(f.after); n > 0 {
		f.after[n-1], f.last = 0, int32(n-1)
	}
	return f
}

// find returns -1 if there is no such id. before is the one before it.
func (s *finder) find(id []byte, before int32) int32 {
	if len(s.after) == 0 {
		return -1
	}
	if s.pay() {
		n := s.after[before]
		isRight := string(s.ids.Get(n)) == string(id)
		s.was(isRight)
		if isRight {
			s.last = n
			return n
		}
	}
	n := s.ids.Find(id)
	if n < 0 {
		return -1
	}
	s.after[before], s.last = n, n
	return n
}

// guesses tells whether it is worth while to guess.
type guesses struct{ wrong int }

// maxWrong is by how many more guesses may be wrong than right.
const maxWrong = 1 << 12

func (g *guesses) pay() bool { return g.wrong < maxWrong }

// was counts a guess.
func (g *guesses) was(right bool) {
	if !right {
		g.wrong++
	} else if g.wrong > 0 {
		g.wrong--
	}
}

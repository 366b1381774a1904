package load

import (
	"context"
	"errors"
	"slices"

	"github.com/townline/townline/pkg/compact"
	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/gtfs/check"
	"github.com/townline/townline/services/gtfs-import/internal/groupby"
	"github.com/townline/townline/services/gtfs-import/internal/stage"
)

// calls has the stop times of all trips. A trip's stop times are a pattern (everything except the
// times) and a profile (the times since the trip's start). Timetables repeat themselves: a feed of
// a hundred thousand trips has a few thousand of each, and each is stored once.
//
// In memory a pattern is a byte string. For each stop time it has a head: the stop (0 for none,
// otherwise its number + 1) and two bits for optional parts. The parts are the step of
// stop_sequence from the previous stop time, if it is not 1, and length and bytes of the other
// cells, each ended by cellEnd, if they differ from the previous ones. A profile has for each stop
// time arrival and departure: 0 for none, otherwise 1 + the zigzag of the difference from the
// previous time. All numbers are uvarints.
type calls struct {
	patterns, profiles compact.Strings
	// By trip. pattern is -1 without stop times, profile is -1 without times. line is the line of
	// the first stop time; 0 if the other stop times are not on the following lines.
	pattern, profile, start, line []int32
	// By pattern: the number of its trips; 0 after all of them were stored again with other rows.
	patternTrips []int32
	// number and profileNumber map patterns and profiles to numbers in the database, -1 if no trip
	// uses them. byNumber and profilesByNumber are the inverse.
	number, profileNumber      []int32
	byNumber, profilesByNumber []int32

	badTimes compact.Set // trips with an invalid time
	times    tally       // of arrival and departure cells
	unsorted bool        // the rows of a trip are not adjacent, or not ordered by stop_sequence

	columns []int // columns of stop_times.txt that a pattern stores as text, in this order
	used    []int // subset of columns that the file has
	windows []int // subset of columns that are times
	uses    []patternUse
	buf     []byte
	pairs   [][2]int32 // times of the trip that eachCallOf reads
}

const (
	callsFile = "stop_times.txt"
	noTime    = check.None
)

// In a groupby.Row of a stop time, A is the arrival, B the departure and C the stop; -1 for none.

func (l *loader) readCalls(ctx context.Context) error {
	t := &l.trips
	n := t.ids.Len()
	t.pattern, t.profile = slices.Repeat([]int32{-1}, n), slices.Repeat([]int32{-1}, n)
	t.start = make([]int32, n)
	t.line = make([]int32, n)
	x, err := l.open(callsFile)
	if err == nil {
		err = l.groupCalls(ctx, x, groupby.New(groupby.Limits{}, l.storeCalls))
	}
	if err != nil {
		return err
	}
	if t.unsorted {
		l.note("unsorted_stop_times", callsFile, 0, "", nil)
	}
	t.number, t.byNumber = numbered(t.pattern, &t.patterns)
	t.profileNumber, t.profilesByNumber = numbered(t.profile, &t.profiles)
	return nil
}

func (t *calls) chooseColumns(x *rows) {
	for _, name := range stage.PatternColumns() {
		c := x.def.Column(name)
		t.columns = append(t.columns, c)
		if x.col[c] >= 0 || x.overrides != nil {
			t.used = append(t.used, c)
			if x.def.Columns[c].Type == gtfs.Time {
				t.windows = append(t.windows, c)
			}
		}
	}
}

// groupCalls reads stop_times.txt.
func (l *loader) groupCalls(ctx context.Context, x *rows, g *groupby.Grouper) error {
	t := &l.trips
	t.chooseColumns(x)
	c := l.newCallRows(x)
	open, before := int32(-1), int32(-1) // trip and stop_sequence of the previous row
	var begun compact.Set
	for c.next(ctx) {
		if c.trip != open {
			if err := g.Open(c.trip); err != nil {
				return err
			}
			open, before = c.trip, -1
			t.unsorted = t.unsorted || begun.Has(int(open))
			begun.Add(int(open))
		}
		if !c.read(g.Last()) {
			continue
		}
		t.unsorted = t.unsorted || c.row.Seq <= before
		before = c.row.Seq
		g.Add(c.row, c.text)
		if g.IsFull() {
			if err := t.addLate(g); err != nil {
				return err
			}
		}
	}
	if err := x.end(); err != nil {
		return err
	}
	if err := g.Flush(); err != nil {
		return err
	}
	return t.addLate(g)
}

// addLate adds late rows to the stop times of their trips.
func (t *calls) addLate(g *groupby.Grouper) error {
	for part := range g.Late(0, nil) {
		if err := part.Emit(t.eachCallOf); err != nil {
			return err
		}
	}
	return nil
}

// appendCells appends the cells of a stop time that are stored as text; nothing if all are empty.
func (t *calls) appendCells(text []byte, x *rows) []byte {
	empty := true
	for _, i := range t.used {
		c := x.cell(i)
		if len(c) > 0 {
			empty = false
			if x.def.Columns[i].Type == gtfs.Time {
				s, _ := gtfs.ParseTime(c)
				text = gtfs.AppendTime(text, s)
			} else {
				text = append(text, c...)
			}
		}
		text = append(text, cellEnd)
	}
	if empty {
		return text[:0]
	}
	return text
}

// hasBadWindow reports whether a pickup and drop-off window has an invalid start or end.
func (t *calls) hasBadWindow(x *rows) bool {
	return slices.ContainsFunc(t.windows, func(i int) bool { return len(x.raw(i)) > 0 && !gtfs.Time.OK(x.raw(i)) })
}

// time parses a cell as seconds. If it is invalid, time adds a finding and returns noTime.
func (t *calls) time(x *rows, column int) int32 {
	c := x.raw(column)
	if len(c) == 0 {
		return noTime
	}
	s, ok := gtfs.ParseTime(c)
	t.times.add(ok, c)
	if !ok {
		x.note("invalid_time", column, c)
		return noTime
	}
	return int32(s)
}

// storeCalls converts the stop times of a trip to a pattern and a profile. If the trip is emitted
// again, they replace the previous ones.
func (l *loader) storeCalls(g *groupby.Group) error {
	t, stats := &l.trips, l.stats[callsFile]
	if p := t.pattern[g.Key]; p >= 0 {
		t.patternTrips[p]--
		t.eachCall(p, func(_, _ int32, _ []byte) { stats.Kept-- })
	}
	if g.Dropped > 0 {
		l.note("trip_too_long", callsFile, 0, "trip_id", t.ids.Get(g.Key))
	}
	kept := g.Rows[:0]
	for i := range g.Rows {
		row := &g.Rows[i]
		if k := len(kept); k == 0 || kept[k-1].Seq != row.Seq {
			kept = append(kept, *row)
		} else {
			l.note("duplicate_key", callsFile, int(row.Line), "stop_sequence", t.ids.Get(g.Key))
		}
	}
	g.Rows = kept
	stats.Kept += int64(len(kept))
	if len(kept) > 0 {
		t.line[g.Key] = firstLine(g)
		t.store(g)
	}
	return errors.Join(tooLarge(&t.patterns, "patterns of stop times"), tooLarge(&t.profiles, "profiles of stop times"))
}

// firstLine returns the line of the first stop time; 0 if the others are not on the following
// lines.
func firstLine(g *groupby.Group) int32 {
	for i := range g.Rows {
		if g.Rows[i].Line != g.Rows[0].Line+int32(i) {
			return 0
		}
	}
	return g.Rows[0].Line
}

type trips struct {
	entities
	// direction is 2 × route + direction_id for each trip; a missing direction_id counts as 0.
	direction []int32
	summaries summaries
	blocks    []check.Block // trips with a block, in file order
	blockIDs  compact.Strings

	calls
}

func (l *loader) readTrips(ctx context.Context) error {
	t, r := &l.trips, &l.routes
	def, _ := gtfs.TableOf("trips.txt")
	route := def.Column("route_id")
	service := def.Column("service_id")
	direction := def.Column("direction_id")
	headsign := def.Column("trip_headsign")
	block := def.Column("block_id")
	t.direction = make([]int32, 0, min(l.stats["trips.txt"].Bytes/64, 1<<20)) // an estimate of the number of rows
	err := l.readEntities(ctx, "trips.txt", &t.entities, func(x *rows, trip int32) bool {
		n := x.resolve(route, &r.ids)
		if n < 0 {
			return false
		}
		s := x.resolve(service, &l.services.ids)
		if s < 0 {
			return false
		}
		l.services.hasTrips[s] = true
		d := 2 * n
		if c := x.cell(direction); len(c) > 0 {
			d += int32(c[0] - '0')
		}
		t.direction = append(t.direction, d)
		if id := x.raw(block); len(id) > 0 {
			b, _ := t.blockIDs.Add(id)
			t.blocks = append(t.blocks, check.Block{Block: b, Trip: trip, Route: n, Service: s,
				Line: int32(x.line())})
		}
		r.trips[n]++
		r.directions[d]++
		l.names.countHeadsign(d, x.raw(headsign))
		return true
	})
	if err != nil {
		return err
	}
	r.numberTrips()
	return l.requireIDs(&t.ids, "trips", "trips.txt")
}

func (l *loader) copyTrips(ctx context.Context) error {
	t := &l.trips
	next := slices.Clone(l.routes.firstTrip)
	current := int32(0)
	headsign := false
	shape := int32(-1)
	return l.copyEntities(ctx, "trips.txt", &t.entities, rowFormat{
		before: "ord, pattern, profile, start_time",
		head: func(w *stage.Writer, n int32) {
			current = n
			r := t.direction[n] / 2
			w.Nums(next[r])
			next[r]++
			if p := t.pattern[n]; p >= 0 {
				w.Nums(t.number[p])
			} else {
				w.Null()
			}
			if f := t.profile[n]; f >= 0 {
				w.Nums(t.profileNumber[f], t.start[n])
			} else {
				w.Null()
				w.Null()
			}
		},
		cell: func(x *rows, i int, _ int32) []byte {
			switch x.def.Columns[i].Name {
			case "shape_id":
				c := x.reference(i)
				shape = -1
				if len(c) > 0 {
					shape = l.shapes.ids.Find(c)
				}
				return c
			case "trip_headsign":
				c := x.cell(i)
				headsign = len(c) > 0
				return c
			}
			return x.cell(i)
		},
		tail: func(_ *stage.Writer, x *rows) error {
			l.checkTrip(current, x.line(), headsign, shape)
			return nil
		},
	})
}

package load

import (
	"context"
	"errors"
	"slices"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/services/gtfs-import/internal/check"
	"github.com/townline/townline/services/gtfs-import/internal/copier"
	"github.com/townline/townline/services/gtfs-import/internal/gather"
	"github.com/townline/townline/services/gtfs-import/internal/interned"
	"github.com/townline/townline/services/gtfs-import/internal/stage"
)

// calls are the stop times of all trips. A trip's calls are a pattern, which is everything but the
// times, and a profile, which is the times from the trip's start. Timetables repeat themselves: a
// feed of a hundred thousand trips has some thousand of each, and each is stored once.
//
// In memory a pattern is a string of bytes. For each call it has a head, which is the stop (0 for
// none, else its number + 1) and two bits that say which of these follow: the step of stop_sequence
// from the previous call, if it is not 1; length and bytes of the other cells, each ended by 0x1f,
// which no cell holds, if they are not those of the previous call. A profile has for each call
// arrival and departure: 0 for none, else 1 + the zigzag of the distance from the previous time.
// All numbers are uvarints.
type calls struct {
	patterns, profiles interned.Table
	// By trip; pattern is -1 for a trip without calls, profile for one without times. line is that of
	// the first call, 0 if the others do not follow it.
	pattern, profile, start, line []int32
	// by pattern: how many trips have it; 0 after late calls have changed all of them
	patternTrips []int32
	// By pattern and profile: its number in the database, -1 for one that no trip has; and the way
	// back.
	number, profileNumber      []int32
	byNumber, profilesByNumber []int32

	columns []int // of stop_times.txt, that stand in a pattern as text, in this order
	used    []int // those of them that the file has
	uses    []use
	buf     []byte
	times   [][2]int32 // of the trip that eachOf yields
}

// noTime stands for an empty cell among times.
const noTime = check.None

// later shifts a time.
func later(time, by int32) int32 {
	if time == noTime {
		return noTime
	}
	return time + by
}

// A call as a gather.Row has the arrival as A, the departure as B and the stop as C, -1 for none.

// readCalls reads stop_times.txt.
func (l *loader) readCalls(ctx context.Context) error {
	t := &l.trips
	n := t.ids.Len()
	t.pattern, t.profile, t.start = slices.Repeat([]int32{-1}, n), slices.Repeat([]int32{-1}, n), make([]int32, n)
	t.line = make([]int32, n)
	x, err := l.open("stop_times.txt")
	if err != nil {
		return err
	}
	for _, name := range stage.PatternColumns() {
		c := x.def.Column(name)
		t.columns = append(t.columns, c)
		if x.col[c] >= 0 || x.manual != nil {
			t.used = append(t.used, c)
		}
	}
	g := gather.New(gather.Limits{}, func(r *gather.Rows) error { return l.close(x, r) })
	defer g.Close()
	if err := l.gatherCalls(ctx, x, g); err != nil {
		return err
	}
	if err := x.close(); err != nil {
		return err
	}
	if err := g.Flush(); err != nil {
		return err
	}
	if g.HasLate() {
		x.l.note(gtfs.CallsUnsorted, x.def.File, 0, "", nil)
		if err := g.Late(); err != nil {
			return err
		}
	}
	t.number, t.byNumber = numbered(t.pattern, &t.patterns)
	t.profileNumber, t.profilesByNumber = numbered(t.profile, &t.profiles)
	return nil
}

func (l *loader) gatherCalls(ctx context.Context, x *rows, g *gather.Gatherer) error {
	t := &l.trips
	column := func(name string) int { return x.def.Column(name) }
	id, arr, dep, stop, seq := column("trip_id"), column("arrival_time"), column("departure_time"), column("stop_id"),
		column("stop_sequence")
	group, zone := column("location_group_id"), column("location_id")
	var text, last []byte
	trip := int32(-1)
	stops := newSuccessors(&l.stops.ids)
	for x.next(ctx) {
		// Nearly always the trip is that of the previous row.
		if c := x.raw(id); trip < 0 || string(c) != string(last) {
			last = append(last[:0], c...)
			trip = x.refer(id, &t.ids)
			if trip < 0 {
				continue
			}
			if err := g.Open(trip); err != nil {
				return err
			}
		}
		row := gather.Row{Line: int32(x.line()), C: -1}
		if c := x.raw(stop); len(c) > 0 {
			row.C = stops.find(c)
			if row.C < 0 {
				x.note(gtfs.ForeignKey, stop, c)
				continue
			}
		} else if len(x.raw(group)) == 0 && len(x.raw(zone)) == 0 {
			x.unkeyed(stop, nil)
			continue
		}
		n, ok := gtfs.ParseUint(x.raw(seq))
		if !ok {
			x.unkeyed(seq, x.raw(seq))
			continue
		}
		row.Seq = int32(n)
		row.A = x.time(arr)
		row.B = row.A
		if row.A == noTime || string(x.raw(dep)) != string(x.raw(arr)) {
			row.B = x.time(dep)
		}
		text = text[:0]
		empty := true
		for _, i := range t.used {
			c := x.cell(i)
			if len(c) > 0 {
				empty = false
				if x.def.Columns[i].Kind == gtfs.Time {
					s, _ := gtfs.ParseTime(c)
					text = gtfs.AppendTime(text, s)
				} else {
					text = append(text, c...)
				}
			}
			text = append(text, cellEnd)
		}
		if empty {
			text = text[:0]
		}
		if err := g.Add(row, text); err != nil {
			return err
		}
	}
	return x.err
}

// successors finds stops by first trying the one that followed the previous stop the last time.
// That is right nine times out of ten, and costs no hash.
type successors struct {
	ids   *interned.Table
	after []int32 // by stop
	last  int32
}

func newSuccessors(ids *interned.Table) *successors {
	return &successors{ids: ids, after: make([]int32, ids.Len())}
}

func (s *successors) find(id []byte) int32 {
	n := s.after[s.last]
	if string(s.ids.Get(n)) != string(id) {
		n = s.ids.Find(id)
		if n < 0 {
			return -1
		}
		s.after[s.last] = n
	}
	s.last = n
	return n
}

// time reads a cell as seconds; noTime if it is empty or no time.
func (x *rows) time(column int) int32 {
	c := x.raw(column)
	if len(c) == 0 {
		return noTime
	}
	s, ok := gtfs.ParseTime(c)
	if !ok {
		x.note(gtfs.BadTime, column, c)
		return noTime
	}
	return int32(s)
}

// close turns the calls of a trip into a pattern and a profile. For late calls it first takes back
// the trip's earlier ones.
func (l *loader) close(x *rows, r *gather.Rows) error {
	t := &l.trips
	if r.Late {
		all, before := t.reopen(r)
		x.stats.Kept -= before
		r = all
	}
	if r.Surplus > 0 {
		l.note(gtfs.TripTooLong, x.def.File, 0, "trip_id", t.ids.Get(r.Group))
	}
	kept := r.Rows[:0]
	for i := range r.Rows {
		if k := len(kept); k > 0 && kept[k-1].Seq == r.Rows[i].Seq {
			l.note(gtfs.KeyDuplicate, x.def.File, int(r.Rows[i].Line), "stop_sequence", t.ids.Get(r.Group))
			continue
		}
		kept = append(kept, r.Rows[i])
	}
	r.Rows = kept
	t.line[r.Group] = lineOf(r)
	x.stats.Kept += int64(len(kept))
	t.keep(r)
	return errors.Join(tooLarge(&t.patterns, "patterns of stop times"), tooLarge(&t.profiles, "profiles of stop times"))
}

// lineOf is the line at which the calls of a trip begin, 0 if they do not stand line by line.
func lineOf(r *gather.Rows) int32 {
	for i := range r.Rows {
		if r.Late || r.Rows[i].Line != r.Rows[0].Line+int32(i) {
			return 0
		}
	}
	if len(r.Rows) == 0 {
		return 0
	}
	return r.Rows[0].Line
}

// trips are numbered in file order.
type trips struct {
	entities
	// direction of a trip: 2 × route + direction_id, which is 0 where the feed says nothing.
	direction []int32
	judged    judged

	calls
}

func (l *loader) readTrips(ctx context.Context) error {
	t, r := &l.trips, &l.routes
	def, _ := gtfs.TableOf("trips.txt")
	route, service, direction, headsign := def.Column("route_id"), def.Column("service_id"), def.Column("direction_id"),
		def.Column("trip_headsign")
	t.direction = make([]int32, 0, min(l.stats["trips.txt"].Bytes/64, 1<<20)) // about as many as there are rows
	err := l.readEntities(ctx, "trips.txt", &t.entities, func(x *rows, _ int32) bool {
		n := x.refer(route, &r.ids)
		if n < 0 {
			return false
		}
		s := x.refer(service, &l.services.ids)
		if s < 0 {
			return false
		}
		l.services.hasTrips[s] = true
		d := 2 * n
		if c := x.cell(direction); len(c) > 0 {
			d += int32(c[0] - '0')
		}
		t.direction = append(t.direction, d)
		r.trips[n]++
		r.directions[d]++
		l.names.count(d, x.raw(headsign))
		return true
	})
	if err != nil {
		return err
	}
	r.numberTrips()
	return l.refuse(&t.ids, "trips", "trips.txt")
}

func (l *loader) copyTrips(ctx context.Context) error {
	t := &l.trips
	next := append([]int32(nil), l.routes.firstTrip...)
	now, headsign, shape := int32(0), false, int32(-1)
	return l.copyEntities(ctx, "trips.txt", &t.entities, form{
		before: "ord, pattern, profile, start_time",
		head: func(w *copier.Writer, n int32) {
			now = n
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
			switch name := x.def.Columns[i].Name; name {
			case "shape_id":
				c := x.linked(i)
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
		tail: func(_ *copier.Writer, x *rows) error {
			l.judgeTrip(now, x.line(), headsign, shape)
			return nil
		},
	})
}

package load

import (
	"context"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/services/gtfs-import/internal/copier"
	"github.com/townline/townline/services/gtfs-import/internal/interned"
)

// trips are numbered in file order; their calls are in calls.go.
type trips struct {
	ids interned.Table
	// direction of a trip: 2 × route + direction_id, which is 0 where the feed says nothing.
	direction []int32
	accepted  bits

	calls
}

func (l *loader) readTrips(ctx context.Context) error {
	t, r := &l.trips, &l.routes
	x, err := l.open("trips.txt")
	if err != nil {
		return err
	}
	x.ids = &t.ids
	t.direction = make([]int32, 0, min(x.stats.Bytes/64, 1<<20)) // about as many as there are rows
	id, route, service := x.def.Column("trip_id"), x.def.Column("route_id"), x.def.Column("service_id")
	direction, headsign := x.def.Column("direction_id"), x.def.Column("trip_headsign")
	for x.next(ctx) {
		key := x.cell(id)
		if len(key) == 0 {
			x.note(gtfs.KeyMissing, id, nil)
			continue
		}
		if t.ids.Find(key) >= 0 {
			x.note(gtfs.KeyDuplicate, id, key)
			continue
		}
		n := l.refer(x, route, &r.ids)
		if n < 0 {
			continue
		}
		s := l.refer(x, service, &l.services.ids)
		if s < 0 {
			continue
		}
		l.services.hasTrips[s] = true
		t.ids.Add(key)
		d := 2 * n
		if c := x.cell(direction); len(c) > 0 {
			d += int32(c[0] - '0')
		}
		t.direction = append(t.direction, d)
		t.accepted.set(x.n)
		x.stats.Kept++
		r.trips[n]++
		r.directions[d]++
		l.names.count(d, x.raw(headsign))
	}
	if err := x.close(); err != nil {
		return err
	}
	r.numberTrips()
	return l.refuse(&t.ids, "trips", "trips.txt")
}

// refer resolves a cell that must refer to something in ids; -1 if it does not, which
// is noted.
func (l *loader) refer(x *rows, column int, ids *interned.Table) int32 {
	c := x.cell(column)
	if len(c) == 0 {
		x.note(gtfs.ReferenceMissing, column, nil)
		return -1
	}
	n := ids.Find(c)
	if n < 0 {
		x.note(gtfs.ReferenceUnknown, column, c)
	}
	return n
}

func (l *loader) copyTrips(ctx context.Context) error {
	t := &l.trips
	x, err := l.reopen("trips.txt")
	if err != nil {
		return err
	}
	id, shape, direction := x.def.Column("trip_id"), x.def.Column("shape_id"), x.def.Column("direction_id")
	route, service := x.def.Column("route_id"), x.def.Column("service_id")
	next := append([]int32(nil), l.routes.firstTrip...)
	_, err = l.stage.Copy(ctx, "trip", `ord, pattern, profile, start_time, trip_id, route_id, service_id, trip_headsign, trip_short_name,
		direction_id, block_id, shape_id, wheelchair_accessible, bikes_allowed`, func(w *copier.Writer) error {
		n := 0
		for x.next(ctx) {
			if !t.accepted.has(x.n) {
				continue
			}
			w.Int(int(l.stage.Version))
			r := t.direction[n] / 2
			w.Int(int(next[r]))
			next[r]++
			if p := t.pattern[n]; p >= 0 {
				w.Int(int(t.number[p]))
			} else {
				w.Null()
			}
			if f := t.profile[n]; f >= 0 {
				w.Int(int(t.profileNumber[f]))
				w.Int(int(t.start[n]))
			} else {
				w.Null()
				w.Null()
			}
			for i := range x.def.Columns {
				var c []byte
				switch i {
				case id, route, service, direction:
					c = x.quiet(i)
				case shape:
					if c = x.cell(i); len(c) > 0 && l.shapes.ids.Find(c) < 0 {
						x.note(gtfs.LinkUnknown, i, c)
						c = nil
					}
				default:
					c = x.cell(i)
				}
				w.Text(c)
			}
			if err := w.End(); err != nil {
				return err
			}
			n++
		}
		return x.err
	})
	_ = x.close()
	return err
}

// maxHeadway is a day. Who adds a longer one to a time of day may find that it does not fit.
const maxHeadway = 24 * 60 * 60

func (l *loader) copyFrequencies(ctx context.Context) error {
	x, err := l.open("frequencies.txt")
	if err != nil {
		return err
	}
	id, start, end := x.def.Column("trip_id"), x.def.Column("start_time"), x.def.Column("end_time")
	headway, exact := x.def.Column("headway_secs"), x.def.Column("exact_times")
	seen := map[uint64]struct{}{}
	_, err = l.stage.Copy(ctx, "frequency", "ord, trip_id, start_time, end_time, headway_secs, exact_times", func(w *copier.Writer) error {
		for x.next(ctx) {
			trip := l.refer(x, id, &l.trips.ids)
			if trip < 0 {
				continue
			}
			from, ok1 := gtfs.ParseTime(x.cell(start))
			to, ok2 := gtfs.ParseTime(x.cell(end))
			every, ok3 := gtfs.ParseUint(x.cell(headway))
			if !ok1 || !ok2 || !ok3 {
				x.note(gtfs.KeyMissing, -1, nil)
				continue
			}
			if every > maxHeadway {
				x.note(gtfs.HeadwayTooLong, headway, x.raw(headway))
				continue
			}
			k := uint64(trip)<<32 | uint64(from)
			if _, twice := seen[k]; twice {
				x.note(gtfs.KeyDuplicate, id, x.raw(id))
				continue
			}
			seen[k] = struct{}{}
			w.Int(int(l.stage.Version))
			w.Int(len(seen) - 1)
			w.Text(x.raw(id))
			w.Int(from)
			w.Int(to)
			w.Int(every)
			w.Text(x.cell(exact))
			if err := w.End(); err != nil {
				return err
			}
		}
		return x.err
	})
	x.stats.Kept = int64(len(seen))
	_ = x.close()
	return err
}

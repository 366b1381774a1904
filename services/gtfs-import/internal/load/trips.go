package load

import (
	"context"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/services/gtfs-import/internal/copier"
)

// trips are numbered in file order; their calls are in calls.go.
type trips struct {
	entities
	// direction of a trip: 2 × route + direction_id, which is 0 where the feed says nothing.
	direction []int32

	calls
}

func (l *loader) readTrips(ctx context.Context) error {
	t, r := &l.trips, &l.routes
	def, _ := gtfs.TableOf("trips.txt")
	route, service, direction, headsign := def.Column("route_id"), def.Column("service_id"), def.Column("direction_id"), def.Column("trip_headsign")
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
	return l.copyEntities(ctx, "trips.txt", &t.entities, form{
		before: "ord, pattern, profile, start_time",
		head: func(w *copier.Writer, n int32) {
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
			if x.def.Columns[i].Ref == "shapes.txt" {
				return x.linked(i)
			}
			return x.cell(i)
		},
	})
}

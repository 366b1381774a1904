package load

import (
	"context"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/services/gtfs-import/internal/copier"
	"github.com/townline/townline/services/gtfs-import/internal/interned"
	"github.com/townline/townline/services/gtfs-import/internal/order"
)

// directionNames collects what the directions of routes may be called. Directions
// are numbered 2 × route + direction_id.
type directionNames struct {
	named map[int32]string // by directions.txt or direction_names.txt
	// tally counts names by direction: headsigns of stations (direction_names.txt), and
	// headsigns of trips.
	texts           interned.Table
	stations, trips map[tallied]int32
}

type tallied struct{ direction, text int32 }

func (d *directionNames) count(tally map[tallied]int32, direction int32, name []byte) {
	if len(name) == 0 {
		return
	}
	n, _ := d.texts.Add(name)
	tally[tallied{direction, n}]++
}

// readDirectionNames reads the two files that may name directions.
func (l *loader) readDirectionNames(ctx context.Context) error {
	d := &l.names
	d.named, d.stations, d.trips = map[int32]string{}, map[tallied]int32{}, map[tallied]int32{}
	for _, file := range []string{"directions.txt", "direction_names.txt"} {
		x, err := l.open(file)
		if err != nil {
			return err
		}
		for x.next(ctx) {
			if l.nameDirection(x) || l.nameStation(x) {
				x.stats.Kept++
			}
		}
		if err := x.close(); err != nil {
			return err
		}
	}
	return nil
}

// nameDirection reads a row that names a direction of a route.
func (l *loader) nameDirection(x *rows) bool {
	id := x.def.Column("route_id")
	if x.col[id] < 0 && x.now == nil {
		return false
	}
	route, direction := x.cell(id), x.cell(x.def.Column("direction_id"))
	name := x.cell(x.def.Column("direction_name"))
	if c := x.cell(x.def.Column("direction")); len(c) > 0 && len(name) == 0 {
		name = c
	}
	n := l.routes.ids.Find(route)
	switch {
	case len(route) == 0 || len(direction) == 0:
		x.note(gtfs.KeyMissing, -1, nil)
		return false
	case n < 0:
		x.note(gtfs.ReferenceUnknown, id, route)
		return false
	}
	key := 2*n + int32(direction[0]-'0')
	if _, twice := l.names.named[key]; twice {
		x.note(gtfs.KeyDuplicate, id, route)
		return false
	}
	l.names.named[key] = string(name)
	return true
}

// nameStation reads a row of direction_names.txt as the subway of New York has it:
// what the two directions are called at a station, and which routes stop there.
func (l *loader) nameStation(x *rows) bool {
	routes := x.def.Column("daytime_routes")
	if routes < 0 {
		return false
	}
	found := false
	for _, id := range strings.Fields(string(x.cell(routes))) {
		n := l.routes.ids.Find([]byte(id))
		if n < 0 {
			continue
		}
		found = true
		for d, column := range []string{"headsign_direction_0", "headsign_direction_1"} {
			l.names.count(l.names.stations, 2*n+int32(d), x.cell(x.def.Column(column)))
		}
	}
	return found
}

// name returns what a direction is called: by the feed, else by most of its
// stations, else by most of its trips, else by custom. Of names that are as frequent the
// one that came first counts.
func (d *directionNames) name(direction int32) string {
	if name := d.named[direction]; name != "" {
		return name
	}
	for _, tally := range []map[tallied]int32{d.stations, d.trips} {
		best, most := int32(-1), int32(0)
		for t, n := range tally {
			if t.direction == direction && (n > most || n == most && t.text < best) {
				best, most = t.text, n
			}
		}
		if best >= 0 {
			return string(d.texts.Get(best))
		}
	}
	return [...]string{"Outbound", "Inbound"}[direction&1]
}

// use is a pattern as it is used in a direction.
type use struct{ direction, pattern, trips int32 }

// uses returns the patterns of each direction: directions in order of their ord,
// in each the heaviest first.
func (l *loader) uses() []use {
	t := &l.trips
	pairs := make([]uint64, 0, len(t.pattern))
	for n, p := range t.pattern {
		if p >= 0 {
			d := 2*t.route[n] + int32(t.direction[n])
			pairs = append(pairs, uint64(l.routes.directionOrd[d])<<32|uint64(t.number[p]))
		}
	}
	slices.Sort(pairs)
	var uses []use
	for i, p := range pairs {
		if i > 0 && pairs[i-1] == p {
			uses[len(uses)-1].trips++
			continue
		}
		uses = append(uses, use{int32(p >> 32), int32(uint32(p)), 1})
	}
	slices.SortStableFunc(uses, func(a, b use) int {
		if a.direction != b.direction {
			return int(a.direction) - int(b.direction)
		}
		return int(b.trips) - int(a.trips)
	})
	return uses
}

// copyDirections works out the service order of each direction.
func (l *loader) copyDirections(ctx context.Context) error {
	r := &l.routes
	uses := l.uses()
	// Both tables are filled by one walk over the directions; the second's rows
	// wait in patternRows.
	type placed struct {
		use
		n    int
		rows []int32
	}
	var patternRows []placed
	byOrd := make([]int32, r.directionCount)
	for d, ord := range r.directionOrd {
		if ord >= 0 {
			byOrd[ord] = int32(d)
		}
	}
	_, err := l.stage.Copy(ctx, "route_direction", "ord, route_id, direction_id, direction, trip_count, stop_id", func(w *copier.Writer) error {
		var ids [][]byte
		i := 0
		for ord, d := range byOrd {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			first := i
			var patterns [][]int32
			for ; i < len(uses) && uses[i].direction == int32(ord); i++ {
				patterns = append(patterns, l.trips.stopsOf(uses[i].pattern))
			}
			order, at := order.Merge(patterns)
			for k := range at {
				patternRows = append(patternRows, placed{uses[first+k], k, l.trips.spread(uses[first+k].pattern, at[k])})
			}
			w.Int(int(l.stage.Version))
			w.Int(ord)
			w.Text(r.ids.Get(d / 2))
			w.Int(int(d & 1))
			w.String(l.names.name(d))
			w.Int(int(r.directions[d]))
			ids = ids[:0]
			for _, s := range order {
				ids = append(ids, l.stops.ids.Get(s))
			}
			w.Texts(ids)
			if err := w.End(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	_, err = l.stage.Copy(ctx, "route_pattern", "route_id, direction_id, n, pattern, trip_count, rows", func(w *copier.Writer) error {
		for _, p := range patternRows {
			d := byOrd[p.direction]
			w.Int(int(l.stage.Version))
			w.Text(r.ids.Get(d / 2))
			w.Int(int(d & 1))
			w.Int(p.n)
			w.Int(int(p.pattern))
			w.Int(int(p.trips))
			w.NullInts(p.rows, -1)
			if err := w.End(); err != nil {
				return err
			}
		}
		return nil
	})
	l.trips.uses = uses
	return err
}

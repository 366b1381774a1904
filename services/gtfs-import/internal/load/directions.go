package load

import (
	"cmp"
	"context"
	"slices"

	"github.com/townline/townline/pkg/compact"
	"github.com/townline/townline/services/gtfs-import/internal/stage"
	"github.com/townline/townline/services/gtfs-import/internal/stoporder"
)

// directionNames collects names for the directions of routes, which are numbered 2 × route +
// direction_id.
type directionNames struct {
	named     map[int32]string   // names from directions.txt or direction_names.txt
	headsigns map[headsign]int32 // number of trips by headsign
	texts     compact.Strings
}

type headsign struct{ direction, text int32 }

func (d *directionNames) countHeadsign(direction int32, name []byte) {
	if len(name) > 0 {
		n, _ := d.texts.Add(name)
		d.headsigns[headsign{direction, n}]++
	}
}

// readDirectionNames reads the two files that may name directions. If a file has no routes, its
// rows are only counted: some files name directions at stations.
func (l *loader) readDirectionNames(ctx context.Context) error {
	l.names.named, l.names.headsigns = map[int32]string{}, map[headsign]int32{}
	for _, file := range []string{"directions.txt", "direction_names.txt"} {
		x, err := l.open(file)
		if err != nil {
			return err
		}
		route := x.def.Column("route_id")
		x.stats.Known = x.col[route] >= 0 || x.overrides != nil
		for x.next(ctx) {
			if x.stats.Known && l.nameDirection(x, route) {
				x.stats.Kept++
			}
		}
		if err := x.end(); err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) nameDirection(x *rows, route int) bool {
	id, direction := x.cell(route), x.cell(x.def.Column("direction_id"))
	name := x.cell(x.def.Column("direction"))
	if len(name) == 0 {
		name = x.cell(x.def.Column("direction_name"))
	}
	n := l.routes.ids.Find(id)
	switch {
	case len(id) == 0 || len(direction) == 0:
		x.leaveOut(-1, nil)
		return false
	case n < 0:
		x.note("foreign_key_violation", route, id)
		return false
	}
	key := 2*n + int32(direction[0]-'0')
	if _, twice := l.names.named[key]; twice {
		x.note("duplicate_key", route, id)
		return false
	}
	l.names.named[key] = string(name)
	return true
}

// list returns the names of directions 0 to count-1: from the feed, or the most frequent headsign
// (the first of equals), or Outbound and Inbound.
func (d *directionNames) list(count int) []string {
	most := make([]headsign, count)
	for i := range most {
		most[i].text = -1
	}
	for h, n := range d.headsigns {
		m := &most[h.direction]
		if best := d.headsigns[headsign{h.direction, m.text}]; m.text < 0 || n > best || n == best && h.text < m.text {
			*m = h
		}
	}
	names := make([]string, count)
	for i := range names {
		switch {
		case d.named[int32(i)] != "":
			names[i] = d.named[int32(i)]
		case most[i].text >= 0:
			names[i] = string(d.texts.Get(most[i].text))
		default:
			names[i] = [...]string{"Outbound", "Inbound"}[i&1]
		}
	}
	return names
}

// patternUse is a pattern in a direction, given by its ord in route_direction.
type patternUse struct{ direction, pattern, trips int32 }

type patternRow struct {
	patternUse
	n    int
	rows []int32
}

func (l *loader) patternUses() []patternUse {
	t := &l.trips
	trips := map[patternUse]int32{} // number of trips by direction and pattern
	for n, p := range t.pattern {
		if p >= 0 {
			trips[patternUse{direction: l.routes.directionOrd[t.direction[n]], pattern: t.number[p]}]++
		}
	}
	var uses []patternUse
	for u, n := range trips {
		uses = append(uses, patternUse{u.direction, u.pattern, n})
	}
	slices.SortFunc(uses, func(a, b patternUse) int {
		return cmp.Or(cmp.Compare(a.direction, b.direction), cmp.Compare(b.trips, a.trips), cmp.Compare(a.pattern, b.pattern))
	})
	return uses
}

// copyDirections merges the patterns of each direction and fills route_direction and route_pattern.
func (l *loader) copyDirections(ctx context.Context) error {
	r := &l.routes
	uses := l.patternUses()
	names := l.names.list(len(r.directionOrd))
	var patternRows []patternRow
	byOrd := make([]int32, r.directionCount)
	for d, ord := range r.directionOrd {
		if ord >= 0 {
			byOrd[ord] = int32(d)
		}
	}
	err := l.fill(ctx, "route_direction", "ord, route_id, direction_id, direction, trip_count, stop_id",
		func(w *stage.Writer) error {
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
				order, at := stoporder.Merge(patterns)
				for k, use := range uses[first:i] {
					patternRows = append(patternRows, patternRow{use, k, l.trips.rowsOf(use.pattern, at[k])})
				}
				w.Int(ord)
				w.Text(r.ids.Get(d / 2))
				w.Nums(d & 1)
				w.Text([]byte(names[d]))
				w.Nums(r.directions[d])
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
	l.trips.uses = uses
	return l.copyRoutePatterns(ctx, byOrd, patternRows)
}

func (l *loader) copyRoutePatterns(ctx context.Context, byOrd []int32, patternRows []patternRow) error {
	return l.fill(ctx, "route_pattern", "route_id, direction_id, n, pattern, trip_count, rows",
		func(w *stage.Writer) error {
			for _, p := range patternRows {
				d := byOrd[p.direction]
				w.Text(l.routes.ids.Get(d / 2))
				w.Nums(d&1, int32(p.n), p.pattern, p.trips)
				w.NullInts(p.rows, -1)
				if err := w.End(); err != nil {
					return err
				}
			}
			return nil
		})
}

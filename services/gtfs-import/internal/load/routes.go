package load

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/services/gtfs-import/internal/copier"
	"github.com/townline/townline/services/gtfs-import/internal/interned"
)

type routes struct {
	ids      interned.Table // in file order
	agency   []int32        // by route
	accepted bits

	// Routes are numbered by agency, then in file order: ord[route], of which
	// agency a has firstOf[a] up to firstOf[a+1]. byOrd is the way back.
	ord, byOrd []int32
	firstOf    []int32

	// trips counts those of a route, firstTrip is the ord of its first; both by route.
	trips, firstTrip []int32
	// directions counts trips by 2 × route + direction; directionOrd is the ord of
	// the route_direction, -1 without trips.
	directions, directionOrd []int32
	directionCount           int
}

func (l *loader) readRoutes(ctx context.Context) error {
	r := &l.routes
	x, err := l.open("routes.txt")
	if err != nil {
		return err
	}
	x.ids = &r.ids
	id, agency := x.def.Column("route_id"), x.def.Column("agency_id")
	for x.next(ctx) {
		key := x.cell(id)
		if len(key) == 0 {
			x.note(gtfs.KeyMissing, id, nil)
			continue
		}
		if r.ids.Find(key) >= 0 {
			x.note(gtfs.KeyDuplicate, id, key)
			continue
		}
		cell := x.cell(agency)
		a, assumed := l.agencyOf(cell)
		if a < 0 {
			x.note(gtfs.ReferenceUnknown, agency, cell)
			continue
		}
		if assumed {
			x.note(gtfs.AgencyAssumed, agency, cell)
		}
		r.ids.Add(key)
		r.agency = append(r.agency, a)
		r.accepted.set(x.n)
		x.stats.Kept++
	}
	if err := x.close(); err != nil {
		return err
	}
	n := r.ids.Len()
	r.trips, r.firstTrip = make([]int32, n), make([]int32, n)
	r.directions, r.directionOrd = make([]int32, 2*n), make([]int32, 2*n)
	r.number(l.agencies.ids.Len())
	return l.refuse(&r.ids, "routes", "routes.txt")
}

func (r *routes) number(agencies int) {
	r.firstOf = make([]int32, agencies+1)
	for _, a := range r.agency {
		r.firstOf[a+1]++
	}
	for a := range agencies {
		r.firstOf[a+1] += r.firstOf[a]
	}
	next := append([]int32(nil), r.firstOf...)
	r.ord, r.byOrd = make([]int32, len(r.agency)), make([]int32, len(r.agency))
	for n, a := range r.agency {
		r.ord[n] = next[a]
		r.byOrd[next[a]] = int32(n)
		next[a]++
	}
}

// numberTrips follows from the counts of trips, once they are known.
func (r *routes) numberTrips() {
	trip, direction := int32(0), int32(0)
	for _, n := range r.byOrd {
		r.firstTrip[n] = trip
		trip += r.trips[n]
		for d := 2 * n; d < 2*n+2; d++ {
			r.directionOrd[d] = -1
			if r.directions[d] > 0 {
				r.directionOrd[d] = direction
				direction++
			}
		}
	}
	r.directionCount = int(direction)
}

// firstDirection returns the ord of a route's first direction, and how many it has.
func (r *routes) firstDirection(n int32) (first, count int32) {
	for d := 2*n + 1; d >= 2*n; d-- {
		if r.directionOrd[d] >= 0 {
			first = r.directionOrd[d]
			count++
		}
	}
	return first, count
}

func (l *loader) copyRoutes(ctx context.Context) error {
	r := &l.routes
	x, err := l.reopen("routes.txt")
	if err != nil {
		return err
	}
	id, agency := x.def.Column("route_id"), x.def.Column("agency_id")
	_, err = l.stage.Copy(ctx, "route", `ord, first_trip, trip_count, first_direction, direction_count, route_id, agency_id,
		route_short_name, route_long_name, route_desc, route_type, route_url, route_color, route_text_color, route_sort_order,
		continuous_pickup, continuous_drop_off, network_id, extra`, func(w *copier.Writer) error {
		n := int32(0)
		for x.next(ctx) {
			if !r.accepted.has(x.n) {
				continue
			}
			w.Int(int(l.stage.Version))
			w.Int(int(r.ord[n]))
			w.Int(int(r.firstTrip[n]))
			w.Int(int(r.trips[n]))
			first, count := r.firstDirection(n)
			w.Int(int(first))
			w.Int(int(count))
			for i := range x.def.Columns {
				switch i {
				case id:
					w.Text(r.ids.Get(n))
				case agency:
					w.Text(l.agencies.ids.Get(r.agency[n]))
				default:
					w.Text(x.cell(i))
				}
			}
			extra, err := x.extra()
			if err != nil {
				return err
			}
			w.Text(extra)
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

// extra returns the cells of columns beyond the standard as a JSON object, nil if
// there are none.
func (x *rows) extra() ([]byte, error) {
	cells := map[string]*string{}
	if x.r != nil {
		for i, name := range x.r.Header() {
			if name == "" || x.def.Column(name) >= 0 || x.known(i) {
				continue
			}
			cells[name] = nil
			if x.now != nil && x.now.Op == "add" {
				continue
			}
			if c := string(x.r.Cell(i)); c != "" {
				cells[name] = &c
			}
		}
	}
	if x.now != nil {
		for name, c := range x.now.Cells {
			if x.def.Column(name) >= 0 {
				continue
			}
			cells[name] = nil
			if c != "" {
				cells[name] = &c
			}
		}
	}
	if len(cells) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(cells)
	if err != nil {
		return nil, fmt.Errorf("extra columns of %s line %d: %w", x.def.File, x.line(), err)
	}
	return text, nil
}

// known tells whether a column of the file is one of the table's.
func (x *rows) known(column int) bool {
	for _, c := range x.col {
		if c == column {
			return true
		}
	}
	return false
}

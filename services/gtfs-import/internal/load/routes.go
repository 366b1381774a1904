package load

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/services/gtfs-import/internal/stage"
)

type routes struct {
	entities
	agency []int32 // keyed by route

	// ord[route] numbers routes by agency, then in file order. The routes of agency a have the ords
	// from firstRoute[a] up to firstRoute[a+1]. byOrd is the inverse of ord.
	ord, byOrd []int32
	firstRoute []int32

	// By route: the number of its trips, and the ord of the first trip.
	trips, firstTrip []int32
	// By 2 × route + direction: the number of trips, and the ord in route_direction, -1 without
	// trips.
	directions, directionOrd []int32
	directionCount           int
}

func (l *loader) readRoutes(ctx context.Context) error {
	r := &l.routes
	err := l.readEntities(ctx, "routes.txt", &r.entities, func(x *rows, _ int32) bool {
		agency := x.def.Column("agency_id")
		cell := x.cell(agency)
		a, assumed := l.agencyOf(cell)
		if a < 0 {
			x.note("foreign_key_violation", agency, cell)
			return false
		}
		if assumed {
			if len(cell) > 0 {
				x.noteAs("foreign_key_violation", gtfs.CellChanged, agency, cell)
			} else {
				x.note("missing_required_agency_id", agency, nil)
			}
			var id []byte
			if a != l.agencies.nameless {
				id = l.agencies.ids.Get(a)
			}
			l.Audit.Change("routes.txt", x.line(), "agency_id", id)
		}
		r.agency = append(r.agency, a)
		return true
	})
	if err != nil {
		return err
	}
	n := r.ids.Len()
	r.trips, r.firstTrip = make([]int32, n), make([]int32, n)
	r.directions, r.directionOrd = make([]int32, 2*n), make([]int32, 2*n)
	r.number(l.agencies.ids.Len())
	return l.requireIDs(&r.ids, "routes", "routes.txt")
}

func (r *routes) number(agencies int) {
	byAgency := groupByKey(agencies, func(add func(int32, int32)) {
		for n, a := range r.agency {
			add(a, int32(n))
		}
	})
	r.ord = make([]int32, len(r.agency))
	for _, routes := range byAgency {
		r.firstRoute = append(r.firstRoute, int32(len(r.byOrd)))
		for _, n := range routes {
			r.ord[n] = int32(len(r.byOrd))
			r.byOrd = append(r.byOrd, n)
		}
	}
	r.firstRoute = append(r.firstRoute, int32(len(r.byOrd)))
}

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
	return l.copyEntities(ctx, "routes.txt", &r.entities, rowFormat{
		before: "ord, first_trip, trip_count, first_direction, direction_count", after: ", extra",
		head: func(w *stage.Writer, n int32) {
			first, count := r.firstDirection(n)
			w.Nums(r.ord[n], r.firstTrip[n], r.trips[n], first, count)
		},
		cell: func(x *rows, i int, n int32) []byte {
			if x.def.Columns[i].Name == "agency_id" {
				return l.agencies.ids.Get(r.agency[n])
			}
			return x.cell(i)
		},
		tail: func(w *stage.Writer, x *rows) error {
			extra, err := x.extra()
			w.Text(extra)
			return err
		},
	})
}

// extra returns the cells of unknown columns as a JSON object; nil if there are none.
func (x *rows) extra() ([]byte, error) {
	cells := map[string]*string{}
	add := func(name, cell string) {
		cells[name] = nil
		if cell != "" {
			cells[name] = &cell
		}
	}
	for i, name := range x.r.Header() {
		if name != "" && x.def.Column(name) < 0 && !slices.Contains(x.col, i) {
			add(name, string(x.named(name, i)))
		}
	}
	if x.override != nil {
		for name, cell := range x.override.Cells {
			if x.def.Column(name) < 0 {
				add(name, cell)
			}
		}
	}
	if len(cells) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(cells)
	if err != nil {
		return nil, fmt.Errorf("encode the extra columns of %s line %d: %w", x.def.File, x.line(), err)
	}
	return text, nil
}

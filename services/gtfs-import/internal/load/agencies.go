package load

import (
	"context"
	_ "time/tzdata" // for systems without time zones

	"github.com/townline/townline/pkg/gtfs/check"
	"github.com/townline/townline/services/gtfs-import/internal/stage"
)

type agencies struct {
	entities
	// nameless is the agency without an id; -1 if there is none. The feed's alias becomes its id.
	nameless int32
	// undescribed is set if the feed has no usable agency. Then agencies that routes refer to get
	// the feed's name.
	undescribed bool
	timeZone    string
}

func (l *loader) readAgencies(ctx context.Context) error {
	a := &l.agencies
	a.nameless = -1
	err := l.readEntities(ctx, "agency.txt", &a.entities, func(x *rows, n int32) bool {
		if len(x.raw(x.def.Column("agency_id"))) == 0 {
			a.nameless = n
		}
		if n == 0 {
			zone := x.def.Column("agency_timezone")
			a.timeZone = string(x.raw(zone))
			if !check.IsTimeZone(a.timeZone) {
				x.note("invalid_timezone", zone, x.raw(zone))
				a.timeZone = ""
			}
		}
		return true
	})
	a.undescribed = a.ids.Len() == 0
	return err
}

// agencyOf returns the agency of a route, or -1 if unknown. assumed is set if the agency is not the
// one in the cell.
func (l *loader) agencyOf(cell []byte) (n int32, assumed bool) {
	a := &l.agencies
	switch {
	case a.undescribed && len(cell) == 0:
		n, _ = a.ids.Add([]byte(l.Alias))
		return n, false
	case a.undescribed:
		n, _ = a.ids.Add(cell)
		return n, false
	case len(cell) > 0:
		n = a.ids.Find(cell)
		if n >= 0 {
			return n, false
		}
		// The only agency has no id, so the route refers to it.
		if a.ids.Len() == 1 && a.nameless == 0 {
			return 0, true
		}
		return -1, false
	case a.nameless >= 0:
		return a.nameless, false
	}
	// Routes without agency_id get the first of several agencies; the audit reports them.
	return 0, a.ids.Len() > 1
}

func (l *loader) copyAgencies(ctx context.Context) error {
	a := &l.agencies
	return l.copyEntities(ctx, "agency.txt", &a.entities, rowFormat{
		before: "ord, first_route, route_count",
		head: func(w *stage.Writer, n int32) {
			first := l.routes.firstRoute[n]
			w.Nums(n, first, l.routes.firstRoute[n+1]-first)
		},
		cell: func(x *rows, i int, n int32) []byte {
			if i == 0 {
				return a.ids.Get(n)
			}
			return x.cell(i)
		},
		derived: func(n int32) [][]byte { return [][]byte{a.ids.Get(n), []byte(l.Name), 7: nil} },
	})
}

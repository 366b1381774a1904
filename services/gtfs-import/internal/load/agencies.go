package load

import (
	"context"
	"time"
	_ "time/tzdata" // agencies' time zones, also where the system has none

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/services/gtfs-import/internal/copier"
)

type agencies struct {
	entities
	// nameless is the agency without an id, -1 if there is none. Its id is the feed's alias.
	nameless int32
	// standIn reports that the feed describes no agency: those that its routes name get the feed's
	// name.
	standIn  bool
	timeZone string
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
			if _, err := time.LoadLocation(a.timeZone); err != nil || a.timeZone == "" || a.timeZone == "Local" {
				x.note(gtfs.BadTimeZone, zone, x.raw(zone))
				a.timeZone = ""
			}
		}
		return true
	})
	a.standIn = a.ids.Len() == 0
	return err
}

// agencyOf returns the agency of a route, -1 if it is unknown, and whether it differs from the
// cell.
func (l *loader) agencyOf(cell []byte) (n int32, assumed bool) {
	a := &l.agencies
	switch {
	case a.standIn && len(cell) == 0:
		n, _ = a.ids.Add([]byte(l.Alias))
		return n, false
	case a.standIn:
		n, _ = a.ids.Add(cell)
		return n, false
	case len(cell) > 0:
		n = a.ids.Find(cell)
		if n >= 0 {
			return n, false
		}
		// The only agency has no id, so it is the one that the route names.
		if a.ids.Len() == 1 && a.nameless == 0 {
			return 0, true
		}
		return -1, false
	case a.nameless >= 0:
		return a.nameless, false
	}
	// Of several agencies it is the first, and the audit says so.
	return 0, a.ids.Len() > 1
}

func (l *loader) copyAgencies(ctx context.Context) error {
	a := &l.agencies
	return l.copyEntities(ctx, "agency.txt", &a.entities, form{
		before: "ord, first_route, route_count",
		head: func(w *copier.Writer, n int32) {
			first := l.routes.firstOf[n]
			w.Nums(n, first, l.routes.firstOf[n+1]-first)
		},
		cell: func(x *rows, i int, n int32) []byte {
			if i == 0 {
				return a.ids.Get(n)
			}
			return x.cell(i)
		},
		further: func(n int32) [][]byte { return [][]byte{a.ids.Get(n), []byte(l.Name), 7: nil} },
	})
}

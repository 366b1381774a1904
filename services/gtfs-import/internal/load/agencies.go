package load

import (
	"context"
	"time"
	_ "time/tzdata" // agencies' time zones, also where the system has none

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/services/gtfs-import/internal/copier"
	"github.com/townline/townline/services/gtfs-import/internal/interned"
)

type agencies struct {
	ids interned.Table
	// nameless is the agency that the feed gives no id, -1 if there is none. Its id
	// is the feed's alias.
	nameless int32
	// standIn tells that the feed describes no agency: each that its routes name
	// stands there with the feed's name.
	standIn  bool
	accepted bits
	timeZone string
}

func (l *loader) readAgencies(ctx context.Context) error {
	a := &l.agencies
	a.nameless = -1
	x, err := l.open("agency.txt")
	if err != nil {
		return err
	}
	x.ids = &a.ids
	id, zone := x.def.Column("agency_id"), x.def.Column("agency_timezone")
	for x.next(ctx) {
		key := x.cell(id)
		if len(key) == 0 {
			if len(x.raw(id)) > 0 { // noted as too long
				continue
			}
			key = []byte(l.Alias)
		}
		n, added := a.ids.Add(key)
		if !added {
			x.note(gtfs.KeyDuplicate, id, key)
			continue
		}
		if len(x.raw(id)) == 0 {
			a.nameless = n
		}
		a.accepted.set(x.n)
		x.stats.Kept++
		if n == 0 {
			a.timeZone = string(x.raw(zone))
			if _, err := time.LoadLocation(a.timeZone); err != nil || a.timeZone == "" || a.timeZone == "Local" {
				x.note(gtfs.BadTimeZone, zone, x.raw(zone))
				a.timeZone = ""
			}
		}
	}
	a.standIn = a.ids.Len() == 0
	return x.close()
}

// agencyOf returns the agency of a route, -1 if there is no telling, and whether
// that is not what the cell says.
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
		if n = a.ids.Find(cell); n >= 0 {
			return n, false
		}
		// An agency without an id can be the one that routes call by some.
		if a.ids.Len() == 1 && a.nameless == 0 {
			return 0, true
		}
		return -1, false
	case a.nameless >= 0:
		return a.nameless, false
	}
	// Which of several agencies is not said: the first, and the audit tells.
	return 0, a.ids.Len() > 1
}

func (l *loader) copyAgencies(ctx context.Context) error {
	a := &l.agencies
	x, err := l.reopen("agency.txt")
	if err != nil {
		return err
	}
	_, err = l.stage.Copy(ctx, "agency", `ord, first_route, route_count, agency_id, agency_name, agency_url, agency_timezone,
		agency_lang, agency_phone, agency_fare_url, agency_email`, func(w *copier.Writer) error {
		ord := int32(0)
		head := func() {
			w.Int(int(l.stage.Version))
			w.Int(int(ord))
			w.Int(int(l.routes.firstOf[ord]))
			w.Int(int(l.routes.firstOf[ord+1] - l.routes.firstOf[ord]))
			w.Text(a.ids.Get(ord))
			ord++
		}
		for x.next(ctx) {
			if !a.accepted.has(x.n) {
				continue
			}
			head()
			for i := 1; i < len(x.def.Columns); i++ {
				w.Text(x.cell(i))
			}
			if err := w.End(); err != nil {
				return err
			}
		}
		for int(ord) < a.ids.Len() {
			head()
			w.String(l.Name)
			for range 6 {
				w.Null()
			}
			if err := w.End(); err != nil {
				return err
			}
		}
		return x.err
	})
	_ = x.close()
	return err
}

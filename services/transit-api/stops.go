package transitapi

import (
	"context"

	"github.com/townline/townline/services/transit-api/internal/wire"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
)

func (a *api) stopEndpoints() rest.Table {
	return rest.Table{
		rest.Func(rest.Spec{ID: "static.stops", Path: "/feeds/{feed_alias}/stops", Summary: "Stops",
			Tag: tagStatic, NotFound: "unknown feed"}, a.listStops),
		rest.Func(rest.Spec{ID: "static.stop", Path: stopPath, Summary: "One stop",
			Tag: tagStatic, NotFound: "unknown feed or stop"}, a.oneStop),
	}
}

func (a *api) listStops(_ context.Context, c *rest.Call, p feedPage) (wire.Envelope[[]edition.Stop], error) {
	f := feedOf(c)
	from, to := cut(len(f.Stops), p.Window)
	rows := make([]edition.Stop, 0, to-from)
	for i := from; i < to; i++ {
		rows = append(rows, shown(c, f, &f.Stops[i]))
	}
	return wire.Slice(c, p.Window, rows, len(f.Stops), nil), nil
}

func (a *api) oneStop(_ context.Context, c *rest.Call, p stopParams) (wire.Envelope[edition.Stop], error) {
	f := feedOf(c)
	s, err := findStop(f, p.StopID)
	if err != nil {
		return wire.Envelope[edition.Stop]{}, err
	}
	return wire.Item(c, shown(c, f, s), nil), nil
}

// stopsOf is a page of a list of stop ids as stops.
func stopsOf(c *rest.Call, f *edition.Feed, ids []string, w wire.Window) (wire.Envelope[[]edition.Stop], error) {
	from, to := cut(len(ids), w)
	rows := make([]edition.Stop, 0, to-from)
	for _, id := range ids[from:to] {
		s, err := findStop(f, id)
		if err != nil {
			return wire.Envelope[[]edition.Stop]{}, err
		}
		rows = append(rows, shown(c, f, s))
	}
	return wire.Slice(c, w, rows, len(ids), nil), nil
}

// shown is a stop with its links.
func shown(c *rest.Call, f *edition.Feed, of *edition.Stop) edition.Stop {
	s, self := *of, c.URL(stopPath, f.Alias, of.StopID)
	s.Links = make(wire.Links, 0, 6)
	s.Links = append(s.Links,
		wire.Link{Rel: "self", Href: self},
		wire.Link{Rel: "routes", Href: self + "/routes"},
		wire.Link{Rel: "directions", Href: self + "/directions"},
		wire.Link{Rel: "trips", Href: self + "/trips"},
		wire.Link{Rel: "stop_times", Href: self + "/stop_times"})
	if s.ParentStation != nil {
		s.Links.Add("parent_station", c.URL(stopPath, f.Alias, *s.ParentStation))
	}
	return s
}

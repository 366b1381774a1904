package static

import (
	"cmp"
	"context"
	"slices"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

func (a *API) stopEndpoints() rest.Table {
	return rest.Table{
		list(a, rest.Spec{ID: "static.stops", Path: wire.FeedPath + "/stops", Summary: "Stops",
			Doc: "All rows of stops.txt in its order; with near those around a place, the nearest first, with their distance; " +
				"with bbox those in a box. Stations, entrances and " +
				"nodes are there too: location_type tells them apart. Rows without a place are near nothing and in no box.",
			NotFound: "unknown feed"}, listStops),
		single(a, rest.Spec{ID: "static.stop", Path: wire.StopPath, Summary: "One stop", NotFound: "unknown feed or stop"},
			func(_ context.Context, c *rest.Call, f *edition.Feed, p wire.StopParams) (edition.Stop, wire.Links, error) {
				page, _, err := stopsOf(c, f, []string{p.StopID}, wire.Window{Limit: 1})
				if err != nil {
					return edition.Stop{}, nil, err
				}
				return page[0], nil, nil
			}),
	}
}

type stopList struct {
	wire.FeedParams
	Near   *edition.Point     `query:"near" example:"44.65,-63.57" doc:"Latitude and longitude in degrees, as LAT,LON: stops around it, the nearest first."`
	Radius *int64             `query:"radius" min:"1" max:"50000" needs:"near" doc:"How far from near, in metres; 1000 when absent."`
	BBox   *edition.Rectangle `query:"bbox" example:"-63.6,44.6,-63.5,44.7" doc:"West, south, east and north in degrees, as W,S,E,N: stops in it. A box whose west is greater than its east goes over the antimeridian."`
	wire.Window
}

func listStops(ctx context.Context, c *rest.Call, f *edition.Feed, p stopList) ([]edition.Stop, int, error) {
	if p.Near == nil && p.BBox == nil {
		from, to := p.Part(len(f.Stops))
		page := slices.Clone(f.Stops[from:to])
		for i := range page {
			linkStop(&page[i], c, f)
		}
		return page, len(f.Stops), nil
	}
	area := edition.Area{Box: (*edition.Box)(p.BBox)}
	if p.Near != nil {
		area.Near = p.Near.Within(searchRadius)
		if p.Radius != nil {
			area.Near.Radius = float64(*p.Radius)
		}
	}
	type hit struct {
		rank   int
		metres float64
	}
	var hits []hit
	f.StopsIn(area, func(rank int, metres float64) bool {
		hits = append(hits, hit{rank, metres})
		return len(hits)%1000 != 0 || ctx.Err() == nil
	})
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	slices.SortFunc(hits, func(x, y hit) int {
		return cmp.Or(cmp.Compare(x.metres, y.metres), cmp.Compare(x.rank, y.rank))
	})
	from, to := p.Part(len(hits))
	page := make([]edition.Stop, to-from)
	for i, h := range hits[from:to] {
		page[i] = f.Stops[h.rank]
		linkStop(&page[i], c, f)
		if area.Near != nil {
			page[i].Distance = wholeMetres(h.metres)
		}
	}
	return page, len(hits), nil
}

func stopsOf(c *rest.Call, f *edition.Feed, ids []string, w wire.Window) (page []edition.Stop, count int, err error) {
	from, to := w.Part(len(ids))
	for _, id := range ids[from:to] {
		s, err := FindStop(f, id)
		if err != nil {
			return nil, 0, err
		}
		page = append(page, *s)
		linkStop(&page[len(page)-1], c, f)
	}
	return page, len(ids), nil
}

func linkStop(s *edition.Stop, c *rest.Call, f *edition.Feed) {
	s.Links = wire.Below(c.URL(wire.StopPath, f.Alias, s.StopID), "routes", "directions", "trips", "stop_times")
	if s.ParentStation != nil {
		s.Links.Add("parent_station", c.URL(wire.StopPath, f.Alias, *s.ParentStation))
	}
}

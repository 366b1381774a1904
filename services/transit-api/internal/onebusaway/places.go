package onebusaway

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/townline/townline/services/transit-api/internal/edition"
)

// placeParams select a circle, or a box around its centre. Apps send spans or a radius of 0 for
// none.
type placeParams struct {
	feedParams
	Lat     float64  `query:"lat" min:"-90" max:"90" default:"0"`
	Lon     float64  `query:"lon" min:"-180" max:"180" default:"0"`
	Radius  *float64 `query:"radius"`
	LatSpan *float64 `query:"latSpan"`
	LonSpan *float64 `query:"lonSpan"`
	Query   *string  `query:"query" maxlen:"100"`
}

type stopsAtParams struct {
	placeParams
	MaxCount int64 `query:"maxCount" min:"1" clamp:"1000" default:"250"`
}

type routesAtParams struct {
	placeParams
	MaxCount int64 `query:"maxCount" min:"1" clamp:"1000" default:"50"`
}

// Radii in metres.
const (
	defaultRadius = 500
	everywhere    = 2.1e7 // more than half the equator
)

// area returns the place, and the search terms if the client sent any. A search without a radius or
// spans is in the whole feed.
func (p *placeParams) area() (area edition.Area, terms *edition.Terms) {
	near := edition.Near{Lat: p.Lat, Lon: p.Lon, Radius: defaultRadius}
	if p.Query != nil {
		terms = edition.ParseTerms(*p.Query)
		near.Radius = everywhere
	}
	switch {
	case p.Radius != nil && *p.Radius > 0:
		near.Radius = *p.Radius
	case p.LatSpan != nil && *p.LatSpan > 0 && p.LonSpan != nil && *p.LonSpan > 0:
		near.Radius = everywhere
		area.Box = box(p.Lat, p.Lon, *p.LatSpan, *p.LonSpan)
	}
	area.Near = &near
	return area, terms
}

func box(lat, lon, latSpan, lonSpan float64) *edition.Box {
	b := edition.Box{lon - lonSpan/2, lat - latSpan/2, lon + lonSpan/2, lat + latSpan/2}
	if lonSpan >= 360 {
		b[0], b[2] = -180, 180
	}
	b[0], b[2] = math.Remainder(b[0], 360), math.Remainder(b[2], 360) // west may be greater than east
	return &b
}

// A placed is a stop with its distance from the centre of the place.
type placed struct {
	stop   *edition.Stop
	metres float64
	routes []*edition.Route
}

// stopsIn returns the stops in an area at which routes call, the nearest first.
func (x *answer) stopsIn(ctx context.Context, area edition.Area) ([]placed, error) {
	var all []placed
	x.StopsIn(area, func(rank int, metres float64) bool {
		all = append(all, placed{stop: &x.Stops[rank], metres: metres})
		return ctx.Err() == nil
	})
	all, err := x.served(ctx, all)
	slices.SortFunc(all, func(a, b placed) int {
		return cmp.Or(cmp.Compare(a.metres, b.metres), cmp.Compare(x.rank(a.stop), x.rank(b.stop)))
	})
	return all, err
}

// served returns the public stops at which routes call, with these routes.
func (x *answer) served(ctx context.Context, all []placed) ([]placed, error) {
	all = slices.DeleteFunc(all, func(p placed) bool { return !p.stop.IsPublic() })
	ids := make([]string, len(all))
	for i, p := range all {
		ids[i] = p.stop.StopID
	}
	routes, err := x.RoutesByStop(ctx, ids)
	for i := range all {
		all[i].routes = routes[all[i].stop.StopID]
	}
	return slices.DeleteFunc(all, func(p placed) bool { return len(p.routes) == 0 }), cmp.Or(err, ctx.Err())
}

// isOutside reports whether an area is outside the bounding box of all stops.
func (x *answer) isOutside(area edition.Area) bool {
	b, ok := x.Box()
	if !ok {
		return true
	}
	lat, lon := max(b[1], min(area.Near.Lat, b[3])), max(b[0], min(area.Near.Lon, b[2])) // nearest in the box
	return !area.Contains(lat, lon)
}

func (x *answer) stopList(ctx context.Context, all []*edition.Stop, most int) (found listData[Stop], err error) {
	found.LimitExceeded = len(all) > most
	found.List, err = x.stops(ctx, all[:min(len(all), most)])
	return found, err
}

func (x *answer) routeList(all []*edition.Route, most int) (found listData[Route]) {
	found.LimitExceeded = len(all) > most
	for _, r := range all[:min(len(all), most)] {
		found.List = append(found.List, x.route(r))
	}
	return found
}

func listStopsAt(ctx context.Context, x *answer, p stopsAtParams) (found listData[Stop], err error) {
	area, terms := p.area()
	placed, err := x.stopsIn(ctx, area)
	if err != nil {
		return found, err
	}
	var stops, others []*edition.Stop
	for _, s := range placed {
		class, fits := x.Match(s.stop, terms)
		switch {
		case p.Query == nil, fits && class == 0: // the code matches exactly
			stops = append(stops, s.stop)
		case fits:
			others = append(others, s.stop)
		}
	}
	found, err = x.stopList(ctx, append(stops, others...), int(p.MaxCount))
	found.OutOfRange = x.isOutside(area)
	return found, err
}

func listRoutesAt(ctx context.Context, x *answer, p routesAtParams) (found listData[Route], err error) {
	area, terms := p.area()
	placed, err := x.stopsIn(ctx, area)
	if err != nil {
		return found, err
	}
	var routes []*edition.Route
	seen := map[*edition.Route]bool{}
	for _, s := range placed {
		for _, r := range s.routes {
			if !seen[r] {
				seen[r] = true
				routes = append(routes, r)
			}
		}
	}
	if p.Query != nil {
		routes = edition.SearchRoutes(routes, terms, x.names)
	}
	found = x.routeList(routes, int(p.MaxCount))
	found.OutOfRange = x.isOutside(area)
	return found, nil
}

type searchParams struct {
	feedParams
	Input    string `query:"input" required:"true" maxlen:"100"`
	MaxCount int64  `query:"maxCount" min:"1" clamp:"1000" default:"20"`
}

func searchStops(ctx context.Context, x *answer, p searchParams) (found listData[Stop], err error) {
	hits, total, _, err := edition.SearchForgiving(ctx, []*edition.Feed{x.Feed},
		edition.Search{Terms: edition.ParseTerms(p.Input)}, int(p.MaxCount))
	if err != nil {
		return found, err
	}
	found.LimitExceeded = total > len(hits)
	stops := make([]*edition.Stop, len(hits))
	for i, h := range hits {
		stops[i] = h.Stop
	}
	found.List, err = x.stops(ctx, stops)
	return found, err
}

func searchRoutes(_ context.Context, x *answer, p searchParams) (listData[Route], error) {
	return x.routeList(edition.SearchRoutes(x.Routes(), edition.ParseTerms(p.Input), x.names), int(p.MaxCount)), nil
}

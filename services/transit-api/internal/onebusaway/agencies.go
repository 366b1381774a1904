package onebusaway

import (
	"context"
	"slices"

	"github.com/townline/townline/services/transit-api/internal/edition"
)

// Coverage is the box where an agency runs, by its middle.
type Coverage struct {
	AgencyID string  `json:"agencyId"`
	Lat      float64 `json:"lat"`
	LatSpan  float64 `json:"latSpan"`
	Lon      float64 `json:"lon"`
	LonSpan  float64 `json:"lonSpan"`
}

func listCoverage(ctx context.Context, x *answer, _ feedParams) (all listData[Coverage], err error) {
	boxes, err := x.BoxesByAgency(ctx)
	if err != nil {
		return all, err
	}
	whole, _ := x.Box()
	for _, g := range agencies(x.Feed) {
		b, ok := boxes[g.ID]
		if !ok {
			b = whole
		}
		all.List = append(all.List, Coverage{x.agencyID(g.ID), (b[1] + b[3]) / 2, b[3] - b[1], (b[0] + b[2]) / 2,
			b[2] - b[0]})
	}
	return all, nil
}

func agencyRoutes(x *answer, id string) (routes []*edition.Route, err error) {
	if _, err := x.findAgency(id); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(x.Routes(), func(r *edition.Route) bool { return r.AgencyID != id }), nil
}

func listAgencyRoutes(_ context.Context, x *answer, p idParams) (found listData[Route], err error) {
	routes, err := agencyRoutes(x, p.ID)
	for _, r := range routes {
		found.List = append(found.List, x.route(r))
	}
	return found, err
}

func listAgencyRouteIDs(_ context.Context, x *answer, p idParams) (ids listData[string], err error) {
	routes, err := agencyRoutes(x, p.ID)
	for _, r := range routes {
		ids.List = append(ids.List, x.routeID(r))
	}
	return ids, err
}

func listAgencyStops(ctx context.Context, x *answer, p idParams) (found listData[Stop], err error) {
	stops, err := agencyStops(ctx, x, p.ID)
	if err != nil {
		return found, err
	}
	found.List, err = x.stops(ctx, stops)
	return found, err
}

func listAgencyStopIDs(ctx context.Context, x *answer, p idParams) (ids listData[string], err error) {
	stops, err := agencyStops(ctx, x, p.ID)
	for _, s := range stops {
		ids.List = append(ids.List, x.stopID(s))
	}
	return ids, err
}

// agencyStops returns the stops where routes of an agency call.
func agencyStops(ctx context.Context, x *answer, id string) (stops []*edition.Stop, err error) {
	if _, err := x.findAgency(id); err != nil {
		return nil, err
	}
	var all []placed
	for i := range x.Stops {
		all = append(all, placed{stop: &x.Stops[i]})
	}
	all, err = x.served(ctx, all)
	for _, p := range all {
		if slices.ContainsFunc(p.routes, func(r *edition.Route) bool { return r.AgencyID == id }) {
			stops = append(stops, p.stop)
		}
	}
	return stops, err
}

package onebusaway

import (
	"context"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
)

// agencyEndpoints list agencies, and what belongs to one.
func (a *API) agencyEndpoints() rest.Table {
	const unknown = "unknown feed or agency"
	return rest.Table{
		listOf(a, rest.Spec{ID: "oba.agencies_with_coverage", Path: where + "agencies-with-coverage.json",
			Summary: "Agencies and where they run", Shows: []string{"static.agencies"},
			NotFound: unknownFeed}, listCoverage),
		listOf(a, rest.Spec{ID: "oba.routes_for_agency", Path: where + "routes-for-agency/{id}.json",
			Summary: "Routes of an agency", Shows: []string{routesNeeded}, NotFound: unknown}, listAgencyRoutes),
		listOf(a, rest.Spec{ID: "oba.route_ids_for_agency", Path: where + "route-ids-for-agency/{id}.json",
			Summary: "Ids of the routes of an agency", Shows: []string{routesNeeded}, NotFound: unknown},
			func(ctx context.Context, x *answer, p idParams) (ids list[string], err error) {
				routes, err := agencyRoutes(x, p.ID)
				for _, r := range routes {
					ids.items = append(ids.items, x.routeID(r))
				}
				return ids, err
			}),
		listOf(a, rest.Spec{ID: "oba.stops_for_agency", Path: where + "stops-for-agency/{id}.json",
			Summary: "Stops where routes of an agency call", Shows: []string{stopsNeeded, stopRoutesNeeded},
			NotFound: unknown},
			func(ctx context.Context, x *answer, p idParams) (found list[Stop], err error) {
				stops, err := agencyStops(ctx, x, p.ID)
				if err != nil {
					return found, err
				}
				found.items, err = x.stops(ctx, stops)
				return found, err
			}),
		listOf(a, rest.Spec{ID: "oba.stop_ids_for_agency", Path: where + "stop-ids-for-agency/{id}.json",
			Summary: "Ids of the stops where routes of an agency call", Shows: []string{stopsNeeded, stopRoutesNeeded},
			NotFound: unknown},
			func(ctx context.Context, x *answer, p idParams) (ids list[string], err error) {
				stops, err := agencyStops(ctx, x, p.ID)
				for _, s := range stops {
					ids.items = append(ids.items, x.stopID(s))
				}
				return ids, err
			}),
	}
}

// Coverage is the box where an agency runs, by its middle.
type Coverage struct {
	AgencyID string  `json:"agencyId"`
	Lat      float64 `json:"lat"`
	LatSpan  float64 `json:"latSpan"`
	Lon      float64 `json:"lon"`
	LonSpan  float64 `json:"lonSpan"`
}

func listCoverage(ctx context.Context, x *answer, _ feedParams) (all list[Coverage], err error) {
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
		all.items = append(all.items, Coverage{x.agencyID(g.ID), (b[1] + b[3]) / 2, b[3] - b[1], (b[0] + b[2]) / 2,
			b[2] - b[0]})
	}
	return all, nil
}

func agencyRoutes(x *answer, id string) (routes []*edition.Route, err error) {
	if _, err := x.findAgency(id); err != nil {
		return nil, err
	}
	for _, r := range x.Routes() {
		if r.AgencyID == id {
			routes = append(routes, r)
		}
	}
	return routes, nil
}

func listAgencyRoutes(_ context.Context, x *answer, p idParams) (found list[Route], err error) {
	routes, err := agencyRoutes(x, p.ID)
	for _, r := range routes {
		found.items = append(found.items, x.route(r))
	}
	return found, err
}

func agencyStops(ctx context.Context, x *answer, id string) (stops []*edition.Stop, err error) {
	if _, err := x.findAgency(id); err != nil {
		return nil, err
	}
	routes, err := x.RoutesByStop(ctx, x.publicStops())
	if err != nil {
		return nil, err
	}
	for i := range x.Stops {
		for _, r := range routes[x.Stops[i].StopID] {
			if r.AgencyID == id {
				stops = append(stops, &x.Stops[i])
				break
			}
		}
	}
	return stops, nil
}

func (x *answer) publicStops() (ids []string) {
	for i := range x.Stops {
		if s := &x.Stops[i]; s.IsPublic() {
			ids = append(ids, s.StopID)
		}
	}
	return ids
}

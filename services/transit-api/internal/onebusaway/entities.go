package onebusaway

import (
	"context"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
)

// entityEndpoints answer one agency, route, stop or trip.
func (a *API) entityEndpoints() rest.Table {
	return rest.Table{
		entryOf(a, rest.Spec{ID: "oba.agency", Path: where + "agency/{id}.json", Summary: "One agency",
			Shows: []string{"static.agency"}, NotFound: "unknown feed or agency"},
			func(_ context.Context, x *answer, p idParams) (Agency, error) {
				g, err := x.findAgency(p.ID)
				return x.agency(g), err
			}),
		entryOf(a, rest.Spec{ID: "oba.route", Path: where + "route/{id}.json", Summary: "One route",
			Shows: []string{"static.route"}, NotFound: "unknown feed or route"},
			func(_ context.Context, x *answer, p idParams) (made Route, err error) {
				r, err := x.findRoute(p.ID)
				if err != nil {
					return made, err
				}
				return x.route(r), nil
			}),
		entryOf(a, rest.Spec{ID: "oba.stop", Path: where + "stop/{id}.json", Summary: "One stop",
			Shows: []string{"static.stop", "static.stop_routes"}, NotFound: "unknown feed or stop"},
			func(ctx context.Context, x *answer, p idParams) (made Stop, err error) {
				s, err := x.findStop(p.ID)
				if err != nil {
					return made, err
				}
				all, err := x.stops(ctx, []*edition.Stop{s})
				if err != nil {
					return made, err
				}
				return all[0], nil
			}),
		entryOf(a, rest.Spec{ID: "oba.trip", Path: where + "trip/{id}.json", Summary: "One trip",
			Shows: []string{"static.trip"}, NotFound: "unknown feed or trip"},
			func(_ context.Context, x *answer, p idParams) (made Trip, err error) {
				t, err := x.findTrip(p.ID)
				if err != nil {
					return made, err
				}
				return x.trip(t), nil
			}),
	}
}

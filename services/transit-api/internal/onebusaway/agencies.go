package onebusaway

import (
	"context"
	"slices"

	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/onebusaway/ride"
)

// Coverage is the bounding box of an agency's stops, given by its centre and spans.
type Coverage struct {
	AgencyID string  `json:"agencyId"`
	Lat      float64 `json:"lat"`
	LatSpan  float64 `json:"latSpan"`
	Lon      float64 `json:"lon"`
	LonSpan  float64 `json:"lonSpan"`
}

func listCoverage(ctx context.Context, x *answer, _ feedParams) (all listData[Coverage], err error) {
	boxes, err := ride.BoxesByAgency(ctx, x.Edition)
	if err != nil {
		return all, err
	}
	whole, _ := x.Box()
	for _, g := range agencies(x.Feed) {
		b, ok := boxes[g.AgencyID]
		if !ok {
			b = whole
		}
		all.List = append(all.List, Coverage{AgencyID: x.agencyID(g.AgencyID), Lat: (b[1] + b[3]) / 2,
			LatSpan: b[3] - b[1], Lon: (b[0] + b[2]) / 2, LonSpan: b[2] - b[0]})
	}
	return all, nil
}

// ofAgency converts the routes or stops of an agency and lists them.
func ofAgency[T, E any](
	find func(context.Context, *answer, string) ([]T, error), convert func(*answer, context.Context, []T) ([]E, error),
) finder[idParams, listData[E]] {
	return func(ctx context.Context, x *answer, p idParams) (found listData[E], err error) {
		if _, err := x.findAgency(p.ID); err != nil {
			return found, err
		}
		all, err := find(ctx, x, p.ID)
		if err != nil {
			return found, err
		}
		found.List, err = convert(x, ctx, all)
		return found, err
	}
}

func each[T, E any](convert func(*answer, T) E) func(*answer, context.Context, []T) ([]E, error) {
	return func(x *answer, _ context.Context, all []T) (list []E, err error) {
		for _, one := range all {
			list = append(list, convert(x, one))
		}
		return list, nil
	}
}

func agencyRoutes(_ context.Context, x *answer, id string) ([]*edition.Route, error) {
	return slices.DeleteFunc(x.Routes(), func(r *edition.Route) bool { return r.AgencyID != id }), nil
}

func agencyStops(ctx context.Context, x *answer, id string) (stops []*edition.Stop, err error) {
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

package ride

import (
	"context"
	"maps"
	"math"
	"slices"

	"github.com/townline/townline/services/transit-api/internal/edition"
)

// BoxesByAgency returns the bounding box of the stops at which each agency's routes call. Agencies
// without such stops are omitted.
func BoxesByAgency(ctx context.Context, e *edition.Edition) (map[string]edition.Box, error) {
	boxes := map[string]edition.Box{}
	if e == nil {
		return boxes, nil
	}
	ids := make([]string, len(e.Stops))
	for i := range e.Stops {
		ids[i] = e.Stops[i].StopID
	}
	routes, err := e.RoutesByStop(ctx, ids)
	for i, id := range ids {
		lat, lon := e.LatLon(i)
		if math.IsNaN(lat) {
			continue
		}
		for _, r := range routes[id] {
			b, ok := boxes[r.AgencyID]
			if !ok {
				b = edition.Nowhere()
			}
			boxes[r.AgencyID] = b.With(lat, lon)
		}
	}
	return boxes, err
}

// Passing returns the trips, by rank, for which the bounding box of their calls overlaps an area.
func Passing(ctx context.Context, e *edition.Edition, a edition.Area) ([]*edition.Trip, error) {
	trips := e.Trips()
	passes := map[int32]bool{}
	for i := range trips {
		if t := &trips[i]; t.HasTimes() {
			passes[t.Pattern] = false
		}
	}
	patterns, err := e.Patterns(ctx, slices.Sorted(maps.Keys(passes)), edition.All)
	if err != nil {
		return nil, err
	}
	for n, p := range patterns {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		passes[n] = meets(&a, boxOf(e, p))
	}
	var all []*edition.Trip
	for i := range trips {
		if t := &trips[i]; t.HasTimes() && passes[t.Pattern] {
			all = append(all, t)
		}
	}
	return all, nil
}

func boxOf(e *edition.Edition, p *edition.Pattern) edition.Box {
	b := edition.Nowhere()
	for _, at := range positions(e, p) {
		if !math.IsNaN(at[0]) {
			b = b.With(at[1], at[0])
		}
	}
	return b
}

// meets reports whether a box may overlap the area. The box must not cross the antimeridian.
func meets(a *edition.Area, b edition.Box) bool {
	if b == edition.Nowhere() {
		return false
	}
	if a.Box != nil {
		east := b[2] >= a.Box[0] && b[0] <= a.Box[2]
		if a.Box[0] > a.Box[2] {
			east = b[2] >= a.Box[0] || b[0] <= a.Box[2]
		}
		if !east || b[3] < a.Box[1] || b[1] > a.Box[3] {
			return false
		}
	}
	if a.Near != nil {
		lat, lon := max(b[1], min(a.Near.Lat, b[3])), max(b[0], min(a.Near.Lon, b[2]))
		return edition.Distance(a.Near.Lat, a.Near.Lon, lat, lon) <= a.Near.Radius
	}
	return true
}

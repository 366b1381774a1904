package static

import (
	"context"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// callsAt returns the patterns that call at the stop in the path; the resources in this file list
// their routes, directions, trips and stop times. A station includes its platforms.

func callsAt(ctx context.Context, f *edition.Feed, p wire.StopParams) (*edition.StopCalls, error) {
	if _, err := FindStop(f, p.StopID); err != nil {
		return nil, err
	}
	return f.CallsAt(ctx, p.StopID)
}

func (a *API) stopCallEndpoints() rest.Table {
	const doc, notFound = "A station includes its platforms.", "unknown feed or stop"
	return rest.Table{
		list(a, rest.Spec{ID: "static.stop_routes", Path: wire.StopPath + "/routes", Summary: "Routes that call at a stop",
			Doc: doc, NotFound: notFound}, listStopRoutes),
		list(a, rest.Spec{ID: "static.stop_directions", Path: wire.StopPath + "/directions",
			Summary: "Directions of routes that call at a stop", Doc: doc,
			NotFound: notFound}, listStopDirections),
		list(a, rest.Spec{ID: "static.stop_trips", Path: wire.StopPath + "/trips", Summary: "Trips that call at a stop",
			Doc: doc + " A trip that calls twice is listed once.", NotFound: notFound},
			listStopTrips),
		list(a, rest.Spec{ID: "static.stop_stop_times", Path: wire.StopPath + "/stop_times",
			Summary: "Stop times of a stop over all trips and service days",
			Doc:     doc + " To filter by service day, use the service_id of the linked trips.", NotFound: notFound},
			listStopStopTimes),
	}
}

func listStopRoutes(ctx context.Context, c *rest.Call, f *edition.Feed, p stopPage) (
	page []edition.Route, count int, err error) {
	x, err := callsAt(ctx, f, p.StopParams)
	if err != nil {
		return nil, 0, err
	}
	all := f.RoutesOf(x)
	for _, r := range window(all, p.Window) {
		page = append(page, linkedRoute(r, c, f))
	}
	return page, len(all), nil
}

func listStopDirections(ctx context.Context, c *rest.Call, f *edition.Feed, p stopPage) (
	page []Direction, count int, err error) {
	x, err := callsAt(ctx, f, p.StopParams)
	if err != nil {
		return nil, 0, err
	}
	for _, rank := range window(x.Directions, p.Window) {
		for _, d := range f.DirectionsIn(edition.Span{First: int(rank), Count: 1}) {
			own := linkedDirection(d, c, f)
			route := linkedRoute(f.Route(d.RouteID), c, f)
			own.Route = &route
			page = append(page, own)
		}
	}
	return page, len(x.Directions), nil
}

func listStopTrips(ctx context.Context, c *rest.Call, f *edition.Feed, p stopPage) ([]Trip, int, error) {
	x, err := callsAt(ctx, f, p.StopParams)
	if err != nil {
		return nil, 0, err
	}
	from, to := p.Part(x.TripCount)
	calls := callsOn(f, x, from, to, true)
	page := make([]Trip, len(calls))
	for i, call := range calls {
		page[i] = linkedTrip(call.trip, c, f)
	}
	return page, x.TripCount, nil
}

func listStopStopTimes(ctx context.Context, c *rest.Call, f *edition.Feed, p stopPage) (StopTimes, int, error) {
	x, err := callsAt(ctx, f, p.StopParams)
	if err != nil {
		return nil, 0, err
	}
	from, to := p.Part(x.CallCount)
	calls := callsOn(f, x, from, to, false)
	ways := make([]edition.RunKey, len(calls))
	for i := range calls {
		ways[i] = calls[i].trip.RunKey()
	}
	runs, err := f.Runs(ctx, ways, edition.All)
	if err != nil {
		return nil, 0, err
	}
	page := make([]StopTime, len(calls))
	for i, call := range calls {
		page[i] = stopTime(call.trip, runs[ways[i]], call.position)
		page[i].Links = wire.Links{
			{Rel: "trip", Href: c.URL(wire.TripPath, f.Alias, call.trip.Route.AgencyID, call.trip.Route.RouteID,
				call.trip.TripID)},
			{Rel: "stop", Href: c.URL(wire.StopPath, f.Alias, page[i].StopID)},
		}
	}
	return page, x.CallCount, nil
}

type tripCall struct {
	trip     *edition.Trip
	position int
}

// callsOn returns the items [from, to) of all calls at a stop, by pattern and trip. If once is set,
// a trip that calls twice is one item.
func callsOn(f *edition.Feed, x *edition.StopCalls, from, to int, once bool) []tripCall {
	var page []tripCall
	at := 0
	for i, n := range x.Trips {
		if once && i > 0 && x.Patterns[i] == x.Patterns[i-1] {
			continue
		}
		if first, end := max(from-at, 0), min(to-at, int(n)); first < end {
			trips := f.Following(x.Patterns[i])
			for _, t := range trips[min(first, len(trips)):min(end, len(trips))] {
				page = append(page, tripCall{t, int(x.Positions[i]) - 1})
			}
		}
		at += int(n)
	}
	return page
}

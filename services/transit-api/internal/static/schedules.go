package static

import (
	"context"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// A Schedule is the timetable of a route, a service and a direction.
type Schedule struct {
	AgencyID    string    `json:"agency_id"`
	RouteID     string    `json:"route_id"`
	ServiceID   string    `json:"service_id"`
	DirectionID string    `json:"direction_id"`
	Schedule    Timetable `json:"schedule"`
}

type scheduleParams struct {
	wire.RouteParams
	ServiceID   string `path:"service_id" doc:"service_id of calendar.txt or calendar_dates.txt."`
	DirectionID string `path:"direction_id" enum:"0,1" doc:"0 or 1."`
}

func (a *API) scheduleEndpoints() rest.Table {
	return rest.Table{
		rest.From(rest.Spec{ID: "static.schedule", Path: wire.SchedulePath,
			Summary: "Timetable of a route, a service and a direction",
			Doc: `Each column has the calls of a trip in order, from top to bottom. ` +
				`Stops without a call of the service are left out, ` +
				`and so are trips without any time in the feed. A service without trips on the route has an empty timetable. ` +
				`If a timetable is too large for one answer, its last trips are left out and meta.truncated is true.`,
			Tag: tagStatic, Translated: true,
			NotFound: "unknown feed, agency, route or service, or no trips of the route in that direction"},
			feed[scheduleParams](a), a.oneSchedule),
	}
}

func (a *API) oneSchedule(
	ctx context.Context, c *rest.Call, p scheduleParams, f *edition.Feed,
) (e wire.Envelope[Schedule], err error) {
	of, err := FindRoute(f, p.RouteParams)
	if err != nil {
		return e, err
	}
	directions, err := Directions(ctx, f, of)
	if err != nil {
		return e, err
	}
	direction, ok := directionOf(directions, p.DirectionID)
	if !ok {
		return e, noDirection(p.DirectionID)
	}
	if _, err := FindService(f, p.ServiceID); err != nil {
		return e, err
	}
	cols, whole, err := columns(ctx, f, of, p)
	if err != nil {
		return e, err
	}
	_, used := board.UsedRows(cols, len(direction.StopIDs))
	if fit, all := board.Fitting(cols, len(used)); !all {
		cols, whole = fit, false
	}
	if err := c.Reserve(ctx, len(cols)*(len(used)*cellBytes+64)); err != nil {
		return e, err
	}
	table, err := NewTimetable(ctx, f, direction.StopIDs, cols)
	if err != nil {
		return e, err
	}
	table.write(a.Display)
	s := []Schedule{{AgencyID: p.AgencyID, RouteID: p.RouteID, ServiceID: p.ServiceID, DirectionID: p.DirectionID,
		Schedule: *table}}
	if err := translate(ctx, c, f, s); err != nil {
		return e, err
	}
	route := c.URL(wire.RoutePath, f.Alias, p.AgencyID, p.RouteID)
	e = wire.Item(c, s[0], wire.Links{
		{Rel: "route", Href: route},
		{Rel: "direction", Href: route + "/directions/" + p.DirectionID},
		{Rel: "service", Href: c.URL(wire.ServicePath, f.Alias, p.ServiceID)},
	})
	e.Meta.Truncated = !whole
	return e, nil
}

const (
	MaxScheduledTrips = 50_000
	cellBytes         = 16 // memory per cell of a grid that is mostly null
)

func columns(
	ctx context.Context, f *edition.Feed, route *edition.Route, p scheduleParams,
) (cols []board.TimedTrip, whole bool, err error) {
	trips := TripsIn(f, route, p.DirectionID, func(s *edition.Service) bool { return s.ServiceID == p.ServiceID })
	if len(trips) > MaxScheduledTrips {
		return nil, false, tooLarge("this timetable has more than %d trips; read the route's trips and their stop times, "+
			"which are paged", MaxScheduledTrips)
	}
	timed, err := readTimedTrips(ctx, f, route, p.DirectionID, trips)
	if err != nil {
		return nil, false, err
	}
	cols, whole = board.Columns(timed)
	return cols, whole, nil
}

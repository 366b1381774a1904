package static

import (
	"cmp"
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

// A Timetable is a grid with a row for each stop and a column for each trip. Each StopTimes has as
// many elements as Stops.
type Timetable struct {
	Stops []ScheduleStop `json:"stops" doc:"Rows in service order. A stop has two rows if a trip calls there twice."`
	Trips []ScheduleTrip `json:"trips" doc:"Columns by first departure; a trip of frequencies.txt appears once for each departure."`
}

// A ScheduleStop is a row of a timetable.
type ScheduleStop struct {
	Label    string `json:"label" doc:"stop_name, else stop_id."`
	StopID   string `json:"stop_id"`
	StopName string `json:"stop_name" translate:"stops.stop_name,StopID"`
}

// A ScheduleTrip is a column of a timetable.
type ScheduleTrip struct {
	Label       string          `json:"label" doc:"trip_headsign, else trip_short_name, else trip_id."`
	TripID      string          `json:"trip_id"`
	RouteID     string          `json:"route_id"`
	ServiceID   string          `json:"service_id"`
	DirectionID string          `json:"direction_id"`
	StopTimes   []*ScheduleCell `json:"stop_times" doc:"One for each row; null if the trip does not call there."`

	Headed bool `json:"-"`
}

// A ScheduleCell is a call in a timetable.
type ScheduleCell struct {
	StopID             int64  `json:"stop_id" doc:"stop_id if that is a whole number, else a number for the stop in this version of the feed."`
	ArrivalTime        string `json:"arrival_time" doc:"For display, such as 6:05 am; interpolated if the feed has no time."`
	ArrivalTimeSeconds int32  `json:"arrival_time_seconds" doc:"Seconds of the service day; more than 86400 past midnight."`
}

type scheduleParams struct {
	RouteParams
	ServiceID   string `path:"service_id" doc:"service_id of calendar.txt or calendar_dates.txt."`
	DirectionID string `path:"direction_id" enum:"0,1" doc:"0 or 1."`
}

func (a *API) scheduleEndpoints() rest.Table {
	return rest.Table{
		rest.From(rest.Spec{ID: "static.schedule", Path: SchedulePath,
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
	number, used := board.UsedRows(cols, len(direction.StopIDs))
	if fit, all := board.Fitting(cols, len(used)); !all {
		cols, whole = fit, false
		number, used = board.UsedRows(cols, len(direction.StopIDs))
	}
	stops := make([]*edition.Stop, len(used))
	for i, r := range used {
		stops[i], err = FindStop(f, direction.StopIDs[r])
		if err != nil {
			return e, err
		}
	}
	if err := c.Reserve(ctx, len(cols)*(len(stops)*cellBytes+64)); err != nil {
		return e, err
	}
	grid, err := a.timetable(ctx, p, cols, number, stops)
	if err != nil {
		return e, err
	}
	s := []Schedule{{p.AgencyID, p.RouteID, p.ServiceID, p.DirectionID, grid}}
	if err := translate(ctx, c, f, s); err != nil {
		return e, err
	}
	route := c.URL(RoutePath, f.Alias, p.AgencyID, p.RouteID)
	e = wire.Item(c, s[0], wire.Links{
		{Rel: "route", Href: route},
		{Rel: "direction", Href: route + "/directions/" + p.DirectionID},
		{Rel: "service", Href: c.URL(ServicePath, f.Alias, p.ServiceID)},
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
) (cols []board.SheetTrip, whole bool, err error) {
	trips := TripsIn(f, route, p.DirectionID, func(s *edition.Service) bool { return s.ServiceID == p.ServiceID })
	if len(trips) > MaxScheduledTrips {
		return nil, false, tooLarge("this timetable has more than %d trips; read the route's trips and their stop times, "+
			"which are paged", MaxScheduledTrips)
	}
	timed, err := readSheetTrips(ctx, f, route, p.DirectionID, trips)
	if err != nil {
		return nil, false, err
	}
	cols, whole = board.Columns(timed)
	return cols, whole, nil
}

func (a *API) timetable(
	ctx context.Context, p scheduleParams, cols []board.SheetTrip, number []int, stops []*edition.Stop,
) (Timetable, error) {
	t := Timetable{Stops: make([]ScheduleStop, len(stops)), Trips: make([]ScheduleTrip, len(cols))}
	for i, s := range stops {
		t.Stops[i] = ScheduleStop{s.Label, s.StopID, s.StopName}
	}
	for i, col := range cols {
		if err := ctx.Err(); err != nil {
			return t, err
		}
		cells := make([]ScheduleCell, 0, len(col.Rows))
		line := make([]*ScheduleCell, len(stops))
		for call, r := range col.Rows {
			if !r.Valid {
				continue
			}
			row := number[r.Int32]
			at := col.Start + col.Run.Expected[call]
			cells = append(cells, ScheduleCell{stops[row].Num, a.Display.format(at), at})
			line[row] = &cells[len(cells)-1]
		}
		label := cmp.Or(Text(col.TripHeadsign), Text(col.TripShortName), col.TripID)
		t.Trips[i] = ScheduleTrip{Label: label, TripID: col.TripID, RouteID: p.RouteID, ServiceID: p.ServiceID,
			DirectionID: p.DirectionID, StopTimes: line, Headed: col.TripHeadsign != nil}
	}
	return t, nil
}

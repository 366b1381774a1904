package static

import (
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/replica"
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

// A Timetable is a grid: stops are its rows, trips its columns. stops and each
// stop_times have one element a row.
type Timetable struct {
	Stops []ScheduleStop `json:"stops" doc:"Rows in service order. A stop has two rows if a trip calls there twice."`
	Trips []ScheduleTrip `json:"trips" doc:"Columns by first departure; a trip of frequencies.txt appears once for each departure."`
}

// A ScheduleStop is a row of a timetable.
type ScheduleStop struct {
	Label    string `json:"label" doc:"stop_name, else stop_id."`
	StopID   string `json:"stop_id"`
	StopName string `json:"stop_name"`
}

// A ScheduleTrip is a column of a timetable.
type ScheduleTrip struct {
	Label       string          `json:"label" doc:"trip_headsign, else trip_short_name, else trip_id."`
	TripID      string          `json:"trip_id"`
	RouteID     string          `json:"route_id"`
	ServiceID   string          `json:"service_id"`
	DirectionID string          `json:"direction_id"`
	StopTimes   []*ScheduleCell `json:"stop_times" doc:"One for each row; null if the trip does not call there."`

	// Headed says that the label is the headsign.
	Headed bool `json:"-"`
}

// A ScheduleCell is a call in a timetable.
type ScheduleCell struct {
	StopID             int64  `json:"stop_id" doc:"stop_id if that is a whole number, else a number for the stop in this version of the feed."`
	ArrivalTime        string `json:"arrival_time" doc:"For display, such as 6:05 am; interpolated if the feed has no time."`
	ArrivalTimeSeconds int32  `json:"arrival_time_seconds" doc:"Seconds of the service day; more than 86400 past midnight."`
}

type scheduleKey struct {
	VersionID   replica.Version
	RouteID     string
	ServiceID   string
	DirectionID string
}

// scheduleHead holds what all columns of a schedule share.
type scheduleHead struct {
	Service bool     // whether the service exists
	StopIDs []string // rows in service order
}

var scheduleHeads = rest.SQL[scheduleKey, scheduleHead](`
	SELECT d.stop_id AS stop_ids,
	       EXISTS (SELECT FROM transit.service s WHERE s.version_id = @version_id AND s.service_id = @service_id) AS service
	FROM transit.route_direction d
	WHERE d.version_id = @version_id AND d.route_id = @route_id AND d.direction_id = @direction_id`)

type scheduledTripsArgs struct {
	edition.Ranks
	ServiceID   string
	DirectionID string
	Most        int
}

type scheduledTrip struct {
	Label  string
	TripID string
}

var scheduledTrips = rest.SQL[scheduledTripsArgs, scheduledTrip](`
	SELECT coalesce(trip_headsign, trip_short_name, trip_id) AS label, trip_id
	FROM transit.trip
	WHERE version_id = @version_id AND ord >= @low AND ord < @high
	  AND service_id = @service_id AND coalesce(direction_id, '0') = @direction_id
	ORDER BY ord
	LIMIT @most`)

type scheduleParams struct {
	RouteParams
	ServiceID   string `path:"service_id" doc:"service_id of calendar.txt or calendar_dates.txt."`
	DirectionID string `path:"direction_id" enum:"0,1" doc:"0 or 1."`
}

func (a *API) scheduleEndpoints() rest.Table {
	return rest.Table{
		rest.FuncFrom(rest.Spec{ID: "static.schedule", Path: SchedulePath, Summary: "Timetable of a route, a service and a direction",
			Doc: `Each column has the calls of a trip in order, from top to bottom. Stops without a call of the service are left out, ` +
				`and so are trips without any time in the feed. A service without trips on the route has an empty timetable. ` +
				`If a timetable is too large for one answer, its last trips are left out and meta.truncated is true.`,
			Tag: tagStatic, Translated: true, Queries: rest.Queries(scheduleHeads, scheduledTrips, patternOrders),
			NotFound: "unknown feed, agency, route or service, or no trips of the route in that direction"}, feed[scheduleParams](a), a.oneSchedule),
	}
}

func (a *API) oneSchedule(ctx context.Context, c *rest.Call, p scheduleParams, f *edition.Feed) (wire.Envelope[Schedule], error) {
	var none wire.Envelope[Schedule]
	of, err := FindRoute(f, p.RouteParams)
	if err != nil {
		return none, err
	}
	head, err := scheduleHeads.One(ctx, c, scheduleKey{f.Version, p.RouteID, p.ServiceID, p.DirectionID})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return none, rest.NotFound("the route has no trips in direction %s", p.DirectionID)
	case err != nil:
		return none, err
	case !head.Service:
		return none, rest.NotFound("unknown service")
	}
	trips, err := scheduledTrips.List(ctx, c, scheduledTripsArgs{f.Ranks(of.Trips()), p.ServiceID, p.DirectionID, MaxScheduledTrips + 1})
	if err != nil {
		return none, err
	}
	if len(trips) > MaxScheduledTrips {
		return none, tooMuch("this timetable has more than %d trips; read the route's trips and their stop times, which are paged", MaxScheduledTrips)
	}
	cols, whole, err := columns(ctx, c, f, p, trips)
	if err != nil {
		return none, err
	}
	number, used := board.UsedRows(cols, len(head.StopIDs))
	if fit, all := board.Fitting(cols, len(used)); !all {
		cols, whole = fit, false
		number, used = board.UsedRows(cols, len(head.StopIDs))
	}
	stops := make([]*edition.Stop, len(used))
	for i, r := range used {
		stops[i], err = FindStop(f, head.StopIDs[r])
		if err != nil {
			return none, err
		}
	}
	if err := c.Take(ctx, len(cols)*(len(stops)*cellBytes+64)); err != nil {
		return none, err
	}
	grid, err := a.timetable(ctx, p, cols, number, stops)
	if err != nil {
		return none, err
	}
	s := []Schedule{{p.AgencyID, p.RouteID, p.ServiceID, p.DirectionID, grid}}
	if err := translated(ctx, c, f, s); err != nil {
		return none, err
	}
	route := c.URL(RoutePath, f.Alias, p.AgencyID, p.RouteID)
	e := wire.Item(c, s[0], wire.Links{
		{Rel: "route", Href: route},
		{Rel: "direction", Href: route + "/directions/" + p.DirectionID},
		{Rel: "service", Href: c.URL(ServicePath, f.Alias, p.ServiceID)},
	})
	e.Meta.Truncated = !whole
	return e, nil
}

// Limits of one timetable. No real one comes near them.
const (
	MaxScheduledTrips = 50_000
	cellBytes         = 16 // cells of a grid that is mostly null
)

// columns lays the trips out.
func columns(ctx context.Context, c *rest.Call, f *edition.Feed, p scheduleParams, trips []scheduledTrip) (cols []board.Column, whole bool, err error) {
	var found []*edition.Trip
	for _, row := range trips {
		if t := f.Trip(row.TripID); t != nil && t.Timed() {
			found = append(found, t)
			cols = append(cols, board.Column{Label: row.Label, Trip: t, Start: t.Start})
		}
	}
	l, err := layOut(ctx, c, f, p.RouteID, p.DirectionID, found)
	if err != nil {
		return nil, false, err
	}
	for i := range cols {
		cols[i].Run, cols[i].Rows = l.of(cols[i].Trip)
	}
	cols = slices.DeleteFunc(cols, func(c board.Column) bool { return c.Run == nil || c.Rows == nil })
	cols, whole = board.Columns(cols, l.windows)
	return cols, whole, nil
}

// timetable writes the columns into the rows that remain.
func (a *API) timetable(ctx context.Context, p scheduleParams, cols []board.Column, number []int, stops []*edition.Stop) (Timetable, error) {
	t := Timetable{Stops: make([]ScheduleStop, len(stops)), Trips: make([]ScheduleTrip, len(cols))}
	for i := range stops {
		t.Stops[i] = ScheduleStop{stops[i].Label, stops[i].StopID, stops[i].StopName}
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
		t.Trips[i] = ScheduleTrip{col.Label, col.Trip.ID, p.RouteID, p.ServiceID, p.DirectionID, line, col.Trip.Headsign != nil}
	}
	return t, nil
}

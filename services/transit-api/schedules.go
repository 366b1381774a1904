package transitapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/rest"
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

// A Timetable is a grid: stops are its rows, trips its columns. It is read by
// walking stops and stop_times in step.
type Timetable struct {
	Stops []ScheduleStop `json:"stops" doc:"Rows in service order; a stop that a trip calls at twice has two."`
	Trips []ScheduleTrip `json:"trips" doc:"Columns by first departure; a trip of frequencies.txt stands once for each departure."`
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
	StopTimes   []*ScheduleCell `json:"stop_times" doc:"One for each row; null where the trip does not call."`
}

// A ScheduleCell is a call in a timetable.
type ScheduleCell struct {
	StopID             int64  `json:"stop_id" doc:"stop_id where that is a whole number, else the stop's own number in this version of the feed."`
	ArrivalTime        string `json:"arrival_time" doc:"For display, such as 6:05 am; interpolated where the feed has no time."`
	ArrivalTimeSeconds int32  `json:"arrival_time_seconds" doc:"Seconds of the service day; more than 86400 past midnight."`
}

type scheduleKey struct {
	VersionID   replica.Version
	RouteID     string
	ServiceID   string
	DirectionID string
}

// scheduleHead is what a schedule starts from.
type scheduleHead struct {
	Service bool     // whether the service is known
	StopIDs []string // rows in service order
}

var scheduleHeads = rest.SQL[scheduleKey, scheduleHead](`
	SELECT d.stop_id AS stop_ids,
	       EXISTS (SELECT FROM transit.service s WHERE s.version_id = @version_id AND s.service_id = @service_id) AS service
	FROM transit.route_direction d
	WHERE d.version_id = @version_id AND d.route_id = @route_id AND d.direction_id = @direction_id`)

type scheduledTripsArgs struct {
	ranks
	ServiceID   string
	DirectionID string
	Most        int
}

type scheduledTrip struct {
	Label     string
	TripID    string
	Pattern   *int32
	Profile   *int32
	StartTime *int32
}

var scheduledTrips = rest.SQL[scheduledTripsArgs, scheduledTrip](`
	SELECT coalesce(trip_headsign, trip_short_name, trip_id) AS label, trip_id, pattern, profile, start_time
	FROM transit.trip
	WHERE version_id = @version_id AND ord >= @low AND ord < @high
	  AND service_id = @service_id AND coalesce(direction_id, '0') = @direction_id
	ORDER BY ord
	LIMIT @most`)

type coursesArgs struct {
	VersionID   replica.Version
	RouteID     string
	DirectionID string
	Patterns    []int32 // in step with Profiles
	Profiles    []int32
}

// Distances are only wanted where a call between others has no time.
var courses = rest.SQL[coursesArgs, course](`
	SELECT u.pattern, u.profile, rp.rows, pr.departures, pr.arrivals,
	       CASE WHEN array_position(pr.departures, NULL) IS NOT NULL THEN p.shape_dist_traveled END AS dist
	FROM unnest(@patterns::integer[], @profiles::integer[]) AS u (pattern, profile)
	JOIN transit.route_pattern rp ON rp.version_id = @version_id AND rp.route_id = @route_id
	 AND rp.direction_id = @direction_id AND rp.pattern = u.pattern
	JOIN transit.pattern p ON p.version_id = @version_id AND p.pattern = u.pattern
	JOIN transit.profile pr ON pr.version_id = @version_id AND pr.profile = u.profile`)

type windowsArgs struct {
	VersionID replica.Version
	TripIDs   []string `arg:"trip_ids"`
}

var windows = rest.SQL[windowsArgs, window](`
	SELECT trip_id, start_time, end_time, headway_secs
	FROM transit.frequency
	WHERE version_id = @version_id AND trip_id = ANY (@trip_ids::text[])
	ORDER BY trip_id, start_time`)

type scheduleParams struct {
	routeParams
	ServiceID   string `path:"service_id" doc:"service_id of calendar.txt or calendar_dates.txt."`
	DirectionID string `path:"direction_id" enum:"0,1" doc:"0 or 1."`
}

const schedulePath = routePath + "/schedules/{service_id}/{direction_id}"

func (a *api) scheduleEndpoints() rest.Table {
	return rest.Table{
		rest.Func(rest.Spec{ID: "static.schedule", Path: schedulePath, Summary: "Timetable of a route, a service and a direction",
			Doc: `Read every column from top to bottom: it is the trip's calls in their order. Stops without any call of the service are left out; ` +
				`so are trips of which the feed tells no time at all. A service without trips on the route has an empty timetable. ` +
				`A timetable that is too large for one answer ends with an earlier departure, and meta.truncated says so.`,
			Tag: tagStatic, Queries: rest.Queries(scheduleHeads, scheduledTrips, courses, windows),
			NotFound: "unknown feed, agency, route or service, or no trips of the route in that direction"}, a.oneSchedule),
	}
}

func (a *api) oneSchedule(ctx context.Context, c *rest.Call, p scheduleParams) (wire.Envelope[Schedule], error) {
	f := feedOf(c)
	var none wire.Envelope[Schedule]
	of, err := f.route(p.routeParams)
	if err != nil {
		return none, err
	}
	head, err := scheduleHeads.One(ctx, c, scheduleKey{f.version, p.RouteID, p.ServiceID, p.DirectionID})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return none, rest.NotFound("the route has no trips in direction %s", p.DirectionID)
	case err != nil:
		return none, err
	case !head.Service:
		return none, rest.NotFound("unknown service")
	}
	trips, err := scheduledTrips.List(ctx, c, scheduledTripsArgs{f.all(of.trips), p.ServiceID, p.DirectionID, maxScheduledTrips + 1})
	if err != nil {
		return none, err
	}
	if len(trips) > maxScheduledTrips {
		return none, tooMuch("more than %d trips are in this timetable; read the route's trips and their stop times, which are paged", maxScheduledTrips)
	}
	cols, whole, err := loadColumns(ctx, c, f, p, trips)
	if err != nil {
		return none, err
	}
	number, used := usedRows(cols, len(head.StopIDs))
	if fit, all := fitting(cols, len(used)); !all {
		cols, whole = fit, false
		number, used = usedRows(cols, len(head.StopIDs))
	}
	stops := make([]*indexedStop, len(used))
	for i, r := range used {
		if stops[i], err = f.stop(head.StopIDs[r]); err != nil {
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
	s := Schedule{p.AgencyID, p.RouteID, p.ServiceID, p.DirectionID, grid}
	route := c.URL(routePath, f.alias, p.AgencyID, p.RouteID)
	e := wire.Item(c, s, wire.Links{
		{Rel: "route", Href: route},
		{Rel: "direction", Href: route + "/directions/" + p.DirectionID},
		{Rel: "service", Href: c.URL("/feeds/{feed_alias}/services/{service_id}", f.alias, p.ServiceID)},
	})
	e.Meta.Truncated = !whole
	return e, nil
}

// What one timetable may be made of. No real one comes near it.
const (
	maxScheduledTrips = 50_000
	maxCourseCalls    = 500_000 // of all ways of running
	maxWindows        = 200_000 // rows of frequencies.txt
	cellBytes         = 16      // of a grid that is mostly null, in memory
)

// tooMuch is the answer to a request for more than one answer may take of the memory that all share.
func tooMuch(format string, args ...any) error {
	return &rest.Error{Status: http.StatusUnprocessableEntity, Detail: fmt.Sprintf(format, args...)}
}

// windowsOf reads the frequencies of trips.
func windowsOf(ctx context.Context, db rest.DB, version replica.Version, trips []string) ([]window, error) {
	var all []window
	err := windows.Each(ctx, db, windowsArgs{version, trips}, func(w window) error {
		if all = append(all, w); len(all) > maxWindows {
			return tooMuch("these trips have more than %d rows in frequencies.txt", maxWindows)
		}
		return nil
	})
	return all, err
}

// loadColumns reads how the trips run, each course once, and lays them out.
func loadColumns(ctx context.Context, c *rest.Call, f *liveFeed, p scheduleParams, trips []scheduledTrip) (cols []column, whole bool, err error) {
	args := coursesArgs{VersionID: f.version, RouteID: p.RouteID, DirectionID: p.DirectionID}
	byKey := map[[2]int32]*course{}
	ids := make([]string, 0, len(trips))
	for _, t := range trips {
		if t.Pattern == nil || t.Profile == nil {
			continue
		}
		ids = append(ids, t.TripID)
		key := [2]int32{*t.Pattern, *t.Profile}
		if _, met := byKey[key]; !met {
			byKey[key] = nil
			args.Patterns = append(args.Patterns, key[0])
			args.Profiles = append(args.Profiles, key[1])
		}
	}
	if len(ids) == 0 {
		return nil, true, nil
	}
	calls := 0
	err = courses.Each(ctx, c, args, func(way course) error {
		if calls += len(way.Departures); calls > maxCourseCalls {
			return tooMuch("the trips of this timetable run in ways that have more than %d calls; read the route's trips and their stop times, which are paged", maxCourseCalls)
		}
		way.fill()
		byKey[[2]int32{way.Pattern, way.Profile}] = &way
		return nil
	})
	if err != nil {
		return nil, false, err
	}
	var repeated []window
	if f.row.Counts.Frequency > 0 {
		if repeated, err = windowsOf(ctx, c, f.version, ids); err != nil {
			return nil, false, err
		}
	}
	cols, whole = columns(trips, byKey, repeated)
	return cols, whole, nil
}

// timetable writes the columns into the rows that are left.
func (a *api) timetable(ctx context.Context, p scheduleParams, cols []column, number []int, stops []*indexedStop) (Timetable, error) {
	t := Timetable{Stops: make([]ScheduleStop, len(stops)), Trips: make([]ScheduleTrip, len(cols))}
	for i := range stops {
		t.Stops[i] = ScheduleStop{stops[i].Label, stops[i].StopID, stops[i].StopName}
	}
	for i, col := range cols {
		if err := ctx.Err(); err != nil {
			return t, err
		}
		cells := make([]ScheduleCell, 0, len(col.course.Rows))
		line := make([]*ScheduleCell, len(stops))
		for call, r := range col.course.Rows {
			if !r.Valid {
				continue
			}
			row := number[r.Int32]
			at := col.start + col.course.arrival[call]
			cells = append(cells, ScheduleCell{stops[row].Num, a.clock.format(at), at})
			line[row] = &cells[len(cells)-1]
		}
		t.Trips[i] = ScheduleTrip{col.trip.Label, col.trip.TripID, p.RouteID, p.ServiceID, p.DirectionID, line}
	}
	return t, nil
}

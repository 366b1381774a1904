package observed

import (
	"context"
	"fmt"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

type visitParams struct {
	wire.FeedParams
	wire.Window
	Date      *rest.Date `query:"date" doc:"Service day. Default: the last observed day."`
	TripID    *string    `query:"trip_id" maxlen:"255" doc:"Only this trip."`
	RouteID   *string    `query:"route_id" maxlen:"255" doc:"Only this route."`
	StopID    *string    `query:"stop_id" maxlen:"255" doc:"Only this stop."`
	VehicleID *string    `query:"vehicle_id" maxlen:"255" doc:"Only this vehicle."`
}

// Alias implements [edition.OfFeed].
func (p visitParams) Alias() string { return p.FeedParams.Alias() }

// A Visit is a stop of a trip on a day, with what was seen of it.
type Visit struct {
	Label              string    `json:"label" doc:"trip_id and stop_sequence."`
	ServiceDate        rest.Date `json:"service_date"`
	TripID             string    `json:"trip_id"`
	StartTime          *string   `json:"start_time" doc:"Start of the run, RFC 3339, if its trip runs several times a day; else null."`
	RouteID            string    `json:"route_id" doc:"Empty if unknown."`
	DirectionID        string    `json:"direction_id"`
	StopSequence       int32     `json:"stop_sequence" doc:"Of the timetable; for other trips as published, or counted from 1."`
	StopID             string    `json:"stop_id"`
	VehicleID          string    `json:"vehicle_id" doc:"Empty if unknown."`
	Seen               string    `json:"seen" enum:"stopped,passed,predicted,skipped,cancelled,unseen,unknown" doc:"stopped: a vehicle stopped there; passed: it was before and then behind the stop; predicted: the last prediction came true. Others are no visits: unseen: there were messages; unknown: there were none."`
	Kind               string    `json:"kind" enum:"scheduled,added,unmatched" doc:"unmatched: the timetable does not have the trip, and it is not ADDED."`
	Timepoint          bool      `json:"timepoint" doc:"The scheduled times are exact."`
	ScheduledArrival   *string   `json:"scheduled_arrival" doc:"RFC 3339, of the timetable that was live at the time."`
	ScheduledDeparture *string   `json:"scheduled_departure"`
	Arrival            *string   `json:"arrival" doc:"RFC 3339; null if unknown, and at the first stop."`
	ArrivalWithin      *int16    `json:"arrival_within" doc:"Uncertainty in seconds."`
	Departure          *string   `json:"departure"`
	DepartureWithin    *int16    `json:"departure_within" doc:"Uncertainty in seconds."`
	Delay              *int32    `json:"delay" doc:"Seconds that the departure was late; at the last stop, the arrival. Null if unknown."`
}

type visitArgs struct {
	Alias   string
	Day     rest.Date
	Trip    string // "" for all
	Route   string
	Stop    string
	Vehicle string
	Limit   int64
	Offset  int64
}

// A visitRow is a row of stop_visit.
type visitRow struct {
	TripID             string
	StartTime          int32
	StopSequence       int32
	StopID             string
	RouteID            string
	DirectionID        string
	VehicleID          string
	Seen               string
	Kind               string
	Place              string
	Timepoint          bool
	ScheduledArrival   *int32
	ScheduledDeparture *int32
	Arrival            *int32
	Departure          *int32
	ArrivalWithin      *int16
	DepartureWithin    *int16
}

const visitColumns = `
	trip_id, start_time, stop_sequence, stop_id, route_id, direction_id, vehicle_id, seen::text AS seen,
	kind::text AS kind, place::text AS place, timepoint, scheduled_arrival, scheduled_departure, arrival, departure,
	arrival_within, departure_within`

const visitsWanted = `
	FROM transit.stop_visit
	WHERE alias = @alias AND service_date = @day AND (@trip = '' OR trip_id = @trip) AND (@route = '' OR route_id = @route)
	  AND (@stop = '' OR stop_id = @stop) AND (@vehicle = '' OR vehicle_id = @vehicle)`

var visitRows = rest.SQL[visitArgs, visitRow](`
	SELECT ` + visitColumns + visitsWanted + `
	ORDER BY trip_id, start_time, stop_sequence
	LIMIT @limit OFFSET @offset`)

var visitCount = rest.SQL[visitArgs, struct{ N int }](`SELECT count(*)::integer AS n` + visitsWanted + `
	  AND @limit >= 0 AND @offset >= 0`)

var seenAs = map[string]string{"s": "stopped", "p": "passed", "e": "predicted", "k": "skipped", "c": "cancelled",
	"u": "unseen", "n": "unknown"}

var kindOf = map[string]string{"s": "scheduled", "a": "added", "x": "unmatched"}

var hasVisits = rest.SQL[dayArgs, struct{ Has bool }](`
	SELECT to_regclass('transit.stop_visit_' || to_char(@day::date, 'YYYYMMDD')) IS NOT NULL
	  AND EXISTS (SELECT FROM transit.observed_day WHERE alias = @alias AND service_date = @day) AS has`)

// checkDay returns an error if no visits of a day are stored: an empty answer would say that nothing
// ran.
func checkDay(ctx context.Context, c *rest.Call, v *View, day rest.Date) error {
	stored, err := hasVisits.One(ctx, c, dayArgs{v.Feed.Alias, day})
	if err != nil {
		return fmt.Errorf("read whether visits of %s are stored: %w", day, err)
	}
	if !stored.Has {
		return rest.NotFound("no visits of %s are stored: the feed was not observed, or they are no longer kept", day)
	}
	return nil
}

func (a *API) visits(ctx context.Context, c *rest.Call, p visitParams, v *View) (wire.Envelope[[]Visit], error) {
	day := v.State.LastDay
	if p.Date != nil {
		day = p.Date
	}
	links := wire.Links{{Rel: "performance", Href: c.URL(Path, v.Feed.Alias)}}
	if day == nil {
		return wire.Slice[Visit](c, p.Window, nil, 0, links), nil
	}
	if err := checkDay(ctx, c, v, *day); err != nil {
		return wire.Envelope[[]Visit]{}, err
	}
	args := visitArgs{Alias: v.Feed.Alias, Day: *day, Trip: wire.Text(p.TripID), Route: wire.Text(p.RouteID),
		Stop: wire.Text(p.StopID), Vehicle: wire.Text(p.VehicleID), Limit: p.Limit, Offset: p.Offset}
	total, err := visitCount.One(ctx, c, args)
	if err != nil {
		return wire.Envelope[[]Visit]{}, fmt.Errorf("count the visits of %s: %w", day, err)
	}
	rows, err := visitRows.List(ctx, c, args)
	if err != nil {
		return wire.Envelope[[]Visit]{}, fmt.Errorf("read the visits of %s: %w", day, err)
	}
	all := make([]Visit, len(rows))
	for i := range rows {
		all[i] = rows[i].visit(*day, v)
	}
	return wire.Slice(c, p.Window, all, total.N, links), nil
}

func (r *visitRow) visit(day rest.Date, v *View) Visit {
	zone, begin := v.Feed.Zone, start(day, v.Feed.Zone)
	visit := Visit{
		Label:              fmt.Sprintf("%s %d", r.TripID, r.StopSequence),
		ServiceDate:        day,
		TripID:             r.TripID,
		RouteID:            r.RouteID,
		DirectionID:        r.DirectionID,
		StopSequence:       r.StopSequence,
		StopID:             r.StopID,
		VehicleID:          r.VehicleID,
		Seen:               seenAs[r.Seen],
		Kind:               kindOf[r.Kind],
		Timepoint:          r.Timepoint,
		ScheduledArrival:   clock(begin, r.ScheduledArrival, zone),
		ScheduledDeparture: clock(begin, r.ScheduledDeparture, zone),
		Arrival:            clock(begin, r.Arrival, zone),
		ArrivalWithin:      r.ArrivalWithin,
		Departure:          clock(begin, r.Departure, zone),
		DepartureWithin:    r.DepartureWithin,
	}
	if r.StartTime >= 0 {
		visit.StartTime = clock(begin, &r.StartTime, zone)
	}
	planned, actual := r.ScheduledDeparture, r.Departure
	if r.Place == "l" {
		planned, actual = r.ScheduledArrival, r.Arrival
	}
	if planned != nil && actual != nil {
		delay := *actual - *planned
		visit.Delay = &delay
	}
	return visit
}

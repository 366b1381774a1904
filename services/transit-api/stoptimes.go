package transitapi

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/townline/townline/pkg/rest"
)

// A StopTime is a row of stop_times.txt.
type StopTime struct {
	Label                    string     `json:"label" doc:"trip_id and stop_sequence."`
	TripID                   string     `json:"trip_id"`
	StopID                   string     `json:"stop_id" doc:"Empty for a call at a location group or zone."`
	StopSequence             string     `json:"stop_sequence"`
	ArrivalTime              *Clock     `json:"arrival_time" doc:"May exceed 24 hours on trips past midnight."`
	DepartureTime            *Clock     `json:"departure_time"`
	LocationGroupID          *string    `json:"location_group_id"`
	StopHeadsign             *string    `json:"stop_headsign"`
	StartPickupDropOffWindow *string    `json:"start_pickup_drop_off_window"`
	EndPickupDropOffWindow   *string    `json:"end_pickup_drop_off_window"`
	PickupType               *string    `json:"pickup_type"`
	DropOffType              *string    `json:"drop_off_type"`
	ContinuousPickup         *string    `json:"continuous_pickup"`
	ContinuousDropOff        *string    `json:"continuous_drop_off"`
	ShapeDistTraveled        *string    `json:"shape_dist_traveled"`
	Timepoint                *string    `json:"timepoint"`
	PickupBookingRuleID      *string    `json:"pickup_booking_rule_id"`
	DropOffBookingRuleID     *string    `json:"drop_off_booking_rule_id"`
	Links                    rest.Links `json:"links,omitempty" db:"-" doc:"trip, stop; where the stop time is listed for a stop."`
}

// A Clock is a time of the service day, in seconds after noon minus 12 hours. In
// JSON it is HH:MM:SS, with hours beyond 23 after midnight.
type Clock int32

// MarshalJSON writes "HH:MM:SS".
func (t Clock) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, 12)
	if t < 36000 { // 10 hours
		b = append(b, `"0`...)
	} else {
		b = append(b, '"')
	}
	b = strconv.AppendInt(b, int64(t/3600), 10)
	m, s := t/60%60, t%60
	return append(b, ':', byte('0'+m/10), byte('0'+m%10), ':', byte('0'+s/10), byte('0'+s%10), '"'), nil
}

// Schema describes the text form.
func (Clock) Schema() rest.Schema {
	return rest.Schema{Type: "string", Pattern: `^[0-9]{2,}:[0-5][0-9]:[0-5][0-9]$`, Description: "HH:MM:SS of the service day; hours may exceed 23."}
}

// cells is one column of a pattern: nil when all are empty, one element when all are the same.
type cells []*string

func (c cells) at(i int) *string {
	switch len(c) {
	case 0:
		return nil
	case 1:
		return c[0]
	}
	return c[i]
}

// tripCalls is a trip's calls as they are stored: its pattern, its profile and its start.
type tripCalls struct {
	StartTime                *int32
	StopSequence             []int32
	StopID                   []*string // in step with StopSequence
	Departures               []pgtype.Int4
	Arrivals                 []pgtype.Int4
	LocationGroupID          cells
	StopHeadsign             cells
	StartPickupDropOffWindow cells
	EndPickupDropOffWindow   cells
	PickupType               cells
	DropOffType              cells
	ContinuousPickup         cells
	ContinuousDropOff        cells
	ShapeDistTraveled        cells
	Timepoint                cells
	PickupBookingRuleID      cells
	DropOffBookingRuleID     cells
}

// All columns of a trip without calls are null, and those of the profile are where no call has a time.
var callsOfTrip = rest.SQL[tripKey, tripCalls](`
	SELECT t.start_time, p.stop_sequence, p.stop_id, pr.departures, pr.arrivals, p.location_group_id, p.stop_headsign,
	       p.start_pickup_drop_off_window, p.end_pickup_drop_off_window, p.pickup_type, p.drop_off_type, p.continuous_pickup,
	       p.continuous_drop_off, p.shape_dist_traveled, p.timepoint, p.pickup_booking_rule_id, p.drop_off_booking_rule_id
	FROM transit.trip t
	LEFT JOIN transit.pattern p ON p.version_id = @version_id AND p.pattern = t.pattern
	LEFT JOIN transit.profile pr ON pr.version_id = @version_id AND pr.profile = t.profile
	WHERE t.version_id = @version_id AND t.trip_id = @trip_id AND t.route_id = @route_id`)

func (a *api) stopTimeEndpoints() rest.Table {
	return rest.Table{
		rest.Func(rest.Spec{ID: "static.trip_stop_times", Path: tripPath + "/stop_times", Summary: "Stop times of a trip in order of stop_sequence",
			Tag: tagStatic, Queries: rest.Queries(callsOfTrip), NotFound: "unknown feed, agency, route or trip"}, a.listTripStopTimes),
	}
}

func (a *api) listTripStopTimes(ctx context.Context, c *rest.Call, p tripPage) (rest.Envelope[[]StopTime], error) {
	f := feedOf(c)
	if _, err := f.route(p.routeParams); err != nil {
		return rest.Envelope[[]StopTime]{}, err
	}
	calls, err := callsOfTrip.One(ctx, c, f.tripKey(p.tripParams))
	if err != nil {
		return rest.Envelope[[]StopTime]{}, err
	}
	from, to := cut(len(calls.StopSequence), p.Window)
	rows := make([]StopTime, 0, to-from)
	for i := from; i < to; i++ {
		rows = append(rows, calls.row(p.TripID, i))
	}
	return rest.Slice(c, p.Window, rows, len(calls.StopSequence), nil), nil
}

// row is the trip's call i as its row of stop_times.txt.
func (t *tripCalls) row(tripID string, i int) StopTime {
	sequence := strconv.Itoa(int(t.StopSequence[i]))
	s := StopTime{
		Label:                    tripID + " " + sequence,
		TripID:                   tripID,
		StopSequence:             sequence,
		DepartureTime:            t.clock(t.Departures, i),
		LocationGroupID:          t.LocationGroupID.at(i),
		StopHeadsign:             t.StopHeadsign.at(i),
		StartPickupDropOffWindow: t.StartPickupDropOffWindow.at(i),
		EndPickupDropOffWindow:   t.EndPickupDropOffWindow.at(i),
		PickupType:               t.PickupType.at(i),
		DropOffType:              t.DropOffType.at(i),
		ContinuousPickup:         t.ContinuousPickup.at(i),
		ContinuousDropOff:        t.ContinuousDropOff.at(i),
		ShapeDistTraveled:        t.ShapeDistTraveled.at(i),
		Timepoint:                t.Timepoint.at(i),
		PickupBookingRuleID:      t.PickupBookingRuleID.at(i),
		DropOffBookingRuleID:     t.DropOffBookingRuleID.at(i),
	}
	if id := t.StopID[i]; id != nil {
		s.StopID = *id
	}
	s.ArrivalTime = s.DepartureTime
	if t.Arrivals != nil {
		s.ArrivalTime = t.clock(t.Arrivals, i)
	}
	return s
}

// clock is the time of call i by the offsets of the profile, nil where there is none.
func (t *tripCalls) clock(offsets []pgtype.Int4, i int) *Clock {
	if t.StartTime == nil || i >= len(offsets) || !offsets[i].Valid {
		return nil
	}
	at := Clock(*t.StartTime + offsets[i].Int32)
	return &at
}

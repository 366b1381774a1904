package static

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/rest/openapi"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/wire"
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
	LocationID               *string    `json:"location_id,omitempty" doc:"The zone of locations.geojson, where it is one that riders are collected in."`
	Links                    wire.Links `json:"links,omitempty" db:"-" doc:"trip, stop; only in lists of a stop."`
}

// A Clock is a time of the service day, in seconds after noon minus 12 hours.
type Clock int32

// MarshalJSON writes "HH:MM:SS"; hours exceed 23 after midnight.
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
func (Clock) Schema() openapi.Schema {
	return openapi.Schema{Type: "string", Pattern: `^[0-9]{2,}:[0-5][0-9]:[0-5][0-9]$`,
		Description: "HH:MM:SS of the service day; hours may exceed 23."}
}

// StopTimes gives the list a name in the description.
type StopTimes []StopTime

func stopTimes[P pageParams](a *API, s rest.Spec, read func(context.Context, *rest.Call, *edition.Feed,
	P) (page []StopTime, count int, err error)) rest.Endpoint {
	s.Tag, s.Translated = tagStatic, true
	return rest.FuncFrom(s, feed[P](a), func(ctx context.Context, c *rest.Call, p P,
		f *edition.Feed) (wire.Envelope[StopTimes], error) {
		page, count, err := read(ctx, c, f, p)
		if err == nil {
			err = translate(ctx, c, f, page)
		}
		e := wire.Slice(c, p.Paging(), page, count, nil)
		return wire.Envelope[StopTimes]{Meta: e.Meta, Data: e.Data}, err
	})
}

func (a *API) stopTimeEndpoints() rest.Table {
	return rest.Table{
		stopTimes(a, rest.Spec{ID: "static.trip_stop_times", Path: TripPath + "/stop_times",
			Summary:  "Stop times of a trip in order of stop_sequence",
			NotFound: "unknown feed, agency, route or trip"}, listTripStopTimes),
	}
}

func listTripStopTimes(ctx context.Context, _ *rest.Call, f *edition.Feed,
	p tripPage) (page []StopTime, count int, err error) {
	trip, err := FindTrip(f, p.TripParams)
	if err != nil {
		return nil, 0, err
	}
	calls, err := f.Calls(ctx, trip.RunKey())
	if err != nil {
		return nil, 0, err
	}
	from, to := p.Part(len(calls.StopSequence))
	for i := from; i < to; i++ {
		page = append(page, stopTime(trip, calls, i))
	}
	return page, len(calls.StopSequence), nil
}

func stopTime(t *edition.Trip, calls *edition.Run, i int) StopTime {
	sequence := strconv.Itoa(int(calls.StopSequence[i]))
	s := StopTime{
		Label:                    t.ID + " " + sequence,
		TripID:                   t.ID,
		StopID:                   Text(calls.StopID[i]),
		StopSequence:             sequence,
		DepartureTime:            clock(t.Start, calls.Departures, i),
		LocationGroupID:          calls.LocationGroupID.At(i),
		StopHeadsign:             calls.StopHeadsign.At(i),
		StartPickupDropOffWindow: calls.StartPickupDropOffWindow.At(i),
		EndPickupDropOffWindow:   calls.EndPickupDropOffWindow.At(i),
		PickupType:               calls.PickupType.At(i),
		DropOffType:              calls.DropOffType.At(i),
		ContinuousPickup:         calls.ContinuousPickup.At(i),
		ContinuousDropOff:        calls.ContinuousDropOff.At(i),
		ShapeDistTraveled:        calls.ShapeDistTraveled.At(i),
		Timepoint:                calls.Timepoint.At(i),
		PickupBookingRuleID:      calls.PickupBookingRuleID.At(i),
		DropOffBookingRuleID:     calls.DropOffBookingRuleID.At(i),
		LocationID:               calls.LocationID.At(i),
	}
	s.ArrivalTime = s.DepartureTime
	if calls.Arrivals != nil {
		s.ArrivalTime = clock(t.Start, calls.Arrivals, i)
	}
	return s
}

func clock(start int32, offsets []pgtype.Int4, i int) *Clock {
	if i >= len(offsets) || !offsets[i].Valid {
		return nil
	}
	at := Clock(start + offsets[i].Int32)
	return &at
}

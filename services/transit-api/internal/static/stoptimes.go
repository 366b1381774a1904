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
	Label         string `json:"label" doc:"trip_id and stop_sequence."`
	TripID        string `json:"trip_id"`
	StopID        string `json:"stop_id" doc:"Empty for a call at a location group or zone."`
	StopSequence  string `json:"stop_sequence"`
	ArrivalTime   *Clock `json:"arrival_time" doc:"May exceed 24 hours on trips past midnight."`
	DepartureTime *Clock `json:"departure_time"`
	edition.CallColumns[*string]
	Links wire.Links `json:"links,omitempty" db:"-" doc:"trip, stop; only in lists of a stop."`
}

// A Clock is a time of the service day, in seconds after noon minus 12 hours.
type Clock int32

// MarshalJSON returns "HH:MM:SS"; after midnight, hours exceed 23.
func (t Clock) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, 12)
	if t < 36000 { // before 10:00:00
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

// StopTimes gives the list a name in the OpenAPI description.
type StopTimes []StopTime

func (a *API) stopTimeEndpoints() rest.Table {
	return rest.Table{
		list(a, rest.Spec{ID: "static.trip_stop_times", Path: wire.TripPath + "/stop_times",
			Summary:  "Stop times of a trip in order of stop_sequence",
			NotFound: "unknown feed, agency, route or trip"}, listTripStopTimes),
	}
}

func listTripStopTimes(ctx context.Context, _ *rest.Call, f *edition.Feed,
	p tripPage) (page StopTimes, count int, err error) {
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
		Label:         t.TripID + " " + sequence,
		TripID:        t.TripID,
		StopID:        wire.Text(calls.StopID[i]),
		StopSequence:  sequence,
		DepartureTime: clock(t.Start, calls.Departures, i),
	}
	from := calls.Columns()
	for n, column := range s.Columns() {
		*column = from[n].At(i)
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

package realtime

import (
	"fmt"
	"strconv"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/pkg/rest/openapi"
)

// A TripUpdate is the prediction for one trip: the feed's trip update with field names in
// camelCase.
type TripUpdate struct {
	Trip           RtTripDescriptor     `json:"trip"`
	Vehicle        *RtVehicleDescriptor `json:"vehicle,omitempty"`
	StopTimeUpdate []StopTimeUpdate     `json:"stopTimeUpdate" doc:"All stop time updates of the trip, in the feed's order."`
	Timestamp      *uint64Text          `json:"timestamp,omitempty" doc:"Unix time of the update."`
	Delay          *int32               `json:"delay,omitempty" doc:"Seconds behind schedule, for the trip as a whole."`
	TripProperties *RtTripProperties    `json:"tripProperties,omitempty"`
}

// A RtTripDescriptor identifies a trip in the realtime feed.
type RtTripDescriptor struct {
	TripID               *string `json:"tripId,omitempty"`
	RouteID              *string `json:"routeId,omitempty"`
	DirectionID          *uint32 `json:"directionId,omitempty"`
	StartTime            *string `json:"startTime,omitempty" doc:"HH:MM:SS; identifies one run of a frequency-based trip."`
	StartDate            *string `json:"startDate,omitempty" doc:"Service day, YYYYMMDD."`
	ScheduleRelationship string  `json:"scheduleRelationship" doc:"SCHEDULED, ADDED, CANCELED …"`
	TripHeadsign         *string `json:"tripHeadsign" doc:"trip_headsign of the static feed; null if it does not have the trip."`
}

// A RtVehicleDescriptor identifies a vehicle in the realtime feed.
type RtVehicleDescriptor struct {
	ID           *string `json:"id,omitempty" doc:"The agency's identifier."`
	Label        *string `json:"label" doc:"The name that riders see on the vehicle."`
	LicensePlate *string `json:"licensePlate"`
}

// A StopTimeUpdate is the prediction for one call of a trip.
type StopTimeUpdate struct {
	StopSequence         *uint32               `json:"stopSequence,omitempty"`
	StopID               *string               `json:"stopId,omitempty" doc:"As published; if the feed gives only stopSequence, the stop_id of the static feed."`
	Arrival              *StopTimeEvent        `json:"arrival,omitempty"`
	Departure            *StopTimeEvent        `json:"departure,omitempty"`
	ScheduleRelationship string                `json:"scheduleRelationship" doc:"SCHEDULED, SKIPPED, NO_DATA or UNSCHEDULED."`
	StopTimeProperties   *RtStopTimeProperties `json:"stopTimeProperties,omitempty"`
}

// A StopTimeEvent is a predicted arrival or departure.
type StopTimeEvent struct {
	Time        *int64Text `json:"time,omitempty" doc:"Predicted Unix time."`
	Delay       *int32     `json:"delay,omitempty" doc:"Seconds behind schedule; negative is early."`
	Uncertainty *int32     `json:"uncertainty,omitempty" doc:"Expected error in seconds."`
}

// RtTripProperties are the changed properties of a duplicated trip.
type RtTripProperties struct {
	TripID    *string `json:"tripId,omitempty"`
	StartDate *string `json:"startDate,omitempty"`
	StartTime *string `json:"startTime,omitempty"`
}

// RtStopTimeProperties are the changed properties of a call.
type RtStopTimeProperties struct {
	AssignedStopID *string `json:"assignedStopId,omitempty" doc:"The platform that was assigned."`
}

// 64-bit numbers are strings, as in Protobuf's JSON mapping.
type (
	int64Text  int64
	uint64Text uint64
)

// MarshalText returns the decimal digits.
func (n int64Text) MarshalText() ([]byte, error) { return strconv.AppendInt(nil, int64(n), 10), nil }

// MarshalText returns the decimal digits.
func (n uint64Text) MarshalText() ([]byte, error) { return strconv.AppendUint(nil, uint64(n), 10), nil }

// Schema describes a string of digits.
func (int64Text) Schema() openapi.Schema {
	return openapi.Schema{Type: "string", Pattern: `^-?[0-9]+$`}
}

// Schema describes a string of digits.
func (uint64Text) Schema() openapi.Schema { return openapi.Schema{Type: "string", Pattern: `^[0-9]+$`} }

func (s *Snapshot) tripUpdate(body []byte) (TripUpdate, error) {
	m := &rt.TripUpdate{}
	if err := decode(body, m); err != nil {
		return TripUpdate{}, err
	}
	u := TripUpdate{
		Trip:           *s.tripDescriptor(m.GetTrip()),
		Vehicle:        vehicleDescriptor(m.Vehicle),
		StopTimeUpdate: make([]StopTimeUpdate, len(m.StopTimeUpdate)),
		Timestamp:      (*uint64Text)(m.Timestamp),
		Delay:          m.Delay,
	}
	if p := m.TripProperties; p != nil {
		u.TripProperties = &RtTripProperties{p.TripId, p.StartDate, p.StartTime}
	}
	trip := s.Trip(descriptor(m.GetTrip()))
	for i, c := range m.StopTimeUpdate {
		call := &u.StopTimeUpdate[i]
		*call = StopTimeUpdate{
			StopSequence:         c.StopSequence,
			StopID:               c.StopId,
			Arrival:              stopTimeEvent(c.Arrival),
			Departure:            stopTimeEvent(c.Departure),
			ScheduleRelationship: c.GetScheduleRelationship().String(),
		}
		if c.GetStopId() == "" && c.StopSequence != nil {
			if id := s.stopAt(trip, int64(*c.StopSequence)); id != "" {
				call.StopID = &id
			}
		}
		if p := c.StopTimeProperties; p != nil {
			call.StopTimeProperties = &RtStopTimeProperties{p.AssignedStopId}
		}
	}
	return u, nil
}

// decode accepts an entity that lacks required fields, so that its other fields can be served.
func decode(body []byte, m proto.Message) error {
	if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(body, m); err != nil {
		return fmt.Errorf("decode a realtime entity: %w", err)
	}
	return nil
}

func (s *Snapshot) tripDescriptor(d *rt.TripDescriptor) *RtTripDescriptor {
	out := &RtTripDescriptor{ScheduleRelationship: relationship(d)}
	if d == nil {
		return out
	}
	out.TripID = d.TripId
	out.RouteID = d.RouteId
	out.DirectionID = d.DirectionId
	out.StartTime = d.StartTime
	out.StartDate = d.StartDate
	if trip := s.Trip(descriptor(d)); trip != nil {
		out.TripHeadsign = trip.TripHeadsign
	}
	return out
}

// relationship returns the name of a trip's schedule relationship. The bindings lack two of the
// names.
func relationship(d *rt.TripDescriptor) string {
	switch r := d.GetScheduleRelationship(); r {
	case 7:
		return "DELETED"
	case 8:
		return "NEW"
	default:
		return r.String()
	}
}

func vehicleDescriptor(d *rt.VehicleDescriptor) *RtVehicleDescriptor {
	if d == nil {
		return nil
	}
	return &RtVehicleDescriptor{d.Id, d.Label, d.LicensePlate}
}

func stopTimeEvent(e *rt.TripUpdate_StopTimeEvent) *StopTimeEvent {
	if e == nil {
		return nil
	}
	return &StopTimeEvent{(*int64Text)(e.Time), e.Delay, e.Uncertainty}
}

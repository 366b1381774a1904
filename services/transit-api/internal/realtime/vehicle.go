package realtime

import (
	"fmt"
	"iter"
	"math"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
)

// A VehiclePosition is the position and status of a vehicle: the feed's vehicle position with field
// names in camelCase.
type VehiclePosition struct {
	Trip                 *RtTripDescriptor    `json:"trip,omitempty" doc:"Absent if the vehicle is not on a trip."`
	Vehicle              *RtVehicleDescriptor `json:"vehicle,omitempty"`
	Position             *Position            `json:"position,omitempty"`
	CurrentStopSequence  *uint32              `json:"currentStopSequence,omitempty"`
	CurrentStatus        string               `json:"currentStatus" doc:"INCOMING_AT, STOPPED_AT or IN_TRANSIT_TO the stop."`
	StopID               *string              `json:"stopId,omitempty" doc:"As published."`
	Timestamp            *uint64Text          `json:"timestamp,omitempty" doc:"Unix time of the position."`
	CongestionLevel      *string              `json:"congestionLevel,omitempty"`
	OccupancyStatus      *string              `json:"occupancyStatus,omitempty"`
	OccupancyPercentage  *uint32              `json:"occupancyPercentage,omitempty"`
	MultiCarriageDetails []CarriageDetails    `json:"multiCarriageDetails,omitempty"`
}

// A Position is a point on the earth.
type Position struct {
	Latitude  *float32 `json:"latitude,omitempty"`
	Longitude *float32 `json:"longitude,omitempty"`
	Bearing   *float32 `json:"bearing,omitempty" doc:"Degrees clockwise from north."`
	Odometer  *float64 `json:"odometer,omitempty" doc:"Metres."`
	Speed     *float32 `json:"speed,omitempty" doc:"Metres per second."`
}

// CarriageDetails is one carriage of a train.
type CarriageDetails struct {
	ID                  *string `json:"id,omitempty"`
	Label               *string `json:"label,omitempty"`
	OccupancyStatus     *string `json:"occupancyStatus,omitempty"`
	OccupancyPercentage *int32  `json:"occupancyPercentage,omitempty"`
	CarriageSequence    *uint32 `json:"carriageSequence,omitempty"`
}

func (s *Snapshot) vehiclePosition(body []byte) (VehiclePosition, error) {
	m := &rt.VehiclePosition{}
	if err := decode(body, m); err != nil {
		return VehiclePosition{}, err
	}
	v := VehiclePosition{
		Vehicle:             vehicleDescriptor(m.Vehicle),
		CurrentStopSequence: m.CurrentStopSequence,
		CurrentStatus:       m.GetCurrentStatus().String(),
		StopID:              m.StopId,
		Timestamp:           (*uint64Text)(m.Timestamp),
		CongestionLevel:     enumName(m.CongestionLevel),
		OccupancyStatus:     enumName(m.OccupancyStatus),
		OccupancyPercentage: m.OccupancyPercentage,
	}
	if m.Trip != nil {
		v.Trip = s.tripDescriptor(m.Trip)
	}
	if p := m.Position; p != nil {
		v.Position = &Position{
			Latitude:  finite(p.Latitude),
			Longitude: finite(p.Longitude),
			Bearing:   finite(p.Bearing),
			Odometer:  finite(p.Odometer),
			Speed:     finite(p.Speed),
		}
	}
	for _, c := range m.MultiCarriageDetails {
		v.MultiCarriageDetails = append(v.MultiCarriageDetails, CarriageDetails{
			ID:                  c.Id,
			Label:               c.Label,
			OccupancyStatus:     enumName(c.OccupancyStatus),
			OccupancyPercentage: c.OccupancyPercentage,
			CarriageSequence:    c.CarriageSequence,
		})
	}
	return v, nil
}

// Occupancy has the feed's fields about how full a vehicle is.
type Occupancy struct {
	OccupancyStatus     *string `json:"occupancy_status,omitempty" doc:"As the vehicle on the trip says: EMPTY, MANY_SEATS_AVAILABLE … Absent when it is not known."`
	OccupancyPercentage *uint32 `json:"occupancy_percentage,omitempty" doc:"0 is empty, 100 is full. Absent when it is not known."`
}

// A Start distinguishes the runs of a trip by frequency. It is zero for other trips.
type Start struct {
	Seconds int32 // seconds of the service day
	Every   int64 // headway in seconds
	Own     bool  // a vehicle leaves at this second, be it a departure of the timetable or not
}

// IsNearest reports whether this run is the nearest run to a published start_time.
func (s Start) IsNearest(published []byte) bool {
	at, ok := ClockSeconds(string(published))
	if s.Own {
		return ok && at == s.Seconds
	}
	late := int64(at) - int64(s.Seconds) + s.Every/2
	return s.Every == 0 || ok && late >= 0 && late < s.Every
}

// vehiclesOn yields the vehicles on a run of a trip on a service day (YYYYMMDD). If vehicle is not
// "", it yields only the vehicle with that id. undated includes vehicles without a date.
func (s *Snapshot) vehiclesOn(trip, date, vehicle string, start Start, undated bool) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for _, i := range s.vehiclesByTrip.get(trip) {
			v := &s.Message.Vehicles[i]
			if vehicle != "" && string(v.VehicleID) != vehicle || len(v.StartDate) > 0 && string(v.StartDate) != date ||
				len(v.StartDate) == 0 && !undated {
				continue
			}
			named := vehicle != "" && len(v.StartTime) == 0
			if (named || start.IsNearest(v.StartTime)) && !yield(i) {
				return
			}
		}
	}
}

// LocatedOn returns the vehicle on a run, as [Snapshot.OccupancyOn] finds it; ok is false if it has
// no position.
func (s *Snapshot) LocatedOn(
	trip, date, vehicle string, start Start, undated bool, fetched int64,
) (l Located, ok bool) {
	for i := range s.vehiclesOn(trip, date, vehicle, start, undated) {
		if l, ok = s.Locate(i, fetched); ok {
			break
		}
	}
	return l, ok
}

// OccupancyOn returns the occupancy of the vehicle on a trip on a service day (YYYYMMDD). If
// vehicle is not "", it must be the vehicle's id. undated includes vehicles without a date.
func (s *Snapshot) OccupancyOn(trip, date, vehicle string, start Start, undated bool) (o Occupancy, ok bool) {
	for i := range s.vehiclesOn(trip, date, vehicle, start, undated) {
		m := &rt.VehiclePosition{}
		if decode(s.Message.Vehicles[i].Body, m) != nil {
			continue
		}
		if m.OccupancyStatus != nil || m.OccupancyPercentage != nil {
			return Occupancy{enumName(m.OccupancyStatus), m.OccupancyPercentage}, true
		}
	}
	return Occupancy{}, false
}

// enumName returns the name of an enum value; nil if the field is missing.
func enumName[E fmt.Stringer](e *E) *string {
	if e == nil {
		return nil
	}
	name := (*e).String()
	return &name
}

// finite returns nil for infinities and NaN, which JSON cannot express.
func finite[F float32 | float64](f *F) *F {
	if f == nil || math.IsNaN(float64(*f)) || math.IsInf(float64(*f), 0) {
		return nil
	}
	return f
}

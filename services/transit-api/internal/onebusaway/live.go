package onebusaway

import (
	"math"
	"time"

	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/onebusaway/ride"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// A TripStatus is the position and delay of a trip's vehicle.
type TripStatus struct {
	ActiveTripID               string     `json:"activeTripId"`
	BlockTripSequence          int        `json:"blockTripSequence"`
	ClosestStop                string     `json:"closestStop"`
	ClosestStopTimeOffset      int64      `json:"closestStopTimeOffset"`
	DistanceAlongTrip          float64    `json:"distanceAlongTrip"`
	Frequency                  *Frequency `json:"frequency,omitempty"`
	LastKnownDistanceAlongTrip int64      `json:"lastKnownDistanceAlongTrip"`
	LastKnownLocation          *Location  `json:"lastKnownLocation,omitempty"`
	LastKnownOrientation       float64    `json:"lastKnownOrientation"`
	LastLocationUpdateTime     int64      `json:"lastLocationUpdateTime"`
	LastUpdateTime             int64      `json:"lastUpdateTime"`
	NextStop                   string     `json:"nextStop,omitempty"`
	NextStopTimeOffset         int64      `json:"nextStopTimeOffset"`
	OccupancyCapacity          int        `json:"occupancyCapacity"`
	OccupancyCount             int        `json:"occupancyCount"`
	OccupancyStatus            string     `json:"occupancyStatus"`
	Orientation                float64    `json:"orientation"` // degrees counter-clockwise from east
	Phase                      string     `json:"phase"`
	Position                   *Location  `json:"position,omitempty"`
	Predicted                  bool       `json:"predicted"`
	ScheduleDeviation          int64      `json:"scheduleDeviation"`
	ScheduledDistanceAlongTrip float64    `json:"scheduledDistanceAlongTrip"`
	ServiceDate                int64      `json:"serviceDate"`
	SituationIDs               []string   `json:"situationIds"`
	Status                     string     `json:"status"`
	TotalDistanceAlongTrip     float64    `json:"totalDistanceAlongTrip"`
	VehicleID                  string     `json:"vehicleId"`
}

// A Location is a position in degrees.
type Location struct {
	Lat float64 `json:"lat"`
	Lon float64 `json:"lon"`
}

// Values of status and phase.
const (
	statusDefault   = "default" // the status has live data
	statusScheduled = "SCHEDULED"
	statusCanceled  = "CANCELED" // also for a skipped call
	inProgress      = "in_progress"
	notInProgress   = "scheduled"
)

const unknownCount = -1

// status returns the status of a call's trip on a service day; nil if the trip's stops are unknown.
func (x *answer) status(d *board.Departure, p *ride.Progress, day edition.Day, situations []string) *TripStatus {
	closest := x.stopOf(d.Run, p.Closest)
	if closest == nil {
		return nil
	}
	_, sequence := ride.BlockOn(x.Edition, d.Trip, day.Number)
	s := &TripStatus{ActiveTripID: x.tripID(d.Trip), BlockTripSequence: sequence, ClosestStop: x.stopID(closest),
		ClosestStopTimeOffset: p.ClosestIn, DistanceAlongTrip: decimetres(p.Along), Frequency: frequency(d.Window, day),
		OccupancyCapacity: unknownCount, OccupancyCount: unknownCount, Orientation: orientation(p.Bearing),
		Phase: notInProgress, Predicted: p.Predicted, ScheduleDeviation: p.Late,
		ScheduledDistanceAlongTrip: decimetres(p.ScheduledAlong), ServiceDate: day.Start * 1000,
		SituationIDs: situations, Status: callStatus(d, p.Predicted),
		TotalDistanceAlongTrip: decimetres(p.Length), VehicleID: x.vehicleID(d, p)}
	if next := x.stopOf(d.Run, p.Next); next != nil {
		s.NextStop, s.NextStopTimeOffset = x.stopID(next), p.NextIn
	}
	if p.Running {
		s.Phase = inProgress
	}
	if p.Lat != 0 || p.Lon != 0 {
		s.Position = &Location{p.Lat, p.Lon}
	}
	if p.Predicted {
		s.LastUpdateTime = x.updatedAt(d) * 1000
	}
	if v := p.Vehicle; v != nil {
		s.LastKnownLocation, s.LastLocationUpdateTime = &Location{v.Lat, v.Lon}, v.Timestamp*1000
		s.LastUpdateTime = max(s.LastUpdateTime, s.LastLocationUpdateTime)
		s.LastKnownDistanceAlongTrip, s.OccupancyStatus = int64(p.Along), wire.Text(v.OccupancyStatus)
		if v.Bearing != nil {
			s.LastKnownOrientation = orientation(*v.Bearing)
		}
	}
	return s
}

// updatedAt returns the Unix time of the trip update that a call has; 0 if it has none.
func (x *answer) updatedAt(d *board.Departure) int64 {
	if d.Late == nil && !d.IsPredicted() {
		return 0
	}
	return x.live.Feeds[0].UpdatedAt()
}

// stopOf returns the stop of a call; nil if there is no such call or it has no stop.
func (x *answer) stopOf(r *edition.Run, call int) *edition.Stop {
	if call >= len(r.StopID) || r.StopID[call] == nil {
		return nil
	}
	return x.Stop(*r.StopID[call])
}

// serviceDay returns the service day of a call. If the call has no start date, it returns the local
// day of its time.
func (x *answer) serviceDay(d *board.Departure) edition.Day {
	n, ok := edition.ParseDay(d.StartDate)
	if !ok {
		n = edition.DayNumber(time.Unix(d.PredictedDepartureEpoch, 0), x.Zone)
	}
	return edition.DayOf(n, x.Zone)
}

func decimetres(metres float64) float64 { return math.Round(metres*10) / 10 }

// orientation converts degrees clockwise from north to counter-clockwise from east.
func orientation(bearing float64) float64 { return math.Mod(360+90-math.Round(bearing), 360) }

func callStatus(d *board.Departure, predicted bool) string {
	switch {
	case !d.Runs():
		return statusCanceled
	case predicted:
		return statusDefault
	}
	return statusScheduled
}

// vehicleID returns the id of the vehicle; "" if it is unknown or the trip is cancelled.
func (x *answer) vehicleID(d *board.Departure, p *ride.Progress) string {
	if d.ScheduleRelationship == board.Canceled {
		return ""
	}
	id := d.VehicleID
	if id == "" && p != nil && p.Vehicle != nil {
		id = p.Vehicle.ID
	}
	if id == "" {
		return ""
	}
	return combine(x.agencyOf(d), id)
}

// agencyOf returns the agency of a call's route or, if unknown, the feed's first agency.
func (x *answer) agencyOf(d *board.Departure) string {
	if r := x.Route(d.RouteID); r != nil {
		return x.agencyID(r.AgencyID)
	}
	return x.agencyID(x.main)
}

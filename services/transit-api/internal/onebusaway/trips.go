package onebusaway

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/onebusaway/ride"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

type (
	// partParams select the parts of a trip. Apps expect each part unless they exclude it.
	partParams struct {
		IncludeTrip     bool `query:"includeTrip" default:"true"`
		IncludeSchedule bool `query:"includeSchedule" default:"true"`
		IncludeStatus   bool `query:"includeStatus" default:"true"`
	}
	tripParams struct {
		idTimeParams
		partParams
		ServiceDate *int64  `query:"serviceDate"`
		VehicleID   *string `query:"vehicleId"`
	}
	tripListParams struct {
		idTimeParams
		IncludeStatus   bool `query:"includeStatus" default:"true"`
		IncludeSchedule bool `query:"includeSchedule" default:"false"`
	}
	tripsAtParams struct {
		stopsAtParams
		timeParams
		IncludeTrip     bool `query:"includeTrip" default:"true"`
		IncludeSchedule bool `query:"includeSchedule" default:"false"`
		IncludeStatus   bool `query:"includeStatus" default:"true"`
	}
)

// TripDetails is a trip on a service day.
type TripDetails struct {
	Frequency    *Frequency    `json:"frequency,omitempty"`
	Schedule     *TripSchedule `json:"schedule,omitempty"`
	ServiceDate  int64         `json:"serviceDate"`
	SituationIDs []string      `json:"situationIds"`
	Status       *TripStatus   `json:"status,omitempty"`
	TripID       string        `json:"tripId"`
}

// A TripSchedule has the calls of a trip, and the previous and next trip of its vehicle.
type TripSchedule struct {
	Frequency      *Frequency `json:"frequency,omitempty"`
	NextTripID     string     `json:"nextTripId"`
	PreviousTripID string     `json:"previousTripId"`
	StopTimes      []StopTime `json:"stopTimes"`
	TimeZone       string     `json:"timeZone"`
}

// A StopTime is a call in seconds of the service day.
type StopTime struct {
	ArrivalTime         int64   `json:"arrivalTime"`
	DepartureTime       int64   `json:"departureTime"`
	DistanceAlongTrip   float64 `json:"distanceAlongTrip"`
	HistoricalOccupancy string  `json:"historicalOccupancy"`
	StopHeadsign        string  `json:"stopHeadsign"`
	StopID              string  `json:"stopId"`
}

// ridesOf returns the journeys of trips that are under way, or begin within the duration ahead.
func (x *answer) ridesOf(
	ctx context.Context, trips []*edition.Trip, ahead time.Duration,
) (all []*ride.Progress, err error) {
	err = x.eachRide(ctx, trips, ahead, func(r *ride.Progress) (bool, error) {
		all = append(all, r)
		return true, nil
	})
	return all, err
}

// ridesOnce is the number of journeys whose paths are read at once. The paths of a whole feed take
// many seconds to read, and most answers list few journeys.
const ridesOnce = 100

// eachRide calls use with each ride of ridesOf, until use returns false.
func (x *answer) eachRide(
	ctx context.Context, trips []*edition.Trip, ahead time.Duration, use func(*ride.Progress) (bool, error),
) error {
	d := x.live.Feeds[0]
	calls, err := d.Rides(ctx, trips, ahead, x.call.Reserve)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(calls, ridesOnce) {
		progress, err := ride.Follow(ctx, d.Feed.Edition, d.VehicleOf, x.live.Now, part)
		if err != nil {
			return err
		}
		for i := range part {
			if progress[i] == nil {
				continue
			}
			if more, err := use(progress[i]); err != nil || !more {
				return err
			}
		}
	}
	return ctx.Err()
}

// How far ahead of now a trip is looked for: first soon, when a vehicle may already be on it.
const (
	soonOfTrip  = 10 * time.Minute
	aheadOfTrip = 12 * time.Hour
)

func tripDetails(ctx context.Context, x *answer, p tripParams) (made TripDetails, err error) {
	t, err := x.findTrip(p.ID)
	if err != nil {
		return made, err
	}
	day := edition.DayNumber(x.live.Now, x.Zone)
	if p.ServiceDate != nil {
		day = x.dayAt(*p.ServiceDate).Number
	}
	var rides []*ride.Progress
	for _, ahead := range []time.Duration{soonOfTrip, aheadOfTrip} { // a trip may have many later departures
		if len(rides) > 0 {
			break
		}
		rides, err = x.ridesOf(ctx, []*edition.Trip{t}, ahead)
		if err != nil {
			return made, err
		}
		if p.ServiceDate != nil {
			rides = slices.DeleteFunc(rides, func(r *ride.Progress) bool { return x.serviceDay(r.Call).Number != day })
		}
	}
	if p.VehicleID != nil && *p.VehicleID != "" {
		if i := slices.IndexFunc(rides, func(r *ride.Progress) bool {
			return x.vehicleID(r.Call, r) == *p.VehicleID
		}); i >= 0 {
			rides = rides[i : i+1]
		}
	}
	if r := best(rides); r != nil {
		return x.details(ctx, r, p.partParams)
	}
	return x.unridden(ctx, t, edition.DayOf(day, x.Zone), p.partParams)
}

// best returns a ride with a located vehicle or, if there is none, a ride under way or the first
// ride; nil if there are no rides. A vehicle may already have predictions for its next trip.
func best(rides []*ride.Progress) *ride.Progress {
	var found *ride.Progress
	class := func(r *ride.Progress) int {
		switch {
		case r.Vehicle != nil:
			return 2
		case r.Running:
			return 1
		}
		return 0
	}
	for _, r := range rides {
		if found == nil || class(r) > class(found) {
			found = r
		}
	}
	return found
}

func (x *answer) unridden(ctx context.Context, t *edition.Trip, day edition.Day, p partParams) (TripDetails, error) {
	d := board.Departure{Trip: t}
	d.TripID = t.TripID
	d.RouteID = t.Route.RouteID
	d.StartDate = day.Date()
	d.Start.Seconds = t.Start
	p.IncludeStatus = false
	return x.details(ctx, &ride.Progress{Call: &d}, p)
}

func (x *answer) details(ctx context.Context, r *ride.Progress, p partParams) (made TripDetails, err error) {
	d := r.Call
	day := x.serviceDay(d)
	about, err := x.alertsAbout(ctx, nil, []board.Departure{*d})
	if err != nil {
		return made, err
	}
	made = TripDetails{TripID: combine(x.agencyID(d.Trip.Route.AgencyID), d.Trip.TripID), ServiceDate: day.Start * 1000,
		Frequency: frequency(d.Window, day), SituationIDs: about.ofCall(d, false)}
	if p.IncludeTrip {
		x.tripID(d.Trip)
	}
	if p.IncludeStatus && (r.Running || !d.Runs()) {
		made.Status = x.status(d, r, day, made.SituationIDs)
	}
	if p.IncludeSchedule {
		made.Schedule, err = x.schedule(ctx, d, day)
	}
	return made, err
}

func (x *answer) schedule(ctx context.Context, d *board.Departure, day edition.Day) (*TripSchedule, error) {
	s := &TripSchedule{Frequency: frequency(d.Window, day), StopTimes: []StopTime{}, TimeZone: x.Zone.String()}
	block, place := ride.BlockOn(x.Edition, d.Trip, day.Number)
	if place > 0 {
		s.PreviousTripID = x.tripID(block[place-1])
	}
	if place+1 < len(block) {
		s.NextTripID = x.tripID(block[place+1])
	}
	if !d.Trip.HasTimes() {
		return s, nil
	}
	run, err := x.Calls(ctx, d.Trip.RunKey())
	if err != nil {
		return nil, err
	}
	paths, err := ride.Paths(ctx, x.Edition, []*edition.Trip{d.Trip})
	if err != nil {
		return nil, err
	}
	for i := range run.StopID {
		stop := x.stopOf(run, i)
		if stop == nil { // the call is at a zone
			continue
		}
		c := StopTime{StopID: x.stopID(stop), ArrivalTime: int64(d.Start.Seconds) + int64(run.Expected[i]),
			DepartureTime: int64(d.Start.Seconds) + run.Leaves(i),
			StopHeadsign:  wire.Text(x.SignAt(d.Trip, run, i).In(x.texts))}
		if paths[0] != nil {
			c.DistanceAlongTrip = decimetres(paths[0].Calls[i])
		}
		s.StopTimes = append(s.StopTimes, c)
	}
	return s, nil
}

func tripForVehicle(ctx context.Context, x *answer, p tripParams) (made TripDetails, err error) {
	for _, id := range x.split(p.ID) {
		rides, err := x.ridesOf(ctx, x.live.Feeds[0].VehicleTrips(id), 0)
		if err != nil {
			return made, err
		}
		rides = slices.DeleteFunc(rides, func(r *ride.Progress) bool { return x.vehicleID(r.Call, r) != p.ID })
		if r := best(rides); r != nil {
			return x.details(ctx, r, p.partParams)
		}
	}
	return made, errNotFound
}

func tripsForRoute(ctx context.Context, x *answer, p tripListParams) (found listData[TripDetails], err error) {
	r, err := x.findRoute(p.ID)
	if err != nil {
		return found, err
	}
	var trips []*edition.Trip
	of := x.TripsOf(r.Trips())
	for i := range of {
		trips = append(trips, &of[i])
	}
	anywhere := func(*ride.Progress) bool { return true }
	return x.detailsOf(ctx, trips, anywhere, partParams{true, p.IncludeSchedule, p.IncludeStatus}, maxListed)
}

const maxListed = 1000

// detailsOf lists the wanted rides of trips that are under way, up to a maximum. Each trip is listed
// once per day.
func (x *answer) detailsOf(
	ctx context.Context, trips []*edition.Trip, wanted func(*ride.Progress) bool, p partParams, most int,
) (found listData[TripDetails], err error) {
	listed := map[board.Journey]bool{}
	err = x.eachRide(ctx, trips, 0, func(r *ride.Progress) (bool, error) {
		of := r.Call.Journey()
		of.Start = 0 // several departures of a trip by frequency may be under way
		if !r.Running || !r.Call.Runs() || listed[of] || !wanted(r) {
			return true, nil
		}
		listed[of] = true
		if len(found.List) >= most {
			found.LimitExceeded = true
			return false, nil
		}
		one, err := x.details(ctx, r, p)
		found.List = append(found.List, one)
		return true, err
	})
	return found, err
}

func tripsForLocation(ctx context.Context, x *answer, p tripsAtParams) (found listData[TripDetails], err error) {
	area, _ := p.area()
	trips, err := ride.Passing(ctx, x.Edition, area)
	if err != nil {
		return found, err
	}
	inside := func(r *ride.Progress) bool { return area.Contains(r.Lat, r.Lon) }
	found, err = x.detailsOf(ctx, trips, inside, partParams{p.IncludeTrip, p.IncludeSchedule, p.IncludeStatus},
		int(p.MaxCount))
	found.OutOfRange = x.isOutside(area)
	return found, err
}

// A VehicleStatus is a vehicle on a trip.
type VehicleStatus struct {
	LastLocationUpdateTime int64       `json:"lastLocationUpdateTime"`
	LastUpdateTime         int64       `json:"lastUpdateTime"`
	Location               *Location   `json:"location,omitempty"`
	OccupancyCapacity      int         `json:"occupancyCapacity"`
	OccupancyCount         int         `json:"occupancyCount"`
	OccupancyStatus        string      `json:"occupancyStatus"`
	Phase                  string      `json:"phase"`
	Status                 string      `json:"status"`
	TripID                 string      `json:"tripId"`
	TripStatus             *TripStatus `json:"tripStatus"`
	VehicleID              string      `json:"vehicleId"`
}

// vehiclesForAgency lists the vehicles on scheduled trips. It omits vehicles without a trip,
// because apps reject them.
func vehiclesForAgency(ctx context.Context, x *answer, p idTimeParams) (found listData[VehicleStatus], err error) {
	g, err := x.findAgency(p.ID)
	if err != nil {
		return found, err
	}
	trips := slices.DeleteFunc(x.live.Feeds[0].VehicleTrips(""), func(t *edition.Trip) bool {
		return t.Route.AgencyID != g.AgencyID
	})
	rides, err := x.ridesOf(ctx, trips, 0)
	if err != nil {
		return found, err
	}
	byVehicle, calls := map[string][]*ride.Progress{}, []board.Departure(nil)
	for _, r := range rides {
		if id := x.vehicleID(r.Call, r); id != "" && r.Running && r.Call.Runs() {
			byVehicle[id], calls = append(byVehicle[id], r), append(calls, *r.Call)
		}
	}
	about, err := x.alertsAbout(ctx, nil, calls)
	if err != nil {
		return found, err
	}
	for _, id := range slices.Sorted(maps.Keys(byVehicle)) {
		r := best(byVehicle[id])
		s := x.status(r.Call, r, x.serviceDay(r.Call), about.ofCall(r.Call, false))
		if s == nil {
			continue
		}
		found.List = append(found.List, VehicleStatus{VehicleID: id, TripID: s.ActiveTripID, TripStatus: s,
			Location: s.LastKnownLocation, LastUpdateTime: s.LastUpdateTime,
			LastLocationUpdateTime: s.LastLocationUpdateTime, OccupancyCapacity: s.OccupancyCapacity,
			OccupancyCount: s.OccupancyCount, OccupancyStatus: s.OccupancyStatus, Phase: s.Phase, Status: s.Status})
	}
	return found, nil
}

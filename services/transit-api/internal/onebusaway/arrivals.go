package onebusaway

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/onebusaway/ride"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

type (
	windowParams struct {
		MinutesBefore int64 `query:"minutesBefore" min:"0" clamp:"240" default:"5"`
		MinutesAfter  int64 `query:"minutesAfter" min:"0" clamp:"1440" default:"35"`
	}
	arrivalsParams struct {
		idTimeParams
		windowParams
	}
	arrivalParams struct {
		idTimeParams
		TripID       string `query:"tripId" required:"true"`
		ServiceDate  *int64 `query:"serviceDate"`
		StopSequence *int64 `query:"stopSequence"`
	}
	arrivalsAtParams struct {
		stopsAtParams
		timeParams
		windowParams
	}
)

// An ArrivalAndDeparture is a call of a trip at a stop.
type ArrivalAndDeparture struct {
	ArrivalEnabled         bool        `json:"arrivalEnabled"`
	BlockTripSequence      int         `json:"blockTripSequence"`
	DepartureEnabled       bool        `json:"departureEnabled"`
	DistanceFromStop       float64     `json:"distanceFromStop"`
	Frequency              *Frequency  `json:"frequency,omitempty"`
	HistoricalOccupancy    string      `json:"historicalOccupancy"`
	LastUpdateTime         int64       `json:"lastUpdateTime"`
	NumberOfStopsAway      int         `json:"numberOfStopsAway"` // 0 after the vehicle has passed
	OccupancyStatus        string      `json:"occupancyStatus"`
	Predicted              bool        `json:"predicted"`
	PredictedArrivalTime   int64       `json:"predictedArrivalTime"`
	PredictedDepartureTime int64       `json:"predictedDepartureTime"`
	PredictedOccupancy     string      `json:"predictedOccupancy"`
	RouteID                string      `json:"routeId"`
	RouteLongName          string      `json:"routeLongName"`
	RouteShortName         string      `json:"routeShortName"`
	ScheduledArrivalTime   int64       `json:"scheduledArrivalTime"`
	ScheduledDepartureTime int64       `json:"scheduledDepartureTime"`
	ServiceDate            int64       `json:"serviceDate"`
	SituationIDs           []string    `json:"situationIds"`
	Status                 string      `json:"status"`
	StopID                 string      `json:"stopId"`
	StopSequence           int         `json:"stopSequence"` // index of the call in its trip, from 0
	TotalStopsInTrip       int         `json:"totalStopsInTrip"`
	TripHeadsign           string      `json:"tripHeadsign"`
	TripID                 string      `json:"tripId"`
	TripStatus             *TripStatus `json:"tripStatus,omitempty"`
	VehicleID              string      `json:"vehicleId"`
}

// StopArrivals has the arrivals and departures at a stop.
type StopArrivals struct {
	ArrivalsAndDepartures []ArrivalAndDeparture `json:"arrivalsAndDepartures"`
	NearbyStopIDs         []string              `json:"nearbyStopIds"`
	SituationIDs          []string              `json:"situationIds"`
	StopID                string                `json:"stopId"`
}

const (
	maxArrivals   = 1000
	nearbyMetres  = 100
	maxNearbyStop = 10
)

func arrivalsForStop(ctx context.Context, x *answer, p arrivalsParams) (made StopArrivals, err error) {
	s, err := x.findStop(p.ID)
	if err != nil {
		return made, err
	}
	calls, _, err := x.callsAt(ctx, []string{s.StopID}, p.windowParams)
	if err != nil {
		return made, err
	}
	about, err := x.alertsAbout(ctx, []string{s.StopID}, calls)
	if err != nil {
		return made, err
	}
	made.StopID = x.stopID(s)
	made.ArrivalsAndDepartures, err = x.arrivals(ctx, calls, about)
	if err != nil {
		return made, err
	}
	made.SituationIDs, made.NearbyStopIDs = about.ofStop(s), []string{}
	for _, near := range x.near(s) {
		made.NearbyStopIDs = append(made.NearbyStopIDs, x.stopID(near))
	}
	return made, nil
}

func (x *answer) callsAt(ctx context.Context, stops []string, p windowParams) ([]board.Departure, bool, error) {
	from := x.live.Now.Add(-time.Duration(p.MinutesBefore) * time.Minute)
	until := x.live.Now.Add(time.Duration(p.MinutesAfter) * time.Minute)
	return x.live.Around(ctx, stops, from, until, maxArrivals, func(*board.Departure) bool { return true })
}

// near returns the stops near a stop, the nearest first.
func (x *answer) near(s *edition.Stop) (all []*edition.Stop) {
	own, _ := x.Rank(s.StopID)
	lat, lon := x.LatLon(own)
	if math.IsNaN(lat) {
		return nil
	}
	away := map[*edition.Stop]float64{}
	x.StopsIn(edition.Area{Near: &edition.Near{Lat: lat, Lon: lon, Radius: nearbyMetres}},
		func(rank int, metres float64) bool {
			if other := &x.Stops[rank]; rank != own && other.IsPublic() {
				all, away[other] = append(all, other), metres
			}
			return true
		})
	slices.SortFunc(all, func(a, b *edition.Stop) int {
		return cmp.Or(cmp.Compare(away[a], away[b]), cmp.Compare(x.rank(a), x.rank(b)))
	})
	return all[:min(len(all), maxNearbyStop)]
}

// arrivals converts calls. It omits calls whose stop or route is not in the feed, because apps
// reject answers with ids that they cannot resolve.
func (x *answer) arrivals(
	ctx context.Context, calls []board.Departure, about *alerts,
) ([]ArrivalAndDeparture, error) {
	progress, err := ride.Follow(ctx, x.Edition, x.live.Feeds[0].VehicleOf, x.live.Now, calls)
	if err != nil {
		return nil, err
	}
	all := make([]ArrivalAndDeparture, 0, len(calls))
	for i := range calls {
		if a, ok := x.arrival(&calls[i], progress[i], about); ok {
			all = append(all, a)
		}
	}
	return all, nil
}

func (x *answer) arrival(d *board.Departure, p *ride.Progress, about *alerts) (a ArrivalAndDeparture, ok bool) {
	stop, route := x.Stop(d.StopID), x.Route(d.RouteID)
	if d.Trip != nil {
		route = d.Trip.Route
	}
	if stop == nil || route == nil {
		return a, false
	}
	x.texts.Translate(d)
	names, day := x.names(route), x.serviceDay(d)
	a = ArrivalAndDeparture{ArrivalEnabled: d.Call() > 0, DepartureEnabled: !d.IsLastStop, RouteID: x.routeID(route),
		RouteShortName: wire.Text(names.RouteShortName), RouteLongName: wire.Text(names.RouteLongName),
		Frequency: frequency(d.Window, day), Predicted: d.IsPredicted(), ServiceDate: day.Start * 1000,
		StopID: x.stopID(stop), StopSequence: d.Call(), TotalStopsInTrip: d.Call() + 1,
		TripHeadsign: wire.Text(d.Headsign), SituationIDs: about.ofCall(d, true), VehicleID: x.vehicleID(d, p),
		ScheduledArrivalTime: d.PredictedArrivalEpoch * 1000, ScheduledDepartureTime: d.PredictedDepartureEpoch * 1000,
		NumberOfStopsAway: d.Call()}
	a.Status = callStatus(d, a.Predicted)
	if a.Predicted {
		a.PredictedArrivalTime, a.PredictedDepartureTime = a.ScheduledArrivalTime, a.ScheduledDepartureTime
		a.LastUpdateTime = x.updatedAt(d) * 1000
	}
	if d.ScheduledArrivalEpoch != nil {
		a.ScheduledArrivalTime = *d.ScheduledArrivalEpoch * 1000
		a.ScheduledDepartureTime = *d.ScheduledDepartureEpoch * 1000
	}
	if d.Trip == nil {
		a.TripID = x.addedTripID(d, route)
		return a, true
	}
	a.TripID, a.TotalStopsInTrip = x.tripID(d.Trip), len(d.Run.StopID)
	if d.TripID != d.Trip.TripID { // a duplicate that only the realtime feed has
		a.TripID = x.addedTripID(d, route)
	}
	_, a.BlockTripSequence = ride.BlockOn(x.Edition, d.Trip, day.Number)
	a.ArrivalEnabled, a.DepartureEnabled = enabled(d.Run, d.Call())
	if d.PickupType != nil && !d.IsLastStop { // an update may change it
		a.DepartureEnabled = *d.PickupType != notAllowed
	}
	if p == nil {
		return a, true
	}
	a.NumberOfStopsAway, a.DistanceFromStop = max(0, d.Call()-p.Next), decimetres(p.Calls[d.Call()]-p.Along)
	if p.Vehicle != nil {
		a.OccupancyStatus = wire.Text(p.Vehicle.OccupancyStatus)
		a.LastUpdateTime = max(a.LastUpdateTime, p.Vehicle.Timestamp*1000)
	}
	if p.Running || d.ScheduleRelationship == board.Canceled { // apps read there that a trip is cancelled
		a.TripStatus = x.status(d, p, day, about.ofCall(d, false))
	}
	return a, true
}

func arrivalForStop(ctx context.Context, x *answer, p arrivalParams) (made ArrivalAndDeparture, err error) {
	s, err := x.findStop(p.ID)
	if err != nil {
		return made, err
	}
	at := x.live.Now
	if p.ServiceDate != nil {
		at = time.UnixMilli(*p.ServiceDate)
	}
	from, until := at.Add(-24*time.Hour), at.Add(48*time.Hour)
	if p.ServiceDate != nil {
		from, until = at, at.Add(time.Duration(max(24*3600, x.DayLength()))*time.Second)
	}
	calls, _, err := x.live.Around(ctx, []string{s.StopID}, from, until, maxArrivals, func(d *board.Departure) bool {
		return x.namesTrip(p.TripID, d) && (p.StopSequence == nil || int64(d.Call()) == *p.StopSequence) &&
			(p.ServiceDate == nil || x.serviceDay(d) == x.dayAt(*p.ServiceDate))
	})
	if err != nil {
		return made, err
	}
	if len(calls) == 0 {
		return made, errNotFound
	}
	now := x.live.Now.Unix()
	away := func(d board.Departure) int64 {
		return max(d.PredictedDepartureEpoch-now, now-d.PredictedDepartureEpoch)
	}
	best := slices.MinFunc(calls, func(a, b board.Departure) int { return cmp.Compare(away(a), away(b)) })
	about, err := x.alertsAbout(ctx, []string{s.StopID}, calls)
	if err != nil {
		return made, err
	}
	all, err := x.arrivals(ctx, []board.Departure{best}, about)
	if err == nil && len(all) == 0 {
		err = errNotFound
	}
	if err != nil {
		return made, err
	}
	return all[0], nil
}

func (x *answer) namesTrip(id string, d *board.Departure) bool {
	agency := x.main
	if r := x.Route(d.RouteID); r != nil {
		agency = r.AgencyID
	}
	return id == combine(agency, d.TripID)
}

// dayAt returns the service day for a time in milliseconds. Clients send either the start of the
// service day or midnight.
func (x *answer) dayAt(serviceDate int64) edition.Day {
	return edition.DayOf(edition.DayNumber(time.UnixMilli(serviceDate).Add(6*time.Hour), x.Zone), x.Zone)
}

// LocationArrivals has the arrivals and departures at a place.
type LocationArrivals struct {
	ArrivalsAndDepartures []ArrivalAndDeparture `json:"arrivalsAndDepartures"`
	LimitExceeded         bool                  `json:"limitExceeded"`
	NearbyStopIDs         []NearbyStop          `json:"nearbyStopIds"`
	SituationIDs          []string              `json:"situationIds"`
	StopIDs               []string              `json:"stopIds"`
}

// A NearbyStop is a stop with its distance in metres.
type NearbyStop struct {
	DistanceFromQuery float64 `json:"distanceFromQuery"`
	StopID            string  `json:"stopId"`
}

func arrivalsForLocation(ctx context.Context, x *answer, p arrivalsAtParams) (made LocationArrivals, err error) {
	made = LocationArrivals{ArrivalsAndDepartures: []ArrivalAndDeparture{}, NearbyStopIDs: []NearbyStop{},
		SituationIDs: []string{}, StopIDs: []string{}}
	most := int(p.MaxCount)
	area, _ := p.area()
	found, err := x.stopsIn(ctx, area)
	if err != nil {
		return made, err
	}
	made.LimitExceeded = len(found) > most
	found = found[:min(len(found), most)]
	var stops []string
	for _, f := range found {
		id := x.stopID(f.stop)
		stops, made.StopIDs = append(stops, f.stop.StopID), append(made.StopIDs, id)
		made.NearbyStopIDs = append(made.NearbyStopIDs, NearbyStop{f.metres, id})
	}
	if len(stops) == 0 {
		return made, nil
	}
	calls, whole, err := x.callsAt(ctx, stops, p.windowParams)
	if err != nil {
		return made, err
	}
	if len(calls) > most {
		calls, whole = calls[:most], false
	}
	made.LimitExceeded = made.LimitExceeded || !whole
	about, err := x.alertsAbout(ctx, stops, calls)
	if err != nil {
		return made, err
	}
	made.ArrivalsAndDepartures, err = x.arrivals(ctx, calls, about)
	for i := range made.ArrivalsAndDepartures {
		for _, id := range made.ArrivalsAndDepartures[i].SituationIDs {
			if !slices.Contains(made.SituationIDs, id) {
				made.SituationIDs = append(made.SituationIDs, id)
			}
		}
	}
	return made, err
}

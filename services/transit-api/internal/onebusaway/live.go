package onebusaway

import (
	"context"
	"math"
	"strconv"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/realtimeapi"
	"github.com/townline/townline/services/transit-api/internal/static"
)

// Permissions of answers with live data. Without the first, they are those of the timetable.
const (
	departuresNeeded = "realtime.departures"
	vehiclesNeeded   = "realtime.map"
)

// timeParams have the moment of an answer.
type timeParams struct {
	feedParams
	Time *string `query:"time" pattern:"^([0-9]{1,14}|[0-9]{4}-[0-9]{2}-[0-9]{2}_[0-9]{2}-[0-9]{2}-[0-9]{2})$"`
}

// at returns the moment in a time zone, zero for now.
func (p timeParams) at(zone *time.Location) time.Time {
	if p.Time == nil {
		return time.Time{}
	}
	if n, err := strconv.ParseInt(*p.Time, 10, 64); err == nil {
		return time.UnixMilli(n)
	}
	local, _ := time.ParseInLocation("2006-01-02_15-04-05", *p.Time, zone) // what is no time is now
	return local
}

type timed interface {
	edition.OfFeed
	at(zone *time.Location) time.Time
}

// A moment is what an answer with live data is made from.
type moment struct {
	feed *edition.Feed
	live *realtimeapi.DeparturesView
}

// current is the source of answers with live data. A stale source is polled.
func current[P timed](a *API) rest.Source[P, moment] {
	of := edition.OneFeed[P](a.Static.Feeds)
	return rest.Source[P, moment]{Now: func(ctx context.Context, c *rest.Call,
		p P) (m moment, gen rest.Generation, err error) {
		m.feed, gen, err = of.Now(ctx, c, p)
		if err != nil {
			return m, gen, err
		}
		if err := m.feed.BoardsUnavailable(); err != nil {
			return m, gen, err
		}
		languages := gen.Languages
		m.live, gen, err = a.Current.Moment(ctx, m.feed, p.at(m.feed.Zone), c.May(departuresNeeded))
		gen.Languages = languages
		return m, gen, err
	}}
}

// liveEntry makes an endpoint about one thing with live data.
func liveEntry[P timed, E any](a *API, s rest.Spec,
	find func(context.Context, *answer, P) (E, error)) rest.Endpoint {
	s.Kind, s.Translated = rest.Realtime, true
	return rest.FuncFrom(s, current[P](a), func(ctx context.Context, c *rest.Call, p P,
		m moment) (made envelope[entryData[E]], err error) {
		x, err := a.newLive(ctx, c, m)
		if err != nil {
			return made, err
		}
		return entryAnswer(ctx, x, func() (E, error) { return find(ctx, x, p) })
	})
}

// liveList makes an endpoint with a list of things with live data.
func liveList[P timed, E any](a *API, s rest.Spec,
	find func(context.Context, *answer, P) (list[E], error)) rest.Endpoint {
	s.Kind, s.Translated = rest.Realtime, true
	return rest.FuncFrom(s, current[P](a), func(ctx context.Context, c *rest.Call, p P,
		m moment) (made envelope[listData[E]], err error) {
		x, err := a.newLive(ctx, c, m)
		if err != nil {
			return made, err
		}
		return listAnswer(ctx, x, func() (list[E], error) { return find(ctx, x, p) })
	})
}

func (a *API) newLive(ctx context.Context, c *rest.Call, m moment) (*answer, error) {
	x, err := a.newAnswer(ctx, c, m.feed)
	if err == nil {
		x.live = m.live
	}
	return x, err
}

// A TripStatus is where the vehicle of a trip is.
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
	Orientation                float64    `json:"orientation"` // counter-clockwise from east
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
	statusDefault   = "default" // by live data
	statusScheduled = "SCHEDULED"
	statusCanceled  = "CANCELED" // also a call that is skipped
	inProgress      = "in_progress"
	notInProgress   = "scheduled"
)

const unknownCount = -1

// status returns the status of a call's trip; nil if its stops are unknown.
func (x *answer) status(d *board.Departure, p *board.Progress, situations []string) *TripStatus {
	closest := x.stopOf(d.Run, p.Closest)
	if closest == nil {
		return nil
	}
	day := x.serviceDay(d)
	_, sequence := x.BlockOn(d.Trip, day.Number)
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
		s.LastUpdateTime = x.live.Feeds[0].UpdatedAt() * 1000
	}
	if v := p.Vehicle; v != nil {
		s.LastKnownLocation, s.LastLocationUpdateTime = &Location{v.Lat, v.Lon}, v.Timestamp*1000
		s.LastUpdateTime = max(s.LastUpdateTime, s.LastLocationUpdateTime)
		s.LastKnownDistanceAlongTrip, s.OccupancyStatus = int64(p.Along), static.Text(v.OccupancyStatus)
		if v.Bearing != nil {
			s.LastKnownOrientation = orientation(*v.Bearing)
		}
	}
	return s
}

// stopOf returns the stop of a call; nil if it has none, or if there is no such call.
func (x *answer) stopOf(r *edition.Run, call int) *edition.Stop {
	if call >= len(r.StopID) || r.StopID[call] == nil {
		return nil
	}
	return x.Stop(*r.StopID[call])
}

// serviceDay returns the service day of a call; of one without a date, that of its time.
func (x *answer) serviceDay(d *board.Departure) edition.Day {
	n, ok := edition.ParseDay(d.StartDate)
	if !ok {
		n = edition.DayNumber(time.Unix(d.PredictedDepartureEpoch, 0), x.Zone)
	}
	return edition.DayOf(n, x.Zone)
}

func decimetres(metres float64) float64 { return math.Round(metres*10) / 10 }

// orientation converts degrees clockwise from north to counter-clockwise from east.
func orientation(bearing float64) float64 {
	o := 90 - math.Round(bearing)
	if o < 0 {
		o += 360
	}
	return o
}

func callStatus(d *board.Departure, predicted bool) string {
	switch {
	case !d.Runs():
		return statusCanceled
	case predicted:
		return statusDefault
	}
	return statusScheduled
}

// vehicleID returns "" if the vehicle is unknown.
func (x *answer) vehicleID(d *board.Departure, p *board.Progress) string {
	id := d.VehicleID
	if id == "" && p != nil && p.Vehicle != nil {
		id = p.Vehicle.ID
	}
	if id == "" {
		return ""
	}
	return combine(x.agencyOf(d), id)
}

// agencyOf returns the agency of a call's route, else the feed's first.
func (x *answer) agencyOf(d *board.Departure) string {
	if r := x.Route(d.RouteID); r != nil {
		return x.agencyID(r.AgencyID)
	}
	return x.agencyID(mainAgency(x.Feed).ID)
}

package onebusaway

import (
	"cmp"
	"context"
	"slices"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/static"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

type scheduleParams struct {
	idParams
	Date *rest.Date `query:"date"`
}

// day returns the requested service day; today is the default.
func (x *answer) day(date *rest.Date) edition.Day {
	n := edition.DayNumber(x.now, x.Zone)
	if date != nil {
		n = dayNumber(date)
	}
	return edition.DayOf(n, x.Zone)
}

func dayNumber(date *rest.Date) int { return int(date.Unix() / 86400) }

// A StopSchedule is the timetable of a stop on a service day.
type StopSchedule struct {
	Date   int64          `json:"date"` // start of the service day in milliseconds
	StopID string         `json:"stopId"`
	Routes []RouteAtAStop `json:"stopRouteSchedules"`
}

// RouteAtAStop has the calls of a route at a stop.
type RouteAtAStop struct {
	RouteID    string              `json:"routeId"`
	Directions []DirectionSchedule `json:"stopRouteDirectionSchedules"`
}

// A DirectionSchedule has the calls with one headsign.
type DirectionSchedule struct {
	Frequencies []ScheduleFrequency `json:"scheduleFrequencies"`
	StopTimes   []ScheduleStopTime  `json:"scheduleStopTimes"`
	Headsign    string              `json:"tripHeadsign"`
}

// A ScheduleFrequency is a period in which a trip runs at a headway.
type ScheduleFrequency struct {
	ServiceDate int64  `json:"serviceDate"`
	StartTime   int64  `json:"startTime"`
	EndTime     int64  `json:"endTime"`
	Headway     int64  `json:"headway"` // seconds
	ServiceID   string `json:"serviceId"`
	TripID      string `json:"tripId"`
}

// A ScheduleStopTime is a call. In the timetable of a stop, its times are Unix milliseconds; in the
// timetable of a route, they are seconds of the service day.
type ScheduleStopTime struct {
	ArrivalEnabled   bool   `json:"arrivalEnabled"`
	ArrivalTime      int64  `json:"arrivalTime"`
	DepartureEnabled bool   `json:"departureEnabled"`
	DepartureTime    int64  `json:"departureTime"`
	ServiceID        string `json:"serviceId"`
	StopHeadsign     string `json:"stopHeadsign,omitempty"`
	StopID           string `json:"stopId,omitempty"`
	TripID           string `json:"tripId"`
}

// stopTime returns a call of a trip. start is the start of the trip in seconds of the service day.
func (x *answer) stopTime(t *edition.Trip, run *edition.Run, call int, start int64) ScheduleStopTime {
	at := ScheduleStopTime{ArrivalTime: start + int64(run.Expected[call]), DepartureTime: start + run.Leaves(call),
		ServiceID: combine(t.Route.AgencyID, t.Service.ServiceID), TripID: x.tripID(t)}
	at.ArrivalEnabled, at.DepartureEnabled = enabled(run, call)
	return at
}

// notAllowed is the pickup_type or drop_off_type of a call where riders cannot get on or off.
const notAllowed = "1"

// enabled reports whether riders may get off and on at a call.
func enabled(run *edition.Run, call int) (arrival, departure bool) {
	return call > 0 && wire.Text(run.DropOffType.At(call)) != notAllowed,
		call < len(run.StopID)-1 && wire.Text(run.PickupType.At(call)) != notAllowed
}

const (
	maxCalls   = 2_000_000 // bounds the calls of a timetable's runs; no real timetable comes near it
	stopBytes  = 200       // memory per call in an answer
	millis     = 1000
	secondsDay = 86400
)

func scheduleForStop(ctx context.Context, x *answer, p scheduleParams) (made StopSchedule, err error) {
	s, err := x.findStop(p.ID)
	if err != nil {
		return made, err
	}
	if err := x.BoardsUnavailable(); err != nil {
		return made, err
	}
	day := x.day(p.Date)
	made = StopSchedule{Date: day.Start * millis, StopID: x.stopID(s), Routes: []RouteAtAStop{}}
	visits, err := x.visitsOn(ctx, x.StopIDs(s.StopID), day)
	if err != nil {
		return made, err
	}
	byRoute := map[*edition.Route][]stopCall{}
	for _, v := range visits {
		byRoute[v.Route] = append(byRoute[v.Route], v)
	}
	for _, r := range sorted(byRoute, func(a, b *edition.Route) int { return cmp.Compare(a.Rank, b.Rank) }) {
		of := RouteAtAStop{RouteID: x.routeID(r)}
		at := map[string]int{}
		for _, v := range byRoute[r] {
			headsign := wire.Text(x.SignAt(v.Trip, v.run, v.call).In(x.texts))
			n, seen := at[headsign]
			if !seen {
				n = len(of.Directions)
				at[headsign] = n
				of.Directions = append(of.Directions,
					DirectionSchedule{[]ScheduleFrequency{}, []ScheduleStopTime{}, headsign})
			}
			x.addCall(&of.Directions[n], v)
		}
		made.Routes = append(made.Routes, of)
	}
	return made, nil
}

type stopCall struct {
	edition.Visit
	run   *edition.Run
	call  int
	start int64 // start of the trip in seconds of the service day
}

// visitsOn returns the calls at stops on a service day, sorted by time. For a trip in
// frequencies.txt, it returns one call per departure if exact_times is 1, otherwise one call per
// window.
func (x *answer) visitsOn(ctx context.Context, stops []string, day edition.Day) (all []stopCall, err error) {
	from, to := day.At(-secondsDay), day.At(x.DayLength())
	visits, _, err := x.Visits(ctx, stops, from, to, x.Zone)
	if err != nil {
		return nil, err
	}
	visits = slices.DeleteFunc(visits, func(v edition.Visit) bool { return v.Day != day })
	keys := make([]edition.RunKey, len(visits))
	for i, v := range visits {
		keys[i] = v.RunKey()
	}
	runs, err := x.Runs(ctx, keys, maxCalls)
	if err != nil {
		return nil, err
	}
	add := func(c stopCall) error {
		if err := x.call.Reserve(ctx, stopBytes); err != nil {
			return err
		}
		all = append(all, c)
		return nil
	}
	for _, v := range visits {
		run := runs[v.RunKey()]
		for i, id := range run.StopID {
			if id == nil || !slices.Contains(stops, *id) {
				continue
			}
			if v.Window == nil || !v.Window.Exact {
				start := v.Start
				if v.Window != nil {
					start = v.Window.Start
				}
				if err := add(stopCall{v, run, i, int64(start)}); err != nil {
					return nil, err
				}
				continue
			}
			for at := range v.Window.Starts(0, int64(v.Window.End)) {
				if err := add(stopCall{v, run, i, int64(at)}); err != nil {
					return nil, err
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b stopCall) int {
		return cmp.Or(cmp.Compare(a.start+a.run.Leaves(a.call), b.start+b.run.Leaves(b.call)),
			cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.call, b.call))
	})
	return all, nil
}

func (x *answer) addCall(to *DirectionSchedule, v stopCall) {
	if w := v.Window; w != nil && !w.Exact {
		begins := v.Day.Start * millis
		to.Frequencies = append(to.Frequencies, ScheduleFrequency{ServiceDate: begins,
			StartTime: begins + int64(w.Start)*millis, EndTime: begins + int64(w.End)*millis, Headway: w.Every(),
			ServiceID: combine(v.Route.AgencyID, v.Service.ServiceID), TripID: x.tripID(v.Trip)})
		return
	}
	at := x.stopTime(v.Trip, v.run, v.call, v.Day.Start+v.start)
	at.ArrivalTime *= millis
	at.DepartureTime *= millis
	to.StopTimes = append(to.StopTimes, at)
}

// A RouteSchedule is the timetable of a route on a service day.
type RouteSchedule struct {
	RouteID    string         `json:"routeId"`
	Date       int64          `json:"scheduleDate"` // start of the service day in milliseconds
	ServiceIDs []string       `json:"serviceIds"`
	Groups     []TripGrouping `json:"stopTripGroupings"`
	Stops      []Stop         `json:"stops"` // at which the trips call
	Trips      []Trip         `json:"trips"`
}

// A TripGrouping has the trips of a direction.
type TripGrouping struct {
	DirectionID string          `json:"directionId"`
	StopIDs     []string        `json:"stopIds"`
	Headsigns   []string        `json:"tripHeadsigns"`
	TripIDs     []string        `json:"tripIds"`
	Trips       []TripStopTimes `json:"tripsWithStopTimes"`
}

// TripStopTimes has the calls of a trip.
type TripStopTimes struct {
	TripID    string             `json:"tripId"`
	StopTimes []ScheduleStopTime `json:"stopTimes"`
}

func scheduleForRoute(ctx context.Context, x *answer, p scheduleParams) (made RouteSchedule, err error) {
	r, err := x.findRoute(p.ID)
	if err != nil {
		return made, err
	}
	if err := x.BoardsUnavailable(); err != nil {
		return made, err
	}
	directions, err := static.Directions(ctx, x.Feed, r)
	if err != nil {
		return made, err
	}
	day := x.day(p.Date)
	made = RouteSchedule{RouteID: x.routeID(r), Date: day.Start * millis, ServiceIDs: []string{}, Groups: []TripGrouping{},
		Trips: []Trip{}}
	for _, d := range directions {
		g, err := x.groupTrips(ctx, r, d, day)
		if err != nil {
			return made, err
		}
		if len(g.TripIDs) == 0 {
			continue
		}
		made.Groups = append(made.Groups, g)
		for _, t := range g.Trips {
			made.ServiceIDs = append(made.ServiceIDs, t.StopTimes[0].ServiceID)
		}
	}
	slices.Sort(made.ServiceIDs)
	made.ServiceIDs = slices.Compact(made.ServiceIDs)
	for _, t := range x.usedTrips() {
		made.Trips = append(made.Trips, x.trip(t))
	}
	made.Stops, err = x.stops(ctx, x.usedStops())
	return made, err
}

func (x *answer) groupTrips(
	ctx context.Context, r *edition.Route, d static.OrderedDirection, day edition.Day,
) (g TripGrouping, err error) {
	g = TripGrouping{DirectionID: d.DirectionID, StopIDs: []string{}, Headsigns: []string{}, TripIDs: []string{}}
	trips := static.TripsIn(x.Feed, r, d.DirectionID, func(s *edition.Service) bool { return s.Runs(day.Number) })
	slices.SortStableFunc(trips, func(a, b *edition.Trip) int { return cmp.Compare(a.Start, b.Start) })
	keys := make([]edition.RunKey, len(trips))
	for i, t := range trips {
		keys[i] = t.RunKey()
	}
	runs, err := x.Runs(ctx, keys, maxCalls)
	if err != nil {
		return g, err
	}
	called := map[string]bool{}
	for _, t := range trips {
		run := runs[t.RunKey()]
		of := TripStopTimes{TripID: x.tripID(t)}
		if err := x.call.Reserve(ctx, stopBytes*len(run.StopID)); err != nil {
			return g, err
		}
		for i := range run.StopID {
			stop := x.stopOf(run, i)
			if stop == nil {
				continue
			}
			called[stop.StopID] = true
			at := x.stopTime(t, run, i, int64(t.Start))
			at.StopID = x.stopID(stop)
			if run.StopHeadsign.At(i) != nil {
				at.StopHeadsign = wire.Text(x.SignAt(t, run, i).In(x.texts))
			}
			of.StopTimes = append(of.StopTimes, at)
		}
		if of.StopTimes == nil {
			continue
		}
		g.TripIDs, g.Trips = append(g.TripIDs, of.TripID), append(g.Trips, of)
		if to := wire.Text(x.Sign(t).In(x.texts)); !slices.Contains(g.Headsigns, to) {
			g.Headsigns = append(g.Headsigns, to)
		}
	}
	for _, id := range d.StopIDs { // in service order, each stop once
		if called[id] {
			called[id] = false
			g.StopIDs = append(g.StopIDs, x.stopID(x.Stop(id)))
		}
	}
	return g, nil
}

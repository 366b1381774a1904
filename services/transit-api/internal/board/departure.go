package board

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/realtime"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// Values of [Departure.ScheduleRelationship].
const (
	Scheduled = "SCHEDULED"
	Added     = "ADDED"    // only the realtime feed has the trip
	NewTrip   = "NEW"      // as ADDED, by the newer name that also has planned times
	Canceled  = "CANCELED" // the whole trip is cancelled
	Skipped   = "SKIPPED"  // only this call is skipped
)

// Call returns the index of the call in the run or, without a run, in the update.
func (d *Departure) Call() int { return d.sequence }

func (d *Departure) leaves() int64 { return max(d.PredictedArrivalEpoch, d.PredictedDepartureEpoch) }

func compareByCall(x, y *Departure) int {
	return cmp.Or(cmp.Compare(x.Feed, y.Feed), cmp.Compare(x.TripID, y.TripID), cmp.Compare(x.StartDate, y.StartDate),
		cmp.Compare(x.sequence, y.sequence),
		cmp.Compare(x.StopID, y.StopID))
}

// Departures returns the soonest departures. whole is set if none were dropped. A call that several
// places added is listed once.
func (b *Board) Departures() (rows []Departure, whole bool) {
	all := slices.CompactFunc(b.rows.sorted(), func(x, y *Departure) bool {
		return x.leaves() == y.leaves() && compareByCall(x, y) == 0
	})
	return values(all), !b.rows.truncated
}

// A Departure is a call on a departure board. [Departure.Describe] adds names for riders.
type Departure struct {
	Prediction
	ScheduleRelationship    string  `json:"schedule_relationship" enum:"SCHEDULED,ADDED,NEW,CANCELED,SKIPPED" doc:"ADDED and NEW, as the feed calls it: the timetable has no such trip; CANCELED: the whole trip does not run; SKIPPED: it does not call here. The times of these two are those at which it would have."`
	ScheduledDepartureEpoch *int64  `json:"scheduled_departure_epoch,omitempty" doc:"Unix time by the timetable; of an extra trip, as the realtime feed plans it; else absent."`
	StopName                *string `json:"stop_name,omitempty" translate:"stops.stop_name,StopID" doc:"Of the stop or platform where it departs."`
	ParentStation           *string `json:"parent_station,omitempty"`
	PlatformCode            *string `json:"platform_code,omitempty" translate:"stops.platform_code,StopID"`
	TimeZone                string  `json:"time_zone,omitempty" doc:"Time zone of the stop (stop_timezone); absent if it is the feed's."`
	WheelchairBoarding      *string `json:"wheelchair_boarding,omitempty" doc:"Of the stop, else of its station: 1 some vehicles can be boarded, 2 none."`
	PickupType              *string `json:"pickup_type,omitempty" doc:"2: phone the agency, 3: tell the driver."`
	DirectionID             string  `json:"direction_id,omitempty"`
	AgencyID                string  `json:"agency_id,omitempty"`
	RouteShortName          *string `json:"route_short_name,omitempty" translate:"routes.route_short_name,RouteID"`
	RouteLongName           *string `json:"route_long_name,omitempty" translate:"routes.route_long_name,RouteID"`
	RouteColor              *string `json:"route_color,omitempty" doc:"Six hexadecimal digits."`
	RouteTextColor          *string `json:"route_text_color,omitempty" doc:"Six hexadecimal digits."`
	RouteType               string  `json:"route_type,omitempty"`
	WheelchairAccessible    string  `json:"wheelchair_accessible,omitempty" doc:"Of the trip: 1 there is room for a wheelchair, 2 there is none."`
	NoService               bool    `json:"no_service,omitempty" doc:"An alert whose effect is NO_SERVICE holds at this time and names the stop, its station, the route or the trip; see alerts. The feed has not cancelled the trip."`
	realtime.Occupancy

	Trip        *edition.Trip   `json:"-"` // nil if only the realtime feed has the trip
	Run         *edition.Run    `json:"-"` // run of Trip
	Planned     []int           `json:"-"` // by call of Run: its index in the timetable's run, or -1; nil unless a detour changes the run
	Begins      int64           `json:"-"` // Unix time of the first departure of Run
	Start       realtime.Start  `json:"-"`
	Window      *edition.Window `json:"-"` // nil unless the trip runs by frequency
	Late        *int64          `json:"-"` // delay in seconds at the next call of the trip; nil without live data
	Approximate bool            `json:"-"` // the trip only keeps a headway from its first departure on
}

// A DepartureStop is a requested stop.
type DepartureStop struct {
	Feed               string         `json:"feed" doc:"Alias of the feed."`
	StopID             string         `json:"stop_id" doc:"As asked for; of the static feed where a stop_code was given that one stop has."`
	Label              string         `json:"label" doc:"stop_name, else stop_id."`
	Known              bool           `json:"known" doc:"False when the static feed has no such stop; a realtime feed may name one all the same."`
	StopCode           *string        `json:"stop_code,omitempty" translate:"stops.stop_code,StopID"`
	StopName           *string        `json:"stop_name,omitempty" translate:"stops.stop_name,StopID"`
	TTSStopName        *string        `json:"tts_stop_name,omitempty" translate:"stops.tts_stop_name,StopID" doc:"How to pronounce the name."`
	StopLat            string         `json:"stop_lat,omitempty"`
	StopLon            string         `json:"stop_lon,omitempty"`
	LocationType       *string        `json:"location_type,omitempty"`
	ParentStation      *string        `json:"parent_station,omitempty"`
	PlatformCode       *string        `json:"platform_code,omitempty" translate:"stops.platform_code,StopID"`
	TimeZone           string         `json:"time_zone,omitempty" doc:"Time zone of the stop (stop_timezone); absent if it is the feed's."`
	WheelchairBoarding *string        `json:"wheelchair_boarding,omitempty" doc:"Of the stop, else of its station."`
	ServiceToday       *bool          `json:"service_today,omitempty" doc:"Whether the timetable has any departure here on the local service day, be it over already. Absent when it is not known."`
	Next               *NextDeparture `json:"next_departure,omitempty" translate:"into" doc:"The first departure in the next two weeks, when nothing that runs departs in the time asked for: by the timetable or, of a trip with predictions, as predicted. Absent also when there is none."`
	Links              wire.Links     `json:"links" doc:"self."`
}

// A NextDeparture is the first departure after a time without service.
type NextDeparture struct {
	DepartureEpoch int64   `json:"departure_epoch" doc:"Unix time."`
	StartDate      string  `json:"start_date" doc:"Service day of the trip, YYYYMMDD."`
	StopID         string  `json:"stop_id"`
	TripID         string  `json:"trip_id"`
	RouteID        string  `json:"route_id"`
	RouteShortName *string `json:"route_short_name,omitempty" translate:"routes.route_short_name,RouteID"`
	RouteLongName  *string `json:"route_long_name,omitempty" translate:"routes.route_long_name,RouteID"`
	Headsign       *string `json:"headsign,omitempty"`

	Sign edition.Sign `json:"-" translate:"Headsign"`
}

// NewNextDeparture converts a scheduled call of a feed.
func NewNextDeparture(e *edition.Edition, c *edition.ScheduledCall) *NextDeparture {
	n := &NextDeparture{DepartureEpoch: c.Departure, StartDate: c.Day.Date(), TripID: c.TripID, RouteID: c.Route.RouteID,
		RouteShortName: c.Route.RouteShortName, RouteLongName: c.Route.RouteLongName}
	n.Sign = e.SignAt(c.Trip, c.Run, c.Call)
	n.Headsign = n.Sign.Text
	if stop := c.Run.StopID[c.Call]; stop != nil {
		n.StopID = *stop
	}
	return n
}

// NewNextUpdated converts a departure that has an update. route is nil if the feed does not have it.
func NewNextUpdated(d *Departure, route *edition.Route) *NextDeparture {
	n := &NextDeparture{DepartureEpoch: d.PredictedDepartureEpoch, StartDate: d.StartDate, StopID: d.StopID,
		TripID: d.TripID, RouteID: d.RouteID, Headsign: d.Headsign, Sign: d.Sign}
	if route != nil {
		n.RouteShortName, n.RouteLongName = route.RouteShortName, route.RouteLongName
	}
	return n
}

// Runs returns false for cancelled and skipped calls.
func (d *Departure) Runs() bool {
	return d.ScheduleRelationship == Scheduled || d.IsExtra()
}

// IsExtra reports whether only the realtime feed has the trip.
func (d *Departure) IsExtra() bool {
	return d.ScheduleRelationship == Added || d.ScheduleRelationship == NewTrip
}

// IsPredicted reports whether the times of the call come from live data.
func (d *Departure) IsPredicted() bool { return d.Origin != scheduled }

// Headway returns the seconds between two departures of a trip without exact times; 0 for other
// trips.
func (d *Departure) Headway() int64 {
	if d.Approximate {
		return d.Start.Every
	}
	return 0
}

// Describe adds the names of stop and route, and the occupancy of the vehicle.
func (d *Departure) Describe(f *edition.Feed, vehicles []*realtime.Snapshot) {
	if s := f.Stop(d.StopID); s != nil {
		d.StopName = &s.StopName
		d.ParentStation = s.ParentStation
		d.PlatformCode = s.PlatformCode
		d.WheelchairBoarding = f.WheelchairBoarding(s)
		d.TimeZone = f.OwnZone(s.StopID)
	}
	route := f.Route(d.RouteID)
	if d.Trip != nil {
		route = d.Trip.Route
		if access := d.Trip.WheelchairAccessible; access != 0 && access != '0' {
			d.WheelchairAccessible = string(access)
		}
	}
	if route != nil {
		d.AgencyID = route.AgencyID
		d.RouteShortName = route.RouteShortName
		d.RouteLongName = route.RouteLongName
		d.RouteColor = route.RouteColor
		d.RouteTextColor = route.RouteTextColor
		d.RouteType = route.RouteType
	}
	if !d.Runs() {
		return
	}
	for _, s := range vehicles {
		// A vehicle without a start date is on the run for which the feed has predictions.
		if o, ok := s.OccupancyOn(d.TripID, d.StartDate, d.VehicleID, d.Start, d.Origin != scheduled); ok {
			d.Occupancy = o
			return
		}
	}
}

// A Query selects departures.
type Query struct {
	Routes    map[string]map[string]bool // keyed by feed and route_id; nil means all
	Direction *string                    // nil means both
	Arrivals  bool                       // include calls without boarding
}

// Trip reports whether trips of a route in a direction are wanted. An unknown direction is always
// wanted.
func (q *Query) Trip(alias, route, direction string) bool {
	return (q.Routes == nil || q.Routes[alias][route]) && (q.Direction == nil || direction == "" ||
		direction == *q.Direction)
}

func (q *Query) Call(p *edition.Pattern, call int) bool {
	if q.Arrivals {
		return true
	}
	pickup := p.PickupType.At(call)
	return call < len(p.StopID)-1 && (pickup == nil || *pickup != "1")
}

func (q *Query) Departure(d *Departure) bool {
	return q.Trip(d.Feed, d.RouteID, d.DirectionID) &&
		(q.Arrivals || !d.IsLastStop && (d.PickupType == nil || *d.PickupType != "1"))
}

// Scheduled returns the query as a filter for the timetable of a feed. The filter passes only trips
// that allows accepts.
func (q *Query) Scheduled(alias string, allows func(route, trip string) bool) edition.CallFilter {
	return edition.CallFilter{Call: q.Call, Trip: func(t *edition.Trip) bool {
		return q.Trip(alias, t.Route.RouteID, t.Direction()) && allows(t.Route.RouteID, t.TripID)
	}}
}

// AlertFilter selects the alerts of a feed for a board: about its stops, the routes that call
// there, and the trips of its departures.
func AlertFilter(
	ctx context.Context, f *edition.Feed, stops []string, departures []Departure, q *Query,
) (*realtime.AlertFilter, error) {
	of := &realtime.AlertFilter{}
	routes := map[string]bool{}
	for i := range departures {
		if d := &departures[i]; d.Feed == f.Alias {
			of.Trips = append(of.Trips, d.ridden())
			routes[d.RouteID] = true
		}
	}
	var ids []string
	for _, stop := range stops {
		of.Stops, ids = append(of.Stops, f.AlertNames(stop)...), append(ids, f.StopIDs(stop)...)
	}
	calling, err := f.RoutesAt(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, r := range calling {
		if q.Trip(f.Alias, r.RouteID, "") {
			routes[r.RouteID] = true
		}
	}
	for _, id := range slices.Sorted(maps.Keys(routes)) {
		if r := f.Route(id); r != nil {
			of.Routes = append(of.Routes, r)
		} else {
			of.Routes = append(of.Routes, &edition.Route{RouteID: id})
		}
	}
	return of, nil
}

// AlertFilterOf selects the alerts about one departure.
func AlertFilterOf(f *edition.Feed, d *Departure) *realtime.AlertFilter {
	of := &realtime.AlertFilter{Stops: f.NamesUpward(d.StopID), Trips: []realtime.RiddenTrip{d.ridden()}}
	if r := f.Route(d.RouteID); r != nil {
		of.Routes = []*edition.Route{r}
	}
	return of
}

func (d *Departure) ridden() realtime.RiddenTrip {
	return realtime.RiddenTrip{TripID: d.TripID, RouteID: d.RouteID, Direction: d.DirectionID, StartDate: d.StartDate,
		Start: d.Start}
}

// Relabel implements [edition.Relabeler]. If only the name has a translation, it drops the
// pronunciation.
func (s *DepartureStop) Relabel(before any) {
	old := before.(DepartureStop)
	if s.StopName == old.StopName {
		return
	}
	s.Label = *s.StopName
	if s.TTSStopName == old.TTSStopName {
		s.TTSStopName = nil
	}
}

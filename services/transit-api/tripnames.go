package transitapi

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// This file finds the trips that a realtime feed speaks of in the static feed: by their ids, or, where it gives none, by
// route, direction, start time and service day.

// A tripName is what a realtime feed calls a trip: its id, or a description that no id can be mistaken for; "" when it says
// neither.
type tripName string

func named(t gtfsrt.Trip) tripName {
	switch {
	case len(t.TripID) > 0:
		return tripName(t.TripID)
	case len(t.RouteID) > 0 && len(t.StartTime) > 0:
		return tripName(strings.Join([]string{"", string(t.RouteID), t.Direction, string(t.StartDate), string(t.StartTime)}, "\x00"))
	}
	return ""
}

// described is a decoded descriptor as a scan finds it.
func described(d *rt.TripDescriptor) gtfsrt.Trip {
	t := gtfsrt.Trip{TripID: []byte(d.GetTripId()), RouteID: []byte(d.GetRouteId()), StartTime: []byte(d.GetStartTime()), StartDate: []byte(d.GetStartDate())}
	if d != nil && d.DirectionId != nil {
		t.Direction = gtfsrt.Direction(uint64(*d.DirectionId))
	}
	return t
}

// tripNames are the trips that a message speaks of, as far as a source of the kind carries them.
func tripNames(m *gtfsrt.Message, kind string) map[tripName]gtfsrt.Trip {
	names := map[tripName]gtfsrt.Trip{}
	add := func(t gtfsrt.Trip) {
		if name := named(t); name != "" {
			names[name] = t
		}
	}
	if carries(kind, conf.TripUpdates) {
		for _, u := range m.TripUpdates {
			add(u.Trip)
		}
	}
	if carries(kind, conf.VehiclePositions) {
		for _, v := range m.Vehicles {
			add(v.Trip)
		}
	}
	if carries(kind, conf.Alerts) {
		for _, a := range m.Alerts {
			for _, in := range a.Informed {
				add(in.Trip)
			}
		}
	}
	return names
}

// storable tells whether a text can be an id in the database, which takes neither NUL nor bytes that are not UTF-8. Whatever
// cannot is no id of the static feed, and must not spoil the query about the others.
func storable[T ~string | ~[]byte](text T) bool {
	return utf8.ValidString(string(text)) && bytes.IndexByte([]byte(text), 0) < 0
}

type tripList struct {
	VersionID replica.Version
	TripIDs   []string `arg:"trip_ids"`
}

var plannedTrips = rest.SQL[tripList, plannedTrip](`
	SELECT trip_id, route_id, trip_headsign, service_id, pattern, profile, start_time
	FROM transit.trip
	WHERE version_id = @version_id AND trip_id = ANY (@trip_ids::text[])`)

type startList struct {
	VersionID  replica.Version
	RouteIDs   []string `arg:"route_ids"` // in step with StartTimes
	StartTimes []int32
}

// A startingTrip is a trip found by its start.
type startingTrip struct {
	plannedTrip
	DirectionID string
}

var startingTrips = rest.SQL[startList, startingTrip](`
	SELECT t.trip_id, t.route_id, t.trip_headsign, t.service_id, t.pattern, t.profile, t.start_time, coalesce(t.direction_id, '0') AS direction_id
	FROM (SELECT DISTINCT u.route_id, u.start_time FROM unnest(@route_ids::text[], @start_times::integer[]) AS u (route_id, start_time)) AS s
	JOIN transit.route r ON r.version_id = @version_id AND r.route_id = s.route_id
	JOIN transit.trip t ON t.version_id = @version_id AND t.ord >= r.first_trip AND t.ord < r.first_trip + r.trip_count AND t.start_time = s.start_time`)

type plannedPatternList struct {
	VersionID replica.Version
	Patterns  []int32
}

var plannedPatterns = rest.SQL[plannedPatternList, plannedPattern](`
	SELECT pattern, stop_sequence, stop_id
	FROM transit.pattern
	WHERE version_id = @version_id AND pattern = ANY (@patterns::integer[])`)

// A lookup finds the trips of one message in one feed version.
type lookup struct {
	db      rest.DB
	version replica.Version
	today   int                       // local day of the message: whose trips it means where it gives no date
	before  map[tripName]*plannedTrip // what was found for the message before, of the same version: most trips are still the same
}

// trips finds the trips with the given names; those that the feed does not know are nil.
func (t *timetable) trips(ctx context.Context, look lookup, names map[tripName]gtfsrt.Trip) (map[tripName]*plannedTrip, error) {
	found := make(map[tripName]*plannedTrip, len(names))
	var ids []string
	starts, list := map[tripName]tripStart{}, startList{VersionID: look.version}
	for name, trip := range names {
		if old, known := look.before[name]; known && len(trip.TripID)+len(trip.StartDate) > 0 { // else it is another one every day
			found[name] = old
			continue
		}
		found[name] = nil
		if len(trip.TripID) > 0 {
			if storable(name) {
				ids = append(ids, string(name))
			}
			continue
		}
		if s, ok := startOf(trip, look.today); ok {
			starts[name] = s
			list.RouteIDs, list.StartTimes = append(list.RouteIDs, s.route, s.route), append(list.StartTimes, s.at, s.at+86400)
		}
	}
	if len(ids) > 0 {
		rows, err := plannedTrips.List(ctx, look.db, tripList{look.version, ids})
		if err != nil {
			return nil, fmt.Errorf("look up %d trips: %w", len(ids), err)
		}
		for i := range rows {
			found[tripName(rows[i].TripID)] = &rows[i]
		}
	}
	if len(starts) > 0 {
		rows, err := startingTrips.List(ctx, look.db, list)
		if err != nil {
			return nil, fmt.Errorf("look up %d trips by their start: %w", len(starts), err)
		}
		byStart := map[routeStart][]*startingTrip{}
		for i := range rows {
			at := routeStart{rows[i].RouteID, *rows[i].StartTime} // which the query compared
			byStart[at] = append(byStart[at], &rows[i])
		}
		for name, s := range starts {
			found[name] = t.starting(s, byStart)
		}
	}
	return found, t.readCalls(ctx, look, found)
}

// maxPlannedCalls is how many calls of the trips that realtime feeds speak of are kept for a feed: several times those of large ones.
const maxPlannedCalls = 1_000_000

type routeStart struct {
	route string
	at    int32 // seconds of the service day
}

// A tripStart is what a description says of a trip.
type tripStart struct {
	routeStart
	direction string // "": any
	day       int    // of service
}

// startOf reads a description; it is not ok when there is nothing to find by it.
func startOf(trip gtfsrt.Trip, today int) (tripStart, bool) {
	at, ok := clockSeconds(string(trip.StartTime))
	s := tripStart{routeStart{string(trip.RouteID), at}, trip.Direction, today}
	if date, err := time.Parse("20060102", string(trip.StartDate)); err == nil {
		s.day = int(date.Unix() / 86400)
	}
	return s, ok && storable(trip.RouteID)
}

// starting is the one trip that starts so; nil when there is none, or more than one, since any guess would be wrong for
// somebody. After midnight some feeds count from the day before and some from the new one.
func (t *timetable) starting(s tripStart, byStart map[routeStart][]*startingTrip) *plannedTrip {
	var only *plannedTrip
	for _, late := range []int{0, 1} {
		for _, trip := range byStart[routeStart{s.route, s.at + int32(late)*86400}] {
			if s.direction != "" && s.direction != trip.DirectionID || !t.services[trip.ServiceID].runs(s.day-late) {
				continue
			}
			if only != nil {
				return nil
			}
			only = &trip.plannedTrip
		}
		if only != nil {
			return only
		}
	}
	return nil
}

// readCalls gives the trips their calls, and reads those patterns that were not met before.
func (t *timetable) readCalls(ctx context.Context, look lookup, trips map[tripName]*plannedTrip) error {
	var ask []int32
	for _, trip := range trips {
		if trip != nil && trip.calls == nil && trip.Pattern != nil && t.patterns[*trip.Pattern] == nil {
			t.patterns[*trip.Pattern] = &plannedPattern{}
			ask = append(ask, *trip.Pattern)
		}
	}
	if len(ask) > 0 {
		err := plannedPatterns.Each(ctx, look.db, plannedPatternList{look.version, ask}, func(row plannedPattern) error {
			if t.calls += len(row.StopID); t.calls > maxPlannedCalls {
				return errTooLarge
			}
			*t.patterns[row.Pattern] = row
			return nil
		})
		if err != nil {
			for _, p := range ask {
				t.calls -= len(t.patterns[p].StopID)
				delete(t.patterns, p)
			}
			return fmt.Errorf("look up %d patterns: %w", len(ask), err)
		}
	}
	for _, trip := range trips {
		if trip != nil && trip.calls == nil && trip.Pattern != nil {
			trip.calls = t.patterns[*trip.Pattern]
		}
	}
	return nil
}

package transitapi

import (
	"context"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"

	"github.com/townline/townline/pkg/gtfsrt"
)

// lines collects the lines of a departure board for one place.
type lines struct {
	board *board
	place place
	stops map[string]bool     // every id that the place goes by
	here  map[*boardRun][]int // calls at the place

	// Room that one update after the other uses.
	calls   []gtfsrt.Call
	matched []*gtfsrt.Call
	expect  []stopping
}

// laid is a trip update that is being laid over the timetable.
type laid struct {
	boardUpdate
	says gtfsrt.Prediction
}

// Values of TripDescriptor.ScheduleRelationship. Two are younger than the bindings.
const (
	added       = int32(rt.TripDescriptor_ADDED)
	unscheduled = int32(rt.TripDescriptor_UNSCHEDULED)
	canceled    = int32(rt.TripDescriptor_CANCELED)
	replacement = int32(rt.TripDescriptor_REPLACEMENT)
	duplicated  = int32(rt.TripDescriptor_DUPLICATED)
	deleted     = 7
	newTrip     = 8
)

// update adds what a trip update says, and notes the journey that it is about in taken.
func (l *lines) update(of boardUpdate, table *boardTable, taken map[string]bool) {
	u := laid{of, of.Prediction(l.calls[:0])}
	l.calls = u.says.Calls
	planned := table.byID[u.tripID]
	repeated := table.repeated[u.tripID]
	var j *journey
	switch {
	case planned == nil || table.runs[planned.run()] == nil:
	case u.says.Relationship == added || u.says.Relationship == newTrip || u.says.Relationship == unscheduled && repeated == nil:
		// Whatever the timetable says of that id is not this.
	default:
		j = l.journey(u, planned, table.runs[planned.run()], repeated)
	}
	if j == nil || u.says.Relationship == replacement {
		if j != nil {
			taken[j.key()] = true // what the feed has takes the place of all that was planned
		}
		l.announce(u, planned)
		return
	}
	if u.says.Relationship == duplicated {
		if j = l.duplicate(u.says.Own, j); j == nil {
			return
		}
	} else if taken[j.key()] {
		return // told twice
	}
	taken[j.key()] = true
	if u.says.Relationship == canceled || u.says.Relationship == deleted {
		return
	}
	l.expect = j.predicted(u.says, l.matched, l.board.view.now.Unix(), l.board.known, l.expect[:0])
	for _, c := range l.expect {
		l.call(j, c, &u)
	}
}

// same tells whether an id of the realtime feed is a stop of the timetable, by its id or its code.
func (t *timetable) same(published []byte, static string) bool {
	if string(published) == static {
		return true
	}
	code := t.stops[static].StopCode
	return code != nil && *code == string(published)
}

// journey is the journey that an update is about, its calls matched; nil when it is one of a frequency and the update does not say which.
func (l *lines) journey(u laid, t *boardTrip, run *boardRun, repeated []window) *journey {
	j := &journey{trip: t, start: t.StartTime, run: run}
	if repeated != nil {
		start, ok := clockSeconds(string(u.StartTime))
		if !ok {
			return nil
		}
		j.start = nearest(start, repeated)
	}
	l.matched = j.match(u.says.Calls, l.board.known, l.matched)
	zone := l.board.feed.zone
	if date, err := time.Parse("20060102", string(u.StartDate)); err == nil {
		j.day = dayOf(int(date.Unix()/86400), zone)
		return j
	}
	// Without a date it is the day of service on which the update's first time is nearest to the timetable.
	best, first := int64(-1), firstTold(l.matched)
	today := dayNumber(l.board.view.now, zone)
	for day := today - l.board.known.longest/86400 - 1; day <= today+1; day++ {
		if !l.board.known.services[t.ServiceID].runs(day) {
			continue
		}
		try := *j
		try.day = dayOf(day, zone)
		off := try.distance(first, l.board.view.now.Unix())
		if best < 0 || off < best {
			best, j.day = off, try.day
		}
	}
	if best < 0 { // not a day on which it should run; the feed says that it does
		j.day = dayOf(today, zone)
	}
	return j
}

// A toldTime is a time that an update gives for a call; at is 0 when it gives none.
type toldTime struct {
	call    int
	at      int64
	arrival bool
}

// firstTold is the first time that an update gives for one of the journey's calls.
func firstTold(matched []*gtfsrt.Call) toldTime {
	for i, s := range matched {
		switch {
		case s == nil:
		case s.Arrival.Time != 0:
			return toldTime{i, s.Arrival.Time, true}
		case s.Departure.Time != 0:
			return toldTime{i, s.Departure.Time, false}
		}
	}
	return toldTime{}
}

// distance is how far a time that was told is from the timetable of the journey; without one, how far the journey is from now.
func (j *journey) distance(t toldTime, now int64) int64 {
	switch {
	case t.at != 0 && t.arrival:
		return abs(t.at - j.arrival(t.call))
	case t.at != 0:
		return abs(t.at - j.departure(t.call))
	}
	begin, end := j.departure(0), j.arrival(len(j.run.arrivals)-1)
	return max(0, begin-now, now-end)
}

func abs(n int64) int64 { return max(n, -n) }

// duplicate is a journey again, at another time, as an update says.
func (l *lines) duplicate(own gtfsrt.Trip, j *journey) *journey {
	trip := *j.trip
	again := *j
	again.trip = &trip
	if len(own.TripID) > 0 {
		trip.TripID = string(own.TripID)
	}
	if date, err := time.Parse("20060102", string(own.StartDate)); err == nil {
		again.day = dayOf(int(date.Unix()/86400), l.board.feed.zone)
	}
	if start, ok := clockSeconds(string(own.StartTime)); ok {
		again.start = start
	}
	if again.key() == j.key() {
		return nil // says nothing of its own
	}
	return &again
}

// timetabled adds the journeys of a trip of which nothing else is known.
func (l *lines) timetabled(ctx context.Context, table *boardTable, t *boardTrip, taken map[string]bool) error {
	run := table.runs[t.run()]
	here := l.here[run]
	if len(here) == 0 {
		return nil
	}
	soonest := run.arrivals[here[0]]
	for _, i := range here {
		soonest = min(soonest, run.arrivals[i])
	}
	b, day, calls := l.board, table.days[t.Day], 0
	for start := range t.starts(day, b.view.now.Unix(), b.until.Unix(), run) {
		if day.start+int64(start)+int64(soonest) > b.rows.end {
			return nil // and so it is with all that start later
		}
		if calls += len(here); calls > callsBetweenLooks {
			if calls = 0; ctx.Err() != nil {
				return ctx.Err()
			}
		}
		j := &journey{t, day, start, run}
		if len(taken) > 0 && taken[j.key()] {
			continue
		}
		for _, i := range here {
			l.call(j, j.planned(i), nil)
		}
	}
	return nil
}

// callsBetweenLooks is how many calls are gone through between two looks at whether anybody still waits for the answer.
const callsBetweenLooks = 10_000

// call adds the line of one call, if it is wanted; u is the update that speaks of its trip.
func (l *lines) call(j *journey, c stopping, u *laid) {
	if !l.wants(c) {
		return
	}
	at := j.arrival(c.call)
	row := l.line(c, j.trip.TripID, j.trip.RouteID)
	row.ScheduledArrivalEpoch = &at
	row.StartDate = time.Unix(int64(j.day.day)*86400, 0).UTC().Format("20060102")
	row.IsLastStop = c.call == len(j.run.StopID)-1
	if row.Headsign = j.run.StopHeadsign.at(c.call); row.Headsign == nil {
		row.Headsign = j.trip.TripHeadsign
	}
	if u != nil {
		row.VehicleID = string(u.VehicleID)
		if c.origin != scheduled && row.VehicleID == "" {
			row.VehicleID = l.vehicle(row.TripID)
		}
	}
	l.board.rows.add(row)
}

// announce makes lines of a trip that only the feed knows.
func (l *lines) announce(u laid, planned *boardTrip) {
	if u.says.Relationship == canceled || u.says.Relationship == deleted {
		return
	}
	l.expect = announced(u.says.Calls, l.expect[:0])
	for _, c := range l.expect {
		if !l.wants(c) {
			continue
		}
		row := l.line(c, u.tripID, string(u.RouteID))
		row.StartDate = string(u.StartDate)
		row.IsLastStop = c.call == len(u.says.Calls)-1
		if row.VehicleID = string(u.VehicleID); row.VehicleID == "" {
			row.VehicleID = l.vehicle(row.TripID)
		}
		if planned != nil {
			row.Headsign = planned.TripHeadsign
			if row.RouteID == "" {
				row.RouteID = planned.RouteID
			}
		}
		l.board.rows.add(row)
	}
}

// wants tells whether a call is at the place and still to come, within the time asked for.
func (l *lines) wants(c stopping) bool {
	return l.stops[c.stop] && max(c.arrival, c.departure) >= l.board.view.now.Unix() &&
		c.arrival <= min(l.board.until.Unix(), l.board.rows.end)
}

func (l *lines) line(c stopping, trip, route string) Prediction {
	row := Prediction{TripID: trip, RouteID: route, StopID: c.stop, PredictedArrivalEpoch: c.arrival, PredictedDepartureEpoch: c.departure,
		Origin: c.origin, Feed: l.board.alias, sequence: c.call}
	if c.hasDelay {
		row.Delay = &c.delay
	}
	return row
}

// vehicle is the id of the vehicle on a trip, as the positions say.
func (l *lines) vehicle(trip string) string {
	if trip == "" {
		return ""
	}
	for _, s := range l.board.view.vehicles.indexed() {
		if s.Alias != l.board.alias {
			continue
		}
		for _, i := range s.vehiclesByTrip.get(trip) {
			if id := s.message.Vehicles[i].VehicleID; len(id) > 0 {
				return string(id)
			}
		}
	}
	return ""
}

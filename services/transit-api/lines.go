package transitapi

import (
	"context"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
)

// lines collects the lines of a departure board for one place.
type lines struct {
	board *board
	place place
	stops map[string]bool // every id that the place goes by
}

// laid is a trip update that is being laid over the timetable.
type laid struct {
	*rt.TripUpdate
	tripID       string
	relationship string
}

// update adds what a trip update says, and notes the journey that it is about in taken.
func (l *lines) update(of boardUpdate, table *boardTable, taken map[string]bool) error {
	u := laid{&rt.TripUpdate{}, of.tripID, ""}
	if err := decode(of.body, u.TripUpdate); err != nil {
		return err
	}
	inSeconds(u.TripUpdate)
	u.relationship = relationship(u.GetTrip())
	l.lay(u, table, taken)
	return nil
}

func (l *lines) lay(u laid, table *boardTable, taken map[string]bool) {
	planned := table.byID[u.tripID]
	repeated := table.repeated[u.tripID]
	var j *journey
	switch {
	case planned == nil || table.runs[planned.run()] == nil:
	case u.relationship == "ADDED" || u.relationship == "NEW" || u.relationship == "UNSCHEDULED" && repeated == nil:
		// Whatever the timetable says of that id is not this.
	default:
		j = l.journey(u, planned, table.runs[planned.run()], repeated)
	}
	if j == nil || u.relationship == "REPLACEMENT" {
		if j != nil {
			taken[j.key()] = true // what the feed has takes the place of all that was planned
		}
		l.announce(u, planned)
		return
	}
	if u.relationship == "DUPLICATED" {
		if j = l.duplicate(u.GetTripProperties(), j); j == nil {
			return
		}
	} else if taken[j.key()] {
		return // told twice
	}
	taken[j.key()] = true
	if u.relationship == "CANCELED" || u.relationship == "DELETED" {
		return
	}
	l.add(j, j.predicted(u.TripUpdate, l.board.view.now.Unix(), l.board.known), u.GetVehicle())
}

// same tells whether an id of the realtime feed is a stop of the timetable, by its id or its code.
func (t *timetable) same(published, static string) bool {
	if published == static {
		return true
	}
	code := t.stops[static].StopCode
	return code != nil && *code == published
}

// journey is the journey that an update is about; nil when it is one of a frequency and the update does not say which.
func (l *lines) journey(u laid, t *boardTrip, run *boardRun, repeated []window) *journey {
	trip := u.GetTrip()
	j := &journey{trip: t, start: t.StartTime, run: run}
	if repeated != nil {
		start, ok := clockSeconds(trip.GetStartTime())
		if !ok {
			return nil
		}
		j.start = nearest(start, repeated)
	}
	zone := l.board.feed.zone
	if date, err := time.Parse("20060102", trip.GetStartDate()); err == nil {
		j.day = dayOf(int(date.Unix()/86400), zone)
		return j
	}
	// Without a date it is the day of service on which the update's first time is nearest to the timetable.
	best, first := int64(-1), j.first(u.TripUpdate, l.board.known)
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

// first is the first time that an update tells of the journey's calls.
func (j *journey) first(u *rt.TripUpdate, stops *timetable) toldTime {
	for i, s := range j.match(u.GetStopTimeUpdate(), stops) {
		switch {
		case s.GetArrival().GetTime() != 0:
			return toldTime{i, s.GetArrival().GetTime(), true}
		case s.GetDeparture().GetTime() != 0:
			return toldTime{i, s.GetDeparture().GetTime(), false}
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
func (l *lines) duplicate(p *rt.TripUpdate_TripProperties, j *journey) *journey {
	trip := *j.trip
	again := *j
	again.trip = &trip
	if p.GetTripId() != "" {
		trip.TripID = p.GetTripId()
	}
	if date, err := time.Parse("20060102", p.GetStartDate()); err == nil {
		again.day = dayOf(int(date.Unix()/86400), l.board.feed.zone)
	}
	if start, ok := clockSeconds(p.GetStartTime()); ok {
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
	if run == nil || len(run.here) == 0 {
		return nil
	}
	soonest := run.arrivals[run.here[0]]
	for _, i := range run.here {
		soonest = min(soonest, run.arrivals[i])
	}
	b, day, calls := l.board, table.days[t.Day], 0
	for start := range t.starts(day, b.view.now.Unix(), b.until.Unix(), run) {
		if day.start+int64(start)+int64(soonest) > b.rows.end {
			return nil // and so it is with all that start later
		}
		if calls += len(run.here); calls > callsBetweenLooks {
			if calls = 0; ctx.Err() != nil {
				return ctx.Err()
			}
		}
		j := &journey{t, day, start, run}
		if len(taken) > 0 && taken[j.key()] {
			continue
		}
		for _, i := range run.here {
			l.call(j, j.planned(i), nil)
		}
	}
	return nil
}

// callsBetweenLooks is how many calls are gone through between two looks at whether anybody still waits for the answer.
const callsBetweenLooks = 10_000

// add makes lines of the calls of a journey at the place.
func (l *lines) add(j *journey, calls []stopping, vehicle *rt.VehicleDescriptor) {
	for _, c := range calls {
		l.call(j, c, vehicle)
	}
}

// call adds the line of one call, if it is wanted.
func (l *lines) call(j *journey, c stopping, vehicle *rt.VehicleDescriptor) {
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
	if c.origin != scheduled || vehicle != nil {
		row.VehicleID = l.vehicle(vehicle, j.trip.TripID)
	}
	l.board.rows.add(row)
}

// announce makes lines of a trip that only the feed knows.
func (l *lines) announce(u laid, planned *boardTrip) {
	if u.relationship == "CANCELED" || u.relationship == "DELETED" {
		return
	}
	for _, c := range announced(u.TripUpdate) {
		if !l.wants(c) {
			continue
		}
		row := l.line(c, u.tripID, u.GetTrip().GetRouteId())
		row.StartDate = u.GetTrip().GetStartDate()
		row.IsLastStop = c.call == len(u.GetStopTimeUpdate())-1
		row.VehicleID = l.vehicle(u.Vehicle, row.TripID)
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
	return Prediction{TripID: trip, RouteID: route, StopID: c.stop, PredictedArrivalEpoch: c.arrival, PredictedDepartureEpoch: c.departure,
		Delay: c.delay, Origin: c.origin, Feed: l.board.alias, sequence: c.call}
}

// vehicle is the id of the vehicle on a trip: as the update says, else as the positions say.
func (l *lines) vehicle(v *rt.VehicleDescriptor, trip string) string {
	if v.GetId() != "" || trip == "" {
		return v.GetId()
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

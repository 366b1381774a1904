package board

import (
	"context"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"

	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/realtime"
)

type merger struct {
	*Board
	*Place
	stops   map[string]bool
	updated map[string]bool // keys of journeys that have an update
	// unchecked counts calls since the last check that the client still waits.
	unchecked int

	// These buffers are reused for each update.
	calls    []gtfsrt.Call
	matched  []*gtfsrt.Call
	expected []expectedCall
}

// Add adds the calls at a place: calls of the updates, and scheduled calls of all other journeys.
func (b *Board) Add(ctx context.Context, p *Place) error {
	m := &merger{Board: b, Place: p, stops: map[string]bool{}, updated: map[string]bool{}}
	for _, id := range p.Names {
		m.stops[id] = true
	}
	for _, u := range p.Updates {
		if err := ctx.Err(); err != nil {
			return err
		}
		m.addUpdate(u)
	}
	here := make(map[*edition.Run][]int, len(p.Runs))
	for _, r := range p.Runs {
		for i, stop := range r.StopID {
			if stop != nil && m.stops[*stop] {
				here[r] = append(here[r], i)
			}
		}
	}
	for i := range p.Visits {
		v := &p.Visits[i]
		if run := p.Runs[v.RunKey()]; run != nil {
			if err := m.addVisit(ctx, v, run, here[run]); err != nil {
				return err
			}
		}
	}
	return nil
}

// Values of TripDescriptor.ScheduleRelationship. REPLACEMENT is deprecated but still sent; the
// bindings lack DELETED and NEW.
const (
	added       = int32(rt.TripDescriptor_ADDED)
	unscheduled = int32(rt.TripDescriptor_UNSCHEDULED)
	canceled    = int32(rt.TripDescriptor_CANCELED)
	replacement = 5
	duplicated  = int32(rt.TripDescriptor_DUPLICATED)
	deleted     = 7
	newTrip     = 8
)

type mergedUpdate struct {
	Update
	prediction gtfsrt.Prediction
	late       *int64 // current delay in seconds; nil if unknown
}

// addUpdate adds the calls of a trip update, and marks its journey as updated.
func (m *merger) addUpdate(of Update) {
	u := mergedUpdate{Update: of, prediction: of.Prediction(m.calls[:0])}
	m.calls = u.prediction.Calls
	relationship := u.prediction.Relationship
	planned := m.Edition.Trip(u.TripID)
	var run *edition.Run
	if planned != nil && planned.HasTimes() {
		run = m.Runs[planned.RunKey()]
	}
	repeated := m.Windows[u.TripID]
	var j *journey
	switch {
	case run == nil:
		planned = nil
	case relationship == added || relationship == newTrip || relationship == unscheduled && repeated == nil:
		// The timetable's trip with this trip_id is a different trip.
	default:
		j = m.journey(u, planned, run, repeated)
	}
	if j == nil || relationship == replacement {
		if j != nil {
			m.updated[j.key()] = true // the calls of the update replace all planned calls
		}
		m.addUnscheduled(u, planned)
		return
	}
	if relationship == duplicated {
		j = m.duplicate(u.prediction.Own, u.Trip, j)
		if j == nil {
			return
		}
	} else if m.updated[j.key()] {
		return // it repeats another update
	}
	m.updated[j.key()] = true
	switch relationship {
	case deleted:
		return
	case canceled:
		for i := range j.run.StopID {
			m.addCall(j, j.scheduled(i), &u)
		}
		return
	}
	m.expected = j.expectedCalls(u.prediction, m.matched, m.now, m.Edition, m.expected[:0])
	u.late = j.lateness(m.expected, m.clock)
	for _, c := range m.expected {
		m.addCall(j, c, &u)
	}
}

// journey returns the journey of an update and matches its calls. It returns nil if the trip runs
// by frequency and the update has no start_time.
func (m *merger) journey(u mergedUpdate, t *edition.Trip, run *edition.Run, repeated []edition.Window) *journey {
	j := &journey{trip: t, id: t.ID, start: t.Start, run: run}
	if repeated != nil {
		start, ok := realtime.ClockSeconds(string(u.StartTime))
		if !ok {
			return nil
		}
		j.start, j.window = nearest(start, repeated)
	}
	m.matched = j.match(u.prediction.Calls, m.Edition, m.matched)
	if day, ok := edition.ParseDay(string(u.StartDate)); ok {
		j.day = edition.DayOf(day, m.Zone)
		return j
	}
	// Without a date, choose the service day on which the trip is nearest to the update's first
	// time.
	best, first := int64(-1), firstPublishedTime(m.matched)
	today := edition.DayNumber(time.Unix(m.now, 0), m.Zone)
	for day := today - m.Edition.DayLength()/86400 - 1; day <= today+1; day++ {
		if !t.Service.Runs(day) {
			continue
		}
		try := *j
		try.day = edition.DayOf(day, m.Zone)
		off := try.distance(first, m.now)
		if best < 0 || off < best {
			best, j.day = off, try.day
		}
	}
	if best < 0 { // the trip has no service on these days, but the feed reports it
		j.day = edition.DayOf(today, m.Zone)
	}
	return j
}

// duplicate returns the copy of a journey that a DUPLICATED update adds; nil if it equals the
// original. own are the properties of the copy, of is the update's trip.
func (m *merger) duplicate(own, of gtfsrt.Trip, j *journey) *journey {
	again := *j
	if len(own.TripID) > 0 {
		again.id = string(own.TripID)
	}
	if day, ok := edition.ParseDay(string(own.StartDate)); ok {
		again.day = edition.DayOf(day, m.Zone)
	}
	for _, published := range [][]byte{own.StartTime, of.StartTime} { // some feeds send no properties
		if start, ok := realtime.ClockSeconds(string(published)); ok {
			again.start = start
			break
		}
	}
	if again.key() == j.key() {
		return nil
	}
	return &again
}

const callsBetweenChecks = 10_000

// addVisit adds the journeys of a visit without an update. here lists the run's calls at the place.
// It loops by call and then by departure, because a trip by frequency may have many departures
// between two calls.
func (m *merger) addVisit(ctx context.Context, v *edition.Visit, run *edition.Run, here []int) error {
	for _, call := range here {
		if v.Window != nil && v.Only == nil && !m.isVisitWanted(v, run, call) {
			continue
		}
		if err := m.addVisitAt(ctx, v, run, call); err != nil {
			return err
		}
	}
	return nil
}

func (m *merger) addVisitAt(ctx context.Context, v *edition.Visit, run *edition.Run, call int) error {
	earliest := int64(run.Expected[call])
	for start := range starts(v, m.now, m.until, max(earliest, int64(run.Departures[call].Int32))) {
		if v.Day.Start+int64(start)+earliest > min(m.until, m.rows.end) {
			return nil
		}
		if m.unchecked++; m.unchecked > callsBetweenChecks {
			m.unchecked = 0
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
		j := journeyOf(v, start, run)
		if len(m.updated) == 0 || !m.updated[j.key()] {
			m.addCall(j, j.scheduled(call), nil)
		}
	}
	return nil
}

// isVisitWanted reports whether the call of a trip by frequency is wanted. One check is valid for
// all its departures, of which there may be one per second.
func (m *merger) isVisitWanted(v *edition.Visit, run *edition.Run, call int) bool {
	j := journeyOf(v, v.Window.Start, run)
	return m.wanted(m.scheduledRow(j, j.scheduled(call)))
}

// addCall adds a call if it is wanted. u is the update of its trip; it may be nil.
func (m *merger) addCall(j *journey, c expectedCall, u *mergedUpdate) {
	if !m.isListed(c) {
		return
	}
	row := m.scheduledRow(j, c)
	if u != nil {
		row.VehicleID, row.Late = string(u.VehicleID), u.late
		if c.origin != scheduled && row.VehicleID == "" {
			row.VehicleID = m.VehicleOn(row.TripID, row.Start)
		}
		switch {
		case u.prediction.Relationship == canceled:
			row.ScheduleRelationship = Canceled
		case c.skipped:
			row.ScheduleRelationship = Skipped
		case u.prediction.Relationship == duplicated:
			row.ScheduleRelationship = Added
		}
		if own := string(u.prediction.Headsign); own != "" && !row.sign.IsOfCall() {
			row.sign = edition.Sign{Text: &own}
			row.Headsign = row.sign.Text
		}
	}
	m.add(row)
}

func (m *merger) scheduledRow(j *journey, c expectedCall) *Departure {
	at, leaves := j.arrival(c.call), j.departure(c.call)
	row := m.newRow(c, j.id, j.trip.Route.ID)
	row.ScheduledDepartureEpoch, row.Trip, row.Run = &leaves, j.trip, j.run
	row.Start, row.Window = realtime.Start{Seconds: j.start}, j.window
	if j.window != nil {
		row.Start.Every = j.window.Every()
	}
	row.Approximate = j.approximate && c.origin == scheduled
	if d := j.trip.Direction; d != 0 {
		row.DirectionID = string(d)
	}
	row.ScheduledArrivalEpoch = &at
	row.StartDate = j.day.Date()
	row.IsLastStop = c.call == len(j.run.StopID)-1
	row.sign = m.Edition.SignAt(j.trip, j.run, c.call)
	row.Headsign = row.sign.Text
	return row
}

func (m *merger) add(row *Departure) {
	if m.wanted(row) {
		m.rows.add(row)
	}
}

// addUnscheduled adds the calls of a trip that only its update lists.
func (m *merger) addUnscheduled(u mergedUpdate, planned *edition.Trip) {
	if u.prediction.Relationship == canceled || u.prediction.Relationship == deleted {
		return
	}
	m.expected = unscheduledCalls(u.prediction.Calls, m.expected[:0])
	sign := m.unscheduledSign(u, planned)
	for _, c := range m.expected {
		if !m.isListed(c) {
			continue
		}
		row := m.newRow(c, u.TripID, string(u.RouteID))
		row.StartDate = string(u.StartDate)
		row.IsLastStop = c.call == len(u.prediction.Calls)-1
		row.VehicleID = string(u.VehicleID)
		if row.VehicleID == "" {
			row.VehicleID = m.VehicleOn(row.TripID, realtime.Start{})
		}
		row.sign, row.Headsign = sign, sign.Text
		if planned != nil && row.RouteID == "" {
			row.RouteID = planned.Route.ID
		}
		row.DirectionID = u.Direction
		if c.planned != nil {
			row.ScheduledArrivalEpoch, row.ScheduledDepartureEpoch = &c.planned.arrival, &c.planned.departure
		}
		switch u.prediction.Relationship {
		case int32(rt.TripDescriptor_SCHEDULED), replacement:
		case newTrip:
			row.ScheduleRelationship = NewTrip
		default:
			row.ScheduleRelationship = Added
		}
		m.add(row)
	}
}

// unscheduledSign returns the sign of a trip that only its update lists: the update's headsign, else
// that of the timetable's trip with this id, else the last stop of the update.
func (m *merger) unscheduledSign(u mergedUpdate, planned *edition.Trip) edition.Sign {
	own := string(u.prediction.Headsign)
	switch {
	case own != "":
		return edition.Sign{Text: &own}
	case planned != nil && planned.Headsign != nil:
		return m.Edition.Sign(planned)
	case len(m.expected) == 0:
		return edition.Sign{}
	}
	return m.Edition.SignTo(m.expected[len(m.expected)-1].stop)
}

// isListed reports whether a call is at the place and within the board's time.
func (m *merger) isListed(c expectedCall) bool {
	return m.stops[c.stop] && max(c.arrival, c.departure) >= m.now && c.arrival <= min(m.until, m.rows.end)
}

func (m *merger) newRow(c expectedCall, trip, route string) *Departure {
	row := &Departure{ScheduleRelationship: Scheduled, Prediction: Prediction{TripID: trip, RouteID: route, StopID: c.stop,
		PredictedArrivalEpoch: c.arrival, PredictedDepartureEpoch: c.departure,
		Origin: c.origin, Feed: m.Alias, sequence: c.call}}
	if c.hasDelay {
		row.Delay = &c.delay
	}
	return row
}

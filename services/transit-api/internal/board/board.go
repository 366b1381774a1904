// Package board computes departure boards: what departs when, from a timetable, realtime messages
// and a clock.
//
// It is pure: packages edition and live load the data, this package combines it. A [Board] collects
// the departures of places. [Columns] and [NewSheet] lay out the timetable of a route.
package board

import (
	"cmp"
	"context"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"

	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/realtime"
)

// A Prediction is one line of a departure board.
type Prediction struct {
	TripID                  string  `json:"trip_id"`
	RouteID                 string  `json:"route_id"`
	StopID                  string  `json:"stop_id" doc:"The stop; at a station, the platform."`
	PredictedArrivalEpoch   int64   `json:"predicted_arrival_epoch" doc:"Unix time; at the first stop of a trip, the time of departure."`
	Delay                   *int64  `json:"delay,omitempty" doc:"Seconds behind schedule, negative is early; absent for a trip without a schedule."`
	VehicleID               string  `json:"vehicle_id,omitempty" doc:"Absent when it is not known."`
	Headsign                *string `json:"headsign,omitempty" doc:"Absent when it is not known."`
	IsLastStop              bool    `json:"is_last_stop"`
	Origin                  string  `json:"origin" enum:"asserted,propagated,scheduled" doc:"Where the times come from. asserted: the realtime feed gives them. propagated: the delay of an earlier call is applied. scheduled: the timetable alone."`
	PredictedDepartureEpoch int64   `json:"predicted_departure_epoch" doc:"Unix time."`
	ScheduledArrivalEpoch   *int64  `json:"scheduled_arrival_epoch,omitempty" doc:"Unix time by the timetable; absent for a trip that is not in the timetable."`
	StartDate               string  `json:"start_date,omitempty" doc:"Service day of the trip, YYYYMMDD."`
	Feed                    string  `json:"feed" doc:"Alias of the feed."`

	sequence int
	headed   string // stop_sequence, where the headsign is the call's own
}

// MaxLines is the largest number of lines of a board.
const MaxLines = 5_000

// A Board collects lines, soonest first.
type Board struct {
	now, until int64 // Unix seconds
	rows       *soonest[Departure]
	wanted     func(*Departure) bool
}

// New makes an empty board for the calls between two instants. Cancelled trips and skipped calls
// have the times at which they would have been. Of the wanted departures it keeps the soonest, at
// most most.
func New(now, until time.Time, most int, wanted func(*Departure) bool) *Board {
	return &Board{now.Unix(), until.Unix(), newSoonest(most, (*Departure).leaves, func(x, y *Departure) int {
		return cmp.Or(cmp.Compare(x.leaves(), y.leaves()), compareCalls(x, y))
	}), wanted}
}

// NewPredictions makes an empty board of the predictions between two instants, without cancelled
// trips and skipped calls. It keeps those with the soonest arrivals.
func NewPredictions(now, until time.Time) *Board {
	arrival := func(d *Departure) int64 { return d.PredictedArrivalEpoch }
	return &Board{now.Unix(), until.Unix(), newSoonest(MaxLines, arrival, func(x, y *Departure) int {
		return cmp.Or(cmp.Compare(arrival(x), arrival(y)), cmp.Compare(x.TripID, y.TripID),
			cmp.Compare(x.sequence, y.sequence))
	}), (*Departure).Runs}
}

// Predictions returns the predictions, and whether they are all.
func (b *Board) Predictions() (rows []Prediction, whole bool) {
	all := b.rows.sorted()
	rows = make([]Prediction, len(all))
	for i, d := range all {
		rows[i] = d.Prediction
	}
	return rows, !b.rows.fell
}

// An Update is a trip update that may concern a place. Its predictions are decoded one update at a
// time: all of them at once can take many times the size of the message.
type Update struct {
	*gtfsrt.TripUpdate
	TripID string // as published, else the static feed's
}

// A Place holds what may call at one place, from one feed.
type Place struct {
	Alias   string
	Edition *edition.Edition // nil if no timetable was ever imported
	Zone    *time.Location
	Names   []string // every id of the place
	Updates []Update
	Visits  []edition.Visit
	Runs    map[edition.Way]*edition.Run // for visits and for the trips of updates
	// Windows are the frequencies of the trips that updates concern.
	Windows map[string][]edition.Window
	// VehicleOn returns the id of the vehicle on a trip, "" if unknown.
	VehicleOn func(trip string, start realtime.Start) string
}

// lines is the state of one Add.
type lines struct {
	*Board
	*Place
	stops map[string]bool
	taken map[string]bool // journeys that have an update
	// unchecked are the calls since the client was seen to wait.
	unchecked int

	// Buffers that each update reuses.
	calls   []gtfsrt.Call
	matched []*gtfsrt.Call
	expect  []stopping
}

// Add adds the calls at a place: those of the updates, and the timetable of the other journeys.
func (b *Board) Add(ctx context.Context, p *Place) error {
	l := &lines{Board: b, Place: p, stops: map[string]bool{}, taken: map[string]bool{}}
	for _, id := range p.Names {
		l.stops[id] = true
	}
	for _, u := range p.Updates {
		if err := ctx.Err(); err != nil {
			return err
		}
		l.update(u)
	}
	here := make(map[*edition.Run][]int, len(p.Runs))
	for _, r := range p.Runs {
		for i, stop := range r.StopID {
			if stop != nil && l.stops[*stop] {
				here[r] = append(here[r], i)
			}
		}
	}
	for i := range p.Visits {
		v := &p.Visits[i]
		if run := p.Runs[v.Way()]; run != nil {
			if err := l.timetabled(ctx, v, run, here[run]); err != nil {
				return err
			}
		}
	}
	return nil
}

// Values of TripDescriptor.ScheduleRelationship. REPLACEMENT is deprecated and still sent; two are
// younger than the bindings.
const (
	added       = int32(rt.TripDescriptor_ADDED)
	unscheduled = int32(rt.TripDescriptor_UNSCHEDULED)
	canceled    = int32(rt.TripDescriptor_CANCELED)
	replacement = 5
	duplicated  = int32(rt.TripDescriptor_DUPLICATED)
	deleted     = 7
	newTrip     = 8
)

// An applied is an update that is being merged with the timetable.
type applied struct {
	Update
	says gtfsrt.Prediction
}

// update adds the calls of a trip update, and notes its journey.
func (l *lines) update(of Update) {
	u := applied{of, of.Prediction(l.calls[:0])}
	l.calls = u.says.Calls
	planned := l.Edition.Trip(u.TripID)
	var run *edition.Run
	if planned != nil && planned.Timed() {
		run = l.Runs[planned.Way()]
	}
	repeated := l.Windows[u.TripID]
	var j *journey
	switch {
	case run == nil:
		planned = nil
	case u.says.Relationship == added || u.says.Relationship == newTrip || u.says.Relationship == unscheduled &&
		repeated == nil:
		// The timetable with this trip_id belongs to another trip.
	default:
		j = l.journey(u, planned, run, repeated)
	}
	if j == nil || u.says.Relationship == replacement {
		if j != nil {
			l.taken[j.key()] = true // the feed's calls replace all planned ones
		}
		l.announce(u, planned)
		return
	}
	if u.says.Relationship == duplicated {
		j = l.duplicate(u.says.Own, j)
		if j == nil {
			return
		}
	} else if l.taken[j.key()] {
		return // repeats another update
	}
	l.taken[j.key()] = true
	switch {
	case u.says.Relationship == deleted:
		return
	case u.says.Relationship == canceled:
		for i := range j.run.StopID {
			l.call(j, j.planned(i), &u)
		}
		return
	}
	l.expect = j.predicted(u.says, l.matched, l.now, l.Edition, l.expect[:0])
	for _, c := range l.expect {
		l.call(j, c, &u)
	}
}

// journey returns the journey of an update, with its calls matched; nil if the trip runs by
// frequency and the update does not say which departure it means.
func (l *lines) journey(u applied, t *edition.Trip, run *edition.Run, repeated []edition.Window) *journey {
	j := &journey{trip: t, id: t.ID, start: t.Start, run: run}
	if repeated != nil {
		start, ok := realtime.ClockSeconds(string(u.StartTime))
		if !ok {
			return nil
		}
		j.start, j.every = nearest(start, repeated)
	}
	l.matched = j.match(u.says.Calls, l.Edition, l.matched)
	if day, ok := edition.ParseDay(string(u.StartDate)); ok {
		j.day = edition.DayOf(day, l.Zone)
		return j
	}
	// Without a date, take the service day on which the update's first time is nearest to the
	// timetable.
	best, first := int64(-1), firstGiven(l.matched)
	today := edition.DayNumber(time.Unix(l.now, 0), l.Zone)
	for day := today - l.Edition.DayLength()/86400 - 1; day <= today+1; day++ {
		if !t.Service.Runs(day) {
			continue
		}
		try := *j
		try.day = edition.DayOf(day, l.Zone)
		off := try.distance(first, l.now)
		if best < 0 || off < best {
			best, j.day = off, try.day
		}
	}
	if best < 0 { // the trip should not run on this day; the feed reports that it does
		j.day = edition.DayOf(today, l.Zone)
	}
	return j
}

// duplicate returns a copy of a journey at another time, as an update reports it.
func (l *lines) duplicate(own gtfsrt.Trip, j *journey) *journey {
	again := *j
	if len(own.TripID) > 0 {
		again.id = string(own.TripID)
	}
	if day, ok := edition.ParseDay(string(own.StartDate)); ok {
		again.day = edition.DayOf(day, l.Zone)
	}
	if start, ok := realtime.ClockSeconds(string(own.StartTime)); ok {
		again.start = start
	}
	if again.key() == j.key() {
		return nil // says nothing of its own
	}
	return &again
}

// After this many calls Add checks whether the client still waits for the answer.
const callsBetweenChecks = 10_000

// timetabled adds the journeys of a visit that have no update. here are the calls of its run at the
// place: each by itself, because between two calls of a trip by frequency many departures may lie
// that are at neither.
func (l *lines) timetabled(ctx context.Context, v *edition.Visit, run *edition.Run, here []int) error {
	for _, call := range here {
		if v.Window != nil && !l.wantedOf(v, run, call) {
			continue
		}
		if err := l.departures(ctx, v, run, call); err != nil {
			return err
		}
	}
	return nil
}

// departures adds the journeys of a visit at one call.
func (l *lines) departures(ctx context.Context, v *edition.Visit, run *edition.Run, call int) error {
	earliest := int64(run.Expected[call])
	for start := range starts(v, l.now, l.until, max(earliest, int64(run.Departures[call].Int32))) {
		if v.Day.Start+int64(start)+earliest > min(l.until, l.rows.end) {
			return nil // later starts are too late as well
		}
		if l.unchecked++; l.unchecked > callsBetweenChecks {
			l.unchecked = 0
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
		j := visited(v, start, run)
		if len(l.taken) == 0 || !l.taken[j.key()] {
			l.call(j, j.planned(call), nil)
		}
	}
	return nil
}

// wantedOf reports whether a call of a trip by frequency is wanted: all its departures are alike in
// that, and they can be as many as a day has seconds.
func (l *lines) wantedOf(v *edition.Visit, run *edition.Run, call int) bool {
	j := visited(v, v.Window.Start, run)
	return l.wanted(l.planned(j, j.planned(call)))
}

// call adds the line of one call, if it is wanted. u is the update of its trip.
func (l *lines) call(j *journey, c stopping, u *applied) {
	if !l.wants(c) {
		return
	}
	row := l.planned(j, c)
	if u != nil {
		row.VehicleID = string(u.VehicleID)
		if c.origin != scheduled && row.VehicleID == "" {
			row.VehicleID = l.VehicleOn(row.TripID, row.Start)
		}
		switch {
		case u.says.Relationship == canceled:
			row.ScheduleRelationship = Canceled
		case c.skipped:
			row.ScheduleRelationship = Skipped
		case u.says.Relationship == duplicated:
			row.ScheduleRelationship = Added
		}
	}
	l.add(row)
}

// planned is the line of a call of a journey, as if no update spoke of it.
func (l *lines) planned(j *journey, c stopping) *Departure {
	at, leaves := j.arrival(c.call), j.departure(c.call)
	row := l.line(c, j.id, j.trip.Route.ID)
	row.ScheduledDepartureEpoch, row.Trip, row.Run = &leaves, j.trip, j.run
	row.Start, row.About = realtime.Start{Seconds: j.start, Every: j.every}, j.about && c.origin == scheduled
	if d := j.trip.Direction; d != 0 {
		row.DirectionID = string(d)
	}
	row.ScheduledArrivalEpoch = &at
	row.StartDate = j.day.Date()
	row.IsLastStop = c.call == len(j.run.StopID)-1
	row.Headsign, row.headed = headsignOf(j.trip, j.run, c.call)
	return row
}

// add adds a line, if it is wanted.
func (l *lines) add(row *Departure) {
	if l.wanted(row) {
		l.rows.add(row)
	}
}

// announce adds the lines of a trip that only the realtime feed has.
func (l *lines) announce(u applied, planned *edition.Trip) {
	if u.says.Relationship == canceled || u.says.Relationship == deleted {
		return
	}
	l.expect = announced(u.says.Calls, l.expect[:0])
	for _, c := range l.expect {
		if !l.wants(c) {
			continue
		}
		row := l.line(c, u.TripID, string(u.RouteID))
		row.StartDate = string(u.StartDate)
		row.IsLastStop = c.call == len(u.says.Calls)-1
		row.VehicleID = string(u.VehicleID)
		if row.VehicleID == "" {
			row.VehicleID = l.VehicleOn(row.TripID, realtime.Start{})
		}
		if planned != nil {
			row.Headsign = planned.Headsign
			if row.RouteID == "" {
				row.RouteID = planned.Route.ID
			}
		}
		row.DirectionID = u.Direction
		if u.says.Relationship != replacement && u.says.Relationship != 0 {
			row.ScheduleRelationship = Added
		}
		l.add(row)
	}
}

// wants reports whether a call is at the place and within the time of the board.
func (l *lines) wants(c stopping) bool {
	return l.stops[c.stop] && max(c.arrival, c.departure) >= l.now && c.arrival <= min(l.until, l.rows.end)
}

func (l *lines) line(c stopping, trip, route string) *Departure {
	row := &Departure{ScheduleRelationship: Scheduled, Prediction: Prediction{TripID: trip, RouteID: route, StopID: c.stop,
		PredictedArrivalEpoch: c.arrival, PredictedDepartureEpoch: c.departure,
		Origin: c.origin, Feed: l.Alias, sequence: c.call}}
	if c.hasDelay {
		row.Delay = &c.delay
	}
	return row
}

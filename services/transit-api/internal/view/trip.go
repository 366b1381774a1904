package view

import (
	"time"

	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/realtime"
)

// A Trip is a trip of one day: its calls by the timetable, and what is known of those to come.
type Trip struct {
	site.Head
	Speaker  Speaker
	Line     RouteLine
	Towards  string
	Now      time.Time
	Zone     *time.Location
	Day      int
	Repeated bool // by headway: its times are counted from its start
	Links    []Link
	Vehicle  *realtime.Located // nil where it is not known
	Calls    []TripCall
}

// A TripCall is a call of a trip.
type TripCall struct {
	Stop
	StopID string
	Clock  string           // by the timetable; "" where it gives none
	Live   *board.Departure // nil where the timetable is all that is known
	Gone   bool             // the vehicle has left
	Here   bool             // the vehicle is here, or this is its next stop
}

// Fill adds the calls of a run.
func (v *Trip) Fill(
	e *edition.Edition, t *edition.Trip, run *edition.Run, live []board.Departure, stop func(*edition.Stop) Stop,
) {
	midnight := edition.DayOf(v.Day, v.Zone).Start
	for i, id := range run.StopID {
		if id == nil {
			continue
		}
		c := TripCall{StopID: *id, Stop: Stop{Name: *id}}
		if s := e.Stop(*id); s != nil {
			c.Stop = stop(s)
		}
		planned := midnight + int64(t.Start) + int64(run.Expected[i])
		given := run.Departures[i].Valid
		switch {
		case v.Repeated:
			c.Clock = v.Speaker.Text("trip.after", run.Expected[i]/60)
		case given:
			c.Clock = v.Speaker.Clock(time.Unix(midnight+int64(t.Start)+int64(run.Departures[i].Int32), 0).In(v.Zone))
		}
		for k := range live {
			if d := &live[k]; d.StopID == *id && d.ScheduledArrivalEpoch != nil && *d.ScheduledArrivalEpoch == planned {
				c.Live = d
			}
		}
		c.Gone = !v.Repeated && planned < v.Now.Unix() && c.Live == nil
		v.Calls = append(v.Calls, c)
	}
	for i := range v.Calls {
		if c := &v.Calls[i]; v.Vehicle != nil && c.StopID == v.Vehicle.StopID && !c.Gone {
			c.Here = true
			break
		}
	}
}

// Shown is the day of the trip in words, "" for one by headway.
func (v *Trip) Shown() string {
	if v.Repeated {
		return ""
	}
	return v.Speaker.date(v.Day, edition.DayNumber(v.Now, v.Zone))
}

// Where is where the vehicle is, and how old that is, in words.
func (v *Trip) Where() string {
	if v.Vehicle == nil {
		return ""
	}
	age := v.Speaker.Text("map.js.age", v.Speaker.Age(v.Now.Unix()-v.Vehicle.Timestamp))
	return v.Speaker.Text("trip.where", where(v.Speaker, v.Vehicle), age)
}

// Expect is when a call is expected where that is not as planned, in words.
func (v *Trip) Expect(c TripCall) string {
	d := c.Live
	switch {
	case d == nil || d.ScheduleRelationship == board.Scheduled && d.Origin == "scheduled":
		return ""
	case d.ScheduleRelationship == board.Canceled:
		return v.Speaker.Text("board.cancelled")
	case d.ScheduleRelationship == board.Skipped:
		return v.Speaker.Text("board.skipped")
	}
	if clock := v.Speaker.Clock(time.Unix(d.PredictedDepartureEpoch, 0).In(v.Zone)); clock != c.Clock {
		return clock
	}
	return v.Speaker.Text("board.ontime")
}

// Late reports whether a call is cancelled, left out or late.
func (c TripCall) Late() bool {
	return c.Live != nil &&
		(c.Live.ScheduleRelationship != board.Scheduled || c.Live.Delay != nil && *c.Live.Delay >= lateFrom)
}

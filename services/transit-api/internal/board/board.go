// Package board computes departure boards from a timetable, realtime messages and a clock.
//
// It is pure: packages edition and live load the data. A [Board] collects the departures of places.
// [Columns] and [Split] arrange the trips of a timetable.
package board

import (
	"cmp"
	"context"
	"time"

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
	Headsign                *string `json:"headsign,omitempty" doc:"Of the call, else of the trip, else the name of its last stop; absent when none is known."`
	IsLastStop              bool    `json:"is_last_stop"`
	Origin                  string  `json:"origin" enum:"asserted,propagated,scheduled" doc:"Where the times come from. asserted: the realtime feed gives them. propagated: the delay of another call or of a detour is applied. scheduled: the timetable alone."`
	PredictedDepartureEpoch int64   `json:"predicted_departure_epoch" doc:"Unix time."`
	ScheduledArrivalEpoch   *int64  `json:"scheduled_arrival_epoch,omitempty" doc:"Unix time by the timetable; of an extra trip, as the realtime feed plans it; else absent."`
	StartDate               string  `json:"start_date,omitempty" doc:"Service day of the trip, YYYYMMDD."`
	Feed                    string  `json:"feed" doc:"Alias of the feed."`

	sequence int
	Sign     edition.Sign `json:"-" translate:"Headsign"`
}

// MaxLines is the maximum number of lines on a board.
const MaxLines = 5_000

// A Board collects the soonest lines.
type Board struct {
	from, until int64 // Unix seconds
	clock       int64 // current time in Unix seconds, which Since does not change
	rows        *soonest[Departure]
	wanted      func(*Departure) bool
	updated     map[Journey]bool      // journeys that have an update
	next        map[string]*Departure // by feed and stop: first updated departure that runs; nil unless wanted
	closed      func(*Departure) bool // of next
}

// New returns an empty board for the calls between two instants. It keeps the soonest limit calls
// for which wanted returns true. Cancelled trips and skipped calls are included, at their scheduled
// times.
func New(now, until time.Time, limit int, wanted func(*Departure) bool) *Board {
	rows := newSoonest(limit, (*Departure).leaves, func(x, y *Departure) int {
		return cmp.Or(cmp.Compare(x.leaves(), y.leaves()), compareByCall(x, y))
	})
	return &Board{from: now.Unix(), until: until.Unix(), clock: now.Unix(), rows: rows, wanted: wanted,
		updated: map[Journey]bool{}}
}

// Since makes the board also list past calls, from an earlier instant on.
func (b *Board) Since(from time.Time) *Board {
	b.from = from.Unix()
	return b
}

// KeepNext makes the board keep the next departure of each stop for [Board.Next], except those for
// which closed returns true.
func (b *Board) KeepNext(closed func(*Departure) bool) *Board {
	b.next, b.closed = map[string]*Departure{}, closed
	return b
}

// Next returns the first departure at the stops that runs by a trip update, at whatever time; nil if
// there is none.
func (b *Board) Next(feed string, stops []string) (first *Departure) {
	for _, stop := range stops {
		if d := b.next[feed+"\x00"+stop]; d != nil && (first == nil || d.leaves() < first.leaves()) {
			first = d
		}
	}
	return first
}

// IsAsScheduled reports whether the timetable applies to a call of a feed that the board has: no
// trip update is about the journey, and no detour leaves out the call.
func (b *Board) IsAsScheduled(p *Place, c *edition.ScheduledCall) bool {
	if b.updated[Journey{Feed: p.Alias, TripID: c.TripID, Day: c.Day.Number, Start: c.Start()}] {
		return false
	}
	if p.Detours == nil {
		return true
	}
	m := &merger{Board: b, Place: p, detours: map[detourKey]*detour{}}
	j := &journey{trip: c.Trip, id: c.TripID, day: c.Day, start: c.Start(), run: c.Run}
	if c.Repeated {
		j.window = &edition.Window{}
	}
	d := m.detourOf(j)
	return d == nil || d.index[c.Call] >= 0
}

// Unapplied returns the updates of a place that fit no run of their trip.
func Unapplied(ctx context.Context, now time.Time, p *Place) ([]Update, error) {
	m := &merger{Board: New(now, now, 1, func(*Departure) bool { return false }), Place: p, updated: map[Journey]bool{},
		detours: map[detourKey]*detour{}}
	for _, u := range p.Updates {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m.addUpdate(u)
	}
	return m.unapplied, nil
}

// NewPredictions returns an empty board for the predictions between two instants, without cancelled
// trips and skipped calls. It keeps the soonest arrivals.
func NewPredictions(now, until time.Time) *Board {
	arrival := func(d *Departure) int64 { return d.PredictedArrivalEpoch }
	rows := newSoonest(MaxLines, arrival, func(x, y *Departure) int {
		return cmp.Or(cmp.Compare(arrival(x), arrival(y)), cmp.Compare(x.TripID, y.TripID),
			cmp.Compare(x.sequence, y.sequence))
	})
	return &Board{from: now.Unix(), until: until.Unix(), clock: now.Unix(), rows: rows, wanted: (*Departure).Runs,
		updated: map[Journey]bool{}}
}

// Predictions returns the predictions. whole is set if none were dropped.
func (b *Board) Predictions() (rows []Prediction, whole bool) {
	all := b.rows.sorted()
	rows = make([]Prediction, len(all))
	for i, d := range all {
		rows[i] = d.Prediction
	}
	return rows, !b.rows.truncated
}

// An Update is a trip update that may concern a place. Updates are decoded one at a time: all
// together can need many times the size of the message.
type Update struct {
	*gtfsrt.TripUpdate
	TripID string // trip_id as published or, if missing, from the static feed
}

// A Place holds the data of one feed for a stop and its children.
type Place struct {
	Alias   string
	Edition *edition.Edition // nil if no timetable was ever imported
	Zone    *time.Location
	Names   []string // all stop_ids and stop_codes of the stop
	Updates []Update
	Visits  []edition.Visit
	Runs    map[edition.RunKey]*edition.Run // runs of visits and of the trips in updates
	Windows map[string][]edition.Window     // windows of the trips in updates, by trip_id
	// Detours returns the modifications of a trip. It may be nil.
	Detours func(trip string) []*gtfsrt.Modifications
	// VehicleOn returns the id of the vehicle on a trip; "" if unknown.
	VehicleOn func(trip string, start realtime.Start) string
}

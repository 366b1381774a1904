package board

import (
	"context"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"

	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/pkg/gtfsrt/assign"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/realtime"
)

type merger struct {
	*Board
	*Place
	stops   map[string]bool
	updated map[Journey]bool // journeys of the place that have an update
	detours map[detourKey]*detour
	// unapplied are the updates that fit no run.
	unapplied []Update
	// unchecked counts calls since the last check that the client still waits.
	unchecked int

	// These buffers are reused for each update.
	calls    []gtfsrt.Call
	matched  []*gtfsrt.Call
	expected []assign.Call
}

// Add adds the calls at a place: calls of the updates, and scheduled calls of all other journeys.
func (b *Board) Add(ctx context.Context, p *Place) error {
	m := &merger{Board: b, Place: p, stops: map[string]bool{}, updated: map[Journey]bool{},
		detours: map[detourKey]*detour{}}
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
	if run == nil || relationship == added || relationship == newTrip || relationship == unscheduled && repeated == nil {
		// If the timetable has a trip with this trip_id, it is a different trip.
		if run == nil {
			planned = nil
		}
		m.addUnscheduled(u, planned)
		return
	}
	j, table := m.journey(&u, planned, run, repeated)
	switch {
	case relationship == replacement:
		if j != nil {
			m.markUpdated(j) // the calls of the update replace all planned calls
		}
		m.addUnscheduled(u, planned)
		return
	case j == nil: // it fits no run
		m.unapplied = append(m.unapplied, of)
		return
	case relationship == duplicated && j.id == planned.TripID && j.start == planned.Start,
		relationship != duplicated && m.updated[m.key(j)]:
		return // it repeats the original trip or another update
	}
	m.markUpdated(j)
	switch relationship {
	case deleted:
		return
	case canceled:
		for i := range j.run.StopID {
			m.addCall(j, j.scheduled(i), &u)
		}
		return
	}
	if j.detour != nil {
		m.addSkipped(j.planned(run), j.detour)
	}
	m.expected = table.Predict(&u.prediction, m.matched, j.begins(), m.clock, m.expected[:0])
	if late, known := table.Lateness(m.expected, j.begins(), m.clock); known {
		u.late = &late
	}
	for i := range m.expected {
		m.addCall(j, j.expected(m.expected[i], m.Edition), &u)
	}
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
	if m.Detours == nil || m.Detours(v.TripID) == nil {
		return nil
	}
	for start := range starts(v, m.from, m.until, int64(run.Expected[len(run.Expected)-1])+assign.Tolerance) {
		if err := m.check(ctx); err != nil {
			return err
		}
		j := journeyOf(v, start, run)
		d := m.detourOf(j)
		if d == nil || m.updated[m.key(j)] {
			continue
		}
		for i, call := range d.planned {
			if call < 0 && m.stops[*d.run.StopID[i]] {
				of := j.on(d)
				m.addCall(of, of.scheduled(i), nil)
			}
		}
	}
	return nil
}

// check returns the error of the context, every callsBetweenChecks calls.
func (m *merger) check(ctx context.Context) error {
	if m.unchecked++; m.unchecked <= callsBetweenChecks {
		return nil
	}
	m.unchecked = 0
	return ctx.Err()
}

func (m *merger) addVisitAt(ctx context.Context, v *edition.Visit, run *edition.Run, call int) error {
	earliest := int64(run.Expected[call])
	for start := range starts(v, m.from, m.until, max(earliest, int64(run.Departures[call].Int32))) {
		if v.Day.Start+int64(start)+earliest > min(m.until, m.rows.end) {
			return nil
		}
		if err := m.check(ctx); err != nil {
			return err
		}
		j := journeyOf(v, start, run)
		if len(m.updated) > 0 && m.updated[m.key(j)] {
			continue
		}
		c := j.scheduled(call)
		if d := m.detourOf(j); d != nil {
			if at := d.index[call]; at >= 0 {
				j = j.on(d)
				c = j.scheduled(at)
			} else {
				c.Skipped = true
			}
		}
		m.addCall(j, c, nil)
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
	if !m.isListed(c) && !(u != nil && m.isNext(c)) {
		return
	}
	row := m.scheduledRow(j, c)
	if c.Skipped {
		row.ScheduleRelationship = Skipped
	}
	if u != nil {
		row.VehicleID, row.Late = string(u.VehicleID), u.late
		if c.Origin != assign.Scheduled && row.VehicleID == "" {
			row.VehicleID = m.VehicleOn(row.TripID, row.Start)
		}
		switch {
		case u.prediction.Relationship == canceled:
			row.ScheduleRelationship = Canceled
		case c.Skipped:
		case u.prediction.Relationship == duplicated:
			row.ScheduleRelationship = Added
		}
		isOfCall := row.Sign.IsOfCall() || c.Update != nil && len(c.Update.Headsign) > 0
		if own := string(u.prediction.Headsign); own != "" && !isOfCall {
			row.Sign = edition.Sign{Text: &own}
			row.Headsign = row.Sign.Text
		}
	}
	m.add(row, c)
}

func (m *merger) scheduledRow(j *journey, c expectedCall) *Departure {
	row := m.newRow(c, j.id, j.trip.Route.RouteID)
	row.Trip = j.trip
	row.Run = j.run
	row.Begins = j.begins()
	row.Window = j.window
	row.Start = realtime.Start{Seconds: j.start, Own: j.own}
	if j.window != nil {
		row.Start.Every = j.window.Every()
	}
	shift, isPlanned := int64(0), !j.own
	if d := j.detour; d != nil {
		shift, isPlanned = d.shift[c.Index], isPlanned && d.planned[c.Index] >= 0
		row.Planned = d.planned
	}
	if isPlanned {
		at, leaves := j.begins()+int64(j.run.Expected[c.Index])-shift, j.begins()+j.run.Leaves(c.Index)-shift
		row.ScheduledArrivalEpoch, row.ScheduledDepartureEpoch = &at, &leaves
	}
	row.Approximate = j.approximate
	row.DirectionID = j.trip.Direction()
	row.StartDate = j.day.Date()
	row.IsLastStop = c.Index == len(j.run.StopID)-1
	row.Sign = m.Edition.SignAt(j.trip, j.run, c.Index)
	row.PickupType = j.run.PickupType.At(c.Index)
	if s := c.Update; s != nil && len(s.Headsign) > 0 {
		own := string(s.Headsign)
		row.Sign = edition.Sign{Text: &own}
	}
	if s := c.Update; s != nil && s.Pickup != "" {
		row.PickupType = &s.Pickup
	}
	row.Headsign = row.Sign.Text
	return row
}

func (m *merger) add(row *Departure, c expectedCall) {
	if !m.wanted(row) {
		return
	}
	if row.Runs() && m.isNext(c) && !m.closed(row) {
		m.next[m.Alias+"\x00"+c.stop] = row
	}
	if m.isListed(c) {
		m.rows.add(row)
	}
}

// maxUnscheduled is how far ahead, in seconds, a prediction is believed that no timetable confirms.
const maxUnscheduled = 86400

// addUnscheduled adds the calls of a trip that only its update lists.
func (m *merger) addUnscheduled(u mergedUpdate, planned *edition.Trip) {
	if u.prediction.Relationship == canceled || u.prediction.Relationship == deleted {
		return
	}
	calls := unscheduledCalls(u.prediction.Calls, nil)
	sign := m.unscheduledSign(u, planned, calls)
	for _, c := range calls {
		if c.Arrival > m.clock+maxUnscheduled || !m.isListed(c) && !m.isNext(c) {
			continue
		}
		row := m.newRow(c, u.TripID, string(u.RouteID))
		row.StartDate = string(u.StartDate)
		row.IsLastStop = c.Index == len(u.prediction.Calls)-1
		row.VehicleID = string(u.VehicleID)
		if row.VehicleID == "" {
			row.VehicleID = m.VehicleOn(row.TripID, realtime.Start{})
		}
		row.Sign, row.Headsign = sign, sign.Text
		if planned != nil && row.RouteID == "" {
			row.RouteID = planned.Route.RouteID
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
		m.add(row, c)
	}
}

// isNext reports whether an updated call may be the next departure of its stop.
func (m *merger) isNext(c expectedCall) bool {
	if m.next == nil || !m.stops[c.stop] || c.Passed || c.Leaves() < m.clock {
		return false
	}
	first := m.next[m.Alias+"\x00"+c.stop]
	return first == nil || c.Leaves() < first.leaves()
}

// unscheduledSign returns the sign of a trip that only its update lists: the update's headsign, else
// that of the timetable's trip with this id, else the last stop of the update.
func (m *merger) unscheduledSign(u mergedUpdate, planned *edition.Trip, calls []expectedCall) edition.Sign {
	own := string(u.prediction.Headsign)
	switch {
	case own != "":
		return edition.Sign{Text: &own}
	case planned != nil && planned.TripHeadsign != nil:
		return m.Edition.Sign(planned)
	case len(calls) == 0:
		return edition.Sign{}
	}
	return m.Edition.SignTo(calls[len(calls)-1].stop)
}

// isListed reports whether a call is at the place and within the board's time.
func (m *merger) isListed(c expectedCall) bool {
	return m.stops[c.stop] && c.Leaves() >= m.from && c.Arrival <= min(m.until, m.rows.end)
}

func (m *merger) newRow(c expectedCall, trip, route string) *Departure {
	row := &Departure{ScheduleRelationship: Scheduled, Prediction: Prediction{TripID: trip, RouteID: route, StopID: c.stop,
		PredictedArrivalEpoch: c.Arrival, PredictedDepartureEpoch: c.Departure,
		Origin: originOf(&c.Call), Feed: m.Alias, sequence: c.Index}}
	if c.hasDelay {
		row.Delay = &c.Delay
	}
	return row
}

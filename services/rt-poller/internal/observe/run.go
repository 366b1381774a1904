package observe

import (
	"slices"
)

// A Key identifies a run: a trip on a service day and, if the trip runs several times, its start.
type Key struct {
	Trip  string
	Day   int32
	Start int32 // seconds of the service day; None for a trip that runs once a day
}

// A Kind says how a run relates to the timetable.
type Kind byte

const (
	Scheduled Kind = 's'
	Added     Kind = 'a' // the feed says that it is ADDED
	Unmatched Kind = 'x' // the timetable does not have it
)

// A Seen says how a stop of a run was seen, or why there is no visit.
type Seen byte

const (
	Stopped   Seen = 's' // the vehicle stopped there
	Passed    Seen = 'p' // the vehicle was before and then behind the stop
	Predicted Seen = 'e' // the last prediction that came true
	Skipped   Seen = 'k' // the feed left out the stop
	Cancelled Seen = 'c' // the trip was cancelled
	Unseen    Seen = 'u' // messages covered the trip, and none showed a visit
	Unknown   Seen = 'n' // there were no messages
)

// IsVisit reports whether a vehicle was at the stop.
func (s Seen) IsVisit() bool { return s == Stopped || s == Passed || s == Predicted }

// rank orders visits by how much is known of them.
func (s Seen) rank() int {
	switch s {
	case Stopped, Passed:
		return 2
	case Predicted:
		return 1
	}
	return 0
}

// A run is a trip on a day.
type run struct {
	Key
	trip             *Trip // nil if the timetable does not have it
	kind             Kind
	route, direction string
	dayStart         int64
	start            int32 // of the run, in seconds of the service day
	calls            []call
	cancelled        bool
	mentioned        int64  // time of the last message with the run
	updated          int64  // time of the last message that predicts it
	vehicle          string // that the last update names; "" if none
	tracked          bool   // a vehicle was seen on the run
	numbered         bool   // without a timetable: the feed numbers its stops
	touched          bool   // the current message is about it
	changed          bool   // it has changed calls
	begins           bool   // its first call is the first stop of the trip, at which nothing arrives
	open             int    // with a timetable: no call before it has expected events
	ahead            int    // without a timetable: number of calls, its last ones, that the last update has
}

// A call is a stop of a run.
type call struct {
	stop    string
	samples []prediction // of the last 15 minutes
	tally   *Tally       // what they count, until it is stored
	visit
	expected           [2]prediction // the last arrival and departure that were not yet over
	sequence           int32
	arrives, departs   int32 // scheduled; None if the timetable has no time
	timepoint, skipped bool
	predicts           [2]bool // the feed has predicted arrivals and departures
	sampled            bool    // the samples are counted
	changed            bool    // the row must be written
}

// A visit has the times of a vehicle at a stop, in seconds of the service day.
type visit struct {
	vehicle                     string
	arrived, left               int32
	arrivedWithin, departWithin int16 // uncertainty in seconds
	seen                        Seen  // 0 before anything is known
}

// newRun returns a run of a trip of the timetable, or one without calls.
func newRun(key Key, trip *Trip, kind Kind, start int32, dayStart int64) *run {
	r := &run{Key: key, trip: trip, kind: kind, start: start, dayStart: dayStart}
	if trip == nil {
		return r
	}
	r.route = trip.Route
	r.direction = trip.Direction
	r.begins = true
	r.calls = make([]call, len(trip.Sequences))
	for i := range r.calls {
		c := &r.calls[i]
		*c = newCall(trip.Sequences[i], trip.Stops[i])
		c.timepoint = trip.Timepoints == nil || trip.Timepoints[i]
		if kind != Scheduled || start == None || trip.keepsHeadway(start) {
			continue
		}
		if at := trip.Arrivals[i]; at != None {
			c.arrives = start + at
		}
		if at := trip.Departures[i]; at != None {
			c.departs = start + at
		}
	}
	return r
}

func newCall(sequence int32, stop string) call {
	return call{sequence: sequence, stop: stop, arrives: None, departs: None, visit: nowhere}
}

var nowhere = visit{arrived: None, left: None}

func (r *run) second(at int64) int32 { return int32(at - r.dayStart) }

// change notes that the row of a call must be written.
func (r *run) change(i int) { r.calls[i].changed, r.changed = true, true }

// clear removes a visit that was a guess and turned out to be wrong.
func (r *run) clear(i int) {
	r.calls[i].visit = nowhere
	r.change(i)
}

// first and last are the times between which the visit was.
func (v *visit) first() int32 {
	if v.arrived != None {
		return v.arrived
	}
	return v.left
}

func (v *visit) last() int32 {
	if v.left != None {
		return v.left
	}
	return v.arrived
}

// fits reports whether a visit of call i between two times keeps the order of the trip. Visits that
// were only predicted and contradict one of a higher rank are removed.
func (r *run) fits(i int, from, to int32, rank int) bool {
	for k := range r.calls {
		c := &r.calls[k]
		if k == i || !c.seen.IsVisit() {
			continue
		}
		if k < i && c.last() != None && c.last() > from || k > i && c.first() != None && c.first() < to {
			if c.seen.rank() >= rank {
				return false
			}
		}
	}
	if rank < Passed.rank() {
		return true
	}
	for k := range r.calls {
		c := &r.calls[k]
		if k != i && c.seen == Predicted && (k < i && c.last() > from || k > i && c.first() < to) {
			r.clear(k)
		}
	}
	return true
}

// stopAt records that a vehicle stopped at call i. arrived is None if the arrival is unknown.
func (r *run) stopAt(i int, vehicle string, at, arrived int32, within int16) {
	c := &r.calls[i]
	if c.seen.rank() == Stopped.rank() && (c.seen == Stopped || c.vehicle != vehicle) {
		return // the arrival keeps the first, and a stop belongs to the first vehicle
	}
	if !r.fits(i, at, at, Stopped.rank()) {
		return
	}
	c.visit = visit{seen: Stopped, arrived: arrived, left: None, arrivedWithin: within, vehicle: vehicle}
	if r.isFirst(i) {
		c.arrived, c.arrivedWithin = None, 0
	}
	r.change(i)
}

// depart records the departure of a vehicle that stopped at call i.
func (r *run) depart(i int, vehicle string, at int32, within int16) {
	c := &r.calls[i]
	if c.seen != Stopped || c.vehicle != vehicle || !r.fits(i, at, at, Stopped.rank()) {
		return
	}
	c.left = max(at, c.arrived)
	c.departWithin = within
	r.change(i)
}

// pass records that a vehicle passed call i.
func (r *run) pass(i int, vehicle string, at int32, within int16) {
	c := &r.calls[i]
	if c.skipped || c.seen.rank() == Passed.rank() || !r.fits(i, at, at, Passed.rank()) {
		return
	}
	c.visit = visit{seen: Passed, arrived: at, left: at, arrivedWithin: within, departWithin: within, vehicle: vehicle}
	if r.isFirst(i) {
		c.arrived, c.arrivedWithin = None, 0
	}
	r.change(i)
}

// cancel changes whether the run is cancelled. It ran up to its last visit.
func (r *run) cancel(cancelled bool) {
	if r.cancelled == cancelled {
		return
	}
	r.cancelled = cancelled
	for i := r.visited() + 1; i < len(r.calls); i++ {
		r.change(i)
	}
}

// visited returns the index of the last call with a visit; -1 if there is none.
func (r *run) visited() int {
	i := len(r.calls) - 1
	for i >= 0 && !r.calls[i].seen.IsVisit() {
		i--
	}
	return i
}

// end returns the second at which the run is over by the timetable or, without one, by its last
// visit.
func (r *run) end() int32 {
	end := None
	if r.trip != nil && r.start != None {
		end = r.start + r.trip.length()
	}
	for i := range r.calls {
		end = max(end, r.calls[i].last())
	}
	return end
}

// indexOf returns the index of a stop_sequence, and whether the run has it.
func (r *run) indexOf(sequence int64) (int, bool) {
	return slices.BinarySearchFunc(r.calls, sequence, func(c call, want int64) int {
		switch {
		case int64(c.sequence) < want:
			return -1
		case int64(c.sequence) > want:
			return 1
		}
		return 0
	})
}

// nextAt returns the first call at a stop from index from on; -1 if there is none.
func (r *run) nextAt(stop string, from int) int {
	for i := max(from, 0); i < len(r.calls); i++ {
		if r.calls[i].stop == stop {
			return i
		}
	}
	return -1
}

// lastAt returns the last call at a stop before index before; -1 if there is none.
func (r *run) lastAt(stop string, before int) int {
	i := min(before, len(r.calls)) - 1
	for i >= 0 && r.calls[i].stop != stop {
		i--
	}
	return i
}

// extend makes the calls of a run that the timetable does not have follow the stops of an update,
// which leaves out those that are behind.
func (r *run) extend(stops []string, sequences []int64) {
	if len(stops) == 0 {
		return
	}
	at := r.nextAt(stops[0], r.visited())
	if at < 0 {
		at = r.nextAt(stops[0], 0)
	}
	if at < 0 {
		at = len(r.calls)
	}
	for n, stop := range stops {
		i := at + n
		if i < len(r.calls) && r.calls[i].stop == stop {
			continue
		}
		if i < len(r.calls) {
			if k := r.nextAt(stop, i); k >= 0 && r.visited() < i { // stops were left out
				r.calls = slices.Delete(r.calls, i, k)
				continue
			}
			if r.visited() >= i {
				return
			}
			r.calls = r.calls[:i]
		}
		if i >= 2*maxCalls {
			return
		}
		sequence := int32(1)
		if i > 0 {
			sequence = r.calls[i-1].sequence + 1
		}
		if n < len(sequences) && sequences[n] >= int64(sequence) && sequences[n] < 1<<30 {
			sequence = int32(sequences[n])
		}
		r.calls = append(r.calls, newCall(sequence, stop))
	}
}

// insert adds the stop at which a vehicle is, and returns its index. Updates leave out the stops that
// a vehicle has reached, so it is before those that are ahead. ok is false if the vehicle contradicts
// visits, or calls that are stored under their sequence.
func (r *run) insert(stop string, published int64) (i int, ok bool) {
	i = max(0, len(r.calls)-r.ahead)
	if r.visited() >= i {
		return 0, false
	}
	before := int32(0)
	if i > 0 {
		before = r.calls[i-1].sequence
	}
	sequence := before + 1
	if r.numbered && published > int64(before) && published < 1<<30 {
		sequence = int32(published)
	}
	behind := r.calls[i:]
	if len(behind) > 0 && sequence >= behind[0].sequence {
		if r.numbered || slices.ContainsFunc(behind, func(c call) bool { return c.changed }) {
			return 0, false
		}
		for k := range behind { // they are counted, and have no visits
			behind[k].sequence++
		}
	}
	r.calls = slices.Insert(r.calls, i, newCall(sequence, stop))
	return i, true
}

func (r *run) isFirst(i int) bool { return i == 0 && r.begins }

// state returns how the call was seen, or why it was not.
func (r *run) state(i int) Seen {
	c := &r.calls[i]
	switch {
	case c.seen.IsVisit():
		return c.seen
	case r.cancelled && i > r.visited():
		return Cancelled
	case c.skipped:
		return Skipped
	case c.seen == Unknown:
		return Unknown
	}
	return Unseen
}

// actual returns the time with which predictions of a call are compared: its arrival or, at the
// first stop, its departure, if a vehicle was seen there.
func (r *run) actual(i int) (int64, bool) {
	c := &r.calls[i]
	at := c.arrived
	if r.isFirst(i) {
		at = c.left
	}
	return r.dayStart + int64(at), at != None && c.seen.rank() == Stopped.rank()
}

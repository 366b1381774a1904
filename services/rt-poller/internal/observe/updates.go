package observe

import (
	"math"

	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/pkg/performance"
)

// MaxGap is the maximum time in seconds between two messages or reports from which something is
// inferred.
const MaxGap = 90

// Values of TripDescriptor.schedule_relationship and StopTimeUpdate.schedule_relationship.
const (
	tripAdded      = 1
	tripCanceled   = 3
	tripDuplicated = 6
	tripDeleted    = 7
	tripNew        = 8
	stopSkipped    = 1
	stopNoData     = 2
)

const (
	arrival = iota
	departure
)

// A prediction is a time that a message predicts for an event. An observer holds a hundred thousand of
// them, so both Unix times have 32 bits.
type prediction struct {
	of   uint32 // time of the message
	time uint32
}

func newPrediction(at, time int64) prediction {
	return prediction{of: uint32(max(0, min(at, math.MaxUint32))), time: uint32(max(0, min(time, math.MaxUint32)))}
}

func (p prediction) message() int64 { return int64(p.of) }

func (p prediction) event() int64 { return int64(p.time) }

// A Tally counts predictions by horizon.
type Tally = performance.Accuracy

// update observes the trip update u of a message; calls are its stop time updates.
func (o *Observer) update(s *source, at int64, u *gtfsrt.TripUpdate, calls []gtfsrt.Call) {
	r := o.runOfUpdate(u, calls, at)
	if r == nil {
		return
	}
	canceled := u.Relationship == tripCanceled || u.Relationship == tripDeleted
	var matched []*gtfsrt.Call
	if r.trip != nil && !canceled {
		var ok bool
		if matched, ok = o.assign(r, calls, at); !ok {
			return // its times fit no run
		}
	}
	before := r.updated
	r.mentioned, r.updated = at, at
	if id := string(u.VehicleID); len(id) <= maxID && plain(id) {
		r.vehicle = id
	}
	s.updated = append(s.updated, r)
	o.touch(r)
	if canceled {
		r.cancel(true)
		r.forget()
		return
	}
	r.cancel(false)
	if r.trip == nil {
		r.leaveOut(calls, at, before == s.before && !s.broken)
		r.follow(calls)
		matched, _ = o.assign(r, calls, at)
	}
	r.predict(matched, at, before, before == s.before && !s.broken)
}

// forget drops the predictions of a run that does not run.
func (r *run) forget() {
	for i := range r.calls {
		r.calls[i].expected = [2]prediction{}
		r.calls[i].samples = nil
	}
}

// follow gives a run without a timetable the stops of its update.
func (r *run) follow(calls []gtfsrt.Call) {
	if len(r.calls) == 0 && len(calls) > 0 {
		r.begins = !calls[0].Arrival.Given() && calls[0].Departure.Given()
	}
	r.ahead = len(calls)
	if r.follows(calls) {
		return
	}
	var stops []string
	var sequences []int64
	for i := range calls {
		r.numbered = r.numbered || calls[i].Sequence >= 0
		if id := string(calls[i].StopID); len(id) > 0 && len(id) <= maxID && plain(id) && len(stops) < maxCalls {
			stops = append(stops, string(calls[i].StopID))
			sequences = append(sequences, calls[i].Sequence)
		}
	}
	r.extend(stops, sequences)
	r.ahead = len(stops)
}

// follows reports whether the last calls of the run are those of an update.
func (r *run) follows(calls []gtfsrt.Call) bool {
	from := len(r.calls) - len(calls)
	if from < 0 {
		return false
	}
	for i := range calls {
		if r.calls[from+i].stop != string(calls[i].StopID) {
			return false
		}
	}
	return true
}

// leaveOut resolves the calls before the first one of an update, which extend may drop.
func (r *run) leaveOut(calls []gtfsrt.Call, at int64, follows bool) {
	if len(calls) == 0 || !follows {
		return
	}
	first := r.nextAt(string(calls[0].StopID), 0)
	for i := 0; i < first; i++ {
		r.resolve(i, arrival, at)
		r.resolve(i, departure, at)
	}
}

// times returns the predicted arrival and departure of a call as Unix times; 0 if there is none.
func (r *run) times(i int, u *gtfsrt.Call) (times [2]int64) {
	if u == nil || u.Relationship == stopSkipped || u.Relationship == stopNoData {
		return times
	}
	for k, e := range [2]gtfsrt.Event{u.Arrival, u.Departure} {
		planned := r.calls[i].arrives
		if k == departure {
			planned = r.calls[i].departs
		}
		switch {
		case e.Time != 0:
			times[k] = e.Time
		case e.HasDelay && planned != None:
			times[k] = r.dayStart + int64(planned) + int64(e.Delay)
		}
	}
	if r.isFirst(i) {
		if times[departure] == 0 {
			times[departure] = times[arrival]
		}
		times[arrival] = 0
	}
	return times
}

// predict stores the predictions of an update. Events of the message before that are over or left
// out came true; follows reports whether nothing is between the two messages.
func (r *run) predict(matched []*gtfsrt.Call, at, before int64, follows bool) {
	first := 0 // the first call that this or the last update predicts
	if r.trip != nil {
		for first < r.open && matched[first] == nil {
			first++
		}
	}
	ahead := first // the first call with an event that is not over
	for ahead < len(matched) {
		if t := r.times(ahead, matched[ahead]); t[arrival] >= at || t[departure] >= at {
			break
		}
		ahead++
	}
	r.open = len(matched)
	for i := first; i < len(matched); i++ {
		u, c := matched[i], &r.calls[i]
		if skipped := u != nil && u.Relationship == stopSkipped; skipped != c.skipped && u != nil {
			c.skipped = skipped
			r.change(i)
		}
		isSampled := c.expected != [2]prediction{} && before/60 == at/60
		times := r.times(i, u)
		for k, t := range times {
			if t < at && follows && i <= ahead && !c.skipped {
				r.resolve(i, k, at)
			}
			c.predicts[k] = c.predicts[k] || t != 0
			c.expected[k] = prediction{}
			if t >= at {
				c.expected[k] = newPrediction(at, t)
				r.open = min(r.open, i)
			}
		}
		main := times[arrival]
		if main == 0 {
			main = times[departure]
		}
		if main != 0 && !isSampled {
			c.sample(at, main)
		}
	}
}

// vanish resolves the predictions of a run that the next message at leaves out.
func (r *run) vanish(at int64) {
	for i := range r.calls {
		r.resolve(i, arrival, at)
		r.resolve(i, departure, at)
	}
}

// forgetExpected drops what the next message cannot confirm.
func (r *run) forgetExpected() {
	for i := range r.calls {
		r.calls[i].expected = [2]prediction{}
	}
}

// resolve records the last prediction of an event as a visit, because the message at shows that it
// is over.
func (r *run) resolve(i, event int, at int64) {
	c := &r.calls[i]
	p := c.expected[event]
	if p == (prediction{}) || at-p.message() > MaxGap || p.event()-p.message() > MaxGap ||
		c.seen.rank() > Predicted.rank() || c.skipped || r.cancelled || r.isFirst(i) && r.tracked {
		return
	}
	was := min(p.event(), at)
	when, within := r.second(was), int16(max(was-p.message(), at-was))
	if !r.fits(i, when, when, Predicted.rank()) {
		return
	}
	if c.seen != Predicted {
		c.visit = visit{seen: Predicted, arrived: None, left: None, vehicle: r.vehicle}
	}
	if event == arrival || !c.predicts[arrival] && !r.isFirst(i) {
		c.arrived, c.arrivedWithin = when, within
	}
	if event == departure || !c.predicts[departure] {
		c.left, c.departWithin = max(when, c.arrived), within
	}
	c.expected[event] = prediction{}
	r.change(i)
}

// maxAhead bounds how far a sample predicts, in seconds, and holds memory down: a prediction of an
// hour is not of a stop that is reached within 15 minutes.
const maxAhead = 3600

// sample keeps a prediction if the message is the first of its minute.
func (c *call) sample(at, predicted int64) {
	if c.sampled || predicted-at > maxAhead {
		return
	}
	if n := len(c.samples); n > 0 && c.samples[n-1].message()/60 == at/60 {
		return
	}
	old := 0
	for old < len(c.samples) && at-c.samples[old].message() > performance.MaxHorizon {
		old++
	}
	if old > 0 {
		c.samples = append(c.samples[:0], c.samples[old:]...)
	}
	c.samples = append(c.samples, newPrediction(at, predicted))
}

// count counts the samples of a call whose event is known.
func (r *run) count(i int, actual int64) {
	c := &r.calls[i]
	tally := Tally{}
	for _, s := range c.samples {
		tally.Add(actual-s.message(), actual-s.event())
	}
	c.samples, c.sampled = nil, true
	if tally.Any() {
		c.tally = &tally
		r.change(i)
	}
}

package observe

import (
	"math"

	"github.com/townline/townline/pkg/gtfsrt"
)

// stoppedAt is a value of VehiclePosition.current_status.
const stoppedAt = 1

const (
	maxClock  = 120 // maximum age in seconds of a report when it is new
	maxBehind = 3   // reports in a row behind the last one until they are believed
	// By so many seconds a vehicle can be faster than the timetable between two reports: after an old
	// report that was repeated, and otherwise.
	slack       = 60
	slackMoving = 300
)

// A track is the last report of a vehicle.
type track struct {
	run      *run
	call     int   // index
	stopped  bool  // it stopped there
	report   int64 // time of the report
	stamp    int64 // its published timestamp; 0 if absent
	seen     int64 // time of the last message with the report
	stopSeen int64 // time of the last message that shows the vehicle stopped at the call; 0 if none does
	late     bool  // the report was too old when it was new
	behind   int   // reports in a row that were behind
	epoch    int   // of the source
}

// vehicle observes a vehicle position of a message.
func (o *Observer) vehicle(s *source, at int64, v *gtfsrt.Vehicle) {
	if len(v.VehicleID) > maxID || !plain(string(v.VehicleID)) {
		return
	}
	o.Vehicles++
	if v.At.Sequence >= 0 || len(v.At.StopID) > 0 {
		o.Placed++
	}
	r := o.runOf(v.Trip, at)
	key := string(v.VehicleID)
	if key == "" && r != nil {
		key = "\x00" + r.Trip + Date(r.Day).Format("\x0020060102")
	}
	if r == nil {
		delete(o.tracks, key)
		return
	}
	t := o.tracks[key]
	if t != nil && t.run != r {
		t.run.tracked = false
	}
	r.mentioned, r.tracked = at, true
	o.touch(r)
	call, sure, placed := r.place(v, t)
	if !placed {
		return
	}
	continuous := t != nil && t.epoch == s.epoch && at-t.seen <= MaxGap
	stamp := int64(0)
	if v.Timestamp != 0 {
		stamp = gtfsrt.Seconds(int64(min(v.Timestamp, math.MaxInt64)))
	}
	if t != nil && t.run == r && stamp != 0 && stamp == t.stamp {
		t.repeat(at, s.epoch, continuous)
		return
	}
	next := &track{run: r, call: call, stopped: sure && v.Status == stoppedAt, stamp: stamp, seen: at, epoch: s.epoch}
	next.report, next.late = reportTime(stamp, at, t)
	if next.stopped {
		next.stopSeen = at
	}
	id := string(v.VehicleID)
	switch {
	case !continuous:
		next.arrive(id, 0, 0)
	case t.run != r:
		next.arrive(id, t.seen, t.report)
	case next.report < t.report || call < t.call:
		t.behind++
		if t.behind < maxBehind {
			return
		}
	default:
		t.advance(next, id)
	}
	o.tracks[key] = next
	r.contradict(call, next.stopped, r.second(next.report))
}

// reportTime returns the time of a new report: the vehicle's timestamp, at most the message's. A
// vehicle's clock that is minutes behind is not used. One late report is only late.
func reportTime(stamp, at int64, t *track) (when int64, late bool) {
	late = stamp != 0 && at-stamp > maxClock
	if stamp == 0 || stamp > at || late && (t == nil || t.late) {
		return at, late
	}
	return stamp, late
}

// repeat notes that a message repeats the last report.
func (t *track) repeat(at int64, epoch int, continuous bool) {
	if !continuous {
		t.report = math.MinInt64 / 2 // nothing is inferred across the gap
	}
	t.seen, t.epoch = at, epoch
	if t.stopped {
		t.stopSeen = at
	}
}

// arrive records that the vehicle is at a stop. apart is the time of the last message that shows it
// elsewhere, before the time of that report; both are 0 if there is none.
func (t *track) arrive(id string, apart, before int64) {
	if !t.stopped || t.run.isFirst(t.call) {
		return // a vehicle at the first stop has yet to leave
	}
	at := t.run.second(t.report)
	arrived := None
	within := int64(0)
	if apart != 0 && t.report-apart <= MaxGap {
		arrived, within = at, t.report-apart
		if within <= 0 {
			within = min(t.report-before, MaxGap)
		}
	}
	t.run.stopAt(t.call, id, at, arrived, int16(max(within, 0)))
}

// advance infers what the vehicle did between its last report and the next one.
func (t *track) advance(next *track, id string) {
	r := t.run
	if next.call == t.call {
		if next.stopSeen == 0 {
			next.stopSeen = t.stopSeen
		}
		if !t.stopped {
			next.arrive(id, t.seen, t.report)
		}
		return
	}
	from := t.report
	if t.stopped {
		from = t.stopSeen
	}
	if at, within, ok := between(from, next.report); ok && t.canReach(next, from) {
		if t.stopSeen == 0 {
			r.pass(t.call, id, r.second(at), within)
		}
		for i := t.call + 1; i < next.call; i++ {
			r.pass(i, id, r.second(at), within)
		}
	}
	if at, within, ok := between(t.stopSeen, next.report); ok && t.stopSeen != 0 && t.canReach(next, t.stopSeen) {
		if r.isFirst(t.call) {
			r.stopAt(t.call, id, r.second(at), None, 0)
		}
		r.depart(t.call, id, r.second(at), within)
	}
	next.arrive(id, t.seen, t.report)
}

// between returns the middle of two times and half of their distance; ok is false if nothing can be
// inferred because they are too far apart.
func between(from, to int64) (at int64, within int16, ok bool) {
	from = min(from, to)
	if to-from > MaxGap {
		return 0, 0, false
	}
	return from + (to-from)/2, int16((to - from + 1) / 2), true
}

// canReach reports whether the vehicle can have driven to the next call since a time. A vehicle that
// was stuck, and repeated an old report until then, reappears further away.
func (t *track) canReach(next *track, from int64) bool {
	if t.run.trip == nil || next.call == t.call+1 {
		return next.call == t.call+1 || next.report-t.report <= MaxGap
	}
	expected, spare := t.run.trip.Expected, int64(slack)
	if next.report-t.report <= MaxGap {
		spare = slackMoving
	}
	return int64(expected[next.call-1]-expected[t.call]) <= next.report-from+spare
}

// place returns the index of the call to which a vehicle says that it is on the way. sure is false
// if the run has no such call, and the index is that of the next one.
func (r *run) place(v *gtfsrt.Vehicle, t *track) (call int, sure, placed bool) {
	stop, numbered := string(v.At.StopID), v.At.Sequence >= 0 && (r.trip != nil || r.numbered)
	i := 0
	if numbered {
		var found bool
		if t != nil && t.run == r && t.call < len(r.calls) && int64(r.calls[t.call].sequence) == v.At.Sequence {
			i, found = t.call, true // the usual case
		} else {
			i, found = r.indexOf(v.At.Sequence)
		}
		if found && (stop == "" || r.calls[i].stop == stop || r.nextAt(stop, 0) < 0) {
			return i, true, true
		}
	}
	if stop != "" {
		from := 0
		if t != nil && t.run == r {
			from = t.call
		}
		ahead, behind := r.nextAt(stop, from), r.lastAt(stop, from)
		switch {
		case ahead >= 0 && (behind < 0 || ahead-from <= from-behind):
			return ahead, true, true
		case behind >= 0:
			return behind, true, true // a report of the stop before, not of the trip's other call there
		case r.trip == nil && len(r.calls) < maxCalls && len(stop) <= maxID && plain(stop):
			i, placed = r.insert(stop, v.At.Sequence)
			return i, placed, placed
		}
	}
	return i, false, numbered && i < len(r.calls)
}

// contradict removes predicted visits of calls that a later report shows ahead of the vehicle.
func (r *run) contradict(call int, stopped bool, at int32) {
	if stopped {
		call++
	}
	for i := call; i < len(r.calls); i++ {
		if c := &r.calls[i]; c.seen == Predicted && c.first() < at {
			r.clear(i)
		}
	}
}

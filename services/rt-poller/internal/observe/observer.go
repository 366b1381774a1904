// Package observe infers from realtime messages what really ran: when vehicles were at the stops of
// their trips, and how accurate predictions were.
//
// [Observer] is pure: it takes messages in order and keeps the runs of the last hours in memory.
// vehicles.go infers visits from vehicle positions, updates.go from predictions, settle.go decides
// what was not seen, and day.go adds up a day. store.go has the tables and the lease, and watch.go
// connects the two.
//
// Times come from messages, so that recorded messages can be observed too.
package observe

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/pkg/gtfsrt/assign"
	"github.com/townline/townline/pkg/gtfsrt/judge"
)

// A Message is a published message of a source.
type Message struct {
	Source  string
	At      int64 // time of its header
	Feed    *gtfsrt.Message
	Calls   *judge.Calls // stop time updates of all trip updates
	Updates bool         // the source has trip updates
	Moves   bool         // the source has vehicle positions
	Lost    bool         // messages before it may be missing
}

// A Gap is a time without messages of a source.
type Gap struct {
	Source string
	From   int64
	To     int64
	Reason string
}

// Reasons of gaps.
const (
	Silent  = "silent"  // the source had no message
	Lost    = "lost"    // messages came too fast to be observed
	Started = "started" // observing began
)

// An Observer observes the messages of one feed.
type Observer struct {
	Zone      Zone
	Timetable Timetable

	Gaps             []Gap // new ones
	Vehicles, Placed int   // vehicles of the last message with vehicles, and those that name a stop
	Messages         int64 // that no observer before this one has seen
	Dropped          int64 // runs that were too many

	sources map[string]*source
	runs    map[Key]*run
	byTrip  map[string][]*run
	tracks  map[string]*track
	touched []*run            // runs that the current message is about
	changed map[*run]struct{} // runs with changed calls
	pending []reached         // calls whose predictions are not yet counted
	matched []*gtfsrt.Call
	calls   []gtfsrt.Call
}

type source struct {
	before  int64  // time of the last message
	resumed int64  // time of the last message that an observer before this one has seen
	updates bool   // it has trip updates
	broken  bool   // there is a gap before the current message
	epoch   int    // number of gaps
	last    []*run // runs that the last message predicts
	updated []*run // runs that the current message predicts
}

type reached struct {
	run  *run
	call int
}

// New returns an observer without messages.
func New(zone Zone, timetable Timetable) *Observer {
	return &Observer{Zone: zone, Timetable: timetable, sources: map[string]*source{}, runs: map[Key]*run{},
		byTrip: map[string][]*run{}, tracks: map[string]*track{}, changed: map[*run]struct{}{}}
}

// Replace continues with another version of the timetable. Runs that the version before had keep it.
func (o *Observer) Replace(zone Zone, timetable Timetable) {
	o.Zone, o.Timetable = zone, timetable
	for _, r := range o.runs {
		if r.kind == Unmatched {
			o.drop(r) // the new version may have the trip
		}
	}
}

// Last returns the time of the last message of each source.
func (o *Observer) Last() map[string]int64 {
	last := map[string]int64{}
	for name, s := range o.sources {
		last[name] = max(s.before, s.resumed)
	}
	return last
}

// Clock returns the time of the latest message; 0 if there was none.
func (o *Observer) Clock() (at int64) {
	for _, s := range o.sources {
		at = max(at, s.before, s.resumed)
	}
	return at
}

// Observe infers visits from a message. It ignores messages that are not newer than the last one of
// the source.
func (o *Observer) Observe(m *Message) {
	s := o.sources[m.Source]
	if s == nil {
		s = &source{updates: m.Updates}
		o.sources[m.Source] = s
	}
	if m.At <= s.before {
		return
	}
	s.broken = s.before == 0 || m.Lost || m.At-s.before > MaxGap
	if s.broken {
		s.epoch++
		o.gap(s, m)
	}
	if m.At > s.resumed {
		o.Messages++
	}
	n := 0
	if m.Updates {
		for i := range m.Feed.TripUpdates {
			u := &m.Feed.TripUpdates[i]
			o.calls = m.Calls.Append(o.calls[:0], n, n+u.Calls)
			n += u.Calls
			o.update(s, m.At, u, o.calls)
		}
		o.vanish(s, m.At)
	}
	if m.Moves {
		o.Vehicles, o.Placed = 0, 0
		for i := range m.Feed.Vehicles {
			o.vehicle(s, m.At, &m.Feed.Vehicles[i])
		}
	}
	s.before = m.At
	o.countReached()
	for _, r := range o.touched {
		r.touched = false
	}
	o.touched = o.touched[:0]
}

// gap notes that there were no messages of a source.
func (o *Observer) gap(s *source, m *Message) {
	g := Gap{Source: m.Source, From: s.before, To: m.At, Reason: Silent}
	switch {
	case s.before == 0 && s.resumed == 0:
		g.Reason = Started
	case s.before == 0:
		g.From = s.resumed
		if m.At-s.resumed <= MaxGap {
			return
		}
	case m.At-s.before <= MaxGap:
		g.Reason = Lost
	}
	o.Gaps = append(o.Gaps, g)
}

// Resume continues after an observer that has observed a source until a time. The next message is
// only the context of those that follow.
func (o *Observer) Resume(name string, until int64, updates bool) {
	if o.sources[name] == nil {
		o.sources[name] = &source{resumed: until, updates: updates}
	}
}

// vanish resolves the predictions of runs that the last message had and this one does not.
func (o *Observer) vanish(s *source, at int64) {
	for _, r := range s.last {
		if r.updated < at {
			if !s.broken {
				r.vanish(at)
				o.touch(r)
			}
			r.forgetExpected()
		}
	}
	s.last, s.updated = s.updated, s.last[:0]
}

// touch notes that a message is about a run.
func (o *Observer) touch(r *run) {
	if !r.touched {
		r.touched = true
		o.touched = append(o.touched, r)
	}
}

// settleAfter is how long the counting of predictions waits for messages of other sources that are
// from before the event.
const settleAfter = 120

// countReached counts the predictions of events that happened before the last message of each
// source with predictions.
func (o *Observer) countReached() {
	for _, r := range o.touched {
		if !r.changed {
			continue
		}
		o.changed[r] = struct{}{}
		for i := range r.calls {
			c := &r.calls[i]
			if c.changed && !c.sampled && len(c.samples) > 0 {
				if _, ok := r.actual(i); ok {
					o.pending = append(o.pending, reached{r, i})
				}
			}
		}
	}
	until, clock := int64(1)<<62, o.Clock()
	for _, s := range o.sources {
		if s.updates && clock-s.before < settleAfter {
			until = min(until, s.before)
		}
	}
	o.pending = slices.DeleteFunc(o.pending, func(p reached) bool {
		if p.call >= len(p.run.calls) || p.run.calls[p.call].sampled {
			return true
		}
		actual, ok := p.run.actual(p.call)
		if ok && actual > until {
			return false
		}
		if ok {
			p.run.count(p.call, actual)
			o.changed[p.run] = struct{}{}
		}
		return true
	})
}

// runOf returns the run of a trip descriptor; nil if it names none.
func (o *Observer) runOf(d gtfsrt.Trip, at int64) *run {
	return o.find(d.TripID, d, nil, at)
}

// runOfUpdate returns the run of a trip update; nil if it names none.
func (o *Observer) runOfUpdate(u *gtfsrt.TripUpdate, calls []gtfsrt.Call, at int64) *run {
	d, id := u.Trip, u.TripID
	if d.Relationship == tripDuplicated {
		own := u.Prediction(nil).Own
		if len(own.TripID) == 0 {
			return nil
		}
		d, id = own, own.TripID
		d.Relationship = tripDuplicated
		d.RouteID, d.Direction = u.RouteID, u.Direction
	}
	return o.find(id, d, calls, at)
}

// stays is for how many seconds a run without a date is continued.
const stays = 1800

// Bounds of what a feed can make an observer remember.
const (
	maxRuns  = 100_000
	maxCalls = 1000 // of a run that the timetable does not have
	maxID    = 255  // bytes
)

// plain reports whether the database can store an id.
func plain(id string) bool { return utf8.ValidString(id) && !strings.ContainsRune(id, 0) }

// nameOf returns a published trip_id; "" if it names no trip.
func nameOf(published []byte) string {
	id := string(published)
	if len(strings.Trim(id, "*")) == 0 || len(id) > maxID || !plain(id) {
		return ""
	}
	return id
}

// kindOf returns how a run of a trip, which is nil if the timetable does not have it, relates to the
// timetable, and its start if that is part of its key.
func kindOf(trip *Trip, d *gtfsrt.Trip) (kind Kind, start int32) {
	kind, start = Scheduled, None
	switch {
	case d.Relationship == tripAdded || d.Relationship == tripNew || d.Relationship == tripDuplicated:
		kind = Added
	case trip == nil:
		kind = Unmatched
	}
	if trip != nil && len(trip.Headways) > 0 || kind == Added {
		if clock, ok := parseClock(d.StartTime); ok {
			start = clock
		}
	}
	return kind, start
}

// known returns the run that a message continues; nil if there is none.
func (o *Observer) known(published []byte, d *gtfsrt.Trip, at int64) *run {
	runs := o.byTrip[string(published)]
	if len(runs) == 0 {
		return nil
	}
	kind, start := kindOf(runs[0].trip, d)
	day, dated := parseDay(d.StartDate)
	for _, r := range runs {
		sameStart := start == None || r.Key.Start == start || r.kind == Added && r.Key.Start == None
		if sameStart && (dated && r.Day == day || !dated && at-r.mentioned < stays) {
			if kind == Added && r.kind == Unmatched {
				r.kind = Added
			}
			return r
		}
	}
	return nil
}

func (o *Observer) find(published []byte, d gtfsrt.Trip, calls []gtfsrt.Call, at int64) *run {
	if r := o.known(published, &d, at); r != nil {
		return r
	}
	id := nameOf(published)
	if id == "" {
		return nil
	}
	trip := o.Timetable.Trip(id)
	kind, start := kindOf(trip, &d)
	day, dated := parseDay(d.StartDate)
	key := Key{Trip: id, Day: day, Start: start}
	if kind == Scheduled {
		var ok bool
		key.Day, ok = o.dayOf(trip, start, day, dated, calls, at)
		if !ok {
			return nil
		}
	} else if today := o.Zone.Day(at); !dated || day < today-1 || day > today+1 {
		key.Day = today
	}
	if r := o.runs[key]; r != nil {
		return r
	}
	if len(o.runs) >= maxRuns {
		o.Dropped++
		return nil
	}
	route := string(d.RouteID)
	if len(route) > maxID || !plain(route) {
		route = ""
	}
	return o.add(o.begin(key, trip, kind, route, d.Direction))
}

// begin returns a new run.
func (o *Observer) begin(key Key, trip *Trip, kind Kind, route, direction string) *run {
	start := key.Start
	if trip != nil && start == None && len(trip.Headways) == 0 {
		start = trip.Start
	}
	if kind == Added {
		start = None
	}
	r := newRun(key, trip, kind, start, o.Zone.Start(key.Day))
	if r.route == "" {
		r.route, r.direction = route, direction
	}
	return r
}

func (o *Observer) add(r *run) *run {
	o.runs[r.Key] = r
	o.byTrip[r.Trip] = append(o.byTrip[r.Trip], r)
	return r
}

// dayOf returns the service day of a run of the timetable: the published one if its times fit,
// otherwise the day on which the trip is nearest. ok is false if no day fits.
func (o *Observer) dayOf(t *Trip, start, day int32, dated bool, calls []gtfsrt.Call, at int64) (int32, bool) {
	if start == None {
		start = t.Start
	}
	today := o.Zone.Day(at)
	var days []int32
	if dated {
		days = append(days, day)
	}
	for _, d := range []int32{today, today - 1, today + 1} {
		if t.Service.Runs(d) && !slices.Contains(days, d) {
			days = append(days, d)
		}
	}
	starts := make([]int64, len(days))
	for i, d := range days {
		starts[i] = o.Zone.Start(d) + int64(start)
	}
	var found int
	found, o.matched = t.table().Find(calls, starts, dated, at, o.matched)
	if found < 0 {
		return 0, false
	}
	from, to := starts[found], starts[found]+int64(t.length())
	return days[found], at > from-assign.Tolerance && at < to+assign.Tolerance
}

// assign returns the update of each call of the run; nil if it has none. ok is false if the times of
// the update are not of this run.
func (o *Observer) assign(r *run, updates []gtfsrt.Call, at int64) (matched []*gtfsrt.Call, ok bool) {
	if r.trip == nil || r.start == None {
		o.matched = r.match(updates, o.matched)
		return o.matched, true
	}
	found, matched := r.trip.table().Find(updates, []int64{r.dayStart + int64(r.start)}, true, at, o.matched)
	o.matched = matched
	return matched, found >= 0
}

// match returns the update of each call of a run whose times the timetable does not have.
func (r *run) match(updates []gtfsrt.Call, buffer []*gtfsrt.Call) []*gtfsrt.Call {
	out := slices.Grow(buffer[:0], len(r.calls))[:len(r.calls)]
	clear(out)
	next := 0
	for n := range updates {
		u := &updates[n]
		i, found := -1, false
		if next < len(r.calls) && u.Sequence < 0 && r.calls[next].stop == string(u.StopID) { // the usual case
			out[next] = u
			next++
			continue
		}
		if u.Sequence >= 0 && (r.trip != nil || r.numbered) {
			i, found = r.indexOf(u.Sequence)
		}
		stop := string(u.StopID)
		if found && (stop == "" || r.calls[i].stop == stop) {
			out[i], next = u, i+1
			continue
		}
		if k := r.nextAt(stop, next); k >= 0 {
			i, found = k, true
		}
		if found {
			out[i], next = u, i+1
		}
	}
	return out
}

// Forget drops vehicles of which nothing was heard for half an hour, and runs that are settled and
// stored since then, or of which nothing was heard for some hours.
func (o *Observer) Forget() {
	clock := o.Clock()
	for key, t := range o.tracks {
		if clock-t.seen > stays {
			delete(o.tracks, key)
		}
	}
	for _, r := range o.runs {
		_, isChanged := o.changed[r]
		isSettled := !isChanged && clock >= r.dayStart+int64(r.end())+settleDelay+stays
		if silent := clock - r.mentioned; silent >= keep || silent >= stays && isSettled {
			o.drop(r)
		}
	}
}

func (o *Observer) drop(r *run) {
	delete(o.runs, r.Key)
	delete(o.changed, r)
	others := slices.DeleteFunc(o.byTrip[r.Trip], func(other *run) bool { return other == r })
	o.byTrip[r.Trip] = others
	if len(others) == 0 {
		delete(o.byTrip, r.Trip)
	}
}

// keep is how long a run is kept after the last message about it, in seconds.
const keep = 3 * 3600

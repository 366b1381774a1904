package transitapi

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"

	"github.com/townline/townline/pkg/gtfsrt"
)

// This file lays a trip update over a trip's timetable; it knows no database and no clock but the one it is given.

// Where a predicted time comes from.
const (
	asserted   = "asserted"   // the feed says so
	propagated = "propagated" // what the feed says of an earlier call, carried on
	scheduled  = "scheduled"  // the timetable
)

// A journey is one trip on one day.
type journey struct {
	trip  *boardTrip
	day   serviceDay
	start int32 // first departure, seconds of the service day
	run   *boardRun
}

// key tells journeys apart.
func (j *journey) key() string {
	return j.trip.TripID + "\x00" + strconv.Itoa(j.day.day) + "\x00" + strconv.Itoa(int(j.start))
}

// arrival and departure are the times of call i by the timetable, Unix seconds.
func (j *journey) arrival(i int) int64 {
	return j.day.start + int64(j.start) + int64(j.run.arrivals[i])
}

func (j *journey) departure(i int) int64 {
	if d := j.run.Departures[i]; d.Valid {
		return j.day.start + int64(j.start) + int64(d.Int32)
	}
	return j.arrival(i)
}

// A stopping is one call of a journey as it is expected.
type stopping struct {
	call      int // of the run; of the update for a trip without a timetable
	stop      string
	arrival   int64
	departure int64
	delay     *int64 // of the arrival; nil when there is no timetable to be late by
	origin    string
	skipped   bool
}

// timetabled are the calls of a journey when nothing else is known of it.
func (j *journey) timetabled() []stopping {
	out := make([]stopping, len(j.run.StopID))
	for i := range out {
		out[i] = j.planned(i)
	}
	return out
}

// planned is call i by the timetable.
func (j *journey) planned(i int) stopping {
	late := int64(0)
	c := stopping{call: i, arrival: j.arrival(i), departure: j.departure(i), delay: &late, origin: scheduled}
	if stop := j.run.StopID[i]; stop != nil {
		c.stop = *stop
	}
	return c
}

// predicted are the calls of a journey by a trip update, those that are surely over left out.
//
// The feed's times hold where it gives them. A call that it does not speak of is as late as the last one before it that it
// does speak of; NO_DATA ends that. Before the first word of the feed the timetable holds, but a call that the vehicle must
// have left, by how late it is at the first call that the feed speaks of, is over: feeds drop what is behind.
func (j *journey) predicted(u *rt.TripUpdate, now int64, stops *timetable) []stopping {
	calls := j.timetabled()
	updates := j.match(u.GetStopTimeUpdate(), stops)
	late, known := int64(u.GetDelay()), u.Delay != nil
	first, lead := -1, int64(0)
	for i := range calls {
		c := &calls[i]
		s := updates[i]
		switch {
		case s.GetScheduleRelationship() == rt.TripUpdate_StopTimeUpdate_SKIPPED:
			c.skipped = true
		case s.GetScheduleRelationship() == rt.TripUpdate_StopTimeUpdate_NO_DATA:
			known = false
		case !told(s.GetArrival()) && !told(s.GetDeparture()):
			if known {
				c.carry(late)
			}
		default:
			late, known = c.assert(s, late, known), true
			if first < 0 {
				first, lead = i, c.arrival-j.arrival(i)
			}
		}
		if _, there := stops.stops[s.GetStopId()]; there && !stops.same(s.GetStopId(), c.stop) {
			c.stop = s.GetStopId()
		}
		if p := s.GetStopTimeProperties(); p.GetAssignedStopId() != "" {
			c.stop = p.GetAssignedStopId()
		}
	}
	return slices.DeleteFunc(calls, func(c stopping) bool {
		return c.skipped || c.call < first && c.origin == scheduled && j.departure(c.call)+lead < now
	})
}

// match finds the update of each call: by its sequence and its stop, which the feed may give both or one of. Where they
// contradict each other the stop counts, if the trip calls there at all: some feeds number calls in their own way. If it does
// not, the trip calls at another stop than planned.
func (j *journey) match(updates []*rt.TripUpdate_StopTimeUpdate, stops *timetable) []*rt.TripUpdate_StopTimeUpdate {
	out := make([]*rt.TripUpdate_StopTimeUpdate, len(j.run.StopID))
	next := 0
	var at map[string][]int // calls by what their stop may be named
	for _, u := range updates {
		i := -1
		if u.StopSequence != nil {
			if k, ok := slices.BinarySearchFunc(j.run.StopSequence, int64(u.GetStopSequence()), func(s int32, want int64) int { return cmp.Compare(int64(s), want) }); ok {
				i = k
			}
		}
		if id := u.GetStopId(); id != "" && (i < 0 || j.run.StopID[i] == nil || !stops.same(id, *j.run.StopID[i])) {
			if at == nil {
				at = j.callsByName(stops)
			}
			calls := at[id]
			first, _ := slices.BinarySearch(calls, next)
			for n := range calls { // those behind at last: not every feed keeps the order
				if k := calls[(first+n)%len(calls)]; out[k] == nil {
					i = k
					break
				}
			}
		}
		if i >= 0 {
			out[i], next = u, i+1
		}
	}
	return out
}

// callsByName are the calls at each stop, in their order, by its id and by its code.
func (j *journey) callsByName(stops *timetable) map[string][]int {
	at := map[string][]int{}
	for i, id := range j.run.StopID {
		if id == nil {
			continue
		}
		at[*id] = append(at[*id], i)
		if code := stops.stops[*id].StopCode; code != nil && *code != *id {
			at[*code] = append(at[*code], i)
		}
	}
	return at
}

// told tells whether the feed says anything of an event; a time of 0 is how some say that they know none.
func told(e *rt.TripUpdate_StopTimeEvent) bool { return e.GetTime() != 0 || e != nil && e.Delay != nil }

// inSeconds makes all times of an update Unix seconds.
func inSeconds(u *rt.TripUpdate) {
	for _, s := range u.GetStopTimeUpdate() {
		for _, e := range []*rt.TripUpdate_StopTimeEvent{s.GetArrival(), s.GetDeparture()} {
			if e != nil && e.Time != nil {
				*e.Time = gtfsrt.Seconds(*e.Time)
			}
		}
	}
}

// carry makes the call as late as the one before it.
func (c *stopping) carry(late int64) {
	c.arrival += late
	c.departure += late
	c.delay, c.origin = &late, propagated
}

// assert gives the call the feed's times and returns how late the vehicle leaves. late is how late it was before,
// if that is known.
func (c *stopping) assert(s *rt.TripUpdate_StopTimeUpdate, late int64, known bool) int64 {
	planned := *c
	at := func(e *rt.TripUpdate_StopTimeEvent, plan int64) int64 {
		if e.GetTime() != 0 {
			return e.GetTime()
		}
		return plan + int64(e.GetDelay())
	}
	switch {
	case told(s.Arrival) && told(s.Departure):
		c.arrival, c.departure = at(s.Arrival, planned.arrival), at(s.Departure, planned.departure)
	case told(s.Arrival):
		c.arrival = at(s.Arrival, planned.arrival)
		c.departure = max(c.arrival, planned.departure+c.arrival-planned.arrival)
	default:
		c.departure = at(s.Departure, planned.departure)
		if !known {
			late = c.departure - planned.departure
		}
		c.arrival = min(c.departure, planned.arrival+late)
	}
	delay := c.arrival - planned.arrival
	if s.Arrival != nil && s.Arrival.Delay != nil {
		delay = int64(s.Arrival.GetDelay()) // the feed's own word, which need not be the difference to our timetable
	}
	c.delay, c.origin = &delay, asserted
	return c.departure - planned.departure
}

// announced are the calls of a trip that has no timetable, which only the feed knows.
func announced(u *rt.TripUpdate) []stopping {
	var out []stopping
	for i, s := range u.GetStopTimeUpdate() {
		if s.GetScheduleRelationship() == rt.TripUpdate_StopTimeUpdate_SKIPPED {
			continue
		}
		c := stopping{call: i, stop: s.GetStopId(), origin: asserted}
		if id := s.GetStopTimeProperties().GetAssignedStopId(); id != "" {
			c.stop = id
		}
		a, d := s.GetArrival().GetTime(), s.GetDeparture().GetTime()
		if a == 0 && d == 0 {
			continue // no time, and no timetable to count a delay from
		}
		if a == 0 {
			a = d
		}
		c.arrival, c.departure = a, max(a, d)
		if e := s.GetArrival(); e != nil && e.Delay != nil {
			delay := int64(e.GetDelay())
			c.delay = &delay
		}
		out = append(out, c)
	}
	return out
}

// clockSeconds reads HH:MM:SS.
func clockSeconds(text string) (int32, bool) {
	parts := strings.Split(text, ":")
	if len(parts) != 3 {
		return 0, false
	}
	total := 0
	for i, limit := range []int{1000, 60, 60} {
		n, err := strconv.Atoi(parts[i])
		if err != nil || n < 0 || n >= limit {
			return 0, false
		}
		total = total*60 + n
	}
	return int32(total), true
}

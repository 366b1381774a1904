package gtfsrt

import "iter"

// Calls reads the stop time updates, in their order, up to one that is damaged.
func (u TripUpdate) Calls() iter.Seq[Call] {
	return func(yield func(Call) bool) {
		s := scanner{left: MaxParts}
		for r := s.read(u.Body); r.next(); {
			if r.is(2) && !yield(s.call(r.bytes)) {
				return
			}
		}
	}
}

// A Prediction has the values of a TripUpdate that predict its trip.
type Prediction struct {
	// Relationship is TripDescriptor.schedule_relationship, by its number.
	Relationship int32
	// Delay is TripUpdate.delay; HasDelay reports whether there is one.
	Delay    int32
	HasDelay bool
	// Own is trip_properties: the id, date and start of a duplicated trip.
	Own   Trip
	Calls []Call
}

// Prediction reads the update. It appends the calls to buffer, which may be used again for the next
// update. Departure boards use it because decoding takes ten times as long, and memory.
func (u TripUpdate) Prediction(buffer []Call) Prediction {
	p := Prediction{Calls: buffer}
	s := scanner{left: MaxParts}
	for r := s.read(u.Body); r.next(); {
		switch {
		case r.is(1):
			for r := s.read(r.bytes); r.next(); {
				if r.number(4) {
					p.Relationship = int32(r.value)
				}
			}
		case r.is(2):
			p.Calls = append(p.Calls, s.call(r.bytes))
		case r.number(5):
			p.Delay, p.HasDelay = int32(r.value), true
		case r.is(6):
			s.texts(r.bytes, &p.Own.TripID, &p.Own.StartDate, &p.Own.StartTime)
		}
	}
	return p
}

// A Stop identifies the stop of a call as in the realtime feed: by its id, by the number of the
// call, or both.
type Stop struct {
	StopID []byte // nil when the feed leaves it to the sequence
	// Sequence is stop_sequence; -1 when there is none.
	Sequence int64
}

// A Call has the values of a StopTimeUpdate.
type Call struct {
	Stop
	Assigned           []byte // stop_time_properties.assigned_stop_id: where the trip calls instead
	Arrival, Departure Event
	// Relationship is schedule_relationship, by its number.
	Relationship int32
}

// An Event has the values of a StopTimeEvent; the zero Event has none.
type Event struct {
	Time     int64 // Unix seconds, see [Seconds]; 0 when there is none
	Delay    int32
	HasDelay bool
}

// Given reports that the event has a time or a delay.
func (e Event) Given() bool { return e.Time != 0 || e.HasDelay }

func (s *scanner) call(b []byte) Call {
	c := Call{Stop: Stop{Sequence: -1}}
	for r := s.read(b); r.next(); {
		switch {
		case r.number(1):
			c.Sequence = int64(uint32(r.value))
		case r.is(2):
			s.event(r.bytes, &c.Arrival)
		case r.is(3):
			s.event(r.bytes, &c.Departure)
		case r.is(4):
			c.StopID = r.bytes
		case r.number(5):
			c.Relationship = int32(r.value)
		case r.is(6):
			s.texts(r.bytes, &c.Assigned)
		}
	}
	return c
}

func (s *scanner) event(b []byte, e *Event) {
	for r := s.read(b); r.next(); {
		switch {
		case r.number(1):
			e.Delay, e.HasDelay = int32(r.value), true
		case r.number(2):
			e.Time = Seconds(int64(r.value))
		}
	}
}

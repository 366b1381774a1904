package gtfsrt

import "iter"

// Calls yields the stop time updates up to the first damaged one.
func (u TripUpdate) Calls() iter.Seq[Call] {
	return func(yield func(Call) bool) {
		s := scanner{left: MaxParts}
		for r := s.read(u.Body); r.next(); {
			if r.isBytes(2) && !yield(s.call(r.bytes)) {
				return
			}
		}
	}
}

// A Prediction has the values of a TripUpdate that predict its trip.
type Prediction struct {
	// Relationship is TripDescriptor.schedule_relationship, by its number.
	Relationship int32
	// Delay is TripUpdate.delay.
	Delay    int32
	HasDelay bool
	// Own is trip_properties: the id, date and start time of a duplicated trip.
	Own   Trip
	Calls []Call
}

// Prediction reads the update in a tenth of the time of decoding. It appends the calls to buffer,
// which may be reused for the next update.
func (u TripUpdate) Prediction(buffer []Call) Prediction {
	p := Prediction{Calls: buffer}
	s := scanner{left: MaxParts}
	for r := s.read(u.Body); r.next(); {
		switch {
		case r.isBytes(1):
			for r := s.read(r.bytes); r.next(); {
				if r.isVarint(4) {
					p.Relationship = int32(r.value)
				}
			}
		case r.isBytes(2):
			p.Calls = append(p.Calls, s.call(r.bytes))
		case r.isVarint(5):
			p.Delay, p.HasDelay = int32(r.value), true
		case r.isBytes(6):
			s.fields(r.bytes, &p.Own.TripID, &p.Own.StartDate, &p.Own.StartTime)
		}
	}
	return p
}

// A Stop identifies the stop of a call by its id, by its sequence, or by both.
type Stop struct {
	StopID []byte // nil if absent
	// Sequence is stop_sequence; -1 if absent.
	Sequence int64
}

// A Call has the values of a StopTimeUpdate.
type Call struct {
	Stop
	Assigned           []byte // stop_time_properties.assigned_stop_id
	Arrival, Departure Event
	// Relationship is schedule_relationship, by its number.
	Relationship int32
}

// An Event has the values of a StopTimeEvent.
type Event struct {
	Time     int64 // Unix seconds, see [Seconds]; 0 if absent
	Delay    int32
	HasDelay bool
}

// Given reports whether the event has a time or a delay.
func (e Event) Given() bool { return e.Time != 0 || e.HasDelay }

func (s *scanner) call(b []byte) Call {
	c := Call{Stop: Stop{Sequence: -1}}
	for r := s.read(b); r.next(); {
		switch {
		case r.isVarint(1):
			c.Sequence = int64(uint32(r.value))
		case r.isBytes(2):
			s.event(r.bytes, &c.Arrival)
		case r.isBytes(3):
			s.event(r.bytes, &c.Departure)
		case r.isBytes(4):
			c.StopID = r.bytes
		case r.isVarint(5):
			c.Relationship = int32(r.value)
		case r.isBytes(6):
			s.fields(r.bytes, &c.Assigned)
		}
	}
	return c
}

func (s *scanner) event(b []byte, e *Event) {
	for r := s.read(b); r.next(); {
		switch {
		case r.isVarint(1):
			e.Delay, e.HasDelay = int32(r.value), true
		case r.isVarint(2):
			e.Time = Seconds(int64(r.value))
		}
	}
}

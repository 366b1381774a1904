package gtfsrt

// A Prediction has the values of a TripUpdate that predict its trip.
type Prediction struct {
	// Relationship is the number of TripDescriptor.schedule_relationship.
	Relationship int32
	Delay        int32
	HasDelay     bool
	// Own is trip_properties: the id, date and start time of a duplicated trip. Headsign is its
	// trip_headsign; nil if absent.
	Own      Trip
	Headsign []byte
	Calls    []Call
}

// Prediction reads the update in a tenth of the time of decoding. It appends the calls to buffer,
// which may be reused for the next update.
func (u TripUpdate) Prediction(buffer []Call) Prediction {
	p := Prediction{Relationship: u.Relationship, Calls: buffer}
	s := scanner{left: MaxParts}
	for r := s.read(u.Body); r.next(); {
		switch {
		case r.isBytes(2):
			p.Calls = append(p.Calls, Call{})
			s.call(r.bytes, &p.Calls[len(p.Calls)-1])
		case r.isVarint(5):
			p.Delay, p.HasDelay = int32(r.value), true
		case r.isBytes(6):
			var shape []byte
			s.fields(r.bytes, &p.Own.TripID, &p.Own.StartDate, &p.Own.StartTime, &shape, &p.Headsign)
		}
	}
	return p
}

// A Stop identifies the stop of a call by its id, its sequence number, or both.
type Stop struct {
	StopID []byte // nil if absent
	// Sequence is stop_sequence, or -1 if it is absent.
	Sequence int64
}

// A Call has the values of a StopTimeUpdate.
type Call struct {
	Stop
	Assigned, Headsign []byte // stop_time_properties: assigned_stop_id and stop_headsign; nil if absent
	Pickup             string // stop_time_properties.pickup_type as the static feed writes it; "" if absent
	Arrival, Departure Event
	Relationship       int32
	HasRelationship    bool
}

// An Event has the values of a StopTimeEvent.
type Event struct {
	Time     int64 // Unix seconds, see [Seconds]; 0 if absent
	Planned  int64 // scheduled_time in Unix seconds; 0 if absent
	Delay    int32
	HasDelay bool
	HasTime  bool
	// Scaled reports whether the time was published in milliseconds or microseconds. Present reports
	// whether the event is present, with or without a value.
	Scaled, Present bool
}

// Given reports whether the event has a time or a delay.
func (e Event) Given() bool { return e.Time != 0 || e.HasDelay }

// call reads a StopTimeUpdate. It does without a reader for speed: most of the time of reading trip
// updates is spent here.
func (s *scanner) call(b []byte, c *Call) {
	c.Sequence = -1
	for len(b) > 0 {
		t, value, inside, n := consumeField(b)
		if n < 0 {
			s.bad = true
			return
		}
		b = b[n:]
		switch t {
		case 1<<3 | asVarint:
			c.Sequence = int64(uint32(value))
		case 2<<3 | asBytes:
			s.event(inside, &c.Arrival)
		case 3<<3 | asBytes:
			s.event(inside, &c.Departure)
		case 4<<3 | asBytes:
			c.StopID = inside
		case 5<<3 | asVarint:
			c.Relationship, c.HasRelationship = int32(value), true
		case 6<<3 | asBytes:
			s.properties(inside, c)
		}
	}
}

// properties reads the StopTimeProperties of a call.
func (s *scanner) properties(b []byte, c *Call) {
	for r := s.read(b); r.next(); {
		switch {
		case r.isBytes(1):
			c.Assigned = r.bytes
		case r.isBytes(2):
			c.Headsign = r.bytes
		case r.isVarint(3) && r.value < uint64(len(pickups)):
			c.Pickup = pickups[r.value]
		}
	}
}

var pickups = [...]string{"0", "1", "2", "3"}

func (s *scanner) event(b []byte, e *Event) {
	e.Present = true
	for len(b) > 0 {
		t, value, _, n := consumeField(b)
		if n < 0 {
			s.bad = true
			return
		}
		b = b[n:]
		switch t {
		case 1<<3 | asVarint:
			e.Delay, e.HasDelay = int32(value), true
		case 2<<3 | asVarint:
			e.Time, e.HasTime = Seconds(int64(value)), true
			e.Scaled = e.Time != int64(value)
		case 4<<3 | asVarint:
			e.Planned = Seconds(int64(value))
		}
	}
}

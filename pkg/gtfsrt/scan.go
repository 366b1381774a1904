package gtfsrt

import (
	"errors"
	"fmt"
)

// MaxParts bounds the number of parts of a message: entities, stop time updates, selectors,
// periods, texts and carriages. It is several times the numbers of the largest agencies. Merges of
// repeated fields count as parts too.
const MaxParts = 2 << 20

var (
	// ErrFormat is wrapped by the error for an invalid or truncated message.
	ErrFormat = errors.New("not a whole GTFS-Realtime message")
	// ErrTooMany is wrapped by the error for a message beyond the limits.
	ErrTooMany = errors.New("more parts than allowed")
)

// Scan walks a FeedMessage. It omits deleted entities, which occur only in differential messages.
// Parts that it does not read may be damaged; see Check.
func Scan(data []byte) (*Message, error) { return ScanCalls(data, nil) }

// ScanCalls is like Scan, and also decodes and checks trip updates in the same walk. It calls yield
// with each call of TripUpdates, in order.
func ScanCalls(data []byte, yield func(Call)) (*Message, error) {
	m, err := scan(data, MaxParts, yield)
	if err != nil {
		return nil, err
	}
	if need := m.Memory(); need > MaxMemory {
		return nil, fmt.Errorf("%w: it needs %d MB of memory; at most %d MB are allowed", ErrTooMany, need>>20, MaxMemory>>20)
	}
	return m, nil
}

func scan(data []byte, parts int, yield func(Call)) (*Message, error) {
	s := scanner{left: parts, canStore: MaxMemory / selectorMemory, yield: yield}
	header := false
	for r := s.read(data); r.next(); {
		switch {
		case r.isBytes(1):
			header = true
			s.m.Header = s.merge(s.m.Header, r.bytes)
			s.header(r.bytes)
		case r.isBytes(2):
			before := s.left
			if s.entity(r.bytes); before-s.left > MaxEntityParts {
				return nil, fmt.Errorf("%w: an entity has more than %d", ErrTooMany, MaxEntityParts)
			}
		}
	}
	s.m.size, s.m.parts = len(data), parts-s.left
	switch {
	case s.bad:
		return nil, fmt.Errorf("%w (%d bytes)", ErrFormat, len(data))
	case s.canStore < 0:
		return nil, fmt.Errorf("%w (%d entities and selectors)", ErrTooMany, MaxMemory/selectorMemory)
	case s.left < 0:
		return nil, fmt.Errorf("%w (%d)", ErrTooMany, parts)
	case !header:
		return nil, fmt.Errorf("%w: it has no header", ErrFormat)
	}
	return &s.m, nil
}

// Filter returns a copy of a scanned FeedMessage without the entities that keep refuses. keep gets
// each entity as a message without a header.
func Filter(data []byte, keep func(entity *Message) bool) []byte {
	kept := make([]byte, 0, len(data))
	all := scanner{left: MaxParts}
	for r, from := all.read(data), data; r.next(); from = r.rest {
		if r.isBytes(2) {
			one := scanner{left: MaxParts, canStore: MaxMemory / selectorMemory}
			one.entity(r.bytes)
			if !keep(&one.m) {
				continue
			}
		}
		kept = append(kept, from[:len(from)-len(r.rest)]...)
	}
	return kept
}

type scanner struct {
	m        Message
	left     int // number of parts still allowed
	canStore int // number of entities and selectors still allowed, which stay in memory
	bad      bool
	yield    func(Call)
}

type reader struct {
	s     *scanner
	rest  []byte
	tag   tag
	value uint64 // for a varint or 32 bits
	bytes []byte // for a length-delimited field
}

func (s *scanner) read(b []byte) reader { return reader{s: s, rest: b} }

// next moves to the next field. Invalid bytes end the scan of the whole message.
func (r *reader) next() bool {
	if len(r.rest) == 0 || r.s.bad || r.s.left < 0 || r.s.canStore < 0 {
		return false
	}
	t, value, bytes, n := consumeField(r.rest)
	if n < 0 {
		r.s.bad = true
		return false
	}
	r.tag = t
	r.value = value
	r.bytes = bytes
	r.rest = r.rest[n:]
	return true
}

// isBytes reports whether the current field has number num and is length-delimited. A known field
// with another wire type counts as unknown.
func (r *reader) isBytes(num tag) bool { return r.tag == num<<3|asBytes }

func (r *reader) isVarint(num tag) bool { return r.tag == num<<3|asVarint }

func (s *scanner) header(b []byte) {
	for r := s.read(b); r.next(); {
		switch {
		case r.isBytes(1):
			s.m.Version = string(r.bytes)
		case r.isVarint(2):
			s.m.Differential, s.m.HasIncrementality = uint32(r.value) == 1, true
		case r.isVarint(3):
			s.m.Timestamp = r.value
		}
	}
}

func (s *scanner) entity(b []byte) {
	s.left--
	s.canStore--
	var id, update, vehicle, alert, rest []byte
	deleted, marked := false, false
	for r, from := s.read(b), b; r.next(); from = r.rest {
		switch {
		case r.isBytes(1):
			id = r.bytes
		case r.isVarint(2):
			deleted, marked = r.value != 0, true
		case r.isBytes(3):
			update = s.merge(update, r.bytes)
		case r.isBytes(4):
			vehicle = s.merge(vehicle, r.bytes)
		case r.isBytes(5):
			alert = s.merge(alert, r.bytes)
		default:
			rest = s.merge(rest, from[:len(from)-len(r.rest)])
		}
	}
	if marked {
		s.m.Marked = append(s.m.Marked, id)
	}
	if update != nil {
		u := s.tripUpdate(Entity{id, update, rest}, deleted)
		if deleted {
			s.m.Deleted = append(s.m.Deleted, Deleted{ID: id, Trip: u.Trip, VehicleID: u.VehicleID, Timestamp: u.Timestamp})
		} else {
			s.m.TripUpdates = append(s.m.TripUpdates, u)
		}
	}
	if vehicle != nil {
		v := s.vehicle(Entity{id, vehicle, rest})
		if deleted {
			s.m.Deleted = append(s.m.Deleted, Deleted{ID: id, Trip: v.Trip, VehicleID: v.VehicleID, Timestamp: v.Timestamp})
		} else {
			s.m.Vehicles = append(s.m.Vehicles, v)
		}
	}
	if alert != nil {
		a := s.alert(Entity{id, alert, rest})
		if !deleted {
			s.m.Alerts = append(s.m.Alerts, a)
		}
	}
	if update == nil && vehicle == nil && alert == nil && rest != nil && !deleted {
		s.m.Others = append(s.m.Others, Entity{ID: id, Rest: rest})
	}
}

// bytesPerPart is the number of merged bytes that count as one part. The cost of merging is bounded
// by bytes, because each merge copies all earlier pieces.
const bytesPerPart = 64

// merge merges two occurrences of a field. The wire format defines this as concatenation.
func (s *scanner) merge(before, b []byte) []byte {
	if before == nil {
		return b[:len(b):len(b)]
	}
	s.left -= 1 + (len(before)+len(b))/bytesPerPart
	if s.left < 0 {
		return before
	}
	return append(before[:len(before):len(before)], b...)
}

func (s *scanner) tripUpdate(e Entity, deleted bool) TripUpdate {
	u := TripUpdate{Entity: e}
	for r := s.read(e.Body); r.next(); {
		switch {
		case r.isBytes(1):
			s.trip(r.bytes, &u.Trip)
		case r.isBytes(2):
			s.left--
			u.Calls++
			if s.yield != nil && !deleted {
				var c Call
				s.call(r.bytes, &c)
				s.yield(c)
			}
		case r.isBytes(3):
			s.fields(r.bytes, &u.VehicleID)
		case r.isVarint(4):
			u.Timestamp = r.value
		case r.isBytes(6) && s.yield != nil:
			s.fields(r.bytes)
		}
	}
	return u
}

// inTransitTo is the default of VehiclePosition.current_status.
const inTransitTo = 2

func (s *scanner) vehicle(e Entity) Vehicle {
	v := Vehicle{Entity: e, At: Stop{Sequence: -1}, Status: inTransitTo}
	for r := s.read(e.Body); r.next(); {
		switch {
		case r.isBytes(1):
			s.trip(r.bytes, &v.Trip)
		case r.isVarint(3):
			v.At.Sequence = int64(uint32(r.value))
		case r.isVarint(4):
			v.Status = int32(r.value)
		case r.isVarint(5):
			v.Timestamp = r.value
		case r.isBytes(7):
			v.At.StopID = r.bytes
		case r.isBytes(8):
			s.fields(r.bytes, &v.VehicleID)
		case r.isBytes(11): // multi_carriage_details
			s.left--
		}
	}
	return v
}

func (s *scanner) alert(e Entity) Alert {
	a := Alert{Entity: e}
	for r := s.read(e.Body); r.next(); {
		switch {
		case r.isBytes(1), r.isBytes(2), r.isBytes(3): // active_period, communication_period, impact_period
			s.left--
		case r.isBytes(5):
			s.left--
			s.canStore--
			a.Informed = append(a.Informed, s.informed(r.bytes))
		case r.isVarint(7):
			a.Effect = int32(r.value)
		case r.isBytes(8), r.isBytes(10), r.isBytes(11), r.isBytes(12), r.isBytes(13): // texts, each with translations
			for r := s.read(r.bytes); r.next(); {
				if r.isBytes(1) {
					s.left--
				}
			}
		}
	}
	return a
}

func (s *scanner) informed(b []byte) (in Informed) {
	for r := s.read(b); r.next(); {
		switch {
		case r.isBytes(1):
			in.AgencyID = r.bytes
		case r.isBytes(2):
			in.Route = r.bytes
		case r.isVarint(3):
			in.HasRouteType = true
		case r.isBytes(4):
			s.trip(r.bytes, &in.Trip)
		case r.isBytes(5):
			in.StopID = r.bytes
		}
	}
	return in
}

func (s *scanner) trip(b []byte, t *Trip) {
	t.Given = true
	for r := s.read(b); r.next(); {
		switch {
		case r.isBytes(1):
			t.TripID = r.bytes
		case r.isBytes(2):
			t.StartTime = r.bytes
		case r.isBytes(3):
			t.StartDate = r.bytes
		case r.isVarint(4):
			t.Relationship, t.HasRelationship = int32(r.value), true
		case r.isBytes(5):
			t.RouteID = r.bytes
		case r.isVarint(6):
			t.Direction = Direction(uint64(uint32(r.value)))
		case r.isBytes(7): // modified_trip stands in place of the other fields
			var modifications []byte
			later := scanner{left: MaxParts} // older decoders skip the field, so damage there is no error
			later.fields(r.bytes, &modifications, &t.TripID, &t.StartTime, &t.StartDate)
		}
	}
}

func (s *scanner) fields(b []byte, into ...*[]byte) {
	for r := s.read(b); r.next(); {
		if num := int(r.tag >> 3); r.tag&7 == asBytes && num <= len(into) {
			*into[num-1] = r.bytes
		}
	}
}

package gtfsrt

import "hash/maphash"

// Limits derived from the memory limit of the services: transit-api has 1 GiB, and briefly holds
// two messages of a source beside its other data.
const (
	// MaxMemory is the memory that a message may take with its index, see [Message.Memory].
	MaxMemory = 128 << 20
	// MaxEntityParts is how many parts one entity may have, which is decoded as a whole.
	MaxEntityParts = 50_000
)

// Measured memory of the parts of a message that is held with an index by stop, route, trip and
// agency: of an entity with its trip, of a call in the list of its stop, and of each stop.
const (
	entityMemory   = 1000
	selectorMemory = 500
	callMemory     = 12
	nameMemory     = 200
)

// Memory estimates the largest memory of the message with its index, in bytes.
func (m *Message) Memory() int64 {
	n := int64(m.size) + m.entities()
	if most := n + int64(m.size) + int64(m.parts)*(callMemory+nameMemory); most <= MaxMemory {
		return most // whatever its parts name
	}
	names := map[uint64]struct{}{} // of stops; by a hash, so that it costs little itself
	seed := maphash.MakeSeed()
	name := func(id []byte) {
		if len(id) > 0 {
			before := len(names)
			names[maphash.Bytes(seed, id)] = struct{}{}
			if len(names) > before {
				n += nameMemory + int64(len(id))
			}
		}
	}
	for _, u := range m.TripUpdates {
		for c := range u.Calls() {
			n += callMemory
			name(c.StopID)
			name(c.Assigned)
		}
		if n > MaxMemory {
			return n // enough is known
		}
	}
	return n
}

// entities is what the entities and selectors take.
func (m *Message) entities() int64 {
	n := entityMemory * int64(len(m.TripUpdates)+len(m.Vehicles)+len(m.Alerts)+len(m.Others))
	for _, a := range m.Alerts {
		n += selectorMemory * int64(len(a.Informed))
	}
	return n
}

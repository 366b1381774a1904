package tile

import (
	"slices"

	"github.com/paulmach/orb"
	"google.golang.org/protobuf/encoding/protowire"
)

// A tag is a property of a feature.
type tag struct{ key, value string }

// A layer is encoded while features are added: those for which it has no more room are left out.
type layer struct {
	name     string
	room     int
	features []byte
	keys     index
	values   index

	commands, numbers, feature []byte // buffers
}

// An index numbers texts, and encodes them in the order of their numbers.
type index struct {
	numbers map[string]uint64
	encoded []byte
}

func newLayer(name string, room int) *layer {
	return &layer{name: name, room: room - len(name) - 32, keys: index{numbers: map[string]uint64{}}, values: index{numbers: map[string]uint64{}}}
}

// Versions and fields of the format.
const (
	formatVersion = 2
	pointType     = 1
	lineType      = 2
	moveTo        = 1
	lineTo        = 2
)

// appendTo appends the layer to a tile, unless it is empty.
func (l *layer) appendTo(tile []byte) []byte {
	if len(l.features) == 0 {
		return tile
	}
	b := protowire.AppendVarint(protowire.AppendTag(nil, 15, protowire.VarintType), formatVersion)
	b = protowire.AppendString(protowire.AppendTag(b, 1, protowire.BytesType), l.name)
	b = slices.Concat(b, l.features, l.keys.encoded, l.values.encoded)
	b = protowire.AppendVarint(protowire.AppendTag(b, 5, protowire.VarintType), extent)
	return protowire.AppendBytes(protowire.AppendTag(tile, 3, protowire.BytesType), b)
}

// draw encodes lines as commands: positions are differences. A line of one position is a point.
func (l *layer) draw(lines ...orb.LineString) {
	b, last := l.commands[:0], [2]int64{}
	command := func(id, count int) { b = protowire.AppendVarint(b, uint64(id)|uint64(count)<<3) }
	for _, line := range lines {
		command(moveTo, 1)
		for i, at := range line {
			if i == 1 {
				command(lineTo, len(line)-1)
			}
			for k := range last {
				next := int64(at[k])
				b = protowire.AppendVarint(b, protowire.EncodeZigZag(next-last[k]))
				last[k] = next
			}
		}
	}
	l.commands = b
}

// add adds a feature, if there is room.
func (l *layer) add(geometry uint64, tags []tag, lines ...orb.LineString) {
	l.draw(lines...)
	size := len(l.commands) + 16
	for _, t := range tags {
		size += 8 + len(t.value) // if it is new; keys are few
	}
	if len(l.features)+len(l.keys.encoded)+len(l.values.encoded)+size > l.room {
		return
	}
	numbers := l.numbers[:0]
	for _, t := range tags {
		numbers = protowire.AppendVarint(numbers, l.keys.of(t.key, func(b []byte) []byte {
			return protowire.AppendString(protowire.AppendTag(b, 3, protowire.BytesType), t.key)
		}))
		numbers = protowire.AppendVarint(numbers, l.values.of(t.value, func(b []byte) []byte {
			text := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), t.value)
			return protowire.AppendBytes(protowire.AppendTag(b, 4, protowire.BytesType), text)
		}))
	}
	l.numbers = numbers
	b := protowire.AppendBytes(protowire.AppendTag(l.feature[:0], 2, protowire.BytesType), numbers)
	b = protowire.AppendVarint(protowire.AppendTag(b, 3, protowire.VarintType), geometry)
	b = protowire.AppendBytes(protowire.AppendTag(b, 4, protowire.BytesType), l.commands)
	l.feature = b
	l.features = protowire.AppendBytes(protowire.AppendTag(l.features, 2, protowire.BytesType), b)
}

// of is the number of a text, which is encoded when it is new.
func (x *index) of(text string, encode func([]byte) []byte) uint64 {
	n, ok := x.numbers[text]
	if !ok {
		n = uint64(len(x.numbers))
		x.numbers[text] = n
		x.encoded = encode(x.encoded)
	}
	return n
}

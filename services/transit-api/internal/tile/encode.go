package tile

import (
	"github.com/paulmach/orb"
	"google.golang.org/protobuf/encoding/protowire"
)

// A tag is a property of a feature.
type tag struct{ key, value string }

// encoded is a tile in the making.
type encoded struct{ tile []byte }

// add adds a layer, unless it is empty.
func (e *encoded) add(l *layer) {
	if len(l.features) == 0 {
		return
	}
	e.tile = protowire.AppendBytes(protowire.AppendTag(e.tile, 3, protowire.BytesType), l.message())
}

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

func (l *layer) message() []byte {
	b := protowire.AppendVarint(protowire.AppendTag(nil, 15, protowire.VarintType), formatVersion)
	b = protowire.AppendString(protowire.AppendTag(b, 1, protowire.BytesType), l.name)
	b = append(append(append(b, l.features...), l.keys.encoded...), l.values.encoded...)
	return protowire.AppendVarint(protowire.AppendTag(b, 5, protowire.VarintType), extent)
}

// A cursor encodes positions as differences.
type cursor struct {
	b    []byte
	x, y int64
}

func (c *cursor) command(id, count int) {
	c.b = protowire.AppendVarint(c.b, uint64(id)|uint64(count)<<3)
}

func (c *cursor) to(at orb.Point) {
	x, y := int64(at[0]), int64(at[1])
	c.b = protowire.AppendVarint(protowire.AppendVarint(c.b, protowire.EncodeZigZag(x-c.x)), protowire.EncodeZigZag(y-c.y))
	c.x, c.y = x, y
}

func (l *layer) lines(lines []orb.LineString, tags []tag) {
	c := cursor{b: l.commands[:0]}
	for _, line := range lines {
		c.command(moveTo, 1)
		c.to(line[0])
		c.command(lineTo, len(line)-1)
		for _, at := range line[1:] {
			c.to(at)
		}
	}
	l.commands = c.b
	l.add(lineType, tags)
}

func (l *layer) point(at orb.Point, tags []tag) {
	c := cursor{b: l.commands[:0]}
	c.command(moveTo, 1)
	c.to(orb.Point{round(at[0]), round(at[1])})
	l.commands = c.b
	l.add(pointType, tags)
}

// add adds a feature with the geometry of the commands, if there is room.
func (l *layer) add(geometry uint64, tags []tag) {
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

package tile

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/paulmach/orb"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/townline/townline/services/transit-api/internal/edition"
)

type tag struct{ key, value string }

// A layer encodes features as they are added, up to maxBytes.
type layer struct {
	name     string
	maxBytes int
	features []byte
	keys     index
	values   index

	commands, numbers, feature []byte // reused buffers
}

// An index numbers texts and encodes them in the order of their numbers.
type index struct {
	numbers map[string]uint64
	encoded []byte
}

func newLayer(name string, maxBytes int) *layer {
	return &layer{name: name, maxBytes: maxBytes - len(name) - 32, keys: index{numbers: map[string]uint64{}},
		values: index{numbers: map[string]uint64{}}}
}

const (
	formatVersion = 2
	pointType     = 1
	lineType      = 2
	moveTo        = 1
	lineTo        = 2
)

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

// draw encodes lines as commands with relative positions. A line with one position is a point.
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

// add adds a feature unless it exceeds maxBytes.
func (l *layer) add(geometry uint64, tags []tag, lines ...orb.LineString) {
	l.draw(lines...)
	size := len(l.commands) + 16
	for _, t := range tags {
		size += 8 + len(t.value) // size of a new value; there are only few keys
	}
	if len(l.features)+len(l.keys.encoded)+len(l.values.encoded)+size > l.maxBytes {
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

// of returns the number of a text, and encodes a new text.
func (x *index) of(text string, encode func([]byte) []byte) uint64 {
	n, ok := x.numbers[text]
	if !ok {
		n = uint64(len(x.numbers))
		x.numbers[text] = n
		x.encoded = encode(x.encoded)
	}
	return n
}

const maxLatitude = 85.05112877980659

// mercator returns a position as fractions of the world, from 0 to 1, from the north-west.
func mercator(lat, lon float64) (x, y float64) {
	lat = max(-maxLatitude, min(lat, maxLatitude))
	return (lon + 180) / 360, max(0, min(0.5-math.Asinh(math.Tan(lat*math.Pi/180))/(2*math.Pi), 1))
}

func degrees(x, y float64) (lat, lon float64) {
	return math.Atan(math.Sinh((0.5-y)*2*math.Pi)) * 180 / math.Pi, x*360 - 180
}

// A point has 32 bits for each side of the world: a unit is about a centimetre.
type point struct{ x, y uint32 }

func (p point) world() (x, y float64) { return float64(p.x) / (1 << 32), float64(p.y) / (1 << 32) }

// nowhere is an empty bound.
var nowhere = orb.Bound{Min: orb.Point{2, 2}, Max: orb.Point{-1, -1}}

// inDegrees converts a bound. Tiles at the edge of the world reach the poles.
func inDegrees(b orb.Bound) edition.Box {
	north, west := degrees(max(b.Min[0], 0), max(b.Min[1], 0))
	south, east := degrees(min(b.Max[0], 1), min(b.Max[1], 1))
	if b.Min[1] <= 0 {
		north = 90
	}
	if b.Max[1] >= 1 {
		south = -90
	}
	return edition.Box{west, south, east, north}
}

// modes are the names of route types, the most important first: a full tile omits the last modes
// first.
var modes = []string{"rail", "subway", "monorail", "tram", "ferry", "funicular", "gondola", "cable_tram", "air",
	"trolleybus", "coach", "bus", "taxi", "other"}

// typeModes has the modes of GTFS route types, of the hundreds of extended types, and of
// exceptions.
var typeModes = map[int]string{0: "tram", 1: "subway", 2: "rail", 3: "bus", 4: "ferry", 5: "cable_tram",
	6: "gondola", 7: "funicular", 11: "trolleybus", 12: "monorail",
	100: "rail", 200: "coach", 300: "rail", 400: "subway", 500: "subway", 600: "subway", 700: "bus", 800: "trolleybus",
	900: "tram", 1000: "ferry", 1100: "air", 1200: "ferry", 1300: "gondola", 1400: "funicular", 1500: "taxi",
	405: "monorail"}

func modeOf(routeType string) string {
	n, err := strconv.Atoi(routeType)
	if err != nil {
		return "other"
	}
	if typeModes[n] == "" && n > 100 {
		n -= n % 100
	}
	return cmp.Or(typeModes[n], "other")
}

// weight sorts the most important mode first.
func weight(mode string) int { return slices.Index(modes, mode) }

type modeSet uint16

// String returns the modes, separated by commas.
func (s modeSet) String() string {
	var words []string
	for i, word := range modes {
		if s&(1<<i) != 0 {
			words = append(words, word)
		}
	}
	return strings.Join(words, ",")
}

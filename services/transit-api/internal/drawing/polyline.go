package drawing

import (
	"math"

	"github.com/paulmach/orb"
)

// Polyline encodes a line by Google's polyline algorithm, in hundred-thousandths of a degree.
func Polyline(points []orb.Point) string {
	var b []byte
	lat, lon := 0, 0
	for _, p := range points {
		y, x := int(math.Round(p.Lat()*1e5)), int(math.Round(p.Lon()*1e5))
		b = appendNumber(appendNumber(b, y-lat), x-lon)
		lat, lon = y, x
	}
	return string(b)
}

// appendNumber appends a number in groups of five bits, lowest first. The lowest bit is the sign.
func appendNumber(b []byte, n int) []byte {
	bits := n << 1
	if n < 0 {
		bits = ^bits
	}
	for ; bits >= 0x20; bits >>= 5 {
		b = append(b, byte(bits&0x1f|0x20)+63)
	}
	return append(b, byte(bits)+63)
}

package tile

import (
	"math"

	"github.com/paulmach/orb"

	"github.com/townline/townline/services/transit-api/internal/edition"
)

// maxLatitude is where the square of Web Mercator ends.
const maxLatitude = 85.05112877980659

// mercator is a position as parts of the world from the north-west, each from 0 to 1.
func mercator(lat, lon float64) (x, y float64) {
	lat = max(-maxLatitude, min(lat, maxLatitude))
	return (lon + 180) / 360, max(0, min(0.5-math.Asinh(math.Tan(lat*math.Pi/180))/(2*math.Pi), 1))
}

// degrees is the inverse of mercator.
func degrees(x, y float64) (lat, lon float64) {
	return math.Atan(math.Sinh((0.5-y)*2*math.Pi)) * 180 / math.Pi, x*360 - 180
}

// A point is a position with 32 bits for each side of the world: about a centimetre.
type point struct{ x, y uint32 }

func (p point) world() (x, y float64) { return float64(p.x) / (1 << 32), float64(p.y) / (1 << 32) }

// Bounds are in parts of the world, from the north-west. nowhere is that of nothing.
var nowhere = orb.Bound{Min: orb.Point{2, 2}, Max: orb.Point{-1, -1}}

// inDegrees is a bound in degrees. The tiles at the edge of the world reach the poles.
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

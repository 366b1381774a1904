package tile

import (
	"math"

	"github.com/townline/townline/services/transit-api/internal/edition"
)

// maxLatitude is where the square of Web Mercator ends.
const maxLatitude = 85.05112877980659

// mercator is a point as parts of the world from the north-west, each from 0 to 1.
func mercator(lat, lon float64) (x, y float64) {
	lat = max(-maxLatitude, min(lat, maxLatitude))
	return (lon + 180) / 360, max(0, min(0.5-math.Asinh(math.Tan(lat*math.Pi/180))/(2*math.Pi), 1))
}

// degrees is the point of parts of the world.
func degrees(x, y float64) (lat, lon float64) {
	return math.Atan(math.Sinh((0.5-y)*2*math.Pi)) * 180 / math.Pi, x*360 - 180
}

func round(v float64) float64 { return math.Round(v) }

// A point is a position with 32 bits for each side of the world: about a centimetre.
type point struct{ x, y uint32 }

func (p point) world() (x, y float64) { return float64(p.x) / (1 << 32), float64(p.y) / (1 << 32) }

// A box is west, north, east and south in parts of the world.
type box [4]float64

// nowhere is the box of nothing.
var nowhere = box{2, 2, -1, -1}

func (b box) with(p point) box {
	x, y := p.world()
	return box{min(b[0], x), min(b[1], y), max(b[2], x), max(b[3], y)}
}

func (b box) joined(c box) box {
	return box{min(b[0], c[0]), min(b[1], c[1]), max(b[2], c[2]), max(b[3], c[3])}
}

func (b box) meets(c box) bool {
	return b[0] <= c[2] && c[0] <= b[2] && b[1] <= c[3] && c[1] <= b[3]
}

// degrees is the box in degrees. At the edge of the world it ends.
func (b box) degrees() edition.Box {
	north, west := degrees(max(b[0], 0), max(b[1], 0))
	south, east := degrees(min(b[2], 1), min(b[3], 1))
	if b[1] <= 0 {
		north = 90
	}
	if b[3] >= 1 {
		south = -90
	}
	return edition.Box{west, south, east, north}
}

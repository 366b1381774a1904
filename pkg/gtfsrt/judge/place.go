package judge

import "math"

const (
	metresPerDegree = 111_195.0
	areaMargin      = 1609.0 // distance from the area of a feed in metres: a mile, as in gtfs-realtime-validator
	shapeMargin     = 200.0
)

// A box is an area. It is empty if South is greater than North.
type box struct{ South, North, West, East float64 }

func (b *box) isNear(lat, lon, metres float64) bool {
	dy := metres / metresPerDegree
	dx := dy / max(math.Cos(lat*math.Pi/180), .01)
	return lat >= b.South-dy && lat <= b.North+dy && lon >= b.West-dx && lon <= b.East+dx
}

type point struct{ lat, lon float32 }

// A line is a shape. It has a bounding box for each stretch, because most stretches are far from a
// vehicle.
type line struct {
	points []point
	boxes  []box
}

const stretch = 16 // number of points

func newLine(points []point) line {
	l := line{points: points}
	for i := 0; i < len(points); i += stretch {
		b := box{math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)}
		for _, p := range points[i:min(i+stretch+1, len(points))] {
			b.South, b.North = min(b.South, float64(p.lat)), max(b.North, float64(p.lat))
			b.West, b.East = min(b.West, float64(p.lon)), max(b.East, float64(p.lon))
		}
		l.boxes = append(l.boxes, b)
	}
	return l
}

func (l *line) isNear(lat, lon, metres float64) bool {
	perLon := metresPerDegree * math.Cos(lat*math.Pi/180)
	for n := range l.boxes {
		if !l.boxes[n].isNear(lat, lon, metres) {
			continue
		}
		from := n * stretch
		for i := from; i < min(from+stretch, len(l.points)); i++ {
			a, b := l.points[i], l.points[min(i+1, len(l.points)-1)]
			ax, ay := (float64(a.lon)-lon)*perLon, (float64(a.lat)-lat)*metresPerDegree
			bx, by := (float64(b.lon)-lon)*perLon, (float64(b.lat)-lat)*metresPerDegree
			along := 0.0 // position of the nearest point, from 0 at a to 1 at b
			if length := (bx-ax)*(bx-ax) + (by-ay)*(by-ay); length > 0 {
				along = min(max(-(ax*(bx-ax)+ay*(by-ay))/length, 0), 1)
			}
			if math.Hypot(ax+along*(bx-ax), ay+along*(by-ay)) <= metres {
				return true
			}
		}
	}
	return false
}

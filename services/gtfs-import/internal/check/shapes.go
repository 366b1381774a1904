package check

import (
	"bytes"
	"fmt"
	"math"

	"github.com/townline/townline/pkg/gtfs"
)

// shapes are numbered as the import numbers them. Of their points enough are kept to measure how
// far a stop is from the line.
type shapes struct {
	begin  []int32   // by shape: the line of the file
	points [][]byte  // by shape: packed
	end    []float64 // by shape: the last distance along it, or None
	kept   int
	used   []bool

	reading polyline // the points of one shape
	packing []byte
}

const (
	// mostPoints are kept, of all shapes: some 40 MB.
	mostPoints = 8 << 20
	// farFromShape is how far from a line its stops may be, in metres.
	farFromShape = 100
	// beyondShape is how far the last stop may be from the last point, in metres.
	beyondShape = 11.1
	// tolerance of distances, which different programs round differently.
	tolerance = 1e-3
)

// BeginShape notes the line at which shape n is named first.
func (c *Checks) BeginShape(n int32, line int) {
	s := &c.shapes
	for int(n) >= len(s.begin) {
		s.begin, s.points, s.end = append(s.begin, 0), append(s.points, nil), append(s.end, None)
	}
	s.begin[n] = int32(line)
}

// Shape judges the points of shape n. Columns are texts with a comma between each two points; dist
// is empty without any distance.
func (c *Checks) Shape(n int32, id, lat, lon, dist []byte, points int) {
	s := &c.shapes
	for int(n) >= len(s.begin) {
		c.BeginShape(n, 0)
	}
	report := func(code gtfs.Code, field, more string, count int) {
		c.note(gtfs.Finding{Code: code, File: "shapes.txt", Line: int(s.begin[n]), Field: field,
			Value: []byte(string(id) + more), Count: count})
	}
	if points == 1 {
		report(gtfs.ShapeOnePoint, "shape_id", "", 1)
	}
	keep := s.kept+points <= mostPoints
	if !keep {
		c.Partly("shapes.txt")
	}
	l := &s.reading
	l.kept = l.kept[:0]
	var before [2]int32
	far := float64(None)
	falls, stands, twice := 0, 0, 0
	var example string
	for i := range points {
		var y, x, d []byte
		y, lat, _ = bytes.Cut(lat, []byte{','})
		x, lon, _ = bytes.Cut(lon, []byte{','})
		at := [2]int32{micro(y), micro(x)}
		switch {
		case i == 0:
			l.begin(at)
		case keep:
			l.next(at)
		}
		if len(dist) > 0 || far != None {
			d, dist, _ = bytes.Cut(dist, []byte{','})
		}
		if v, ok := distance(d); ok {
			switch {
			case far == None:
			case v < far:
				if falls++; falls == 1 {
					example = fmt.Sprintf(": %g, %g", far, v)
				}
			case v == far && at == before:
				twice++
			case v == far && metres(at, before, l.scale) > 1.11:
				stands++
			}
			far = v
		}
		before = at
	}
	s.points[n], s.end[n] = nil, far
	if keep && points > 1 {
		l.end()
		s.points[n] = s.pack(l.kept)
		s.kept += len(l.kept)
	}
	if falls > 0 {
		report(gtfs.ShapeDistanceFalls, "shape_dist_traveled", example, falls)
	}
	if stands > 0 {
		report(gtfs.ShapeDistanceStands, "shape_dist_traveled", "", stands)
	}
	if twice > 0 {
		report(gtfs.ShapePointTwice, "shape_dist_traveled", "", twice)
	}
}

// Follows notes that a trip follows shape n.
func (c *Checks) Follows(n int32) {
	s := &c.shapes
	for int(n) >= len(s.used) {
		s.used = append(s.used, false)
	}
	s.used[n] = true
}

// Unused judges whether trips follow each shape.
func (c *Checks) Unused(id func(int32) []byte) {
	for n, line := range c.shapes.begin {
		if n >= len(c.shapes.used) || !c.shapes.used[n] {
			c.note(gtfs.Finding{Code: gtfs.ShapeUnused, File: "shapes.txt", Line: int(line), Field: "shape_id",
				Value: id(int32(n))})
		}
	}
}

// A Way is trips that call at the same stops and follow the same shape.
type Way struct {
	Shape  int32
	ID     []byte // of the shape
	Trips  int
	Line   int // of the first trip
	Trip   []byte
	Stops  []int32
	End    float64 // the distance of the last call, or None
	StopID func(int32) []byte
}

// Way judges how far the stops are from the line. reported remembers the pairs that were reported
// before.
func (c *Checks) Way(w *Way, reported map[[2]int32]bool) {
	s := &c.shapes
	if int(w.Shape) >= len(s.points) {
		return
	}
	line := s.unpack(w.Shape)
	if len(line) < 2 {
		return
	}
	at := 0
	for _, stop := range w.Stops {
		p, ok := c.place(stop)
		if !ok || reported[[2]int32{w.Shape, stop}] {
			continue
		}
		near, found := nearest(line, at, p)
		at = found
		if near <= farFromShape+deviation {
			continue
		}
		if len(reported) < mostKept*100 {
			reported[[2]int32{w.Shape, stop}] = true
		}
		c.note(gtfs.Finding{Code: gtfs.StopFarFromShape, File: "stops.txt", Line: int(c.stops.line[stop]), Field: "stop_lat",
			Value: fmt.Appendf(nil, "%s: shape %s, %.0f m", w.StopID(stop), w.ID, near)})
	}
	if len(w.Stops) == 0 {
		return
	}
	p, ok := c.place(w.Stops[len(w.Stops)-1])
	if end := s.end[w.Shape]; ok && end != None && w.End != None && w.End > end*(1+tolerance) &&
		metres(p, line[len(line)-1], scaleAt(p[0])) > beyondShape {
		c.note(gtfs.Finding{Code: gtfs.TripBeyondShape, File: "trips.txt", Line: w.Line, Field: "shape_id", Count: w.Trips,
			Value: fmt.Appendf(nil, "%s: %g, shape %s: %g", w.Trip, w.End, w.ID, end)})
	}
}

// nearest is the distance from a position to a line in metres, and where on the line it was found.
// It begins at a segment, goes around once, and is content with the first that is near enough.
func nearest(line [][2]int32, from int, p [2]int32) (least float64, at int) {
	least, at = math.Inf(1), from
	scale := scaleAt(p[0])
	n := len(line) - 1
	for k := range n {
		i := from + k
		if i >= n {
			i -= n
		}
		ay, ax := float64(line[i][0]-p[0]), float64(line[i][1]-p[1])*scale
		by, bx := float64(line[i+1][0]-p[0]), float64(line[i+1][1]-p[1])*scale
		dy, dx := by-ay, bx-ax
		t := 0.0
		if l := dx*dx + dy*dy; l > 0 {
			t = max(0, min(1, -(ax*dx+ay*dy)/l))
		}
		x, y := ax+t*dx, ay+t*dy
		if d := math.Sqrt(x*x+y*y) * metresOf; d < least {
			least, at = d, i
			if d <= farFromShape {
				break
			}
		}
	}
	return least, at
}

// micro reads degrees as millionths of a degree. The import has seen that it is a number.
func micro(cell []byte) int32 {
	if v, ok := decimal(cell, 6); ok {
		return int32(v)
	}
	f, _ := gtfs.ParseFloat(cell)
	return int32(math.Round(f * 1e6))
}

// distance reads a distance; ok is false if it is none.
func distance(cell []byte) (float64, bool) {
	if v, ok := decimal(cell, 9); ok && len(cell) < 18 {
		return float64(v) / 1e9, true
	}
	return gtfs.ParseFloat(cell)
}

// decimal reads the usual form of a number, with so many digits after the point, and drops the
// others.
func decimal(cell []byte, digits int) (v int64, ok bool) {
	i, negative := 0, false
	if len(cell) > 0 && cell[0] == '-' {
		i, negative = 1, true
	}
	after := -1
	for start := i; i < len(cell); i++ {
		c := cell[i]
		switch {
		case c == '.' && after < 0:
			after = 0
			continue
		case c-'0' > 9 || i-start > 17:
			return 0, false
		case after >= digits:
			continue
		case after >= 0:
			after++
		}
		v = v*10 + int64(c-'0')
	}
	if len(cell) == 0 || i == 1 && (negative || after == 0) {
		return 0, false
	}
	for after = max(after, 0); after < digits; after++ {
		if v > math.MaxInt64/10 {
			return 0, false
		}
		v *= 10
	}
	if negative {
		v = -v
	}
	return v, true
}

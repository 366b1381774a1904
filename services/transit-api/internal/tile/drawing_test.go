package tile

import (
	"math"
	"slices"
	"testing"

	"github.com/paulmach/orb"
	"pgregory.net/rapid"

	"github.com/townline/townline/services/transit-api/internal/drawing"
)

// metresOff returns the distance of a point from the line of kept points. It shares no code with
// the package.
func metresOff(points []orb.Point, keep []int, i int) float64 {
	across := 111_195 * math.Cos(points[i].Lat()*math.Pi/180)
	metres := func(p orb.Point) orb.Point { return orb.Point{p.Lon() * across, p.Lat() * 111_195} }
	best := math.Inf(1)
	for k := range max(len(keep)-1, 1) {
		a, b := points[keep[k]], points[keep[min(k+1, len(keep)-1)]]
		best = min(best, off(metres(points[i]), metres(a), metres(b)))
	}
	return best
}

// off returns the distance of a point from the line between two others.
func off(p, a, b orb.Point) float64 {
	dx, dy := b[0]-a[0], b[1]-a[1]
	u := 0.0
	if dx != 0 || dy != 0 {
		u = max(0, min(1, ((p[0]-a[0])*dx+(p[1]-a[1])*dy)/(dx*dx+dy*dy)))
	}
	return math.Hypot(p[0]-a[0]-u*dx, p[1]-a[1]-u*dy)
}

// A simplified line has both ends and at most the allowed number of points, and is near all other
// points.
func TestSimplify(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lat := rapid.Float64Range(-60, 60).Draw(t, "lat")
		points := make([]orb.Point, rapid.IntRange(0, 60).Draw(t, "points"))
		for i := range points {
			points[i] = orb.Point{rapid.Float64Range(0, 0.01).Draw(t, "lon"), lat + rapid.Float64Range(0, 0.01).Draw(t, "dlat")}
		}
		most, tolerance := rapid.IntRange(2, 30).Draw(t, "most"), rapid.Float64Range(1, 200).Draw(t, "tolerance")
		keep, used := drawing.Simplify(points, tolerance, most)
		if len(keep) > most || used < tolerance || !slices.IsSorted(keep) ||
			len(slices.Compact(slices.Clone(keep))) != len(keep) {
			t.Fatalf("kept %v of %d, tolerance %f", keep, len(points), used)
		}
		if n := len(points); n > 0 && (keep[0] != 0 || keep[len(keep)-1] != n-1) || n == 0 && len(keep) > 0 {
			t.Fatalf("kept %v of %d", keep, n)
		}
		for i := range points {
			if d := metresOff(points, keep, i); d > used*1.02+1 {
				t.Fatalf("point %d is %.1f m off, tolerance %.1f", i, d, used)
			}
		}
	})
}

// All points are near the simplified line, even with spurs and circles.
func TestReduce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var line []orb.Point
		at := orb.Point{}
		step := rapid.Float64Range(-3, 3)
		for range rapid.IntRange(0, 80).Draw(t, "points") {
			at = orb.Point{at[0] + step.Draw(t, "x"), at[1] + step.Draw(t, "y")}
			line = append(line, at)
			if rapid.IntRange(0, 9).Draw(t, "back") == 0 {
				for i := len(line) - 2; i >= 0 && rapid.Bool().Draw(t, "on"); i-- {
					at = line[i]
					line = append(line, at)
				}
			}
		}
		tolerance := rapid.Float64Range(0.01, 5).Draw(t, "tolerance")
		keep := drawing.Reduce(line, tolerance)
		if n := len(line); n > 0 && (keep[0] != 0 || keep[len(keep)-1] != n-1) {
			t.Fatalf("kept %v of %d", keep, n)
		}
		for k := 1; k < len(keep); k++ {
			for i := keep[k-1] + 1; i < keep[k]; i++ {
				if d := off(line[i], line[keep[k-1]], line[keep[k]]); d > tolerance+1e-9 {
					t.Fatalf("point %d is %f off, tolerance %f; kept %v", i, d, tolerance, keep)
				}
			}
		}
	})
}

// Points on a straight street are omitted; its corners stay.
func TestSimplifyKeepsCorners(t *testing.T) {
	t.Parallel()
	var points []orb.Point
	for i := range 100 {
		points = append(points, orb.Point{float64(i) * 1e-4, 45})
	}
	for i := range 100 {
		points = append(points, orb.Point{99e-4, 45 + float64(i+1)*1e-4})
	}
	if keep, used := drawing.Simplify(points, 5, 500); !slices.Equal(keep, []int{0, 99, 199}) || used != 5 {
		t.Errorf("kept %v, tolerance %f", keep, used)
	}
	if keep, _ := drawing.Simplify(points, 5, 2); !slices.Equal(keep, []int{0, 199}) {
		t.Errorf("kept %v", keep)
	}
}

// A line of a million scattered points is simplified in bounded time.
func TestSimplifyEnds(t *testing.T) {
	t.Parallel()
	points := make([]orb.Point, 1_000_000)
	for i := range points {
		points[i] = orb.Point{float64(i%2) * 3, math.Mod(float64(i)*0.618034, 3)}
	}
	if keep, _ := drawing.Simplify(points, 1, 500); len(keep) > 500 || len(keep) < 2 {
		t.Errorf("kept %d", len(keep))
	}
	same := slices.Repeat([]orb.Point{{-63.57, 44.65}}, 5000)
	if keep, _ := drawing.Simplify(same, 1, 500); !slices.Equal(keep, []int{0, 4999}) {
		t.Errorf("kept %v of a line of length 0", keep)
	}
}

func TestCovered(t *testing.T) {
	t.Parallel()
	main := orb.LineString{{0, 0}, {0, 1000}, {1000, 1000}}
	branch := orb.LineString{{1000, 1000}, {2000, 2000}}
	for name, c := range map[string]struct {
		line orb.LineString
		by   []orb.LineString
		want bool
	}{
		"nothing before":     {main, nil, false},
		"the way back":       {orb.LineString{{1000, 1001}, {-1, 1000}, {0, 0}}, []orb.LineString{main}, true},
		"a short turn":       {orb.LineString{{0, 200}, {0, 700}}, []orb.LineString{main}, true},
		"a branch":           {append(orb.LineString{{0, 1000}}, branch...), []orb.LineString{main}, false},
		"along two of them":  {append(orb.LineString{{0, 1000}}, branch...), []orb.LineString{main, branch}, true},
		"beside, in between": {orb.LineString{{500, 2000}}, []orb.LineString{main, branch}, false},
	} {
		if got := drawing.IsCovered(c.line, c.by, 3); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

package drawing

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// metresOff is how far a point is from a line of kept points, on a sphere small enough to be flat: written apart from the code.
func metresOff(points []Point, keep []int, i int) float64 {
	across := 111_195 * math.Cos(points[i].Lat*math.Pi/180)
	best := math.Inf(1)
	for k := range max(len(keep)-1, 1) {
		a, b := points[keep[k]], points[keep[min(k+1, len(keep)-1)]]
		for step := range 201 { // walk along the stretch
			t := float64(step) / 200
			x := (a.Lon + t*(b.Lon-a.Lon) - points[i].Lon) * across
			y := (a.Lat + t*(b.Lat-a.Lat) - points[i].Lat) * 111_195
			best = min(best, math.Hypot(x, y))
		}
	}
	return best
}

// Whatever the line, what is kept is a part of it with both ends, no longer than allowed, and nothing left out is far from it.
func TestSimplify(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lat := rapid.Float64Range(-60, 60).Draw(t, "lat")
		points := make([]Point, rapid.IntRange(0, 60).Draw(t, "points"))
		for i := range points {
			points[i] = Point{rapid.Float64Range(0, 0.01).Draw(t, "lon"), lat + rapid.Float64Range(0, 0.01).Draw(t, "dlat")}
		}
		most, tolerance := rapid.IntRange(2, 30).Draw(t, "most"), rapid.Float64Range(1, 200).Draw(t, "tolerance")
		keep, used := Simplify(points, tolerance, most)
		if len(keep) > most || used < tolerance || !slices.IsSorted(keep) || len(slices.Compact(slices.Clone(keep))) != len(keep) {
			t.Fatalf("kept %v of %d, tolerance %f", keep, len(points), used)
		}
		if n := len(points); n > 0 && (keep[0] != 0 || keep[len(keep)-1] != n-1) || n == 0 && len(keep) > 0 {
			t.Fatalf("kept %v of %d", keep, n)
		}
		for i := range points {
			if off := metresOff(points, keep, i); off > used*1.02+10 { // a step of the walk is up to 10 m
				t.Fatalf("point %d is %.1f m off, tolerance %.1f", i, off, used)
			}
		}
	})
}

// A line is no longer than it need be: points on a straight street are left out, its corners stay.
func TestSimplifyKeepsCorners(t *testing.T) {
	t.Parallel()
	var points []Point
	for i := range 100 {
		points = append(points, Point{float64(i) * 1e-4, 45})
	}
	for i := range 100 {
		points = append(points, Point{99e-4, 45 + float64(i)*1e-4})
	}
	if keep, used := Simplify(points, 5, 500); !slices.Equal(keep, []int{0, 99, 199}) || used != 5 {
		t.Errorf("kept %v, tolerance %f", keep, used)
	}
	if keep, _ := Simplify(points, 5, 2); !slices.Equal(keep, []int{0, 199}) {
		t.Errorf("kept %v", keep)
	}
}

// A line of a million points, each far from the others, is drawn too: that it ends is the test.
func TestSimplifyEnds(t *testing.T) {
	t.Parallel()
	points := make([]Point, 1_000_000)
	for i := range points {
		points[i] = Point{float64(i%2) * 3, math.Mod(float64(i)*0.618034, 3)}
	}
	if keep, _ := Simplify(points, 1, 500); len(keep) > 500 || len(keep) < 2 {
		t.Errorf("kept %d", len(keep))
	}
	same := slices.Repeat([]Point{{-63.57, 44.65}}, 5000)
	if keep, _ := Simplify(same, 1, 500); !slices.Equal(keep, []int{0, 4999}) {
		t.Errorf("kept %v of a line that goes nowhere", keep)
	}
}

// A line that runs along others is covered, one that leaves them somewhere is not.
func TestCovered(t *testing.T) {
	t.Parallel()
	main := []Point{{-122, 40}, {-122, 40.1}, {-121.9, 40.1}}
	branch := []Point{{-121.9, 40.1}, {-121.8, 40.2}}
	for name, c := range map[string]struct {
		line []Point
		by   [][]Point
		want bool
	}{
		"nothing before":     {main, nil, false},
		"the way back":       {[]Point{{-121.9, 40.1001}, {-122.0001, 40.1}, {-122, 40}}, [][]Point{main}, true},
		"a short turn":       {[]Point{{-122, 40.02}, {-122, 40.07}}, [][]Point{main}, true},
		"a branch":           {append([]Point{{-122, 40.1}}, branch...), [][]Point{main}, false},
		"along two of them":  {append([]Point{{-122, 40.1}}, branch...), [][]Point{main, branch}, true},
		"beside, in between": {[]Point{{-121.95, 40.2}}, [][]Point{main, branch}, false},
	} {
		if got := Covered(c.line, c.by, 100); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

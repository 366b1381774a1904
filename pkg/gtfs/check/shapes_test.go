package check_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/townline/townline/pkg/gtfs/check"
)

// A simplified shape gives the same findings as all its points, except near the limit.
func TestStopsFarFromShapes(t *testing.T) {
	t.Parallel()
	far := 0
	rapid.Check(t, func(t *rapid.T) {
		const degree = 111_195.0 // metres, at the equator in both directions
		var lat, lon, ids []string
		var ys, xs []float64
		y, x := 0.1, 0.1
		heading := 0.0
		for range rapid.IntRange(2, 120).Draw(t, "points") {
			lat, lon = append(lat, fmt.Sprintf("%.6f", y)), append(lon, fmt.Sprintf("%.6f", x))
			ys, xs = append(ys, y), append(xs, x)
			if rapid.IntRange(0, 4).Draw(t, "bend") == 0 {
				heading = rapid.Float64Range(0, 2*math.Pi).Draw(t, "heading")
			}
			step := rapid.Float64Range(0, 60).Draw(t, "step") / degree
			y, x = y+step*math.Sin(heading), x+step*math.Cos(heading)
			heading += rapid.Float64Range(-0.3, 0.3).Draw(t, "turn")
		}
		rows := []string{"stop_id,stop_name,stop_lat,stop_lon"}
		var distance []float64 // metres from the shape, by stop
		u := check.ShapeUse{ShapeID: []byte("H"), TripID: []byte("T"), LastDistance: check.None,
			StopID: func(n int32) []byte {
				return []byte(ids[n])
			}}
		for n := range rapid.IntRange(1, 8).Draw(t, "stops") {
			i := rapid.IntRange(0, len(ys)-1).Draw(t, "near")
			sy, sx := ys[i]+rapid.Float64Range(-250, 250).Draw(t, "north")/degree, xs[i]+rapid.Float64Range(-250, 250).Draw(t,
				"east")/degree
			ids = append(ids, fmt.Sprint("s", n))
			rows = append(rows, fmt.Sprintf("s%d,Stop,%.6f,%.6f", n, sy, sx))
			u.Stops = append(u.Stops, int32(n))
			least := math.Inf(1)
			for k := 1; k < len(ys); k++ {
				ay, ax := ys[k-1]-sy, xs[k-1]-sx
				dy, dx := ys[k]-ys[k-1], xs[k]-xs[k-1]
				at := 0.0
				if l := dy*dy + dx*dx; l > 0 {
					at = max(0, min(1, -(ay*dy+ax*dx)/l))
				}
				least = min(least, math.Hypot(ay+at*dy, ax+at*dx)*degree)
			}
			distance = append(distance, least)
		}
		found := findingsOf(func(c *check.Checker) {
			checkRows(c, "stops.txt", rows...)
			c.Shape(0, []byte("H"), points(strings.Join(lat, ","), strings.Join(lon, ",")), nil)
			c.ShapeUse(&u, map[[2]int32]bool{})
		})
		all := strings.Join(found, "\n")
		for n, m := range distance {
			reported := strings.Contains(all, fmt.Sprintf("stop_too_far_from_shape stops:%d ", n+2))
			if reported && m < 99 || !reported && m > 121 {
				t.Fatalf("a stop %.1f m from the line: reported %v\n%s\n%s\n%s\n%s", m, reported, lat, lon, rows[n+1], all)
			}
			if reported {
				far++
			}
		}
	})
	if far == 0 {
		t.Error("no stop was far from its line")
	}
}

package pages

import (
	"math"
	"slices"
	"testing"

	"github.com/paulmach/orb"
	"pgregory.net/rapid"
)

// A line of any colour is visible on light and dark backgrounds. A colour that is visible is not
// changed.
func TestShade(t *testing.T) {
	t.Parallel()
	white, dark := "ffffff", "11151a"
	contrast := func(a, b string) float64 {
		first, okA := colorOf(&a)
		second, okB := colorOf(&b)
		if !okA || !okB {
			t.Fatalf("%s or %s is not a colour", a, b)
		}
		x, y := first.Luminance(), second.Luminance()
		return (max(x, y) + .05) / (min(x, y) + .05)
	}
	rapid.Check(t, func(r *rapid.T) {
		color := rapid.StringMatching(`[0-9A-F]{6}`).Draw(r, "color")
		drawn := shade(&color)
		if len(drawn) != 7 || contrast(drawn[1:], white) < 2.98 || contrast(drawn[1:], dark) < 2.98 {
			r.Fatalf("%s is drawn as %s: %.2f on white, %.2f on dark", color, drawn, contrast(drawn[1:], white),
				contrast(drawn[1:], dark))
		}
	})
	fine, none := "c0392b", "red"
	if shade(&fine) != "#c0392b" || shade(&none) != "" || shade(nil) != "" {
		t.Errorf("%s %q", shade(&fine), shade(&none))
	}
}

// Every point in the box is on the chart, north is up, and the chart has a minimum width and
// height.
func TestFrame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		lat, lon := rapid.Float64Range(-80, 80).Draw(r, "lat"), rapid.Float64Range(-179, 179).Draw(r, "lon")
		box := [4]float64{lon, lat, lon + rapid.Float64Range(0, 30).Draw(r, "wide"),
			math.Min(lat+rapid.Float64Range(0, 30).Draw(r, "high"), 85)}
		f := newFrame(box)
		if f.Width != chartWidth || f.Height < chartLow || f.Height > chartHigh {
			r.Fatalf("chart of %v is %d × %d", box, f.Width, f.Height)
		}
		x1, y1, ok1 := f.At(box[0], box[3])
		x2, y2, ok2 := f.At(box[2], box[1])
		if !ok1 || !ok2 || x1 > x2 || y1 > y2 {
			r.Fatalf("%v: %d %d %v, %d %d %v", box, x1, y1, ok1, x2, y2, ok2)
		}
	})
	f := newFrame([4]float64{-63.6, 44.6, -63.5, 44.7})
	if _, _, ok := f.At(math.NaN(), 44); ok {
		t.Error("a point without a position is on the chart")
	}
	c := Chart{Frame: f}
	c.addWays("", []orb.LineString{{{-63.6, 44.7}, {-63.6, 44.7}, {1e9, 0}}}, routeDetail())
	if len(c.Ways) != 1 || len(c.Ways[0].Path) == 0 || len(c.Ways[0].Path) > 30 {
		t.Errorf("a line that leaves the chart: %+v", c.Ways)
	}
}

// A chart shows a line once, and at most as many lines and points as its detail allows.
func TestWaysOfAChart(t *testing.T) {
	t.Parallel()
	frame := newFrame([4]float64{-63.6, 44.6, -63.5, 44.7})
	street := orb.LineString{{-63.6, 44.6}, {-63.55, 44.6}, {-63.5, 44.7}}
	back, branch := street.Clone(), orb.LineString{{-63.55, 44.6}, {-63.55, 44.7}}
	slices.Reverse(back)
	var zigzag orb.LineString
	for i := range 100_000 {
		zigzag = append(zigzag, orb.Point{-63.6 + float64(i)/1e6, 44.6 + float64(i%2)/10})
	}
	for name, c := range map[string]struct {
		lines []orb.LineString
		ways  int
	}{
		"both directions": {[]orb.LineString{street, back}, 1},
		"a branch":        {[]orb.LineString{street, branch}, 2},
		"too many points": {[]orb.LineString{zigzag, street}, 2},
		"outside":         {[]orb.LineString{{{10, 10}, {11, 11}}}, 0},
		"none":            {nil, 0},
	} {
		chart := Chart{Frame: frame}
		points := chart.addWays("", c.lines, routeDetail())
		if len(chart.Ways) != c.ways || points > routeDetail().points {
			t.Errorf("%s: %d ways of %d points, want %d", name, len(chart.Ways), points, c.ways)
		}
	}
}

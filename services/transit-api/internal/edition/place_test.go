package edition

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// A box around almost the whole world, whose edges almost touch, contains each stop once.
func TestBoxAroundTheWorld(t *testing.T) {
	t.Parallel()
	e := New([]Stop{{StopID: "a", StopLat: "1", StopLon: "0.00012"}, {StopID: "b", StopLat: "1", StopLon: "0.00009"},
		{StopID: "c", StopLat: "1", StopLon: "-179"}}, nil)
	found := map[string]int{}
	e.StopsIn(Area{Box: &Box{0.0001, -90, 0.00006, 90}}, func(rank int, _ float64) bool {
		found[e.Stops[rank].StopID]++
		return true
	})
	if want := map[string]int{"a": 1, "c": 1}; !maps.Equal(found, want) {
		t.Errorf("found %v, want %v", found, want)
	}
}

// The index finds the same stops as a scan of all stops, including at the poles and the
// antimeridian.
func TestIndexFindsAllStopsInAnArea(t *testing.T) {
	t.Parallel()
	lat := rapid.OneOf(rapid.Float64Range(-90, 90),
		rapid.SampledFrom([]float64{-90, -89.9999, 0, 44.65, 44.6501, 89.999, 90}), rapid.Float64Range(44.6, 44.7))
	lon := rapid.OneOf(rapid.Float64Range(-180, 180),
		rapid.SampledFrom([]float64{-180, -179.9999, 0, -63.57, -63.5701, 179.9999, 180}), rapid.Float64Range(-63.6, -63.5))
	cell := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	rapid.Check(t, func(t *rapid.T) {
		var stops []Stop
		for i := range rapid.IntRange(0, 30).Draw(t, "stops") {
			s := Stop{StopID: fmt.Sprint(i), StopLat: cell(lat.Draw(t, "lat")), StopLon: cell(lon.Draw(t, "lon"))}
			if rapid.IntRange(0, 9).Draw(t, "unknown") == 0 {
				s.StopLat = rapid.SampledFrom([]string{"", "NaN", "Inf", "91", "x"}).Draw(t, "cell")
			}
			stops = append(stops, s)
		}
		e := New(stops, nil)
		var a Area
		if rapid.Bool().Draw(t, "near") {
			radius := rapid.OneOf(rapid.Float64Range(0, 50_000), rapid.Float64Range(0, 21_000_000),
				rapid.SampledFrom([]float64{0, 1, 20_015_115}))
			a.Near = &Near{lat.Draw(t, "near lat"), lon.Draw(t, "near lon"), radius.Draw(t, "radius")}
		}
		if a.Near == nil || rapid.Bool().Draw(t, "box") {
			a.Box = &Box{lon.Draw(t, "west"), lat.Draw(t, "south"), lon.Draw(t, "east"), lat.Draw(t, "north")}
		}
		want := map[int]float64{}
		for i := range stops {
			y, x := degrees(stops[i].StopLat, 90), degrees(stops[i].StopLon, 180)
			if math.IsNaN(y) {
				continue
			}
			away := 0.0
			if a.Near != nil {
				away = Distance(a.Near.Lat, a.Near.Lon, y, x)
				if away > a.Near.Radius {
					continue
				}
			}
			if b := a.Box; b != nil && (y < b[1] || y > b[3] || b[0] <= b[2] && (x < b[0] || x > b[2]) || b[0] > b[2] &&
				x < b[0] && x > b[2]) {
				continue
			}
			want[i] = away
		}
		got := map[int]float64{}
		e.StopsIn(a, func(rank int, away float64) bool {
			if _, twice := got[rank]; twice {
				t.Fatalf("stop %d was found twice", rank)
			}
			got[rank] = away
			return true
		})
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("area %+v %+v: found %v, want %v", a.Near, a.Box, got, want)
		}
		once := 0
		e.StopsIn(a, func(int, float64) bool { once++; return false })
		if once != min(1, len(want)) {
			t.Fatalf("%d callbacks after the end", once)
		}
		if a.Near == nil {
			return
		}
		var nearest *Stop
		best := math.Inf(1)
		for i := range stops {
			if away := Distance(a.Near.Lat, a.Near.Lon, e.index.latLon[i][0], e.index.latLon[i][1]); away <= min(best,
				a.Near.Radius) {
				nearest, best = &e.Stops[i], away
			}
		}
		if s := e.Nearest(a.Near.Lat, a.Near.Lon, a.Near.Radius, nil); s != nearest {
			t.Fatalf("nearest is %v, want %v", s, nearest)
		}
	})
}

// BenchmarkNear searches a million stops, half of them in cities.
func BenchmarkNear(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	stops := make([]Stop, 1_000_000)
	for i := range stops {
		lat, lon := 36+r.Float64()*12, -5+r.Float64()*20
		if i%2 == 0 { // in one of fifty cities, each ten kilometres wide
			city := float64(i / 2 % 50)
			lat, lon = 40+city/10+r.NormFloat64()*0.05, -3+city/5+r.NormFloat64()*0.07
		}
		stops[i] = Stop{StopID: strconv.Itoa(i), StopLat: strconv.FormatFloat(lat, 'f', 5, 64),
			StopLon: strconv.FormatFloat(lon, 'f', 5, 64)}
	}
	e := New(stops, nil)
	for _, radius := range []float64{500, 1000} {
		b.Run(fmt.Sprintf("city-%.0fm", radius), func(b *testing.B) {
			found := 0
			for b.Loop() {
				var best []Found
				e.Search(Search{Near: &Near{42.5, 2, radius}}, func(f Found) bool { best = append(best, f); return true })
				slices.SortFunc(best, func(x, y Found) int { return x.Compare(&y) })
				found = len(best)
			}
			if found == 0 {
				b.Fatal("no stop is near")
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms")
			b.ReportMetric(1, "at-most")
			b.ReportMetric(float64(found), "stops")
		})
	}
}

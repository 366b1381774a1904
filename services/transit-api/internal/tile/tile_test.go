package tile

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/encoding/mvt"
	"github.com/paulmach/orb/maptile"
	"pgregory.net/rapid"

	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/lines"
)

// feedAt returns a feed with stops at positions (latitude, longitude).
func feedAt(alias string, places ...[2]float64) *edition.Feed {
	stops := make([]edition.Stop, len(places))
	for i, at := range places {
		id := fmt.Sprint(alias, " ", i)
		stops[i] = edition.Stop{StopID: id, Label: "Stop " + id, StopLat: strconv.FormatFloat(at[0], 'f', -1, 64),
			StopLon: strconv.FormatFloat(at[1], 'f', -1, 64)}
	}
	return &edition.Feed{Alias: alias, Edition: edition.New(stops, nil)}
}

func layerOf(f *edition.Feed, n *Network) Layer {
	return Layer{n, f}
}

// unpacked decodes a tile with another library, in degrees.
func unpacked(t testing.TB, p Place, body []byte) map[string]*mvt.Layer {
	t.Helper()
	layers, err := mvt.Unmarshal(body)
	if err != nil {
		t.Fatal(err)
	}
	layers.ProjectToWGS84(maptile.New(uint32(p.X), uint32(p.Y), maptile.Zoom(p.Z)))
	all := map[string]*mvt.Layer{}
	for _, l := range layers {
		if l.Version != 2 || l.Extent != extent || len(l.Features) == 0 {
			t.Errorf("layer %s: version %d, extent %d, %d features", l.Name, l.Version, l.Extent, len(l.Features))
		}
		all[l.Name] = l
	}
	return all
}

// Each stop is at its position in the deepest tile that another library computes.
func TestStopsOfTiles(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lat := rapid.Float64Range(-85, 85).Draw(t, "lat")
		lon := rapid.Float64Range(-180, 179.9999).Draw(t, "lon") // 180 is the same longitude as -180
		z := rapid.Int64Range(MinStopZoom, MaxZoom).Draw(t, "zoom")
		if lat == 0 && lon == 0 {
			t.Skip("a stop at 0, 0 has an unknown position")
		}
		f := feedAt("a", [2]float64{lat, lon})
		at := maptile.At(orb.Point{lon, lat}, maptile.Zoom(z))
		p := Place{z, int64(at.X), int64(at.Y)}
		if !p.IsValid() || !p.IsNear(f.Edition) {
			t.Fatalf("%+v does not contain the stop", p)
		}
		body, err := Make(t.Context(), p, []Layer{layerOf(f, &Network{stops: make([]stop, 1)})})
		if err != nil {
			t.Fatal(err)
		}
		layers, err := mvt.Unmarshal(body)
		if err != nil || len(layers) != 1 || len(layers[0].Features) != 1 {
			t.Fatalf("%v %v", layers, err)
		}
		layers.ProjectToWGS84(at)
		got := layers[0].Features[0]
		// The position may be off by one unit of the tile.
		unit := 360 / math.Pow(2, float64(z)) / extent
		where := got.Geometry.(orb.Point)
		if math.Abs(where[0]-lon) > unit || math.Abs(where[1]-lat) > unit || got.Properties["stop_id"] != "a 0" ||
			got.Properties["label"] != "Stop a 0" {
			t.Fatalf("%v at %v, want %v,%v", got.Properties, where, lon, lat)
		}
	})
}

// Tiles from zoom 12 show all stops; other tiles show the most important stop of each cell.
func TestStopsAreThinnedOut(t *testing.T) {
	t.Parallel()
	f := feedAt("a", [2]float64{44.65, -63.57}, [2]float64{44.65001, -63.57}, [2]float64{44.65002, -63.57})
	n := &Network{stops: []stop{{trips: 1}, {trips: 9, modes: 1<<weight("bus") | 1<<weight("ferry")}, {trips: 2}}}
	for z, want := range map[int64]string{MinStopZoom - 1: "", MinStopZoom: "a 1", 11: "a 1",
		12: "a 1 a 2 a 0", MaxZoom: "a 1 a 2 a 0"} {
		at := maptile.At(orb.Point{-63.57, 44.65}, maptile.Zoom(z))
		p := Place{z, int64(at.X), int64(at.Y)}
		body, err := Make(t.Context(), p, []Layer{layerOf(f, n)})
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		if l := unpacked(t, p, body)[StopLayer]; l != nil {
			for _, s := range l.Features {
				ids = append(ids, s.Properties["stop_id"].(string))
			}
			if got := l.Features[0].Properties["modes"]; got != "ferry,bus" {
				t.Errorf("modes %v", got)
			}
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("zoom %d: %q, want %q", z, got, want)
		}
	}
}

// A tile is bounded in size, and its features are complete.
func TestTilesAreBounded(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	var places [][2]float64
	for range 20_000 {
		places = append(places, [2]float64{44.6 + r.Float64()/100, -63.6 + r.Float64()/100})
	}
	f := feedAt("a", places...)
	for i := range f.Stops {
		f.Stops[i].Label += strings.Repeat("x", 40)
	}
	at := maptile.At(orb.Point{-63.595, 44.605}, MaxZoom)
	p := Place{MaxZoom, int64(at.X), int64(at.Y)}
	body, err := Make(t.Context(), p, []Layer{layerOf(f, &Network{stops: make([]stop, len(places))})})
	if err != nil || len(body) > MaxBytes || len(body) < MaxBytes*9/10 {
		t.Fatalf("tile of %d bytes: %v", len(body), err)
	}
	if n := len(unpacked(t, p, body)[StopLayer].Features); n < 1000 {
		t.Errorf("%d stops", n)
	}
}

// At the deepest zoom of each detail, a line is at most half a pixel off, and does not end before a
// border.
func TestLines(t *testing.T) {
	t.Parallel()
	var lats, lons []string
	for i := range 2000 {
		lats = append(lats, fmt.Sprint(44+math.Sin(float64(i)/100)/10))
		lons = append(lons, fmt.Sprint(-64+float64(i)/1000))
	}
	left := maxPoints
	r := route{id: "r", bound: nowhere}
	for _, l := range split(lines.Points(lons, lats)) {
		r.add(project(l), &left)
	}
	before := 0
	for i, zoom := range details {
		if len(r.lines[i]) != 1 {
			t.Fatalf("%d lines in detail %d", len(r.lines[i]), i)
		}
		points := r.lines[i][0].points
		if len(points) < before {
			t.Errorf("detail %d has %d points, fewer than the previous one", i, len(points))
		}
		before = len(points)
		p := Place{Z: zoom}
		x, y := mercator(44, -63.5)
		p.X, p.Y = int64(x*math.Pow(2, float64(zoom))), int64(y*math.Pow(2, float64(zoom)))
		for _, line := range p.cut(points) {
			for _, at := range line {
				if at[0] < -buffer || at[0] > extent+buffer || at[1] < -buffer || at[1] > extent+buffer {
					t.Errorf("zoom %d: %v is outside", zoom, at)
				}
			}
		}
	}
	if len(r.lines[0][0].points) > 10 || before < 100 {
		t.Errorf("from %d to %d points", len(r.lines[0][0].points), before)
	}
	for i := range details { // the finest detail equals the feed's line, within a pixel
		worst := 0.0
		for k := range lats {
			lat, _ := strconv.ParseFloat(lats[k], 64)
			lon, _ := strconv.ParseFloat(lons[k], 64)
			x, y := mercator(lat, lon)
			nearest := math.Inf(1)
			for n, p := range r.lines[i][0].points[1:] {
				var a, b orb.Point
				a[0], a[1] = r.lines[i][0].points[n].world()
				b[0], b[1] = p.world()
				nearest = min(nearest, off(orb.Point{x, y}, a, b))
			}
			worst = max(worst, nearest)
		}
		if pixel := 1.0 / pixels / math.Pow(2, float64(details[i])); worst > pixel {
			t.Errorf("detail %d is off by %f pixels", i, worst/pixel)
		}
	}
}

// A zigzag line with a million points is drawn in bounded time.
func TestZigzagEnds(t *testing.T) {
	t.Parallel()
	line := make(orb.LineString, 1_000_000)
	for i := range line {
		line[i] = orb.Point{0.3 + float64(i%2)/100, 0.3 + float64(i)/1e8}
	}
	left := maxPoints
	r := route{id: "r", bound: nowhere}
	r.add(line, &left)
	if n := maxPoints - left; n < 1000 || n > len(line) {
		t.Errorf("%d points", n)
	}
}

func TestPositionsOfCells(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]float64{"54.680": 54.68, "-0.5": -.5, "0": 0, "-25": -25, "+54.7": 54.7, ".5": .5,
		"5.": 5, "007.50": 7.5, "1e1": 10} {
		if got := lines.Points([]string{cell}, []string{"1"}); len(got) != 1 || got[0] != (orb.Point{want, 1}) {
			t.Errorf("%q: %v, want %v", cell, got, want)
		}
	}
	for _, cell := range []string{"", "-", ".", "NaN", "Inf", "1,5", "1e300", "x", "54.68 "} {
		if got := lines.Points([]string{cell}, []string{"1"}); len(got) > 0 {
			t.Errorf("%q is the position %v", cell, got)
		}
	}
}

// Cells of a shape may contain anything.
func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lats, lons string
		want       string
	}{
		{"", "", "[]"}, {"1", "2", "[]"}, {"1,2", "2,3", "[2]"}, {"1,x,2", "2,3,4", "[2]"}, {"NaN,1,2,91", "1,2,3,4", "[2]"},
		{"1,2,3", "1,2", "[2]"}, {"1,2", "1,2,3", "[2]"},
		{"0,0,0,0", "179,179.5,-179.5,-179", "[2 2]"}, {"0,0,0", "179,-179,179", "[]"}, {"90,-90", "0,0", "[2]"},
	} {
		n := []int{}
		for _, l := range split(lines.Points(strings.Split(c.lons, ","), strings.Split(c.lats, ","))) {
			n = append(n, len(l))
			left := maxPoints
			(&route{bound: nowhere}).add(project(l), &left)
		}
		if got := fmt.Sprint(n); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.lats, c.lons, got, c.want)
		}
	}
}

func TestMode(t *testing.T) {
	t.Parallel()
	for routeType, want := range map[string]string{"": "other", "x": "other", "-1": "other", "3": "bus", "12": "monorail",
		"8": "other", "100": "rail", "401": "subway", "405": "monorail", "717": "bus", "1000": "ferry", "99999": "other"} {
		if got := modeOf(routeType); got != want {
			t.Errorf("%s: %s, want %s", routeType, got, want)
		}
	}
}

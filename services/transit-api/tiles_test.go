package transitapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/paulmach/orb"
	"github.com/paulmach/orb/encoding/mvt"
	"github.com/paulmach/orb/maptile"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/townline/townline/services/transit-api/internal/replica"
)

func (w *world) tileAt(t *testing.T, path string) mvt.Layers {
	t.Helper()
	a := w.Get(t, basePath+path) // map clients send no Accept header
	if a.Status != http.StatusOK || a.Header.Get("Content-Type") != "application/vnd.mapbox-vector-tile" {
		t.Fatalf("%s: %d %v %s", path, a.Status, a.Header, a.Body)
	}
	layers, err := mvt.Unmarshal(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return layers
}

func TestTiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	golden(t, "static.tiles", w.ask(t, "/tiles.json"))
	golden(t, "static.map_style", w.ask(t, "/tiles/style.json?feed=metro"))
	at := maptile.At(orb.Point{-25.3, 54.7}, 8)
	path := strings.NewReplacer("X", fmt.Sprint(at.X), "Y", fmt.Sprint(at.Y)).Replace("/tiles/8/X/Y.mvt")
	layers := w.tileAt(t, path)
	layers.ProjectToWGS84(at)
	for _, l := range layers {
		for _, f := range l.Features {
			f.Geometry = orb.Round(f.Geometry, 1e3)
		}
	}
	text, err := json.Marshal(layers.ToFeatureCollections())
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "static.tile", text)
	// The tile of the only feed and the tile of all feeds are the same.
	a := w.Get(t, basePath+path+"?feed=metro")
	if b := w.Get(t, basePath+path); a.Status != http.StatusOK || !bytes.Equal(a.Body, b.Body) {
		t.Errorf("tile of one feed: %d %d bytes, of all feeds %d", a.Status, len(a.Body), len(b.Body))
	}
	again := w.Get(t, basePath+path+"?feed=metro", "If-None-Match", a.Header.Get("ETag"))
	if again.Status != http.StatusNotModified {
		t.Errorf("again: %d", again.Status)
	}
	if len(w.tileAt(t, "/tiles/0/0/0.mvt")) != 1 || len(w.tileAt(t, "/tiles/14/0/0.mvt")) != 0 {
		t.Error("the world tile must have only routes, and a remote tile nothing")
	}
	w.statuses(t, map[string]int{"/tiles/0/0/1.mvt": 404, "/tiles/15/0/0.mvt": 404, "/tiles/1/-1/0.mvt": 404,
		"/tiles/1/01/0.mvt": 404, "/tiles/1/0/0": 404, "/tiles/1/0/x.mvt": 404, "/tiles/1/0/0.png": 404,
		"/tiles/0/0/0.mvt?feed=nobody": 404, "/tiles/0/0/0.mvt?feed=": 400, "/tiles.json?feed=nobody": 404,
		"/tiles/99999999999999999999/0/0.mvt": 404})
	// An import changes tiles at once.
	w.reimport(t, `UPDATE transit.route SET route_color = '00FF00' WHERE version_id = 2 AND route_id = 'R/1'`)
	colors := map[string]bool{}
	for _, l := range w.tileAt(t, path) {
		for _, f := range l.Features {
			if f.Properties["route_id"] == "R/1" {
				colors[f.Properties["color"].(string)] = true
			}
		}
	}
	if got := slices.Collect(maps.Keys(colors)); !slices.Equal(got, []string{"#00FF00"}) {
		t.Errorf("tile after an import: %v", got)
	}
}

// undrawable fails to read the network of version 3.
type undrawable struct{}

func (undrawable) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	if strings.Contains(q.SQL, "CROSS JOIN LATERAL unnest(p.stop_id)") &&
		slices.Contains(q.Args, any(replica.Version(3))) {
		ended, end := context.WithCancel(ctx)
		end()
		return ended
	}
	return ctx
}

func (undrawable) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// A feed that cannot be drawn is omitted from the tiles of all feeds. Its own tiles return an
// error, and a metric counts it.
func TestUndrawableFeed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.bigFeed(t, 1, 1)
	w.exec(t, `UPDATE transit.stop SET stop_lat = '54.7', stop_lon = '-25.3' WHERE version_id = 3`)
	next := w.traced(t, undrawable{})
	refreshFeeds(t, next.api)
	at := maptile.At(orb.Point{-25.3, 54.7}, 8)
	path := strings.NewReplacer("X", fmt.Sprint(at.X), "Y", fmt.Sprint(at.Y)).Replace("/tiles/8/X/Y.mvt")
	feeds := map[any]bool{}
	for _, l := range next.tileAt(t, path) {
		for _, f := range l.Features {
			feeds[f.Properties["feed"]] = true
		}
	}
	if len(feeds) != 1 || !feeds["metro"] {
		t.Errorf("feeds %v", feeds)
	}
	if a := next.Get(t, basePath+path+"?feed=big"); a.Status != http.StatusServiceUnavailable ||
		!strings.Contains(string(a.Body), "cannot be drawn") {
		t.Errorf("tile of the feed: %d %s", a.Status, a.Body)
	}
	metrics := prometheus.NewRegistry()
	metrics.MustRegister(next.api.dir)
	families, err := metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	withheld := ""
	for _, family := range families {
		for _, m := range family.Metric {
			if text := fmt.Sprint(m.Label); strings.Contains(text, `"map"`) && m.GetGauge().GetValue() == 1 {
				withheld += text
			}
		}
	}
	if !strings.Contains(withheld, `"big"`) || strings.Contains(withheld, `"metro"`) {
		t.Errorf("withheld: %s", withheld)
	}
}

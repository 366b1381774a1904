package townline_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// BenchmarkTiles requests every tile of a feed up to zoom 11 sequentially, all uncached. It
// measures the time per tile, separately for the first tile, which loads the lines, and the largest
// size. Then it requests stops around places.
//
//	go test -run - -bench Tiles -benchtime 1x ./services/townline -feed some.zip
func BenchmarkTiles(b *testing.B) {
	address, db := benchDatabase(b, largeFeed(b))
	built := serve(b, address, 1)
	rows, err := db.Query(b.Context(), `
		WITH at AS (SELECT (stop_lon::float8 + 180) / 360 AS x, 0.5 - asinh(tan(radians(stop_lat::float8))) / (2 * pi()) AS y
		            FROM transit.stop WHERE abs(stop_lat::float8) < 85)
		SELECT DISTINCT z, floor(x * 2 ^ z)::int, floor(y * 2 ^ z)::int FROM at, generate_series(0, 11) z ORDER BY 1, 2, 3`)
	if err != nil {
		b.Fatal(err)
	}
	type place struct{ z, x, y int }
	places, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p place, err error) {
		return p, row.Scan(&p.z, &p.x, &p.y)
	})
	if err != nil || len(places) == 0 {
		b.Fatal(len(places), err)
	}
	read := func(path string) (size int, took time.Duration) {
		begin := time.Now()
		res, err := http.Get(built + path)
		if err != nil {
			b.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		body, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK {
			b.Fatalf("%s: %s %v %.200s", path, res.Status, err, body)
		}
		return len(body), time.Since(begin)
	}
	_, first := read("/tiles/0/0/0.mvt")
	took, largest := map[int][]time.Duration{}, map[int]int{}
	for _, p := range places {
		size, t := read(fmt.Sprintf("/tiles/%d/%d/%d.mvt", p.z, p.x, p.y))
		took[p.z], largest[p.z] = append(took[p.z], t), max(largest[p.z], size)
	}
	report(b, "first-of-all", map[string]float64{"ms": first.Seconds() * 1000})
	most := 0
	for _, z := range []int{0, 6, 8, 10, 11} {
		slices.Sort(took[z])
		figures := map[string]float64{"ms": took[z][len(took[z])-1].Seconds() * 1000}
		if z == 10 {
			figures["at-most"] = 50
		}
		report(b, fmt.Sprintf("z%d-on-a-miss/slowest", z), figures)
	}
	for _, size := range largest {
		most = max(most, size)
	}
	report(b, "largest", map[string]float64{"kB": float64(most) / 1000, "at-most": 500})
	var near []time.Duration
	for _, p := range paths(b, db, `SELECT stop_lat || ',', stop_lon FROM transit.stop WHERE stop_lat IS NOT NULL
		ORDER BY md5(stop_id) LIMIT 500`) {
		_, t := read("/stops?_format=json&near=" + strings.ReplaceAll(p, "%2C", ","))
		near = append(near, t)
	}
	slices.Sort(near)
	report(b, "near-on-a-miss/median", map[string]float64{"ms": near[len(near)/2].Seconds() * 1000})
}

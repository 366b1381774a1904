package townline_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/gtfs/gtfstest"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
)

var benchFeed = flag.String("feed", os.Getenv("TOWNLINE_BENCH_FEED"),
	"zip of the feed to measure with; empty means a synthetic feed")

// benchDatabase returns a database with a feed imported as "bench", and its address.
func benchDatabase(b *testing.B, file string) (address string, db *pgxpool.Pool) {
	b.Helper()
	address = pgtest.URL(b)
	db = open(b, address, pg.Options{})
	if _, err := gtfsimport.Import(b.Context(), deps(db), gtfsimport.Request{Alias: "bench", Source: file}); err != nil {
		b.Fatal(err)
	}
	return address, db
}

// BenchmarkTransitReads compares the transit API with a gin handler, alternately over loopback
// connections, with the same limits on both servers. For cached answers the handler gives the same
// answer; for other answers it writes hello. "ratio" is the API's requests per second
// divided by the handler's. Then the benchmark sequentially requests the busiest schedule, and the
// last pages of long lists, which it compares with the first pages.
//
//	go test -run - -bench TransitReads -benchtime 1x ./services/townline -feed some.zip
//
// Without a feed it writes a large one.
func BenchmarkTransitReads(b *testing.B) {
	address, db := benchDatabase(b, largeFeed(b))
	kept, built := serve(b, address, 0), serve(b, address, 1)
	hello := &bareAnswer{status: http.StatusOK, header: http.Header{"Content-Type": {"application/json"}},
		body: []byte(`{"message":"hello"}`)}
	stops := paths(b, db, `SELECT '/stops/', stop_id, '' FROM transit.stops ORDER BY md5(stop_id) LIMIT 5000`)
	calls := paths(b, db, `
		SELECT '/agencies/', r.agency_id, '/routes/', t.route_id, '/trips/', t.trip_id, '/stop_times'
		FROM transit.trips t JOIN transit.routes r USING (route_id) ORDER BY md5(trip_id) LIMIT 5000`)
	trips := paths(b, db, `
		SELECT '/agencies/', r.agency_id, '/routes/', t.route_id, '/trips/', t.trip_id
		FROM transit.trips t JOIN transit.routes r USING (route_id) ORDER BY md5(trip_id) LIMIT 5000`)
	route := paths(b, db, `
		SELECT '/agencies/', agency_id, '/routes/', route_id, '/trips' FROM transit.route ORDER BY trip_count DESC LIMIT 1`)
	schedule := paths(b, db, `
		SELECT '/agencies/', r.agency_id, '/routes/', t.route_id, '/schedules/', t.service_id,
		       '/' || coalesce(t.direction_id, '0')
		FROM transit.trip t JOIN transit.route r USING (version_id, route_id) JOIN transit.pattern p
		  USING (version_id, pattern)
		GROUP BY r.agency_id, t.route_id, t.service_id, coalesce(t.direction_id, '0')
		  ORDER BY sum(cardinality(p.stop_id)) DESC LIMIT 1`)
	drawing := paths(b, db, `
		SELECT '/agencies/', r.agency_id, '/routes/', t.route_id, '/geojson'
		FROM (SELECT DISTINCT version_id, route_id, shape_id FROM transit.trip) t
		JOIN transit.route r USING (version_id, route_id) LEFT JOIN transit.shape s USING (version_id, shape_id)
		GROUP BY r.agency_id, t.route_id ORDER BY sum(s.point_count) DESC NULLS LAST LIMIT 1`)
	for _, c := range []struct {
		name   string
		base   string
		paths  []string
		header string
		bare   *bareAnswer // of the gin handler; nil means the same answer
		goal   float64
	}{
		{name: "kept/one-stop", base: kept, paths: stops[:1], goal: 0.85},
		{name: "kept/500-stops", base: kept, paths: []string{"/stops"}, goal: 0.60},
		{name: "kept/304", base: kept, paths: stops[:1], header: "If-None-Match: ", goal: 0.90},
		{name: "kept/schedule", base: kept, paths: schedule, goal: 0.60},
		{name: "kept/route-geojson", base: kept, paths: drawing, goal: 0.60},
		{name: "miss/one-stop", base: built, paths: stops, bare: hello, goal: 0.33},
		{name: "miss/one-trip", base: built, paths: trips, bare: hello},
		{name: "miss/trips-of-a-route", base: built, paths: route, bare: hello},
		{name: "miss/stop-times-of-a-trip", base: built, paths: calls, bare: hello, goal: 0.20},
		{name: "miss/500-stops", base: built, paths: []string{"/stops"}, bare: hello},
		{name: "miss/schedule", base: built, paths: schedule, bare: hello},
		{name: "miss/route-geojson", base: built, paths: drawing, bare: hello},
	} {
		b.Run(c.name, func(b *testing.B) {
			root, err := url.Parse(c.base)
			if err != nil {
				b.Fatal(err)
			}
			first := root.Path + "/feeds/bench" + c.paths[0]
			tag, body := fetchOnce(b, root.Host, first)
			header := c.header
			if header != "" {
				header += tag + "\r\n"
			}
			in := make([][]byte, len(c.paths))
			for i, p := range c.paths {
				in[i] = asking(root.Path+"/feeds/bench"+p, header)
			}
			bare := c.bare
			if bare == nil {
				bare = new(answerOf(b, root.Host, in[0]))
			}
			compare(b, root.Host, bareHandler(b, *bare), in, len(body), c.goal)
		})
	}
	root, err := url.Parse(built)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("alone/schedule-on-a-miss", func(b *testing.B) {
		for range b.N {
			_, took := rate(b, root.Host, [][]byte{asking(root.Path+"/feeds/bench"+schedule[0], "")}, 1)
			b.ReportMetric(took.Seconds()*1000, "ms")
			b.ReportMetric(50, "at-most")
			b.ReportMetric(0, "ns/op")
		}
	})
	busiest := paths(b, db, `SELECT '/stops/', stop_id, '/stop_times' FROM transit.stop_times GROUP BY stop_id
		ORDER BY count(*) DESC LIMIT 1`)
	for name, path := range map[string]string{"stops": "/stops", "trips-of-a-route": route[0],
		"stop-times-of-a-stop": busiest[0]} {
		b.Run("last-page/"+name, func(b *testing.B) { deepPage(b, root, "/feeds/bench"+path) })
	}
}

func largeFeed(b *testing.B) string {
	b.Helper()
	if *benchFeed != "" {
		return *benchFeed
	}
	return made(b, gtfstest.Trips)
}

func asking(path, header string) []byte {
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: transit.example\r\nAccept: application/json\r\n%s\r\n", path, header)
}

// deepPage compares the last full page of a list with its first, both uncached.
func deepPage(b *testing.B, root *url.URL, path string) {
	const limit = 100
	_, body := fetchOnce(b, root.Host, root.Path+path)
	var list struct {
		Meta struct {
			TotalCount int `json:"totalCount"`
		} `json:"meta"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		b.Fatal(err)
	}
	page := func(offset int) [][]byte {
		return [][]byte{asking(fmt.Sprintf("%s%s?limit=%d&offset=%d", root.Path, path, limit, offset), "")}
	}
	for range b.N {
		var ratios, mine, bare []float64
		for range rounds {
			_, last := rate(b, root.Host, page(max(0, list.Meta.TotalCount-limit)), 1)
			_, first := rate(b, root.Host, page(0), 1)
			ratios = append(ratios, last.Seconds()/first.Seconds())
			mine, bare = append(mine, last.Seconds()*1000), append(bare, first.Seconds()*1000)
		}
		b.ReportMetric(middle(mine), "ms")
		b.ReportMetric(middle(bare), "ms-first-page")
		b.ReportMetric(middle(ratios), "ratio")
		b.ReportMetric(2, "at-most")
		b.ReportMetric(0, "ns/op")
	}
}

// report prints figures, by unit, as a separate benchmark.
func report(b *testing.B, name string, figures map[string]float64) {
	b.Run(name, func(b *testing.B) {
		for unit, figure := range figures {
			b.ReportMetric(figure, unit)
		}
		b.ReportMetric(0, "ns/op") // the time per iteration says nothing here
	})
}

// rounds is the number of rounds of a comparison; the result is their median.
const rounds = 7

func middle(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// paths returns addresses. Each joins constant texts and ids from a row, alternately.
func paths(b *testing.B, db *pgxpool.Pool, sql string) []string {
	b.Helper()
	rows, err := db.Query(b.Context(), sql)
	if err != nil {
		b.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
		cells, err := row.Values()
		path := ""
		for i, cell := range cells {
			text, _ := cell.(string)
			if i%2 == 1 {
				text = url.PathEscape(text)
			}
			path += text
		}
		return path, err
	})
	if err != nil || len(all) == 0 {
		b.Fatalf("%d rows, %v of %s", len(all), err, sql)
	}
	return all
}

// An answer of a server, as a bare handler repeats it.
type bareAnswer struct {
	status int
	header http.Header
	body   []byte
}

// answerOf sends a request and returns the answer.
func answerOf(b *testing.B, addr string, in []byte) bareAnswer {
	b.Helper()
	conn, err := (&net.Dialer{}).DialContext(b.Context(), "tcp", addr)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.Write(in); err != nil {
		b.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		b.Fatal(err)
	}
	res.Header.Del("Date") // each server writes its own
	return bareAnswer{status: res.StatusCode, header: res.Header, body: body}
}

// bareHandler returns the same answer at every address.
func bareHandler(b *testing.B, answer bareAnswer) string {
	b.Helper()
	gin.SetMode(gin.ReleaseMode)
	g := gin.New()
	g.NoRoute(func(c *gin.Context) {
		maps.Copy(c.Writer.Header(), answer.header)
		c.Status(answer.status)
		if len(answer.body) > 0 {
			_, _ = c.Writer.Write(answer.body)
		}
	})
	ln, err := (&net.ListenConfig{}).Listen(b.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	// The limits are the same as those of the API's server.
	srv := &http.Server{Handler: g, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second,
		WriteTimeout: 25 * time.Second, IdleTimeout: 2 * time.Minute}
	go func() { _ = srv.Serve(ln) }()
	b.Cleanup(func() { _ = srv.Close() })
	return ln.Addr().String()
}

func fetchOnce(b *testing.B, addr, path string) (tag string, body []byte) {
	b.Helper()
	w := &walker{}
	body, err := w.fetch(b.Context(), "http://"+addr+path)
	if err != nil {
		b.Fatal(err)
	}
	res, err := http.Get("http://" + addr + path + "?_format=json")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	return res.Header.Get("ETag"), body
}

// compare sends the same requests to both handlers alternately and reports the median of several
// rounds. On a busy machine "cpu-ratio" is steadier: the processor time of a bare request divided by
// that of ours, including the client.
func compare(b *testing.B, ours, theirs string, in [][]byte, size int, goal float64) {
	const conns = 8
	for range b.N {
		var ratios, costs, mine, bare, took []float64
		for range rounds {
			start := processorTime(b, os.Getpid())
			before, _ := rate(b, theirs, in, conns)
			spent := processorTime(b, os.Getpid()) - start
			o, each := rate(b, ours, in, conns)
			own := processorTime(b, os.Getpid()) - start - spent
			after, _ := rate(b, theirs, in, conns)
			costs = append(costs, spent.Seconds()/before/(own.Seconds()/o))
			ratios = append(ratios, 2*o/(before+after))
			mine, bare = append(mine, o), append(bare, (before+after)/2)
			took = append(took, each.Seconds()*1000)
		}
		b.ReportMetric(middle(costs), "cpu-ratio")
		b.ReportMetric(middle(mine), "req/s")
		b.ReportMetric(middle(bare), "bare-req/s")
		b.ReportMetric(middle(ratios), "ratio")
		if goal > 0 {
			b.ReportMetric(goal, "at-least")
		}
		b.ReportMetric(middle(took), "ms/median")
		b.ReportMetric(float64(size), "body-bytes")
		b.ReportMetric(0, "ns/op")
	}
}

// rate returns the requests per second over a few persistent connections, and the median time of an
// answer.
func rate(b *testing.B, addr string, in [][]byte, conns int) (perSecond float64, median time.Duration) {
	b.Helper()
	const lasting = 250 * time.Millisecond
	var next atomic.Int64
	took := make([][]time.Duration, conns)
	var g sync.WaitGroup
	start := time.Now()
	for n := range conns {
		g.Go(func() {
			conn, err := (&net.Dialer{}).DialContext(b.Context(), "tcp", addr)
			if err != nil {
				b.Error(err)
				return
			}
			defer func() { _ = conn.Close() }()
			r := bufio.NewReaderSize(conn, 64<<10)
			for time.Since(start) < lasting {
				asked := time.Now()
				if _, err := conn.Write(in[int(next.Add(1))%len(in)]); err != nil {
					b.Error(err)
					return
				}
				if err := skipAnswer(r); err != nil {
					b.Error(err)
					return
				}
				took[n] = append(took[n], time.Since(asked))
			}
		})
	}
	g.Wait()
	all := slices.Concat(took...)
	slices.Sort(all)
	if len(all) == 0 {
		b.Fatal("no answer")
	}
	return float64(len(all)) / time.Since(start).Seconds(), all[len(all)/2]
}

var lengthPrefix = []byte("Content-Length: ")

// skipAnswer reads one answer with minimal effort and checks its status.
func skipAnswer(r *bufio.Reader) error {
	line, err := r.ReadSlice('\n')
	if err != nil {
		return err
	}
	if !bytes.Contains(line, []byte(" 200 ")) && !bytes.Contains(line, []byte(" 304 ")) {
		return textproto.ProtocolError(line)
	}
	left := 0
	for {
		line, err = r.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(line) <= 2 {
			_, err = r.Discard(left)
			return err
		}
		if text, ok := bytes.CutPrefix(line, lengthPrefix); ok {
			left, err = strconv.Atoi(string(bytes.TrimSpace(text)))
			if err != nil {
				return err
			}
		}
	}
}

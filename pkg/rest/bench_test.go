package rest_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/townline/townline/pkg/rest"
)

// BenchmarkReadPath compares the read path with a gin handler that has no middleware and writes
// the same header and body. Both answer over loopback connections, and run alternately.
// "ratio" is our requests per second divided by those of the gin handler. On a busy machine
// "cpu-ratio" is steadier: the processor time of a gin request divided by that of ours, including
// the client.
//
//	go test -run - -bench ReadPath -benchtime 1x ./rest
func BenchmarkReadPath(b *testing.B) {
	type row struct {
		StopID string            `json:"stop_id"`
		Name   string            `json:"stop_name"`
		Lat    string            `json:"stop_lat"`
		Lon    string            `json:"stop_lon"`
		Code   *string           `json:"stop_code"`
		Links  map[string]string `json:"links"`
	}
	stop := func(c *rest.Call, id string) row {
		return row{id, "Main Street and Third Avenue", "38.89" + id, "-77.03" + id, nil,
			map[string]string{"self": c.URL("/feeds/metro/stops/{id}", id)}}
	}
	type oneParams struct {
		Feed string `path:"feed"`
		ID   string `path:"id"`
	}
	type listParams struct {
		Feed string `path:"feed"`
		window
	}
	table := rest.Table{
		rest.Func(rest.Spec{ID: "one", Path: "/feeds/{feed}/stops/{id}", Summary: "one"},
			func(_ context.Context, c *rest.Call, p oneParams) (Envelope[row], error) {
				return item(c, stop(c, p.ID)), nil
			}),
		rest.Func(rest.Spec{ID: "list", Path: "/feeds/{feed}/stops", Summary: "list"},
			func(_ context.Context, c *rest.Call, p listParams) (Envelope[[]row], error) {
				rows := make([]row, p.Limit)
				for i := range rows {
					rows[i] = stop(c, strconv.Itoa(10000+i))
				}
				return slice(c, p.window, rows, 12000), nil
			}),
	}
	s, err := rest.New(rest.Config{
		Name: "bench", Dialect: messages(), Base: "/gtfs/api/v2", PublicURL: "https://transit.example/gtfs/api/v2",
		Metrics: prometheus.NewRegistry(),
		Dataset: &rest.Dataset{Now: func(context.Context) (rest.Generation, error) {
			return rest.Generation{N: 7, Time: time.Unix(1_700_000_000, 0)}, nil
		}},
	}, table)
	if err != nil {
		b.Fatal(err)
	}
	ours := listen(b, s)

	const (
		small = "/gtfs/api/v2/feeds/metro/stops/10001"
		query = "/gtfs/api/v2/feeds/metro/stops/10001?_format=json"
		large = "/gtfs/api/v2/feeds/metro/stops?_format=json"
	)
	cases := []struct {
		name, path, header string
		target             float64
	}{
		{"one", small, "Accept: application/json\r\n", 0.85},
		{"one-format", query, "", 0.85},
		{"one-browser", query, "Accept-Encoding: gzip, deflate, br, zstd\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64)\r\n",
			0.85},
		{"500-stops", large, "", 0.60},
		{"500-stops-gzip", large, "Accept-Encoding: gzip\r\n", 0.60},
	}
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) {
			in := request(c.path, c.header)
			status, header, body := exchange(b, ours, in)
			compareWith(b, ours, in, status, header, body, c.target)
		})
	}
	b.Run("304", func(b *testing.B) {
		_, header, _ := exchange(b, ours, request(small, "Accept: application/json\r\n"))
		in := request(small, "Accept: application/json\r\nIf-None-Match: "+header.Get("ETag")+"\r\n")
		status, header, _ := exchange(b, ours, in)
		if status != http.StatusNotModified {
			b.Fatalf("got %d, want 304", status)
		}
		compareWith(b, ours, in, status, header, nil, 0.90)
	})
	// Answers without headers show what the headers cost net/http, which is more than the read path.
	b.Run("one-without-headers", func(b *testing.B) {
		in := request(small, "Accept: application/json\r\n")
		status, header, body := exchange(b, ours, in)
		compareWith(b, ours, in, status, http.Header{"Content-Type": header["Content-Type"]}, body, 0)
	})
}

// compareWith compares one request with a gin handler that writes the given header and bytes.
func compareWith(b *testing.B, ours string, in []byte, status int, header http.Header, body []byte, target float64) {
	gin.SetMode(gin.ReleaseMode)
	g := gin.New()
	header.Del("Date") // net/http writes it
	answer := func(c *gin.Context) {
		maps.Copy(c.Writer.Header(), header)
		c.Status(status)
		if body != nil {
			_, _ = c.Writer.Write(body)
		}
	}
	g.GET("/gtfs/api/v2/feeds/:feed/stops/:id", answer)
	g.GET("/gtfs/api/v2/feeds/:feed/stops", answer)
	theirs := listen(b, g)
	if got, _, same := exchange(b, theirs, in); got != status || !bytes.Equal(same, body) {
		b.Fatalf("the bare handler answers %d with %d bytes, want %d with %d", got, len(same), status, len(body))
	}
	for range b.N {
		const rounds = 9
		ratios, costs := make([]float64, rounds), make([]float64, rounds)
		var mine, bare float64
		for i := range ratios {
			t, tc := rate(b, theirs, in)
			o, oc := rate(b, ours, in)
			t2, tc2 := rate(b, theirs, in) // measured before and after, so that a drift of the machine affects both
			ratios[i], costs[i] = o/((t+t2)/2), (tc+tc2)/2/oc
			mine, bare = mine+o/rounds, bare+(t+t2)/2/rounds
		}
		slices.Sort(ratios)
		slices.Sort(costs)
		b.ReportMetric(ratios[rounds/2], "ratio")
		b.ReportMetric(costs[rounds/2], "cpu-ratio")
		if target > 0 {
			b.ReportMetric(target, "at-least")
		}
		b.ReportMetric(mine, "req/s")
		b.ReportMetric(bare, "bare-req/s")
		b.ReportMetric(float64(len(body)), "body-bytes")
		b.ReportMetric(0, "ns/op")
	}
}

func request(path, headers string) []byte {
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: transit.example\r\n%s\r\n", path, headers)
}

func listen(b *testing.B, h http.Handler) string {
	b.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	srv := &http.Server{Handler: h, ReadHeaderTimeout: time.Second}
	go func() { _ = srv.Serve(ln) }()
	b.Cleanup(func() { _ = srv.Close() })
	return ln.Addr().String()
}

func exchange(b *testing.B, addr string, in []byte) (int, http.Header, []byte) {
	b.Helper()
	status, header, body, _ := exchangeSized(b, addr, in)
	return status, header, body
}

// exchangeSized is like exchange and also returns the size of the whole answer. Within a run, ids
// and dates keep their width.
func exchangeSized(b *testing.B, addr string, in []byte) (status int, header http.Header, body []byte, size int64) {
	b.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write(in); err != nil {
		b.Fatal(err)
	}
	counted := &counter{r: conn}
	res, err := http.ReadResponse(bufio.NewReader(counted), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	body, err = io.ReadAll(res.Body)
	if err != nil {
		b.Fatal(err)
	}
	return res.StatusCode, res.Header, body, counted.n
}

// rate returns the number of requests per second over a few kept-alive connections. To cost little,
// the client only counts bytes. cost is the processor time of the process for each request, in
// seconds.
func rate(b *testing.B, addr string, in []byte) (perSecond, cost float64) {
	const conns, lasting = 8, 150 * time.Millisecond
	_, _, _, size := exchangeSized(b, addr, in)
	var done atomic.Int64
	var wg sync.WaitGroup
	start, before := time.Now(), processorTime(b)
	for range conns {
		wg.Go(func() {
			conn, err := net.Dial("tcp", addr)
			if err != nil {
				b.Error(err)
				return
			}
			defer conn.Close()
			buf := make([]byte, 64<<10)
			for time.Since(start) < lasting {
				if _, err := conn.Write(in); err != nil {
					b.Error(err)
					return
				}
				for left := size; left > 0; {
					n, err := conn.Read(buf)
					if err != nil {
						b.Error(err)
						return
					}
					left -= int64(n)
				}
				done.Add(1)
			}
		})
	}
	wg.Wait()
	n := float64(done.Load())
	return n / time.Since(start).Seconds(), (processorTime(b) - before).Seconds() / n
}

func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

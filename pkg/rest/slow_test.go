package rest_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/townline/townline/pkg/rest"
)

// A wide API returns pages with the requested number of rows. Each page is different.
type wide struct {
	*rest.Server
	builds  atomic.Int64
	metrics *prometheus.Registry
	text    string // text of a row
}

type wideRow struct {
	ID   int64  `json:"id"`
	Text string `json:"text"`
}

type wideParams struct {
	Seed int64 `path:"seed"`
	window
}

func newWide(t testing.TB, change func(*rest.Config)) *wide {
	t.Helper()
	w := &wide{metrics: prometheus.NewRegistry(), text: strings.Repeat("x", 1500)}
	cfg := rest.Config{Name: "wide", Dialect: messages(), Base: "/v", PublicURL: "https://wide.example/v",
		AccessLog: rest.LogOff, Metrics: w.metrics,
		Dataset: &rest.Dataset{Now: func(context.Context) (rest.Generation, error) { return rest.Generation{N: 1}, nil }}}
	change(&cfg)
	var err error
	w.Server, err = rest.New(cfg, rest.Table{
		rest.Func(rest.Spec{ID: "rows", Path: "/{seed}/rows", Summary: "Rows"},
			func(_ context.Context, c *rest.Call, p wideParams) (Envelope[[]wideRow], error) {
				w.builds.Add(1)
				rows := make([]wideRow, p.Limit)
				for i := range rows {
					rows[i] = wideRow{p.Seed + int64(i), w.text}
				}
				return slice(c, p.window, rows, len(rows)), nil
			}),
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// serve runs a server on its own port until the test ends.
func serve(t testing.TB, s *rest.Server) string {
	t.Helper()
	addr, _ := serving(t, s)
	return addr
}

// serving is like serve, and also returns a function that stops the server without waiting for the
// end.
func serving(t testing.TB, s *rest.Server) (addr string, stop func()) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, ln) }()
	t.Cleanup(func() {
		stop()
		// Clients that do not read are still connected after the drain.
		if err := <-served; err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
	return ln.Addr().String(), stop
}

// stall sends a request and does not read the answer.
func stall(t testing.TB, addr, path string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write(request(path, "Accept: application/json\r\n")); err != nil {
		t.Fatal(err)
	}
	return conn
}

// metric returns the value of a gauge or counter.
func metric(t testing.TB, metrics *prometheus.Registry, name string) float64 {
	t.Helper()
	all, err := metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		if m.GetName() == name {
			return m.GetMetric()[0].GetGauge().GetValue() + m.GetMetric()[0].GetCounter().GetValue()
		}
	}
	t.Fatalf("no metric %s", name)
	return 0
}

// Clients that do not read cannot hold more bytes than four of the largest answers. Beyond it, large
// answers are refused after a while and small answers are still served.
func TestClientsThatReadNothing(t *testing.T) {
	t.Parallel()
	w := newWide(t, func(c *rest.Config) { c.CacheBytes, c.Timeout = 64<<10, 3*time.Second })
	w.Limits(4<<20, time.Minute)
	addr := serve(t, w.Server)
	for i := range 10 {
		stall(t, addr, fmt.Sprintf("/v/%d/rows?limit=2000", i+1)) // 3 MB
	}
	waitFor(t, func() bool {
		return metric(t, w.metrics, "townline_http_cache_misses_total") == 10 &&
			metric(t, w.metrics, "townline_http_cache_waiting") == 0
	})
	if n := w.builds.Load(); n > 5 { // of 3 MB; 16 MB may be held
		t.Errorf("%d large answers were built for clients that read nothing", n)
	}
	status, header, _ := exchangeAny(t, addr, "/v/99/rows?limit=2000")
	if status != http.StatusServiceUnavailable || header.Get("Retry-After") == "" {
		t.Errorf("another large answer: %d, %v", status, header)
	}
	if status, _, body := exchangeAny(t, addr, "/v/99/rows?limit=10"); status != http.StatusOK || len(body) < 15000 {
		t.Errorf("a small answer: %d, %d bytes", status, len(body))
	}
}

// One client can get a large answer, even with a small cache.
func TestOneClientOfASmallCache(t *testing.T) {
	t.Parallel()
	w := newWide(t, func(c *rest.Config) { c.CacheBytes = 64 << 10 })
	if status, _, body := exchangeAny(t, serve(t, w.Server), "/v/1/rows?limit=2000"); status != http.StatusOK ||
		len(body) < 2<<20 {
		t.Errorf("%d, %d bytes", status, len(body))
	}
}

// A client that reads nothing before its write deadline is disconnected, and its bytes are freed.
func TestClientsThatReadNothingAreDisconnected(t *testing.T) {
	t.Parallel()
	w := newWide(t, func(c *rest.Config) { c.CacheBytes = 64 << 10 })
	w.Limits(4<<20, 4*time.Second)
	addr := serve(t, w.Server)
	const clients = 3
	for i := range clients {
		stall(t, addr, fmt.Sprintf("/v/%d/rows?limit=2000", i+1)) // 3 MB
	}
	waitFor(t, func() bool { return metric(t, w.metrics, "townline_http_slow_clients_total") == clients })
	for i := range 4 { // needs all that they held
		if status, _, _ := exchangeAny(t, addr, fmt.Sprintf("/v/%d/rows?limit=2000", 10+i)); status != http.StatusOK {
			t.Errorf("a large answer after that: %d", status)
		}
	}
}

// Clients that read the same answer share its build. With the cache as shipped, some of them do not
// keep others from it.
func TestReadersOfOneAnswerShareIt(t *testing.T) {
	t.Parallel()
	w := newWide(t, func(c *rest.Config) { c.CacheBytes = 256 << 20 })
	addr := serve(t, w.Server)
	for range 20 {
		stall(t, addr, "/v/1/rows?limit=2000")
	}
	if status, _, _ := exchangeAny(t, addr, "/v/1/rows?limit=2000"); status != http.StatusOK {
		t.Errorf("%d", status)
	}
	if n := w.builds.Load(); n != 1 {
		t.Errorf("%d builds", n)
	}
}

// A slow client that continues to read gets its whole answer, however long that takes.
func TestSlowClientsThatGoOn(t *testing.T) {
	t.Parallel()
	w := newWide(t, func(c *rest.Config) { c.Timeout = 3 * time.Second })
	w.Limits(0, 3*time.Second)
	conn, err := net.Dial("tcp", serve(t, w.Server))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write(request("/v/1/rows?limit=1000", "Accept: application/json\r\n")); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReaderSize(conn, 4<<10), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	// 64 kB twenty times: each within Pace, but together longer than Timeout and Pace.
	total, each := int64(0), time.NewTicker(100*time.Millisecond)
	defer each.Stop()
	for {
		n, err := io.CopyN(io.Discard, res.Body, 32<<10)
		total += n
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("after %d bytes: %v", total, err)
		}
		<-each.C
	}
	if total != res.ContentLength {
		t.Errorf("%d bytes of %d", total, res.ContentLength)
	}
}

// An answer that exceeds the size limit is refused while it is built. The error suggests a smaller
// request.
func TestAnswersHaveABound(t *testing.T) {
	t.Parallel()
	w := newWide(t, func(*rest.Config) {})
	w.Limits(1<<20, 0)
	res, body := get(t, w, "/v/1/rows?limit=2000&_format=json")
	if res.StatusCode != http.StatusBadRequest ||
		!strings.Contains(body, "limit gives an answer of more than 1 MB: request fewer") {
		t.Errorf("%d %.200s", res.StatusCode, body)
	}
	if res, body := get(t, w, "/v/1/rows?limit=600&_format=json"); res.StatusCode != http.StatusOK {
		t.Errorf("%d %.200s", res.StatusCode, body)
	}
}

// Equivalent requests share one cached body: with other orders, duplicates, unknown parameters, and
// pages beyond the largest.
func TestUnknownParametersBuildNothing(t *testing.T) {
	t.Parallel()
	w := newWide(t, func(*rest.Config) {})
	w.text = "short"
	var first string
	for i := range 4 {
		for _, query := range []string{"?_format=json&limit=99999&offset=0&x=%d",
			"?y%d=1&offset=0&limit=1000%[1]d&_format=json", "?offset=0&offset=0&limit=10000&_format=json&limit=10000&%d"} {
			res, body := get(t, w, "/v/1/rows"+fmt.Sprintf(query, i+1))
			if first == "" {
				first = body
			}
			if res.StatusCode != http.StatusOK || body != first {
				t.Fatalf("%s: %d %.200s", query, res.StatusCode, body)
			}
		}
	}
	if n := w.builds.Load(); n != 1 {
		t.Errorf("%d builds", n)
	}
	if !strings.Contains(first[:300], `"self":"https://wide.example/v/1/rows?_format=json&limit=10000&offset=0"`) {
		t.Errorf("%.300s", first)
	}
	// These bodies differ, because their links do.
	for query, want := range map[string]string{"?_format=json": "rows?_format=json\"",
		"?_format=json&limit=500": "rows?_format=json&limit=500\""} {
		if _, body := get(t, w, "/v/1/rows"+query); !strings.Contains(body[:300], want) {
			t.Errorf("%s: %.300s", query, body)
		}
	}
}

func exchangeAny(t testing.TB, addr, path string) (int, http.Header, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+addr+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "application/json")
	plain := &http.Transport{DisableCompression: true, DisableKeepAlives: true}
	res, err := plain.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header, body
}

// TestSlowReadersWithinTheShippedMemory repeats the original attack on a separate process. The
// process has the memory limits that deploy/ sets for each API. The test checks the peak memory of
// the process.
func TestSlowReadersWithinTheShippedMemory(t *testing.T) {
	if os.Getenv("TOWNLINE_EVERYTHING") == "" {
		t.Skip("takes a minute and a gigabyte: TOWNLINE_EVERYTHING=1 runs it")
	}
	for _, c := range []struct {
		name, goLimit string
		limit         float64 // in MiB
		cache         int64
		sockets, rows int
	}{
		{"transit-api", "900MiB", 1024, 256 << 20, 150, 10_000},
		{"council-api", "450MiB", 512, 128 << 20, 450, 900},
	} {
		t.Run(c.name, func(t *testing.T) {
			child := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "TestServeWide$")
			// The limit is the one that deploy/ sets.
			child.Env = append(os.Environ(), fmt.Sprint("TOWNLINE_SERVE_WIDE=", c.cache), "GOMEMLIMIT="+c.goLimit, "GOGC=100")
			in, err := child.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := child.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := child.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = child.Wait() }()
			defer in.Close()
			addr, err := bufio.NewReader(out).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			addr = strings.TrimSpace(addr)
			for i := range c.sockets {
				stall(t, addr, fmt.Sprintf("/v/%d/rows?limit=%d", i+1, c.rows))
			}
			refused := 0
			for i := range 200 {
				if status, _, _ := exchangeAny(t, addr, fmt.Sprintf("/v/%d/rows?limit=10", 1000+i)); status != http.StatusOK {
					t.Fatalf("a small answer: %d", status)
				}
				if status, _, _ := exchangeAny(t, addr, fmt.Sprintf("/v/%d/rows?limit=%d", 2000+i, c.rows)); status == http.
					StatusServiceUnavailable {
					refused++
				}
			}
			most := peak(t, child.Process.Pid)
			t.Logf("%d sockets: at most %.0f MiB of %.0f, %d of 200 concurrent large answers rejected", c.sockets, most, c.limit,
				refused)
			if most > c.limit {
				t.Errorf("the process needs %.0f MiB, more than %.0f", most, c.limit)
			}
		})
	}
}

// TestServeWide is the process that TestSlowReadersWithinTheShippedMemory attacks.
func TestServeWide(t *testing.T) {
	cache, err := strconv.ParseInt(os.Getenv("TOWNLINE_SERVE_WIDE"), 10, 64)
	if err != nil {
		t.Skip("runs only as a process of another test")
	}
	w := newWide(t, func(cfg *rest.Config) { cfg.CacheBytes = cache })
	fmt.Println(serve(t, w.Server))
	_, _ = io.Copy(io.Discard, os.Stdin) // runs until the other test ends
}

// peak returns the peak memory of a process, in MiB.
func peak(t testing.TB, pid int) float64 {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skipf("cannot read the process's memory: %v", err)
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 64)
			if err != nil {
				t.Fatal(err)
			}
			return n / 1024
		}
	}
	t.Fatal("the process status has no VmHWM")
	return 0
}

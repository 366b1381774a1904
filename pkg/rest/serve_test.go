package rest_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/rest"
)

// After a stop, the server completes open requests and accepts no new ones.
func TestServeStopsGracefully(t *testing.T) {
	t.Parallel()
	f := newThings(t)
	entered, release := make(chan struct{}), make(chan struct{})
	f.during = func(int64) { close(entered); <-release }
	addr, stop := serving(t, f.Server)
	type result struct {
		body string
		err  error
	}
	answered := make(chan result, 1)
	base := "http://" + addr
	go func() {
		res, err := http.Get(base + "/v1/counted")
		if err != nil {
			answered <- result{err: err}
			return
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		answered <- result{string(b), err}
	}()
	<-entered
	stop()
	waitFor(t, func() bool {
		conn, err := net.Dial("tcp", addr)
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
	close(release)
	if r := <-answered; r.err != nil || !strings.Contains(r.body, `"generation":1`) {
		t.Errorf("%q, %v", r.body, r.err)
	}
}

// After the signal, the server continues for a while and asks clients to reconnect. It rejects no
// request.
func TestServeLingers(t *testing.T) {
	t.Parallel()
	f := newThings(t, func(c *rest.Config) { c.Linger = 10 * time.Second })
	addr, stop := serving(t, f.Server)
	ask := func() bool {
		res, err := http.Get("http://" + addr + "/v1/things/1")
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%+v, %v", res, err)
		}
		defer res.Body.Close()
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			t.Fatal(err)
		}
		return res.Close
	}
	if ask() {
		t.Error("the server closes connections before it stops")
	}
	stop()
	waitFor(t, ask)
}

// On a real connection, net/http itself rejects or completes these requests.
func TestServeOnTheWire(t *testing.T) {
	t.Parallel()
	f := newThings(t)
	addr, _ := serving(t, f.Server)
	for raw, want := range map[string]string{
		"GET /v1/things/1 HTTP/1.1\r\nHost: x\r\n":                                                   "200",
		"HEAD /v1/things HTTP/1.1\r\nHost: x\r\n":                                                    "200",
		"GET http://other.example/v1/things/1 HTTP/1.1\r\nHost: x\r\n":                               "200",
		"GET /v1/things?x=" + strings.Repeat("y", 9000) + " HTTP/1.1\r\nHost: x\r\n":                 "414",
		"GET /v1/things HTTP/1.1\r\nHost: x\r\nX-Big: " + strings.Repeat("y", 64<<10) + "\r\n":       "431",
		"GET /v1/%zz HTTP/1.1\r\nHost: x\r\n":                                                        "400",
		"CONNECT x:443 HTTP/1.1\r\nHost: x\r\n":                                                      "404",
		"POST /v1/things HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n":                               "405",
		"GET /v1/things/1 HTTP/1.1\r\nHost: x\r\nIf-None-Match: *\r\n":                               "304",
		"GET /v1/counted HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\nConnection: keep-alive\r\n": "200",
	} {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Fprintf(conn, "%s\r\n", raw); err != nil {
			t.Fatal(err)
		}
		method, _, _ := strings.Cut(raw, " ")
		res, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
		if err != nil {
			t.Errorf("%.60q: %v", raw, err)
			continue
		}
		if got := fmt.Sprint(res.StatusCode); got != want {
			t.Errorf("%.60q: %s, want %s", raw, got, want)
		}
		if want == "200" && res.ContentLength <= 0 {
			t.Errorf("%.60q: length %d", raw, res.ContentLength)
		}
		res.Body.Close()
		conn.Close()
	}
}

func TestServeReturnsErrors(t *testing.T) {
	t.Parallel()
	s := newStops(t)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
	if err := s.Serve(t.Context(), ln); err == nil || !strings.Contains(err.Error(), "serve 127.0.0.1:") {
		t.Error(err)
	}
}

// A 503 is logged as a warning. The log does not have the host of the database.
func TestLevelOfRefusals(t *testing.T) {
	t.Parallel()
	_, away := pgx.Connect(t.Context(), "postgres://hush@127.0.0.1:1/vault")
	var cause error
	var log bytes.Buffer
	f := newThings(t, func(c *rest.Config) {
		c.AccessLog, c.Log = rest.LogErrors, slog.New(slog.NewTextHandler(&log, nil))
		c.Access = func(*http.Request, *rest.Spec) (rest.Grant, error) { return rest.Grant{}, cause }
	})
	for _, step := range []struct {
		cause error
		line  string
	}{
		{&rest.Error{Status: http.StatusServiceUnavailable, Detail: "the feed is loading"},
			`level=WARN .* status=503 .* error="503 the feed is loading"`},
		{fmt.Errorf("read: %w", away), `level=WARN .* status=503 .* error="read: cannot connect to the database"`},
		{context.DeadlineExceeded, `level=ERROR .* status=504 `},
		{errors.New("broken"), `level=ERROR .* status=500 .* error=broken`},
	} {
		cause = step.cause
		log.Reset()
		get(t, f, "/v1/things")
		if !regexp.MustCompile(step.line).MatchString(log.String()) || strings.Contains(log.String(), "hush") {
			t.Errorf("%v: logged %s", step.cause, log.String())
		}
	}
}

func TestAccessLog(t *testing.T) {
	t.Parallel()
	for level, want := range map[rest.AccessLog][]int{rest.LogAll: {200, 400, 500}, rest.LogErrors: {500},
		rest.LogOff: nil} {
		var log bytes.Buffer
		f := newThings(t, func(c *rest.Config) {
			c.AccessLog = level
			c.Log = slog.New(slog.NewJSONHandler(&log, nil))
		})
		for _, target := range []string{"/v1/live?x=secret", "/v1/things?limit=0", "/v1/fails"} {
			get(t, f, target, "X-Request-Id", "request-1")
		}
		var got []int
		for line := range strings.Lines(log.String()) {
			var l struct {
				ID                        string `json:"request_id"`
				Method, Route, API, Error string
				Status, Bytes             int
				Took                      *int64
			}
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Fatal(err)
			}
			got = append(got, l.Status)
			if l.ID != "request-1" || l.Method != "GET" || l.Route == "" || l.Bytes == 0 || l.Took == nil ||
				l.API != "council" || (l.Error != "") != (l.Status == 500) {
				t.Errorf("wrong log line %s", line)
			}
			if strings.Contains(line, "x=secret") {
				t.Errorf("the query is in the log: %s", line)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("level %s: %v, want %v", level, got, want)
		}
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	f := newThings(t)
	for _, target := range []string{"/v1/live", "/v1/live", "/v1/things?limit=0", "/v1/nothing"} {
		get(t, f, target)
	}
	all, err := f.metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]uint64{}
	for _, m := range all {
		for _, v := range m.GetMetric() {
			labels := map[string]string{}
			for _, l := range v.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			if labels["api"] != "council" {
				t.Errorf("%s has no api", m.GetName())
			}
			if n := v.GetHistogram().GetSampleCount(); n > 0 {
				got[labels["route"]+" "+labels["status"]] = n
			}
			if n := v.GetCounter().GetValue(); n > 0 {
				got[m.GetName()] = uint64(n)
			}
		}
	}
	want := map[string]uint64{"/live 2xx": 2, "/things 4xx": 1, "none 4xx": 1, "townline_http_cache_hits_total": 1,
		"townline_http_cache_misses_total": 1}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/townline/townline/pkg/events"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/run"
)

// A group ends when one of its functions returns, and returns that function's error, unless it was
// stopped from outside. A context.Canceled in the error does not count as a stop, because it may
// come from another context.
func TestGroup(t *testing.T) {
	t.Parallel()
	until := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	returns := func(err error) func(context.Context) error { return func(context.Context) error { return err } }
	for want, c := range map[string]struct {
		first func(context.Context) error
		end   func(*run.Group, context.CancelFunc)
	}{
		"first: broken":                      {returns(errors.New("broken")), nil},
		"first: ended before it was stopped": {returns(nil), nil},
		"first: lost the connection: context canceled": {returns(fmt.Errorf("lost the connection: %w", context.Canceled)),
			nil},
		"first: panic: boo (in github.com/townline/townline/pkg/run_test.TestGroup": {
			func(context.Context) error { panic("boo") }, nil},
		"panic: boo (in ": {until, func(g *run.Group, _ context.CancelFunc) {
			g.Watch(func(context.Context) { panic("boo") })
		}},
		"<nil>":   {until, func(_ *run.Group, cancel context.CancelFunc) { cancel() }},
		"<nil>\n": {until, func(g *run.Group, _ context.CancelFunc) { _ = g.Stop() }},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		g := run.NewGroup(ctx)
		g.Go("first", c.first)
		g.Go("other", until)
		if c.end != nil {
			c.end(g, cancel)
		}
		if got := fmt.Sprintln(g.Wait()); !strings.HasPrefix(got, want) || strings.Contains(got, ".go") {
			t.Errorf("got %s, want %s", got, want)
		}
		cancel()
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestEveryContinuesAfterFailuresAndLogsThemOnce(t *testing.T) {
	t.Parallel()
	var out lockedBuffer
	ctx, cancel := context.WithCancel(t.Context())
	now := make(chan struct{}, 10)
	turns := 0
	for range 10 {
		now <- struct{}{}
	}
	err := run.Every(ctx, run.Loop{Name: "poll", Period: time.Hour, Now: now, Log: run.Logger(&out, "info", "text")},
		func(context.Context) error {
			turns++
			switch {
			case turns <= 3:
				return errors.New("upstream is down")
			case turns == 4:
				panic("boo")
			case turns == 6:
				cancel()
			}
			return nil
		})
	if err != nil || turns != 6 {
		t.Fatalf("%d turns, %v", turns, err)
	}
	logged := out.String()
	if n := strings.Count(logged, "upstream is down"); n != 1 {
		t.Errorf("the same failure was logged %d times:\n%s", n, logged)
	}
	if !strings.Contains(logged, "panic: boo") || !strings.Contains(logged, "poll works again") {
		t.Errorf("log lacks the panic or the recovery:\n%s", logged)
	}
}

func TestAdminPort(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	health := &run.Health{}
	var asked atomic.Int32
	var gone atomic.Bool
	health.Require("database", func(context.Context) error {
		asked.Add(1)
		if gone.Load() {
			return errors.New("not reachable")
		}
		return nil
	})
	health.Warn("nats", func(context.Context) error { return errors.New("away") })
	metrics := prometheus.NewRegistry()
	metrics.MustRegister(prometheus.NewGauge(prometheus.GaugeOpts{Name: "test_gauge"}))
	done := make(chan error)
	go func() { done <- run.ServeAdmin(ctx, ln, health, metrics) }()

	get := func(path string) (int, string) {
		t.Helper()
		resp, err := http.Get("http://" + ln.Addr().String() + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
	if code, _ := get("/healthz"); code != 200 {
		t.Errorf("healthz: %d", code)
	}
	if code, body := get("/metrics"); code != 200 || !strings.Contains(body, "test_gauge 0") {
		t.Errorf("metrics: %d %s", code, body)
	}
	health.Require("feeds", func(context.Context) error { return errors.New("the service is starting") })
	if code, body := get("/readyz"); code != 503 || !strings.Contains(body, "is starting") {
		t.Errorf("readyz during the start: %d %s", code, body)
	}
	health.Require("feeds", func(context.Context) error { return nil })
	var report run.Report
	code, body := get("/readyz")
	if err := json.Unmarshal([]byte(body), &report); err != nil || code != 200 || report.Status != "ready with warnings" ||
		report.Checks["nats"] != "away" || report.Checks["feeds"] != "ok" {
		t.Errorf("readyz after the start: %d %s %v", code, body, err)
	}
	asked.Store(0)
	gone.Store(true)
	if code, body := get("/readyz"); code != 200 || asked.Load() != 0 {
		t.Errorf("readyz without the database: %d %s after %d checks", code, body, asked.Load())
	}
	if code, body := get("/readyz?verbose"); code != 200 || !strings.Contains(body, `"database":"not reachable"`) {
		t.Errorf("readyz?verbose without the database: %d %s", code, body)
	}
	health.Stopping()
	if code, body := get("/readyz"); code != 503 || !strings.Contains(body, "stopping") {
		t.Errorf("readyz during the stop: %d %s", code, body)
	}
	http.DefaultClient.CloseIdleConnections()
	cancel()
	if err := <-done; err != nil {
		t.Errorf("error after a stop from outside: %v", err)
	}
}

// Log lines omit the address of the database.
func TestLoggerHidesConnections(t *testing.T) {
	t.Parallel()
	pool, err := pg.Open(t.Context(), "postgres://someone:hunter2@127.0.0.1:1/somewhere", pg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	err = pool.Ping(t.Context())
	if err == nil {
		t.Fatal("a server listens on port 1")
	}
	var out lockedBuffer
	run.Logger(&out, "info", "text").Error("look", "error", fmt.Errorf("read the feeds: %w", err))
	got := out.String()
	if !strings.Contains(got, "read the feeds: cannot connect to the database") || strings.Contains(got, "someone") ||
		strings.Contains(got, "127.0.0.1") {
		t.Errorf("logged: %s", got)
	}
}

func TestLogger(t *testing.T) {
	t.Parallel()
	var out lockedBuffer
	log := run.Logger(&out, "warn", "json")
	log.Info("quiet")
	log.Warn("loud", slog.String("k", "v"))
	var line map[string]any
	if err := json.Unmarshal([]byte(out.String()), &line); err != nil || line["msg"] != "loud" {
		t.Fatalf("got %q, %v", out.String(), err)
	}
}

func TestWatch(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	looks := 0
	var hinted func()
	hint := func(_ context.Context, _ *events.Bus, h func()) error { hinted = h; return nil }
	loop := run.Loop{Name: "look", Period: time.Hour, Log: slog.New(slog.DiscardHandler)}
	err := run.Watch(ctx, nil, loop, func(context.Context) error {
		if looks++; looks == 3 {
			cancel()
		}
		hinted()
		hinted() // has no effect, because the first hint is still pending
		return nil
	}, hint)
	if err != nil || looks != 3 {
		t.Errorf("look ran %d times, %v", looks, err)
	}
	broken := errors.New("no subscription")
	err = run.Watch(t.Context(), nil, loop, nil, func(context.Context, *events.Bus, func()) error { return broken })
	if !errors.Is(err, broken) {
		t.Errorf("%v, want %v", err, broken)
	}
}

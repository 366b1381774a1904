package gate_test

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/services/townline/internal/gate"
)

// half is a half with one page.
var half = gate.Half{Start: "/only", Name: "stop.home", Pages: func(*gate.Server) map[string]gate.Page {
	return map[string]gate.Page{"GET /only": func(w http.ResponseWriter, _ *http.Request, v *gate.Visitor) error {
		_, err := w.Write([]byte("hello " + v.Name))
		return err
	}}
}}

func open(t *testing.T, cfg gate.Config) (*gate.Server, net.Listener, error) {
	t.Helper()
	ln, err := gate.Listen(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	server, err := gate.Open(cfg, slog.New(slog.NewTextHandler(t.Output(), nil)), ln, half)
	return server, ln, err
}

// A link that nobody uses ends after an hour. A used one leads to the first page.
func TestUnusedLinksEnd(t *testing.T) {
	t.Parallel()
	server, ln, err := open(t, gate.Config{Addr: "127.0.0.1:0", Council: conf.Council{TimeZone: "UTC"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, ln) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	start := time.Now()
	links := server.Links([]string{"Ann", "Bo"})
	for i, after := range []time.Duration{59 * time.Minute, 61 * time.Minute} {
		server.SetClock(func() time.Time { return start.Add(after) })
		jar, err := cookiejar.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, links[i], nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := (&http.Client{Jar: jar}).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		path := []string{"/only", "/open"}[i]
		if want := []int{http.StatusOK, http.StatusForbidden}[i]; res.StatusCode != want || res.Request.URL.Path != path {
			t.Errorf("after %s: %d at %s", after, res.StatusCode, res.Request.URL.Path)
		}
	}
}

// A port is open to every program on the machine, so the header of a proxy counts on a socket only.
func TestProxyHeaderRequiresASocket(t *testing.T) {
	t.Parallel()
	_, _, err := open(t, gate.Config{Addr: "127.0.0.1:0", Header: "X-Clerk", Council: conf.Council{TimeZone: "UTC"}})
	if err == nil || !strings.Contains(err.Error(), "unix:") {
		t.Errorf("header on a port: %v", err)
	}
}

func TestListenOnThisMachineOnly(t *testing.T) {
	t.Parallel()
	for _, cfg := range []gate.Config{{Addr: "0.0.0.0:0"}, {Addr: ":0"}, {Addr: "localhost:0"},
		{Addr: "192.0.2.1:0"}, {Addr: "8083"}, {Addr: "unix:" + t.TempDir() + "/s"}} {
		if ln, err := gate.Listen(t.Context(), cfg); err == nil {
			_ = ln.Close()
			t.Errorf("listens at %s", cfg.Addr)
		}
	}
	cfg := gate.Config{Addr: "unix:" + t.TempDir() + "/s", Header: "X-Clerk", Council: conf.Council{TimeZone: "UTC"}}
	if _, _, err := open(t, cfg); err == nil || !strings.Contains(err.Error(), "REVIEW_HOST") {
		t.Errorf("socket without REVIEW_HOST: %v", err)
	}
	if info, err := os.Stat(strings.TrimPrefix(cfg.Addr, "unix:")); err != nil || info.Mode().Perm() != 0o660 {
		t.Errorf("%v %v", info, err)
	}
}

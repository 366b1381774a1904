package transitapi

import (
	"context"
	"encoding/json"
	"flag"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/townline/townline/pkg/events"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/rest/resttest"
	"github.com/townline/townline/pkg/run"
)

var update = flag.Bool("update", false, "rewrite golden files")

// public is the configured address of the API.
const public = "https://transit.example" + basePath

// A world is an API with its own database. Tests call it without a network.
type world struct {
	*resttest.API
	db   *pgxpool.Pool
	api  *api
	srv  *rest.Server
	time atomic.Pointer[time.Time] // nil means the real clock
}

func (w *world) now() time.Time {
	if at := w.time.Load(); at != nil {
		return *at
	}
	return time.Now()
}

func (w *world) clockAt(at time.Time) { w.time.Store(&at) }

const testConfig = `
feeds:
  - alias: metro
    route_extras:
      "R/1": {badge: express, route_id: no}
access:
  roles:
    anonymous: [discovery, static, realtime, display]
`

func newWorld(t testing.TB, alter func(*Config)) *world {
	t.Helper()
	return newWorldOn(t, alter, nil)
}

func newWorldOn(t testing.TB, alter func(*Config), bus *events.Bus) *world {
	t.Helper()
	w := &world{db: pgtest.New(t)}
	sql, err := os.ReadFile("testdata/feed.sql")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.db.Exec(t.Context(), string(sql)); err != nil {
		t.Fatalf("testdata/feed.sql: %v", err)
	}
	cfg := Config{PublicURL: "https://transit.example", File: configFile(t, testConfig), AccessLog: "off", now: w.now}
	if alter != nil {
		alter(&cfg)
	}
	deps := testDeps(w.db)
	deps.Events = bus
	a, srv, err := newAPI(cfg, deps)
	if err != nil {
		t.Fatal(err)
	}
	w.api, w.srv, w.API = a, srv, documented(t, srv)
	refreshFeeds(t, a)
	w.refresh(t)
	return w
}

// again returns another API on the same database that has loaded nothing.
func (w *world) again(t *testing.T, alter ...func(*Config)) *world {
	t.Helper()
	next := &world{db: w.db}
	cfg := Config{PublicURL: "https://transit.example", File: configFile(t, testConfig), AccessLog: "off", now: next.now}
	for _, f := range alter {
		f(&cfg)
	}
	a, srv, err := newAPI(cfg, testDeps(w.db))
	if err != nil {
		t.Fatal(err)
	}
	next.api, next.srv, next.API = a, srv, w.For(srv)
	return next
}

// reimport changes rows of the feed, as an import would.
func (w *world) reimport(t testing.TB, sql string) {
	t.Helper()
	w.exec(t, sql+`; UPDATE transit.feed_version SET sha256 = sha256 || '\x01'
		WHERE version_id = 2`)
	refreshFeeds(t, w.api)
}

// documented checks answers against the description, which is parsed once.
var documented = resttest.Once()

func configFile(t testing.TB, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "transit.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func refreshFeeds(t testing.TB, a *api) {
	t.Helper()
	if err := a.dir.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.dir.Wait()
}

// refresh loads all other changes.
func (w *world) refresh(t testing.TB) {
	t.Helper()
	for _, refresh := range []func(context.Context) error{w.api.live.Refresh, w.api.annotations.Refresh,
		w.api.keys.Refresh} {
		if err := refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func testDeps(db *pgxpool.Pool) run.Deps {
	return run.Deps{DB: db, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Metrics: prometheus.NewRegistry(),
		Ready: &run.Health{}}
}

// get requests JSON from a path below the base.
func (w *world) get(t *testing.T, path string) resttest.Answer {
	t.Helper()
	return w.Get(t, basePath+path, "Accept", "application/json")
}

// ask is get for paths that must return status 200.
func (w *world) ask(t *testing.T, path string) []byte {
	t.Helper()
	a := w.get(t, path)
	if a.Status != http.StatusOK {
		t.Fatalf("%s: %d %s", path, a.Status, a.Body)
	}
	return a.Body
}

func decoded[T any](t *testing.T, w *world, path string) (body T) {
	t.Helper()
	if err := json.Unmarshal(w.ask(t, path), &body); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return body
}

// statuses checks the statuses of paths below the base.
func (w *world) statuses(t *testing.T, paths map[string]int) {
	t.Helper()
	for path, want := range paths {
		if got := w.get(t, path); got.Status != want {
			t.Errorf("%s: %d %s, want %d", path, got.Status, got.Body, want)
		}
	}
}

func (w *world) pageStatuses(t *testing.T, targets map[string]int) {
	t.Helper()
	for target, want := range targets {
		if got := w.page(t, target); got.Code != want {
			t.Errorf("%s: %d, want %d", target, got.Code, want)
		}
	}
}

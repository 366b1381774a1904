package transitapi

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/events"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/rest/resttest"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
)

// newVersion activates version 1, which has only one agency.
const newVersion = `
	INSERT INTO transit.agency (version_id, ord, agency_id, agency_name, first_route, route_count) VALUES (1, 0, 'new', 'New', 0, 0) ON CONFLICT DO NOTHING;
	UPDATE transit.feed_version SET state = 'live', counts = '{"agency": 1}' WHERE version_id = 1;
	UPDATE transit.feed SET version_id = 1, generation = generation + 1, updated_at = now() WHERE alias = 'metro';`

func (w *world) exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	if _, err := w.db.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

// eventually requests a path until the answer contains a text.
func (w *world) eventually(t *testing.T, path, want string) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(time.Minute); ; <-tick.C {
		a := w.get(t, path)
		if strings.Contains(string(a.Body), want) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: still %d %.200s", path, a.Status, a.Body)
		}
	}
}

// watch runs the directory until the test ends.
func (w *world) watch(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- w.api.dir.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func newBus(t *testing.T) *events.Bus {
	t.Helper()
	srv := pgtest.NATS(t)
	bus, err := events.Open(events.Options{Dial: srv.Connect, Name: t.Name()}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(bus.Close)
	return bus
}

func TestLostEventsAreRecovered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.api.dir.Period = 10 * time.Millisecond
	w.watch(t)
	w.exec(t, newVersion)
	w.eventually(t, "/feeds/metro/agencies", `"new"`)
	w.exec(t, `UPDATE transit.feed SET removed_at = now() WHERE alias = 'metro'`)
	w.eventually(t, "/feeds/metro/agencies", "unknown feed")
	w.eventually(t, "/feeds", `"data":[]`)
}

// A lagging database replica does not restore an earlier version or remove a feed. A restored
// database does, after it has returned the earlier state for some time.
func TestFeedsDoNotGoBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	now := noon
	w.clockAt(now)
	expect := func(when, want string) {
		t.Helper()
		w.clockAt(now)
		refreshFeeds(t, w.api)
		if body := string(w.ask(t, "/feeds/metro/agencies")); !strings.Contains(body, want) {
			t.Fatalf("%s: %s, want %s", when, body, want)
		}
	}
	w.exec(t, newVersion)
	expect("an import", `"new"`)
	const ahead, behind = `UPDATE transit.feed SET version_id = 1, generation = 8
		WHERE alias = 'metro'`, `UPDATE transit.feed SET version_id = 2, generation = 7 WHERE alias = 'metro'`
	w.exec(t, behind)
	expect("a lagging replica", `"new"`)
	now = now.Add(pg.Patience - time.Second)
	w.exec(t, ahead)
	expect("another replica", `"new"`)
	w.exec(t, behind)
	now = now.Add(2 * time.Second)
	expect("the one that lags again, after it was contradicted", `"new"`)
	w.exec(t, `ALTER TABLE transit.feed RENAME TO hidden; CREATE VIEW transit.feed AS SELECT * FROM transit.hidden
		WHERE alias <> 'metro'`)
	expect("a replica that does not have the feed yet", `"new"`)
	w.exec(t, `DROP VIEW transit.feed; ALTER TABLE transit.hidden RENAME TO feed`)
	now = now.Add(pg.Patience)
	expect("a restored database", `"Metro Transit"`)
	// After a restore, another feed may have the same alias: the newer feed is used.
	w.exec(t, `UPDATE transit.feed SET alias = 'was' WHERE alias = 'metro'; UPDATE transit.feed SET alias = 'metro',
		version_id = 1, updated_at = now() WHERE alias = 'soon'`)
	expect("made again", `"new"`)
}

func TestEventsActivateVersions(t *testing.T) {
	t.Parallel()
	bus := newBus(t)
	w := newWorldOn(t, nil, bus)
	w.api.dir.Period = time.Hour // only an event can trigger a read
	w.watch(t)
	w.exec(t, newVersion)
	// The subscription may not be active yet, so publish until an event arrives.
	announce := func(m func()) func() {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			for ctx.Err() == nil {
				m()
				select {
				case <-ctx.Done():
				case <-time.After(20 * time.Millisecond):
				}
			}
		}()
		return cancel
	}
	stop := announce(func() { bus.Publish(t.Context(), &eventsv1.FeedImported{Alias: "metro", VersionId: 1}) })
	w.eventually(t, "/feeds/metro/agencies", `"new"`)
	stop()
	w.exec(t, `UPDATE transit.feed SET removed_at = now() WHERE alias = 'metro'`)
	defer announce(func() { bus.Publish(t.Context(), &eventsv1.FeedRemoved{Alias: "metro"}) })()
	w.eventually(t, "/feeds/metro/agencies", "unknown feed")
}

// The ETag changes if and only if the data may have changed.
func TestTags(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	ask := func(path string, headers ...string) resttest.Answer {
		t.Helper()
		return w.Get(t, basePath+path, append(headers, "Accept", "application/json")...)
	}
	look := func() {
		t.Helper()
		refreshFeeds(t, w.api)
	}
	stops, list := ask("/feeds/metro/stops").Header.Get("ETag"), ask("/feeds").Header.Get("ETag")
	look()
	if a := ask("/feeds/metro/stops", "If-None-Match", stops); a.Status != http.StatusNotModified {
		t.Errorf("same data: status %d", a.Status)
	}
	if got := ask("/feeds/metro/stops").Header.Get("Last-Modified"); got != "Sun, 01 Mar 2026 10:00:00 GMT" {
		t.Errorf("Last-Modified %q", got)
	}
	// The feed is removed and imported again: same generation, different bytes.
	w.exec(t, `UPDATE transit.feed_version SET sha256 = '\xff' WHERE version_id = 2`)
	look()
	if a := ask("/feeds/metro/stops", "If-None-Match", stops); a.Status != http.StatusOK || a.Header.Get("ETag") == stops {
		t.Errorf("different data with the same generation: %d %s", a.Status, a.Header.Get("ETag"))
	}
	if a := ask("/feeds", "If-None-Match", list); a.Status != http.StatusOK {
		t.Errorf("list of feeds: status %d", a.Status)
	}
}

// After the database was unreachable for long, missing rows of a dropped version do not become 404.
func TestDroppedRowsAreNotUnknown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.exec(t, `
		INSERT INTO transit.agency (version_id, ord, agency_id, agency_name, first_route, route_count)
		  VALUES (1, 0, 'M T', 'New', 0, 0);`+newVersion+`
		DROP TABLE transit.shape_2, transit.stop_2;
		UPDATE transit.feed_version SET state = 'dropped', retired_at = now() - interval '1 h' WHERE version_id = 2;`)
	w.db.Reset()
	for _, path := range []string{"/feeds/metro/shapes/sh%201", "/feeds/metro/shapes"} {
		if a := w.get(t, path); a.Status != http.StatusServiceUnavailable || a.Header.Get("Retry-After") != "1" {
			t.Errorf("%s before the feed table is read: %d %s", path, a.Status, a.Body)
		}
	}
	refreshFeeds(t, w.api)
	if body := w.ask(t, "/feeds/metro/agencies/M%20T"); !strings.Contains(string(body), `"New"`) {
		t.Errorf("one: %s", body)
	}
	if body := w.ask(t, "/feeds/metro/stops"); !strings.Contains(string(body), `"data":[]`) {
		t.Errorf("list: %s", body)
	}
}

// Without Postgres the API serves cached answers, and 503 for others; it recovers by itself.
func TestWithoutPostgres(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	url := w.db.Config().ConnString()
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	var up atomic.Bool
	config.ConnConfig.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if !up.Load() {
			return nil, errors.New("connection refused")
		}
		return (&net.Dialer{}).DialContext(ctx, network, addr)
	}
	db, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	a, srv, err := newAPI(Config{PublicURL: "https://transit.example", File: configFile(t, testConfig), AccessLog: "off"},
		testDeps(db))
	if err != nil {
		t.Fatal(err)
	}
	away := &world{API: resttest.Open(t, srv), db: db, api: a}
	status := func(path string, want int) {
		t.Helper()
		if got := away.get(t, path); got.Status != want {
			t.Errorf("%s: %d %s, want %d", path, got.Status, got.Body, want)
		}
	}
	if err := a.dir.Refresh(t.Context()); err == nil {
		t.Fatal("the database still answers")
	}
	status("/feeds", 503)
	status("/feeds/metro/stops", 503)
	status("/", 200)
	if a.dir.Ready(t.Context()) == nil {
		t.Error("ready without feeds")
	}
	up.Store(true)
	a.dir.Period = 10 * time.Millisecond
	away.watch(t)
	away.eventually(t, "/feeds", `"metro"`)
	away.eventually(t, "/feeds/metro/stops", `"Alder"`)
	status("/feeds/metro/stops", 200)
	up.Store(false)
	db.Reset()
	status("/feeds/metro/stops", 200)
	status("/feeds/metro/shapes", 503)
}

// During imports, an answer has the old version or the new version, never both.
func TestImportsDoNotMixVersions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.CacheBytes = 1 })
	w.exec(t, `
		INSERT INTO transit.agency (version_id, ord, agency_id, agency_name, first_route, route_count)
		SELECT 1, ord, agency_id, 'New', 0, 0 FROM transit.agency WHERE version_id = 2 AND ord = 0;
		UPDATE transit.feed_version SET state = 'live', counts = '{"agency": 1}' WHERE version_id = 1`)
	w.api.dir.Period = time.Millisecond
	w.watch(t)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for v := 1; ; v = 3 - v {
			select {
			case <-stop:
				return
			default:
			}
			if _, err := w.db.Exec(context.WithoutCancel(t.Context()), `
				UPDATE transit.feed SET version_id = $1, generation = generation + 1,
				  updated_at = clock_timestamp() WHERE alias = 'metro'`, v); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	seen := map[string]int{}
	// Loading a version takes a moment, so wait until both versions were seen.
	enough := time.Now().Add(2 * time.Minute)
	for n := 0; n < 300 || len(seen) < 2 && time.Now().Before(enough); n++ {
		body := string(w.ask(t, "/feeds/metro/agencies"))
		switch {
		case strings.Contains(body, `"totalCount":2,"dataCount":2`) && strings.Contains(body, `"Metro Transit"`) &&
			strings.Contains(body, `"ferry"`):
			seen["old"]++
		case strings.Contains(body, `"totalCount":1,"dataCount":1`) && strings.Contains(body, `"New"`) &&
			!strings.Contains(body, `"ferry"`):
			seen["new"]++
		default:
			t.Fatalf("mixed: %s", body)
		}
	}
	close(stop)
	<-done
	if len(seen) < 2 {
		t.Errorf("saw only %v", seen)
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	deps, file := testDeps(pgtest.New(t)), configFile(t, testConfig)
	deps.Listener = ln
	done := make(chan error, 1)
	go func() {
		done <- Run(ctx, Config{File: file, AccessLog: "off"}, deps)
		cancel() // nobody accepts the request if Run fails
	}()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet,
		"http://"+ln.Addr().String()+basePath+"/?_format=json", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		cancel()
		t.Fatal(err, <-done)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("root: %s", res.Status)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := Run(t.Context(), Config{File: "/nowhere/transit.yaml"}, deps); err == nil {
		t.Error("no error for a missing configuration")
	}
}

package rest_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/rest/resttest"
)

func TestOneBuilderPerBody(t *testing.T) {
	t.Parallel()
	f := newThings(t)
	entered, release := make(chan struct{}, 100), make(chan struct{})
	f.during = func(int64) { entered <- struct{}{}; <-release }
	var wg sync.WaitGroup
	ask := func(headers ...string) {
		wg.Go(func() {
			if res := do(t, f, "GET", "/v1/counted", headers...); res.StatusCode != 200 {
				t.Errorf("%d", res.StatusCode)
			}
		})
	}
	ask()
	<-entered
	for i := range 30 {
		ask("Accept-Encoding", []string{"", "gzip", "zstd"}[i%3])
	}
	close(release)
	wg.Wait()
	if n := f.builds.Load(); n != 1 {
		t.Errorf("%d builds", n)
	}
}

// If the client that started a build leaves, clients that have joined still get the answer: one of
// them builds it. The build ends when its client has left.
func TestLeavingClients(t *testing.T) {
	t.Parallel()
	f := newThings(t, func(c *rest.Config) { c.Timeout = 4 * time.Minute })
	entered, release := make(chan struct{}), make(chan struct{})
	f.during = func(n int64) {
		if n == 1 {
			close(entered)
			<-release
		}
	}
	ctx, leave := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		f.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", "/v1/counted", nil))
	})
	<-entered
	joined := make(chan int, 1)
	wg.Go(func() { joined <- do(t, f, "GET", "/v1/counted").StatusCode })
	waitFor(t, func() bool { return metric(t, f.metrics, "townline_http_cache_waiting") == 2 })
	leave()
	close(release)
	if got := <-joined; got != 200 || f.builds.Load() > 2 {
		t.Errorf("the remaining client got %d after %d builds", got, f.builds.Load())
	}
	wg.Wait()

	alone, leaveAlone := context.WithCancel(t.Context())
	wg.Go(func() {
		f.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(alone, "GET", "/v1/slow", nil))
	})
	waitFor(t, func() bool { return metric(t, f.metrics, "townline_http_cache_waiting") == 1 })
	start := time.Now()
	leaveAlone()
	wg.Wait()
	if took := time.Since(start); took > time.Minute { // far less than the timeout
		t.Errorf("a build without clients continued for %s", took)
	}
	waitFor(t, func() bool { return strings.Contains(f.log.String(), `"status":499`) })
}

// waitFor polls a state for which there is no channel.
func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	late := time.After(time.Minute)
	for !done() {
		select {
		case <-look.C:
		case <-late:
			t.Fatal("waited too long")
		}
	}
}

// If data changes during a build, the whole answer and its ETag have the state at the start of the
// build.
func TestGenerationMovesDuringBuild(t *testing.T) {
	t.Parallel()
	f := newThings(t)
	f.during = func(n int64) { // acts like another process, while the build holds its connection
		done := make(chan struct{})
		go func() { defer close(done); f.commit(n + 1) }()
		<-done
	}
	res, body := get(t, f, "/v1/counted")
	if !strings.Contains(body, `"generation":1,"row":1`) || f.builds.Load() != 1 {
		t.Fatalf("%.60s after %d builds", body, f.builds.Load())
	}
	first := res.Header.Get("ETag")
	f.during = nil
	f.gen.Store(2) // announce the generation
	res, body = get(t, f, "/v1/counted")
	if !strings.Contains(body, `"generation":2,"row":2`) || res.Header.Get("ETag") == first {
		t.Errorf("%.60s", body)
	}
}

// The announced generation may be ahead of the replica or behind it. The ETag and the cache key
// have the generation that was read from the replica.
func TestGenerationOfTheReplica(t *testing.T) {
	t.Parallel()
	f := newThings(t)
	for _, at := range []struct{ stored, heard, later int64 }{{10, 12, 12}, {13, 11, 14}} {
		f.gen.Store(at.heard)
		f.commit(at.stored)
		both := func(n int64) string { return fmt.Sprintf(`"generation":%d,"row":%d`, n, n) }
		read, body := get(t, f, "/v1/counted")
		if !strings.Contains(body, both(at.stored)) {
			t.Errorf("%+v: %.80s", at, body)
		}
		if res := resttest.Open(t, f.Server).Get(t, "/v1/counted", "If-None-Match", read.Header.Get("ETag")); res.
			Status != 304 {
			t.Errorf("%+v, second request: %d", at, res.Status)
		}
		f.commit(at.later)
		f.gen.Store(at.later)
		if res, body := get(t, f, "/v1/counted"); !strings.Contains(body, both(at.later)) ||
			res.Header.Get("ETag") == read.Header.Get("ETag") {
			t.Errorf("%+v, after the replica caught up: %.80s", at, body)
		}
	}
	f.gen.Store(-1)
	f.commit(7)
	if res, body := get(t, f, "/v1/counted"); res.StatusCode != 200 || !strings.Contains(body, `"generation":7`) {
		t.Errorf("%d %.80s", res.StatusCode, body)
	}
	f.commit(-2)
	if res, _ := get(t, f, "/v1/counted"); res.StatusCode != 404 {
		t.Errorf("%d for a row outside of the snapshot", res.StatusCode)
	}
}

// Every stream that was opened is closed, and a stream that breaks off is logged.
func TestStreamsAreClosed(t *testing.T) {
	t.Parallel()
	f := newThings(t)
	api := resttest.Open(t, f.Server)
	tag := api.Get(t, "/v1/export.csv").Header.Get("ETag")
	api.Get(t, "/v1/export.csv", "Range", "bytes=99-")
	api.Get(t, "/v1/export.csv", "If-None-Match", "*")
	api.Get(t, "/v1/export.csv", "If-Modified-Since", "Fri, 01 Jan 2100 00:00:00 GMT")
	do(t, f, "HEAD", "/v1/export.csv")
	if opened, closed := f.builds.Load(), f.closed.Load(); opened < 5 || opened != closed {
		t.Errorf("%d opened, %d closed", opened, closed)
	}
	f.commit(f.gen.Add(1))
	if res := api.Get(t, "/v1/export.csv", "If-None-Match", tag); res.Status != 200 {
		t.Errorf("%d in another generation", res.Status)
	}
	f.breaks.Store(true)
	res, body := get(t, f, "/v1/export.csv")
	if strings.Contains(body, "SELECT") || !strings.Contains(f.log.String(), `"error":"stream: SELECT secret`) ||
		res.StatusCode != 200 {
		t.Errorf("%d %q\n%s", res.StatusCode, body, f.log)
	}
}

func TestErrorsAreNotCached(t *testing.T) {
	t.Parallel()
	f := newThings(t)
	if res, _ := get(t, f, "/v1/things/500"); res.StatusCode != 404 {
		t.Fatal(res.StatusCode)
	}
	if _, err := f.db.Exec(t.Context(), `INSERT INTO thing VALUES (500, '2026-01-01', now(), 'red', 1, '')`); err != nil {
		t.Fatal(err)
	}
	if res, body := get(t, f, "/v1/things/500"); res.StatusCode != 200 {
		t.Error(res.StatusCode, body)
	}
}

// A timeout is 504 in every content coding, for all waiting clients.
func TestTimeoutInEveryCoding(t *testing.T) {
	t.Parallel()
	f := newThings(t, func(c *rest.Config) { c.Timeout = 2 * time.Second; c.AccessLog = rest.LogOff })
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Go(func() {
			target := []string{"/v1/slow", "/v1/sleeps"}[i%2]
			if res := do(t, f, "GET", target, "Accept-Encoding", []string{"", "gzip", "zstd"}[i%3]); res.StatusCode != 504 {
				t.Errorf("%s: %d %s", target, res.StatusCode, res.Body)
			}
		})
	}
	wg.Wait()
}

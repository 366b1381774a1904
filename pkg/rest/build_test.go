package rest_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/townline/townline/pkg/rest/resttest"
)

func TestOneBuilderPerBody(t *testing.T) {
	t.Parallel()
	f := newCouncil(t)
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

// The client that started a build leaves; those who joined get the answer all the same. When all
// have left, the build ends.
func TestLeavingClients(t *testing.T) {
	t.Parallel()
	f := newCouncil(t)
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
	waitFor(t, func() bool { return f.gauge(t, "townline_http_cache_waiting") == 2 })
	leave()
	close(release)
	if got := <-joined; got != 200 || f.builds.Load() != 1 {
		t.Errorf("the one who stayed got %d after %d builds", got, f.builds.Load())
	}
	wg.Wait()

	alone, leaveAlone := context.WithCancel(t.Context())
	wg.Go(func() {
		f.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(alone, "GET", "/v1/slow", nil))
	})
	waitFor(t, func() bool { return f.gauge(t, "townline_http_cache_waiting") == 1 })
	start := time.Now()
	leaveAlone()
	wg.Wait()
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("a build that nobody waits for ran on for %s", took)
	}
	waitFor(t, func() bool { return strings.Contains(f.log.String(), `"status":499`) })
}

// waitFor looks at a state that has no channel until it is reached.
func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	late := time.After(10 * time.Second)
	for !done() {
		select {
		case <-look.C:
		case <-late:
			t.Fatal("waited too long")
		}
	}
}

// Data that moves while an answer is built: the answer is built anew and bears the name of what it holds.
func TestGenerationMovesDuringBuild(t *testing.T) {
	t.Parallel()
	f := newCouncil(t)
	f.during = func(n int64) {
		if n == 1 {
			f.truth.Store(2) // committed; this process has not heard of it
		}
	}
	res, body := get(t, f, "/v1/counted")
	if !strings.Contains(body, `"generation":2`) || f.builds.Load() != 2 {
		t.Fatalf("%.60s after %d builds", body, f.builds.Load())
	}
	tag := res.Header.Get("ETag")
	f.gen.Store(2) // heard
	res, _ = get(t, f, "/v1/counted")
	if res.Header.Get("ETag") != tag || f.builds.Load() != 2 {
		t.Errorf("ETag %s, want %s; %d builds", res.Header.Get("ETag"), tag, f.builds.Load())
	}

	always := newCouncil(t)
	always.during = func(int64) { always.truth.Add(1) }
	res, body = get(t, always, "/v1/counted")
	if res.StatusCode != 200 || res.Header.Get("ETag") != "" || body == "" || always.builds.Load() != 3 {
		t.Errorf("%d %v after %d builds", res.StatusCode, res.Header, always.builds.Load())
	}
	always.during = nil
	always.gen.Store(always.truth.Load())
	if res, body := get(t, always, "/v1/counted"); res.Header.Get("ETag") == "" || !strings.Contains(body, fmt.Sprintf(`"generation":%d`, always.truth.Load())) {
		t.Errorf("%v %.60s", res.Header, body)
	}
}

// What is not there may only be gone from the generation that this process still believes in.
func TestGenerationMovesUnderAnError(t *testing.T) {
	t.Parallel()
	f := newCouncil(t)
	f.gen.Store(-1)
	f.truth.Store(5)
	if res, body := get(t, f, "/v1/counted"); res.StatusCode != 200 || !strings.Contains(body, `"generation":5`) {
		t.Errorf("%d %.80s", res.StatusCode, body)
	}
	f.truth.Store(-1)
	if res, _ := get(t, f, "/v1/counted"); res.StatusCode != 404 {
		t.Errorf("%d", res.StatusCode)
	}
}

// Every stream that was opened is closed, whatever becomes of it; one that breaks off is logged.
func TestStreamsAreClosed(t *testing.T) {
	t.Parallel()
	f := newCouncil(t)
	api := resttest.Open(t, f.Server)
	tag := api.Get(t, "/v1/export.csv").Header.Get("ETag")
	api.Get(t, "/v1/export.csv", "Range", "bytes=99-")
	api.Get(t, "/v1/export.csv", "If-None-Match", "*")
	api.Get(t, "/v1/export.csv", "If-Modified-Since", "Fri, 01 Jan 2100 00:00:00 GMT")
	do(t, f, "HEAD", "/v1/export.csv")
	f.during = func(n int64) {
		if n%2 == 0 {
			f.truth.Add(1)
		}
	}
	api.Get(t, "/v1/export.csv")
	if opened, closed := f.builds.Load(), f.closed.Load(); opened < 7 || opened != closed {
		t.Errorf("%d opened, %d closed", opened, closed)
	}
	f.during = nil
	f.gen.Store(f.truth.Load())
	if res := api.Get(t, "/v1/export.csv", "If-None-Match", tag); res.Status != 200 {
		t.Errorf("%d in another generation", res.Status)
	}
	f.breaks.Store(true)
	res, body := get(t, f, "/v1/export.csv")
	if strings.Contains(body, "SELECT") || !strings.Contains(f.log.String(), `"error":"stream: SELECT secret`) || res.StatusCode != 200 {
		t.Errorf("%d %q\n%s", res.StatusCode, body, f.log)
	}
}

func TestErrorsAreNotKept(t *testing.T) {
	t.Parallel()
	f := newCouncil(t)
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

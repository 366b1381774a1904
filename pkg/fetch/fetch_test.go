package fetch_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/townline/townline/pkg/fetch"
)

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL
}

func client(t *testing.T, pause time.Duration) *fetch.Client {
	t.Helper()
	c := fetch.New(fetch.Config{UserAgent: "townline-test", AllowPrivate: true, Pause: pause})
	t.Cleanup(c.CloseIdle)
	return c
}

func TestGet(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.UserAgent() != "townline-test" || r.Header.Get("X-Api-Key") != "k" {
			t.Errorf("headers: %v", r.Header)
		}
		w.Header().Set("ETag", `"1"`)
		if r.Header.Get("If-None-Match") == `"1"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = io.WriteString(w, "hello")
	})
	req := fetch.Request{URL: url, Header: http.Header{"X-Api-Key": {"k"}}, MaxBytes: 5}
	body, meta, err := client(t, 0).Get(t.Context(), req)
	if err != nil || string(body) != "hello" || meta.ETag != `"1"` || meta.SHA256 != sha256.Sum256(body) {
		t.Fatalf("got %q, %+v, %v", body, meta, err)
	}
	req.ETag = meta.ETag
	body, meta, err = client(t, 0).Get(t.Context(), req)
	if err != nil || !meta.NotModified || body != nil || meta.ETag != `"1"` {
		t.Fatalf("got %q, %+v, %v", body, meta, err)
	}
}

func TestTooLargeBodiesAreRefused(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/chunked" {
			w.(http.Flusher).Flush()
		}
		_, _ = io.WriteString(w, "123456")
	})
	for _, path := range []string{"/", "/chunked"} {
		if _, _, err := client(t, 0).Get(t.Context(), fetch.Request{URL: url + path, MaxBytes: 5, Tries: 3}); !errors.Is(err,
			fetch.ErrTooLarge) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestTruncatedBodyIsRetried(t *testing.T) {
	t.Parallel()
	var n atomic.Int32
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if n.Add(1) == 1 {
			w.Header().Set("Content-Length", "10")
			_, _ = io.WriteString(w, "half")
			return
		}
		_, _ = io.WriteString(w, "whole")
	})
	req := fetch.Request{URL: url, MaxBytes: 100}
	if _, _, err := client(t, 0).Get(t.Context(), req); err == nil {
		t.Fatal("no error for a truncated body")
	}
	n.Store(0)
	req.Tries = 2
	body, _, err := client(t, 0).Get(t.Context(), req)
	if err != nil || string(body) != "whole" {
		t.Fatalf("got %q, %v", body, err)
	}
}

// full is a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// If the disk is full, the error says so, and the body is not fetched again.
func TestFullDisksAreFinal(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		_, _ = io.WriteString(w, "zip")
	})
	_, err := client(t, 0).Copy(t.Context(), fetch.Request{URL: url, MaxBytes: 100, Tries: 3}, func() (io.Writer, error) {
		return full{}, nil
	})
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "cannot store the body") || requests.Load() != 1 {
		t.Errorf("%v after %d requests", err, requests.Load())
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	var n atomic.Int32
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n.Add(1)
		if r.URL.Path == "/busy" {
			w.Header().Set("Retry-After", "120")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		http.NotFound(w, r)
	})
	_, _, err := client(t, 0).Get(t.Context(), fetch.Request{URL: url + "/none?key=hunter2", MaxBytes: 5, Tries: 5})
	var status *fetch.StatusError
	if !errors.As(err, &status) || status.Code != 404 || n.Load() != 1 || strings.Contains(err.Error(), "hunter2") {
		t.Fatalf("%d requests, %v", n.Load(), err)
	}
	_, _, err = client(t, 0).Get(t.Context(), fetch.Request{URL: url + "/busy", MaxBytes: 5})
	if after, ok := fetch.RetryAfter(err); !ok || after != 2*time.Minute {
		t.Fatalf("RetryAfter = %v, %v", after, err)
	}
}

// If a server asks for a long pause, there is no retry. The caller is notified of each wait.
func TestLongWaitsAreLeftToTheCaller(t *testing.T) {
	t.Parallel()
	var n atomic.Int32
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1); r.URL.Path == "/day" {
			w.Header().Set("Retry-After", "86400")
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	start := time.Now()
	_, _, err := client(t, 0).Get(t.Context(), fetch.Request{URL: url + "/day", MaxBytes: 5, Tries: 3})
	if err == nil || n.Load() != 1 || !strings.Contains(err.Error(), "asks to come back in 24h0m0s") ||
		time.Since(start) > time.Minute {
		t.Errorf("%d requests, %v", n.Load(), err)
	}
	var heard []string
	_, _, _ = client(t, 0).Get(t.Context(), fetch.Request{URL: url, MaxBytes: 5, Tries: 2,
		Waiting: func(cause error, wait time.Duration) { heard = append(heard, cause.Error()) }})
	if fmt.Sprint(heard) != "[the server answered 503 Service Unavailable]" {
		t.Errorf("%q", heard)
	}
}

func TestPrivateAddressesAreRefused(t *testing.T) {
	t.Parallel()
	reached := false
	url := serve(t, func(http.ResponseWriter, *http.Request) { reached = true })
	c := fetch.New(fetch.Config{})
	for _, u := range []string{
		url, strings.Replace(url, "127.0.0.1", "localhost", 1), strings.Replace(url, "127.0.0.1", "[::ffff:127.0.0.1]", 1),
		"http://10.0.0.1/", "http://169.254.169.254/latest/meta-data", "http://[fe80::1]/", "http://[fc00::1]/",
		"http://100.64.1.1/", "http://0.0.0.0/",
	} {
		if _, _, err := c.Get(t.Context(), fetch.Request{URL: u, MaxBytes: 5, Tries: 3}); err == nil ||
			!strings.Contains(err.Error(), "private") {
			t.Errorf("%s: %v", u, err)
		}
	}
	if reached {
		t.Error("the client reached a private server")
	}
}

func TestRedirectsDoNotForwardKeys(t *testing.T) {
	t.Parallel()
	other := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Api-Key") != "" {
			t.Error("the key went to another host")
		}
		if r.Header.Get("If-None-Match") == `"1"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = io.WriteString(w, "ok")
	})
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other, http.StatusFound)
	})
	c := client(t, 0)
	if _, _, err := c.Get(t.Context(), fetch.Request{URL: url, Header: http.Header{"X-Api-Key": {"k"}},
		MaxBytes: 5}); err != nil {
		t.Error(err)
	}
	// Validators are not secret, and they save a transfer from the other host.
	if _, meta, err := c.Get(t.Context(), fetch.Request{URL: url, ETag: `"1"`, MaxBytes: 5}); err != nil ||
		!meta.NotModified {
		t.Errorf("%+v, %v", meta, err)
	}
}

func TestPacedRequestsNeverOverlap(t *testing.T) {
	t.Parallel()
	var now, most atomic.Int32
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		most.Store(max(most.Load(), now.Add(1)))
		defer now.Add(-1)
		_, _ = io.WriteString(w, "ok")
	})
	c := client(t, time.Millisecond)
	done := make(chan error)
	for range 8 {
		go func() {
			_, _, err := c.Get(t.Context(), fetch.Request{URL: url, MaxBytes: 5})
			done <- err
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if most.Load() != 1 {
		t.Errorf("%d concurrent requests", most.Load())
	}
}

func TestBadRequests(t *testing.T) {
	t.Parallel()
	for _, u := range []string{"", "file:///etc/passwd", "http://", "::", "ftp://x/"} {
		if _, _, err := client(t, 0).Get(t.Context(), fetch.Request{URL: u, MaxBytes: 5, Tries: 3}); err == nil {
			t.Errorf("%q was fetched", u)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := client(t, 0).Get(ctx, fetch.Request{URL: "http://127.0.0.1:1/", MaxBytes: 5, Tries: 9}); err == nil {
		t.Error("no error for an ended context")
	}
}

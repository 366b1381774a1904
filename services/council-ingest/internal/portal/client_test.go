package portal

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"
)

// Files may be on another host, which has its own robots.txt.
func TestRobotsOfOtherHosts(t *testing.T) {
	t.Parallel()
	files := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			fmt.Fprint(w, "User-agent: *\nDisallow: /private/")
			return
		}
		fmt.Fprint(w, "minutes")
	}))
	t.Cleanup(files.Close)
	srv := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(srv.Close)
	base, err := url.Parse(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewClient(t.Context(), Config{AllowPrivate: true}, base)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if f, err := p.File(t.Context(), FileRequest{URL: files.URL + "/open/1", MaxBytes: 100}); err != nil ||
		string(f.Bytes) != "minutes" {
		t.Errorf("File = %q, %v", f.Bytes, err)
	}
	if _, err := p.File(t.Context(), FileRequest{URL: files.URL + "/private/1", MaxBytes: 100}); err == nil {
		t.Error("a file was fetched although robots.txt forbids it")
	}
	if u, err := url.Parse(files.URL); err != nil || len(p.robots) != 2 || p.robots[u.Host] == nil {
		t.Errorf("the client has the robots.txt of %d hosts, %v", len(p.robots), err)
	}
}

// A portal in trouble gets at most Tries requests for an address, whatever it answers.
func TestOneBudgetOfTries(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		if asked.Add(1)%2 == 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		fmt.Fprint(w, "<html>Try again later")
	}))
	t.Cleanup(srv.Close)
	base, err := url.Parse(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewClient(t.Context(), Config{AllowPrivate: true, Tries: 4}, base)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	_, err = FetchJSON(t.Context(), p, srv.URL, func(body []byte) (List, error) { return DecodeList(body) })
	if err == nil || asked.Load() != 4 {
		t.Errorf("%d requests, %v", asked.Load(), err)
	}
}

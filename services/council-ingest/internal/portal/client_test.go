package portal

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
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
	if f, err := p.File(t.Context(), files.URL+"/open/1", Validators{}, 100); err != nil || string(f.Bytes) != "minutes" {
		t.Errorf("File = %q, %v", f.Bytes, err)
	}
	if _, err := p.File(t.Context(), files.URL+"/private/1", Validators{}, 100); err == nil {
		t.Error("a file was fetched although robots.txt forbids it")
	}
	if u, err := url.Parse(files.URL); err != nil || len(p.robots) != 2 || p.robots[u.Host] == nil {
		t.Errorf("the client has the robots.txt of %d hosts, %v", len(p.robots), err)
	}
}

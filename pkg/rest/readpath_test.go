package rest_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/rest/resttest"
)

func TestHeaders(t *testing.T) {
	t.Parallel()
	f := newThings(t)
	for target, want := range map[string]map[string]string{
		"/v1/things": {"Content-Type": "application/json",
			"Cache-Control": "public, max-age=300, stale-while-revalidate=86400, stale-if-error=86400",
			"Vary":          "Accept-Encoding", "Last-Modified": "Wed, 04 Mar 2026 05:06:07 GMT",
			"Access-Control-Allow-Origin": "*"},
		"/v1/live": {"Cache-Control": "public, max-age=5"},
		"/v1/things/1/thing.pdf": {"Content-Type": "application/pdf", "Etag": `"content-hash"`, "Accept-Ranges": "bytes",
			"Content-Disposition": "inline; filename*=utf-8''Thing%201%20%C3%A9.pdf"},
		"/v1/things/1/thing.txt": {"Content-Type": "text/plain; charset=utf-8"},
		"/v1/export.csv": {"Content-Type": "text/csv; charset=utf-8",
			"Content-Disposition": "attachment; filename=export.csv", "Content-Length": "10"},
		"/v1/nothing": {"Etag": "", "Cache-Control": "no-store", "Access-Control-Allow-Origin": "*",
			"Vary": "Accept-Encoding"},
		"/v1/docs": {"Content-Type": "text/html; charset=utf-8"},
	} {
		res, _ := get(t, f, target)
		for name, v := range want {
			if got := res.Header.Get(name); got != v {
				t.Errorf("%s: %s is %q, want %q", target, name, got, v)
			}
		}
		if got := res.Header.Get("X-Content-Type-Options"); got != "nosniff" {
			t.Errorf("%s: X-Content-Type-Options %q", target, got)
		}
		if id := res.Header.Get("X-Request-Id"); len(id) != 26 {
			t.Errorf("%s: request id %q", target, id)
		}
	}
}

func TestOrigins(t *testing.T) {
	t.Parallel()
	s := newStops(t, func(c *rest.Config) { c.Origins = []string{"https://good.example"} })
	for origin, want := range map[string]string{"https://good.example": "https://good.example", "https://bad.example": "",
		"": ""} {
		res, _ := get(t, s, v2+"/feeds/metro/stops", "Origin", origin)
		if got := res.Header.Get("Access-Control-Allow-Origin"); got != want ||
			res.Header.Get("Vary") != "Accept, Accept-Encoding, Origin" {
			t.Errorf("%q: %q, Vary %q", origin, got, res.Header.Get("Vary"))
		}
	}
}

func TestNotModified(t *testing.T) {
	t.Parallel()
	f := newThings(t)
	api := resttest.Open(t, f.Server)
	res := api.Get(t, "/v1/counted")
	tag, builds := res.Header.Get("ETag"), f.builds.Load()
	opaque := strings.Trim(tag, `"`)
	if len(opaque) < 16 || strings.HasPrefix(tag, "W/") {
		t.Fatalf("ETag %s", tag)
	}
	for match, want := range map[string]int{
		tag: 304, "W/" + tag: 304, `"x", ` + tag: 304, `"x",` + tag + `,"y"`: 304, "*": 304,
		`"` + opaque + `-gzip"`: 304, `"` + opaque + `-zstd"`: 304,
		`"` + opaque + `-br"`: 200, `"` + opaque[1:] + `"`: 200, opaque: 200, `"x"`: 200, "": 200, `"`: 200, "x*": 200,
	} {
		for _, coding := range []string{"", "gzip", "zstd"} {
			res := api.Get(t, "/v1/counted", "If-None-Match", match, "Accept-Encoding", coding, "If-Modified-Since",
				"Mon, 01 Jan 2024 00:00:00 GMT")
			if res.Status != want {
				t.Errorf("If-None-Match %s with %q: %d, want %d", match, coding, res.Status, want)
			}
			if want != 304 {
				continue
			}
			if got := res.Header; len(res.Body) != 0 || got.Get("Cache-Control") == "" || got.Get("Vary") == "" ||
				!strings.Contains(got.Get("ETag"), opaque) || got.Get("Content-Type") != "" {
				t.Errorf("304 for %s: %v %q", match, got, res.Body)
			}
		}
	}
	for since, want := range map[string]int{
		"Wed, 04 Mar 2026 05:06:07 GMT": 304, "Wed, 04 Mar 2026 05:06:06 GMT": 200, "Fri, 01 Jan 2100 00:00:00 GMT": 304,
		"yesterday": 200,
	} {
		if res := api.Get(t, "/v1/counted", "If-Modified-Since", since); res.Status != want {
			t.Errorf("If-Modified-Since %s: %d, want %d", since, res.Status, want)
		}
	}
	if got := f.builds.Load(); got != builds {
		t.Errorf("%d additional builds", got-builds)
	}
	// An error stays an error, whatever validators the client sends.
	for target, want := range map[string]int{"/v1/things/9999": 404, "/v1/nothing": 404, "/v1/things?limit=0": 400,
		"/v1/fails": 500, "/v1/things?shade=dark": 400} {
		for _, match := range []string{"*", tag} {
			if res := api.Get(t, target, "If-None-Match", match); res.Status != want {
				t.Errorf("%s with %s: %d, want %d", target, match, res.Status, want)
			}
		}
		if res := api.Get(t, target, "If-Modified-Since", "Fri, 01 Jan 2100 00:00:00 GMT"); res.Status != want {
			t.Errorf("%s modified since tomorrow: %d, want %d", target, res.Status, want)
		}
	}
	// A different generation, request or revision gives a different ETag.
	tags := map[string]string{tag: "/v1/counted"}
	note := func(name string, h http.Header) {
		if other := tags[h.Get("ETag")]; other != "" {
			t.Errorf("%s and %s share the ETag %s", name, other, h.Get("ETag"))
		}
		tags[h.Get("ETag")] = name
	}
	for _, target := range []string{"/v1/things", "/v1/things?limit=5", "/v1/things?colour=red", "/v1/things?owner=1",
		"/v1/things/1", "/v1/things/2"} {
		note(target, api.Get(t, target).Header)
	}
	if a, b := api.Get(t, "/v1/things?limit=50&x=1"), api.Get(t, "/v1/things?owner="); a.Header.Get("ETag") != b.Header.
		Get("ETag") {
		t.Error("another spelling of the same request has another ETag")
	}
	f.gen.Store(2)
	f.commit(2)
	if res := api.Get(t, "/v1/counted", "If-None-Match", tag); res.Status != 200 {
		t.Errorf("after a new generation: %d", res.Status)
	} else {
		note("generation 2", res.Header)
	}
	other := newThings(t, func(c *rest.Config) { c.Revision = "2" })
	res2, _ := get(t, other, "/v1/counted")
	note("revision 2", res2.Header)
}

func TestStreamAndFileValidators(t *testing.T) {
	t.Parallel()
	f := newThings(t)
	api := resttest.Open(t, f.Server)
	res := api.Get(t, "/v1/export.csv")
	if string(res.Body) != "a,b\r\n1,2\r\n" {
		t.Errorf("%q", res.Body)
	}
	builds := f.builds.Load()
	if again := api.Get(t, "/v1/export.csv", "If-None-Match", res.Header.Get("ETag")); again.Status != 304 ||
		f.builds.Load() != builds {
		t.Errorf("%d after %d builds", again.Status, f.builds.Load()-builds)
	}
	if res := api.Get(t, "/v1/things/1/thing.pdf", "If-None-Match", `"content-hash"`); res.Status != 304 {
		t.Error(res.Status)
	}
	if res := api.Get(t, "/v1/things/2/thing.pdf", "If-None-Match", `"content-hash"`); res.Status != 404 {
		t.Error(res.Status)
	}
}

func TestRanges(t *testing.T) {
	t.Parallel()
	f := newThings(t)
	api := resttest.Open(t, f.Server)
	for _, c := range []struct {
		target, header, ifRange string
		status                  int
		body, contentRange      string
	}{
		{"/v1/things/1/thing.pdf", "bytes=0-3", "", 206, "%PDF", "bytes 0-3/15"},
		{"/v1/things/1/thing.pdf", "bytes=-4", "", 206, "6789", "bytes 11-14/15"},
		{"/v1/things/1/thing.pdf", "bytes=5-", `"content-hash"`, 206, "0123456789", "bytes 5-14/15"},
		{"/v1/things/1/thing.pdf", "bytes=5-", `"other"`, 200, "%PDF-0123456789", ""},
		{"/v1/things/1/thing.pdf", "bytes=15-", "", 416, "", "bytes */15"},
		{"/v1/things/1/thing.pdf", "pages=1", "", 200, "%PDF-0123456789", ""},
		{"/v1/things/1/thing.pdf", "bytes=-0", "", 416, "", "bytes */15"},
		{"/v1/things/1/thing.pdf", "bytes=4-2", "", 416, "", "bytes */15"},
		{"/v1/export.csv", "bytes=0-2", "", 206, "a,b", "bytes 0-2/10"},
		{"/v1/export.csv", "bytes=99-", "", 416, "", "bytes */10"},
		{"/v1/things/1/thing.txt", "bytes=0-4", "", 206, "line\f", "bytes 0-4/1500"},
	} {
		headers := []string{"Range", c.header, "Accept-Encoding", "gzip"}
		if c.ifRange != "" {
			headers = append(headers, "If-Range", c.ifRange)
		}
		res := api.Get(t, c.target, headers...)
		if res.Status != c.status || c.status < 400 && string(res.Body) != c.body ||
			res.Header.Get("Content-Range") != c.contentRange || res.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s %s: %d %v %q", c.target, c.header, res.Status, res.Header, res.Body)
		}
		if c.status == 416 && (res.Header.Get("Content-Type") != "application/problem+json" ||
			!strings.Contains(string(res.Body), `"status":416`)) {
			t.Errorf("%s %s: %v %s", c.target, c.header, res.Header, res.Body)
		}
	}
	if res := api.Get(t, "/v1/things/1/thing.pdf", "Range", "bytes=0-1,4-5"); res.Status != 206 ||
		!strings.HasPrefix(res.Header.Get("Content-Type"), "multipart/byteranges") {
		t.Error(res.Status, res.Header)
	}
	if res := api.Get(t, "/v1/things", "Range", "bytes=0-1"); res.Status != 200 {
		t.Errorf("range of a list: %d", res.Status)
	}
}

func TestCodings(t *testing.T) {
	t.Parallel()
	f := newThings(t)
	_, plain := get(t, f, "/v1/counted")
	tags := map[string]bool{}
	for _, c := range []struct{ accept, want string }{
		{"", ""}, {"gzip", "gzip"}, {"zstd", "zstd"}, {"gzip, zstd", "zstd"}, {"br;q=1, gzip;q=0.5", "gzip"},
		{"zstd;q=0, gzip", "gzip"}, {"br", ""}, {"identity", ""},
	} {
		for range 2 { // the first answer is built, the second comes from the cache
			res, body := get(t, f, "/v1/counted", "Accept-Encoding", c.accept)
			if got := res.Header.Get("Content-Encoding"); got != c.want || res.Header.Get("Vary") != "Accept-Encoding" {
				t.Fatalf("%s: %q", c.accept, got)
			}
			tags[res.Header.Get("ETag")] = true
			if got := decode(t, c.want, body); got != plain {
				t.Errorf("%s: %.50q", c.accept, got)
			}
			if c.want != "" && len(body) >= len(plain) {
				t.Errorf("%s: %d bytes of %d", c.accept, len(body), len(plain))
			}
		}
	}
	if len(tags) != 3 {
		t.Errorf("ETags %v", tags)
	}
	if n := f.builds.Load(); n != 1 {
		t.Errorf("%d builds for three codings", n)
	}
	// These are too small, already compressed, an error, or a stream.
	for _, target := range []string{"/v1/things/1", "/v1/things/1/thing.pdf", "/v1/things/9999", "/v1/export.csv"} {
		if res, _ := get(t, f, target, "Accept-Encoding", "gzip"); res.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s is compressed", target)
		}
	}
}

func decode(t *testing.T, coding, body string) string {
	t.Helper()
	var r io.Reader = strings.NewReader(body)
	var err error
	switch coding {
	case "gzip":
		r, err = gzip.NewReader(r)
	case "zstd":
		r, err = zstd.NewReader(r)
	}
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestBudget(t *testing.T) {
	t.Parallel()
	f := newThings(t, func(c *rest.Config) { c.CacheBytes = 64 << 10; c.AccessLog = rest.LogOff })
	for i := range 500 {
		if res, _ := get(t, f, fmt.Sprintf("/v1/things?limit=%d&owner=%d", i%200+1, i/200+1)); res.StatusCode != 200 {
			t.Fatal(res.StatusCode)
		}
	}
	waitFor(t, func() bool { return metric(t, f.metrics, "townline_http_cache_bytes") <= 64<<10 })
	if metric(t, f.metrics, "townline_http_cache_bytes") == 0 {
		t.Error("the cache is empty")
	}
}

func TestSameBytes(t *testing.T) {
	t.Parallel()
	a, b := newThings(t), newThings(t)
	for _, target := range []string{"/v1/things?limit=3", "/v1/things/7", "/v1/openapi.json", "/v1/docs"} {
		resA, bodyA := get(t, a, target)
		resB, bodyB := get(t, b, target)
		if bodyA != bodyB || resA.Header.Get("ETag") != resB.Header.Get("ETag") {
			t.Errorf("%s differs between two replicas", target)
		}
	}
	if _, body := get(t, a,
		"/v1/things/7"); body != `{"id":7,"day":"2026-01-03","at":"2026-01-01T23:30:00Z","colour":null,"note":"note <7> & more"}` {
		t.Errorf("%s", body)
	}
}

package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/rest/resttest"
)

func TestCursorIsBoundToPathAndFilters(t *testing.T) {
	t.Parallel()
	f := newThings(t)
	_, body := get(t, f, "/v1/things?limit=5&colour=red&from=2026-01-02")
	var page Page[thing]
	if err := json.Unmarshal([]byte(body), &page); err != nil || page.NextCursor == nil {
		t.Fatal(err, body)
	}
	cursor := *page.NextCursor
	for query, want := range map[string]int{
		"colour=red&from=2026-01-02&limit=5":            200,
		"limit=200&from=2026-01-02&colour=red":          200, // the cursor does not depend on limit and order
		"colour=red&from=2026-01-02&owner=":             200, // an empty filter is no filter
		"colour=red&from=2026-01-02&owner=null&other=1": 200,
		"colour=red":                         400,
		"colour=blue&from=2026-01-02":        400,
		"colour=red&from=2026-01-03":         400,
		"colour=red&from=2026-01-02&owner=1": 400,
	} {
		res, body := get(t, f, "/v1/things?cursor="+cursor+"&"+query)
		if res.StatusCode != want {
			t.Errorf("%s: %d %s", query, res.StatusCode, body)
		}
	}
	for _, bad := range []string{"", "null", cursor + "0", strings.Repeat("A", 5000)} {
		if res, _ := get(t, f, "/v1/things?limit=5&colour=red&from=2026-01-02&cursor="+bad); res.StatusCode != 400 {
			t.Errorf("cursor %.20q: %d", bad, res.StatusCode)
		}
	}
}

func TestParameters(t *testing.T) {
	t.Parallel()
	f := newThings(t)
	api := resttest.Open(t, f.Server)
	long := strings.Repeat("é", 20)
	for query, want := range map[string][]string{
		"":                                      nil,
		"unknown=1&unknown=2&a;b&=&%zz=1":       nil,
		"limit=1":                               nil,
		"limit=200":                             nil,
		"limit=0":                               {"limit"},
		"limit=201":                             {"limit"},
		"limit=-1":                              {"limit"},
		"limit=1.0":                             {"limit"},
		"limit=%2B1":                            {"limit"},
		"limit=":                                {"limit"},
		"limit":                                 {"limit"},
		"limit=9223372036854775808":             {"limit"},
		"limit=2&limit=2":                       nil,
		"limit=2&limit=3":                       {"limit"},
		"limit=2&%6cimit=3":                     {"limit"},
		"from=2026-02-28":                       nil,
		"from=2026-02-30":                       {"from"},
		"from=2026-2-3":                         {"from"},
		"from=2026-02-28T00:00:00Z":             {"from"},
		"from=0000-01-01":                       nil,
		"from=9999-12-31":                       nil,
		"from=":                                 {"from"},
		"colour=green":                          nil,
		"colour=Green":                          {"colour"},
		"colour=":                               {"colour"},
		"colour=null":                           {"colour"},
		"owner=":                                nil,
		"owner=null":                            nil,
		"owner=1":                               nil,
		"owner=0":                               {"owner"},
		"owner=99999999999999999999":            {"owner"},
		"owner=NULL":                            {"owner"},
		"owner=&owner=null":                     {"owner"},
		"bright=1":                              nil,
		"bright=true&bright=true":               nil,
		"bright=false":                          nil,
		"bright=yes":                            {"bright"},
		"margin=4-3":                            nil,
		"margin=4-3%0A":                         {"margin"},
		"margin=14-3":                           {"margin"},
		"q=x":                                   nil,
		"q=" + long:                             nil,
		"q=" + long + "x":                       {"q"},
		"q=%20+":                                {"q"},
		"q=":                                    {"q"},
		"q=a%00b":                               {"q"},
		"q=%ff":                                 {"q"},
		"q=%zz":                                 {"q"},
		"shade=light":                           {"shade"},
		"shade=light&colour=red":                nil,
		"shade=light&limit=0":                   {"shade", "limit"},
		"shade=light&colour=reddish":            {"colour"}, // present, but invalid
		"limit=x&from=2026-02-30&colour=&q=%00": {"colour", "from", "limit", "q"},
		"cursor=AAAA&limit=0":                   {"cursor", "limit"},
		"cursor=AAAA":                           {"cursor"},
	} {
		res := api.Get(t, "/v1/things?"+query)
		if want == nil {
			if res.Status != http.StatusOK {
				t.Errorf("%s: %d %s", query, res.Status, res.Body)
			}
			continue
		}
		var p Problem
		res.JSON(t, &p)
		got := map[string]string{}
		for _, e := range p.Errors {
			got[e.Path] = e.Message
		}
		wanted := map[string]string{}
		for _, w := range want {
			wanted[w] = got[w]
			if got[w] == "" {
				t.Errorf("%s: no message for %s", query, w)
			}
		}
		if diff := cmp.Diff(wanted, got); res.Status != http.StatusBadRequest || diff != "" {
			t.Errorf("%s: %d %s\n%s", query, res.Status, res.Body, diff)
		}
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	f := newThings(t)
	res := do(t, f, http.MethodGet, "/v1/things/9999", "X-Request-Id", "client-made.id_1")
	var p Problem
	if err := json.Unmarshal([]byte(res.Body), &p); err != nil {
		t.Fatal(err)
	}
	want := Problem{Type: "about:blank", Title: "Not Found", Status: 404, Detail: "unknown thing",
		Instance: "urn:request:client-made.id_1"}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Error(diff)
	}
	if got := res.Header.Get("Content-Type"); got != "application/problem+json" {
		t.Error(got)
	}
	for _, sent := range []string{"short", "with blank", strings.Repeat("x", 65), "new\u00e9line", "a;b:c,dddd"} {
		if res, _ := get(t, f, "/v1/nothing", "X-Request-Id", sent); res.Header.Get("X-Request-Id") == sent {
			t.Errorf("accepted the id %q", sent)
		}
	}
	for target, want := range map[string]int{
		"/v1/things/1": 200, "/v1/things/0": 404, "/v1/things/-1": 404, "/v1/things/x": 404, "/v1/things/1.0": 404,
		"/v1/things/01":                  404,
		"/v1/things/9223372036854775807": 404, "/v1/things/9223372036854775808": 404, "/v1/things/1%00": 404,
		"/v1/things/%FF": 404,
		"/v1/things/":    404, "/v1/things/1/": 404, "/v1//things": 404, "/v1/things//": 404, "/v1/./things": 404,
		"/V1/things": 404, "/v1": 404, "/": 404,
		"/v1/%74hings": 200, "/v1%2Fthings": 404, "/v1/things%2F1": 404, "/v1/things/%31": 200,
		"/v1/things/1/thing.pdf": 200, "/v1/things/2/thing.pdf": 404,
	} {
		res, body := get(t, f, target)
		if res.StatusCode != want {
			t.Errorf("%s: %d, want %d: %.100s", target, res.StatusCode, want, body)
		}
		if want == 404 && !strings.HasPrefix(body, `{"type":"about:blank","title":"Not Found","status":404,`) {
			t.Errorf("%s: %s", target, body)
		}
	}
}

func TestMethods(t *testing.T) {
	t.Parallel()
	f := newThings(t)
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "TRACE", "BREW"} {
		res := do(t, f, method, "/v1/things?limit=0")
		if res.StatusCode != 405 || res.Header.Get("Allow") != "GET, HEAD, OPTIONS" ||
			res.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %v", method, res.StatusCode, res.Header)
		}
		if res := do(t, f, method, "/v1/nothing"); res.StatusCode != 404 {
			t.Errorf("%s of an unknown path: %d", method, res.StatusCode)
		}
	}
	for _, target := range []string{"/v1/things", "/v1/things/1/thing.pdf", "/v1/things/1/thing.txt", "/v1/export.csv",
		"/v1/things/77", "/v1/counted"} {
		g, body := get(t, f, target)
		h := do(t, f, "HEAD", target)
		gh, hh := g.Header.Clone(), h.Header.Clone()
		for _, m := range []http.Header{gh, hh} {
			m.Del("X-Request-Id")
		}
		if gh.Get("Content-Length") == "" {
			hh.Del("Content-Length") // net/http computes this for small bodies
		}
		if diff := cmp.Diff(gh, hh); g.StatusCode != h.StatusCode || diff != "" {
			t.Errorf("%s: GET %d HEAD %d\n%s", target, g.StatusCode, h.StatusCode, diff)
		}
		if h.ContentLength != int64(len(body)) {
			t.Errorf("%s: HEAD has %d bytes, GET %d", target, h.ContentLength, len(body))
		}
	}
	res := do(t, f, "OPTIONS", "/v1/things", "Origin", "https://a.example", "Access-Control-Request-Method", "GET")
	if res.StatusCode != 204 || res.Header.Get("Access-Control-Allow-Origin") != "*" ||
		!strings.Contains(res.Header.Get("Access-Control-Allow-Headers"), "X-Api-Key") {
		t.Errorf("preflight: %d %v", res.StatusCode, res.Header)
	}
}

func TestLongAddress(t *testing.T) {
	t.Parallel()
	f := newThings(t)
	res, body := get(t, f, "/v1/things?x="+strings.Repeat("y", 8000))
	if res.StatusCode != 414 || !strings.Contains(body, `"status":414`) ||
		res.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Error(res.StatusCode, body)
	}
}

// Errors have exactly this body and these headers, so they cannot reveal their cause. The log has
// the cause and the id of the request.
func TestErrorsHideTheirCause(t *testing.T) {
	t.Parallel()
	patient := newThings(t)
	const failed = `{"type":"about:blank","title":"Internal Server Error","status":500,"detail":"internal error","instance":"urn:request:%s"}`
	const late = `{"type":"about:blank","title":"Gateway Timeout","status":504,"detail":"the answer took too long","instance":"urn:request:%s"}`
	for name, c := range map[string]struct {
		status      int
		body, cause string
	}{
		"panics":     {500, failed, "secret FROM vault"},
		"fails":      {500, failed, "secret FROM vault"},
		"undeclared": {500, failed, "query"},
		"slow":       {504, late, "asked: context deadline exceeded"},
		"sleeps":     {504, late, "context deadline exceeded"},
	} {
		f := patient
		if c.status == 504 {
			// A query that ends late closes its connection; each server has one that is open, because opening
			// another can take longer than the timeout.
			f = newThings(t, func(c *rest.Config) { c.Timeout = time.Second })
		}
		id := "request-of-" + name
		res := resttest.Open(t, f.Server).Get(t, "/v1/"+name, "X-Request-Id", id)
		if want := fmt.Sprintf(c.body, id); res.Status != c.status || strings.TrimSpace(string(res.Body)) != want {
			t.Errorf("%s: %d %s, want %d %s", name, res.Status, res.Body, c.status, want)
		}
		for _, one := range []string{"Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Vary",
			"X-Content-Type-Options"} {
			res.Header.Del(one) // equal in all answers
		}
		if diff := cmp.Diff(http.Header{"Cache-Control": {"no-store"}, "Content-Type": {"application/problem+json"},
			"Content-Length": {strconv.Itoa(len(res.Body))}, "X-Request-Id": {id}}, res.Header); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
		if !slices.ContainsFunc(strings.Split(f.log.String(), "\n"), func(line string) bool {
			return strings.Contains(line, id) && strings.Contains(line, c.cause)
		}) {
			t.Errorf("%s: the log does not have %q under %s", name, c.cause, id)
		}
	}
}

func TestDatabaseGone(t *testing.T) {
	t.Parallel()
	gone, err := url.Parse("postgres://nobody@127.0.0.1:1/none?connect_timeout=1")
	if err != nil {
		t.Fatal(err)
	}
	f := newThings(t, func(c *rest.Config) { c.DB = openPool(t, gone.String()) })
	res := resttest.Open(t, f.Server).Get(t, "/v1/things")
	if res.Status != 503 || res.Header.Get("Retry-After") == "" || strings.Contains(string(res.Body), "127.0.0.1") {
		t.Errorf("%d %v %s", res.Status, res.Header, res.Body)
	}
}

func TestAccess(t *testing.T) {
	t.Parallel()
	f := newThings(t)
	api := resttest.Open(t, f.Server)
	res := api.Get(t, "/v1/secret")
	if res.Status != 401 || res.Header.Get("WWW-Authenticate") != `Bearer realm="things"` {
		t.Error(res.Status, res.Header)
	}
	if res := api.Get(t, "/v1/secret", "X-Api-Key", "bad"); res.Status != 403 ||
		res.Header.Get("RateLimit-Remaining") != "3" {
		t.Error(res.Status, res.Header)
	}
	res = api.Get(t, "/v1/secret", "X-Api-Key", "good")
	if res.Status != 200 || res.Header.Get("Cache-Control") != "private, no-cache" ||
		res.Header.Get("RateLimit-Remaining") != "3" {
		t.Error(res.Status, res.Header)
	}
	tag := res.Header.Get("ETag")
	if res := api.Get(t, "/v1/secret", "If-None-Match", tag); res.Status != 401 {
		t.Errorf("a validator bypasses the access check: %d", res.Status)
	}
	if res := api.Get(t, "/v1/secret", "If-None-Match", tag, "X-Api-Key", "good"); res.Status != 304 ||
		res.Header.Get("Cache-Control") != "private, no-cache" {
		t.Error(res.Status, res.Header)
	}
}

package resttest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/townline/townline/pkg/rest"
)

// An API is a server with its own description, which every answer must match.
type API struct {
	server *rest.Server
	base   string // path of the API
	doc    *openapi3.T
	known  *schemas // of doc
}

// Open fetches the description of a server and checks that it is valid OpenAPI 3.1 and has exactly
// the endpoints of the table.
func Open(t testing.TB, s *rest.Server) *API {
	t.Helper()
	a := &API{server: s, base: s.Base()}
	rec := httptest.NewRecorder()
	s.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, a.base+"/openapi.json", nil))
	if rec.Code != http.StatusOK {
		t.Fatalf("openapi.json: %d %s", rec.Code, rec.Body)
	}
	var err error
	a.doc, err = openapi3.NewLoader().LoadFromData(rec.Body.Bytes())
	if err == nil {
		err = a.doc.Validate(context.Background())
	}
	if err == nil {
		a.known, err = readSchemas(rec.Body.Bytes())
	}
	if err != nil {
		t.Fatalf("openapi.json: %v", err)
	}
	if !a.doc.IsOpenAPI31OrLater() {
		t.Errorf("openapi.json says %s", a.doc.OpenAPI)
	}
	operations := map[string]string{}
	for path, item := range a.doc.Paths.Map() {
		for method, op := range item.Operations() {
			operations[op.OperationID] = method + " " + path
		}
	}
	for _, e := range s.Table() {
		if got, want := operations[e.ID], "GET "+bare(e.Path); got != want {
			t.Errorf("endpoint %s: the description has %q, want %q", e.ID, got, want)
		}
		delete(operations, e.ID)
	}
	for id, at := range operations {
		t.Errorf("operation %s (%s) is not an endpoint", id, at)
	}
	return a
}

// Once is Open for a package whose servers all have the same table: only the first description is
// fetched and checked.
func Once() func(testing.TB, *rest.Server) *API {
	var once sync.Once
	var first *API
	return func(t testing.TB, s *rest.Server) *API {
		t.Helper()
		once.Do(func() { first = Open(t, s) })
		if first == nil {
			t.Fatal("the description is not valid; see the first test")
		}
		return first.For(s)
	}
}

// For checks another server of the same table against this description, which that server may not
// serve.
func (a *API) For(s *rest.Server) *API { return &API{s, a.base, a.doc, a.known} }

// An Answer is one response, read to its end.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// JSON decodes the body, to check single values.
func (a Answer) JSON(t testing.TB, into any) {
	t.Helper()
	if err := json.Unmarshal(a.Body, into); err != nil {
		t.Fatalf("body %.200q: %v", a.Body, err)
	}
}

// Get requests a path with its query ("/v1/meetings?limit=2") and checks the answer. Headers are
// pairs of a name and a value.
func (a *API) Get(t testing.TB, target string, headers ...string) Answer {
	t.Helper()
	req, rec := a.serve(t, target, headers)
	a.Check(t, req, rec.Result())
	return Answer{rec.Code, rec.Header(), rec.Body.Bytes()}
}

// GetUnchecked is Get without the check, which takes most of a minute under the race detector for
// an answer of many megabytes.
func (a *API) GetUnchecked(t testing.TB, target string, headers ...string) Answer {
	t.Helper()
	_, rec := a.serve(t, target, headers)
	return Answer{rec.Code, rec.Header(), rec.Body.Bytes()}
}

func (a *API) serve(t testing.TB, target string, headers []string) (*http.Request, *httptest.ResponseRecorder) {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	a.server.ServeHTTP(rec, req)
	return req, rec
}

// Check compares status, headers, content type and body of a response with the description. The
// body can be read again afterwards.
func (a *API) Check(t testing.TB, req *http.Request, res *http.Response) {
	t.Helper()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("%s: body: %v", req.URL, err)
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	for _, name := range []string{"X-Request-Id", "Vary"} {
		if res.Header.Get(name) == "" {
			t.Errorf("%s: no %s", req.URL, name)
		}
	}
	path, ok := a.route(req.URL)
	if !ok {
		if res.StatusCode != http.StatusNotFound && res.StatusCode != http.StatusRequestURITooLong {
			t.Errorf("%s: %d from a path that is not in the description", req.URL, res.StatusCode)
		}
		return
	}
	if err := a.known.check(path, a.doc.Paths.Value(path).Get, res, body); err != nil {
		t.Errorf("%s: %d %.300q: %v", req.URL, res.StatusCode, body, err)
	}
}

// route finds the description's path of an address by its raw segments: ids may hold anything.
func (a *API) route(u *url.URL) (path string, ok bool) {
	rest, below := strings.CutPrefix(u.EscapedPath(), a.base)
	if !below {
		return "", false
	}
	if rest == "" {
		rest = "/"
	}
	for _, e := range a.server.Table() {
		if e.Path == rest {
			rest = bare(rest)
		}
	}
	segs := strings.Split(rest, "/")
	literal := -1
	for candidate := range a.doc.Paths.Map() {
		if fixed, fits := matchPath(strings.Split(candidate, "/"), segs); fits && fixed > literal {
			path, literal, ok = candidate, fixed, true
		}
	}
	return path, ok
}

// bare is the path of a directory without its slash, as the description has it.
func bare(path string) string {
	if path == "/" {
		return path
	}
	return strings.TrimSuffix(path, "/")
}

// matchPath fits raw segments to a template; fixed counts those that are literal.
func matchPath(template, segs []string) (fixed int, ok bool) {
	if len(template) != len(segs) {
		return 0, false
	}
	for i, want := range template {
		got, err := url.PathUnescape(segs[i])
		switch {
		case err != nil:
			return 0, false
		case strings.HasPrefix(want, "{") && got != "":
		case want == got:
			fixed++
		default:
			return 0, false
		}
	}
	return fixed, true
}

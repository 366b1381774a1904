package resttest

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/townline/townline/pkg/rest"
)

// An API is a server and its own description, which every answer must match.
type API struct {
	server *rest.Server
	base   string // path below which the API answers
	doc    *openapi3.T
	known  *schemas // schemas of doc
}

// Open fetches the description of a server. It checks that the description is valid OpenAPI 3.1 and
// has exactly the endpoints of the table.
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

// Once is like Open, for a package whose servers all have the same table: only the first
// description is fetched and checked.
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

// For returns an API that checks another server of the same table against this description. That
// server need not serve a description.
func (a *API) For(s *rest.Server) *API { return &API{s, a.base, a.doc, a.known} }

// An Answer is a response whose body was read to its end.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// JSON decodes the body into a Go value.
func (a Answer) JSON(t testing.TB, into any) {
	t.Helper()
	if err := json.Unmarshal(a.Body, into); err != nil {
		t.Fatalf("body %.200q: %v", a.Body, err)
	}
}

// Get requests a path with its query ("/v1/meetings?limit=2") and compares status, content type and
// body of the answer with the description. headers are pairs of a name and a value.
func (a *API) Get(t testing.TB, target string, headers ...string) Answer {
	t.Helper()
	req, answer := a.serve(t, target, headers)
	for _, name := range []string{"X-Request-Id", "Vary"} {
		if answer.Header.Get(name) == "" {
			t.Errorf("%s: no %s", target, name)
		}
	}
	path, below := strings.CutPrefix(req.Pattern, a.base)
	operation := a.doc.Paths.Value(bare(path))
	if !below || operation == nil {
		if answer.Status != http.StatusNotFound && answer.Status != http.StatusRequestURITooLong {
			t.Errorf("%s: %d from a path that is not in the description", target, answer.Status)
		}
		return answer
	}
	if err := a.known.check(bare(path), operation.Get, answer); err != nil {
		t.Errorf("%s: %d %.300q: %v", target, answer.Status, answer.Body, err)
	}
	return answer
}

// GetUnchecked is like Get but does not check the answer. For an answer of many megabytes, the
// check takes most of a minute under the race detector.
func (a *API) GetUnchecked(t testing.TB, target string, headers ...string) Answer {
	t.Helper()
	_, answer := a.serve(t, target, headers)
	return answer
}

func (a *API) serve(t testing.TB, target string, headers []string) (*http.Request, Answer) {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	a.server.ServeHTTP(rec, req)
	return req, Answer{rec.Code, rec.Header(), rec.Body.Bytes()}
}

// bare removes the final slash from the path of a directory, as in the description.
func bare(path string) string {
	if path == "/" {
		return path
	}
	return strings.TrimSuffix(path, "/")
}

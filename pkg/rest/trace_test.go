package rest_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/run"
)

// A request has a span with the name of its route, in the client's trace. The queries of the
// request are children of the span. The log line of a failure has the ids of trace and span.
func TestRequestsAreTraced(t *testing.T) {
	t.Parallel()
	kept := tracetest.NewInMemoryExporter()
	var lines bytes.Buffer
	inside := make(chan trace.SpanContext, 1)
	table := rest.Table{rest.Func(rest.Spec{ID: "things.one", Path: "/things/{id}", Summary: "one"},
		func(ctx context.Context, _ *rest.Call, p struct {
			ID int `path:"id"`
		}) (string, error) {
			inside <- trace.SpanContextFromContext(ctx)
			if p.ID == 2 {
				return "", errors.New("out of things")
			}
			return "thing", nil
		})}
	s, err := rest.New(rest.Config{
		Name: "traced", Dialect: problems(), Base: "/v1", PublicURL: "https://x.example/v1",
		Log:    run.Logger(&lines, "info", "json"),
		Traces: sdktrace.NewTracerProvider(sdktrace.WithSyncer(kept)),
	}, table)
	if err != nil {
		t.Fatal(err)
	}
	const traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
	for path, want := range map[string]int{"/v1/things/1?key=secret": http.StatusOK,
		"/v1/things/2?key=secret": http.StatusInternalServerError} {
		kept.Reset()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		r.Header.Set("Traceparent", "00-"+traceID+"-00f067aa0ba902b7-01")
		r.Header.Set("X-Request-Id", "request-7")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != want {
			t.Fatalf("%s: %d", path, w.Code)
		}
		spans := kept.GetSpans()
		if len(spans) != 1 || spans[0].Name != "GET /v1/things/{id}" || spans[0].SpanContext.TraceID().String() != traceID {
			t.Fatalf("%s: %v", path, spans)
		}
		if seen := <-inside; seen.SpanID() != spans[0].SpanContext.SpanID() {
			t.Errorf("%s: the handler works in span %s", path, seen.SpanID())
		}
		said := map[string]string{}
		for _, a := range spans[0].Attributes {
			said[string(a.Key)] = a.Value.String()
		}
		if said["http.route"] != "/v1/things/{id}" || said["townline.request_id"] != "request-7" ||
			said["http.response.status_code"] == "" {
			t.Errorf("%s: the span has the attributes %v", path, said)
		}
		for _, v := range said {
			if strings.Contains(v, "secret") {
				t.Errorf("%s: the span has the query: %v", path, said)
			}
		}
	}
	if line := lines.String(); !strings.Contains(line, `"trace_id":"`+traceID+`"`) ||
		!strings.Contains(line, `"request_id":"request-7"`) {
		t.Errorf("log line without ids: %s", line)
	}
}

package run_test

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	coltrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/pkg/events"
	"github.com/townline/townline/pkg/fetch"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/run"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
)

// A collector stores the spans that it receives by OTLP over HTTP.
type collector struct {
	mu    sync.Mutex
	spans map[string]*tracev1.Span // spans by name
	names map[string]string        // service.name by the name of the span
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var req coltrace.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(body, &req)
	}
	if err != nil || r.URL.Path != "/v1/traces" {
		http.Error(w, "no spans", http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, of := range req.ResourceSpans {
		for _, scope := range of.ScopeSpans {
			for _, s := range scope.Spans {
				c.spans[s.Name] = s
				for _, a := range of.Resource.Attributes {
					if a.Key == "service.name" {
						c.names[s.Name] = a.Value.GetStringValue()
					}
				}
			}
		}
	}
}

func collect(t *testing.T) (*collector, run.Tracing) {
	t.Helper()
	c := &collector{spans: map[string]*tracev1.Span{}, names: map[string]string{}}
	srv := httptest.NewServer(c)
	t.Cleanup(srv.Close)
	return c, run.Tracing{Endpoint: srv.URL}
}

// Work and its queries, fetches and messages form one trace, which continues in the process that
// handles the message. Log lines have the id of the trace. A stop loses no spans.
func TestOneTraceAcrossProcesses(t *testing.T) {
	t.Parallel()
	got, tracing := collect(t)
	log := slog.New(slog.DiscardHandler)
	sender, flushSender, err := tracing.Open(t.Context(), "sender", log)
	if err != nil {
		t.Fatal(err)
	}
	worker, flushWorker, err := tracing.Open(t.Context(), "worker", log)
	if err != nil {
		t.Fatal(err)
	}
	nats := pgtest.NATS(t)
	from, err := events.Open(events.Options{Dial: nats.Connect, Traces: sender}, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(from.Close)
	to, err := events.Open(events.Options{Dial: nats.Connect, Traces: worker}, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(to.Close)

	done := make(chan struct{})
	ctx, stop := context.WithCancel(t.Context())
	consumed := make(chan error, 1)
	go func() {
		consumed <- events.Consume(ctx, to, func(context.Context, *eventsv1.ImportFeed) error { close(done); return nil })
	}()

	deps := run.Deps{DB: pgtest.New(t), Events: from, Traces: sender}
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("traceparent") != "" {
			t.Error("an external host received the trace")
		}
		_, _ = io.WriteString(w, "page")
	}))
	t.Cleanup(page.Close)
	var lines lockedBuffer
	work, end := deps.Span(t.Context(), "work", slog.String("feed", "metro"))
	run.Logger(&lines, "info", "json").With("service", "sender").InfoContext(work, "at work")
	if _, err := deps.DB.Exec(work, "SELECT $1::text", "a secret"); err != nil {
		t.Fatal(err)
	}
	if _, err := deps.DB.Exec(t.Context(), "UPDATE transit.feed SET name = name"); err != nil { // outside of the trace
		t.Fatal(err)
	}
	if _, _, err := fetch.New(fetch.Config{AllowPrivate: true}).Get(work, fetch.Request{URL: page.URL + "/zip?key=secret",
		MaxBytes: 100}); err != nil {
		t.Fatal(err)
	}
	if err := from.Submit(work, &eventsv1.ImportFeed{Alias: "metro"}); err != nil {
		t.Fatal(err)
	}
	end(errors.New("went wrong"))
	<-done
	stop()
	if err := <-consumed; err != nil {
		t.Fatal(err)
	}
	flushSender()
	flushWorker()

	got.mu.Lock()
	defer got.mu.Unlock()
	root := got.spans["work"]
	if root == nil {
		t.Fatalf("none of the %d spans is the work's", len(got.spans))
	}
	if root.Status.GetMessage() != "went wrong" || got.names["work"] != "sender" {
		t.Errorf("the span of the work comes from %q and has status %v", got.names["work"], root.Status)
	}
	for name, parent := range map[string]string{"SELECT": "work", "GET": "work", "send work.transit.import": "work",
		"process work.transit.import": "send work.transit.import"} {
		s, p := got.spans[name], got.spans[parent]
		switch {
		case s == nil:
			t.Errorf("no span %q", name)
		case string(s.TraceId) != string(root.TraceId) || p == nil || string(s.ParentSpanId) != string(p.SpanId):
			t.Errorf("%q is not a child of %q", name, parent)
		case strings.Contains(s.String(), "secret"):
			t.Errorf("%q contains a secret: %v", name, s)
		}
	}
	if got.names["process work.transit.import"] != "worker" {
		t.Errorf("the message was handled by %q", got.names["process work.transit.import"])
	}
	if got.spans["UPDATE"] != nil {
		t.Error("a statement outside of the trace has a span")
	}
	if id := hex.EncodeToString(root.TraceId); !strings.Contains(lines.String(), `"trace_id":"`+id+`"`) {
		t.Errorf("log line without the id %s of the trace: %s", id, lines.String())
	}
}

func TestNoTracingWithoutAnEndpoint(t *testing.T) {
	t.Parallel()
	traces, flush, err := run.Tracing{}.Open(t.Context(), "any", slog.New(slog.DiscardHandler))
	if err != nil || traces != nil {
		t.Fatalf("Open without an endpoint = %v, %v", traces, err)
	}
	flush()
	ctx, end := run.Deps{}.Span(t.Context(), "work")
	end(nil)
	if ctx != t.Context() {
		t.Error("Span without an endpoint changed the context")
	}
	if (&run.Tracing{Endpoint: "collector:4318"}).Validate() == nil {
		t.Error("an endpoint without a scheme was accepted")
	}
}

// An unreachable collector delays a stop by at most the time of the flush.
func TestUnreachableCollector(t *testing.T) {
	t.Parallel()
	var lines lockedBuffer
	traces, flush, err := run.Tracing{Endpoint: "http://127.0.0.1:1"}.Open(t.Context(), "any",
		run.Logger(&lines, "info", "text"))
	if err != nil {
		t.Fatal(err)
	}
	_, end := run.Deps{Traces: traces}.Span(t.Context(), "work")
	end(nil)
	flush()
	if !strings.Contains(lines.String(), "spans are lost") {
		t.Errorf("logged: %s", lines.String())
	}
}

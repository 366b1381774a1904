package townline_test

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	coltrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/services/townline"
)

// spans is an OpenTelemetry collector that stores the spans of each trace.
type spans struct {
	mu     sync.Mutex
	traces map[string]map[string]bool // by trace id: set of "service: name of span"
}

func collectSpans(t *testing.T) (*spans, string) {
	t.Helper()
	s := &spans{traces: map[string]map[string]bool{}}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	return s, srv.URL
}

func (s *spans) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var req coltrace.ExportTraceServiceRequest
	body, err := io.ReadAll(r.Body)
	if err != nil || proto.Unmarshal(body, &req) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, of := range req.ResourceSpans {
		service := ""
		for _, a := range of.Resource.Attributes {
			if a.Key == "service.name" {
				service = a.Value.GetStringValue()
			}
		}
		for _, scope := range of.ScopeSpans {
			for _, span := range scope.Spans {
				id := string(span.TraceId)
				if s.traces[id] == nil {
					s.traces[id] = map[string]bool{}
				}
				s.traces[id][service+": "+span.Name] = true
			}
		}
	}
}

// together reports whether one trace has all of these spans.
func (s *spans) together(names []string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, has := range s.traces {
		all := true
		for _, name := range names {
			all = all && has[name]
		}
		if all {
			return true
		}
	}
	return false
}

// with lists the spans of the traces that have a span with a name.
func (s *spans) with(name string) (found [][]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, has := range s.traces {
		if has[name] {
			found = append(found, slices.Sorted(maps.Keys(has)))
		}
	}
	return found
}

// testTracing expects related spans in one trace, across the services of the demo. It keeps sending
// requests, because only one of the readers of a stale source requests a poll, in its own trace.
func testTracing(t *testing.T, demo running) {
	out := newScreen() // the first import may have ended before transit-api listened
	if status := townline.Main(t.Context(), []string{"feed", "import", "alderbay", "--force", "--queue", "--data",
		demo.data}, conf.Environ{}, out, out); status != 0 {
		t.Fatalf("feed import: %d, %s", status, out)
	}
	got, board := demo.spans, demo.actual.Replace("http://127.0.0.1:8081/gtfs/api/v2/rt/tripupdates/FT")
	late := time.After(2 * time.Minute) // long, for a busy machine with the race detector
	for _, names := range [][]string{
		{"transit-api: GET /gtfs/api/v2/rt/tripupdates/{stop_id}", "transit-api: send transit.source.refresh",
			"rt-poller: process transit.source.refresh"},
		{"rt-poller: poll source", "rt-poller: GET", "rt-poller: send transit.snapshot.stored",
			"transit-api: process transit.snapshot.stored"},
		{"gtfs-import: import feed", "gtfs-import: GET", "gtfs-import: SELECT", "transit-api: process transit.feed.imported"},
		{"council-ingest: ingest", "council-ingest: GET", "council-ingest: INSERT"},
	} {
		for !got.together(names) {
			request(t, board)
			select {
			case <-late:
				t.Fatalf("no trace has all of %q; those with the first have %q", names, got.with(names[0]))
			case <-time.After(100 * time.Millisecond):
			}
		}
	}
}

package visit

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/portal/products"
	"github.com/townline/townline/services/council-ingest/internal/publish"
	"github.com/townline/townline/services/council-ingest/internal/settings"
)

// newVisitor returns a visitor without a database.
func newVisitor(t *testing.T) *visitor {
	t.Helper()
	set, err := settings.Read("", nil)
	if err != nil {
		t.Fatal(err)
	}
	deps := run.Deps{Log: slog.New(slog.DiscardHandler)}
	return &visitor{Publisher: publish.New(deps, set), Portals: New(deps, set, nil), src: &settings.PortalSource{}}
}

// If the document in a viewer page is temporarily unavailable, the viewer page is not archived
// instead.
func TestFailingFrames(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/busy", "/gone":
			fmt.Fprintf(w, `<html><body><iframe src="/Files%s"></iframe></body></html>`, r.URL.Path)
		case "/Files/busy":
			http.Error(w, "busy", http.StatusServiceUnavailable)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(srv.Close)
	p, err := products.All()[0].Open(t.Context(), portal.Config{URL: srv.URL, AllowPrivate: true, Tries: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	v := newVisitor(t)
	v.reader = p
	if doc, err := v.fetchDocument(t.Context(), srv.URL+"/busy", archive.Validators{}, nil); err == nil {
		t.Errorf("fetchDocument = %q, %s", doc.Bytes, doc.Error)
	}
	if doc, err := v.fetchDocument(t.Context(), srv.URL+"/gone", archive.Validators{}, nil); err != nil ||
		doc.Verdict.Readable() {
		t.Errorf("fetchDocument of a missing document = %v, %v", doc, err)
	}
}

// A panic in the code for the portal's pages only fails its own meeting.
func TestAPanicFailsItsMeetingAlone(t *testing.T) {
	t.Parallel()
	v := newVisitor(t) // it panics, because its portal is a nil pointer
	held := portal.Meeting{Detail: portal.Detail{Starts: time.Now()}}
	sum, err := v.visitAll(t.Context(), []listed{{held, 1}, {held, 2}})
	if err != nil || sum.Failed != 2 {
		t.Errorf("%+v, %v", sum, err)
	}
}

package councilingest

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/townline/townline/pkg/pgtest"
)

// Two ingests never send requests to one portal at the same time. The second ingest reports that it
// waits, and begins when the first has ended.
func TestOneIngestAtATime(t *testing.T) {
	t.Parallel()
	p := town(t)
	asked, ended, second := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var begin, goOn sync.Once
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		first := false
		begin.Do(func() { first = true; close(asked) })
		if first {
			<-second // the second ingest waits for the first, or runs at the same time
		} else {
			goOn.Do(func() { t.Error("the second ingest sends requests while the first one runs"); close(second) })
		}
		p.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	p.URL = srv.URL
	db := pgtest.New(t)
	deps, set := testDeps(t, db), portalSettings(t, p.URL)
	go func() {
		defer close(ended)
		if _, err := Ingest(t.Context(), deps, set, Request{AllowPrivate: true}); err != nil {
			t.Error(err)
		}
	}()
	<-asked
	mustIngest(t, testDeps(t, db), set, Request{Waiting: func(string) { goOn.Do(func() { close(second) }) }})
	select {
	case <-ended:
	default:
		t.Error("the second ingest ended before the first")
	}
}

package gtfsimport_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/townline/townline/pkg/pgtest"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
)

// A look that is dated ahead, as a host with a wrong clock leaves it, does not keep the feed from being looked at.
func TestCheckWithATimeInTheFutureIsIgnored(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	if _, err := db.Exec(t.Context(), `INSERT INTO transit.feed (alias, name, checked_at) VALUES ('metro', 'Metro', now() + interval '2 days')`); err != nil {
		t.Fatal(err)
	}
	asked := make(chan struct{}, 10)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked <- struct{}{}
		w.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(srv.Close)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	file := filepath.Join(t.TempDir(), "transit.yaml")
	if err := os.WriteFile(file, []byte("feeds:\n  - {alias: metro, url: "+srv.URL+"/feed.zip}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	go func() {
		ended <- gtfsimport.Run(ctx, gtfsimport.Config{TransitConfig: file, AllowPrivate: true, Grace: time.Minute}, deps(t, db))
	}()
	select {
	case <-asked:
	case err := <-ended:
		t.Fatalf("ended: %v", err)
	case <-time.After(30 * time.Second):
		t.Error("nobody looked within 30 s")
	}
	stop()
	if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

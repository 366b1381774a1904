package councilingest

import (
	"fmt"
	"os"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
)

// Fifty councils, each in a database of its own on one server, are ingested at once, and none stands in another's way.
func TestFiftyCouncilsAtOnce(t *testing.T) {
	if os.Getenv("TOWNLINE_EVERYTHING") == "" {
		t.Skip("TOWNLINE_EVERYTHING is not set: it takes fifty databases")
	}
	const councils = 50
	type council struct {
		portal *fakePortal
		url    string
	}
	all := make([]council, councils)
	for i := range all {
		all[i] = council{town(t), pgtest.URL(t)}
	}
	var g errgroup.Group
	start := time.Now()
	for i, c := range all {
		g.Go(func() error {
			db, err := pg.Open(t.Context(), c.url, pg.Options{Name: "test", MaxConns: 2})
			if err != nil {
				return err
			}
			defer db.Close()
			sum, err := Ingest(t.Context(), testDeps(t, db), portalSettings(t, c.portal), Request{AllowPrivate: true})
			if err == nil && (sum.Votes != 2 || sum.Failed != 0) {
				err = fmt.Errorf("council %d: %+v", i, sum)
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d councils of 6 meetings each in %s", councils, time.Since(start).Round(time.Millisecond))
}

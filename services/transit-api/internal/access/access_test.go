package access

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/rest"
)

// A quota refills evenly over time.
func TestQuotasRefill(t *testing.T) {
	t.Parallel()
	q, rate := newQuotas(), conf.Rate{Requests: 4, Per: 4 * time.Second}
	now := time.Unix(1_800_000_000, 0)
	take := func(want bool) left {
		t.Helper()
		l, ok := q.use("x", rate, now)
		if ok != want {
			t.Fatalf("at %s: %v, quota %+v", now, ok, l)
		}
		return l
	}
	for i := range 4 {
		if l := take(true); l.requests != 3-i {
			t.Errorf("%+v", l)
		}
	}
	if l := take(false); l.next != time.Second || l.full != 4*time.Second {
		t.Errorf("%+v", l)
	}
	now = now.Add(time.Second)
	take(true)
	take(false)
	now = now.Add(time.Hour)
	if l := take(true); l.requests != 3 || l.full != time.Second {
		t.Errorf("%+v", l)
	}
	for range 3 {
		take(true)
	}
	now = now.Add(-time.Hour) // the clock was set back
	if l := take(true); l.requests != 3 || l.full != time.Second {
		t.Errorf("%+v", l)
	}
	for range 3 {
		take(true)
	}
	now = now.Add(-maxSkew / 10) // a concurrent request read the clock slightly earlier
	take(false)
	for i := range 3 * clientsKept {
		q.use(fmt.Sprint(i), rate, now)
	}
	if len(q.young)+len(q.old) > 2*clientsKept {
		t.Errorf("%d clients are stored", len(q.young)+len(q.old))
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	a, b := NewKey(), NewKey()
	if a.Text == b.Text || a.ID == b.ID || a.Hash == b.Hash || !strings.HasPrefix(a.Text, "tl_"+a.ID+"_") ||
		len(a.Text) < 60 {
		t.Errorf("%+v %+v", a, b)
	}
}

type countedDB struct {
	rest.DB
	queries atomic.Int64
}

func (db *countedDB) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	db.queries.Add(1)
	return db.DB.Query(ctx, sql, args...)
}

// Guessed keys do not load the database.
func TestGuessedKeysCauseFewQueries(t *testing.T) {
	t.Parallel()
	db := &countedDB{DB: pgtest.New(t)}
	k := NewKeyring(db, slog.New(slog.DiscardHandler))
	if err := k.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	db.queries.Store(0)
	start := time.Now()
	for range 300 {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.Header.Set("X-Api-Key", NewKey().Text)
		if _, err := k.find(r, time.Now()); err != errUnknownKey {
			t.Fatal(err)
		}
	}
	if most := 1 + int64(time.Since(start)/refreshAgain); db.queries.Load() > most || db.queries.Load() == 0 {
		t.Errorf("%d queries for 300 guesses in %s", db.queries.Load(), time.Since(start))
	}
}

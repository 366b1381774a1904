package rtpoller

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/pgtest"
)

func expireLeases(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	execSQL(t, pool, `UPDATE transit.source SET named_at = now() - interval '2 minutes'`)
}

func register(t *testing.T, p ...*poller) {
	t.Helper()
	if err := newRegistry(p[0].deps, p).register(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// rows returns the registered sources with their min_interval.
func rows(t *testing.T, pool *pgxpool.Pool) string {
	t.Helper()
	var all string
	err := pool.QueryRow(t.Context(),
		`SELECT coalesce(string_agg(source || ' ' || min_interval || ' ' || encode(substr(address, 1, 4), 'hex'), ', ' ORDER BY source), '') FROM transit.source`).Scan(&all)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func row(p *poller) string {
	return fmt.Sprintf("%s %02d:00:00 %x", p.source, int(p.MinInterval/time.Hour), p.address()[:4])
}

// A row that another program deleted is inserted again, and its source is polled.
func TestDeletedRowComesBack(t *testing.T) {
	t.Parallel()
	pool, up, p := alone(t, time.Hour)
	execSQL(t, pool, `DELETE FROM transit.source`)
	if err := p.poll(t.Context(), 0); err != nil || up.requests.Load() != 0 {
		t.Fatalf("before the registration: %d requests, %v", up.requests.Load(), err)
	}
	register(t, p)
	if err := p.poll(t.Context(), 0); err != nil || up.requests.Load() != 1 {
		t.Fatalf("after the registration: %d requests, %v", up.requests.Load(), err)
	}
}

// If two configurations have the same source, the one with the lease keeps the row until its
// pollers stop or die. Then the other configuration gets it. A source in only one configuration
// exists as long as the pollers of that configuration run.
func TestTwoConfigurationsDoNotTakeTurns(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	before := replica(t, pool, "http://127.0.0.1:1/before", time.Hour)
	after := replica(t, pool, "http://127.0.0.1:1/after", time.Hour)
	slower := replica(t, pool, "http://127.0.0.1:1/before", 2*time.Hour)
	also := &poller{Source: after.Source, alias: after.alias, source: "trip_updates/1", deps: after.deps}
	for range 3 {
		register(t, after, also)
		register(t, slower)
		register(t, before)
		if got, want := rows(t, pool), row(before)+", "+row(also); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
	}
	// A poller releases only its own leases.
	if err := newRegistry(after.deps, []*poller{after, also}).release(t.Context()); err != nil {
		t.Fatal(err)
	}
	register(t, before)
	if got := rows(t, pool); got != row(before) {
		t.Fatalf("got %s", got)
	}
	// After an orderly stop, the other configuration need not wait.
	if err := newRegistry(before.deps, []*poller{before}).release(t.Context()); err != nil {
		t.Fatal(err)
	}
	register(t, after, also)
	register(t, before)
	if got, want := rows(t, pool), row(after)+", "+row(also); got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	expireLeases(t, pool) // a crash
	register(t, before)
	if got := rows(t, pool); got != row(before) {
		t.Fatalf("got %s", got)
	}
	execSQL(t, pool, `UPDATE transit.source SET named_at = now() + interval '1 year'`) // a wrong clock
	register(t, slower)
	if got := rows(t, pool); got != row(slower) {
		t.Fatalf("got %s", got)
	}
}

// A restart with the same configuration keeps the snapshot. A configuration without sources deletes
// all rows.
func TestRestartKeepsTheSnapshot(t *testing.T) {
	t.Parallel()
	pool, _, p := alone(t, time.Hour)
	poll(t, p)
	stopped, stop := context.WithCancel(t.Context())
	if err := newRegistry(p.deps, []*poller{p}).run(stopped, stop); err != nil {
		t.Fatal(err)
	}
	var held bool
	if err := pool.QueryRow(t.Context(), `SELECT named_at > '-infinity'
		FROM transit.source`).Scan(&held); err != nil || held {
		t.Errorf("a stop releases the source: %v, %v", held, err)
	}
	if again := replica(t, pool, p.URL, time.Hour); look(t, pool).Kept != 1 || again == nil {
		t.Error("the snapshot was lost")
	}
	expireLeases(t, pool)
	if err := newRegistry(p.deps, nil).register(t.Context()); err != nil || rows(t, pool) != "" {
		t.Errorf("remaining rows: %s, %v", rows(t, pool), err)
	}
}

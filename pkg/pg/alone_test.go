package pg_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
)

// Only one of two replicas works. When its session is killed, it stops. Then one of them works
// again.
func TestAloneOneOfTwoWorks(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	pool := pgtest.New(t)
	var working atomic.Int32
	began := make(chan struct{}, 10)
	ended := make(chan error, 2)
	for range 2 {
		go func() {
			ended <- pg.Alone(ctx, pool, "test", func(ctx context.Context) error {
				if n := working.Add(1); n > 1 {
					t.Errorf("%d replicas work", n)
				}
				began <- struct{}{}
				<-ctx.Done()
				working.Add(-1)
				return ctx.Err()
			})
		}()
	}
	await := func() {
		t.Helper()
		select {
		case <-began:
		case <-time.After(2 * time.Minute):
			t.Fatal("no replica works")
		}
	}
	await()
	// The idle replica has no session, so the session with an advisory lock belongs to the working
	// replica.
	tag, err := pool.Exec(ctx, `
		SELECT pg_terminate_backend(pid) FROM pg_locks
		WHERE locktype = 'advisory' AND granted
		  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
	if err != nil || tag.RowsAffected() != 1 {
		t.Fatalf("%d sessions hold the lock, %v; want 1", tag.RowsAffected(), err)
	}
	await()
	stop()
	for range 2 {
		if err := <-ended; err != nil {
			t.Errorf("Alone with an ended context: %v; want nil", err)
		}
	}
}

// Alone returns the error of the function, and releases the lock.
func TestAloneEndsWithItsFunction(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	wrong := errors.New("wrong")
	for _, want := range []error{wrong, nil} {
		if err := pg.Alone(t.Context(), pool, "test", func(context.Context) error { return want }); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
}

// TryAlone has released the lock when it returns.
func TestTryAloneReleasesTheLock(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	pool, err := pg.Open(t.Context(), url, pg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	next, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = next.Close(context.WithoutCancel(t.Context())) }()
	for n := range 50 {
		if ours, err := pg.TryAlone(t.Context(), pool, "test", func(context.Context) error {
			return nil
		}); err != nil || !ours {
			t.Fatalf("run %d: %t, %v", n, ours, err)
		}
		if ours, err := pg.TryLock(t.Context(), next, "test"); err != nil || !ours {
			t.Fatalf("after run %d: %t, %v", n, ours, err)
		}
		pg.Unlock(t.Context(), next, "test")
	}
}

package pg_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
)

// one returns a pool of one connection. A caller that needs two connections would wait forever.
func one(t *testing.T, url string) *pgxpool.Pool {
	t.Helper()
	pool, err := pg.Open(t.Context(), url, pg.Options{MaxConns: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// Only one holder of a lock works at a time, each with its only connection.
func TestLocks(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	a, b := one(t, url), one(t, url)
	locked := func(ctx context.Context, pool *pgxpool.Pool, fn func(*pgx.Conn) error) error {
		return pool.AcquireFunc(ctx, func(pooled *pgxpool.Conn) error {
			if err := pg.AwaitLock(ctx, pooled.Conn(), "test"); err != nil {
				return err
			}
			defer pg.Unlock(ctx, pooled.Conn(), "test")
			return fn(pooled.Conn())
		})
	}
	inside := false
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			err := locked(t.Context(), []*pgxpool.Pool{a, b}[i%2], func(conn *pgx.Conn) error {
				if inside {
					t.Error("two holders work at the same time")
				}
				inside = true
				_, err := conn.Exec(t.Context(), `SELECT 1`)
				inside = false
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	err := locked(t.Context(), a, func(conn *pgx.Conn) error {
		if ours, err := pg.TryAlone(t.Context(), b, "test", func(context.Context) error {
			return errors.New("ran")
		}); ours || err != nil {
			t.Errorf("TryAlone while the lock is held: %v, %v", ours, err)
		}
		// A failed transaction releases the lock.
		_, err := conn.Exec(t.Context(), `BEGIN; SELECT 1/0`)
		return err
	})
	if err == nil {
		t.Fatal("a failed transaction has no error")
	}
	// The session is closed, and the server notices that soon.
	if err := locked(t.Context(), b, func(*pgx.Conn) error { return nil }); err != nil {
		t.Error(err)
	}
	wrong := errors.New("wrong")
	ours, err := pg.TryAlone(t.Context(), b, "test", func(ctx context.Context) error {
		return errors.Join(b.Ping(ctx), wrong) // the pool still has its connection
	})
	if !ours || !errors.Is(err, wrong) {
		t.Errorf("TryAlone: %v, %v", ours, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := locked(ended, a, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("lock with an ended context: %v", err)
	}
}

// In tests, a pool panics if a goroutine acquires a second connection.
func TestASecondConnectionPanics(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	panics := func(fn func()) (text string) {
		defer func() {
			if p := recover(); p != nil {
				text = fmt.Sprint(p)
			}
		}()
		fn()
		return ""
	}
	for what, ask := range map[string]func(){
		"in a transaction": func() {
			_ = pgx.BeginFunc(t.Context(), pool, func(pgx.Tx) error { return pool.Ping(t.Context()) })
		},
		"among rows": func() {
			rows, err := pool.Query(t.Context(), `SELECT generate_series(1, 9)`)
			if err != nil {
				t.Error(err)
			}
			defer rows.Close()
			rows.Next()
			_ = pool.Ping(t.Context())
		},
	} {
		if got := panics(ask); !strings.Contains(got, "second connection") {
			t.Errorf("%s: %q, want a panic", what, got)
		}
	}
	// One connection after another, and a second connection in another goroutine, are allowed.
	if err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
		done := make(chan error)
		go func() { done <- pool.Ping(t.Context()) }()
		return <-done
	}); err != nil {
		t.Error(err)
	}
	if err := pg.Alone(t.Context(), pool, "test", func(ctx context.Context) error { return pool.Ping(ctx) }); err != nil {
		t.Error(err)
	}
	if err := pool.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

// Look does not mistake a busy pool for an unreachable database.
func TestLookAtABusyPool(t *testing.T) {
	t.Parallel()
	pool := one(t, pgtest.URL(t))
	held, free := make(chan struct{}), make(chan struct{})
	done := make(chan error)
	go func() {
		done <- pgx.BeginFunc(t.Context(), pool, func(pgx.Tx) error { close(held); <-free; return nil })
	}()
	<-held
	if err := pg.Look(t.Context(), pool, func(ctx context.Context, conn *pgx.Conn) error {
		return conn.Ping(ctx)
	}); err != nil {
		t.Errorf("Look at a busy pool: %v", err)
	}
	close(free)
	if err := <-done; err != nil {
		t.Error(err)
	}
	gone := one(t, strings.Replace(pgtest.URL(t), "townline_test_", "townline_none_", 1))
	if err := pg.Look(t.Context(), gone, func(ctx context.Context, conn *pgx.Conn) error {
		return conn.Ping(ctx)
	}); err == nil {
		t.Error("no error for an unreachable database")
	}
}

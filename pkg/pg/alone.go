package pg

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/wait"
)

const (
	// standBy is the interval at which a waiting replica tries to get the lock.
	standBy = 2 * time.Second
	// handOver is the time that a new holder waits, so that the previous holder can notice the end of
	// its session and stop.
	handOver = time.Second
	// holdCheck is the interval at which the holder pings the server to notice a lost network. A
	// closed session is noticed at once.
	holdCheck = 5 * time.Second
)

// Alone waits for the named lock and runs fn while it holds the lock, so only one replica works.
// fn's context ends with the session that holds the lock, for example when Postgres restarts. Then
// Alone waits for the lock again. It returns nil when ctx ends, or fn's error when fn returns
// early. The session is not part of the pool, so fn may use the pool.
func Alone(ctx context.Context, pool *pgxpool.Pool, name string, fn func(context.Context) error) error {
	for ctx.Err() == nil {
		conn := acquire(ctx, pool, name)
		if conn == nil {
			return nil
		}
		if lost, err := runHolding(ctx, conn, name, fn); !lost {
			return err
		}
	}
	return nil
}

// TryAlone is like Alone but does not wait: it returns false and does not run fn if another process
// holds the lock. It returns an error if the session ends before fn.
func TryAlone(ctx context.Context, pool *pgxpool.Pool, name string,
	fn func(context.Context) error) (ours bool, err error) {
	conn, err := tryAcquire(ctx, pool, name)
	if err != nil || conn == nil {
		return false, err
	}
	lost, err := runHolding(ctx, conn, name, fn)
	if lost && ctx.Err() == nil {
		return true, fmt.Errorf("the session that held lock %q has ended", name)
	}
	return true, err
}

// runHolding runs fn until fn or the session that holds the lock ends. Then it releases the lock.
func runHolding(ctx context.Context, conn *pgx.Conn, name string, fn func(context.Context) error) (lost bool,
	err error) {
	held, lose := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		watchSession(held, conn)
		lose()
	}()
	defer func() { // also when fn panics
		lose()
		<-watched
		// The server may notice the closed session only after another process has tried to get the lock.
		Unlock(ctx, conn, name)
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		_ = conn.Close(closing)
	}()
	err = fn(held)
	return held.Err() != nil, err
}

// acquire returns a session that holds the lock, or nil if ctx ends. The session is no longer part
// of the pool.
func acquire(ctx context.Context, pool *pgxpool.Pool, name string) *pgx.Conn {
	for waited := false; ; waited = true {
		conn, _ := tryAcquire(ctx, pool, name) // an error means no database, and then no replica works
		if conn != nil && waited {
			wait.For(ctx, handOver) // the caller also checks ctx
		}
		if conn != nil || !wait.For(ctx, standBy/2+rand.N(standBy)) {
			return conn
		}
	}
}

func tryAcquire(ctx context.Context, pool *pgxpool.Pool, name string) (*pgx.Conn, error) {
	pooled, err := pool.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("connect for lock %q: %w", name, err)
	}
	ours, err := TryLock(ctx, pooled.Conn(), name)
	if err != nil || !ours {
		pooled.Release()
		return nil, err
	}
	return hijack(pooled), nil
}

func watchSession(ctx context.Context, conn *pgx.Conn) {
	for ctx.Err() == nil {
		quiet, cancel := context.WithTimeout(ctx, holdCheck)
		_, err := conn.WaitForNotification(quiet) // no notification will come; the wait ends with the session
		cancel()
		if err != nil && quiet.Err() == nil {
			return
		}
		asked, cancel := context.WithTimeout(ctx, holdCheck)
		err = conn.Ping(asked)
		cancel()
		if err != nil {
			return
		}
	}
}

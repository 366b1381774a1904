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
	// standBy is how often a waiting replica tries to get the lock.
	standBy = 2 * time.Second
	// handOver is how long a new holder waits before it starts, so that the previous holder, whose
	// session may have just died, can notice and stop.
	handOver = time.Second
	// holdCheck is how often the holder pings the server. It notices a closed session
	// at once, and a lost network by this ping.
	holdCheck = 5 * time.Second
)

// Alone runs fn while this process holds the named lock: one of all replicas works, the others wait
// here. fn's context ends with the session that holds the lock, for example when Postgres restarts;
// once fn has returned, Alone tries to get the lock again. It returns nil when ctx ends, and fn's
// error when fn ends by itself. The session is not part of the pool, so fn may use the pool.
func Alone(ctx context.Context, pool *pgxpool.Pool, name string, fn func(context.Context) error) error {
	for ctx.Err() == nil {
		conn := takeTurn(ctx, pool, name)
		if conn == nil {
			return nil
		}
		if lost, err := inTurn(ctx, conn, name, fn); !lost {
			return err
		}
	}
	return nil
}

// TryAlone is Alone without waiting: false means that another process holds the lock, and fn has
// not run. It returns an error if the session that holds the lock ends before fn does.
func TryAlone(ctx context.Context, pool *pgxpool.Pool, name string,
	fn func(context.Context) error) (ours bool, err error) {
	conn, err := tryTurn(ctx, pool, name)
	if err != nil || conn == nil {
		return false, err
	}
	lost, err := inTurn(ctx, conn, name, fn)
	if lost && ctx.Err() == nil {
		return true, fmt.Errorf("the session that held lock %q has ended", name)
	}
	return true, err
}

// inTurn runs fn until fn or the session that holds the lock ends. The lock is free when it
// returns.
func inTurn(ctx context.Context, conn *pgx.Conn, name string, fn func(context.Context) error) (lost bool, err error) {
	held, lose := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		watchTurn(held, conn)
		lose()
	}()
	defer func() { // also when fn panics
		lose()
		<-watched
		// the server notices later that the session is closed; by then another turn may have been refused
		Unlock(ctx, conn, name)
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		_ = conn.Close(closing)
	}()
	err = fn(held)
	return held.Err() != nil, err
}

// takeTurn returns a session that holds the lock, or nil if ctx ends. The session is no longer part
// of the pool.
func takeTurn(ctx context.Context, pool *pgxpool.Pool, name string) *pgx.Conn {
	for waited := false; ; waited = true {
		conn, _ := tryTurn(ctx, pool, name) // without a database no replica works
		if conn != nil && waited {
			wait.For(ctx, handOver) // the caller sees the end of ctx, too
		}
		if conn != nil || !wait.For(ctx, standBy/2+rand.N(standBy)) {
			return conn
		}
	}
}

func tryTurn(ctx context.Context, pool *pgxpool.Pool, name string) (*pgx.Conn, error) {
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

// watchTurn returns when ctx ends or the session is gone.
func watchTurn(ctx context.Context, conn *pgx.Conn) {
	for ctx.Err() == nil {
		quiet, cancel := context.WithTimeout(ctx, holdCheck)
		_, err := conn.WaitForNotification(quiet) // none will come: it waits for the end of the session
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

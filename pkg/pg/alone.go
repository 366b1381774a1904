package pg

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// standBy is how often a replica that waits for its turn asks for it.
	standBy = 2 * time.Second
	// handOver is how long whoever has waited leaves the holder before, whose session may just have
	// died, to notice and stop.
	handOver = time.Second
	// holdCheck is how often the holder asks the server for a sign of life. A session
	// that is closed is noticed at once, one whose network is gone by this.
	holdCheck = 5 * time.Second
)

// Alone runs fn while this process holds the lock of that name, which one session
// of a database can hold at a time: of all replicas one works, the others wait
// here for their turn. A process that dies gives the lock up at once. fn's context
// ends with the session that holds the lock, as when Postgres restarts; once fn has
// returned, Alone tries for the lock again. It returns nil when ctx ends, and what fn returns when
// fn ends by itself.
//
// The database must be reached directly: a pooler in transaction mode loses the lock.
func Alone(ctx context.Context, pool *pgxpool.Pool, name string, fn func(context.Context) error) error {
	for ctx.Err() == nil {
		conn := takeTurn(ctx, pool, name)
		if conn == nil {
			return nil
		}
		held, lose := context.WithCancel(ctx)
		watched := make(chan struct{})
		go func() {
			defer close(watched)
			watchTurn(held, conn)
			lose()
		}()
		err := fn(held)
		lost := held.Err() != nil
		lose()
		<-watched
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		_ = conn.Close(closing) // the lock ends with the session, however that ends
		cancel()
		if !lost {
			return err
		}
	}
	return nil
}

// takeTurn returns a session that holds the lock, or nil when ctx ends. The session is no longer one of the pool's.
func takeTurn(ctx context.Context, pool *pgxpool.Pool, name string) *pgx.Conn {
	conn, err := tryTurn(ctx, pool, name)
	if err == nil && conn != nil {
		return conn
	}
	for conn == nil {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(standBy/2 + rand.N(standBy)):
		}
		conn, _ = tryTurn(ctx, pool, name) // while there is no database nobody works
	}
	select {
	case <-ctx.Done(): // the caller sees that, too
	case <-time.After(handOver):
	}
	return conn
}

func tryTurn(ctx context.Context, pool *pgxpool.Pool, name string) (*pgx.Conn, error) {
	pooled, err := pool.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("lock %q: %w", name, err)
	}
	var ours bool
	err = pooled.QueryRow(ctx, `SELECT pg_try_advisory_lock(hashtextextended('townline ' || $1::text, 0))`, name).Scan(&ours)
	if err != nil || !ours {
		pooled.Release()
		return nil, err
	}
	return pooled.Hijack(), nil
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

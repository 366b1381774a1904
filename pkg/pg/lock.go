package pg

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Locks are known by their names, in one database. A session holds a lock until it gives it
// back or ends, so a process that dies holds nothing. Everything here needs exactly one
// connection: TryLock and AwaitLock use the caller's, Locked and TryLocked lend one of the pool's to their function, Alone and
// TryAlone take one out of the pool, for work that is long and needs the pool itself.
//
// The database must be reached directly: a pooler in transaction mode loses locks.
const lockKey = `hashtextextended('townline ' || $1::text, 0)`

const (
	// askAgain is how often those who wait ask for a lock that another session holds.
	askAgain = 50 * time.Millisecond
	// unlockFor bounds the giving back of a lock, also when the caller's context has ended.
	unlockFor = 5 * time.Second
)

// TryLock takes a lock for the session of conn; false says that another session holds it.
// Who has taken it must Unlock it.
func TryLock(ctx context.Context, conn *pgx.Conn, name string) (ours bool, err error) {
	if err := conn.QueryRow(ctx, `SELECT pg_try_advisory_lock(`+lockKey+`)`, name).Scan(&ours); err != nil {
		return false, fmt.Errorf("lock %q: %w", name, err)
	}
	return ours, nil
}

// AwaitLock takes a lock as soon as no other session holds it. It asks again and again: a statement that
// waited on the server would hold a snapshot, and some commands (CREATE INDEX CONCURRENTLY, DETACH PARTITION) wait for
// those in turn.
func AwaitLock(ctx context.Context, conn *pgx.Conn, name string) error {
	for {
		ours, err := TryLock(ctx, conn, name)
		if err != nil || ours {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for lock %q: %w", name, ctx.Err())
		case <-time.After(askAgain):
		}
	}
}

// Unlock gives a lock back. If the session cannot say so it is closed, and the lock ends with it.
func Unlock(ctx context.Context, conn *pgx.Conn, name string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), unlockFor)
	defer cancel()
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_unlock(`+lockKey+`)`, name); err != nil {
		_ = conn.Close(ctx)
	}
}

// Locked runs fn with a connection of the pool that holds the lock. Until it is free it is asked for again and again, and
// no connection is held. What fn does in the database it must do on its connection: a second one
// of the same pool may never come, when all wait for one.
func Locked(ctx context.Context, pool *pgxpool.Pool, name string, fn func(context.Context, *pgx.Conn) error) error {
	for {
		ours, err := TryLocked(ctx, pool, name, fn)
		if err != nil || ours {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for lock %q: %w", name, ctx.Err())
		case <-time.After(askAgain):
		}
	}
}

// TryLocked is Locked without the waiting: false says that another session holds the lock, and fn has not run.
func TryLocked(ctx context.Context, pool *pgxpool.Pool, name string, fn func(context.Context, *pgx.Conn) error) (ours bool, err error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return false, fmt.Errorf("connect for lock %q: %w", name, err)
	}
	defer conn.Release()
	if ours, err = TryLock(ctx, conn.Conn(), name); err != nil || !ours {
		return false, err
	}
	defer Unlock(ctx, conn.Conn(), name)
	return true, fn(holding(ctx, pool), conn.Conn())
}

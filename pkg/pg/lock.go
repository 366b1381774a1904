package pg

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/wait"
)

// Locks have names, which are unique in one database. A session holds a lock until it unlocks it or
// ends, so a dead process holds none. Every function here needs exactly one connection: TryLock and
// AwaitLock use the caller's, Alone and TryAlone take one out of the pool, for long work that uses
// the pool itself.
//
// The database must be reached directly: a pooler in transaction mode loses locks.
const lockKey = `hashtextextended('townline ' || $1::text, 0)`

const (
	// askAgain is how often a waiting caller tries to get a lock.
	askAgain = 50 * time.Millisecond
	// unlockFor bounds the unlocking, even if the caller's context has ended.
	unlockFor = 5 * time.Second
)

// TryLock takes a lock for the session of conn; false means that another session holds it.
// The caller must Unlock it.
func TryLock(ctx context.Context, conn *pgx.Conn, name string) (ours bool, err error) {
	if err := conn.QueryRow(ctx, `SELECT pg_try_advisory_lock(`+lockKey+`)`, name).Scan(&ours); err != nil {
		return false, fmt.Errorf("lock %q: %w", name, err)
	}
	return ours, nil
}

// AwaitLock takes a lock as soon as no other session holds it. It polls: a statement that waits on
// the server would hold a snapshot, and some commands (CREATE INDEX CONCURRENTLY, DETACH PARTITION)
// wait for snapshots.
func AwaitLock(ctx context.Context, conn *pgx.Conn, name string) error {
	for {
		ours, err := TryLock(ctx, conn, name)
		if err != nil || ours {
			return err
		}
		if !wait.For(ctx, askAgain) {
			return fmt.Errorf("wait for lock %q: %w", name, ctx.Err())
		}
	}
}

// Unlock releases a lock. If that fails it closes the session, and the lock ends with it.
func Unlock(ctx context.Context, conn *pgx.Conn, name string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), unlockFor)
	defer cancel()
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_unlock(`+lockKey+`)`, name); err != nil {
		_ = conn.Close(ctx)
	}
}

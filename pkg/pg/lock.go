package pg

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/wait"
)

// lockKey is the advisory lock of a name. A session holds a lock until it unlocks it or ends, so a
// dead process holds no lock. Connect to the database directly: a pooler in transaction mode loses
// locks.
const lockKey = `hashtextextended('townline ' || $1::text, 0)`

const (
	lockInterval  = 50 * time.Millisecond // between two attempts
	unlockTimeout = 5 * time.Second       // applies even if the caller's context has ended
)

// TryLock takes the lock of a name for the session of conn. It returns false if another session
// holds the lock. The caller must call Unlock.
func TryLock(ctx context.Context, conn *pgx.Conn, name string) (ours bool, err error) {
	if err := conn.QueryRow(ctx, `SELECT pg_try_advisory_lock(`+lockKey+`)`, name).Scan(&ours); err != nil {
		return false, fmt.Errorf("lock %q: %w", name, err)
	}
	return ours, nil
}

// AwaitLock waits until it gets a lock. It polls, because a statement that waits on the server
// would hold a snapshot, which blocks CREATE INDEX CONCURRENTLY and DETACH PARTITION.
func AwaitLock(ctx context.Context, conn *pgx.Conn, name string) error {
	for {
		ours, err := TryLock(ctx, conn, name)
		if err != nil || ours {
			return err
		}
		if !wait.For(ctx, lockInterval) {
			return fmt.Errorf("wait for lock %q: %w", name, ctx.Err())
		}
	}
}

// Unlock releases a lock. If that fails, it closes the session, which also releases the lock.
func Unlock(ctx context.Context, conn *pgx.Conn, name string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), unlockTimeout)
	defer cancel()
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_unlock(`+lockKey+`)`, name); err != nil {
		_ = conn.Close(ctx)
	}
}

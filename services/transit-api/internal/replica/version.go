// Package replica reads databases that may lag.
//
// [DB] runs the queries about one feed version on connections that see all its rows. The
// package uses only the table transit.feed_version;
// package edition decides which version is live.
package replica

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/run"
)

// A Version is the number of a feed version in the arguments of a query.
type Version int32

// A Begun is the version of a download that has begun. It may have been replaced since: a slow
// client reads it to the end.
type Begun Version

// A DB runs queries about one feed version on connections that see all its rows.
//
// A version never changes, and is added and removed as a whole. Each connection checks every minute
// that the version exists, because its replica may lag, and replaced versions are deleted. Without
// the check, entities with missing rows would seem not to exist.
type DB struct{ rest.DB }

// Query runs a query after it has checked the version in its arguments.
func (db DB) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	for _, arg := range args {
		switch v := arg.(type) {
		case Version:
			args = append([]any{checker{version: v}}, args...)
		case Begun:
			args = append([]any{checker{version: Version(v), begun: true}}, args...)
		default:
			continue
		}
		break
	}
	rows, err := db.DB.Query(ctx, sql, args...)
	return rows, pg.Connecting(err)
}

// A Pool is a [DB] that begins transactions. Their queries check the version in their arguments, too.
type Pool struct{ *pgxpool.Pool }

// Query is that of DB.
func (p Pool) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return DB{p.Pool}.Query(ctx, sql, args...)
}

// BeginTx begins a transaction.
func (p Pool) BeginTx(ctx context.Context, o pgx.TxOptions) (pgx.Tx, error) {
	begun, err := p.Pool.BeginTx(ctx, o)
	return tx{begun}, err
}

type tx struct{ pgx.Tx }

func (t tx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return DB{t.Tx}.Query(ctx, sql, args...)
}

// A checker checks a version on the connection of a query.
type checker struct {
	version Version
	begun   bool // the version may have been replaced
}

// RewriteQuery implements [pgx.QueryRewriter]: pgx calls it with the connection. The query stays
// unchanged.
func (c checker) RewriteQuery(ctx context.Context, conn *pgx.Conn, sql string, args []any) (string, []any, error) {
	return sql, args, check(ctx, conn, c.version, c.begun)
}

const (
	checkedFor  = time.Minute           // much shorter than the importer keeps replaced versions
	replicaWait = time.Second           // maximum wait for a version that a replica does not have yet
	retryEvery  = 20 * time.Millisecond // between checks during this wait
	maxChecked  = 1000                  // number of versions that a connection remembers
)

// errReplaced is the error while memory and database have different versions of a feed.
var errReplaced = rest.Unavailable(time.Second, "the feed is being replaced; try again soon")

// check returns an error unless the connection sees all rows of a version, and will see them while
// the answer is built. The connection remembers the result.
func check(ctx context.Context, conn *pgx.Conn, v Version, begun bool) error {
	const key = "townline feed versions"
	checked, _ := conn.PgConn().CustomData()[key].(map[Version]time.Time)
	start := time.Now()
	if start.Before(checked[v]) {
		return nil
	}
	for {
		served, err := isServed(ctx, conn, v, begun)
		switch {
		case err != nil && !errors.Is(err, pgx.ErrNoRows):
			return fmt.Errorf("find feed version %d: %w", v, err)
		case err != nil && time.Since(start) < replicaWait: // not replicated yet
		case !served:
			return errReplaced
		case begun:
			return nil
		default:
			if checked == nil || len(checked) >= maxChecked {
				checked = map[Version]time.Time{}
				conn.PgConn().CustomData()[key] = checked
			}
			checked[v] = start.Add(checkedFor)
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(retryEvery):
		}
	}
}

// isServed reports whether a version is live, or was live until recently or, for a download that has
// begun, at any time. The error is pgx.ErrNoRows if the replica does not have the version yet.
func isServed(ctx context.Context, conn *pgx.Conn, v Version, begun bool) (bool, error) {
	var served bool
	err := conn.QueryRow(ctx, `
		SELECT state = 'live' OR state = 'retired' AND ($3 OR coalesce(retired_at > now() - $2::interval, false))
		FROM transit.feed_version WHERE version_id = $1 AND state <> 'staging'`, int32(v), checkedFor, begun).Scan(&served)
	return served, err
}

// A CountedTable is a small table that counts its changes. It is read when the count changes. A
// lagging replica returns a lower count and would restore revoked rows, so a lower count is not
// accepted at once.
type CountedTable struct {
	name    string
	db      rest.DB
	log     *slog.Logger
	changes *rest.Query[rest.None, int64]
	read    func(ctx context.Context, changes int64) error
	lock    chan struct{} // held during a read; guards the fields below
	rewind  pg.Rewind
	last    atomic.Int64
}

// NewCountedTable returns a table that has not been read. changes selects the count; read loads the
// rows.
func NewCountedTable(
	name string, db rest.DB, log *slog.Logger, changes *rest.Query[rest.None, int64],
	read func(context.Context, int64) error,
) *CountedTable {
	t := &CountedTable{name: name, db: db, log: log, changes: changes, read: read, lock: make(chan struct{}, 1)}
	t.last.Store(-1)
	return t
}

const period = time.Second // between reads of the count

// Run refreshes the table every second until ctx ends.
func (t *CountedTable) Run(ctx context.Context) error {
	return run.Watch(ctx, nil, run.Loop{Name: "read the " + t.name, Period: period, Timeout: 5 * time.Second, Log: t.log},
		t.Refresh)
}

// Ready returns nil after the table has been read.
func (t *CountedTable) Ready(context.Context) error {
	if t.last.Load() < 0 {
		return errors.New("not read yet")
	}
	return nil
}

// Refresh reads the table if it has changed.
func (t *CountedTable) Refresh(ctx context.Context) error {
	select {
	case t.lock <- struct{}{}:
		defer func() { <-t.lock }()
	case <-ctx.Done():
		return ctx.Err()
	}
	n, err := t.changes.One(ctx, t.db, rest.None{})
	if err != nil {
		return fmt.Errorf("read the count of changes of the %s: %w", t.name, err)
	}
	if old := t.last.Load(); old >= 0 && (!t.rewind.Accept(n < old, time.Now()) || n == old) {
		return nil
	}
	if err := t.read(ctx, n); err != nil {
		return fmt.Errorf("read the %s: %w", t.name, err)
	}
	t.last.Store(n)
	return nil
}

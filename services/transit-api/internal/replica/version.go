// Package replica reads databases that may lag.
//
// [DB] runs the queries of one feed version on connections that see all its rows. [Doubt] decides when to accept an
// earlier state. The package knows only the table transit.feed_version; package edition decides which version
// is live.
package replica

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/rest"
)

// A Version is the number of a feed version in the arguments of a query. It is written into the
// statement, not sent as an argument: Postgres selects the partition while it plans only if it
// sees the number. It then plans once per version and connection. A plan for any version would include the partitions
// of all of them, and get slower with every feed.
type Version int32

// A DB runs queries for one feed version on connections that see all its rows.
//
// A version never changes, and is added and removed as a whole. So each connection checks once in a while that the
// version exists: its replica may be late, and a version that was replaced long ago is deleted. Without
// the check, missing rows would be answered as unknown.
type DB struct{ rest.DB }

// Query writes the version into the statement and runs it.
func (db DB) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	for i, arg := range args {
		if v, ok := arg.(Version); ok {
			args = append([]any{rewriter{v, i}}, args...)
			break
		}
	}
	rows, err := db.DB.Query(ctx, sql, args...)
	return rows, pg.Connecting(err)
}

// pgx calls a rewriter before it sends a query, with the connection of the query.
type rewriter struct {
	version Version
	at      int // its position in the arguments
}

// RewriteQuery checks the version and writes it into the statement.
func (r rewriter) RewriteQuery(ctx context.Context, conn *pgx.Conn, sql string, args []any) (string, []any, error) {
	if err := check(ctx, conn, r.version); err != nil {
		return "", nil, err
	}
	others := make([]any, 0, len(args)-1)
	others = append(append(others, args[:r.at]...), args[r.at+1:]...)
	return inline(sql, r.at+1, int(r.version)), others, nil
}

const (
	// checkedFor is how long a check of a live version stays valid. It is far below the importer's grace time.
	checkedFor = time.Minute
	// lateFor is how long a query waits for a replica that does not have the version yet, retryEvery how often it asks.
	lateFor    = time.Second
	retryEvery = 20 * time.Millisecond
	// maxChecked bounds how many versions a connection remembers.
	maxChecked = 1000
)

// errReplaced is the error while the feed table in memory and the database differ.
var errReplaced = &rest.Error{Status: http.StatusServiceUnavailable, Detail: "the feed is being replaced; try again soon", Header: http.Header{"Retry-After": {"1"}}}

// check makes sure that a connection sees all rows of a version, and that they stay while an answer is built. The
// connection remembers the result.
func check(ctx context.Context, conn *pgx.Conn, v Version) error {
	const key = "townline feed versions"
	checked, _ := conn.PgConn().CustomData()[key].(map[Version]time.Time)
	start := time.Now()
	if start.Before(checked[v]) {
		return nil
	}
	for {
		served, err := isServed(ctx, conn, v)
		switch {
		case err != nil && !errors.Is(err, pgx.ErrNoRows):
			return fmt.Errorf("find feed version %d: %w", v, err)
		case err != nil && time.Since(start) < lateFor: // not there yet
		case !served:
			return errReplaced
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

// isServed reports whether a version is live, or was a short while ago. pgx.ErrNoRows means that the replica does not have it yet.
func isServed(ctx context.Context, conn *pgx.Conn, v Version) (bool, error) {
	var served bool
	err := conn.QueryRow(ctx, `
		SELECT state = 'live' OR state = 'retired' AND coalesce(retired_at > now() - $2::interval, false)
		FROM transit.feed_version WHERE version_id = $1 AND state <> 'staging'`, int32(v), checkedFor).Scan(&served)
	return served, err
}

// inline replaces $n by a number and renumbers the parameters after it. In the
// statements of this service every $ is a parameter.
func inline(sql string, n, value int) string {
	b := make([]byte, 0, len(sql)+32)
	for i := 0; i < len(sql); {
		if sql[i] != '$' {
			b = append(b, sql[i])
			i++
			continue
		}
		end := i + 1
		for end < len(sql) && sql[end] >= '0' && sql[end] <= '9' {
			end++
		}
		k, _ := strconv.Atoi(sql[i+1 : end])
		switch {
		case k == n:
			b = strconv.AppendInt(b, int64(value), 10)
		case k > n:
			b = strconv.AppendInt(append(b, '$'), int64(k-1), 10)
		default:
			b = append(b, sql[i:end]...)
		}
		i = end
	}
	return string(b)
}

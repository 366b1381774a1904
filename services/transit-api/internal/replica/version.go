// Package replica reads databases that may be behind.
//
// [DB] runs the queries of one feed version on connections that are sure to see all of it. [Doubt] decides when an
// earlier state is believed. The package knows no table but transit.feed_version; which version is live is
// decided in package edition.
package replica

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/rest"
)

// A Version is the number of a feed version in the arguments of a query. It is
// not sent as an argument but written into the statement: Postgres finds a partition while it plans only if it
// sees the number. Then it plans once per version and connection; a plan for any version would carry the partitions
// of all of them, and get slower with every feed.
type Version int32

// A DB runs queries for one feed version on connections that are sure to see all of it.
//
// A version never changes, and comes and goes as a whole. So each connection checks once in a while that the
// version is there: the replica behind it may be late, and a version that was replaced long ago is gone. Without
// that check, rows that are missing would be reported as unknown.
type DB struct{ rest.DB }

// Query writes the version into the statement and runs it.
func (db DB) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	for i, arg := range args {
		if v, ok := arg.(Version); ok {
			return db.DB.Query(ctx, sql, append([]any{rewriter{v, i}}, args...)...)
		}
	}
	return db.DB.Query(ctx, sql, args...)
}

// A rewriter is called by pgx before a query is sent, with the connection that it is sent on.
type rewriter struct {
	version Version
	at      int // its place among the arguments
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
	// checkedFor is how long a version that is live now is sure to be there. It is far below the importer's grace time.
	checkedFor = time.Minute
	// lateFor is how long a query waits for a replica that has no such version yet, retryEvery how often it asks.
	lateFor    = time.Second
	retryEvery = 20 * time.Millisecond
	// maxChecked bounds how many versions a connection remembers.
	maxChecked = 1000
)

// errReplaced is the answer as long as the feed table in memory and the database do not agree.
var errReplaced = &rest.Error{Status: http.StatusServiceUnavailable, Detail: "the feed is being replaced; try again soon", Header: http.Header{"Retry-After": {"1"}}}

// check makes sure that all rows of a version are visible on a connection, and stay while an answer is built from
// them. The connection remembers.
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
			return fmt.Errorf("look for feed version %d: %w", v, err)
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

// isServed reports whether a version is live, or was a short while ago. pgx.ErrNoRows means that it is still to come.
func isServed(ctx context.Context, conn *pgx.Conn, v Version) (bool, error) {
	var served bool
	err := conn.QueryRow(ctx, `
		SELECT state = 'live' OR state = 'retired' AND coalesce(retired_at > now() - $2::interval, false)
		FROM transit.feed_version WHERE version_id = $1 AND state <> 'staging'`, int32(v), checkedFor).Scan(&served)
	return served, err
}

// inline puts a number in the place of $n and renumbers what comes after it. The
// statements of this service hold no $ that is not a parameter.
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
		switch k, _ := strconv.Atoi(sql[i+1 : end]); {
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

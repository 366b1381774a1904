package transitapi

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

// A versionID is the number of a feed version in the arguments of a query. It is
// not sent as an argument but written into the statement, because Postgres finds
// a partition while it plans only if it sees its number. Then it plans once per version and
// connection; a plan for any version would carry the partitions of all of them, and
// get slower with every feed.
type versionID int32

// A versionedDB runs queries that are for one feed version, on connections that are sure to see all of it.
//
// A version never changes, and comes and goes as a whole. So it is enough to look, once in a while on each
// connection, whether the version is there: the replica behind it may be late, and what is asked for long after
// it was replaced is gone. Without that look, rows that are not there would be told as unknown.
type versionedDB struct{ rest.DB }

// Query writes the version into the statement and runs it.
func (db versionedDB) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	for i, arg := range args {
		if v, ok := arg.(versionID); ok {
			return db.DB.Query(ctx, sql, append([]any{ofVersion{v, i}}, args...)...)
		}
	}
	return db.DB.Query(ctx, sql, args...)
}

// ofVersion is asked by pgx before a query is sent, on the connection that it is sent on.
type ofVersion struct {
	version versionID
	at      int // its place among the arguments
}

// RewriteQuery makes sure of the version and writes it into the statement.
func (o ofVersion) RewriteQuery(ctx context.Context, conn *pgx.Conn, sql string, args []any) (string, []any, error) {
	if err := makeSure(ctx, conn, o.version); err != nil {
		return "", nil, err
	}
	others := make([]any, 0, len(args)-1)
	others = append(append(others, args[:o.at]...), args[o.at+1:]...)
	return inline(sql, o.at+1, int(o.version)), others, nil
}

const (
	// sureFor is how long a version that is live now is sure to be there. It is far below the importer's grace time.
	sureFor = time.Minute
	// lateFor is how long a query waits for a replica that has not heard of its version, lateLook how often it looks.
	lateFor  = time.Second
	lateLook = 20 * time.Millisecond
)

// errNoVersion is what a reader is told as long as the feed table that is in memory and the database do not agree.
var errNoVersion = &rest.Error{Status: http.StatusServiceUnavailable, Detail: "the feed is being replaced; try again soon", Header: http.Header{"Retry-After": {"1"}}}

// makeSure sees to it that all rows of a version are visible on a connection, and stay while an answer is made of
// them. The connection remembers.
func makeSure(ctx context.Context, conn *pgx.Conn, v versionID) error {
	const key = "townline feed versions"
	sure, _ := conn.PgConn().CustomData()[key].(map[versionID]time.Time)
	start := time.Now()
	if start.Before(sure[v]) {
		return nil
	}
	for {
		lasts, err := versionLasts(ctx, conn, v)
		switch {
		case err != nil && !errors.Is(err, pgx.ErrNoRows):
			return fmt.Errorf("look for feed version %d: %w", v, err)
		case err != nil && time.Since(start) < lateFor: // not heard of yet
		case !lasts:
			return errNoVersion
		default:
			if sure == nil || len(sure) >= maxSure {
				sure = map[versionID]time.Time{}
				conn.PgConn().CustomData()[key] = sure
			}
			sure[v] = start.Add(sureFor)
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lateLook):
		}
	}
}

// maxSure bounds what a connection remembers.
const maxSure = 1000

// versionLasts tells whether a version is live, or was a short while ago. pgx.ErrNoRows means that it is still to come.
func versionLasts(ctx context.Context, conn *pgx.Conn, v versionID) (bool, error) {
	var lasts bool
	err := conn.QueryRow(ctx, `
		SELECT state = 'live' OR state = 'retired' AND coalesce(retired_at > now() - $2::interval, false)
		FROM transit.feed_version WHERE version_id = $1 AND state <> 'staging'`, int32(v), sureFor).Scan(&lasts)
	return lasts, err
}

// inline puts a number in the place of $n and renumbers what comes after it. The
// statements of this package hold no $ that is not a parameter.
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

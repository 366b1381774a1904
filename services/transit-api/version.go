package transitapi

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/rest"
)

// A versionID is the number of a feed version in the arguments of a query. It is
// not sent as an argument but written into the statement, because Postgres finds
// a partition while it plans only if it sees its number. Then it plans once per version and
// connection; a plan for any version would carry the partitions of all of them, and
// get slower with every feed.
type versionID int32

// A versionedDB runs queries that are for one feed version.
type versionedDB struct{ rest.DB }

// Query writes the version into the statement and runs it.
func (db versionedDB) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	for i, arg := range args {
		if v, ok := arg.(versionID); ok {
			rest := make([]any, 0, len(args)-1)
			rest = append(append(rest, args[:i]...), args[i+1:]...)
			return db.DB.Query(ctx, inline(sql, i+1, int(v)), rest...)
		}
	}
	return db.DB.Query(ctx, sql, args...)
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

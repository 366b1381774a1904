package pg

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// A Querier runs queries: a pool, a connection or a transaction.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// List returns the rows of a query, whose columns have the names of the fields of T.
func List[T any](ctx context.Context, db Querier, sql string, args ...any) ([]T, error) {
	return collect(ctx, db, pgx.RowToStructByName[T], sql, args)
}

// Column returns the rows of a query with one column.
func Column[T any](ctx context.Context, db Querier, sql string, args ...any) ([]T, error) {
	return collect(ctx, db, pgx.RowTo[T], sql, args)
}

func collect[T any](ctx context.Context, db Querier, row pgx.RowToFunc[T], sql string, args []any) ([]T, error) {
	rows, err := db.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, row)
}

// One returns the only row of a query. Without one the error is pgx.ErrNoRows.
func One[T any](ctx context.Context, db Querier, sql string, args ...any) (T, error) {
	rows, err := db.Query(ctx, sql, args...)
	if err != nil {
		var none T
		return none, err
	}
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[T])
}

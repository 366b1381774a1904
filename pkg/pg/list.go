package pg

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// A Querier is a pool, a connection or a transaction. If a query fails, its rows return the error.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// List returns the rows of a query as structs. The columns have the names of the fields.
func List[T any](ctx context.Context, db Querier, sql string, args ...any) ([]T, error) {
	rows, _ := db.Query(ctx, sql, args...)
	return pgx.CollectRows(rows, pgx.RowToStructByName[T])
}

// Column returns the rows of a query with one column.
func Column[T any](ctx context.Context, db Querier, sql string, args ...any) ([]T, error) {
	rows, _ := db.Query(ctx, sql, args...)
	return pgx.CollectRows(rows, pgx.RowTo[T])
}

// One returns the only row of a query. If there is none, the error is pgx.ErrNoRows.
func One[T any](ctx context.Context, db Querier, sql string, args ...any) (T, error) {
	rows, _ := db.Query(ctx, sql, args...)
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[T])
}

// Value returns the only value of a query. If there is no row, the error is pgx.ErrNoRows.
func Value[T any](ctx context.Context, db Querier, sql string, args ...any) (T, error) {
	rows, _ := db.Query(ctx, sql, args...)
	return pgx.CollectExactlyOneRow(rows, pgx.RowTo[T])
}

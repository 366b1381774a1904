// Package operator stores operators' additions to transit data: keys of clients (keys.go),
// annotations for riders (annotations.go, hours.go) and manual rows of feeds (manual.go). The
// townline command calls it.
//
// pkg/schema/transit explains the tables. transit-api serves annotations and checks keys;
// services/gtfs-import applies manual rows.
package operator

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/pg"
)

// change changes an operators' table. Its lock makes changes visible in the order of their numbers,
// so that the APIs can poll for higher numbers.
func change(ctx context.Context, db *pgxpool.Pool, table string, fn func(pgx.Tx) error) error {
	return pg.Tx(ctx, db, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `LOCK TABLE `+table+` IN SHARE ROW EXCLUSIVE MODE`); err != nil {
			return err
		}
		return fn(tx)
	})
}

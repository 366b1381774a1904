// Package operator stores what operators of a deployment add to transit data: keys of clients
// (keys.go), annotations for riders (annotations.go, hours.go) and manual rows of feeds
// (manual.go). The townline command calls it.
//
// The tables are explained in pkg/schema/transit. The package prints nothing and serves no client:
// transit-api serves annotations and checks keys, services/gtfs-import applies manual rows.
package operator

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/pg"
)

// change writes to an operators' table. The lock makes changes visible in the order of their
// numbers, by which the APIs notice them.
func change(ctx context.Context, db *pgxpool.Pool, table string, fn func(pgx.Tx) error) error {
	return pg.Tx(ctx, db, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `LOCK TABLE `+table+` IN SHARE ROW EXCLUSIVE MODE`); err != nil {
			return err
		}
		return fn(tx)
	})
}

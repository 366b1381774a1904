// Package schema has the tables of the two halves, as numbered and commented SQL, and migrates a
// database.
//
// The files in council/ and transit/ document the tables. The first file of each has the number of
// the last step in before/, by which early databases came to the same tables: a database at an
// earlier number takes these steps first. Each half has its own Postgres schema and
// version table, so a deployment may have only one half. Services never migrate by themselves; the
// operator's command does.
package schema

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/townline/townline/pkg/pg"
)

//go:embed council/*.sql transit/*.sql before/*/*.sql
var files embed.FS

// Files returns the migrations, such as council/0018_council.sql. Their bytes identify a schema; see
// pgtest.
func Files() fs.FS { return files }

// A Part is one half of the database: a Postgres schema with its own history.
type Part string

const (
	Council Part = "council"
	Transit Part = "transit"
)

func (p Part) versionTable() string { return string(p) + ".schema_version" }

const lockName = "schema"

// Migrate migrates the given parts of a database to this program's version. It leaves a part with a
// later version as it is. Concurrent calls are safe. databaseURL must lead to the server itself: a
// pooler in transaction mode loses the lock.
func Migrate(ctx context.Context, databaseURL string, parts ...Part) error {
	pool, err := pg.Open(ctx, databaseURL, pg.Options{Name: "townline-migrate"})
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	defer pool.Close()
	db := stdlib.OpenDBFromPool(pool)
	defer db.Close()
	// The lock has its own connection, because the pool may have only one.
	conn, err := pgx.ConnectConfig(ctx, pool.Config().ConnConfig)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if err := pg.AwaitLock(ctx, conn, lockName); err != nil {
		return fmt.Errorf("migrate: wait for other migrators: %w", err)
	}
	for _, p := range parts {
		have, want, err := Version(ctx, conn, p)
		if err == nil && have < want {
			err = p.migrate(ctx, db, have)
		}
		if err != nil {
			return fmt.Errorf("migrate %s: %w", p, err)
		}
	}
	return nil
}

func (p Part) migrate(ctx context.Context, db *sql.DB, have int64) error {
	// CREATE SCHEMA IF NOT EXISTS would require the right to create even if the schema exists.
	var exists bool
	err := db.QueryRowContext(ctx, "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)", string(p)).Scan(&exists)
	if err == nil && !exists {
		_, err = db.ExecContext(ctx, "CREATE SCHEMA "+string(p))
	}
	if err != nil {
		return fmt.Errorf("create schema: %w", err)
	}
	names, err := p.files()
	if err != nil {
		return err
	}
	first, err := number(names[0])
	if err != nil {
		return err
	}
	if 0 < have && have < first {
		if err := p.apply(ctx, db, path.Join("before", string(p))); err != nil {
			return err
		}
	}
	return p.apply(ctx, db, string(p))
}

// apply runs the migrations of a folder that the database has not run.
func (p Part) apply(ctx context.Context, db *sql.DB, folder string) error {
	sub, err := fs.Sub(files, folder)
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, sub,
		goose.WithTableName(p.versionTable()),
		goose.WithDisableGlobalRegistry(true),
		goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return err
	}
	_, err = provider.Up(ctx)
	return err
}

func (p Part) files() ([]string, error) {
	if p != Council && p != Transit {
		return nil, fmt.Errorf("there is no part %q", string(p))
	}
	return fs.Glob(files, string(p)+"/*.sql")
}

// number returns the number of a migration.
func number(name string) (int64, error) {
	digits, _, _ := strings.Cut(path.Base(name), "_")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("number of migration %s: %w", name, err)
	}
	return n, nil
}

// Version returns the version of a part in the database (0 if it is missing) and the version that
// this program needs. The program can use a later version, but not an earlier one.
func Version(ctx context.Context, db interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}, part Part,
) (have, want int64, err error) {
	names, err := part.files()
	if err != nil {
		return 0, 0, err
	}
	want, err = number(names[len(names)-1])
	if err != nil {
		return 0, 0, err
	}
	var exists bool
	if err := db.QueryRow(ctx, "SELECT to_regclass($1) IS NOT NULL", part.versionTable()).Scan(&exists); err != nil {
		return 0, want, fmt.Errorf("version of schema %s: %w", part, err)
	}
	if !exists {
		return 0, want, nil
	}
	if err := db.QueryRow(ctx, "SELECT coalesce(max(version_id), 0) FROM "+part.versionTable()).Scan(&have); err != nil {
		return 0, want, fmt.Errorf("version of schema %s: %w", part, err)
	}
	return have, want, nil
}

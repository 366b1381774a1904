// Package stage creates the tables of one feed version, fills them with COPY and attaches them as
// partitions, in the caller's transaction. It also drops versions.
//
// Columns and indexes are copied from the parent tables, so only pkg/schema/transit defines them.
package stage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/pg"
)

const versionTables = `
	FROM pg_partitioned_table p
	JOIN pg_class c ON c.oid = p.partrelid
	JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = p.partattrs[0]
	WHERE c.relnamespace = 'transit'::regnamespace AND a.attname = 'version_id'
	ORDER BY c.relname`

// PatternColumns returns the columns of stop_times.txt that a pattern stores unchanged: all except
// stop, sequence and times.
func PatternColumns() []string {
	calls, _ := gtfs.TableOf("stop_times.txt")
	return slices.DeleteFunc(calls.Names(), func(name string) bool {
		return slices.Contains([]string{"trip_id", "arrival_time", "departure_time", "stop_id", "stop_sequence"}, name)
	})
}

// A Stage has the tables of one version before they are attached.
type Stage struct {
	version int32
	conn    *pgx.Conn // nil: the rows are discarded
	tables  []table
	filled  []string // filled tables that have no indexes yet
	shapes  *os.File // of a stage that discards rows: those of table shape
}

type table struct {
	Name    string
	Columns string   // column definitions
	Indexes []string // CREATE INDEX statements
	Keys    []string // indexed columns
}

// Discard returns a Stage without a database. It drops all rows but those of shapes, which it writes
// to a file.
func Discard(shapes *os.File) *Stage { return &Stage{shapes: shapes} }

// Create creates the tables of a version, in the transaction of conn.
func Create(ctx context.Context, conn *pgx.Conn, version int32) (*Stage, error) {
	s := &Stage{version: version, conn: conn}
	var err error
	// CREATE TABLE … LIKE would lock the parents until the transaction ends, and Drop would wait
	// for it. pg_get_indexdef returns CREATE UNIQUE INDEX trip_key ON ONLY transit.trip USING btree
	// (version_id, trip_id).
	s.tables, err = pg.List[table](ctx, conn, `
		SELECT c.relname AS name,
		       (SELECT string_agg(concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
		               'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), CASE WHEN a.attnotnull THEN 'NOT NULL' END), ', '
		                 ORDER BY a.attnum)
		        FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
		        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
		       ARRAY(SELECT regexp_replace(pg_get_indexdef(i.indexrelid), 'INDEX \S+ ON ONLY (\S+)',
		         'INDEX ON \1_' || $1) AS def
		             FROM pg_index i WHERE i.indrelid = c.oid ORDER BY def) AS indexes,
		       ARRAY(SELECT DISTINCT k.attname::text FROM pg_index i JOIN pg_attribute k ON k.attrelid = c.oid
		         AND k.attnum = ANY (i.indkey)
		             WHERE i.indrelid = c.oid ORDER BY 1) AS keys`+versionTables, strconv.Itoa(int(version)))
	if err != nil {
		return nil, fmt.Errorf("read the version tables: %w", err)
	}
	var sql strings.Builder
	// lz4 compresses shapes much faster than the default method.
	sql.WriteString(`DO $$ BEGIN
		IF EXISTS (SELECT FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)) THEN
			SET LOCAL default_toast_compression = 'lz4';
		END IF;
	END $$;`)
	for _, t := range s.tables {
		// Because of the CHECK, ATTACH does not scan the table.
		fmt.Fprintf(&sql, "CREATE TABLE %s (%s, CHECK (version_id = %d));\n", s.name(t.Name), t.Columns, version)
	}
	return s, s.exec(ctx, "create tables", sql.String())
}

func (s *Stage) name(table string) string { return partition(table, s.version) }

func partition(table string, version int32) string {
	return "transit." + table + "_" + strconv.Itoa(int(version))
}

func (s *Stage) exec(ctx context.Context, what, sql string) error {
	if _, err := s.conn.PgConn().Exec(ctx, sql).ReadAll(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// Copy fills a table. columns are the columns that write writes: all except version_id.
func (s *Stage) Copy(ctx context.Context, table, columns string, write func(*Writer) error) (int64, error) {
	if s.conn == nil {
		w := &Writer{out: io.Discard}
		if table == shapeTable {
			w.out = s.shapes
		}
		err := write(w)
		return w.rows, cmp.Or(err, w.flush())
	}
	// A vacuum need not rewrite frozen rows.
	sql := fmt.Sprintf("COPY %s (version_id, %s) FROM STDIN (FREEZE)", s.name(table), columns)
	n, err := Copy(ctx, s.conn.PgConn(), sql, func(w *Writer) error {
		w.Head(int(s.version))
		return write(w)
	})
	if err != nil {
		return 0, fmt.Errorf("fill %s: %w", table, err)
	}
	if !slices.Contains(s.filled, table) {
		s.filled = append(s.filled, table)
	}
	return n, nil
}

// Index builds the indexes of the filled tables, and analyzes the indexed columns. Autovacuum
// analyzes the other columns later; analyzing arrays would take longer than building the indexes.
func (s *Stage) Index(ctx context.Context) error {
	if s.conn == nil {
		return nil
	}
	var sql strings.Builder
	for i, t := range s.tables {
		if t.Indexes == nil || !slices.Contains(s.filled, t.Name) {
			continue
		}
		sql.WriteString(strings.Join(t.Indexes, ";\n"))
		fmt.Fprintf(&sql, ";\nANALYZE %s (%s);\n", s.name(t.Name), strings.Join(t.Keys, ", "))
		s.tables[i].Indexes = nil
	}
	what := "index " + strings.Join(s.filled, ", ")
	s.filled = nil
	return s.exec(ctx, what, sql.String())
}

// LockName is the lock (see pg.AwaitLock) for attaching and detaching partitions. Both operations
// lock the parent tables, and a detach waits for transactions with earlier locks, so without this
// lock two of them could wait for each other.
const LockName = "feed tables"

// Attach attaches the tables to their parents, without blocking readers. The session must hold
// LockName until the transaction ends.
func (s *Stage) Attach(ctx context.Context) error {
	var sql strings.Builder
	for _, t := range s.tables {
		fmt.Fprintf(&sql, "ALTER TABLE transit.%s ATTACH PARTITION %s FOR VALUES IN (%d);\n", t.Name, s.name(t.Name),
			s.version)
	}
	return s.exec(ctx, "attach tables", sql.String())
}

// ErrInUse is the error of Drop if a long transaction reads the version.
var ErrInUse = errors.New("the version is in use")

const (
	// detachTimeout bounds how long a detach waits for earlier transactions. Imports wait
	// meanwhile, readers do not.
	detachTimeout = 5 * time.Second
	// dropTimeout bounds how long readers wait.
	dropTimeout = 200 * time.Millisecond
)

// ExportTable is the table of gtfs.zip.
const ExportTable = "export_piece"

// Drop removes the tables of a version, except one if keep is not "". If it was interrupted, the
// next call continues. The error wraps ErrInUse if a retry may succeed.
func Drop(ctx context.Context, conn *pgx.Conn, version int32, keep string) error {
	tables, err := pg.Column[string](ctx, conn, "SELECT c.relname"+versionTables)
	if err != nil {
		return fmt.Errorf("list version tables: %w", err)
	}
	tables = slices.DeleteFunc(tables, func(t string) bool { return t == keep })
	if err := pg.AwaitLock(ctx, conn, LockName); err != nil {
		return fmt.Errorf("drop version %d: %w", version, err)
	}
	defer pg.Unlock(ctx, conn, LockName)
	for _, t := range tables {
		if err := drop(ctx, conn, t, version); err != nil {
			return fmt.Errorf("drop version %d: %w", version, err)
		}
	}
	return nil
}

func drop(ctx context.Context, conn *pgx.Conn, table string, version int32) error {
	name := partition(table, version)
	var attached, pending bool
	err := conn.QueryRow(ctx, `
		SELECT i.inhrelid IS NOT NULL, coalesce(i.inhdetachpending, false)
		FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
		WHERE c.oid = to_regclass($1)`, name).Scan(&attached, &pending)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look up %s: %w", name, err)
	}
	// DROP completes an interrupted detach. FINALIZE would wait for every transaction of the
	// database, and one of them may be an import that waits for our lock.
	if attached && !pending {
		if err := detach(ctx, conn, table, name); err != nil {
			return fmt.Errorf("detach %s: %w", name, inUse(err))
		}
	}
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, fmt.Sprintf("SET LOCAL lock_timeout = %d", dropTimeout.Milliseconds())); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "DROP TABLE IF EXISTS "+name, pgx.QueryExecModeSimpleProtocol)
		return err
	})
	if err != nil {
		return fmt.Errorf("drop %s: %w", name, inUse(err))
	}
	return nil
}

// detach detaches a partition without making readers wait. Later transactions do not see the
// partition in the parent, even if detach fails.
func detach(ctx context.Context, conn *pgx.Conn, table, name string) (err error) {
	if _, err := conn.Exec(ctx, fmt.Sprintf("SET lock_timeout = %d", detachTimeout.Milliseconds())); err != nil {
		return err
	}
	defer func() {
		if _, resetErr := conn.Exec(ctx, "RESET lock_timeout"); err == nil {
			err = resetErr
		}
	}()
	// CONCURRENTLY must be alone in its transaction, hence the simple protocol.
	_, err = conn.Exec(ctx, fmt.Sprintf("ALTER TABLE transit.%s DETACH PARTITION %s CONCURRENTLY", table, name),
		pgx.QueryExecModeSimpleProtocol)
	return err
}

// inUse wraps two errors in ErrInUse: lock_not_available, and object_not_in_prerequisite_state,
// which means that another partition of the table is being detached.
func inUse(err error) error {
	var e *pgconn.PgError
	if errors.As(err, &e) && (e.Code == "55P03" || e.Code == "55000") {
		return fmt.Errorf("%w: %w", ErrInUse, err)
	}
	return err
}

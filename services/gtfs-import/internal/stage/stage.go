// Package stage makes the tables of one feed version: beside the live ones while
// they are filled, then attached to them as partitions.
//
// Everything happens in the caller's one transaction. Until it commits nobody sees
// anything, and whatever ends it early leaves nothing behind. What the tables look
// like and how they are indexed is taken from their parents in the catalogue,
// so pkg/schema/transit is the only place that says it.
package stage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/services/gtfs-import/internal/copier"
)

// Tables returns the tables that hold versions: the partitioned tables of the schema
// that have a version_id.
func Tables(ctx context.Context, db interface {
	Query(context.Context, string, ...any) (pgx.Rows, error)
}) ([]string, error) {
	rows, err := db.Query(ctx, `
		SELECT c.relname
		FROM pg_partitioned_table p
		JOIN pg_class c ON c.oid = p.partrelid
		JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = p.partattrs[0]
		WHERE c.relnamespace = 'transit'::regnamespace AND a.attname = 'version_id'
		ORDER BY c.relname`)
	if err != nil {
		return nil, fmt.Errorf("list version tables: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// A Stage is the tables of one version, not yet attached.
type Stage struct {
	Version int32
	conn    *pgx.Conn
	tables  []string
	indexes map[string][]string // statements that build them, by table; none once it is done
	keys    map[string][]string // the columns that are indexed, by table
}

// Create makes the tables of a version in the transaction that conn is in.
func Create(ctx context.Context, conn *pgx.Conn, version int32) (*Stage, error) {
	s := &Stage{Version: version, conn: conn, indexes: map[string][]string{}, keys: map[string][]string{}}
	var err error
	if s.tables, err = Tables(ctx, conn); err != nil {
		return nil, err
	}
	rows, err := conn.Query(ctx, `
		SELECT t.relname, pg_get_indexdef(i.indexrelid),
		       ARRAY(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = t.oid AND a.attnum = ANY (i.indkey))
		FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
		WHERE t.relnamespace = 'transit'::regnamespace AND t.relname = ANY ($1)
		ORDER BY 1, 2`, s.tables)
	if err != nil {
		return nil, fmt.Errorf("read indexes: %w", err)
	}
	var table, def string
	var columns []string
	_, err = pgx.ForEachRow(rows, []any{&table, &def, &columns}, func() error {
		// CREATE UNIQUE INDEX trip_key ON ONLY transit.trip USING btree (version_id, trip_id)
		head, tail, ok := strings.Cut(def, " USING ")
		if !ok {
			return fmt.Errorf("cannot read index definition %q", def)
		}
		unique := ""
		if strings.HasPrefix(head, "CREATE UNIQUE ") {
			unique = "UNIQUE "
		}
		s.keys[table] = append(s.keys[table], columns...)
		s.indexes[table] = append(s.indexes[table], fmt.Sprintf("CREATE %sINDEX ON %s USING %s", unique, s.name(table), tail))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read indexes: %w", err)
	}
	var sql strings.Builder
	// Shapes are the bulk of what is compressed, and lz4 does it in a fraction of the time.
	sql.WriteString(`DO $$ BEGIN
		IF EXISTS (SELECT FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)) THEN
			SET LOCAL default_toast_compression = 'lz4';
		END IF;
	END $$;`)
	for _, t := range s.tables {
		// The check lets ATTACH skip the reading of the whole table.
		fmt.Fprintf(&sql, "CREATE TABLE %s (LIKE transit.%s INCLUDING DEFAULTS INCLUDING STORAGE, CHECK (version_id = %d));\n", s.name(t), t, version)
	}
	return s, s.exec(ctx, "create tables", sql.String())
}

// name of a table of the version.
func (s *Stage) name(table string) string { return Name(table, s.Version) }

// Name of the partition that holds a version of a table.
func Name(table string, version int32) string {
	return "transit." + table + "_" + strconv.Itoa(int(version))
}

func (s *Stage) exec(ctx context.Context, what, sql string) error {
	if _, err := s.conn.PgConn().Exec(ctx, sql).ReadAll(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// Copy fills a table. Each row that write makes begins with the version; columns
// names the others.
func (s *Stage) Copy(ctx context.Context, table, columns string, write func(*copier.Writer) error) (int64, error) {
	// Rows that are frozen from the start never need to be written again.
	sql := fmt.Sprintf("COPY %s (version_id, %s) FROM STDIN (FREEZE)", s.name(table), columns)
	n, err := copier.Copy(ctx, s.conn.PgConn(), sql, write)
	if err != nil {
		return 0, fmt.Errorf("fill %s: %w", table, err)
	}
	return n, nil
}

// Index builds the indexes of tables that have been filled, and has the planner look
// at the columns that are in them. (It would take longer over arrays than the
// building takes; autovacuum looks at everything in its own time.)
func (s *Stage) Index(ctx context.Context, tables ...string) error {
	var sql strings.Builder
	for _, t := range tables {
		for _, def := range s.indexes[t] {
			sql.WriteString(def + ";\n")
		}
		if len(s.indexes[t]) > 0 {
			slices.Sort(s.keys[t])
			fmt.Fprintf(&sql, "ANALYZE %s (%s);\n", s.name(t), strings.Join(slices.Compact(s.keys[t]), ", "))
		}
		delete(s.indexes, t)
	}
	return s.exec(ctx, "index "+strings.Join(tables, ", "), sql.String())
}

// Attach makes the tables partitions, visible when the transaction commits. It
// holds a lock on the parents that keeps other imports out and readers not.
func (s *Stage) Attach(ctx context.Context) error {
	var sql strings.Builder
	for _, t := range s.tables {
		fmt.Fprintf(&sql, "ALTER TABLE transit.%s ATTACH PARTITION %s FOR VALUES IN (%d);\n", t, s.name(t), s.Version)
	}
	return s.exec(ctx, "attach tables", sql.String())
}

// Drop removes the tables of a version that nobody reads any more. Each is first
// detached in the way that makes no reader wait; when that is interrupted, the
// next call goes on from there.
func Drop(ctx context.Context, db *pgxpool.Pool, version int32) error {
	tables, err := Tables(ctx, db)
	if err != nil {
		return err
	}
	for _, t := range tables {
		if err := drop(ctx, db, t, version); err != nil {
			return fmt.Errorf("drop version %d: %w", version, err)
		}
	}
	return nil
}

func drop(ctx context.Context, db *pgxpool.Pool, table string, version int32) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	name := Name(table, version)
	var attached, pending bool
	err := db.QueryRow(ctx, `
		SELECT i.inhrelid IS NOT NULL, coalesce(i.inhdetachpending, false)
		FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
		WHERE c.oid = to_regclass($1)`, name).Scan(&attached, &pending)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at %s: %w", name, err)
	}
	// Simple protocol: CONCURRENTLY wants to be alone in its transaction.
	if attached {
		how := "CONCURRENTLY"
		if pending {
			how = "FINALIZE"
		}
		sql := fmt.Sprintf("ALTER TABLE transit.%s DETACH PARTITION %s %s", table, name, how)
		if _, err := db.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol); err != nil && !gone(err) {
			return fmt.Errorf("detach %s: %w", name, err)
		}
	}
	if _, err := db.Exec(ctx, "DROP TABLE IF EXISTS "+name, pgx.QueryExecModeSimpleProtocol); err != nil {
		return fmt.Errorf("drop %s: %w", name, err)
	}
	return nil
}

// gone tells that another janitor was faster: undefined_table, or not a partition.
func gone(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (e.Code == "42P01" || e.Code == "42P17")
}

// TakeShape tells the points of a shape and removes its row.
func (s *Stage) TakeShape(ctx context.Context, id string, point func(lat, lon, dist []byte, seq int32)) error {
	rows, err := s.conn.Query(ctx, fmt.Sprintf(`
		WITH taken AS (
			DELETE FROM %s WHERE shape_id = $1
			RETURNING shape_pt_lat, shape_pt_lon, shape_dist_traveled, first_sequence, sequence_step, shape_pt_sequence)
		SELECT c.lat, c.lon, coalesce(c.dist, ''), coalesce(c.sequence, t.first_sequence + (c.n::integer - 1) * t.sequence_step)
		FROM taken t, unnest(string_to_array(t.shape_pt_lat, ','), string_to_array(t.shape_pt_lon, ','), t.shape_pt_sequence,
			string_to_array(t.shape_dist_traveled, ',')) WITH ORDINALITY AS c (lat, lon, sequence, dist, n)
		ORDER BY c.n`, s.name("shape")), id)
	if err != nil {
		return fmt.Errorf("take shape: %w", err)
	}
	var lat, lon, dist string
	var seq int32
	_, err = pgx.ForEachRow(rows, []any{&lat, &lon, &dist, &seq}, func() error {
		point([]byte(lat), []byte(lon), []byte(dist), seq)
		return nil
	})
	return err
}

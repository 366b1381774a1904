package schema

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/pg"
)

// GrantReader lets an existing role read everything in the given parts, including tables that the
// pool's role adds later. The pool must have the role that migrates.
func GrantReader(ctx context.Context, pool *pgxpool.Pool, role string, parts ...Part) error {
	for _, p := range parts {
		if err := grant(ctx, pool, readerSQL(role, p)); err != nil {
			return fmt.Errorf("let role %s read schema %s: %w", role, p, err)
		}
	}
	return nil
}

// grant runs statements in one transaction. It first waits for migrations and other grants, because
// concurrent changes of a table's rights fail.
func grant(ctx context.Context, pool *pgxpool.Pool, sql string) error {
	return pool.AcquireFunc(ctx, func(pooled *pgxpool.Conn) error {
		conn := pooled.Conn()
		if err := pg.AwaitLock(ctx, conn, lockName); err != nil {
			return err
		}
		defer pg.Unlock(ctx, conn, lockName)
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, sql)
			return err
		})
	})
}

func readerSQL(role string, p Part) string {
	return fmt.Sprintf(`
		GRANT USAGE ON SCHEMA %[1]s TO %[2]s;
		GRANT SELECT ON ALL TABLES IN SCHEMA %[1]s TO %[2]s;
		ALTER DEFAULT PRIVILEGES IN SCHEMA %[1]s GRANT SELECT ON TABLES TO %[2]s;
		`, pgx.Identifier{string(p)}.Sanitize(), pgx.Identifier{role}.Sanitize())
}

// A writer lists the tables that one program writes.
type writer struct {
	part Part
	// tables lists the tables that it writes. If tables and appends are both empty, it writes all
	// tables of its part except schema_version.
	tables []string
	// appends are tables to which it only adds rows. The same holds for writers of the whole part, as
	// which operators' commands may also run.
	appends []string
	// sequences lists the sequences that it uses by name. An INSERT into an identity column needs no
	// right on the sequence.
	sequences []string
	// functions lists the functions that it calls, with the types of their arguments.
	functions []string
	// versions says that it owns the tables of feed versions. Only the owner of the parent can create,
	// attach and drop partitions.
	versions bool
}

// writers lists the tables of each program. If a table has two writers, the operator writes its
// rows, and the import deletes the rows of removed feeds.
var writers = map[string]writer{
	"council-ingest": {part: Council},
	"gtfs-import": {part: Transit, tables: []string{"feed", "feed_work", "feed_version", "audit_line", "feed_zip",
		"manual_row"}, sequences: []string{"feed_version_version_id_seq"}, versions: true},
	"rt-poller": {part: Transit, tables: []string{"source", "snapshot", "screen", "judgement", "judgement_count",
		"observer", "stop_visit", "performance_day", "observed_day", "observation_gap"},
		functions: []string{"add_visit_day(date)", "drop_visit_day(date)", "pack_visit_day(date)"}},
	"clerk": {part: Council, appends: []string{"correction", "review"},
		sequences: []string{"item_id_seq", "vote_id_seq"}},
	"townline": {part: Transit, tables: []string{"manual_row", "annotation", "api_key"},
		sequences: []string{"operator_change"}},
}

func (w writer) whole() bool { return len(w.tables)+len(w.appends) == 0 }

// Writers returns the names of the programs that write to a part, in alphabetical order:
// council-ingest, gtfs-import, rt-poller, clerk for corrections and reviews (townline council
// correct, review), and townline for the other tables of operators.
func Writers(parts ...Part) []string {
	var names []string
	for name, w := range writers {
		if slices.Contains(parts, w.part) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// GrantWriter lets an existing role read the program's part and write the program's tables. Call it
// after each migration. The pool must have the role that migrates: a superuser, or a member of the
// role of gtfs-import, which becomes the owner of the tables of feed versions.
func GrantWriter(ctx context.Context, pool *pgxpool.Pool, program, role string) error {
	w, ok := writers[program]
	if !ok {
		return fmt.Errorf("no program %q writes to the database; these do: %s", program,
			strings.Join(Writers(Council, Transit), ", "))
	}
	if err := grant(ctx, pool, readerSQL(role, w.part)+w.grantSQL(role)); err != nil {
		return fmt.Errorf("let role %s write the tables of %s: %w", role, program, err)
	}
	return nil
}

func (w writer) grantSQL(role string) string {
	schema, to := pgx.Identifier{string(w.part)}.Sanitize(), pgx.Identifier{role}.Sanitize()
	var sql strings.Builder
	grant := func(right string, names []string) {
		for _, name := range names {
			fmt.Fprintf(&sql, "GRANT %s %s.%s TO %s;\n", right, schema, pgx.Identifier{name}.Sanitize(), to)
		}
	}
	grant("INSERT, UPDATE, DELETE ON", w.tables)
	grant("INSERT ON", w.appends)
	grant("USAGE ON SEQUENCE", w.sequences)
	for _, f := range w.functions {
		fmt.Fprintf(&sql, "GRANT EXECUTE ON FUNCTION %s.%s TO %s;\n", schema, f, to)
	}
	if w.whole() {
		fmt.Fprintf(&sql, `
			GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %[1]s TO %[2]s;
			GRANT USAGE ON ALL SEQUENCES IN SCHEMA %[1]s TO %[2]s;
			REVOKE INSERT, UPDATE, DELETE ON %[1]s.schema_version FROM %[2]s;
			`, schema, to)
		for _, other := range writers {
			for _, t := range other.appends {
				if other.part == w.part {
					fmt.Fprintf(&sql, "REVOKE UPDATE, DELETE ON %s.%s FROM %s;\n", schema, pgx.Identifier{t}.Sanitize(), to)
				}
			}
		}
	}
	if w.versions {
		// These are partitioned tables and partitions, and tables that an import has not attached yet,
		// which are found by name.
		fmt.Fprintf(&sql, `
			GRANT CREATE ON SCHEMA %[1]s TO %[2]s;
			DO $$
			DECLARE t regclass;
			BEGIN
			  FOR t IN
			    SELECT c.oid FROM pg_class c
			    WHERE c.relnamespace = %[3]s::regnamespace AND c.relkind IN ('p', 'r') AND c.relowner <> %[4]s::regrole
			      AND EXISTS (SELECT FROM pg_class p WHERE p.relnamespace = c.relnamespace AND p.relkind = 'p'
			                  AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = p.oid AND a.attname = 'version_id')
			                  AND (p.oid = c.oid OR c.relname ~ ('^' || p.relname || '_[0-9]+$')))
			  LOOP
			    EXECUTE format('ALTER TABLE %%s OWNER TO %%I', t, %[5]s);
			  END LOOP;
			END $$;
			`, schema, to, literal(schema), literal(to), literal(role))
	}
	return sql.String()
}

// literal quotes text as an SQL string constant, because a DO block takes no parameters.
func literal(text string) string {
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

package pgtest_test

import (
	"fmt"
	"io/fs"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/schema"
)

// described lists everything that Postgres knows about a schema, a line each: tables and their
// columns in order, constraints, indexes, triggers, functions, views, sequences, partitions, rights,
// comments, and the rows of tables that have some.
func described(t *testing.T, pool *pgxpool.Pool, part schema.Part) []string {
	t.Helper()
	all, err := texts(t.Context(), pool, fmt.Sprintf(`
		WITH class AS (SELECT * FROM pg_class WHERE relnamespace = '%[1]s'::regnamespace AND relkind <> 'i' AND relkind <> 'I'
		  AND relname NOT LIKE 'schema_version%%')
		SELECT concat_ws(' ', 'class', relname, relkind, relpersistence, reloptions, relacl::text, pg_get_partkeydef(oid),
		       pg_get_expr(relpartbound, oid), obj_description(oid, 'pg_class')) FROM class
		UNION ALL
		SELECT concat_ws(' ', 'column', relname, lpad(a.attnum::text, 3), a.attname, format_type(a.atttypid, a.atttypmod),
		       a.attnotnull, a.attidentity, a.attgenerated, a.attstorage, a.attcollation, a.attacl::text, a.attcompression,
		       pg_get_expr(d.adbin, d.adrelid), col_description(class.oid, a.attnum))
		FROM class JOIN pg_attribute a ON attrelid = class.oid AND attnum > 0 AND NOT attisdropped
		LEFT JOIN pg_attrdef d ON adrelid = class.oid AND adnum = attnum
		UNION ALL
		SELECT concat_ws(' ', 'constraint', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid), c.convalidated)
		FROM pg_constraint c WHERE c.connamespace = '%[1]s'::regnamespace AND c.conrelid <> '%[1]s.schema_version'::regclass
		UNION ALL
		SELECT concat_ws(' ', 'index', pg_get_indexdef(i.indexrelid), indisvalid, indisunique, indisprimary)
		FROM class JOIN pg_index i ON indrelid = class.oid
		UNION ALL
		SELECT concat_ws(' ', 'trigger', pg_get_triggerdef(t.oid), tgenabled)
		FROM class JOIN pg_trigger t ON tgrelid = class.oid WHERE NOT tgisinternal
		UNION ALL
		SELECT concat_ws(' ', 'function', pg_get_functiondef(oid), proacl::text, obj_description(oid, 'pg_proc'))
		FROM pg_proc WHERE pronamespace = '%[1]s'::regnamespace
		UNION ALL
		SELECT concat_ws(' ', 'view', relname, pg_get_viewdef(oid)) FROM class WHERE relkind = 'v'
		UNION ALL
		SELECT concat_ws(' ', 'sequence', s.*::text) FROM pg_sequences s WHERE schemaname = '%[1]s'
		  AND sequencename NOT LIKE 'schema_version%%'
		UNION ALL
		SELECT concat_ws(' ', 'type', typname, typtype, typcategory) FROM pg_type
		WHERE typnamespace = '%[1]s'::regnamespace AND typname NOT LIKE '%%schema_version%%'
		UNION ALL
		SELECT concat_ws(' ', 'rows', relname, query_to_xml(format('SELECT to_jsonb(r) - ''first_seen'' - ''started_at''
		  - ''updated_at'' AS r FROM %[1]s.%%I r', relname), true, true, '')::text)
		FROM class WHERE relkind = 'r'
		UNION ALL
		SELECT concat_ws(' ', 'rights', defaclobjtype, defaclacl::text) FROM pg_default_acl
		WHERE defaclnamespace = '%[1]s'::regnamespace
		UNION ALL
		SELECT concat_ws(' ', 'extension', extname) FROM pg_extension`, part))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

// The one file of a schema makes what the steps before it made, from any of these steps.
func TestOneFileEqualsTheStepsBeforeIt(t *testing.T) {
	t.Parallel()
	for _, part := range parts {
		fresh := pgtest.EmptyURL(t)
		if err := schema.Migrate(t.Context(), fresh, part); err != nil {
			t.Fatal(err)
		}
		want := described(t, open(t, fresh), part)
		if len(want) < 200 {
			t.Fatalf("%s has only %d objects", part, len(want))
		}
		steps, err := fs.ReadDir(schema.Files(), "before/"+string(part))
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []int64{1, int64(len(steps) / 2), int64(len(steps) - 1), int64(len(steps))} {
			t.Run(fmt.Sprint(part, at), func(t *testing.T) {
				t.Parallel()
				url := pgtest.EmptyURL(t)
				pool := open(t, url)
				migrateTo(t, pool, part, at)
				for range 2 {
					if err := schema.Migrate(t.Context(), url, part); err != nil {
						t.Fatal(err)
					}
				}
				wantVersion(t, pool, part, newest(t, part))
				if diff := cmp.Diff(want, described(t, pool, part)); diff != "" {
					t.Errorf("-one file +steps:\n%s", diff)
				}
			})
		}
	}
}

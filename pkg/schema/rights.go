package schema

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/pg"
)

// Rights are the rights of a role on the tables of a part.
type Rights struct {
	// Unreadable lists the tables and views that the role cannot read.
	Unreadable []string
	// Programs lists the programs that could write all their tables with this role, in alphabetical
	// order.
	Programs []string
	// Partly is a program that could write only some of its tables with this role. It is "" if
	// Programs has an entry. Lacking lists what the program could not use: tables, sequences,
	// partitioned tables that the role must own, and "new tables" if it cannot create tables.
	Partly  string
	Lacking []string
}

// Look returns the rights of the pool's role on the tables of an existing part.
func Look(ctx context.Context, pool *pgxpool.Pool, part Part) (Rights, error) {
	// The list omits partitions, which are used through their parent, and sequences of identity
	// columns, which are used through their table. A member of the owner's role has the owner's
	// rights.
	all, err := pg.List[relation](ctx, pool, `
		SELECT c.relname AS name, c.relkind = 'S' AS sequence,
		       EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'version_id')
		         AND c.relkind = 'p' AS versions,
		       c.relkind = 'v' AS view,
		       c.relkind = 'S' OR has_table_privilege(c.oid, 'SELECT') AS readable,
		       CASE WHEN c.relkind = 'S' THEN has_sequence_privilege(c.oid, 'USAGE')
		            ELSE has_table_privilege(c.oid, 'INSERT') AND has_table_privilege(c.oid, 'UPDATE')
		              AND has_table_privilege(c.oid, 'DELETE')
		       END AS writable,
		       c.relkind <> 'S' AND has_table_privilege(c.oid, 'INSERT') AS appendable,
		       pg_has_role(c.relowner, 'USAGE') AS owned
		FROM pg_class c
		WHERE c.relnamespace = $1::text::regnamespace AND NOT c.relispartition
		  AND (c.relkind IN ('r', 'p', 'v') AND c.relname !~ '_[0-9]+$'
		       OR c.relkind = 'S' AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'i'))
		ORDER BY c.relname`, string(part))
	var makes bool
	if err == nil {
		err = pool.QueryRow(ctx, `SELECT has_schema_privilege($1, 'CREATE')`, string(part)).Scan(&makes)
	}
	if err != nil {
		return Rights{}, fmt.Errorf("look at the rights in schema %s: %w", part, err)
	}
	var r Rights
	for _, rel := range all {
		if !rel.Readable {
			r.Unreadable = append(r.Unreadable, rel.Name)
		}
	}
	most := 0
	for _, program := range Writers(part) {
		w := writers[program]
		has, lacks := w.compare(all)
		if w.versions && !makes { // an import creates tables for its version
			lacks = append(lacks, "new tables")
		}
		switch {
		case len(lacks) == 0:
			r.Programs = append(r.Programs, program)
		case has > most:
			most = has
			r.Partly = program
			r.Lacking = lacks
		}
	}
	if len(r.Programs) > 0 {
		r.Partly, r.Lacking = "", nil
	}
	return r, nil
}

type relation struct {
	Name                                                            string
	Sequence, Versions, View, Readable, Writable, Appendable, Owned bool
}

func (w writer) compare(all []relation) (has int, lacks []string) {
	for _, rel := range all {
		var needed, may bool
		switch {
		case rel.View || rel.Name == "schema_version":
		case rel.Versions && w.versions:
			needed, may = true, rel.Owned
		case slices.Contains(w.appends, rel.Name), w.whole() && appendedTo(w.part, rel.Name):
			needed, may = true, rel.Appendable
		default:
			needed, may = w.whole() || slices.Contains(w.tables, rel.Name) || slices.Contains(w.sequences, rel.Name),
				rel.Writable
		}
		switch {
		case needed && may:
			has++
		case needed:
			lacks = append(lacks, rel.Name)
		}
	}
	return has, lacks
}

func appendedTo(part Part, table string) bool {
	for _, w := range writers {
		if w.part == part && slices.Contains(w.appends, table) {
			return true
		}
	}
	return false
}

// Statements returns the parts to which the role may add what people state: reviews of votes, or
// notices for riders. In a database without tables it returns both.
func Statements(ctx context.Context, pool *pgxpool.Pool) ([]Part, error) {
	type table struct {
		Part     Part
		Writable bool
	}
	all, err := pg.List[table](ctx, pool, `
		SELECT n.nspname AS part, has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'INSERT') AS writable
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE (n.nspname, c.relname) IN (('council', 'review'), ('transit', 'annotation'))
		ORDER BY n.nspname`)
	if err != nil {
		return nil, fmt.Errorf("look at the rights to add statements: %w", err)
	}
	if len(all) == 0 {
		return []Part{Council, Transit}, nil
	}
	var parts []Part
	for _, t := range all {
		if t.Writable {
			parts = append(parts, t.Part)
		}
	}
	return parts, nil
}

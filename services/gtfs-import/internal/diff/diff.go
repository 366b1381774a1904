// Package diff counts the rows of each file that a new version of a feed adds, changes, removes or
// leaves unchanged. It matches rows by the file's key; a row has changed if a stored cell differs.
// It queries the partitions of both versions directly, so that the planner knows their sizes.
package diff

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/pg"
)

// Counts are numbers of rows in one file.
type Counts struct{ Added, Changed, Removed, Unchanged int64 }

// Compare counts the differences between two versions, by file.
func Compare(ctx context.Context, conn *pgx.Conn, old, new int32) (map[string]Counts, error) {
	d := &diff{conn: conn, names: strings.NewReplacer("{old}", strconv.Itoa(int(old)), "{new}", strconv.Itoa(int(new))),
		all: map[string]Counts{}}
	// A version from an older release lacks newer tables.
	has, err := pg.Column[string](ctx, d, `
		SELECT substr(relname, 1, length(relname) - length('_{old}')) FROM pg_class
		WHERE relnamespace = 'transit'::regnamespace AND relkind = 'r' AND relname ~ '_{old}$'`)
	if err != nil {
		return nil, fmt.Errorf("list the tables of the previous version: %w", err)
	}
	for _, t := range gtfs.Tables() {
		if t.Name == "" || t.File == "trips.txt" || !slices.Contains(has, t.Name) {
			continue
		}
		d.all[t.File], err = pg.One[Counts](ctx, d, compare(t))
		if err != nil {
			return nil, fmt.Errorf("compare %s: %w", t.File, err)
		}
	}
	if err := d.trips(ctx); err != nil {
		return nil, fmt.Errorf("compare trips and stop times: %w", err)
	}
	if err := d.shapes(ctx); err != nil {
		return nil, fmt.Errorf("compare shapes.txt: %w", err)
	}
	if !slices.Contains(has, "file") || !slices.Contains(has, "file_row") {
		return d.all, nil
	}
	if err := d.files(ctx); err != nil {
		return nil, fmt.Errorf("compare the files that are stored unchanged: %w", err)
	}
	return d.all, nil
}

// files compares the files that are stored unchanged. They may have no key, so a row with a changed
// cell counts as a removed and an added row.
func (d *diff) files(ctx context.Context) error {
	// The query returns the cells of a version, with column names if the two versions have
	// different columns.
	const cells = `
		SELECT f.file, CASE WHEN f.columns = g.columns THEN r.cells::text
		       ELSE jsonb_strip_nulls(jsonb_object(f.columns, r.cells))::text END AS cells
		FROM transit.file_{%[1]s} f JOIN transit.file_row_{%[1]s} r ON r.file = f.ord LEFT JOIN transit.file_{%[2]s} g
		  ON g.file = f.file`
	files, err := pg.List[struct {
		File string
		Counts
	}](ctx, d, `
		WITH o AS (SELECT file, cells, true AS there, row_number()
		  OVER (PARTITION BY file, cells) AS nth FROM (`+fmt.Sprintf(cells, "old", "new")+`) x),
		     n AS (SELECT file, cells, true AS there, row_number()
		       OVER (PARTITION BY file, cells) AS nth FROM (`+fmt.Sprintf(cells, "new", "old")+`) x)
		SELECT file, count(*) FILTER (WHERE o.there IS NULL) AS added, count(*) FILTER (WHERE n.there IS NULL) AS removed,
		       0::bigint AS changed,
		       count(*) FILTER (WHERE o.there AND n.there) AS unchanged
		FROM o FULL JOIN n USING (file, cells, nth)
		GROUP BY file`)
	for _, f := range files {
		if t, known := gtfs.TableOf(f.File); !known || t.Unchanged() { // file_row has only some columns of other files
			d.all[f.File] = f.Counts
		}
	}
	return err
}

type diff struct {
	conn  *pgx.Conn
	names *strings.Replacer // replaces {old} and {new} in table names
	all   map[string]Counts
}

// Query does not prepare the statement, because its tables exist only for these two versions.
func (d *diff) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return d.conn.Query(ctx, d.names.Replace(sql), append([]any{pgx.QueryExecModeExec}, args...)...)
}

// compare returns the query that counts the rows of a file. If a row exists in one version only,
// the other version_id is NULL, and so is differs.
func compare(t gtfs.Table) string {
	var same []string
	for _, k := range t.Key {
		if t.Plain && !slices.Contains(t.Needed, k) {
			same = append(same, fmt.Sprintf("coalesce(o.%[1]s, '') = coalesce(n.%[1]s, '')", k))
		} else {
			same = append(same, fmt.Sprintf("o.%[1]s = n.%[1]s", k))
		}
	}
	if len(t.Key) == 0 {
		same = []string{"o.ord = n.ord"}
	}
	cells := cellsOf(t)
	if len(cells) == 0 {
		cells = t.Key // key columns never differ
	}
	var only string
	switch t.File {
	case "routes.txt":
		cells = append(cells, "extra")
	case "calendar.txt": // the table also has services from calendar_dates.txt
		same, only = append(same, "o.in_calendar = n.in_calendar"), "WHERE coalesce(o.in_calendar, n.in_calendar)"
	}
	return fmt.Sprintf(`
		SELECT count(*) FILTER (WHERE o.version_id IS NULL) AS added, count(*) FILTER (WHERE n.version_id IS NULL) AS removed,
		       count(*) FILTER (WHERE differs) AS changed, count(*) FILTER (WHERE NOT differs) AS unchanged
		FROM transit.%[1]s_{old} o FULL JOIN transit.%[1]s_{new} n ON %[2]s,
		LATERAL (SELECT CASE WHEN o.version_id <> n.version_id THEN ROW(%[3]s) IS DISTINCT FROM ROW(%[4]s) END) AS x (differs)
		%[5]s`, t.Name, strings.Join(same, " AND "), columns("o", cells), columns("n", cells), only)
}

func cellsOf(t gtfs.Table) []string {
	return slices.DeleteFunc(t.Names(), func(name string) bool { return slices.Contains(t.Key, name) })
}

func columns(alias string, names []string) string {
	return alias + "." + strings.Join(names, ", "+alias+".")
}

func (d *diff) shapes(ctx context.Context) error {
	c, err := pg.One[Counts](ctx, d, `
		SELECT coalesce(sum(n.point_count) FILTER (WHERE o.digest IS NULL), 0) AS added,
		       coalesce(sum(o.point_count) FILTER (WHERE n.digest IS NULL), 0) AS removed, 0::bigint AS changed,
		       coalesce(sum(o.point_count) FILTER (WHERE o.digest = n.digest), 0) AS unchanged
		FROM transit.shape_{old} o FULL JOIN transit.shape_{new} n USING (shape_id)`)
	if err != nil {
		return err
	}
	const points = `%[1]s.shape_pt_lat, %[1]s.shape_pt_lon, coalesce(%[1]s.shape_dist_traveled, ''),
		coalesce(%[1]s.shape_pt_sequence,
		ARRAY(SELECT %[1]s.first_sequence + i * %[1]s.sequence_step FROM generate_series(0, %[1]s.point_count - 1) i))`
	rows, err := d.Query(ctx, `SELECT `+fmt.Sprintf(points, "o")+`, `+fmt.Sprintf(points, "n")+`
		FROM transit.shape_{old} o JOIN transit.shape_{new} n USING (shape_id) WHERE o.digest <> n.digest`)
	if err != nil {
		return err
	}
	var o, n struct {
		lat, lon, dist string
		seq            []int32
	}
	_, err = pgx.ForEachRow(rows, []any{&o.lat, &o.lon, &o.dist, &o.seq, &n.lat, &n.lon, &n.dist, &n.seq}, func() error {
		c.add(compareRows(pointsOf(o.lat, o.lon, o.dist, o.seq), pointsOf(n.lat, n.lon, n.dist, n.seq)), 1)
		return nil
	})
	d.all["shapes.txt"] = c
	return err
}

func pointsOf(lat, lon, dist string, seq []int32) []row[[3]string] {
	points := make([]row[[3]string], len(seq))
	for i, n := range seq {
		p := row[[3]string]{seq: n}
		p.cells[0], lat, _ = strings.Cut(lat, ",")
		p.cells[1], lon, _ = strings.Cut(lon, ",")
		p.cells[2], dist, _ = strings.Cut(dist, ",")
		points[i] = p
	}
	return points
}

type row[T comparable] struct {
	seq   int32
	cells T
}

func compareRows[T comparable](old, new []row[T]) (c Counts) {
	for len(old) > 0 && len(new) > 0 {
		switch {
		case old[0].seq < new[0].seq:
			c.Removed++
			old = old[1:]
			continue
		case old[0].seq > new[0].seq:
			c.Added++
			new = new[1:]
			continue
		case old[0].cells == new[0].cells:
			c.Unchanged++
		default:
			c.Changed++
		}
		old, new = old[1:], new[1:]
	}
	c.Removed += int64(len(old))
	c.Added += int64(len(new))
	return c
}

func (c *Counts) add(d Counts, n int64) {
	c.Added += n * d.Added
	c.Changed += n * d.Changed
	c.Removed += n * d.Removed
	c.Unchanged += n * d.Unchanged
}

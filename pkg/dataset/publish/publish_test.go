package publish

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/townline/townline/pkg/dataset"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
)

// rows is a dataset with difficult values: quotes, line ends, nulls, empty texts and non-ASCII
// letters.
const rows = `
	INSERT INTO council.member (id, name_key, full_name, last_name) VALUES (1, 'a', 'Ann "Annie" Archer, Jr.', 'Archer'), (2, 'b', 'Béa Baker', 'Baker');
	INSERT INTO council.meeting (iqm2_id, body, meeting_type, meeting_type_raw, meeting_date, starts_at, title, status, location, last_fetched)
		SELECT i, 'City Council', 'regular', 'Regular', date '2026-01-01' + i, '2026-01-01 18:00:00.7+00', E'A title,\r\nover "two" lines', 'complete', CASE WHEN i > 1 THEN '' END, now() FROM generate_series(1, 2) i;
	INSERT INTO council.item (id, iqm2_id, meeting_date, starts_at, ord, title, is_consent, topic_confidence, source_page)
		SELECT i * 10, i, date '2026-01-01' + i, '2026-01-01 18:00:00.7+00', 1, ' blanks ', i = 1, 0.125, 3 FROM generate_series(1, 2) i;
	INSERT INTO council.vote (id, item_id, iqm2_id, meeting_date, starts_at, ord, motion_seq, motion_text, result, result_raw, ayes_count, nays_count, unanimous, via_consent, mover_id, parse_source, parsed_at, source_page)
		SELECT i * 100, i * 10, i, date '2026-01-01' + i, '2026-01-01 18:00:00.7+00', 1, 1, '', 'adopted', E'PASSED\n[1 TO 1]', 1, 1, false, true, 1, 'pdf', '2026-02-01T00:00:00Z', 2 FROM generate_series(1, 2) i;
	INSERT INTO council.vote_position (vote_id, member_id, iqm2_id, meeting_date, starts_at, ord, position)
		SELECT i * 100, m, i, date '2026-01-01' + i, '2026-01-01 18:00:00.7+00', m, CASE m WHEN 1 THEN 'aye' ELSE 'nay' END FROM generate_series(1, 2) i, generate_series(1, 2) m;
	INSERT INTO council.change (kind, iqm2_id, vote_id, after, reason, run_id, changed_at) VALUES ('vote_added', 1, 100, '{"result": "adopted"}', 'new document', 'r', '2026-02-01T00:00:00Z');
	INSERT INTO council.correction (correction_id, kind, iqm2_id, item_id, vote_id, member, member_key, was, becomes, withdraws, rests_on, author, reason, made_at) OVERRIDING SYSTEM VALUE VALUES
		(1, 'position', 1, NULL, 100, 'Béa Baker', 'bea baker', 'nay', 'aye', NULL, 'minutes, page 2', 'Ann Clerk', E'read from\nthe wrong row', '2026-02-02T00:00:00Z'),
		(2, 'position', 1, NULL, 100, 'Béa Baker', 'bea baker', 'nay', 'abstain', NULL, 'minutes, page 2', 'Ann Clerk', 'a slip', '2026-02-03T00:00:00Z'),
		(3, 'title', 1, 10, NULL, NULL, NULL, 'blanks', 'A title', NULL, 'agenda', 'Ann Clerk', 'misspelt', '2026-02-03T00:00:00Z'),
		(4, 'withdrawn', 1, 10, NULL, NULL, NULL, NULL, NULL, 3, 'agenda', 'Ann Clerk', 'it was right', '2026-02-04T00:00:00Z'),
		(5, 'position', 1, NULL, 100, 'Béa Baker', 'bea baker', 'nay', 'absent', NULL, 'minutes, page 2', 'Ann Clerk', 'not applied yet', '2026-02-05T00:00:00Z'),
		(6, 'result', 2, NULL, 200, NULL, NULL, 'adopted', 'failed', NULL, 'minutes, page 2', 'Ann Clerk', 'not applied yet', '2026-02-05T00:00:00Z');
	INSERT INTO council.laid (iqm2_id, correction_id, reading) VALUES (1, 4, '{}');
	INSERT INTO council.review (review_id, anomaly_id, act, body, author, made_at, iqm2_id, kind, code, message) OVERRIDING SYSTEM VALUE
		SELECT i, 7, 'replied', 'It is as printed.', 'Ann Clerk', '2026-02-04T00:00:00Z', 1, 'typo', 'label-broken', 'a label without its colon' FROM generate_series(1, 2) i;
	UPDATE council.dataset SET review_id = 1;
	UPDATE council.dataset SET generation = 5, updated_at = '2026-03-01T12:00:00.9Z'`

const base = "https://votes.example/v1"

func fill(t *testing.T, db *pgxpool.Pool) {
	t.Helper()
	if _, err := db.Exec(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
}

// A stored is the newest version of each file, by name.
type stored map[string]storedFile

type storedFile struct {
	ExportID   int64
	Name       string
	MediaType  string
	SHA256     []byte `db:"sha256"`
	Size       int64
	Rows       *int64
	Generation int64
	CreatedAt  time.Time
	Content    []byte
	Longest    int
}

func options(t *testing.T) Options {
	return Options{Dirs: []string{filepath.Join(t.TempDir(), "missing"), t.TempDir()}, MaxBytes: 32 << 20, Base: base}
}

// write publishes the files and returns them.
func write(t *testing.T, db *pgxpool.Pool) stored {
	t.Helper()
	if _, err := Publish(t.Context(), db, options(t)); err != nil {
		t.Fatal(err)
	}
	return readStored(t, db)
}

func readStored(t *testing.T, db *pgxpool.Pool) stored {
	t.Helper()
	list, err := pg.List[storedFile](t.Context(), db, `
		SELECT DISTINCT ON (e.name) e.export_id, e.name, e.media_type, e.sha256, e.size, e.rows, e.generation, e.created_at,
		       c.content, c.longest
		FROM council.export e JOIN (
		       SELECT export_id, string_agg(content, '' ORDER BY seq) AS content, max(octet_length(content)) AS longest
		       FROM council.export_chunk GROUP BY export_id) c USING (export_id)
		ORDER BY e.name, e.export_id DESC`)
	if err != nil {
		t.Fatal(err)
	}
	files := stored{}
	for _, f := range list {
		if sum := sha256.Sum256(f.Content); !bytes.Equal(sum[:], f.SHA256) || int64(len(f.Content)) != f.Size ||
			f.Longest > chunkSize {
			t.Errorf("%s has %d bytes in chunks of %d, or its hash is wrong", f.Name, len(f.Content), f.Longest)
		}
		files[f.Name] = f
	}
	return files
}

// Every cell of every table is the same in both files and in the database, with one body and with
// several.
func TestFilesHoldTheDatabase(t *testing.T) {
	t.Parallel()
	for _, several := range []bool{false, true} {
		t.Run(fmt.Sprint(several), func(t *testing.T) {
			t.Parallel()
			testFiles(t, several)
		})
	}
}

// addBodies adds a joint body that consists of two bodies.
func addBodies(t *testing.T, db *pgxpool.Pool) {
	t.Helper()
	_, err := db.Exec(t.Context(), `
		WITH first AS (UPDATE council.body SET slug = 'council', name = 'Council'),
		     more AS (INSERT INTO council.body (body_id, slug, name, kind)
		              VALUES (2, 'board', 'Board', 'Board'), (3, 'joint', 'Council & Board', NULL))
		UPDATE council.meeting SET body_id = 1`)
	if err == nil {
		_, err = db.Exec(t.Context(), `INSERT INTO council.body_part (body_id, part_id) VALUES (3, 1), (3, 2)`)
	}
	if err == nil {
		_, err = db.Exec(t.Context(), `UPDATE council.meeting SET body_id = 3
			WHERE iqm2_id = (SELECT max(iqm2_id) FROM council.vote)`)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func testFiles(t *testing.T, several bool) {
	t.Helper()
	db := pgtest.New(t)
	fill(t, db)
	if several {
		addBodies(t, db)
	}
	tables := dataset.Tables(several)
	set := write(t, db)
	if set[dataset.SQLite].Generation != 5 || len(set) != len(tables)+3 {
		t.Fatalf("generation %d, %d files", set[dataset.SQLite].Generation, len(set))
	}
	for _, d := range dataset.Files() {
		if f, ok := set[d.File]; ok && f.MediaType != d.MediaType {
			t.Errorf("%s is stored as %s and described as %s", d.File, f.MediaType, d.MediaType)
		}
	}
	lite := openLite(t, set[dataset.SQLite].Content)
	total := 0
	for _, table := range tables {
		want := queried(t, db, &table)
		records, err := csv.NewReader(bytes.NewReader(set[table.File()].Content)).ReadAll()
		if err != nil {
			t.Fatalf("%s: %v", table.Name, err)
		}
		names := make([]string, len(table.Columns))
		for i, c := range table.Columns {
			names[i] = c.Name
		}
		if d := cmp.Diff(names, records[0]); d != "" {
			t.Errorf("%s: header %s", table.Name, d)
		}
		if n := *set[table.File()].Rows; int(n) != len(want) {
			t.Errorf("%s: the set states %d rows, the database has %d", table.Name, n, len(want))
		}
		if d := cmp.Diff(unfold(want), unfold(records[1:])); d != "" {
			t.Errorf("%s.csv: (-want +got)\n%s", table.Name, d)
		}
		if d := cmp.Diff(want, lite.rows(t, table)); d != "" {
			t.Errorf("SQLite table %s: (-want +got)\n%s", table.Name, d)
		}
		total += len(want)
	}
	if n := *set[dataset.SQLite].Rows; int(n) != total || total < 12 {
		t.Errorf("the set states %d rows, the database has %d", n, total)
	}
	if got := set["tables/meetings.csv"].Content; !bytes.Contains(got,
		[]byte("\"A title,\r\nover \"\"two\"\" lines\"")) || bytes.Contains(bytes.ReplaceAll(got, []byte("\r\n"), nil),
		[]byte("\n")) {
		t.Errorf("the CSV is not RFC 4180: %q", got)
	}
	if got := set["tables/votes.csv"].Content; !bytes.Contains(got, []byte(`,1,"",adopted,"PASSED`+"\n")) {
		t.Errorf("an empty text, or a line end within one, was altered: %q", got)
	}
	for _, check := range []string{"PRAGMA integrity_check",
		"SELECT CASE count(*) WHEN 0 THEN 'ok' END FROM pragma_foreign_key_check"} {
		if got := lite.one(t, check); got != "ok" {
			t.Errorf("%s: %s", check, got)
		}
	}
	if got, want := lite.one(t, "SELECT group_concat(value, ' ') FROM about WHERE key IN ('as_of', 'generation', "+
		"'source')"), "2026-03-01T12:00:00Z 5 "+base; got != want {
		t.Errorf("the table about has %s", got)
	}
	if got := lite.one(t, "SELECT sql FROM sqlite_schema WHERE name = 'votes'"); !strings.Contains(got,
		"-- The motion as the minutes word it.") {
		t.Errorf("the schema has no comments: %s", got)
	}
}

// Corrections have author and state as of the generation. Corrections that are not applied are
// omitted, because replicas could differ in them.
func TestOnlyAppliedCorrectionsAreExported(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	fill(t, db)
	if _, err := db.Exec(t.Context(), `UPDATE council.vote SET origin = 'record' WHERE id = 200`); err != nil {
		t.Fatal(err)
	}
	lite := openLite(t, write(t, db)[dataset.SQLite].Content)
	for query, want := range map[string]string{
		"SELECT group_concat(id || ' ' || kind || ' ' || coalesce(state, '-') || ' ' || author, ', ') FROM corrections": "1 position superseded Ann Clerk, 2 position in_force Ann Clerk, 3 title withdrawn Ann Clerk, 4 withdrawn - Ann Clerk",
		"SELECT group_concat(id || ' ' || act || ' ' || body) FROM reviews":                                             "1 replied It is as printed.",
		"SELECT group_concat(origin || ' ' || source_url, ', ') FROM votes ORDER BY id":                                 "minutes " + base + "/meetings/1, record " + base + "/meetings/2",
	} {
		if got := lite.one(t, query); got != want {
			t.Errorf("%s: %s\nwant %s", query, got, want)
		}
	}
}

// In CSV, a text that a spreadsheet would run gets a quote. SQLite has the text unchanged. Numbers
// stay unchanged in both.
func TestFormulasAreTextInCSV(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	fill(t, db)
	if _, err := db.Exec(t.Context(), `
		UPDATE council.item SET title = '=HYPERLINK("https://evil.example")', section = '@SUM(1,2)', item_number = '+1',
		  summary = E'\t=1';
		UPDATE council.item SET ord = -5 WHERE iqm2_id = 2`); err != nil {
		t.Fatal(err)
	}
	set := write(t, db)
	got := string(set["tables/items.csv"].Content)
	for _, want := range []string{`,'+1,"'@SUM(1,2)","'=HYPERLINK(""https://evil.example"")",`, "20,2,-5,", ",'\t=1,"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in\n%s", want, got)
		}
	}
	if got := openLite(t, set[dataset.SQLite].Content).one(t,
		"SELECT title || section || item_number FROM items"); got != `=HYPERLINK("https://evil.example")@SUM(1,2)+1` {
		t.Errorf("SQLite has %s", got)
	}
}

// queried returns a table as text. It uses the query of the export, and Postgres casts each cell.
func queried(t *testing.T, db *pgxpool.Pool, table *dataset.Table) [][]string {
	t.Helper()
	names := make([]string, len(table.Columns))
	cells := make([]string, len(table.Columns))
	for i, c := range table.Columns {
		names[i] = fmt.Sprintf("c%d", i)
		cells[i] = fmt.Sprintf("coalesce(c%d::text, '')", i)
		if c.Kind == dataset.Time {
			cells[i] = fmt.Sprintf(`coalesce(to_char(c%d, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), '')`, i)
		}
	}
	found, err := db.Query(t.Context(), fmt.Sprintf("SELECT ARRAY[%s] FROM (%s) t (%s)", strings.Join(cells, ", "),
		table.Query(base), strings.Join(names, ", ")))
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	out := [][]string{}
	for found.Next() {
		var row []string
		if err := found.Scan(&row); err != nil {
			t.Fatal(err)
		}
		out = append(out, row)
	}
	if err := found.Err(); err != nil {
		t.Fatalf("%s: %v", table.Name, err)
	}
	return out
}

// unfold replaces CRLF in cells by LF, as encoding/csv does.
func unfold(rows [][]string) [][]string {
	out := [][]string{}
	for _, r := range rows {
		r = slices.Clone(r)
		for i := range r {
			r[i] = strings.ReplaceAll(r[i], "\r\n", "\n")
		}
		out = append(out, r)
	}
	return out
}

// A lite is an open SQLite export.
type lite struct{ conn *sqlite.Conn }

func openLite(t *testing.T, b []byte) lite {
	t.Helper()
	path := filepath.Join(t.TempDir(), dataset.SQLite)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	})
	return lite{conn}
}

func (l lite) one(t *testing.T, sql string) (got string) {
	t.Helper()
	err := sqlitex.ExecuteTransient(l.conn, sql, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		got = s.ColumnText(0)
		return nil
	}})
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return got
}

// rows returns the rows of a table in its order, with booleans as words.
func (l lite) rows(t *testing.T, table dataset.Table) [][]string {
	t.Helper()
	out := [][]string{}
	err := sqlitex.ExecuteTransient(l.conn, "SELECT * FROM "+table.Name,
		&sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			row := make([]string, s.ColumnCount())
			for i := range row {
				row[i] = s.ColumnText(i)
				if table.Columns[i].Kind == dataset.Boolean {
					row[i] = map[string]string{"1": "true", "0": "false", "": ""}[row[i]]
				}
			}
			out = append(out, row)
			return nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Equal bytes are not stored again. New bytes are a new version, and only the last old versions
// stay, for downloads that have already begun.
func TestVersionsOfFiles(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	fill(t, db)
	first := write(t, db)
	if d := cmp.Diff(first, write(t, db)); d != "" {
		t.Errorf("the same dataset: %s", d)
	}
	for i := range keep + 2 {
		if _, err := db.Exec(t.Context(), `UPDATE council.vote SET ayes_count = $1;
			UPDATE council.dataset SET generation = generation + 1`, pgx.QueryExecModeSimpleProtocol, i); err != nil {
			t.Fatal(err)
		}
		set := write(t, db)
		for name, f := range set {
			changed := name == dataset.VotesCSV || name == dataset.SQLite || name == "tables/votes.csv"
			if changed == (f.ExportID == first[name].ExportID) || f.Generation != int64(6+i) {
				t.Errorf("%s is version %d of generation %d, first %d", name, f.ExportID, f.Generation, first[name].ExportID)
			}
		}
	}
	kept, err := pg.Column[int](t.Context(), db,
		`SELECT count(*) FROM council.export GROUP BY name ORDER BY 1 DESC LIMIT 4`)
	if err != nil || !slices.Equal(kept, []int{keep, keep, keep, 1}) {
		t.Errorf("%v versions were kept, %v", kept, err)
	}
	// A dataset that has several bodies no longer has no tables of bodies.
	addBodies(t, db)
	if set := write(t, db); set["tables/bodies.csv"].Size == 0 {
		t.Error("no table of bodies")
	}
	if _, err := db.Exec(t.Context(), `UPDATE council.meeting SET body_id = 1; DELETE FROM council.body_part;
		DELETE FROM council.body WHERE body_id > 1`); err != nil {
		t.Fatal(err)
	}
	if set := write(t, db); set["tables/bodies.csv"].Size != 0 {
		t.Error("the table of bodies remains")
	}
}

// If the publisher is killed in the middle, readers keep the files that they had, whole, and the
// next publication replaces them.
func TestAKilledPublicationChangesNothing(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	fill(t, db)
	before := write(t, db)
	if _, err := db.Exec(t.Context(), `
		CREATE FUNCTION kill() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN new; END $$;
		UPDATE council.vote SET motion_text = 'to adopt';
		UPDATE council.dataset SET generation = generation + 1`); err != nil {
		t.Fatal(err)
	}
	// The files are written in this order.
	for _, at := range []string{dataset.VotesCSV, "tables/votes.csv", dataset.Metadata, dataset.SQLite} {
		if _, err := db.Exec(t.Context(), fmt.Sprintf(`UPDATE council.dataset SET updated_at = updated_at + interval '1 s';
			CREATE OR REPLACE TRIGGER kill BEFORE INSERT ON council.export FOR EACH ROW WHEN (new.name = '%s')
			EXECUTE FUNCTION kill()`, at)); err != nil {
			t.Fatal(err)
		}
		if _, err := Publish(t.Context(), db, options(t)); err == nil {
			t.Fatalf("killed at %s: no error", at)
		}
		if d := cmp.Diff(before, readStored(t, db)); d != "" {
			t.Errorf("killed at %s: %s", at, d)
		}
	}
	if _, err := db.Exec(t.Context(), `DROP TRIGGER kill ON council.export`); err != nil {
		t.Fatal(err)
	}
	if after := write(t, db); after[dataset.SQLite].Generation != 6 ||
		!bytes.Contains(after[dataset.VotesCSV].Content, []byte("to adopt")) {
		t.Errorf("generation %d after a publication", after[dataset.SQLite].Generation)
	}
}

// The metadata lists every file and column, and everything that it refers to exists.
func TestMetadataFitsTheFiles(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	fill(t, db)
	addBodies(t, db)
	set := write(t, db)
	var group struct {
		Context []any `json:"@context"`
		Tables  []struct {
			URL         string
			TableSchema struct {
				Columns     []struct{ Name, Titles, Datatype string }
				PrimaryKey  []string
				ForeignKeys []struct {
					ColumnReference string
					Reference       struct{ Resource, ColumnReference string }
				}
			}
		}
	}
	if err := json.Unmarshal(set[dataset.Metadata].Content, &group); err != nil {
		t.Fatal(err)
	}
	columns, keys := map[string][]string{}, map[string][]string{}
	for _, m := range group.Tables {
		for _, c := range m.TableSchema.Columns {
			columns[m.URL] = append(columns[m.URL], c.Name)
			if c.Titles != c.Name || c.Datatype == "" {
				t.Errorf("%s: column %+v", m.URL, c)
			}
		}
		keys[m.URL] = m.TableSchema.PrimaryKey
		header, _, _ := strings.Cut(string(set["tables/"+m.URL].Content), "\r\n")
		if got := strings.Join(columns[m.URL], ","); got != header {
			t.Errorf("%s: the metadata has the columns %s, the file %s", m.URL, got, header)
		}
		for _, k := range m.TableSchema.ForeignKeys {
			if !slices.Contains(columns[m.URL], k.ColumnReference) ||
				!slices.Equal(keys[k.Reference.Resource], []string{k.Reference.ColumnReference}) {
				t.Errorf("%s: foreign key %+v has no target", m.URL, k)
			}
		}
		for _, k := range m.TableSchema.PrimaryKey {
			if !slices.Contains(columns[m.URL], k) {
				t.Errorf("%s: primary key %s is not a column", m.URL, k)
			}
		}
	}
	if len(group.Tables) != len(dataset.Tables(true)) || group.Context[0] != "http://www.w3.org/ns/csvw" {
		t.Errorf("%d tables, context %v", len(group.Tables), group.Context)
	}
}

// If a publication is too large or cancelled, the old files stay. No publication leaves files in the
// directory.
func TestFilesAreBounded(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	fill(t, db)
	o := options(t)
	before := write(t, db)
	var total int64
	for _, f := range before {
		total += f.Size
	}
	for _, most := range []int64{1, 5000, before[dataset.SQLite].Size, total - 1} {
		small := o
		small.MaxBytes = most
		if _, err := Publish(t.Context(), db, small); !errors.Is(err, ErrTooLarge) {
			t.Errorf("at most %d bytes: %v", most, err)
		}
	}
	o.MaxBytes = total
	if _, err := Publish(t.Context(), db, o); err != nil {
		t.Errorf("at most %d bytes: %v", total, err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Publish(gone, db, o); err == nil {
		t.Error("a cancelled publication has no error")
	}
	if _, err := Publish(t.Context(), db, Options{Dirs: o.Dirs[:1], MaxBytes: 1 << 20}); err == nil {
		t.Error("a publication without a directory has no error")
	}
	if left, err := os.ReadDir(o.Dirs[1]); err != nil || len(left) != 0 {
		t.Errorf("remaining files: %v, %v", left, err)
	}
	if d := cmp.Diff(before, readStored(t, db)); d != "" {
		t.Error(d)
	}
}

// Cells of COPY may have every escape, and may come in any parts.
func TestRowsOfCopy(t *testing.T) {
	t.Parallel()
	text := "a\tb\\tc\t\\N\n\\\\N\t\t\\n\\r\\\\\\b\\v\\f\n"
	want := [][]string{{"a", "b\tc", "<null>"}, {"\\N", "", "\n\r\\\b\v\f"}}
	for size := 1; size <= len(text); size++ {
		var got [][]string
		w := &rowWriter{cells: make([][]byte, 3), row: func(cells [][]byte) error {
			var row []string
			for _, c := range cells {
				if c == nil {
					c = []byte("<null>")
				}
				row = append(row, string(c))
			}
			got = append(got, row)
			return nil
		}}
		for part := range slices.Chunk([]byte(text), size) {
			if _, err := w.Write(slices.Clone(part)); err != nil {
				t.Fatal(err)
			}
		}
		if d := cmp.Diff(want, got); d != "" || len(w.rest) > 0 {
			t.Fatalf("in parts of %d: %s %q", size, d, w.rest)
		}
	}
	w := &rowWriter{cells: make([][]byte, 2), row: func([][]byte) error { return nil }}
	for _, wrong := range []string{"a\n", "a\tb\tc\n"} {
		if _, err := w.Write([]byte(wrong)); err == nil {
			t.Errorf("accepts %q", wrong)
		}
	}
}

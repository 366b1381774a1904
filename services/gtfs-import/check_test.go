package gtfsimport_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/pgtest"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
)

// This file compares a feed as the database shows it (the views named like the
// files) with the CSV in its zip, cell by cell. It reads the CSV in a way of its own,
// slow and simple, so that a mistake of pkg/gtfs does not hide itself. Any
// difference must be one that the report's audit names.

// A csvFile is a file as the checker reads it.
type csvFile struct {
	header []string
	rows   [][]string
	lines  []int
}

// A reporter is what a check complains to: a test, or one that expects complaints.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// A querier is a pool, or a transaction that a check is to look into.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// parseCSV splits text into rows, character by character.
func parseCSV(data []byte, decode func([]byte) string) csvFile {
	var f csvFile
	var row []string
	var cell []byte
	line, rowLine := 1, 1
	quoted, wasQuoted := false, false
	crOnly := false
	if i := bytes.IndexAny(data, "\r\n"); i >= 0 && data[i] == '\r' && (i+1 == len(data) || data[i+1] != '\n') {
		crOnly = true
	}
	endCell := func() {
		row = append(row, strings.TrimSpace(decode(cell)))
		cell, wasQuoted = cell[:0], false
	}
	endRow := func() {
		endCell()
		if len(row) > 1 || row[0] != "" {
			if f.header == nil {
				f.header = row
			} else {
				f.rows = append(f.rows, row)
				f.lines = append(f.lines, rowLine)
			}
		}
		row = nil
		rowLine = line
	}
	for i := 0; i < len(data); i++ {
		c := data[i]
		if c == '\n' || c == '\r' && crOnly {
			line++
		}
		switch {
		case quoted && c == '"' && i+1 < len(data) && data[i+1] == '"':
			cell = append(cell, '"')
			i++
		case quoted && c == '"':
			quoted = false
		case quoted:
			cell = append(cell, c)
		case c == '"' && !wasQuoted && len(bytes.TrimSpace(cell)) == 0:
			quoted, wasQuoted = true, true
			cell = cell[:0]
		case c == ',':
			endCell()
		case c == '\n' || c == '\r' && crOnly:
			endRow()
		default:
			cell = append(cell, c)
		}
	}
	if len(cell) > 0 || len(row) > 0 {
		endRow()
	}
	return f
}

// zipFiles reads the text files of a feed, by lower-case name.
func zipFiles(t reporter, data []byte, encoding string) map[string]csvFile {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil && z == nil {
		t.Fatal(err)
	}
	if encoding == "" {
		encoding = "windows-1252"
	}
	legacy, err := htmlindex.Get(encoding)
	if err != nil {
		t.Fatal(err)
	}
	decode := func(cell []byte) string {
		if !utf8.Valid(cell) {
			cell, _ = legacy.NewDecoder().Bytes(cell)
		}
		return strings.Map(func(r rune) rune {
			if r < ' ' && r != '\n' && r != '\r' && r != '\t' {
				return -1
			}
			return r
		}, string(cell))
	}
	// The feed's folder is that of the stop_times.txt; no feed of ours has two.
	folder := ""
	for _, e := range z.File {
		if dir, name := path.Split(e.Name); strings.EqualFold(name, "stop_times.txt") && !strings.Contains(dir, "__MACOSX") {
			folder = dir
		}
	}
	files := map[string]csvFile{}
	for _, e := range z.File {
		dir, name := path.Split(e.Name)
		name = strings.ToLower(name)
		if _, twice := files[name]; twice || dir != folder || path.Ext(name) != ".txt" {
			continue
		}
		r, err := e.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatalf("%s: %v", e.Name, err)
		}
		switch {
		case bytes.HasPrefix(text, []byte("\xEF\xBB\xBF")):
			text = text[3:]
		case bytes.HasPrefix(text, []byte("\xFF\xFE")), bytes.HasPrefix(text, []byte("\xFE\xFF")):
			if text, err = unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Bytes(text); err != nil {
				t.Fatal(err)
			}
		}
		files[name] = parseCSV(text, decode)
	}
	return files
}

// explained are the differences that the audit names, and, by file, how many more
// lines it counts than it names.
type explained struct {
	rows  map[string]map[int]bool
	cells map[string]map[int]map[string]bool
	spare map[string]int
}

func explain(r *gtfsimport.Report) explained {
	x := explained{map[string]map[int]bool{}, map[string]map[int]map[string]bool{}, map[string]int{}}
	for _, f := range r.Findings {
		if f.Effect != gtfs.Noted {
			x.spare[f.File] += f.Count
		}
	}
	for _, l := range r.Lines {
		if l.Effect == gtfs.Noted {
			continue
		}
		x.spare[l.File]--
		if x.rows[l.File] == nil {
			x.rows[l.File], x.cells[l.File] = map[int]bool{}, map[int]map[string]bool{}
		}
		if l.Effect == gtfs.RowLeftOut {
			x.rows[l.File][l.Line] = true
			continue
		}
		if x.cells[l.File][l.Line] == nil {
			x.cells[l.File][l.Line] = map[string]bool{}
		}
		x.cells[l.File][l.Line][l.Field] = true
	}
	return x
}

var clock = regexp.MustCompile(`^(\d{1,3}):([0-5]\d):([0-5]\d)$`)

// canonical is a cell as the API would have it.
func canonical(file, column, cell string) string {
	switch column {
	case "arrival_time", "departure_time", "start_time", "end_time", "start_pickup_drop_off_window", "end_pickup_drop_off_window":
		if m := clock.FindStringSubmatch(cell); m != nil {
			h, _ := strconv.Atoi(m[1])
			return fmt.Sprintf("%02d:%s:%s", h, m[2], m[3])
		}
	case "stop_sequence", "shape_pt_sequence", "headway_secs":
		if n, err := strconv.Atoi(cell); err == nil {
			return strconv.Itoa(n)
		}
	case "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday":
		if cell == "" {
			return "0"
		}
	}
	return cell
}

// viewOf is the view that shows a file.
func viewOf(file string) string {
	switch name := strings.TrimSuffix(file, ".txt"); name {
	case "agency":
		return "agencies"
	default:
		return name
	}
}

// checkFeed compares the live version of a feed with the zip in data.
func checkFeed(t reporter, db querier, alias string, data []byte, encoding string, report *gtfsimport.Report) {
	t.Helper()
	x := explain(report)
	files := zipFiles(t, data, encoding)
	for _, table := range gtfs.Tables() {
		switch table.File {
		case "directions.txt", "direction_names.txt", "feed_info.txt":
			continue // names are checked by goldens; feed_info has no key
		}
		if table.Unchanged() {
			checkKept(t, db, alias, table, files[table.File], x)
			continue
		}
		checkFile(t, db, alias, table, files[table.File], x, files)
	}
	checkDerived(t, db, alias)
	checkStopIndex(t, db, alias)
}

func checkFile(t reporter, db querier, alias string, table gtfs.Table, f csvFile, x explained, files map[string]csvFile) {
	t.Helper()
	var columns []string
	for _, c := range table.Columns {
		if c.Name != "location_id" { // kept in the zip only
			columns = append(columns, c.Name)
		}
	}
	got := readView(t, db, alias, viewOf(table.File), columns, table.Key)
	at := map[string]int{}
	for i := len(f.header) - 1; i >= 0; i-- {
		at[strings.ToLower(f.header[i])] = i
	}
	bad := 0
	fail := func(format string, args ...any) {
		if bad++; bad <= 10 {
			t.Errorf(table.File+": "+format, args...)
		}
	}
	seen := map[string]bool{}
	for n, row := range f.rows {
		line := f.lines[n]
		cell := func(column string) string {
			if i, ok := at[column]; ok && i < len(row) {
				return canonical(table.File, column, row[i])
			}
			return canonical(table.File, column, "")
		}
		var key strings.Builder
		for _, k := range table.Key {
			v := cell(k)
			if k == "agency_id" && v == "" {
				v = alias
			}
			key.WriteString(v + "\x1f")
		}
		if x.rows[table.File][line] {
			continue
		}
		cells, ok := got[key.String()]
		if !ok || seen[key.String()] {
			if x.spare[table.File]--; x.spare[table.File] < 0 {
				fail("line %d: the row %q is not there, and the audit does not say why", line, row)
			}
			continue
		}
		seen[key.String()] = true
		have := strings.Split(cells, "\x1f")
		for i, column := range columns {
			want := cell(column)
			if have[i] == want || slices.Contains(table.Key, column) {
				continue
			}
			if table.File == "routes.txt" && column == "agency_id" && want == "" && (len(files["agency.txt"].rows) < 2 || have[i] == alias) {
				continue
			}
			if x.cells[table.File][line][column] {
				continue
			}
			if x.spare[table.File]--; x.spare[table.File] < 0 {
				fail("line %d, %s: %q, want %q, and the audit does not say why", line, column, have[i], want)
			}
		}
	}
	standIns := table.File == "agency.txt" && len(f.rows) == 0
	for k := range got {
		if !seen[k] && !standIns {
			fail("%q is in the database and not in the file", strings.TrimSuffix(k, "\x1f"))
		}
	}
	if bad > 10 {
		t.Errorf("%s: %d differences in all", table.File, bad)
	}
}

// checkKept compares a file that is kept as it is: each row in its order, each column.
func checkKept(t reporter, db querier, alias string, table gtfs.Table, f csvFile, x explained) {
	t.Helper()
	rows, err := db.Query(context.Background(), `SELECT cells FROM transit.file_rows WHERE feed = $1 AND file = $2 ORDER BY ord`, alias, table.File)
	if err != nil {
		t.Fatal(err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[map[string]*string])
	if err != nil {
		t.Fatal(err)
	}
	for n, row := range f.rows {
		if x.rows[table.File][f.lines[n]] {
			continue
		}
		if len(got) == 0 {
			t.Errorf("%s: line %d is not there, and the audit does not say why", table.File, f.lines[n])
			return
		}
		have := map[string]string{}
		for name, cell := range got[0] {
			if cell != nil {
				have[strings.ToLower(name)] = *cell
			}
		}
		got = got[1:]
		for i, name := range f.header {
			name = strings.ToLower(name)
			if i < len(row) && name != "" && have[name] != row[i] {
				t.Errorf("%s: line %d, %s: %q, want %q", table.File, f.lines[n], name, have[name], row[i])
			}
		}
	}
	if len(got) > 0 {
		t.Errorf("%s: %d rows are in the database and not in the file", table.File, len(got))
	}
}

// readView returns the rows of a view by key, cells joined by 0x1f.
func readView(t reporter, db querier, alias, view string, columns, key []string) map[string]string {
	t.Helper()
	list := func(names []string) string {
		var b strings.Builder
		for _, n := range names {
			b.WriteString(", coalesce(" + n + "::text, '')")
		}
		return b.String()
	}
	rows, err := db.Query(context.Background(), fmt.Sprintf(`SELECT concat_ws(E'\x1f'%s, ''), concat_ws(E'\x1f'%s) FROM transit.%s WHERE feed = $1`,
		list(key), list(columns), view), alias)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	var k, cells string
	if _, err := pgx.ForEachRow(rows, []any{&k, &cells}, func() error {
		if _, twice := all[k]; twice {
			t.Errorf("%s: %q is twice in the database", view, k)
		}
		all[k] = cells
		return nil
	}); err != nil {
		t.Fatalf("%s: %v", view, err)
	}
	return all
}

// checkDerived compares what the import works out with what plain queries over all
// stop times say.
func checkDerived(t reporter, db querier, alias string) {
	t.Helper()
	for what, sql := range map[string]string{
		"agencies' routes are not where first_route says": `
			SELECT a.agency_id, r.route_id FROM transit.feed f JOIN transit.agency a USING (version_id) JOIN transit.route r USING (version_id)
			WHERE f.alias = $1 AND (r.agency_id = a.agency_id) <> (r.ord >= a.first_route AND r.ord < a.first_route + a.route_count)`,
		"routes' trips are not where first_trip says": `
			SELECT r.route_id, t.trip_id FROM transit.feed f JOIN transit.route r USING (version_id) JOIN transit.trip t USING (version_id)
			WHERE f.alias = $1 AND (t.ord >= r.first_trip AND t.ord < r.first_trip + r.trip_count) AND r.route_id <> t.route_id`,
		"routes' trips are not counted right": `
			SELECT r.route_id, r.trip_count FROM transit.feed f JOIN transit.route r USING (version_id)
			LEFT JOIN (SELECT version_id, route_id, count(*) AS n FROM transit.trip GROUP BY 1, 2) t USING (version_id, route_id)
			WHERE f.alias = $1 AND coalesce(t.n, 0) <> r.trip_count`,
		"ranks have gaps": `
			SELECT what, n, last FROM (
				SELECT 'agency', count(*), max(ord) FROM transit.feed f JOIN transit.agency USING (version_id) WHERE f.alias = $1 UNION ALL
				SELECT 'route', count(*), max(ord) FROM transit.feed f JOIN transit.route USING (version_id) WHERE f.alias = $1 UNION ALL
				SELECT 'stop', count(*), max(ord) FROM transit.feed f JOIN transit.stop USING (version_id) WHERE f.alias = $1 UNION ALL
				SELECT 'service', count(*), max(ord) FROM transit.feed f JOIN transit.service USING (version_id) WHERE f.alias = $1 UNION ALL
				SELECT 'trip', count(*), max(ord) FROM transit.feed f JOIN transit.trip USING (version_id) WHERE f.alias = $1 UNION ALL
				SELECT 'shape', count(*), max(ord) FROM transit.feed f JOIN transit.shape USING (version_id) WHERE f.alias = $1 UNION ALL
				SELECT 'pattern', count(*), max(pattern) FROM transit.feed f JOIN transit.pattern USING (version_id) WHERE f.alias = $1 UNION ALL
				SELECT 'direction', count(*), max(ord) FROM transit.feed f JOIN transit.route_direction USING (version_id) WHERE f.alias = $1
			) x (what, n, last) WHERE n <> coalesce(last, -1) + 1`,
		"directions' trips are not counted right": `
			SELECT d.route_id, d.direction_id, d.trip_count, t.n
			FROM (SELECT d.* FROM transit.feed f JOIN transit.route_direction d USING (version_id) WHERE f.alias = $1) d
			FULL JOIN (SELECT route_id, coalesce(direction_id, '0') AS direction_id, count(*) AS n FROM transit.trips WHERE feed = $1 GROUP BY 1, 2) t
			     USING (route_id, direction_id)
			WHERE d.trip_count IS DISTINCT FROM t.n`,
		"rows of the service order are not those of the calls": `
			SELECT p.route_id, p.direction_id, p.n, c.i
			FROM transit.feed f JOIN transit.route_pattern p USING (version_id)
			JOIN transit.route_direction d USING (version_id, route_id, direction_id) JOIN transit.pattern q USING (version_id, pattern),
			LATERAL unnest(p.rows, q.stop_id) WITH ORDINALITY AS c (row, stop_id, i)
			WHERE f.alias = $1 AND (d.stop_id[c.row + 1] IS DISTINCT FROM c.stop_id OR c.row <= ANY (p.rows[:c.i - 1]))`,
		"rows of the service order that no call stands in": `
			SELECT d.route_id, d.direction_id, r.row
			FROM transit.feed f JOIN transit.route_direction d USING (version_id), generate_series(0, cardinality(d.stop_id) - 1) r (row)
			WHERE f.alias = $1 AND NOT EXISTS (SELECT FROM transit.route_pattern p WHERE p.version_id = d.version_id AND p.route_id = d.route_id
			                                   AND p.direction_id = d.direction_id AND r.row = ANY (p.rows))`,
		"stops' numbers are not unique": `
			SELECT num, count(*) FROM transit.feed f JOIN transit.stop USING (version_id) WHERE f.alias = $1 GROUP BY 1 HAVING count(*) > 1`,
	} {
		rows, err := db.Query(context.Background(), sql, alias)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		found := 0
		for rows.Next() {
			if found++; found <= 3 {
				values, _ := rows.Values()
				t.Errorf("%s: %v", what, values)
			}
		}
		if rows.Err() != nil {
			t.Fatalf("%s: %v", what, rows.Err())
		}
	}
}

// checkStopIndex counts again what calls at each stop, from all stop times.
func checkStopIndex(t reporter, db querier, alias string) {
	t.Helper()
	ctx := context.Background()
	each := func(sql string, into []any, fn func()) {
		rows, err := db.Query(ctx, sql, alias)
		if err == nil {
			_, err = pgx.ForEachRow(rows, into, func() error { fn(); return nil })
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var a, b string
	parent, direction := map[string]string{}, map[string]string{}
	each(`SELECT stop_id, coalesce(parent_station, '') FROM transit.stops WHERE feed = $1`, []any{&a, &b}, func() { parent[a] = b })
	each(`SELECT trip_id, route_id || ' ' || coalesce(direction_id, '0') FROM transit.trips WHERE feed = $1`, []any{&a, &b}, func() { direction[a] = b })
	type at struct {
		calls      int
		trips      map[string]bool
		directions map[string]bool
	}
	want := map[string]*at{}
	each(`SELECT stop_id, trip_id FROM transit.stop_times WHERE feed = $1 AND stop_id IS NOT NULL`, []any{&a, &b}, func() {
		stop := a
		for level := 0; stop != "" && level < 3; level++ {
			if want[stop] == nil {
				want[stop] = &at{trips: map[string]bool{}, directions: map[string]bool{}}
			}
			want[stop].calls++
			want[stop].trips[b] = true
			want[stop].directions[direction[b]] = true
			if stop = parent[stop]; stop == a {
				break
			}
		}
	})
	var trips, calls, patternTrips int
	var names []string
	found := 0
	each(`
		SELECT i.stop_id, i.trip_count, i.call_count,
		       ARRAY(SELECT d.route_id || ' ' || d.direction_id FROM transit.route_direction d WHERE d.version_id = i.version_id AND d.ord = ANY (i.directions)),
		       (SELECT sum(n) FROM unnest(i.trips) n)
		FROM transit.feed f JOIN transit.stop_index i USING (version_id) WHERE f.alias = $1`, []any{&a, &trips, &calls, &names, &patternTrips}, func() {
		found++
		w := want[a]
		if w == nil || w.calls != calls || len(w.trips) != trips || len(w.directions) != len(names) || patternTrips != calls {
			t.Errorf("stop %s: %d trips, %d calls (%d by patterns), directions %v; want %+v", a, trips, calls, patternTrips, names, w)
			return
		}
		for _, n := range names {
			if !w.directions[n] {
				t.Errorf("stop %s: nothing of direction %s calls there", a, n)
			}
		}
	})
	if found != len(want) {
		t.Errorf("%d stops have calls, want %d", found, len(want))
	}
}

// complaints counts them.
type complaints struct {
	*testing.T
	n int
}

func (c *complaints) Errorf(string, ...any) { c.n++ }

// The checker finds what is wrong, cell by cell and in what is derived.
func TestTheCheckerFindsMistakes(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	r := load(t, db, "metro", small())
	data, err := os.ReadFile(small().pack(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, mistake := range []string{
		`UPDATE transit.agency SET agency_url = 'x' WHERE agency_id = 'M'`,
		`UPDATE transit.agency SET route_count = 2 WHERE agency_id = 'M'`,
		`UPDATE transit.stop SET stop_lat = '45.10' WHERE stop_id = 'B'`,
		`UPDATE transit.stop SET num = 1`,
		`UPDATE transit.route SET route_color = NULL WHERE route_id = 'R1'`,
		`UPDATE transit.route SET first_trip = 1 WHERE route_id = 'R1'`,
		`UPDATE transit.service SET monday = '0' WHERE service_id = 'WK'`,
		`UPDATE transit.service_date SET date = '2026-07-06' WHERE date = '2026-07-05'`,
		`UPDATE transit.trip SET start_time = start_time + 60 WHERE trip_id = 'T4'`,
		`UPDATE transit.trip SET trip_headsign = '' WHERE trip_id = 'T4'`,
		`UPDATE transit.trip SET ord = 9 WHERE trip_id = 'T4'`,
		`UPDATE transit.trip SET pattern = NULL WHERE trip_id = 'T3'`,
		`UPDATE transit.pattern SET pickup_type[2] = '3' WHERE cardinality(pickup_type) = 4`,
		`UPDATE transit.pattern SET stop_sequence[1] = 0 WHERE pattern = 0`,
		`UPDATE transit.profile SET departures[2] = 661 WHERE cardinality(departures) = 4`,
		`UPDATE transit.shape SET shape_pt_lon = '-122,-122.10,-122.2'`,
		`UPDATE transit.shape SET sequence_step = 2`,
		`DELETE FROM transit.frequency`,
		`UPDATE transit.route_direction SET stop_id = '{1,C,B,1}' WHERE route_id = 'R1'`,
		`UPDATE transit.route_direction SET trip_count = 3 WHERE route_id = 'R1'`,
		`UPDATE transit.route_pattern SET rows = '{1,1}' WHERE cardinality(rows) = 2`,
		`UPDATE transit.stop_index SET call_count = call_count + 1 WHERE stop_id = 'S'`,
		`UPDATE transit.stop_index SET directions = '{1}' WHERE stop_id = 'C'`,
		`DELETE FROM transit.stop_index WHERE stop_id = 'D'`,
		`UPDATE transit.file_row SET cells[2] = '1'`,
		`UPDATE transit.file SET columns[1] = 'x' WHERE file = 'levels.txt'`,
	} {
		undo := errors.New("seen")
		err := pgx.BeginFunc(t.Context(), db, func(tx pgx.Tx) error {
			tag, err := tx.Exec(t.Context(), mistake)
			if err != nil || tag.RowsAffected() == 0 {
				t.Fatalf("%s: %d rows, %v", mistake, tag.RowsAffected(), err)
			}
			found := &complaints{T: t}
			checkFeed(found, tx, "metro", data, "", r)
			if found.n == 0 {
				t.Errorf("not found: %s", mistake)
			}
			return undo
		})
		if !errors.Is(err, undo) {
			t.Fatal(err)
		}
	}
	checkFeed(t, db, "metro", data, "", r)
}

// The checker takes the columns to compare from the tables of pkg/gtfs. A column that is missing there would neither be loaded nor missed,
// so every column that the views show must be among them.
func TestTheCheckerComparesEveryColumn(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for _, file := range []string{"agency.txt", "stops.txt", "routes.txt", "calendar.txt", "calendar_dates.txt", "shapes.txt", "trips.txt", "stop_times.txt", "frequencies.txt"} {
		rows, err := db.Query(t.Context(), `SELECT column_name FROM information_schema.columns WHERE table_schema = 'transit' AND table_name = $1`, viewOf(file))
		if err != nil {
			t.Fatal(err)
		}
		shown, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil || len(shown) == 0 {
			t.Fatalf("view %s: %d columns, %v", viewOf(file), len(shown), err)
		}
		table, _ := gtfs.TableOf(file)
		for _, column := range shown {
			if table.Column(column) < 0 && column != "feed" && column != "extra" { // the alias, and what a feed adds to its routes
				t.Errorf("%s: nobody compares %s", file, column)
			}
		}
	}
}

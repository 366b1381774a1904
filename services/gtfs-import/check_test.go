package gtfsimport_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
)

// This file compares a feed in the database (the views named like the files) with the CSV in its
// zip, cell by cell. It has its own slow and simple CSV parser, so that it shares no bugs with
// pkg/gtfs. The audit must list every difference.

// A reporter receives the differences: it is a test, or a recorder that expects them.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

var clock = regexp.MustCompile(`^(\d{1,3}):([0-5]\d):([0-5]\d)$`)

// canonical returns a cell in the form of the API.
func canonical(file, column, cell string) string {
	switch column {
	case "arrival_time", "departure_time", "start_time", "end_time", "start_pickup_drop_off_window",
		"end_pickup_drop_off_window":
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
			continue // goldens check names; feed_info has no key
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

func checkFile(t reporter, db querier, alias string, table gtfs.Table, f csvFile, x explained,
	files map[string]csvFile) {
	t.Helper()
	var columns []string
	for _, c := range table.Columns {
		columns = append(columns, c.Name)
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
			if table.File == "routes.txt" && column == "agency_id" && want == "" && (len(files["agency.txt"].rows) < 2 ||
				have[i] == alias) {
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
		t.Errorf("%s: %d differences in total", table.File, bad)
	}
}

func checkKept(t reporter, db querier, alias string, table gtfs.Table, f csvFile, x explained) {
	t.Helper()
	rows, err := pg.Column[map[string]*string](context.Background(), db,
		`SELECT cells FROM transit.file_rows WHERE feed = $1 AND file = $2 ORDER BY ord`, alias, table.File)
	if err != nil {
		t.Fatal(err)
	}
	got := csvFile{header: f.header}
	for _, cells := range rows {
		var row []string
		for _, name := range f.header {
			cell := ""
			for column, c := range cells {
				if c != nil && strings.EqualFold(column, name) {
					cell = *c
				}
			}
			row = append(row, cell)
		}
		got.rows = append(got.rows, row)
	}
	compareRows(t, table.File, f, got, x)
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
	rows, err := db.Query(context.Background(), fmt.Sprintf(`SELECT concat_ws(E'\x1f'%s, ''), concat_ws(E'\x1f'%s)
		FROM transit.%s WHERE feed = $1`,
		list(key), list(columns), view), alias)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	var k, cells string
	if _, err := pgx.ForEachRow(rows, []any{&k, &cells}, func() error {
		if _, twice := all[k]; twice {
			t.Errorf("%s: %q is in the database twice", view, k)
		}
		all[k] = cells
		return nil
	}); err != nil {
		t.Fatalf("%s: %v", view, err)
	}
	return all
}

type complaints struct {
	*testing.T
	n int
}

func (c *complaints) Errorf(string, ...any) { c.n++ }

// TestTheCheckerFindsMistakes changes cells and derived tables; checkFeed must find each change.
func TestTheCheckerFindsMistakes(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	r := load(t, db, "metro", small())
	data := small().bytes(t)
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

// checkFeed compares the columns that pkg/gtfs lists, so pkg/gtfs must list all columns of the
// views.
func TestTheCheckerComparesEveryColumn(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for _, file := range []string{"agency.txt", "stops.txt", "routes.txt", "calendar.txt", "calendar_dates.txt",
		"shapes.txt", "trips.txt", "stop_times.txt", "frequencies.txt"} {
		rows, err := db.Query(t.Context(), `SELECT column_name FROM information_schema.columns
			WHERE table_schema = 'transit' AND table_name = $1`, viewOf(file))
		if err != nil {
			t.Fatal(err)
		}
		shown, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil || len(shown) == 0 {
			t.Fatalf("view %s: %d columns, %v", viewOf(file), len(shown), err)
		}
		table, _ := gtfs.TableOf(file)
		for _, column := range shown {
			// The view also has the alias, and routes has the unknown columns.
			if table.Column(column) < 0 && column != "feed" && column != "extra" {
				t.Errorf("%s: %s is not compared", file, column)
			}
		}
	}
}

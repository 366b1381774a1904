package townline_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/schema"
	councilingest "github.com/townline/townline/services/council-ingest"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
	"github.com/townline/townline/services/townline"
)

// A deployment has separate roles: one that migrates and is not a superuser, one for each program
// that writes, and one for each API.
func TestRolesOfADeployment(t *testing.T) {
	t.Parallel()
	address := pgtest.EmptyURL(t)
	super := open(t, address, pg.Options{})
	database := super.Config().ConnConfig.Database
	role := func(name string) string { return strings.ReplaceAll(database, "-", "_") + "_" + name }
	writers := map[string]string{"council-ingest": "", "clerk": "", "gtfs-import": "", "rt-poller": "", "townline": ""}
	names := []string{"migrate", "council_api", "transit_api"}
	for program := range writers {
		name := strings.ReplaceAll(program, "-", "_")
		writers[program] = role(name)
		names = append(names, name)
	}
	exec := func(sql string) {
		t.Helper()
		if _, err := super.Exec(context.Background(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	for _, name := range names {
		exec("CREATE ROLE " + role(name))
		t.Cleanup(func() { exec("DROP OWNED BY " + role(name) + " CASCADE; DROP ROLE " + role(name)) })
	}
	exec("GRANT CREATE ON DATABASE " + pgx.Identifier{database}.Sanitize() + " TO " + role("migrate"))
	exec("GRANT " + writers["gtfs-import"] + " TO " + role("migrate"))

	run := func(as string, args ...string) {
		t.Helper()
		var out bytes.Buffer
		args = append(args, "--database-url", pgtest.As(t, address, role(as)))
		if status := townline.Main(t.Context(), args, conf.Environ{}, &out, &out); status != 0 {
			t.Fatalf("townline %s as %s: status %d\n%s", strings.Join(args, " "), as, status, &out)
		}
	}
	migrate := func() {
		t.Helper()
		run("migrate", "migrate", "--only", "council", "--reader", role("council_api"), "--writer", "council-ingest="+
			writers["council-ingest"],
			"--writer", "clerk="+writers["clerk"])
		run("migrate", "migrate", "--only", "transit", "--reader", role("transit_api"), "--writer", "gtfs-import="+
			writers["gtfs-import"],
			"--writer", "rt-poller="+writers["rt-poller"], "--writer", "townline="+writers["townline"])
	}
	migrate()
	migrate() // a second time, as in each deployment

	// The import creates, attaches and drops tables. It also owns the tables that were created
	// before it had its own role.
	feed := demoFeed(t)
	importer := deps(open(t, pgtest.As(t, address, writers["gtfs-import"]), pg.Options{}))
	for _, file := range []string{marked(t, feed, "#2#"), feed} { // a version with fewer departures would be held
		if err := importFile(t.Context(), importer, file); err != nil {
			t.Fatal(err)
		}
		migrate()
	}
	run("townline", "manual", "list", "demo")
	run("townline", "key", "add", "kiosk", "--role", "kiosk")
	run("townline", "annotation", "add", "stop", "1", "--body", "Closed.", "--time-zone", "UTC")
	run("gtfs_import", "feed", "report", "demo")

	minutes, err := os.ReadFile("../council-ingest/internal/minutes/testdata/columns.txt")
	if err != nil {
		t.Fatal(err)
	}
	ingest := deps(open(t, pgtest.As(t, address, writers["council-ingest"]), pg.Options{}))
	set, err := councilingest.ReadSettings("", conf.Environ{})
	if err != nil {
		t.Fatal(err)
	}
	sum, err := councilingest.Load(t.Context(), ingest, set, councilingest.Minutes{MeetingID: 7, Date: "2026-03-03",
		Bytes: minutes})
	if err != nil || sum.Changed != 1 {
		t.Fatalf("load minutes: %+v, %v", sum, err)
	}

	// The clerk can only add statements; council-ingest applies them.
	var vote, anomaly int64
	if err := super.QueryRow(t.Context(), `SELECT (SELECT min(id) FROM council.vote),
		(SELECT min(id) FROM council.anomaly)`).Scan(&vote, &anomaly); err != nil {
		t.Fatal(err)
	}
	by := []string{"--by", "Ann Clerk"}
	run("clerk", append([]string{"council", "correct", "vote", fmt.Sprint(vote), "--result", "tabled", "--reason",
		"misread", "--document", "page 1"}, by...)...)
	run("clerk", append([]string{"council", "review", "reply", fmt.Sprint(anomaly), "--text", "It is as printed."},
		by...)...)
	run("clerk", "council", "review", "list")
	result := func() (is string) {
		t.Helper()
		if err := super.QueryRow(t.Context(), `SELECT result FROM council.vote WHERE id = $1`, vote).Scan(&is); err != nil {
			t.Fatal(err)
		}
		return is
	}
	if is := result(); is == "tabled" {
		t.Error("the clerk's role wrote a vote")
	}
	if any, err := councilingest.Apply(t.Context(), ingest); !any || err != nil || result() != "tabled" {
		t.Errorf("applied %v, %v: %s", any, err, result())
	}

	// writes maps tables to the programs that may change them.
	writes := map[string]string{ // all other tables of a schema have the same writer
		"source": "rt_poller", "snapshot": "rt_poller", "judgement": "rt_poller", "judgement_count": "rt_poller",
		"observer": "rt_poller", "stop_visit": "rt_poller", "performance_day": "rt_poller", "observed_day": "rt_poller",
		"observation_gap": "rt_poller",
		"screen":          "rt_poller", "annotation": "townline",
		"api_key": "townline", "manual_row": "gtfs_import townline",
		"schema_version": "", "correction": "clerk council_ingest", "review": "clerk council_ingest",
	}
	rows, err := super.Query(t.Context(), `
		SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname IN ('council', 'transit') AND c.relkind IN ('r', 'p') ORDER BY 1, 2`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct{ Schema, Name string }])
	if err != nil || len(tables) < 40 {
		t.Fatalf("%d tables, %v", len(tables), err)
	}
	half := map[string]string{
		"council_api": "council", "council_ingest": "council", "clerk": "council", "transit_api": "transit",
		"gtfs_import": "transit", "rt_poller": "transit", "townline": "transit",
	}
	for _, table := range tables {
		owners, special := writes[table.Name]
		if !special {
			owners = map[string]string{"council": "council_ingest", "transit": "gtfs_import"}[table.Schema]
		}
		for _, name := range slices.Sorted(maps.Keys(half)) {
			var reads, changes bool
			err := super.QueryRow(t.Context(), `
				SELECT has_table_privilege($1, c.oid, 'SELECT') AND has_schema_privilege($1, c.relnamespace, 'USAGE'),
				       has_table_privilege($1, c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
				FROM pg_class c WHERE c.oid = format('%I.%I', $2::text, $3::text)::regclass`,
				role(name), table.Schema, table.Name).Scan(&reads, &changes)
			if err != nil {
				t.Fatal(err)
			}
			// Partitions are read through their parent.
			partition := strings.ContainsAny(table.Name, "0123456789")
			if want := half[name] == table.Schema; reads != want && !partition {
				t.Errorf("%s reads %s.%s: %v, want %v", name, table.Schema, table.Name, reads, want)
			}
			if want := slices.Contains(strings.Fields(owners), name); changes != want {
				t.Errorf("%s changes %s.%s: %v, want %v", name, table.Schema, table.Name, changes, want)
			}
			// Statements are only added, never changed.
			if table.Name == "correction" || table.Name == "review" {
				var alters bool
				err := super.QueryRow(t.Context(), `SELECT has_table_privilege($1,
					format('%I.%I', $2::text, $3::text), 'UPDATE, DELETE, TRUNCATE')`, role(name), table.Schema, table.Name).Scan(
					&alters)
				if err != nil || alters {
					t.Errorf("%s alters %s.%s: %v, %v", name, table.Schema, table.Name, alters, err)
				}
			}
		}
	}

	// The doctor reports the same rights.
	for name, part := range half {
		look := func() schema.Rights {
			t.Helper()
			r, err := schema.Look(t.Context(), open(t, pgtest.As(t, address, role(name)), pg.Options{MaxConns: 1}),
				schema.Part(part))
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		program := strings.ReplaceAll(name, "_", "-")
		r := look()
		want := []string{program}
		switch {
		case strings.HasSuffix(name, "_api"):
			want = nil
		case program == "council-ingest": // council-ingest may also add statements
			want = []string{"clerk", program}
		}
		if len(r.Unreadable) > 0 || r.Partly != "" || !slices.Equal(r.Programs, want) {
			t.Errorf("%s: %+v", name, r)
		}
		if name == "rt_poller" {
			exec("REVOKE UPDATE ON transit.snapshot FROM " + role(name))
			r = look()
			if r.Partly != program || !slices.Equal(r.Lacking, []string{"snapshot"}) {
				t.Errorf("%s without a right: %+v", name, r)
			}
		}
		if name == "gtfs_import" {
			exec("REVOKE CREATE ON SCHEMA transit FROM " + role(name))
			r = look()
			if r.Partly != program || !slices.Equal(r.Lacking, []string{"new tables"}) {
				t.Errorf("%s without a right: %+v", name, r)
			}
		}
	}

	for name, query := range map[string]string{
		"council_api": "SELECT count(*) FROM council.vote",
		"transit_api": "SELECT count(*) FROM transit.stop_times",
	} {
		api := open(t, pgtest.As(t, address, role(name)), pg.Options{})
		var n int
		if err := api.QueryRow(t.Context(), query).Scan(&n); err != nil || n == 0 {
			t.Errorf("doctor of %s as %s: %d, %v", query, name, n, err)
		}
		if _, err := api.Exec(t.Context(), "CREATE TABLE "+half[name]+".own (a int)"); err == nil {
			t.Errorf("%s created a table", name)
		}
	}
	if err := gtfsimport.Remove(t.Context(), importer, "demo"); err != nil {
		t.Error(err)
	}
}

func TestMigrateRefusesWritersOfTheOtherHalf(t *testing.T) {
	t.Parallel()
	address := pgtest.EmptyURL(t)
	for _, args := range [][]string{
		{"--only", "council", "--writer", "rt-poller=a"},
		{"--writer", "transit-api=a"},
		{"--reader", "nobody_of_that_name"},
	} {
		var out bytes.Buffer
		if status := townline.Main(t.Context(), append([]string{"migrate", "--database-url", address}, args...),
			conf.Environ{}, &out, &out); status != 1 || !strings.Contains(out.String(), args[len(args)-1][:5]) {
			t.Errorf("%v: status %d\n%s", args, status, &out)
		}
	}
}

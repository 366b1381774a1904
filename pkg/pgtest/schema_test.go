package pgtest_test

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/schema"
)

var parts = []schema.Part{schema.Council, schema.Transit}

func open(t *testing.T, url string) *pgxpool.Pool {
	t.Helper()
	pool, err := pg.Open(t.Context(), url, pg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

func wantVersion(t *testing.T, pool *pgxpool.Pool, part schema.Part, want int64) {
	t.Helper()
	if have, _, err := schema.Version(t.Context(), pool, part); err != nil || have != want {
		t.Errorf("version of %s: %d, %v; want %d", part, have, err, want)
	}
}

// newest returns the number of the last migration of a part.
func newest(t *testing.T, part schema.Part) int64 {
	t.Helper()
	names, err := fs.Glob(schema.Files(), string(part)+"/*.sql")
	if err != nil || len(names) == 0 {
		t.Fatalf("migrations of %s: %v, %v", part, names, err)
	}
	newest, err := strconv.ParseInt(path.Base(names[len(names)-1])[:4], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return newest
}

func TestMigrationsAreNumberedAndExplained(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile(`^(\d{4})_[a-z0-9]+(_[a-z0-9]+)*\.sql$`)
	for _, part := range parts {
		entries, err := fs.ReadDir(schema.Files(), string(part))
		if err != nil {
			t.Fatal(err)
		}
		steps, err := fs.ReadDir(schema.Files(), "before/"+string(part))
		if err != nil {
			t.Fatal(err)
		}
		for i, e := range entries {
			m := name.FindStringSubmatch(e.Name())
			if m == nil {
				t.Errorf("%s/%s is not named like 0001_words.sql", part, e.Name())
				continue
			}
			if want := fmt.Sprintf("%04d", i+len(steps)); m[1] != want {
				t.Errorf("%s/%s: number %s expected", part, e.Name(), want)
			}
			b, err := fs.ReadFile(schema.Files(), path.Join(string(part), e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			if !explained(string(b)) {
				t.Errorf("%s/%s does not begin with a comment about its purpose", part, e.Name())
			}
		}
	}
}

// explained reports whether a comment stands before the first statement. Directives of goose do not
// count.
func explained(sql string) bool {
	for lines := bufio.NewScanner(strings.NewReader(sql)); lines.Scan(); {
		text, comment := strings.CutPrefix(strings.TrimSpace(lines.Text()), "--")
		text = strings.TrimSpace(text)
		switch {
		case !comment && text != "":
			return false
		case comment && text != "" && !strings.HasPrefix(text, "+goose"):
			return true
		}
	}
	return false
}

func TestFourMigratorsAtOnce(t *testing.T) {
	t.Parallel()
	url := pgtest.EmptyURL(t)
	var g errgroup.Group
	for range 4 {
		g.Go(func() error { return schema.Migrate(t.Context(), url, parts...) })
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	pool := open(t, url)
	for _, part := range parts {
		have, want, err := schema.Version(t.Context(), pool, part)
		if err != nil || have != want || want != newest(t, part) {
			t.Errorf("version of %s: %d of %d, %v; want %d", part, have, want, err, newest(t, part))
		}
		var twice bool
		err = pool.QueryRow(t.Context(), "SELECT count(*) <> count(DISTINCT version_id) FROM "+string(part)+
			".schema_version").Scan(&twice)
		if err != nil || twice {
			t.Errorf("%s: a migration was applied twice: %v, %v", part, twice, err)
		}
	}
}

func TestEachHalfAlone(t *testing.T) {
	t.Parallel()
	for i, part := range parts {
		t.Run(string(part), func(t *testing.T) {
			t.Parallel()
			url, other := pgtest.EmptyURL(t), parts[1-i]
			pool := open(t, url)
			wantVersion(t, pool, part, 0)
			if err := schema.Migrate(t.Context(), url, part); err != nil {
				t.Fatal(err)
			}
			wantVersion(t, pool, part, newest(t, part))
			wantVersion(t, pool, other, 0)
			var there bool
			if err := pool.QueryRow(t.Context(), "SELECT to_regnamespace($1) IS NOT NULL", string(other)).Scan(
				&there); err != nil || there {
				t.Errorf("schema %s exists: %v, %v", other, there, err)
			}
			// The other half is added later.
			if err := schema.Migrate(t.Context(), url, parts...); err != nil {
				t.Fatal(err)
			}
			wantVersion(t, pool, other, newest(t, other))
		})
	}
}

// After a rollback, an older program accepts migrations that it does not know.
func TestDatabaseAheadOfTheProgram(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	pool := open(t, url)
	if _, err := pool.Exec(t.Context(),
		"INSERT INTO council.schema_version (version_id, is_applied) VALUES (9999, true)"); err != nil {
		t.Fatal(err)
	}
	if err := schema.Migrate(t.Context(), url, parts...); err != nil {
		t.Fatal(err)
	}
	wantVersion(t, pool, schema.Council, 9999)
}

func TestMigrateRefuses(t *testing.T) {
	t.Parallel()
	url := pgtest.EmptyURL(t)
	if err := schema.Migrate(t.Context(), url, "trams"); err == nil || !strings.Contains(err.Error(), `"trams"`) {
		t.Errorf("unknown part: %v", err)
	}
	if err := schema.Migrate(t.Context(), "postgres://u:hush@[/x", schema.Council); err == nil ||
		strings.Contains(err.Error(), "hush") {
		t.Errorf("bad URL: %v", err)
	}
}

// The role of an API can read every current and future table of its half, but cannot write any.
func TestReaderRole(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	role := fmt.Sprintf("reader_%s", strings.ReplaceAll(pool.Config().ConnConfig.Database, "-", "_"))
	if _, err := pool.Exec(t.Context(), "CREATE ROLE "+role); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := pool.Exec(context.Background(), "DROP OWNED BY "+role+"; DROP ROLE "+role); err != nil {
			t.Error(err)
		}
	})
	if err := schema.GrantReader(t.Context(), pool, role, schema.Transit); err != nil {
		t.Fatal(err)
	}
	may := func(statement string) bool {
		tx, err := pool.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Rollback(t.Context())
		if _, err := tx.Exec(t.Context(), "SET ROLE "+role); err != nil {
			t.Fatal(err)
		}
		_, err = tx.Exec(t.Context(), statement)
		return err == nil
	}
	if _, err := pool.Exec(t.Context(), "CREATE TABLE transit.made_later (a int)"); err != nil {
		t.Fatal(err)
	}
	for statement, want := range map[string]bool{
		"SELECT version_id FROM transit.schema_version": true,
		"SELECT a FROM transit.made_later":              true,
		"INSERT INTO transit.made_later VALUES (1)":     false,
		"DROP TABLE transit.made_later":                 false,
		"CREATE TABLE transit.own (a int)":              false,
		"SELECT version_id FROM council.schema_version": false,
	} {
		if got := may(statement); got != want {
			t.Errorf("%s: allowed %v, want %v", statement, got, want)
		}
	}
}

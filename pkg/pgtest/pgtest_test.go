package pgtest_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/sync/errgroup"

	"github.com/townline/townline/pkg/embed/pgd"
	"github.com/townline/townline/pkg/pgtest"
)

func TestDatabasesAreSeparate(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	a, b := pgtest.New(t), pgtest.New(t)
	if _, err := a.Exec(ctx, "CREATE TABLE only_in_a ()"); err != nil {
		t.Fatal(err)
	}
	var there, council, transit bool
	err := b.QueryRow(ctx, `
		SELECT to_regclass('only_in_a') IS NOT NULL,
		       to_regclass('council.schema_version') IS NOT NULL,
		       to_regclass('transit.schema_version') IS NOT NULL`).Scan(&there, &council, &transit)
	if err != nil {
		t.Fatal(err)
	}
	if there || !council || !transit {
		t.Fatalf("table of another test exists: %v; migrated: council %v, transit %v", there, council, transit)
	}
}

func TestDatabaseEndsWithItsTest(t *testing.T) {
	t.Parallel()
	var url string
	t.Run("test", func(t *testing.T) {
		url = pgtest.EmptyURL(t)
		conn, err := pgx.Connect(t.Context(), url) // never closed, because a drop does not wait for it
		if err != nil {
			t.Fatal(err)
		}
		var there bool
		if err := conn.QueryRow(t.Context(), "SELECT to_regnamespace('council') IS NOT NULL").Scan(&there); err != nil ||
			there {
			t.Errorf("an empty database has a schema council: %v, %v", there, err)
		}
	})
	_, err := pgx.Connect(t.Context(), url)
	var e *pgconn.PgError
	if !errors.As(err, &e) || e.Code != "3D000" { // invalid_catalog_name
		t.Fatalf("connect to the dropped database: %v", err)
	}
}

// Several test binaries share the server of TEST_DATABASE_URL. They leave only the template.
func TestServerOfTheUser(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil { // if root runs the test, the server runs as another user
		t.Fatal(err)
	}
	s, err := pgd.Start(t.Context(), pgd.Options{DataDir: dir, Disposable: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	var g errgroup.Group
	for range 2 {
		g.Go(func() error {
			cmd := exec.Command(os.Args[0], "-test.run=^TestDatabasesAreSeparate$")
			cmd.Env = append(os.Environ(), "TEST_DATABASE_URL="+s.URL())
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Logf("%s", out)
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), s.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	rows, err := conn.Query(t.Context(), "SELECT datname FROM pg_database WHERE datname LIKE 'townline\\_test\\_%'")
	if err != nil {
		t.Fatal(err)
	}
	left, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(left) != 1 || !strings.HasPrefix(left[0], "townline_test_template_") {
		t.Fatalf("databases %v remain, %v; want only the template", left, err)
	}
}

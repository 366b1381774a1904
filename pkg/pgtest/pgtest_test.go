package pgtest_test

import (
	"testing"

	"github.com/townline/townline/pkg/pgtest"
)

func TestDatabasesAreApart(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	a, b := pgtest.New(t), pgtest.New(t)
	if _, err := a.Exec(ctx, "CREATE TABLE only_in_a ()"); err != nil {
		t.Fatal(err)
	}
	var there, migrated bool
	err := b.QueryRow(ctx, `SELECT to_regclass('only_in_a') IS NOT NULL, to_regclass('transit.schema_version') IS NOT NULL`).Scan(&there, &migrated)
	if err != nil {
		t.Fatal(err)
	}
	if there || !migrated {
		t.Fatalf("table of another test: %v, migrated: %v", there, migrated)
	}
}
func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		pgtest.URL(b)
	}
}

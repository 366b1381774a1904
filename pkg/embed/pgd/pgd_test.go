package pgd_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/embed/pgd"
)

func TestStart(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	s, err := pgd.Start(ctx, pgd.Options{DataDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Stop(context.Background()) })
	url, ok := pgd.Find(ctx, dir)
	if !ok || url != s.URL() {
		t.Fatalf("Find = %q, %v", url, ok)
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	var v string
	if err := conn.QueryRow(ctx, "SELECT version()").Scan(&v); err != nil {
		t.Fatal(err)
	}
	t.Log(url, v)
}

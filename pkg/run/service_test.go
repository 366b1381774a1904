package run

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/schema"
)

// A new writer that starts before the migration touches nothing until its schema is there.
func TestWritersWaitForTheirSchema(t *testing.T) {
	t.Parallel()
	url := pgtest.EmptyURL(t)
	pool, err := pg.Open(t.Context(), url, pg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	deps := Deps{DB: pool, Log: slog.New(slog.DiscardHandler)}
	writer := Service[struct{}]{Part: schema.Transit}
	short, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := writer.await(short, deps); err != nil || short.Err() == nil {
		t.Errorf("a writer goes on without a schema: %v", err)
	}
	reader := Service[struct{}]{Part: schema.Transit, Pool: pg.Options{ReadOnly: true}}
	if err := reader.await(t.Context(), deps); err != nil {
		t.Error(err)
	}
	if err := schema.Migrate(t.Context(), url, schema.Transit); err != nil {
		t.Fatal(err)
	}
	if err := writer.await(t.Context(), deps); err != nil {
		t.Error(err)
	}
}

package run

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/schema"
)

// A writer that starts before the migration waits for the schema.
func TestWritersWaitForTheirSchema(t *testing.T) {
	t.Parallel()
	url := pgtest.EmptyURL(t)
	pool, err := pg.Open(t.Context(), url, pg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	deps := Deps{DB: pool, Log: slog.New(slog.DiscardHandler)}
	writer := Program[struct{}]{Part: schema.Transit}
	short, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	writer.awaitSchema(short, deps)
	if short.Err() == nil {
		t.Error("a writer continues without a schema")
	}
	var logged bytes.Buffer
	ended := Deps{DB: pool, Log: slog.New(slog.NewTextHandler(&logged, nil))}
	writer.awaitSchema(short, ended)
	if logged.Len() > 0 {
		t.Errorf("a service that was stopped logs that it waits: %s", &logged)
	}
	reader := Program[struct{}]{Part: schema.Transit, Pool: pg.Options{ReadOnly: true}}
	soon, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	reader.awaitSchema(soon, deps)
	if err := schema.Migrate(t.Context(), url, schema.Transit); err != nil {
		t.Fatal(err)
	}
	writer.awaitSchema(soon, deps)
	if soon.Err() != nil {
		t.Error("a reader or a writer with its schema does not start")
	}
}

// A service reports errors in its files before it waits for the database.
func TestFilesAreReadFirst(t *testing.T) {
	t.Parallel()
	wrong := errors.New("transit.yaml:3: feeds[0].every: wrong")
	s := Program[struct{}]{
		Name: "service", Part: schema.Transit, Preflight: func(struct{}, conf.Environ) error { return wrong },
		Run: func(context.Context, struct{}, Deps) error { t.Error("Run was called"); return nil },
	}.Service()
	busy, err := net.Listen("tcp", "127.0.0.1:0") // the service opens the admin port before it waits for the schema
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	err = s.Serve(t.Context(), conf.Environ{"DATABASE_URL": pgtest.EmptyURL(t), "ADMIN_ADDR": busy.Addr().String()},
		Host{})
	if !errors.Is(err, wrong) {
		t.Errorf("Serve returns the error of a later step: %v", err)
	}
}

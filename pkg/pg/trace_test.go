package pg_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
)

// Statements of a traced transaction have spans, but their arguments are omitted. Statements
// without a trace have no spans.
func TestStatementsAreTraced(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	kept := tracetest.NewInMemoryExporter()
	ctx, span := sdktrace.NewTracerProvider(sdktrace.WithSyncer(kept)).Tracer("test").Start(t.Context(), "work")
	fail := errors.New("enough")
	for _, end := range []error{nil, fail} {
		err := pg.Tx(ctx, pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "CREATE TEMPORARY TABLE word (w text) ON COMMIT DROP"); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, "INSERT INTO word\n\tVALUES ($1)", "a secret"); err != nil {
				return err
			}
			if _, err := tx.CopyFrom(ctx, pgx.Identifier{"word"}, []string{"w"},
				pgx.CopyFromRows([][]any{{"a secret"}})); err != nil {
				return err
			}
			return end
		})
		if !errors.Is(err, end) {
			t.Fatal(err)
		}
	}
	if _, err := pool.Exec(ctx, "SELECT * FROM nowhere"); err == nil {
		t.Fatal("a query of a missing table has no error")
	}
	if _, err := pool.Exec(t.Context(), "UPDATE transit.feed SET name = name"); err != nil {
		t.Fatal(err)
	}
	span.End()
	var names []string
	for _, s := range kept.GetSpans() {
		names = append(names, s.Name)
		for _, a := range s.Attributes {
			if strings.Contains(a.Value.String(), "secret") || strings.Contains(a.Value.String(), "\n") {
				t.Errorf("%s contains %s", s.Name, a.Value.String())
			}
		}
		if s.Name == "SELECT" && !strings.Contains(s.Status.Description, "nowhere") {
			t.Errorf("the span does not report the failure: %v", s.Status)
		}
	}
	want := []string{"BEGIN", "CREATE", "INSERT", "COPY", "COMMIT", "BEGIN", "CREATE", "INSERT", "COPY", "ROLLBACK",
		"SELECT", "work"}
	// COPY first sends a separate statement that queries the table's columns.
	got := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "PREPARE" })
	if !slices.Equal(got, want) {
		t.Errorf("spans %v, want %v", names, want)
	}
}

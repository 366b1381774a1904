package tile

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// A slowly database answers each query when the test releases it, with an error or without rows.
type slowly struct {
	asked  chan context.Context
	answer chan error
}

func (s slowly) Query(ctx context.Context, _ string, _ ...any) (pgx.Rows, error) {
	s.asked <- ctx
	if err := <-s.answer; err != nil {
		return nil, err
	}
	return noRows{}, nil
}

type noRows struct{ pgx.Rows }

func (noRows) Close()                                       {}
func (noRows) Err() error                                   { return nil }
func (noRows) Next() bool                                   { return false }
func (noRows) CommandTag() pgconn.CommandTag                { return pgconn.CommandTag{} }
func (noRows) FieldDescriptions() []pgconn.FieldDescription { return nil }

// A network continues to load after its request has ended. It is loaded once for all waiting
// requests, and retried some time after an error.
func TestNetworksLoadIndependentlyOfRequests(t *testing.T) {
	t.Parallel()
	f := feedAt("a", [2]float64{1, 1})
	db := slowly{make(chan context.Context, 10), make(chan error)}
	all := Loader{Log: slog.New(slog.DiscardHandler)}
	ended := errors.New("the request has ended")
	short, end := context.WithCancelCause(t.Context())
	end(ended)
	if _, err := all.Network(short, db, f); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v, want the error of the ended request", err)
	}
	if reading := <-db.asked; reading.Err() != nil {
		t.Errorf("loading stopped with the request: %v", reading.Err())
	}

	broken := errors.New("no connection")
	failed := make(chan error, 2)
	for range 2 {
		done := all.Begin(t.Context(), db, f)
		go func() {
			<-done
			_, err := State(f.Edition)
			failed <- err
		}()
	}
	db.answer <- broken
	for range 2 {
		if err := <-failed; !errors.Is(err, broken) {
			t.Errorf("%v, want %v", err, broken)
		}
	}
	if len(db.asked) > 0 {
		t.Errorf("%d more loads started during the first", len(db.asked))
	}

	// The error is cached, and a later request loads again.
	if _, err := all.Network(t.Context(), db, f); !errors.Is(err, broken) || len(db.asked) > 0 {
		t.Errorf("%v, want the cached %v", err, broken)
	}
	loadingOf(f.Edition).retryAt = time.Time{}
	all.Begin(t.Context(), db, f)
	<-db.asked // the feed has no shapes
	db.answer <- nil
	for range 2 {
		if n, err := all.Network(t.Context(), db, f); err != nil || n == nil {
			t.Errorf("%v, %v", n, err)
		}
	}
}

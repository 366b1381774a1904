package transitapi

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// countedDB counts queries.
type countedDB struct {
	rest.DB
	queries atomic.Int64
}

func (db *countedDB) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	db.queries.Add(1)
	return db.DB.Query(ctx, sql, args...)
}

func TestMemoIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	db := &countedDB{DB: replica.DB{DB: w.db}}
	var m memo[pattern]
	get := func(n int32, limit int) *pattern {
		t.Helper()
		p, err := m.get(t.Context(), db, patternByNumber, numbered{2, n}, limit)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	const limit = 12 // calls, and one for each pattern
	first := get(0, limit)
	if get(0, limit) != first || db.queries.Load() != 1 {
		t.Errorf("%d queries for one pattern", db.queries.Load())
	}
	for range 5 {
		for n := range int32(5) {
			if p := get(n, limit); len(p.StopSequence) == 0 {
				t.Errorf("pattern %d is empty", n)
			}
			if len(m.rows) == 0 || m.held > limit {
				t.Fatalf("%d rows of %d calls kept", len(m.rows), m.held)
			}
		}
	}
	if _, err := m.get(t.Context(), db, patternByNumber, numbered{2, 99}, limit); err == nil {
		t.Error("a pattern that is not there was found")
	}
}

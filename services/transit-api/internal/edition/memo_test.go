package edition

import (
	"context"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/maypok86/otter/v2"

	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/kept"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// feedDB returns a database with the feed of the API's tests.
func feedDB(t testing.TB) *pgxpool.Pool {
	t.Helper()
	db := pgtest.New(t)
	sql, err := os.ReadFile("../../testdata/feed.sql")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(t.Context(), string(sql)); err != nil {
		t.Fatalf("testdata/feed.sql: %v", err)
	}
	return db
}

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
	db := &countedDB{DB: replica.DB{DB: feedDB(t)}}
	e := New(nil, nil)
	e.db, e.version = db, 2
	const limit = 600 // bytes: a few of the profiles
	cache, ok := kept.NewCache(limit).(*otter.Cache[kept.Key, kept.Row])
	if !ok {
		t.Fatal("the cache is of another type")
	}
	e.profiles.Cache = cache
	get := func(which ...int32) map[int32]*Profile {
		t.Helper()
		p, err := e.profiles.Get(t.Context(), which, All)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	first := get(0)[0]
	if get(0)[0] != first || db.queries.Load() != 1 {
		t.Errorf("%d queries for one profile", db.queries.Load())
	}
	for range 5 {
		for n := range int32(4) {
			if p := get(n)[n]; p == nil || len(p.Departures) == 0 {
				t.Errorf("profile %d is empty", n)
			}
			cache.CleanUp()
			if cache.EstimatedSize() == 0 || cache.WeightedSize() > limit {
				t.Fatalf("%d rows with %d bytes are cached", cache.EstimatedSize(), cache.WeightedSize())
			}
		}
	}
	if found := get(0, 1, 2, 3, 99); len(found) != 4 {
		t.Errorf("%d of 4 profiles", len(found))
	}
	if _, err := e.profiles.Get(t.Context(), []int32{0, 1, 2, 3}, 5*profileCallBytes); err != kept.ErrTooMuch {
		t.Errorf("get above the caller's limit: %v", err)
	}
	for _, w := range []RunKey{{99, 0}, {0, 99}} {
		if _, err := e.Calls(t.Context(), w); err != pgx.ErrNoRows {
			t.Errorf("calls of run %v, whose pattern or profile is unknown: %v", w, err)
		}
	}
}

// Concurrent requests read each row once, also if some of them allow fewer rows than there are.
func TestMemoReadsOnce(t *testing.T) {
	t.Parallel()
	e := New(nil, nil)
	e.db, e.version = replica.DB{DB: feedDB(t)}, 2
	var read atomic.Int64
	from := e.patterns.Read
	e.patterns.Read = func(ctx context.Context, which []int32, each func(int32, *Pattern, int) error) error {
		read.Add(int64(len(which)))
		return from(ctx, which, each)
	}
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if found, err := e.patterns.Get(t.Context(), []int32{0, 1, 2, 3, 4}, All); err != nil || len(found) != 5 {
				t.Errorf("%d patterns, %v", len(found), err)
			}
		})
	}
	all.Wait()
	if n := read.Load(); n != 5 {
		t.Errorf("%d rows were read", n)
	}
	e.patterns.Cache = kept.NewCache(keptBytes)
	for n := range 50 {
		all.Go(func() {
			most := All
			if n%2 == 0 {
				most = 1
			}
			found, err := e.patterns.Get(t.Context(), []int32{0, 1, 2, 3, 4}, most)
			if n%2 == 0 && err != kept.ErrTooMuch || n%2 == 1 && (err != nil || len(found) != 5) {
				t.Errorf("%d patterns with a limit of %d bytes, %v", len(found), most, err)
			}
		})
	}
	all.Wait()
}

// A slow read of some rows does not delay the read of others.
func TestSlowReadDelaysItselfAlone(t *testing.T) {
	t.Parallel()
	e := New(nil, nil)
	begun, end := make(chan struct{}), make(chan struct{})
	e.patterns.Read = func(_ context.Context, which []int32, each func(int32, *Pattern, int) error) error {
		if which[0] == 0 {
			close(begun)
			<-end
		}
		for _, n := range which {
			if err := each(n, &Pattern{Number: n}, 1); err != nil {
				return err
			}
		}
		return nil
	}
	slow := make(chan error)
	go func() {
		_, err := e.patterns.Get(t.Context(), []int32{0}, All)
		slow <- err
	}()
	<-begun
	if found, err := e.patterns.Get(t.Context(), []int32{7, 8, 9}, All); err != nil || len(found) != 3 {
		t.Errorf("%d of 3 patterns, %v", len(found), err)
	}
	close(end)
	if err := <-slow; err != nil {
		t.Error(err)
	}
}

func TestCallsOfOneTripAreReadAtOnce(t *testing.T) {
	t.Parallel()
	db := &countedDB{DB: replica.DB{DB: feedDB(t)}}
	e := New(nil, nil)
	e.db, e.version = db, 2
	for range 2 {
		calls, err := e.Calls(t.Context(), RunKey{0, 1})
		if err != nil || calls.Pattern.Number != 0 || calls.Profile.Number != 1 || len(calls.StopSequence) == 0 ||
			len(calls.Departures) == 0 {
			t.Fatalf("%+v, %v", calls, err)
		}
	}
	if n := db.queries.Load(); n != 1 {
		t.Errorf("%d queries", n)
	}
	if _, err := e.Calls(t.Context(), RunKey{0, 99}); err != pgx.ErrNoRows {
		t.Errorf("a missing profile: %v", err)
	}
}

package files

import (
	"log/slog"
	"testing"
	"time"

	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/council-api/internal/dump"
)

// The loop exports only generations that last.
func TestExportFollowsTheDataset(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	exports := NewExporter(run.Deps{DB: db, Log: slog.New(slog.DiscardHandler)}, dump.Options{Dirs: []string{t.TempDir()},
		MaxBytes: 64 << 20})
	step := func(sql string) int64 {
		t.Helper()
		if sql != "" {
			if _, err := db.Exec(t.Context(), sql); err != nil {
				t.Fatal(err)
			}
		}
		if err := exports.follow(t.Context()); err != nil {
			t.Fatal(err)
		}
		exports.took = 0 // no pause is necessary
		return exports.current.Load().Generation
	}
	for i, c := range []struct {
		sql  string
		want int64
	}{
		{"UPDATE council.dataset SET generation = 1", 1}, // the first export starts at once
		{"UPDATE council.dataset SET generation = 2, updated_at = now()", 1},
		{"UPDATE council.dataset SET generation = 3, updated_at = now()", 1},
		{"UPDATE council.dataset SET updated_at = now() - interval '1 minute'", 3},
		{"", 3},
	} {
		if got := step(c.sql); got != c.want {
			t.Errorf("step %d: exported generation %d, want %d", i, got, c.want)
		}
	}
	if _, err := db.Exec(t.Context(), "UPDATE council.dataset SET generation = 4"); err != nil {
		t.Fatal(err)
	}
	exports.ended, exports.took = time.Now(), time.Hour
	if err := exports.follow(t.Context()); err != nil || exports.current.Load().Generation != 3 {
		t.Errorf("exported generation %d during the pause, %v", exports.current.Load().Generation, err)
	}
}

package councilingest

import (
	"log/slog"
	"testing"
	"time"

	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/run"
)

// The files follow generations that last. After the start and after an ingest, they do not wait.
func TestFilesFollowTheDataset(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	cfg := &Config{ExportDir: t.TempDir(), ExportBytes: 64 << 20, PublicURL: "https://votes.example/"}
	p := newFilePublisher(run.Deps{DB: db, Log: slog.New(slog.DiscardHandler)}, cfg.base(), cfg.ExportDir, cfg.ExportBytes)
	if p.opts.Base != "https://votes.example/v1" {
		t.Errorf("the base is %s", p.opts.Base)
	}
	for i, c := range []struct {
		sql   string
		ended bool // an ingest has ended
		pause bool // the last publication was just now
		want  int64
	}{
		{"SELECT", false, true, 0}, // the first files
		{"UPDATE council.dataset SET generation = 1, updated_at = now() - interval '1 minute'", false, false, 1},
		{"UPDATE council.dataset SET generation = 2, updated_at = now()", false, false, 1},
		{"UPDATE council.dataset SET generation = 3, updated_at = now()", false, false, 1},
		{"SELECT", true, true, 3},
		{"UPDATE council.dataset SET generation = 4, updated_at = now() - interval '30 s'", false, true, 3},
		{"SELECT", false, false, 4},
		{"UPDATE council.dataset SET generation = 2, updated_at = now() - interval '1 h'", false, false, 2}, // a restore
	} {
		if _, err := db.Exec(t.Context(), c.sql); err != nil {
			t.Fatal(err)
		}
		if !c.pause {
			p.at = p.at.Add(-filesPause)
		}
		p.ended.Store(c.ended)
		if err := p.follow(t.Context()); err != nil {
			t.Fatal(err)
		}
		var got int64
		if err := db.QueryRow(t.Context(), `SELECT max(generation) FROM council.export WHERE export_id IN
			(SELECT max(export_id) FROM council.export GROUP BY name)`).Scan(&got); err != nil || got != c.want {
			t.Errorf("step %d: files of generation %d, want %d, %v", i, got, c.want, err)
		}
	}
	// After a long publication, the pause is longer.
	p.took, p.at = time.Hour, time.Now().Add(-2*time.Hour)
	if _, err := db.Exec(t.Context(), `UPDATE council.dataset SET generation = 9`); err != nil {
		t.Fatal(err)
	}
	if err := p.follow(t.Context()); err != nil || p.published.Generation != 2 {
		t.Errorf("files of generation %d during the pause, %v", p.published.Generation, err)
	}
}

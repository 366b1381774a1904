package live

import (
	"log/slog"
	"testing"
	"time"

	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/transit-api/internal/edition"
)

// However streams end, they soon count no more.
func TestNewsIsAwaitedForAWhile(t *testing.T) {
	t.Parallel()
	n, now := NewNews(), time.Now()
	if n.awaited(now) {
		t.Error("awaited before anybody came")
	}
	ch := n.Changed()
	if !n.awaited(now.Add(awaitedFor/2)) || n.awaited(now.Add(2*awaitedFor)) {
		t.Error("a stream counts for another time than it should")
	}
	n.Tell()
	<-ch
	if n.awaited(now) {
		t.Error("awaited after everybody was told")
	}
}

// A replica that has not read everything yet is not ready: it would answer 503.
func TestNotReadyBeforeTheFirstRefresh(t *testing.T) {
	t.Parallel()
	deps := run.Deps{DB: pgtest.New(t), Log: slog.New(slog.DiscardHandler)}
	dir := edition.NewDirectory(deps, 1<<20, time.Now)
	l := New(deps, dir, NewNews())
	if l.Ready(t.Context()) == nil {
		t.Error("ready before anything was read")
	}
	if l.Refresh(t.Context()) == nil {
		t.Error("read without feeds")
	}
	if err := dir.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := l.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := l.Ready(t.Context()); err != nil {
		t.Error(err)
	}
}

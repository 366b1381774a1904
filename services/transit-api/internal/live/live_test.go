package live

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/transit-api/internal/edition"
)

func TestEndedStreamsSoonStopCounting(t *testing.T) {
	t.Parallel()
	n, now := NewNews(), time.Now()
	if n.hasReaders(now) {
		t.Error("has readers before the first stream")
	}
	ch := n.Changed()
	if !n.hasReaders(now.Add(awaitedFor/2)) || n.hasReaders(now.Add(2*awaitedFor)) {
		t.Error("a stream counts as a reader for too long or too short a time")
	}
	n.Notify()
	<-ch
	if n.hasReaders(now) {
		t.Error("has readers after the change")
	}
}

// A clock that jumps, or differs from the database's clock, does not stop refresh requests.
func TestRefreshRequestsSurviveAClockThatJumps(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	s := &SourceState{sourceRow: sourceRow{StaleAfter: 30 * time.Second}, demand: &demand{}}
	for _, step := range []struct {
		name    string
		fetched time.Duration // time of the fetch, relative to at; 0 means never
		now     time.Duration
		want    bool
	}{
		{"never polled", 0, 0, true},
		{"requested just now", 0, requestAgain / 2, false},
		{"requested by a reader whose clock was read a little earlier", 0, -time.Millisecond, false},
		{"not answered", 0, requestAgain, true},
		{"fresh", time.Second, 31 * time.Second, false},
		{"stale", time.Second, 32 * time.Second, true},
		{"the clock is set back by an hour", 0, -time.Hour, true},
		{"requested just now, by the clock that was set back", 0, -time.Hour + requestAgain/2, false},
		{"the clock is set forward by a day", 0, 24 * time.Hour, true},
		{"a little ahead is fresh", maxSkew, time.Second, false},
		{"polled an hour ahead, by the clock of the database", time.Hour, 0, true},
	} {
		s.FetchedAt = nil
		if step.fetched != 0 {
			fetched := at.Add(step.fetched)
			s.FetchedAt = &fetched
		}
		if got := s.isDue(at.Add(step.now)); got != step.want {
			t.Errorf("%s: %v", step.name, got)
		}
	}
}

func TestNotReadyBeforeTheFirstRefresh(t *testing.T) {
	t.Parallel()
	deps := run.Deps{DB: pgtest.New(t), Log: slog.New(slog.DiscardHandler)}
	dir := edition.NewDirectory(deps, 1<<20, time.Now)
	l := New(deps, dir, NewNews())
	if l.Ready(t.Context()) == nil {
		t.Error("ready before the first refresh")
	}
	if l.Refresh(t.Context()) == nil {
		t.Error("refreshed without feeds")
	}
	if err := dir.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := l.View("", conf.Alerts); !errors.Is(err, ErrNotRead) {
		t.Errorf("before the first refresh: %v", err)
	}
	if err := l.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := l.Ready(t.Context()); err != nil {
		t.Error(err)
	}
}

// A client waits for the poll of a source that is stale, coldFor at most. Where a source does not
// answer, only the first clients after a quiet time wait, and nobody waits for a poll that
// min_interval does not allow.
func TestClientsWaitForAStaleSource(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	s := &SourceState{sourceRow: sourceRow{StaleAfter: 30 * time.Second, MinInterval: 10 * time.Second}, demand: &demand{}}
	for _, step := range []struct {
		name            string
		now, poll, wait time.Duration // poll is the time of the last poll, 0 for never
	}{
		{"never polled", 0, 0, coldFor},
		{"another client waits for the same poll", time.Second, 0, coldFor - time.Second},
		{"it did not come", 2 * time.Second, 0, 0},
		{"nor later", 20 * time.Second, 0, 0},
		{"the first client of a quiet minute", 80 * time.Second, 0, coldFor},
		{"polled", 81 * time.Second, 81 * time.Second, 0},
		{"still fresh", 111 * time.Second, 81 * time.Second, 0},
		{"stale", 112 * time.Second, 81 * time.Second, coldFor},
		{"stale for two seconds", 114 * time.Second, 81 * time.Second, 0},
		{"after an hour", time.Hour, 81 * time.Second, coldFor},
	} {
		s.FetchedAt = nil
		if step.poll != 0 {
			fetched := at.Add(step.poll)
			s.FetchedAt = &fetched
		}
		now := at.Add(step.now)
		if got := max(0, s.awaited(now, coldFor).Sub(now)); got != step.wait {
			t.Errorf("%s: waits %s, want %s", step.name, got, step.wait)
		}
	}
	s.MinInterval = 10 * time.Minute
	now := at.Add(3 * time.Hour)
	fetched := now.Add(-9 * time.Minute)
	s.FetchedAt = &fetched
	if until := s.awaited(now, coldFor); !until.IsZero() {
		t.Errorf("waits until %s, and the source cannot be polled", until)
	}
}

// One poll ends the wait, even if its answer is already stale: a large message of a source with a
// short stale_after can be read too late.
func TestAPollEndsTheWaitOfAClient(t *testing.T) {
	t.Parallel()
	d := &demand{}
	at := func(fetched time.Time) *moment {
		s := &SourceState{sourceRow: sourceRow{StaleAfter: 10 * time.Millisecond, FetchedAt: &fetched}, demand: d}
		view := map[string]*View{conf.Alerts: {all: []*SourceState{s}}}
		return &moment{number: 1, views: map[string]map[string]*View{"a": view}}
	}
	came := time.Now()
	before := at(came.Add(-time.Minute))
	polled := map[*demand]time.Time{d: came.Add(-time.Minute)}
	if !before.awaits(polled, []string{"a"}, []string{conf.Alerts}) {
		t.Error("does not wait for a poll")
	}
	after := at(came.Add(-time.Second))
	if after.awaits(polled, []string{"a"}, []string{conf.Alerts}) {
		t.Error("waits for a second poll")
	}
}

// stalled is a DB that does not answer reads of the snapshot of one source until it is released.
type stalled struct {
	*pgxpool.Pool
	source   string
	released chan struct{}
}

func (d *stalled) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if strings.Contains(sql, "transit.snapshot") && strings.Contains(fmt.Sprint(args...), d.source) {
		select {
		case <-d.released:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return d.Pool.Query(ctx, sql, args...)
}

// Each source is served as soon as it has been read; one that the database does not give delays
// itself alone, now and at later refreshes.
func TestASlowSourceDelaysItselfAlone(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	deps := run.Deps{DB: pool, Log: slog.New(slog.DiscardHandler)}
	dir := edition.NewDirectory(deps, 1<<20, time.Now)
	if err := dir.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	store := func(source string) {
		t.Helper()
		_, err := pool.Exec(t.Context(), `
			INSERT INTO transit.source (alias, source, kind, stale_after, min_interval)
			  VALUES ($1, 'alerts/0', 'alerts', '30 s', '10 s') ON CONFLICT DO NOTHING`, source)
		if err == nil {
			_, err = pool.Exec(t.Context(), `
				WITH n AS (INSERT INTO transit.snapshot (alias, source, fetched_at, header_timestamp, trip_updates, vehicles,
				    alerts, sha256, data)
				  VALUES ($1, 'alerts/0', now(), 0, 0, 0, 0, '', '\x0a050a03322e30') RETURNING snapshot_id)
				UPDATE transit.source SET snapshot_id = n.snapshot_id, fetched_at = now() FROM n WHERE alias = $1`, source)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range 20 {
		store(fmt.Sprint("feed", i))
	}
	l := New(deps, dir, NewNews())
	db := &stalled{Pool: pool, source: "feed7", released: make(chan struct{})}
	l.db = db
	ctx, cancel := context.WithCancel(t.Context())
	var reads sync.WaitGroup
	defer reads.Wait()
	defer cancel()
	until := func(want string, holds func() bool) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); !holds(); {
			if time.Now().After(deadline) {
				t.Fatalf("not %s", want)
			}
			now := l.now.Load()
			if holds() {
				return
			}
			select {
			case <-now.replaced:
			case <-time.After(100 * time.Millisecond):
			}
		}
	}
	served := func(alias string) int64 {
		v, err := l.View(alias, conf.Alerts)
		if err != nil || len(v.Sources) == 0 {
			return 0
		}
		return v.Sources[0].ID
	}
	if err := l.begin(ctx, ctx, &reads); err != nil {
		t.Fatal(err)
	}
	until("all others are served", func() bool {
		v, err := l.View("", conf.Alerts)
		return err == nil && len(v.Sources) == 19
	})
	if _, err := l.View("feed7", conf.Alerts); !errors.Is(err, ErrNotRead) {
		t.Errorf("the slow source: %v", err)
	}
	if l.Ready(ctx) == nil {
		t.Error("ready although a source has not been read")
	}
	before := served("feed3")
	store("feed3")
	if err := l.begin(ctx, ctx, &reads); err != nil {
		t.Fatal(err)
	}
	until("a new snapshot is served", func() bool { return served("feed3") > before })
	close(db.released)
	until("the slow source is served", func() bool { return served("feed7") > 0 })
	if err := l.Ready(ctx); err != nil {
		t.Error(err)
	}
}

// meddled is a DB that runs statements between the list of sources and the read of a snapshot.
type meddled struct {
	*pgxpool.Pool
	between string
}

func (m *meddled) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if m.between != "" && strings.Contains(sql, "transit.snapshot") {
		if _, err := m.Exec(ctx, m.between); err != nil {
			return nil, err
		}
		m.between = ""
	}
	return m.Pool.Query(ctx, sql, args...)
}

// If the poller replaces or removes a source between the list of sources and the read of a
// snapshot, readers get the current data without an error.
func TestSourcesChangeWhileTheyAreRead(t *testing.T) {
	t.Parallel()
	const (
		// The statement store stores a new snapshot and deletes the others, like a poll.
		store = `
			INSERT INTO transit.source (alias, source, kind, stale_after, min_interval)
			  VALUES ('metro', 'alerts/0', 'alerts', '30 s', '10 s') ON CONFLICT DO NOTHING;
			WITH n AS (INSERT INTO transit.snapshot (alias, source, fetched_at, header_timestamp, trip_updates, vehicles, alerts,
			  sha256, data)
			           VALUES ('metro', 'alerts/0', now(), 0, 0, 0, 0, '', '\x0a050a03322e30') RETURNING snapshot_id)
			UPDATE transit.source SET snapshot_id = n.snapshot_id, fetched_at = now() FROM n;
			DELETE FROM transit.snapshot s WHERE NOT EXISTS (SELECT FROM transit.source WHERE snapshot_id = s.snapshot_id);`
		remove = `DELETE FROM transit.source;`
	)
	var log bytes.Buffer
	pool := pgtest.New(t)
	deps := run.Deps{DB: pool, Log: slog.New(slog.NewTextHandler(&log, nil))}
	dir := edition.NewDirectory(deps, 1<<20, time.Now)
	if err := dir.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	db := &meddled{Pool: pool}
	l := New(deps, dir, NewNews())
	l.db = db
	for _, step := range []struct {
		name, before, between string
		sources               int
		snapshot              bool // the snapshot that is stored now
	}{
		{"the first snapshot is replaced", store, store, 1, true},
		{"a later one is replaced", store, store, 1, true},
		{"the source is removed", store, remove, 0, false},
		{"a new source is removed", store, remove, 0, false},
		{"it has a new row for another address", store, remove + `INSERT INTO transit.source (alias, source, kind,
			stale_after, min_interval) VALUES ('metro', 'alerts/0', 'alerts', '30 s', '10 s')`, 1, false},
		{"and polled", store, "", 1, true},
	} {
		if _, err := pool.Exec(t.Context(), step.before); err != nil {
			t.Fatal(err)
		}
		db.between = step.between
		if err := l.Refresh(t.Context()); err != nil || db.between != "" {
			t.Fatalf("%s: %v; not read: %q", step.name, err, db.between)
		}
		if log.Len() > 0 {
			t.Errorf("%s: logged %s", step.name, log.String())
			log.Reset()
		}
		v, err := l.View("", conf.Alerts)
		if err != nil {
			t.Fatal(err)
		}
		if len(v.all) != step.sources || (len(v.Sources) == 1) != step.snapshot {
			t.Errorf("%s: %d sources, %d with a snapshot", step.name, len(v.all), len(v.Sources))
			continue
		}
		if !step.snapshot {
			continue
		}
		var stored int64
		if err := pool.QueryRow(t.Context(), `SELECT snapshot_id FROM transit.source`).Scan(&stored); err != nil ||
			v.Sources[0].ID != stored || *v.Sources[0].SnapshotID != stored {
			t.Errorf("%s: serves snapshot %d, stored is %d: %v", step.name, v.Sources[0].ID, stored, err)
		}
		seen := l.now.Load()
		if err := l.Refresh(t.Context()); err != nil || l.now.Load() != seen {
			t.Errorf("%s: second refresh without a change: %v", step.name, err)
		}
	}
	// A row that refers to a missing snapshot is logged once.
	if _, err := pool.Exec(t.Context(), `UPDATE transit.source SET snapshot_id = 1000, fetched_at = now()`); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := l.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(log.String(), "snapshot 1000"); n != 1 {
		t.Errorf("%d log lines: %s", n, log.String())
	}
	if v, err := l.View("", conf.Alerts); err != nil || len(v.Sources) != 1 {
		t.Errorf("the last data was dropped: %v", err)
	}
}

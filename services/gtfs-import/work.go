package gtfsimport

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/run"
)

// States of an import in transit.feed_work.
const (
	waiting   = "waiting"
	fetching  = "fetching"
	importing = "importing"
)

const (
	// zipsAtOnce is how many zips a process may have on disk.
	zipsAtOnce = 8
	// rowsOnDisk is left for late rows (package gather) of all imports together.
	rowsOnDisk = 4 << 30
	// ScratchBytes is how much a process may put into its folder for temporary files.
	ScratchBytes = zipsAtOnce*MaxZipBytes + rowsOnDisk
	// lease is how long a claim is valid without being renewed.
	lease      = 5 * time.Second
	renewEvery = time.Second
	// retryEvery is how often an import that waits for a claim tries to get it.
	retryEvery = 100 * time.Millisecond
)

// turns bound how many zips and imports a process has at once. Nil channels bound nothing.
type turns struct {
	zips    chan struct{}
	imports chan struct{}
}

// newTurns leaves one connection of the pool to everything else, if there are more.
func newTurns(imports, conns int) turns {
	return turns{zips: make(chan struct{}, zipsAtOnce), imports: make(chan struct{}, max(1, min(imports, conns-1)))}
}

// take waits for a turn; give gives it back.
func take(ctx context.Context, turns chan struct{}) (give func(), err error) {
	if turns == nil {
		return func() {}, nil
	}
	select {
	case turns <- struct{}{}:
		return func() { <-turns }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// claim claims the feed for this import. While another import has a claim it waits with Wait, and returns ErrBusy without.
func (im *importer) claim(ctx context.Context) (giveUp func(), err error) {
	for {
		err = im.deps.DB.QueryRow(ctx, `
			INSERT INTO transit.feed_work AS w (alias, claim, state) VALUES ($1, gen_random_uuid(), $2)
			ON CONFLICT (alias) DO UPDATE SET claim = excluded.claim, state = excluded.state, since = now(), seen_at = now()
			WHERE w.seen_at < now() - $3::interval
			RETURNING claim::text`, im.Alias, waiting, lease).Scan(&im.claimed)
		switch {
		case err == nil:
			renewing := run.NewGroup(ctx)
			alias, claimed := im.Alias, im.claimed
			renewing.Watch(func(ctx context.Context) { renew(ctx, im.deps, alias, claimed) })
			return func() {
				_ = renewing.Stop()
				im.giveUp(ctx)
			}, nil
		case !errors.Is(err, pgx.ErrNoRows):
			return nil, fmt.Errorf("claim the feed: %w", err)
		case !im.Wait:
			return nil, ErrBusy
		case !run.Sleep(ctx, retryEvery):
			return nil, ctx.Err()
		}
	}
}

// renew renews a claim until ctx ends. It runs beside the import, which changes its own fields: so it takes what it needs as arguments.
func renew(ctx context.Context, deps run.Deps, alias, claimed string) {
	for run.Sleep(ctx, renewEvery) {
		_, err := deps.DB.Exec(ctx, `UPDATE transit.feed_work SET seen_at = now() WHERE alias = $1 AND claim = $2::uuid`, alias, claimed)
		if err != nil && ctx.Err() == nil {
			deps.Log.Debug("cannot renew the claim of a feed", "feed", alias, "error", err)
		}
	}
}

// giveUp ends the claim. If that fails, the lease runs out.
func (im *importer) giveUp(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lease)
	defer cancel()
	for range 2 { // the first connection may be dead
		_, err := im.deps.DB.Exec(ctx, `DELETE FROM transit.feed_work WHERE alias = $1 AND claim = $2::uuid`, im.Alias, im.claimed)
		if err == nil {
			return
		}
	}
}

// say records the state of the import. A failure to do so does not matter to the import.
func (im *importer) say(ctx context.Context, db querier, state string) {
	_, err := db.Exec(ctx, `
		UPDATE transit.feed_work SET state = $3, since = now(), seen_at = now() WHERE alias = $1 AND claim = $2::uuid`, im.Alias, im.claimed, state)
	if err != nil {
		im.deps.Log.Debug("cannot record the state of an import", "feed", im.Alias, "state", state, "error", err)
	}
}

// Work is an import under way.
type Work struct {
	Alias string `db:"alias" json:"alias"`
	// State is waiting (for its turn), fetching or importing.
	State string    `db:"state" json:"state"`
	Since time.Time `db:"since" json:"since"`
}

// ListWork returns the imports under way in all processes, oldest first.
func ListWork(ctx context.Context, deps run.Deps) ([]Work, error) {
	rows, err := deps.DB.Query(ctx, `
		SELECT alias, state, since FROM transit.feed_work WHERE seen_at >= now() - $1::interval ORDER BY since, alias`, lease)
	if err != nil {
		return nil, fmt.Errorf("list imports under way: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[Work])
}

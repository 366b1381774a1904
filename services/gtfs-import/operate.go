package gtfsimport

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/run"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
)

// Rollback imports the other stored zip, which was live before, with the current manual rows. A
// second rollback undoes the first. The schedule does not import the bytes that were rolled back.
func Rollback(ctx context.Context, deps run.Deps, alias string, progress func(string, int64, int64)) (*Report, error) {
	var sum []byte
	err := deps.DB.QueryRow(ctx, `
		SELECT z.sha256
		FROM transit.feed f
		JOIN transit.feed_version live USING (version_id)
		JOIN transit.feed_version v ON v.feed_id = f.feed_id AND v.imported_at IS NOT NULL AND v.sha256 <> live.sha256
		JOIN transit.feed_zip z ON z.feed_id = f.feed_id AND z.n = 0 AND z.sha256 = v.sha256
		WHERE f.alias = $1 ORDER BY v.version_id DESC LIMIT 1`, alias).Scan(&sum)
	if errors.Is(err, pgx.ErrNoRows) {
		if _, err := OneFeed(ctx, deps, alias); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("roll back %s: no other zip of it is stored", alias)
	}
	if err != nil {
		return nil, fmt.Errorf("roll back %s: %w", alias, err)
	}
	return Import(ctx, deps, Request{Alias: alias, Force: true, Wait: true, Progress: progress, stored: sum})
}

// Reimport imports the live zip again, with the current manual rows.
func Reimport(ctx context.Context, deps run.Deps, alias string, progress func(string, int64, int64)) (*Report, error) {
	var sum []byte
	err := deps.DB.QueryRow(ctx, `
		SELECT live.sha256 FROM transit.feed f JOIN transit.feed_version live USING (version_id)
		       WHERE f.alias = $1`, alias).Scan(&sum)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("feed %s has no live version: %w", alias, ErrNoFeed)
	}
	if err != nil {
		return nil, fmt.Errorf("import %s again: %w", alias, err)
	}
	return Import(ctx, deps, Request{Alias: alias, Force: true, Wait: true, Progress: progress, stored: sum})
}

// Remove removes a feed, its manual rows and its stored zips. Sweep drops its versions later.
func Remove(ctx context.Context, deps run.Deps, alias string) error {
	im := &importer{Request: Request{Alias: alias, Wait: true}, deps: deps}
	release, err := im.claim(ctx)
	if err != nil {
		return fmt.Errorf("remove %s: %w", alias, err)
	}
	defer release()
	if err := remove(ctx, deps, alias); err != nil {
		return fmt.Errorf("remove %s: %w", alias, err)
	}
	deps.Events.Publish(ctx, &eventsv1.FeedRemoved{Alias: alias})
	return nil
}

func remove(ctx context.Context, deps run.Deps, alias string) error {
	return pgx.BeginFunc(ctx, deps.DB, func(tx pgx.Tx) error {
		var id int32
		err := tx.QueryRow(ctx, `
			UPDATE transit.feed
			SET version_id = NULL, generation = generation + 1, updated_at = now(), removed_at = now(), checked_at = NULL,
			    check_error = NULL, etag = NULL, last_modified = NULL, seen_sha256 = NULL, url = NULL, encoding = NULL,
			    inner_name = NULL
			WHERE alias = $1 AND removed_at IS NULL RETURNING feed_id`, alias).Scan(&id)
		if errors.Is(err, pgx.ErrNoRows) {
			return ErrNoFeed
		}
		for _, sql := range []string{
			`UPDATE transit.feed_version SET state = 'retired', retired_at = now() WHERE feed_id = $1 AND state = 'live'`,
			`UPDATE transit.feed_version SET state = 'dropped' WHERE feed_id = $1 AND state = 'held'`,
			`DELETE FROM transit.manual_row WHERE feed_id = $1`,
			`DELETE FROM transit.feed_zip WHERE feed_id = $1`,
		} {
			if err == nil {
				_, err = tx.Exec(ctx, sql, id)
			}
		}
		return err
	})
}

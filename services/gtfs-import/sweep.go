package gtfsimport

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/gtfs-import/internal/stage"
)

const keptVersions = 50

// downloadGrace is how many times longer than other tables the file gtfs.zip of a replaced version
// stays: a slow client may be downloading it.
const downloadGrace = 12

// Sweep drops the tables of versions that were replaced longer ago than grace, and deletes the rows
// of removed feeds and the oldest reports. Replicas may sweep at the same time: stage.Drop locks the
// tables, and does nothing for a version without tables.
func Sweep(ctx context.Context, deps run.Deps, grace time.Duration) error {
	err := deps.DB.AcquireFunc(ctx, func(pooled *pgxpool.Conn) error {
		return sweep(ctx, deps, pooled.Conn(), grace)
	})
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	return nil
}

func sweep(ctx context.Context, deps run.Deps, conn *pgx.Conn, grace time.Duration) error {
	// If an import is killed between build and activate, its version remains without a claim.
	_, err := conn.Exec(ctx, `
		UPDATE transit.feed_version SET state = 'retired', retired_at = '-infinity'
		WHERE state = 'staging' AND feed_id NOT IN (
			SELECT feed_id FROM transit.feed JOIN transit.feed_work USING (alias) WHERE seen_at >= now() - $1::interval)`, lease)
	if err != nil {
		return fmt.Errorf("retire the versions of killed imports: %w", err)
	}
	versions, err := pg.List[struct {
		VersionID int32
		Whole     bool
	}](ctx, conn, `
		SELECT version_id, retired_at < now() - $2::interval AS whole FROM transit.feed_version
		WHERE state = 'retired' AND retired_at < now() - $1::interval ORDER BY version_id`, grace, downloadGrace*grace)
	if err != nil {
		return err
	}
	for _, v := range versions {
		keep := stage.ExportTable
		if v.Whole {
			keep = ""
		}
		err := stage.Drop(ctx, conn, v.VersionID, keep)
		if errors.Is(err, stage.ErrInUse) {
			deps.Log.InfoContext(ctx, "a retired feed version is still in use", "version", v.VersionID)
			continue
		}
		if err == nil && v.Whole {
			_, err = conn.Exec(ctx, `UPDATE transit.feed_version SET state = 'dropped' WHERE version_id = $1`, v.VersionID)
		}
		if err != nil {
			return err
		}
	}
	if err := pruneZips(ctx, conn, 0); err != nil {
		return fmt.Errorf("delete zips: %w", err)
	}
	_, err = conn.Exec(ctx, `
		WITH gone AS (
			DELETE FROM transit.feed f
			WHERE removed_at < now() - $1::interval AND version_id IS NULL
			  AND NOT EXISTS (SELECT FROM transit.feed_version v WHERE v.feed_id = f.feed_id
			    AND v.state IN ('live', 'retired'))),
		dead AS (DELETE FROM transit.feed_work WHERE seen_at < now() - interval '1 hour')
		DELETE FROM transit.feed_version v
		WHERE state IN ('dropped', 'refused')
		  AND $2 <= (SELECT count(*) FROM transit.feed_version later WHERE later.feed_id = v.feed_id
		    AND later.version_id > v.version_id)`,
		grace, keptVersions)
	return err
}

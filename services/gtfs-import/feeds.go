package gtfsimport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/run"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
	"github.com/townline/townline/services/gtfs-import/internal/stage"
)

// ErrNoFeed says that there is no feed of an alias.
var ErrNoFeed = errors.New("there is no such feed")

// A Feed is a feed as operators see it.
type Feed struct {
	Alias string `db:"alias" json:"alias"`
	Name  string `db:"name" json:"name"`
	// URL it comes from, without keys; nil when it is imported by hand.
	URL *string `db:"url" json:"url"`
	// VersionID that is live; nil when none ever was.
	VersionID  *int32     `db:"version_id" json:"version_id"`
	Generation int64      `db:"generation" json:"generation"`
	ImportedAt *time.Time `db:"imported_at" json:"imported_at"`
	CheckedAt  *time.Time `db:"checked_at" json:"checked_at"`
	// CheckError is why the last check or import failed.
	CheckError *string `db:"check_error" json:"check_error"`
	// FirstDay and LastDay on which a trip runs.
	FirstDay *time.Time `db:"first_day" json:"first_day"`
	LastDay  *time.Time `db:"last_day" json:"last_day"`
	// WeekDays counts the days with service among the next seven, from today; nil for a version of an older release.
	WeekDays   *int32           `db:"week_days" json:"week_days"`
	TimeZone   *string          `db:"time_zone" json:"time_zone"`
	Counts     map[string]int64 `db:"counts" json:"counts"`
	ManualRows int64            `db:"manual_rows" json:"manual_rows"`
	// ZipBytes of the zips that are kept.
	ZipBytes int64 `db:"zip_bytes" json:"zip_bytes"`
}

// weekDays is Feed.WeekDays of version v, in UTC.
const weekDays = `CASE WHEN v.runs_on IS NOT NULL THEN (
	SELECT count(*)::integer FROM generate_series(0, 6) i WHERE v.runs_on @> ((now() AT TIME ZONE 'UTC')::date + i)) END`

const feedQuery = `
	SELECT f.alias, f.name, f.url, f.version_id, f.generation, v.imported_at, f.checked_at, f.check_error,
	       v.first_day::timestamptz AS first_day, v.last_day::timestamptz AS last_day, ` + weekDays + ` AS week_days, v.time_zone, coalesce(v.counts, '{}') AS counts,
	       (SELECT count(*) FROM transit.manual_row m WHERE m.feed_id = f.feed_id) AS manual_rows,
	       (SELECT coalesce(sum(length(z.data)), 0) FROM transit.feed_zip z WHERE z.feed_id = f.feed_id) AS zip_bytes
	FROM transit.feed f
	LEFT JOIN transit.feed_version v USING (version_id)
	WHERE f.removed_at IS NULL `

// ListFeeds returns all feeds, by alias.
func ListFeeds(ctx context.Context, deps run.Deps) ([]Feed, error) {
	rows, err := deps.DB.Query(ctx, feedQuery+`ORDER BY f.alias`)
	if err != nil {
		return nil, fmt.Errorf("list feeds: %w", err)
	}
	feeds, err := pgx.CollectRows(rows, pgx.RowToStructByName[Feed])
	for i := range feeds {
		feeds[i].clean()
	}
	return feeds, err
}

// OneFeed returns the feed of an alias; the error wraps ErrNoFeed if there is none.
func OneFeed(ctx context.Context, deps run.Deps, alias string) (*Feed, error) {
	rows, err := deps.DB.Query(ctx, feedQuery+`AND f.alias = $1`, alias)
	if err != nil {
		return nil, fmt.Errorf("read feed %s: %w", alias, err)
	}
	f, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByName[Feed])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("feed %s: %w", alias, ErrNoFeed)
	}
	if err != nil {
		return nil, fmt.Errorf("read feed %s: %w", alias, err)
	}
	f.clean()
	return f, nil
}

func (f *Feed) clean() {
	if f.URL != nil {
		shown := label(*f.URL)
		f.URL = &shown
	}
}

// A Version is one import of a feed that got as far as opening its zip.
type Version struct {
	VersionID  int32      `db:"version_id" json:"version_id"`
	State      string     `db:"state" json:"state"` // live, retired, dropped or refused
	SHA256     string     `db:"sha256" json:"sha256"`
	Bytes      int64      `db:"bytes" json:"bytes"`
	Source     string     `db:"source" json:"source"`
	StartedAt  time.Time  `db:"started_at" json:"started_at"`
	ImportedAt *time.Time `db:"imported_at" json:"imported_at"`
	Reason     *string    `db:"reason" json:"reason"`
	// Kept reports that its zip is kept, so a roll-back to it is possible.
	Kept bool `db:"kept" json:"kept"`
}

// ListVersions returns the imports of a feed, latest first.
func ListVersions(ctx context.Context, deps run.Deps, alias string) ([]Version, error) {
	rows, err := deps.DB.Query(ctx, `
		SELECT v.version_id, v.state, encode(v.sha256, 'hex') AS sha256, v.bytes, v.source, v.started_at, v.imported_at, v.reason,
		       EXISTS (SELECT FROM transit.feed_zip z WHERE z.feed_id = v.feed_id AND z.sha256 = v.sha256 AND z.n = 0) AS kept
		FROM transit.feed f JOIN transit.feed_version v USING (feed_id)
		WHERE f.alias = $1 ORDER BY v.version_id DESC`, alias)
	if err != nil {
		return nil, fmt.Errorf("list versions of %s: %w", alias, err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[Version])
}

// OneReport returns the report of a version of a feed; for version 0, that of the last import, refused or not.
func OneReport(ctx context.Context, deps run.Deps, alias string, version int32) (*Report, error) {
	var text []byte
	var id int32
	err := deps.DB.QueryRow(ctx, `
		SELECT v.version_id, v.report
		FROM transit.feed f JOIN transit.feed_version v USING (feed_id)
		WHERE f.alias = $1 AND ($2 = 0 OR v.version_id = $2) AND v.report IS NOT NULL
		ORDER BY v.version_id DESC LIMIT 1`, alias, version).Scan(&id, &text)
	switch {
	case errors.Is(err, pgx.ErrNoRows) && version == 0:
		return nil, fmt.Errorf("feed %s has never been imported: %w", alias, ErrNoFeed)
	case errors.Is(err, pgx.ErrNoRows):
		return nil, fmt.Errorf("feed %s has no version %d: %w", alias, version, ErrNoFeed)
	case err != nil:
		return nil, fmt.Errorf("read the report of %s: %w", alias, err)
	}
	r := &Report{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("read the report of %s: %w", alias, err)
	}
	rows, err := deps.DB.Query(ctx, `
		SELECT code, effect, file, coalesce(line, 0) AS line, coalesce(field, '') AS field, coalesce(value, '') AS value, reason
		FROM transit.audit_line WHERE version_id = $1 ORDER BY n`, id)
	if err != nil {
		return nil, fmt.Errorf("read the audit of %s: %w", alias, err)
	}
	r.Lines, err = pgx.CollectRows(rows, pgx.RowToStructByName[Line])
	return r, err
}

// Rollback imports the other kept zip, the one that was live before. Manual rows are laid over it, and a second
// roll-back undoes the first. The schedule does not import the zip that was rolled back from.
func Rollback(ctx context.Context, deps run.Deps, alias string, progress func(string, int64, int64)) (*Report, error) {
	var sum []byte
	err := deps.DB.QueryRow(ctx, `
		SELECT z.sha256
		FROM transit.feed f
		JOIN transit.feed_version live USING (version_id)
		JOIN transit.feed_zip z ON z.feed_id = f.feed_id AND z.n = 0 AND z.sha256 <> live.sha256
		WHERE f.alias = $1`, alias).Scan(&sum)
	if errors.Is(err, pgx.ErrNoRows) {
		if _, err := OneFeed(ctx, deps, alias); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("roll back %s: no other zip of it is kept", alias)
	}
	if err != nil {
		return nil, fmt.Errorf("roll back %s: %w", alias, err)
	}
	return Import(ctx, deps, Request{Alias: alias, Force: true, Wait: true, Progress: progress, kept: sum})
}

// Reimport imports the live zip again, for manual rows that have changed.
func Reimport(ctx context.Context, deps run.Deps, alias string, progress func(string, int64, int64)) (*Report, error) {
	var sum []byte
	err := deps.DB.QueryRow(ctx, `
		SELECT live.sha256 FROM transit.feed f JOIN transit.feed_version live USING (version_id) WHERE f.alias = $1`, alias).Scan(&sum)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("feed %s has no live version: %w", alias, ErrNoFeed)
	}
	if err != nil {
		return nil, fmt.Errorf("import %s again: %w", alias, err)
	}
	return Import(ctx, deps, Request{Alias: alias, Force: true, Wait: true, Progress: progress, kept: sum})
}

// Remove takes a feed out of service at once, and deletes its manual rows and kept zips.
// Sweep drops its versions when no reader uses them any more.
func Remove(ctx context.Context, deps run.Deps, alias string) error {
	im := &importer{Request: Request{Alias: alias, Wait: true}, deps: deps}
	giveUp, err := im.claim(ctx)
	if err != nil {
		return fmt.Errorf("remove %s: %w", alias, err)
	}
	defer giveUp()
	_, err = im.locked(ctx, im.remove)
	if err != nil {
		return fmt.Errorf("remove %s: %w", alias, err)
	}
	deps.Events.Publish(ctx, &eventsv1.FeedRemoved{Alias: alias})
	return nil
}

func (im *importer) remove(ctx context.Context) error {
	return pgx.BeginFunc(ctx, im.conn, func(tx pgx.Tx) error {
		var id int32
		err := tx.QueryRow(ctx, `
			UPDATE transit.feed
			SET version_id = NULL, generation = generation + 1, updated_at = now(), removed_at = now(), checked_at = NULL,
			    check_error = NULL, etag = NULL, last_modified = NULL, seen_sha256 = NULL, url = NULL, encoding = NULL
			WHERE alias = $1 AND removed_at IS NULL RETURNING feed_id`, im.Alias).Scan(&id)
		if errors.Is(err, pgx.ErrNoRows) {
			return ErrNoFeed
		}
		for _, sql := range []string{
			`UPDATE transit.feed_version SET state = 'retired', retired_at = now() WHERE feed_id = $1 AND state = 'live'`,
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

// keptVersions is how many imports of a feed stay on record, with their reports.
const keptVersions = 50

// Sweep drops the tables of versions that were replaced longer ago than grace, the rows of removed feeds, and the oldest
// reports. Of several replicas one sweeps at a time.
func Sweep(ctx context.Context, deps run.Deps, grace time.Duration) error {
	_, err := pg.TryLocked(ctx, deps.DB, "feeds janitor", func(ctx context.Context, conn *pgx.Conn) error {
		return sweep(ctx, deps, conn, grace)
	})
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	return nil
}

func sweep(ctx context.Context, deps run.Deps, conn *pgx.Conn, grace time.Duration) error {
	if err := sweepAbandoned(ctx, conn); err != nil {
		return err
	}
	rows, err := conn.Query(ctx, `
		SELECT version_id FROM transit.feed_version
		WHERE state = 'retired' AND retired_at < now() - $1::interval ORDER BY version_id`, grace)
	if err != nil {
		return err
	}
	versions, err := pgx.CollectRows(rows, pgx.RowTo[int32])
	if err != nil {
		return err
	}
	for _, v := range versions {
		err := stage.Drop(ctx, conn, v)
		if errors.Is(err, stage.ErrInUse) {
			deps.Log.InfoContext(ctx, "a retired feed version is still in use", "version", v)
			continue
		}
		if err == nil {
			_, err = conn.Exec(ctx, `UPDATE transit.feed_version SET state = 'dropped' WHERE version_id = $1`, v)
		}
		if err != nil {
			return err
		}
	}
	_, err = conn.Exec(ctx, `
		WITH gone AS (
			DELETE FROM transit.feed f
			WHERE removed_at < now() - $1::interval AND version_id IS NULL
			  AND NOT EXISTS (SELECT FROM transit.feed_version v WHERE v.feed_id = f.feed_id AND v.state IN ('live', 'retired'))),
		dead AS (DELETE FROM transit.feed_work WHERE seen_at < now() - interval '1 hour')
		DELETE FROM transit.feed_version v
		WHERE state IN ('dropped', 'refused')
		  AND $2 <= (SELECT count(*) FROM transit.feed_version later WHERE later.feed_id = v.feed_id AND later.version_id > v.version_id)`,
		grace, keptVersions)
	return err
}

// sweepAbandoned retires the versions that killed imports have left.
func sweepAbandoned(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, `
		SELECT DISTINCT feed_id, alias FROM transit.feed_version JOIN transit.feed USING (feed_id) WHERE state = 'staging'`)
	if err != nil {
		return err
	}
	type left struct {
		ID    int32
		Alias string
	}
	feeds, err := pgx.CollectRows(rows, pgx.RowToStructByPos[left])
	if err != nil {
		return err
	}
	for _, f := range feeds {
		ours, err := pg.TryLock(ctx, conn, lockName(f.Alias))
		if err != nil {
			return err
		}
		if !ours {
			continue
		}
		err = abandon(ctx, conn, f.ID)
		pg.Unlock(ctx, conn, lockName(f.Alias))
		if err != nil {
			return err
		}
	}
	return nil
}

package gtfsimport

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/gtfs/check"
	"github.com/townline/townline/pkg/pg"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
	"github.com/townline/townline/services/gtfs-import/internal/diff"
	"github.com/townline/townline/services/gtfs-import/internal/export"
	"github.com/townline/townline/services/gtfs-import/internal/load"
	"github.com/townline/townline/services/gtfs-import/internal/stage"
)

// errOvertaken means that the lease has expired, and another process has claimed the feed.
var errOvertaken = errors.New("another import has taken over the feed")

// importFormat is raised when imports fill more tables. Versions with a lower number are imported
// again.
const importFormat = 3

// build creates and attaches the tables of the new version in one transaction.
func (im *importer) build(ctx context.Context, zip *archive) error {
	pooled, err := im.deps.DB.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer pooled.Release()
	conn := pooled.Conn()
	source, err := im.openZip(zip)
	if err != nil {
		return err
	}
	manual, err := pg.List[load.ManualRow](ctx, conn, `
		SELECT manual_id AS id, file, op, key, cells FROM transit.manual_row WHERE feed_id = $1
		       ORDER BY manual_id`, im.feed.ID)
	if err != nil {
		return fmt.Errorf("read manual rows: %w", err)
	}
	tx, err := conn.Begin(ctx)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // no effect after a commit
	var version int32
	err = tx.QueryRow(ctx, `
		SELECT nextval(pg_get_serial_sequence('transit.feed_version', 'version_id')),
		       set_config('statement_timeout', '0', true), set_config('maintenance_work_mem', '64MB', true),
		       set_config('work_mem', '32MB', true), set_config('jit', 'off', true),
		       set_config('default_statistics_target', '10', true)`).Scan(&version, nil, nil, nil, nil, nil)
	if err != nil {
		return fmt.Errorf("number the version: %w", err)
	}
	st, err := stage.Create(ctx, conn, version)
	if err != nil {
		return err
	}
	result, err := load.Load(ctx, source, st, load.Options{
		Alias: im.Alias, Name: im.Name, Manual: manual, Today: cmp.Or(im.Today, im.start), Audit: im.log,
		Progress:  im.Progress,
		Meanwhile: func(ctx context.Context) error { return zip.store(ctx, conn, im.feed.ID) },
	})
	if err != nil {
		return err
	}
	changes := map[string]diff.Counts{}
	if im.feed.VersionID != 0 {
		changes, err = diff.Compare(ctx, conn, im.feed.VersionID, version)
		if err != nil {
			return err
		}
	}
	im.fillReport(result, version, changes)
	if h, err := im.held(ctx, conn, result, version); err != nil || h != nil {
		return errorOf(h, err)
	}
	if err := export.Store(ctx, st, result.Served, zip.file); err != nil {
		return err
	}
	if err := im.record(ctx, tx, "staging", zip); err != nil {
		return err
	}
	return attach(ctx, tx, st)
}

// attach attaches the tables and commits. Like a sweep, it first acquires LockName.
func attach(ctx context.Context, tx pgx.Tx, st *stage.Stage) (err error) {
	if err := pg.AwaitLock(ctx, tx.Conn(), stage.LockName); err != nil {
		return err
	}
	defer pg.Unlock(ctx, tx.Conn(), stage.LockName)
	defer func() {
		if err != nil {
			_ = tx.Rollback(context.WithoutCancel(ctx)) // must precede Unlock
		}
	}()
	if err := st.Attach(ctx); err != nil {
		return err
	}
	if err := tx.Commit(ctx); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

func (im *importer) fillReport(r *load.Result, version int32, changes map[string]diff.Counts) {
	rep := im.report
	rep.Outcome = Imported
	rep.VersionID = version
	rep.Counts = r.Counts
	rep.TimeZone = r.TimeZone
	im.runsOn = load.Multirange(r.RunsOn)
	rep.Generation = im.feed.Generation + 1
	rep.Seconds = time.Since(im.start).Seconds()
	if n := len(r.RunsOn); n > 0 {
		rep.FirstDay = check.Date(r.RunsOn[0].First).Format(time.DateOnly)
		rep.LastDay = check.Date(r.RunsOn[n-1].Last).Format(time.DateOnly)
	}
	for _, s := range r.Files {
		f := FileReport{File: s.File, Bytes: s.Bytes, Read: s.Read, Used: s.Known, Hidden: s.Hidden}
		if s.Known {
			f.LeftOut = s.Read - s.Kept - s.Hidden
			f.Added = s.Kept
		}
		if c, ok := changes[s.File]; ok {
			f.Added = c.Added
			f.Changed = c.Changed
			f.Removed = c.Removed
			f.Unchanged = c.Unchanged
		}
		delete(changes, s.File)
		rep.Files = append(rep.Files, f)
	}
	for _, file := range slices.Sorted(maps.Keys(changes)) { // files that the feed no longer has
		if c := changes[file]; c.Removed > 0 {
			rep.Files = append(rep.Files, FileReport{File: file, Used: true, Removed: c.Removed})
		}
	}
	rep.Findings, rep.Lines = im.log.Totals(), im.log.Lines()
}

// url returns the source for the feed's row; "" keeps the stored URL.
func (im *importer) url() string {
	if isURL(im.Source) {
		return im.Source
	}
	return ""
}

// activate makes the version live. It is separate from build, because other sessions see an
// attached partition only a moment after its commit, and readers must be able to read the live
// version.
func (im *importer) activate(ctx context.Context, zip *archive) error {
	err := im.writeFeed(ctx, func(tx pgx.Tx) error {
		// If the lease expired, a sweep may have retired the version.
		staged, err := tx.Exec(ctx, `
			UPDATE transit.feed_version SET state = 'live', imported_at = now() WHERE version_id = $1
			  AND state = 'staging'`, im.report.VersionID)
		if err == nil && staged.RowsAffected() == 0 {
			return errOvertaken
		}
		if err != nil {
			return err
		}
		var old *int32
		err = tx.QueryRow(ctx, `
			UPDATE transit.feed f SET
				name = $2, encoding = nullif($3, ''), inner_name = nullif($10, ''),
				url = coalesce(nullif($4, ''), f.url), version_id = $5,
				generation = f.generation + 1, updated_at = now(), removed_at = NULL, checked_at = now(), check_error = NULL,
				etag = CASE WHEN $6 THEN f.etag ELSE nullif($7, '') END,
				last_modified = CASE WHEN $6 THEN f.last_modified ELSE nullif($8, '') END,
				seen_sha256 = CASE WHEN $6 THEN f.seen_sha256 ELSE $9 END
			FROM transit.feed before
			WHERE f.feed_id = $1 AND before.feed_id = f.feed_id
			RETURNING before.version_id, f.generation`,
			im.feed.ID, im.Name, im.Encoding, im.url(), im.report.VersionID, im.stored != nil, zip.etag, zip.lastModified,
			zip.sha256[:], im.Inner,
		).Scan(&old, &im.report.Generation)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE transit.feed_version SET state = 'retired', retired_at = now()
			WHERE version_id = $1`, old)
		if err != nil {
			return err
		}
		if err := im.endHold(ctx, tx); err != nil {
			return err
		}
		return pruneZips(ctx, tx, im.feed.ID)
	})
	if err != nil {
		return fmt.Errorf("make version %d live: %w", im.report.VersionID, err)
	}
	return nil
}

func (im *importer) record(ctx context.Context, tx pgx.Tx, state string, zip *archive) error {
	rep := *im.report
	lines := rep.Lines
	rep.Lines = nil // they are stored as rows
	text, err := json.Marshal(rep)
	if err != nil {
		return fmt.Errorf("encode the report: %w", err)
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO transit.feed_version (version_id, feed_id, state, sha256, bytes, source, started_at, time_zone,
		                                  first_day, last_day, counts, reason, report, runs_on, made, live_from)
		OVERRIDING SYSTEM VALUE
		VALUES ($1, $2, $3, $4, $5, $6, $7, nullif($8, ''), nullif($9::text, '')::date, nullif($10::text, '')::date, $11,
		  nullif($12, ''), $13, nullif($14::text, '')::datemultirange, $15, $16)`,
		rep.VersionID, im.feed.ID, state, zip.sha256[:], zip.bytes, rep.Source, rep.StartedAt, rep.TimeZone,
		rep.FirstDay, rep.LastDay, rep.Counts, rep.Reason, text, im.runsOn, importFormat, rep.LiveFrom)
	if err != nil {
		return fmt.Errorf("record the version: %w", err)
	}
	_, err = tx.CopyFrom(ctx, pgx.Identifier{"transit", "audit_line"},
		[]string{"version_id", "n", "code", "effect", "file", "line", "field", "value", "reason", "row_id", "shape_id"},
		pgx.CopyFromSlice(len(lines), func(i int) ([]any, error) {
			l := lines[i]
			return []any{rep.VersionID, i, string(l.Code), string(l.Effect), l.File, nullIfZero(l.Line), nullIfZero(l.Field),
				nullIfZero(l.Value), l.Reason, nullIfZero(l.RowID), nullIfZero(l.ShapeID)}, nil
		}))
	if err != nil {
		return fmt.Errorf("record the audit: %w", err)
	}
	return nil
}

func nullIfZero[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}

func (im *importer) recordRefusal(ctx context.Context, zip *archive, reason string) error {
	rep := im.report
	rep.Outcome = Refused
	rep.Reason = reason
	rep.Counts = map[string]int64{}
	rep.Findings, rep.Lines = im.log.Totals(), im.log.Lines()
	rep.Generation = im.feed.Generation
	im.runsOn = ""
	err := im.writeFeed(ctx, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `SELECT nextval(pg_get_serial_sequence('transit.feed_version', 'version_id'))`).Scan(
			&rep.VersionID)
		if err != nil {
			return fmt.Errorf("number the version: %w", err)
		}
		if err := im.record(ctx, tx, "refused", zip); err != nil {
			return err
		}
		if im.isHeld { // it would be imported again and again
			if err := im.endHold(ctx, tx); err != nil {
				return err
			}
		}
		_, err = tx.Exec(ctx, `
			UPDATE transit.feed
			SET checked_at = now(), check_error = $2, etag = nullif($3, ''), last_modified = nullif($4, ''), seen_sha256 = $5,
			    url = coalesce(url, nullif($6, '')), encoding = nullif($7, ''), inner_name = nullif($8, '')
			WHERE feed_id = $1`, im.feed.ID, reason, zip.etag, zip.lastModified, zip.sha256[:], im.url(), im.Encoding, im.Inner)
		return err
	})
	if err != nil {
		return fmt.Errorf("record the refusal (%s): %w", reason, err)
	}
	if im.feed.VersionID != 0 {
		rep.VersionID = im.feed.VersionID
	}
	return fmt.Errorf("%w: %s", ErrRefused, reason)
}

func (im *importer) recordFailure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	noteErr := im.writeFeed(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE transit.feed SET checked_at = now(), check_error = $2 WHERE alias = $1`, im.Alias,
			err.Error())
		return err
	})
	if noteErr != nil {
		im.deps.Log.Warn("cannot record the failure", "feed", im.Alias, "error", noteErr)
	}
	return err
}

// writeFeed changes the row of the feed in one transaction, while this import has the claim. If
// another process has taken over the feed, writeFeed returns errOvertaken: the row must not change
// during the other import, or after it.
func (im *importer) writeFeed(ctx context.Context, write func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, im.deps.DB, func(tx pgx.Tx) error {
		claimed, err := tx.Exec(ctx, `SELECT FROM transit.feed_work WHERE alias = $1 AND claim = $2::uuid FOR UPDATE`,
			im.Alias, im.claimed)
		if err == nil && claimed.RowsAffected() == 0 {
			return errOvertaken
		}
		if err != nil {
			return fmt.Errorf("check the claim: %w", err)
		}
		return write(tx)
	})
}

// recordUnchanged stores that the source still has the same bytes. Refused bytes stay refused; a
// new name is applied.
func (im *importer) recordUnchanged(ctx context.Context, sum []byte) error {
	f, rep := im.feed, im.report
	refused := f.Refused
	if bytes.Equal(sum, f.LiveSHA256) {
		refused = nil
	}
	renamed := im.Name != f.Name && f.VersionID != 0
	err := im.writeFeed(ctx, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `
		UPDATE transit.feed
		SET checked_at = now(), check_error = $2, seen_sha256 = $8, etag = coalesce(nullif($3, ''), etag),
		    last_modified = coalesce(nullif($4, ''), last_modified), url = coalesce(nullif($5, ''), url), name = $6,
		    generation = generation + CASE WHEN $7 THEN 1 ELSE 0 END,
		    updated_at = CASE WHEN $7 THEN now() ELSE updated_at END
		WHERE feed_id = $1
		RETURNING generation`,
			f.ID, refused, f.ETag, f.LastModified, im.url(), im.Name, renamed, sum).Scan(&rep.Generation)
	})
	if err != nil {
		return fmt.Errorf("record the check: %w", err)
	}
	rep.Outcome, rep.VersionID = Unchanged, f.VersionID
	if renamed {
		im.announce(ctx, f.VersionID)
	}
	if bytes.Equal(sum, f.HeldSHA256) {
		rep.Outcome = Held
		rep.Reason = f.HeldReason
		rep.LiveFrom = f.HeldFrom
		if f.HeldFrom == nil {
			return fmt.Errorf("%w, as before: %s", ErrHeld, f.HeldReason)
		}
		return nil
	}
	if refused != nil {
		rep.Outcome, rep.Reason = Refused, *refused
		return fmt.Errorf("%w, as before: %s", ErrRefused, *refused)
	}
	return nil
}

// announce publishes the new version. The event may be lost: the APIs also watch the table.
func (im *importer) announce(ctx context.Context, version int32) {
	im.deps.Events.Publish(ctx, &eventsv1.FeedImported{
		Alias: im.Alias, VersionId: int64(version), Generation: im.report.Generation,
	})
}

package gtfsimport

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/klauspost/compress/flate"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/services/gtfs-import/internal/diff"
	"github.com/townline/townline/services/gtfs-import/internal/load"
	"github.com/townline/townline/services/gtfs-import/internal/stage"
)

// build creates the new version, complete and attached, in one transaction.
func (im *importer) build(ctx context.Context, zip *archive) error {
	source, err := gtfs.OpenZip(zip.file, zip.bytes, gtfs.Options{
		Encoding: im.Encoding, Note: im.log.Add,
		Inflate: func(r io.Reader) io.ReadCloser { return flate.NewReader(r) },
	})
	if err != nil {
		return err
	}
	manual, err := manualRows(ctx, im.conn, im.feed.ID)
	if err != nil {
		return err
	}
	tx, err := im.conn.Begin(ctx)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // does nothing after a commit
	var version int32
	err = tx.QueryRow(ctx, `
		SELECT nextval(pg_get_serial_sequence('transit.feed_version', 'version_id')),
		       set_config('statement_timeout', '0', true), set_config('maintenance_work_mem', '64MB', true),
		       set_config('work_mem', '32MB', true), set_config('jit', 'off', true),
		       set_config('default_statistics_target', '10', true)`).Scan(&version, nil, nil, nil, nil, nil)
	if err != nil {
		return fmt.Errorf("number the version: %w", err)
	}
	st, err := stage.Create(ctx, im.conn, version)
	if err != nil {
		return err
	}
	result, err := load.Load(ctx, source, st, load.Options{
		Alias: im.Alias, Name: im.Name, Manual: manual, Audit: im.log, Progress: im.Progress,
		Meanwhile: func(ctx context.Context) error { return zip.keep(ctx, im.conn, im.feed.ID) },
	})
	if err != nil {
		return err
	}
	changes := map[string]diff.Counts{}
	if im.feed.VersionID != nil {
		if changes, err = diff.Compare(ctx, im.conn, *im.feed.VersionID, version); err != nil {
			return err
		}
	}
	im.fill(result, version, changes)
	if err := im.record(ctx, tx, "staging", zip, result); err != nil {
		return err
	}
	return im.attach(ctx, tx, st)
}

func manualRows(ctx context.Context, conn *pgx.Conn, feedID int32) ([]load.Manual, error) {
	rows, err := conn.Query(ctx, `SELECT manual_id, file, op, key, cells FROM transit.manual_row WHERE feed_id = $1 ORDER BY manual_id`, feedID)
	if err != nil {
		return nil, fmt.Errorf("read manual rows: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[load.Manual])
}

// attach makes the tables partitions and commits. This locks their parents, so it takes the lock of the tables first, as a sweep
// does: else each could wait for the other.
func (im *importer) attach(ctx context.Context, tx pgx.Tx, st *stage.Stage) (err error) {
	if err := pg.AwaitLock(ctx, im.conn, stage.LockName); err != nil {
		return err
	}
	defer pg.Unlock(ctx, im.conn, stage.LockName)
	defer func() {
		if err != nil {
			_ = tx.Rollback(context.WithoutCancel(ctx)) // before the lock is given back
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

// fill completes the report of a version.
func (im *importer) fill(r *load.Result, version int32, changes map[string]diff.Counts) {
	rep := im.report
	rep.Outcome, rep.VersionID, rep.Counts, rep.TimeZone = Imported, version, r.Counts, r.TimeZone
	rep.Generation = im.feed.Generation + 1
	rep.Seconds = time.Since(im.start).Seconds()
	if n := len(r.RunsOn); n > 0 {
		rep.FirstDay, rep.LastDay = r.RunsOn[0].First.Format(time.DateOnly), r.RunsOn[n-1].Last.Format(time.DateOnly)
	}
	for _, s := range r.Files {
		f := FileReport{File: s.File, Bytes: s.Bytes, Read: s.Read, Used: s.Known, Hidden: s.Hidden}
		if s.Known {
			f.LeftOut = s.Read - s.Kept - s.Hidden
			f.Added = s.Kept
		}
		if c, ok := changes[s.File]; ok {
			f.Added, f.Changed, f.Removed, f.Unchanged = c.Added, c.Changed, c.Removed, c.Unchanged
		}
		delete(changes, s.File)
		rep.Files = append(rep.Files, f)
	}
	for _, t := range gtfs.Tables() { // files that the feed no longer has
		if c := changes[t.File]; c.Removed > 0 {
			rep.Files = append(rep.Files, FileReport{File: t.File, Used: true, Removed: c.Removed})
		}
	}
	rep.Findings, rep.Lines = im.log.Totals(), im.log.Lines()
}

package gtfsimport

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/klauspost/compress/flate"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/run"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
	"github.com/townline/townline/services/gtfs-import/internal/audit"
	"github.com/townline/townline/services/gtfs-import/internal/diff"
	"github.com/townline/townline/services/gtfs-import/internal/load"
	"github.com/townline/townline/services/gtfs-import/internal/stage"
)

// A Request asks for the import of a feed.
type Request struct {
	// Alias of the feed; it need not exist yet.
	Alias string
	// Name of the feed. Empty: as it was, or the alias.
	Name string
	// Source is the path of a zip or a folder, or an http(s) URL. Empty: the URL
	// that the feed was imported from last.
	Source string
	// Headers are sent with the request for a URL.
	Headers map[string]string
	// Encoding of cells that are not UTF-8, by its name on the web. Empty: as it was,
	// or windows-1252.
	Encoding string
	// AllowPrivate lets the URL lead to private and loopback addresses.
	AllowPrivate bool
	// UserAgent of requests.
	UserAgent string
	// Check leaves bytes alone that have been seen before, even if they are not what is
	// live: because they were refused, or rolled back from. What a schedule wants.
	Check bool
	// Force imports even the bytes that are live.
	Force bool
	// Wait waits for another import of the feed to end, instead of returning ErrBusy.
	Wait bool
	// Progress is told now and then how many bytes of a file have been read, from
	// more than one goroutine. May be nil.
	Progress func(file string, done, total int64)

	kept []byte // SHA-256 of a kept zip that is the source
}

// ErrBusy says that another import of the same feed is under way.
var ErrBusy = errors.New("another import of the feed is under way")

// ErrRefused is wrapped by the error for a feed that is of no use.
var ErrRefused = errors.New("the feed is refused")

// feed is the row of transit.feed.
type feed struct {
	ID           int32   `db:"feed_id"`
	Name         string  `db:"name"`
	URL          *string `db:"url"`
	Encoding     *string `db:"encoding"`
	VersionID    *int32  `db:"version_id"`
	Generation   int64   `db:"generation"`
	ETag         *string `db:"etag"`
	LastModified *string `db:"last_modified"`
	SeenSHA256   []byte  `db:"seen_sha256"`
	LiveSHA256   []byte  `db:"live_sha256"`
	// Refused is why the bytes seen last were refused; nil if they were not.
	Refused *string `db:"refused"`
	Removed bool    `db:"removed"`
}

func oneFeed(ctx context.Context, db *pgxpool.Pool, alias string) (*feed, error) {
	rows, err := db.Query(ctx, `
		SELECT f.feed_id, f.name, f.url, f.encoding, f.version_id, f.generation, f.etag, f.last_modified, f.seen_sha256,
		       f.removed_at IS NOT NULL AS removed, live.sha256 AS live_sha256, seen.reason AS refused
		FROM transit.feed f
		LEFT JOIN transit.feed_version live USING (version_id)
		LEFT JOIN LATERAL (
			SELECT v.reason FROM transit.feed_version v
			WHERE v.feed_id = f.feed_id AND v.sha256 = f.seen_sha256 ORDER BY v.version_id DESC LIMIT 1) seen ON true
		WHERE f.alias = $1`, alias)
	if err != nil {
		return nil, fmt.Errorf("read feed %s: %w", alias, err)
	}
	f, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByName[feed])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return f, err
}

// importer is one import under way.
type importer struct {
	Request
	deps   run.Deps
	start  time.Time
	conn   *pgxpool.Conn // holds the lock, and does the import
	feed   *feed         // nil until the feed has a row
	log    audit.Log
	report *Report
}

// Import brings a feed up to its source and reports what it did. The error wraps
// ErrRefused when the feed is of no use, ErrBusy when somebody else is at it; with any
// error the version that was live before still is. A report comes with every
// outcome, ErrRefused included.
func Import(ctx context.Context, deps run.Deps, req Request) (*Report, error) {
	if !conf.ValidAlias(req.Alias) {
		return nil, fmt.Errorf("alias %q: only letters, digits, - and _, at most 64", req.Alias)
	}
	im := &importer{Request: req, deps: deps, start: time.Now()}
	im.report = &Report{Alias: req.Alias, StartedAt: im.start.UTC().Truncate(time.Second)}
	unlock, err := im.lock(ctx)
	if err != nil {
		return nil, fmt.Errorf("import %s: %w", req.Alias, err)
	}
	defer unlock()
	err = im.run(ctx)
	if im.report.Outcome != Imported {
		im.report.Seconds = time.Since(im.start).Seconds()
	}
	if err != nil {
		err = fmt.Errorf("import %s: %w", req.Alias, err)
		if !errors.Is(err, ErrRefused) {
			return nil, err
		}
	}
	return im.report, err
}

// lockKey is the advisory lock of the feed with alias $1.
const lockKey = `hashtextextended('townline feed ' || $1::text, 0)`

// lock takes the feed's lock, on a connection of its own: a session lock, so that
// it covers the fetching, too, and goes with the connection however that ends.
func (im *importer) lock(ctx context.Context) (func(), error) {
	conn, err := im.deps.DB.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	held := true
	if im.Wait {
		_, err = conn.Exec(ctx, `SELECT pg_advisory_lock(`+lockKey+`)`, im.Alias)
	} else {
		err = conn.QueryRow(ctx, `SELECT pg_try_advisory_lock(`+lockKey+`)`, im.Alias).Scan(&held)
	}
	if err == nil && !held {
		err = ErrBusy
	}
	if err != nil {
		conn.Release()
		return nil, err
	}
	im.conn = conn
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if _, err := conn.Exec(ctx, `SELECT pg_advisory_unlock(`+lockKey+`)`, im.Alias); err != nil {
			_ = conn.Conn().Close(ctx) // the lock goes with it
		}
		conn.Release()
	}, nil
}

func (im *importer) run(ctx context.Context) (err error) {
	if im.feed, err = oneFeed(ctx, im.deps.DB, im.Alias); err != nil {
		return err
	}
	im.fillIn()
	zip, err := im.open(ctx)
	if err != nil {
		return im.failed(ctx, err)
	}
	if zip == nil {
		return im.unchanged(ctx, im.feed.SeenSHA256)
	}
	defer zip.Close()
	im.report.SHA256, im.report.Bytes = hex.EncodeToString(zip.sha256[:]), zip.bytes
	if im.known(zip.sha256[:]) {
		im.feed.ETag, im.feed.LastModified = &zip.etag, &zip.lastModified
		return im.unchanged(ctx, zip.sha256[:])
	}
	if err := im.ensureFeed(ctx); err != nil {
		return err
	}
	if err := abandon(ctx, im.conn, im.feed.ID); err != nil {
		return err
	}
	if err = im.build(ctx, zip); err == nil {
		err = im.land(ctx, zip)
	}
	var refusal *load.Refusal
	switch {
	case err == nil:
		im.report.Seconds = time.Since(im.start).Seconds()
		im.announce(ctx)
		// Where no service runs, imports by hand clear away what earlier ones replaced.
		if err := Sweep(ctx, im.deps, defaultGrace); err != nil && ctx.Err() == nil {
			im.deps.Log.Warn("cannot drop retired feed versions", "error", err)
		}
		return nil
	case errors.As(err, &refusal):
		return im.refused(ctx, zip, refusal.Reason)
	case errors.Is(err, gtfs.ErrUnreadable):
		return im.refused(ctx, zip, err.Error())
	}
	return im.failed(ctx, err)
}

// known tells whether the request leaves these bytes alone.
func (im *importer) known(sum []byte) bool {
	f := im.feed
	return f != nil && !im.Force && im.Encoding == value(f.Encoding) && (bytes.Equal(sum, f.LiveSHA256) || im.Check && bytes.Equal(sum, f.SeenSHA256))
}

// fillIn completes the request with what is known of the feed.
func (im *importer) fillIn() {
	f := im.feed
	if f != nil && !f.Removed {
		if im.Name == "" {
			im.Name = f.Name
		}
		if im.Encoding == "" && f.Encoding != nil {
			im.Encoding = *f.Encoding
		}
		if im.Source == "" && im.kept == nil && f.URL != nil {
			im.Source = *f.URL
		}
	}
	if im.Name == "" {
		im.Name = im.Alias
	}
	im.report.Name = im.Name
	im.report.Source = label(im.Source)
	if im.kept != nil {
		im.report.Source = "the kept zip"
	}
}

// open gets the zip; nil if the source says that it has not changed.
func (im *importer) open(ctx context.Context) (*archive, error) {
	switch {
	case im.kept != nil:
		return keptArchive(ctx, im.deps.DB, im.feed.ID, im.kept)
	case im.Source == "":
		return nil, fmt.Errorf("there is no source: name the zip, the folder or the URL to import")
	case !isURL(im.Source):
		return openArchive(ctx, im.Source)
	}
	etag, lastModified := "", ""
	if f := im.feed; f != nil && f.URL != nil && *f.URL == im.Source && im.known(f.SeenSHA256) {
		etag, lastModified = value(f.ETag), value(f.LastModified)
	}
	return fetchArchive(ctx, im.Request, etag, lastModified)
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// ensureFeed gives the feed its row.
func (im *importer) ensureFeed(ctx context.Context) (err error) {
	if im.feed != nil {
		return nil
	}
	_, err = im.conn.Exec(ctx, `INSERT INTO transit.feed (alias, name) VALUES ($1, $2) ON CONFLICT (alias) DO NOTHING`, im.Alias, im.Name)
	if err == nil {
		im.feed, err = oneFeed(ctx, im.deps.DB, im.Alias)
	}
	if err != nil {
		return fmt.Errorf("create the feed: %w", err)
	}
	return nil
}

// build makes the new version, complete and attached, in one transaction.
func (im *importer) build(ctx context.Context, zip *archive) error {
	source, err := gtfs.OpenZip(zip.file, zip.bytes, gtfs.Options{
		Encoding: im.Encoding, Note: im.log.Add,
		Inflate: func(r io.Reader) io.ReadCloser { return flate.NewReader(r) },
	})
	if err != nil {
		return err
	}
	manual, err := manualRows(ctx, im.deps.DB, im.feed.ID)
	if err != nil {
		return err
	}
	tx, err := im.conn.Begin(ctx)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // after a commit it does nothing
	var version int32
	err = tx.QueryRow(ctx, `
		SELECT nextval(pg_get_serial_sequence('transit.feed_version', 'version_id')),
		       set_config('statement_timeout', '0', true), set_config('maintenance_work_mem', '64MB', true),
		       set_config('work_mem', '32MB', true), set_config('jit', 'off', true),
		       set_config('default_statistics_target', '10', true)`).Scan(&version, nil, nil, nil, nil, nil)
	if err != nil {
		return fmt.Errorf("number the version: %w", err)
	}
	st, err := stage.Create(ctx, im.conn.Conn(), version)
	if err != nil {
		return err
	}
	result, err := load.Load(ctx, source, st, load.Options{
		Alias: im.Alias, Name: im.Name, Manual: manual, Audit: &im.log, Progress: im.Progress,
		Meanwhile: func(ctx context.Context) error { return zip.keep(ctx, im.conn.Conn(), im.feed.ID) },
	})
	if err != nil {
		return err
	}
	if err := st.Attach(ctx); err != nil {
		return err
	}
	changes := map[string]diff.Counts{}
	if im.feed.VersionID != nil {
		if changes, err = diff.Compare(ctx, im.conn.Conn(), *im.feed.VersionID, version); err != nil {
			return err
		}
	}
	im.fill(result, version, changes)
	if err := im.record(ctx, tx, "staging", zip, result); err != nil {
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
	if !r.FirstDay.IsZero() {
		rep.FirstDay, rep.LastDay = r.FirstDay.Format(time.DateOnly), r.LastDay.Format(time.DateOnly)
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

// announce tells the others after the commit. That they do not hear it is no
// failure: they look for themselves.
func (im *importer) announce(ctx context.Context) {
	im.deps.Events.Publish(ctx, &eventsv1.FeedImported{
		Alias: im.Alias, VersionId: int64(im.report.VersionID), Generation: im.report.Generation,
	})
}

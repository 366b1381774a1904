package gtfsimport

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/panics"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/gtfs-import/internal/audit"
	"github.com/townline/townline/services/gtfs-import/internal/load"
)

// Import imports a feed. The report is nil after an error, unless the error wraps ErrRefused. After
// any error the live version is unchanged.
//
// It uses at most one connection of the pool, and none while it fetches or waits.
func Import(ctx context.Context, deps run.Deps, req Request) (*Report, error) {
	return importFeed(ctx, deps, slots{}, req)
}

func importFeed(ctx context.Context, deps run.Deps, slots slots, req Request) (*Report, error) {
	if !conf.ValidAlias(req.Alias) {
		return nil, fmt.Errorf("alias %q: only letters, digits, - and _, at most 64", req.Alias)
	}
	im := &importer{deps: deps, slots: slots, start: time.Now()}
	err := errOvertaken
	for n := 0; n < maxAttempts && errors.Is(err, errOvertaken) && (n == 0 || req.Wait); n++ {
		im.Request, im.report = req, &Report{Alias: req.Alias, Request: req.id,
			StartedAt: im.start.UTC().Truncate(time.Second)}
		err = im.run(ctx)
	}
	if errors.Is(err, errOvertaken) {
		err = fmt.Errorf("%w: %w", ErrBusy, err)
	}
	if im.report.Outcome != Imported {
		im.report.Seconds = time.Since(im.start).Seconds()
	}
	if err != nil {
		err = fmt.Errorf("import %s: %w", req.Alias, err)
		if !errors.Is(err, ErrRefused) && !errors.Is(err, ErrHeld) {
			return nil, err
		}
	}
	return im.report, err
}

const maxAttempts = 3

// run imports the feed once, under a claim.
func (im *importer) run(ctx context.Context) error {
	release, err := im.claim(ctx)
	if err != nil {
		return err
	}
	defer release()
	// A panic fails only this import.
	err = panics.Safely(func() error { return im.attempt(ctx) })
	switch {
	case err == nil, errors.Is(err, ErrRefused), errors.Is(err, ErrHeld), errors.Is(err, errOvertaken):
		return err
	}
	return im.recordFailure(ctx, err)
}

func (im *importer) attempt(ctx context.Context) (err error) {
	im.feed, err = oneFeed(ctx, im.deps, im.Alias, im.id)
	if err != nil {
		return err
	}
	im.complete()
	if done := im.useHeld(); done {
		im.report.Outcome = Unchanged
		return nil
	}
	if im.feed != nil && im.feed.RequestDone {
		im.report.Outcome = Unchanged
		im.report.VersionID = im.feed.VersionID
		im.report.Generation = im.feed.Generation
		return nil
	}
	release, err := acquire(ctx, im.slots.zips)
	if err != nil {
		return err
	}
	defer release()
	im.setState(ctx, fetching)
	zip, err := im.open(ctx)
	if err != nil {
		return err
	}
	if zip == nil {
		return im.recordUnchanged(ctx, im.feed.SeenSHA256)
	}
	defer zip.Close()
	if err := zip.unwrap(ctx, im.Inner); err != nil {
		return err
	}
	im.report.SHA256, im.report.Bytes = hex.EncodeToString(zip.sha256[:]), zip.bytes
	if im.isSeen(zip.sha256[:]) {
		im.feed.ETag, im.feed.LastModified = zip.etag, zip.lastModified
		return im.recordUnchanged(ctx, zip.sha256[:])
	}
	im.setState(ctx, waiting)
	releaseSlot, err := acquire(ctx, im.slots.imports)
	if err != nil {
		return err
	}
	defer releaseSlot()
	return im.load(ctx, zip)
}

func (im *importer) load(ctx context.Context, zip *archive) error {
	im.setState(ctx, importing)
	im.log = &audit.Log{}
	if err := im.ensureFeed(ctx); err != nil {
		return err
	}
	err := im.build(ctx, zip)
	if err == nil {
		err = im.activate(ctx, zip)
	}
	var refusal *load.Refusal
	var held *hold
	switch {
	case err == nil:
		im.report.Seconds = time.Since(im.start).Seconds()
		im.announce(ctx, im.report.VersionID)
		return nil
	case errors.As(err, &held):
		return im.recordHold(ctx, zip, held)
	case errors.As(err, &refusal):
		return im.recordRefusal(ctx, zip, refusal.Reason)
	case errors.Is(err, gtfs.ErrUnreadable):
		return im.recordRefusal(ctx, zip, err.Error())
	}
	return err
}

func (im *importer) isSeen(sum []byte) bool {
	f := im.feed
	if f == nil || im.Force || im.isHeld || im.Encoding != f.Encoding || im.Inner != f.Inner {
		return false
	}
	if bytes.Equal(sum, f.LiveSHA256) {
		return f.Made >= importFormat
	}
	return im.Check && bytes.Equal(sum, f.SeenSHA256)
}

func (im *importer) complete() {
	f := im.feed
	if f != nil && !f.Removed {
		im.Name, im.Encoding = cmp.Or(im.Name, f.Name), cmp.Or(im.Encoding, f.Encoding)
		im.Inner = cmp.Or(im.Inner, f.Inner)
		if im.stored == nil {
			im.Source = cmp.Or(im.Source, f.URL)
		}
	}
	im.Name = cmp.Or(im.Name, im.Alias)
	im.report.Name = im.Name
	im.report.Source = withoutCredentials(im.Source)
	if im.stored != nil || im.Held && f != nil && f.HeldSHA256 != nil {
		im.report.Source = "the kept zip"
	}
}

// open opens the zip. It returns nil if the source reports that it has not changed.
func (im *importer) open(ctx context.Context) (*archive, error) {
	switch {
	case im.stored != nil:
		return storedArchive(ctx, im.deps.DB, im.feed.ID, im.stored)
	case im.Source == "":
		return nil, errors.New("there is no source: give the zip, the folder or the URL to import")
	case !isURL(im.Source):
		return openArchive(ctx, im.Source)
	}
	etag, lastModified := "", ""
	if f := im.feed; f != nil && f.URL == im.Source && im.isSeen(f.SeenSHA256) {
		etag, lastModified = f.ETag, f.LastModified
	}
	return fetchArchive(ctx, im.deps.Log, im.Request, etag, lastModified)
}

func (im *importer) ensureFeed(ctx context.Context) error {
	if im.feed != nil {
		return nil
	}
	created, err := im.deps.DB.Exec(ctx, `
		INSERT INTO transit.feed (alias, name) VALUES ($1, $2) ON CONFLICT (alias) DO NOTHING`, im.Alias, im.Name)
	if err == nil && created.RowsAffected() == 0 {
		return errOvertaken
	}
	if err == nil {
		im.feed, err = oneFeed(ctx, im.deps, im.Alias, im.id)
	}
	if err != nil {
		return fmt.Errorf("create the feed: %w", err)
	}
	return nil
}

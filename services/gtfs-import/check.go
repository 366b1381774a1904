package gtfsimport

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/klauspost/compress/flate"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/services/gtfs-import/internal/audit"
	"github.com/townline/townline/services/gtfs-import/internal/diff"
	"github.com/townline/townline/services/gtfs-import/internal/load"
	"github.com/townline/townline/services/gtfs-import/internal/stage"
)

// Check reads a feed as an import does, without a database, and reports what it finds. The error
// wraps ErrRefused for a feed that an import would refuse; then there is a report, too.
func Check(ctx context.Context, log *slog.Logger, req Request) (*Report, error) {
	im := &importer{Request: req, start: time.Now(), log: &audit.Log{}, feed: &feed{}}
	im.Alias = cmp.Or(im.Alias, "feed")
	im.Name = cmp.Or(im.Name, im.Alias)
	im.report = &Report{Alias: im.Alias, Name: im.Name, Source: withoutCredentials(im.Source),
		StartedAt: im.start.UTC().Truncate(time.Second)}
	open := openArchive
	if isURL(im.Source) {
		open = func(ctx context.Context, _ string) (*archive, error) {
			return fetchArchive(ctx, log, im.Request, "", "")
		}
	}
	zip, err := open(ctx, im.Source)
	if err != nil {
		return nil, err
	}
	defer zip.Close()
	im.report.SHA256, im.report.Bytes = hex.EncodeToString(zip.sha256[:]), zip.bytes
	result, err := im.check(ctx, zip)
	var refusal *load.Refusal
	switch {
	case err == nil:
		im.fillReport(result, 0, map[string]diff.Counts{})
		return im.report, nil
	case !errors.As(err, &refusal) && !errors.Is(err, gtfs.ErrUnreadable):
		return nil, fmt.Errorf("check %s: %w", im.report.Source, err)
	}
	reason := err.Error()
	if refusal != nil {
		reason = refusal.Reason
	}
	im.report.Outcome, im.report.Reason = Refused, reason
	im.report.Findings, im.report.Lines = im.log.Totals(), im.log.Lines()
	return im.report, fmt.Errorf("%w: %s", ErrRefused, reason)
}

func (im *importer) check(ctx context.Context, zip *archive) (*load.Result, error) {
	source, err := im.openZip(zip)
	if err != nil {
		return nil, err
	}
	return load.Load(ctx, source, stage.Discard(), load.Options{
		Alias: im.Alias, Name: im.Name, Today: cmp.Or(im.Today, im.start), Audit: im.log, Progress: im.Progress,
		Meanwhile: func(context.Context) error { return nil },
	})
}

func (im *importer) openZip(zip *archive) (*gtfs.Feed, error) {
	return gtfs.OpenZip(zip.file, zip.bytes, gtfs.Options{
		Encoding: im.Encoding, Note: im.log.Add,
		Inflate: func(r io.Reader) io.ReadCloser { return flate.NewReader(r) },
	})
}

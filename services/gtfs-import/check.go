package gtfsimport

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/gtfs/notice"
	"github.com/townline/townline/services/gtfs-import/internal/audit"
	"github.com/townline/townline/services/gtfs-import/internal/diff"
	"github.com/townline/townline/services/gtfs-import/internal/load"
	"github.com/townline/townline/services/gtfs-import/internal/stage"
)

// Check reads the zip or folder of req.Source like an import, without database and network, and
// reports the same findings. The error wraps ErrRefused or ErrHeld if an import would refuse or
// hold the feed because of them. After any other error, for example an invalid zip, the report is nil.
func Check(ctx context.Context, req Request) (*Report, error) {
	if isURL(req.Source) {
		return nil, fmt.Errorf("check %s: only a file or a folder can be checked; download it first",
			withoutCredentials(req.Source))
	}
	im := &importer{Request: req, start: time.Now(), log: &audit.Log{}, feed: &feed{}}
	im.Alias = cmp.Or(im.Alias, "feed")
	im.Name = cmp.Or(im.Name, im.Alias)
	im.report = &Report{Alias: im.Alias, Name: im.Name, Source: im.Source,
		StartedAt: im.start.UTC().Truncate(time.Second)}
	zip, err := openArchive(ctx, im.Source)
	if err != nil {
		return nil, err
	}
	defer zip.Close()
	if err := zip.unwrap(ctx, im.Inner); err != nil {
		return nil, err
	}
	im.report.SHA256, im.report.Bytes = hex.EncodeToString(zip.sha256[:]), zip.bytes
	source, err := im.openZip(zip)
	if err != nil {
		return nil, fmt.Errorf("check %s: %w", im.Source, err)
	}
	shapes, err := temporary()
	if err != nil {
		return nil, fmt.Errorf("check %s: %w", im.Source, err)
	}
	defer func() { _ = shapes.Close() }()
	result, err := load.Load(ctx, source, stage.Discard(shapes), load.Options{
		Alias: im.Alias, Name: im.Name, Today: cmp.Or(im.Today, im.start), Audit: im.log, Progress: im.Progress,
		Meanwhile: func(context.Context) error { return nil },
	})
	var refusal *load.Refusal
	switch {
	case err == nil:
		im.fillReport(result, 0, map[string]diff.Counts{})
		im.report.Outcome, im.report.Generation = Checked, 0
		if why := result.Unreadable; why != nil {
			im.report.Outcome, im.report.Hold = Held, why
			im.report.Reason = why.Text(notice.English())
			return im.report, fmt.Errorf("%w: %s", ErrHeld, im.report.Reason)
		}
		return im.report, nil
	case !errors.As(err, &refusal) && !errors.Is(err, gtfs.ErrUnreadable):
		return nil, fmt.Errorf("check %s: %w", im.Source, err)
	}
	reason := err.Error()
	if refusal != nil {
		reason = refusal.Reason
	}
	im.report.Outcome, im.report.Reason = Refused, reason
	im.report.Findings, im.report.Lines = im.log.Totals(), im.log.Lines()
	im.report.Seconds = time.Since(im.start).Seconds()
	return im.report, fmt.Errorf("%w: %s", ErrRefused, reason)
}

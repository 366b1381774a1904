package doctor

import (
	"context"
	"errors"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/objects"
)

// checkArchive checks the object store for archived documents, if one is configured.
func (p *report) checkArchive(ctx context.Context) {
	if !p.half("council") {
		return
	}
	cfg, err := conf.Load[objects.Config](p.s.Env)
	if err != nil {
		return // reported with the configuration
	}
	store, err := objects.Open(cfg)
	if err != nil || store == nil {
		return // likewise, or documents are in Postgres
	}
	const what = "object store"
	ctx, cancel := context.WithTimeout(ctx, sourceTimeout)
	defer cancel()
	err = store.Probe(ctx)
	switch {
	case err == nil:
		p.note("archive", what, statusOK, "answers, and accepts bucket and key", "")
	case errors.Is(err, objects.ErrNoBucket):
		p.note("archive", what, statusProblem, err.Error(), "create the bucket, or correct ARCHIVE_S3_BUCKET")
	case errors.Is(err, objects.ErrKey):
		p.note("archive", what, statusProblem, err.Error(), "correct ARCHIVE_S3_KEY and ARCHIVE_S3_SECRET")
	case errors.Is(err, objects.ErrDenied):
		p.note("archive", what, statusWarning, err.Error(),
			"normal for a key that may not list objects; otherwise allow it to read and write the objects of "+
				"ARCHIVE_S3_BUCKET below ARCHIVE_S3_PREFIX")
	default:
		p.note("archive", what, statusProblem, "no object store answers at ARCHIVE_S3_ENDPOINT",
			"check address and port, that the store runs, and that no network policy or firewall blocks this machine")
	}
}

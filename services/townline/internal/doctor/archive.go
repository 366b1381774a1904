package doctor

import (
	"context"
	"errors"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/objects"
)

// checkArchive asks the object store that archived documents are kept in, where one is configured.
func (p *report) checkArchive(ctx context.Context) {
	if !p.half("council") {
		return
	}
	cfg, err := conf.Load[objects.Config](p.s.Env)
	if err != nil {
		return // told with the configuration
	}
	store, err := objects.Open(cfg)
	if err != nil || store == nil {
		return // likewise, or documents are in Postgres
	}
	const what = "object store"
	ctx, cancel := context.WithTimeout(ctx, sourceTimeout)
	defer cancel()
	switch err := store.Probe(ctx); {
	case err == nil:
		p.note("archive", what, statusOK, "answers, and knows bucket and key", "")
	case errors.Is(err, objects.ErrNoBucket):
		p.note("archive", what, statusProblem, err.Error(), "make the bucket, or mend ARCHIVE_S3_BUCKET")
	case errors.Is(err, objects.ErrKey):
		p.note("archive", what, statusProblem, err.Error(), "mend ARCHIVE_S3_KEY and ARCHIVE_S3_SECRET")
	case errors.Is(err, objects.ErrDenied):
		p.note("archive", what, statusWarning, err.Error(), "right for a key that may not list; else let it read and write the objects of ARCHIVE_S3_BUCKET below ARCHIVE_S3_PREFIX")
	default:
		p.note("archive", what, statusProblem, "no object store answers at ARCHIVE_S3_ENDPOINT", "see that address and port are right, that the store runs, and that a network policy or firewall lets this machine through")
	}
}

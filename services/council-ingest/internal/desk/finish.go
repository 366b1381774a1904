package desk

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/services/council-ingest/internal/classify"
	"github.com/townline/townline/services/council-ingest/internal/export"
)

// Finish ends an ingest or a re-parse: items get their topics and, if anything changed since the
// last one, votes.csv is written anew. The end of an ingest that changed something is the dataset's
// last_ingest_at; a re-parse, which may run beside an ingest, leaves that alone. What changed
// nothing leaves every byte of the API as it was.
func (d *Desk) Finish(ctx context.Context, changed bool) error {
	// Topics are an addition to what was ingested: without them it is complete all the same.
	if sum, err := classify.Run(ctx, d.Deps, d.Classifier); ctx.Err() != nil {
		return context.Cause(ctx)
	} else if err != nil {
		d.Deps.Log.Warn("items could not be classified; it will be tried again", "error", err, "done", sum)
	}
	_, err := d.Write(ctx, func(tx pgx.Tx) (bool, error) {
		written, err := d.Export(ctx, tx)
		if err != nil || !written && !changed || d.Again {
			return written, err
		}
		if _, err := tx.Exec(ctx, `UPDATE council.dataset SET last_ingest_at = $1`, d.Now()); err != nil {
			return false, fmt.Errorf("end the ingest: %w", err)
		}
		return true, nil
	})
	return err
}

// Export writes votes.csv if anything changed since it was written, and reports whether it did. It
// counts as a change itself: the caller raises the generation.
func (d *Desk) Export(ctx context.Context, tx pgx.Tx) (bool, error) {
	next, err := export.Stale(ctx, tx)
	if err != nil || next == 0 {
		return false, err
	}
	return true, export.Write(ctx, tx, next, d.Now())
}

// Classify labels what no ingest has labelled yet: items whose question was beyond the limit of a
// run, or whose model was away or is another than before. It is one run, with the limit of one, and
// then writes votes.csv.
func (d *Desk) Classify(ctx context.Context) error {
	sum, failed := classify.Run(ctx, d.Deps, d.Classifier)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if sum.Asked > 0 || sum.Labelled > 0 {
		d.Deps.Log.Info("classified", "done", sum)
	}
	if sum.Labelled > 0 {
		if _, err := d.Write(ctx, func(tx pgx.Tx) (bool, error) { return d.Export(ctx, tx) }); err != nil {
			return err
		}
	}
	if failed != nil {
		return fmt.Errorf("label agenda items: %w", failed)
	}
	return nil
}

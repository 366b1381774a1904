package publish

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/services/council-ingest/internal/classify"
)

// Finish ends an ingest or a re-parse: it stores the offices of members and labels items. If an
// ingest changed anything, last_ingest_at becomes its end, also if the ingest that changed it was
// interrupted. A re-parse does not change last_ingest_at, because it may run during an ingest. If
// nothing changed, no byte of the API changes.
func (p *Publisher) Finish(ctx context.Context, changed bool) error {
	stored, err := p.Write(ctx, func(tx pgx.Tx) (bool, error) { return p.storeOffices(ctx, tx) })
	if err != nil {
		err = fmt.Errorf("store the offices of members: %w", err)
	}
	// An ingest is complete even without topics.
	if sum, err := classify.Run(ctx, p.Deps, p.set.Classifier); ctx.Err() != nil {
		return context.Cause(ctx)
	} else if err != nil {
		p.Deps.Log.Warn("items could not be classified; it will be tried again", "error", err, "done", sum)
	}
	if p.Again {
		return err
	}
	_, ended := p.Write(ctx, func(tx pgx.Tx) (bool, error) {
		tag, err := tx.Exec(ctx, `
			UPDATE council.dataset SET last_ingest_at = $1
			WHERE $2 OR EXISTS (SELECT FROM council.meeting WHERE last_fetched > coalesce(last_ingest_at, '-infinity'))`,
			p.Now(), changed || stored)
		if err != nil {
			return false, fmt.Errorf("end the ingest: %w", err)
		}
		return tag.RowsAffected() > 0, nil
	})
	return errors.Join(err, ended)
}

// Classify labels items that have no label, because they were beyond the limit of a run, or because
// their model failed or was replaced. It makes one run.
func (p *Publisher) Classify(ctx context.Context) error {
	sum, failed := classify.Run(ctx, p.Deps, p.set.Classifier)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if sum.Asked > 0 || sum.Labelled > 0 {
		p.Deps.Log.Info("classified", "done", sum)
	}
	if failed != nil {
		return fmt.Errorf("label agenda items: %w", failed)
	}
	return nil
}

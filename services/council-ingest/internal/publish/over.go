package publish

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/services/council-ingest/internal/desk"
)

// PassTime takes meetings to minutes_pending that are over and no visit came to: the portal does not list them any more.
func (p *Publisher) PassTime(ctx context.Context, sum *desk.Summary) error {
	ids, err := pg.Column[int64](ctx, p.Deps.DB, `
		SELECT iqm2_id FROM council.meeting WHERE status IN ('discovered', 'agenda_only') AND starts_at <= $1 ORDER BY iqm2_id`, p.Now().Add(-overAfter))
	if err != nil {
		return fmt.Errorf("ingest: look for meetings that are over: %w", err)
	}
	for _, id := range ids {
		changed, err := p.Write(ctx, func(tx pgx.Tx) (bool, error) { return p.Publish(ctx, tx, id) })
		err = desk.Unstored(err)
		switch {
		case ctx.Err() != nil || errors.Is(err, desk.ErrDatabase):
			return fmt.Errorf("ingest: meeting %d: %w", id, err)
		case err != nil:
			sum.Failed++
			p.Deps.Log.Warn("a meeting could not be published; it is tried again later", "meeting", id, "error", err)
		}
		if changed {
			sum.Changed++
		}
	}
	return nil
}

package publish

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/merge"
)

// Verify compares what is stored of a meeting with what follows from its ground, and reports each difference. It writes nothing. A [Refusal] is the
// error of a document that would be refused.
func (p *Publisher) Verify(ctx context.Context, tx pgx.Tx, id int64, report func(string, ...any)) error {
	g, err := archive.ReadGround(ctx, tx, id)
	if err != nil {
		return err
	}
	var twins []archive.Twin
	good := goodSource(g)
	if good != nil {
		twins, err = archive.Twins(ctx, tx, good.DocumentID)
		if err != nil {
			return err
		}
	}
	state, sameAs, err := p.Derive(g, good, twins)
	if err != nil {
		return err
	}
	if good != nil && (g.Good == nil || g.Good.MinutesID != good.MinutesID) {
		report("meeting %d: votes come from another document than the last that can be read", id)
	}
	if (sameAs == nil) != (g.SameAs == nil) || sameAs != nil && *sameAs != *g.SameAs {
		report("meeting %d: stored as the same as %s, derived as %s", id, shown(g.SameAs), shown(sameAs))
	}
	differences, err := merge.Verify(ctx, tx, id, state)
	for _, diff := range differences {
		report("meeting %d: %s", id, diff)
	}
	return err
}

func shown(id *int64) string {
	if id == nil {
		return "no other"
	}
	return fmt.Sprintf("meeting %d", *id)
}

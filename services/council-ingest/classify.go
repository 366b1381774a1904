package councilingest

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/council-ingest/internal/classify"
)

// Classify labels what no ingest has labelled yet: items whose question was beyond the limit of a run, or whose model
// was away or is another than before. It is one run, with the limit of one, and then writes votes.csv.
func Classify(ctx context.Context, deps run.Deps, set *Settings) error {
	d := newDesk(deps, set)
	sum, failed := classify.Run(ctx, deps, set.Classifier)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if sum.Asked > 0 || sum.Labelled > 0 {
		deps.Log.Info("classified", "done", sum)
	}
	if sum.Labelled > 0 {
		if _, err := d.write(ctx, func(tx pgx.Tx) (bool, error) { return d.export(ctx, tx) }); err != nil {
			return err
		}
	}
	if failed != nil {
		return fmt.Errorf("label agenda items: %w", failed)
	}
	return nil
}

// classifyOften asks what is left, for as long as the service runs. An ingest asks by itself; this is for what it leaves.
func (s *service) classifyOften(ctx context.Context) error {
	loop := run.Loop{Name: "classify", Period: 5 * time.Minute, Jitter: time.Minute, MaxBackoff: time.Hour, Log: s.deps.Log}
	return run.Every(ctx, loop, func(ctx context.Context) error { return Classify(ctx, s.deps, s.set) })
}

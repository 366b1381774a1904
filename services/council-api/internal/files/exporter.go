package files

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/council-api/internal/dataset"
	"github.com/townline/townline/services/council-api/internal/dump"
)

const (
	// exportQuiet is how long the dataset must be unchanged before a new export: an
	// ingest raises the generation with every meeting.
	exportQuiet = 10 * time.Second
	// exportShare bounds the load of exports: after each export the exporter pauses this many times as
	// long as the export took.
	exportShare = 5
	// exportWait is how long a request waits for the very first export.
	exportWait = 5 * time.Second
)

// An Exporter keeps the newest export of the dataset. It makes an export in the background, once
// for each generation that lasts. Readers get the export before until the new one is complete.
type Exporter struct {
	deps    run.Deps
	opts    dump.Options
	current atomic.Pointer[dump.Set]
	first   chan struct{} // closed when there is an export

	// Used by the loop alone.
	ended time.Time
	took  time.Duration
}

func NewExporter(deps run.Deps, opts dump.Options) *Exporter {
	if len(opts.Dirs) == 0 {
		opts.Dirs = []string{os.TempDir(), "/dev/shm"} // for images without a writable disk
	}
	return &Exporter{deps: deps, opts: opts, first: make(chan struct{})}
}

// Run keeps the export up to date until ctx ends. If it fails, the rest of the API works on.
func (e *Exporter) Run(ctx context.Context) error {
	loop := run.Loop{Name: "export the dataset", Period: 5 * time.Second, MaxBackoff: 10 * time.Minute, Log: e.deps.Log}
	return run.Every(ctx, loop, e.follow)
}

// follow makes an export if the dataset has a new generation that has lasted.
func (e *Exporter) follow(ctx context.Context) error {
	row, err := dataset.Select.One(ctx, e.deps.DB, rest.None{})
	if err != nil {
		return err
	}
	if have := e.current.Load(); have != nil {
		now := time.Now()
		if have.Generation == row.Generation || now.Sub(row.UpdatedAt.Time) < exportQuiet ||
			now.Sub(e.ended) < exportShare*e.took {
			return nil
		}
	}
	return e.Refresh(ctx)
}

// Refresh makes an export and shows it.
func (e *Exporter) Refresh(ctx context.Context) error {
	start := time.Now()
	set, err := dump.Write(ctx, e.deps.DB, e.opts)
	e.ended = time.Now()
	e.took = e.ended.Sub(start)
	switch {
	case errors.Is(err, dump.ErrTooLarge):
		return fmt.Errorf("%w: COUNCIL_EXPORT_BYTES is %d", err, e.opts.MaxBytes)
	case err != nil:
		return err
	}
	if e.current.Swap(set) == nil {
		close(e.first)
	}
	return nil
}

// Newest returns the newest export. It waits only for the very first one.
func (e *Exporter) Newest(ctx context.Context) (*dump.Set, error) {
	if set := e.current.Load(); set != nil {
		return set, nil
	}
	wait := time.NewTimer(exportWait)
	defer wait.Stop()
	select {
	case <-e.first:
		return e.current.Load(), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-wait.C:
		return nil, &rest.Error{Status: http.StatusServiceUnavailable, Detail: "the export is being made; try again soon",
			Header: http.Header{"Retry-After": {"30"}}}
	}
}

// exportSource finds the newest export, whose generation lags behind that of the dataset.
func exportSource[P any](e *Exporter) rest.Source[P, *dump.Set] {
	return rest.Source[P, *dump.Set]{Now: func(ctx context.Context, _ *rest.Call,
		_ P) (*dump.Set, rest.Generation, error) {
		set, err := e.Newest(ctx)
		if err != nil {
			return nil, rest.Generation{}, err
		}
		return set, rest.Generation{N: set.Generation, Time: set.Time}, nil
	}}
}

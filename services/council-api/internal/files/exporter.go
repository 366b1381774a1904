package files

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/council-api/internal/dump"
)

const (
	// exportQuiet is the time without changes before a new export, because an ingest raises the
	// generation with every meeting.
	exportQuiet = 10 * time.Second
	// exportShare bounds the load: after each export, the exporter pauses this many times as long as
	// the export took.
	exportShare = 5
	// exportWait bounds the time that a request waits for the first export.
	exportWait = 5 * time.Second
)

// An Exporter makes exports of the dataset in the background, one for each generation that lasts
// for exportQuiet. Readers get the previous export until the new one is complete.
type Exporter struct {
	deps    run.Deps
	opts    dump.Options
	current atomic.Pointer[dump.Set]
	first   chan struct{} // closed when the first export exists

	ended time.Time // end of the last export; only the loop uses it
	took  time.Duration
}

func NewExporter(deps run.Deps, opts dump.Options) *Exporter {
	if len(opts.Dirs) == 0 {
		opts.Dirs = []string{os.TempDir(), "/dev/shm"} // the second is for images without a writable disk
	}
	return &Exporter{deps: deps, opts: opts, first: make(chan struct{})}
}

// Run keeps the export up to date until ctx ends.
func (e *Exporter) Run(ctx context.Context) error {
	loop := run.Loop{Name: "export the dataset", Period: 5 * time.Second, MaxBackoff: 10 * time.Minute, Log: e.deps.Log}
	return run.Every(ctx, loop, e.follow)
}

// follow makes an export if the generation is new and has lasted for exportQuiet.
func (e *Exporter) follow(ctx context.Context) error {
	state, err := dump.ReadState(ctx, e.deps.DB)
	if err != nil {
		return err
	}
	if have := e.current.Load(); have != nil {
		now := time.Now()
		if have.Generation == state.Generation || now.Sub(state.UpdatedAt) < exportQuiet ||
			now.Sub(e.ended) < exportShare*e.took {
			return nil
		}
	}
	return e.Refresh(ctx)
}

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

// Newest returns the newest export. It waits only if there is none yet.
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
		return nil, rest.Unavailable(30*time.Second, "the export is being made; try again soon")
	}
}

// exportSource returns the source that answers with the newest export. The generation of an export
// may be older than that of the dataset.
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

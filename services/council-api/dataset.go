package councilapi

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/run"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
)

// A dataset keeps the current generation of the council data in memory. Each change raises the
// generation. The cache key of an answer contains the generation, so a new generation replaces all
// answers.
type dataset struct {
	deps    run.Deps
	current atomic.Pointer[datasetState]
	clock   func() time.Time

	mu     sync.Mutex // held while current is replaced; guards the field below
	rewind pg.Rewind
}

func newDataset(deps run.Deps) *dataset { return &dataset{deps: deps, clock: time.Now} }

// A datasetState is a generation with its state, which orders generations.
type datasetState struct {
	pg.State
	rest.Generation
}

type generationRow struct {
	Generation int64
	UpdatedAt  rest.Time
}

var selectGeneration = rest.SQL[rest.None, generationRow](`SELECT generation, updated_at FROM council.dataset`)

// source returns the generation from memory. For each answer it reads the generation again, in the
// snapshot of the answer.
func (d *dataset) source() *rest.Dataset {
	return &rest.Dataset{
		Now: func(ctx context.Context) (rest.Generation, error) {
			if g := d.current.Load(); g != nil {
				return g.Generation, nil
			}
			return d.read(ctx, d.deps.DB)
		},
		Read: d.read,
	}
}

// read reads the generation, and keeps it. It keeps an earlier state than the one in memory only if
// the database has returned none later for a while, as after a restore.
func (d *dataset) read(ctx context.Context, db rest.DB) (rest.Generation, error) {
	row, err := selectGeneration.One(ctx, db, rest.None{})
	if err != nil {
		return rest.Generation{}, fmt.Errorf("read the dataset's generation: %w", err)
	}
	found := &datasetState{State: pg.State{Counter: row.Generation, Time: row.UpdatedAt.Time},
		Generation: rest.Generation{N: row.number(), Time: row.UpdatedAt.Time}}
	d.mu.Lock()
	defer d.mu.Unlock()
	known := d.current.Load()
	earlier := known != nil && found.IsBefore(known.State)
	if earlier && !d.rewind.Pending() {
		d.deps.Log.Debug("the database returned an earlier generation: a replica lags, or the database was restored",
			"generation", known.Counter, "reported", found.Counter, "believed_in", pg.Patience)
	}
	if d.rewind.Accept(earlier, d.clock()) {
		d.current.Store(found)
	}
	return found.Generation, nil
}

// number identifies a state of the dataset. The counter alone is not enough: after the database is
// restored from a backup, the counter repeats, and clients would keep bodies of the lost state.
func (row *generationRow) number() int64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %d", row.Generation, row.UpdatedAt.UnixMicro())
	return int64(h.Sum64())
}

// run keeps the generation up to date until ctx ends. A lost event delays it by one period.
func (d *dataset) run(ctx context.Context) error {
	loop := run.Loop{Name: "read the dataset's generation", Period: time.Second, Timeout: 5 * time.Second,
		MaxBackoff: 5 * time.Second, Log: d.deps.Log}
	return run.Watch(ctx, d.deps.Events, loop, func(ctx context.Context) error {
		_, err := d.read(ctx, d.deps.DB)
		return err
	}, run.On[eventsv1.CouncilChanged])
}

// check returns an error until a generation was read.
func (d *dataset) check(context.Context) error {
	if d.current.Load() == nil {
		return errors.New("the dataset has not been read yet")
	}
	return nil
}

// Package dataset follows the generation of the council data, which each change raises. Answers are
// kept by it, so a new generation replaces all of them.
//
// It knows the counter and its time alone; what is counted is in internal/record.
package dataset

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"sync/atomic"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/run"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
)

// readEvery is how often the generation is read without a hint. A lost event costs this delay.
const readEvery = time.Second

// A Dataset keeps the current generation of the council data in memory.
type Dataset struct {
	deps    run.Deps
	current atomic.Pointer[state]
}

// A state is a generation with its counter, which orders generations.
type state struct {
	counter int64
	rest.Generation
}

func New(deps run.Deps) *Dataset {
	return &Dataset{deps: deps}
}

type State struct {
	Generation int64
	UpdatedAt  rest.Time
}

var Select = rest.SQL[rest.None, State](`SELECT generation, updated_at FROM council.dataset`)

// Source returns the generation from memory, and reads it again in the database snapshot of an
// answer.
func (d *Dataset) Source() *rest.Dataset {
	return &rest.Dataset{
		Now: func(ctx context.Context) (rest.Generation, error) {
			if g := d.current.Load(); g != nil {
				return g.Generation, nil
			}
			return d.look(ctx, d.deps.DB)
		},
		Read: d.look,
	}
}

// look reads the generation and keeps it, unless it has a newer one.
func (d *Dataset) look(ctx context.Context, db rest.DB) (rest.Generation, error) {
	row, err := Select.One(ctx, db, rest.None{})
	if err != nil {
		return rest.Generation{}, fmt.Errorf("read the dataset's generation: %w", err)
	}
	found := &state{row.Generation, rest.Generation{N: row.number(), Time: row.UpdatedAt.Time}}
	for {
		known := d.current.Load()
		if known != nil && known.counter >= found.counter || d.current.CompareAndSwap(known, found) {
			return found.Generation, nil
		}
	}
}

// number identifies the state of the dataset. The counter alone would repeat
// after a database is restored from a backup, and clients would keep bodies of the lost state.
func (row *State) number() int64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %d", row.Generation, row.UpdatedAt.UnixMicro())
	return int64(h.Sum64())
}

// Run keeps the generation up to date until ctx ends.
func (d *Dataset) Run(ctx context.Context) error {
	loop := run.Loop{Name: "read the dataset's generation", Period: readEvery, Timeout: 5 * time.Second,
		MaxBackoff: 5 * time.Second, Log: d.deps.Log}
	return run.Watch(ctx, d.deps.Events, loop, func(ctx context.Context) error {
		_, err := d.look(ctx, d.deps.DB)
		return err
	}, run.On[eventsv1.CouncilChanged])
}

// Check returns nil once a generation was read.
func (d *Dataset) Check(context.Context) error {
	if d.current.Load() == nil {
		return errors.New("the dataset has not been read yet")
	}
	return nil
}

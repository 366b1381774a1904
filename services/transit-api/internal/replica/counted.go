package replica

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/run"
)

// A Counted is a small table of the operator that counts its changes. It is read into memory when the count changes. A
// replica that lags reports a lower count and would bring back revoked rows, so a lower count is not accepted at once.
type Counted struct {
	name    string
	db      rest.DB
	log     *slog.Logger
	changes *rest.Query[rest.None, int64]
	read    func(ctx context.Context, changes int64) error
	turn    chan struct{} // one read at a time; guards the fields below
	doubt   Doubt
	last    atomic.Int64
}

// NewCounted watches a table. changes is the query for the count; read loads the rows.
func NewCounted(name string, db rest.DB, log *slog.Logger, changes *rest.Query[rest.None, int64], read func(context.Context, int64) error) *Counted {
	t := &Counted{name: name, db: db, log: log, changes: changes, read: read, turn: make(chan struct{}, 1)}
	t.last.Store(-1)
	return t
}

// period is how often the count is read.
const period = time.Second

// Run keeps the memory up to date until ctx ends.
func (t *Counted) Run(ctx context.Context) error {
	return run.Watch(ctx, nil, run.Loop{Name: "read the " + t.name, Period: period, Timeout: 5 * time.Second, Log: t.log}, t.Refresh)
}

// Ready reports whether the table was read.
func (t *Counted) Ready(context.Context) error {
	if t.last.Load() < 0 {
		return errors.New("not read yet")
	}
	return nil
}

// Refresh reads the table if it has changed.
func (t *Counted) Refresh(ctx context.Context) error {
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	n, err := t.changes.One(ctx, t.db, rest.None{})
	if err != nil {
		return fmt.Errorf("read the count of changes of the %s: %w", t.name, err)
	}
	if old := t.last.Load(); old >= 0 && (!t.doubt.Believe(n < old, time.Now()) || n == old) {
		return nil
	}
	if err := t.read(ctx, n); err != nil {
		return fmt.Errorf("read the %s: %w", t.name, err)
	}
	t.last.Store(n)
	return nil
}

package rest

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/maypok86/otter/v2"

	"github.com/townline/townline/pkg/panics"
)

// A bodyKey names encoded bytes: the same key means the same bytes for ever, so nothing is ever invalidated;
// what nobody asks for any more is evicted by weight, or where every few seconds bring another, by time.
type bodyKey struct {
	gen     int64
	request string
	coding  coding
}

// entryOverhead is what an entry costs beside its bytes: headers, key, the cache's own bookkeeping.
const entryOverhead = 512

// bodies keeps encoded answers within a budget of bytes, and has one builder per key at a time.
type bodies struct {
	kept    *otter.Cache[bodyKey, *reply]
	largest int // bytes of the largest body that is kept
	load    *load

	mu      sync.Mutex
	flights map[bodyKey]*flight
}

// A flight is one build that is under way and all who wait for it.
type flight struct {
	done    chan struct{}
	reply   *reply
	err     error
	waiting int // guarded by bodies.mu, as is its place in flights
	cancel  context.CancelCauseFunc
}

// briefly is how long realtime answers are kept: their generations follow each other quickly, and nobody asks for a past
// one. Without it they would fill the budget, whatever its size.
const briefly = time.Minute

func newBodies(budget int64, brief time.Duration, l *load) (*bodies, error) {
	kept, err := otter.New(&otter.Options[bodyKey, *reply]{
		MaximumWeight: uint64(budget),
		Weigher: func(k bodyKey, r *reply) uint32 {
			return uint32(len(k.request) + len(r.body) + entryOverhead)
		},
		ExpiryCalculator: otter.ExpiryWritingFunc(func(e otter.Entry[bodyKey, *reply]) time.Duration {
			if e.Value.kind == Realtime {
				return brief
			}
			return math.MaxInt64 // never
		}),
		OnDeletion: func(e otter.DeletionEvent[bodyKey, *reply]) { l.drop(e.Value) },
	})
	if err != nil {
		return nil, fmt.Errorf("cache of %d bytes: %w", budget, err)
	}
	return &bodies{kept: kept, largest: int(min(budget/8, 1<<30)), load: l, flights: map[bodyKey]*flight{}}, nil
}

// get returns the kept reply of a key.
func (b *bodies) get(k bodyKey) (*reply, bool) { return b.kept.GetIfPresent(k) }

// keep stores a reply, unless it would push out too much else, or what is pushed out would be held by clients all the same.
func (b *bodies) keep(k bodyKey, r *reply) {
	if len(r.body) <= b.largest && b.load.keep(r) {
		b.kept.Set(k, r)
	}
}

// build runs fn for a key, once for all who ask meanwhile. It goes on as long as one of
// them still waits and no longer than limit: a client that leaves takes nobody's answer along.
func (b *bodies) build(ctx context.Context, k bodyKey, limit time.Duration, fn func(context.Context) (*reply, error)) (*reply, error) {
	b.mu.Lock()
	f, running := b.flights[k]
	if !running {
		f = &flight{done: make(chan struct{})}
		b.flights[k] = f
	}
	f.waiting++
	if running {
		b.mu.Unlock()
		select {
		case <-f.done:
			return f.reply, f.err
		case <-ctx.Done():
			b.leave(k, f, context.Cause(ctx))
			return nil, ctx.Err()
		}
	}
	run, end := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer end()
	run, f.cancel = context.WithCancelCause(run)
	b.mu.Unlock()

	stop := context.AfterFunc(ctx, func() { b.leave(k, f, context.Cause(ctx)) })
	defer stop()
	defer f.cancel(nil)
	f.reply, f.err = guarded(run, fn)
	b.mu.Lock()
	b.land(k, f)
	b.mu.Unlock()
	close(f.done)
	return f.reply, f.err
}

// leave takes one waiter off a flight; the last one stops it for the same reason, and who comes then starts anew.
func (b *bodies) leave(k bodyKey, f *flight, why error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if f.waiting--; f.waiting == 0 {
		f.cancel(why)
		b.land(k, f)
	}
}

// waiting counts those who wait for a build, for the metrics.
func (b *bodies) waiting() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for _, f := range b.flights {
		n += f.waiting
	}
	return float64(n)
}

// land takes a flight off the board, if it still is there.
func (b *bodies) land(k bodyKey, f *flight) {
	if b.flights[k] == f {
		delete(b.flights, k)
	}
}

// guarded turns a panic of a handler into an error, so that those who wait for it are answered too.
func guarded(ctx context.Context, fn func(context.Context) (*reply, error)) (r *reply, err error) {
	defer func() {
		if p := recover(); p != nil {
			r, err = nil, panics.Error(p)
		}
	}()
	return fn(ctx)
}

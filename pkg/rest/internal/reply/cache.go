package reply

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/maypok86/otter/v2"

	"github.com/townline/townline/pkg/panics"
)

// A Key identifies encoded bytes. The same key always means the same bytes, so there is no
// invalidation: replies are evicted by weight, and brief replies by time.
type Key struct {
	Gen     int64
	Request string
	Coding  Coding
}

// entryOverhead is the memory of an entry in addition to its body: headers, key, bookkeeping.
const entryOverhead = 512

// A Cache keeps replies within a budget of bytes, and runs one build per key at a time.
type Cache struct {
	kept    *otter.Cache[Key, *Reply]
	largest int // size in bytes of the largest body that is kept

	mu      sync.Mutex
	flights map[Key]*flight
}

// A flight is one running build and the requests that wait for it.
type flight struct {
	done    chan struct{}
	reply   *Reply
	err     error
	waiting int // guarded by Cache.mu, like its place in flights
	cancel  context.CancelCauseFunc
}

// Briefly is the time that brief replies are kept. Without it, replies of past generations would
// fill the budget.
const Briefly = time.Minute

// NewCache makes a cache with a budget in bytes. brief is the time that brief replies are kept.
func NewCache(budget int64, brief time.Duration) (*Cache, error) {
	kept, err := otter.New(&otter.Options[Key, *Reply]{
		MaximumWeight: uint64(budget),
		Weigher: func(k Key, r *Reply) uint32 {
			return uint32(len(k.Request) + len(r.Body) + entryOverhead)
		},
		ExpiryCalculator: otter.ExpiryWritingFunc(func(e otter.Entry[Key, *Reply]) time.Duration {
			if e.Value.Brief {
				return brief
			}
			return math.MaxInt64 // never expires
		}),
	})
	if err != nil {
		return nil, fmt.Errorf("cache of %d bytes: %w", budget, err)
	}
	return &Cache{kept: kept, largest: int(min(budget/8, 1<<30)), flights: map[Key]*flight{}}, nil
}

func (b *Cache) Get(k Key) (*Reply, bool) { return b.kept.GetIfPresent(k) }

// Keep caches a reply, unless it would evict too many others.
func (b *Cache) Keep(k Key, r *Reply) {
	if len(r.Body) <= b.largest {
		b.kept.Set(k, r)
	}
}

// Build returns the reply for a key. fn builds it once for all requests that wait for it, and the
// cache keeps it under the generation that the reply has. The build continues while a request waits
// for it, but at most for limit.
func (b *Cache) Build(ctx context.Context, k Key, limit time.Duration,
	fn func(context.Context) (*Reply, error)) (*Reply, error) {
	b.mu.Lock()
	f, running := b.flights[k]
	if running {
		f.waiting++
		b.mu.Unlock()
		select {
		case <-f.done:
			return f.reply, f.err
		case <-ctx.Done():
			b.leave(k, f, context.Cause(ctx))
			return nil, ctx.Err()
		}
	}
	run, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	f = &flight{done: make(chan struct{}), cancel: cancel, waiting: 1}
	b.flights[k] = f
	b.mu.Unlock()
	stop := context.AfterFunc(ctx, func() { b.leave(k, f, context.Cause(ctx)) })
	defer stop()
	run, end := context.WithTimeout(run, limit)
	defer end()
	f.err = panics.Safely(func() (err error) { // a panic must not leave the waiting requests without an answer
		kept, ok := b.Get(k) // another request may have built it since the caller looked
		if ok {
			f.reply = kept
			return nil
		}
		f.reply, err = fn(run)
		if err == nil {
			b.Keep(Key{f.reply.Gen, k.Request, k.Coding}, f.reply)
		}
		return err
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	b.finish(k, f)
	close(f.done)
	return f.reply, f.err
}

// leave removes a waiting request from a flight. The last one cancels the build.
func (b *Cache) leave(k Key, f *flight, why error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if f.waiting--; f.waiting == 0 {
		f.cancel(why)
		b.finish(k, f)
	}
}

// Bytes returns the weight of the cached replies, for the metrics.
func (b *Cache) Bytes() float64 { return float64(b.kept.WeightedSize()) }

// Waiting returns the number of requests that wait for a build, for the metrics.
func (b *Cache) Waiting() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for _, f := range b.flights {
		n += f.waiting
	}
	return float64(n)
}

func (b *Cache) finish(k Key, f *flight) {
	if b.flights[k] == f {
		delete(b.flights, k)
	}
}

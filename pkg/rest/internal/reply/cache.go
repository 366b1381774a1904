package reply

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/maypok86/otter/v2"

	"github.com/townline/townline/pkg/panics"
)

// A Key identifies an answer. The same key always means the same bytes, so there is no invalidation:
// files are evicted by weight, and brief files by time.
type Key struct {
	Gen     int64
	Request string
}

// entryOverhead is the memory of an entry in addition to its bodies: headers, key, bookkeeping.
const entryOverhead = 512

// A Cache keeps files within a budget of bytes, and builds one file per key at a time.
type Cache struct {
	kept       *otter.Cache[Key, *File]
	compressor *compressor
	hits       atomic.Int64
	misses     atomic.Int64
	waiting    atomic.Int64
}

// Briefly is the time that brief files are kept. Without it, files of past generations would fill
// the budget.
const Briefly = time.Minute

// NewCache makes a cache with a budget in bytes. brief is the time that brief files are kept.
func NewCache(budget int64, brief time.Duration) (*Cache, error) {
	kept, err := otter.New(&otter.Options[Key, *File]{
		MaximumWeight: uint64(budget),
		Weigher: func(k Key, f *File) uint32 {
			weight := len(k.Request) + entryOverhead + len(f.Body)
			for i := range f.coded.files {
				if z := f.coded.files[i].Load(); z != nil && z != f {
					weight += len(z.Body)
				}
			}
			return uint32(weight)
		},
		ExpiryCalculator: otter.ExpiryWritingFunc(func(e otter.Entry[Key, *File]) time.Duration {
			switch {
			case e.Key.Gen != e.Value.Gen: // Get also keeps it under its own generation
				return time.Nanosecond
			case int64(len(e.Value.Body)) > budget/8:
				return time.Nanosecond // it would drive out what everybody asks for
			case e.Value.Brief:
				return brief
			}
			return math.MaxInt64 // never expires
		}),
	})
	if err != nil {
		return nil, fmt.Errorf("cache of %d bytes: %w", budget, err)
	}
	zstd, err := newZstd(zstd.SpeedDefault)
	return &Cache{kept: kept, compressor: &compressor{zstd: zstd}}, err
}

// Get returns the file of a key in a coding, and builds it if it is not kept. All requests that wait
// for one key share one build. The build has the context of its first request: if that client
// leaves, another request builds the file. forGood is for bodies that clients may keep for a year.
func (b *Cache) Get(ctx context.Context, k Key, c Coding, forGood bool,
	build func(context.Context) (*File, error)) (*File, error) {
	plain, ok := b.kept.GetIfPresent(k)
	if ok && (c == Identity || len(plain.Body) < compressFrom) {
		b.hits.Add(1)
		return plain, nil
	} else if ok {
		if coded := plain.coded.files[c].Load(); coded != nil {
			b.hits.Add(1)
			return coded, nil
		}
	}
	b.misses.Add(1)
	b.waiting.Add(1)
	defer b.waiting.Add(-1)
	plain, err := b.kept.Get(ctx, k, otter.LoaderFunc[Key, *File](func(ctx context.Context, _ Key) (f *File, err error) {
		defer func() {
			if p := recover(); p != nil {
				err = panics.Error(p) // otter's own error does not name the place
			}
		}()
		f, err = build(ctx)
		if err == nil && f.Gen != k.Gen {
			b.kept.Set(Key{Gen: f.Gen, Request: k.Request}, f)
		}
		return f, err
	}))
	if err != nil || c == Identity || len(plain.Body) < compressFrom {
		return plain, err
	}
	coded, made := b.compressor.coded(plain, c, forGood)
	if made {
		b.kept.Set(Key{Gen: plain.Gen, Request: k.Request}, plain) // with its new weight
	}
	return coded, nil
}

// Hits returns the number of answers that were kept, for the metrics.
func (b *Cache) Hits() float64 { return float64(b.hits.Load()) }

// Misses returns the number of answers that were built or awaited, for the metrics.
func (b *Cache) Misses() float64 { return float64(b.misses.Load()) }

// Bytes returns the weight of the kept files, for the metrics.
func (b *Cache) Bytes() float64 { return float64(b.kept.WeightedSize()) }

// Waiting returns the number of requests that wait for a build, for the metrics.
func (b *Cache) Waiting() float64 { return float64(b.waiting.Load()) }

package edition

import (
	"context"
	"errors"

	"github.com/maypok86/otter/v2"
)

// A memo caches rows of one version. Callers share the rows and must not change them.
type memo[K comparable, R any] struct {
	read  func(context.Context, []K, func(K, *R, int) error) error // calls its callback with each row and its size
	lock  chan struct{}                                            // held while several rows are read
	cache cache[K, sized[R]]
}

// A cache is an otter.Cache. Its type is not named in a field of an Edition: the compiler would compile
// otter's generic code again in each package that uses an Edition, for eight seconds each.
type cache[K comparable, V any] interface {
	GetIfPresent(key K) (V, bool)
	Set(key K, value V) (V, bool)
}

type sized[R any] struct {
	row  *R
	size int
}

func newMemo[K comparable, R any](
	limit uint64, read func(context.Context, []K, func(K, *R, int) error) error,
) *memo[K, R] {
	weigh := func(_ K, v sized[R]) uint32 { return uint32(v.size) + 1 }
	return &memo[K, R]{
		read:  read,
		lock:  make(chan struct{}, 1),
		cache: otter.Must(&otter.Options[K, sized[R]]{MaximumWeight: limit, Weigher: weigh}),
	}
}

// ErrTooMuch means that there are more rows than the caller allows.
var ErrTooMuch = errors.New("too many rows for one answer")

// get returns rows by key, or [ErrTooMuch] if they exceed maxSize in total. Keys without a row are
// omitted.
func (m *memo[K, R]) get(ctx context.Context, keys []K, maxSize int) (map[K]*R, error) {
	found := make(map[K]*R, len(keys))
	missing, size := m.find(keys, found)
	if len(missing) > 0 && len(keys) > 1 { // another request may be reading these rows; a single row need not wait
		select {
		case m.lock <- struct{}{}:
			defer func() { <-m.lock }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		missing, size = m.find(keys, found)
	}
	if len(missing) == 0 || size > maxSize {
		return found, checkSize(size, maxSize)
	}
	err := m.read(ctx, missing, func(key K, row *R, n int) error {
		found[key] = row
		size += n
		m.keep(key, row, n)
		return checkSize(size, maxSize)
	})
	return found, err
}

func checkSize(size, maxSize int) error {
	if size > maxSize {
		return ErrTooMuch
	}
	return nil
}

// find adds cached rows to found. It returns the missing keys and the total size of the found rows.
func (m *memo[K, R]) find(keys []K, found map[K]*R) (missing []K, size int) {
	for _, key := range keys {
		if v, ok := m.cache.GetIfPresent(key); ok {
			found[key] = v.row
			size += v.size
		} else {
			missing = append(missing, key)
		}
	}
	return missing, size
}

func (m *memo[K, R]) keep(key K, row *R, size int) { m.cache.Set(key, sized[R]{row, size}) }

package edition

import (
	"context"
	"errors"

	"github.com/maypok86/otter/v2"
)

// A memo caches rows of one version that many answers use. It lives as long as the version.
// Callers share the rows and must not change them.
type memo[K comparable, R any] struct {
	read  func(context.Context, []K, func(K, *R, int) error) error // calls the function with each row and its size
	turn  chan struct{}                                            // one read of several rows at a time
	cache *otter.Cache[K, sized[R]]
}

type sized[R any] struct {
	row  *R
	size int
}

func newMemo[K comparable, R any](
	limit uint64, read func(context.Context, []K, func(K, *R, int) error) error,
) *memo[K, R] {
	weigh := func(_ K, v sized[R]) uint32 { return uint32(v.size) + 1 }
	cache := otter.Must(&otter.Options[K, sized[R]]{MaximumWeight: limit, Weigher: weigh})
	return &memo[K, R]{read, make(chan struct{}, 1), cache}
}

// ErrTooMuch reports rows that are larger together than the caller allows.
var ErrTooMuch = errors.New("more than one answer may be made of")

// get finds rows by their keys, and leaves out keys that do not exist. It returns [ErrTooMuch] if
// the rows are larger than most together.
func (m *memo[K, R]) get(ctx context.Context, keys []K, most int) (map[K]*R, error) {
	found := make(map[K]*R, len(keys))
	missing, size := m.find(keys, found)
	if len(missing) > 1 { // those who wait find what the read before brought; a single row is read at once
		select {
		case m.turn <- struct{}{}:
			defer func() { <-m.turn }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		missing, size = m.find(keys, found)
	}
	if len(missing) == 0 || size > most {
		return found, tooMuch(size, most)
	}
	err := m.read(ctx, missing, func(key K, row *R, n int) error {
		found[key] = row
		size += n
		m.keep(key, row, n)
		return tooMuch(size, most)
	})
	return found, err
}

func tooMuch(size, most int) error {
	if size > most {
		return ErrTooMuch
	}
	return nil
}

// find adds cached rows to found, and returns the keys of the others and the size of the found
// rows.
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

// keep caches a row.
func (m *memo[K, R]) keep(key K, row *R, size int) { m.cache.Set(key, sized[R]{row, size}) }

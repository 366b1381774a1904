package edition

import (
	"context"
	"errors"
	"sync"
)

// A memo caches rows of one version that many answers use. It reads a row on first use, lives as long as the
// version, and is emptied when it is full. All callers share the rows and must not change them.
type memo[K comparable, R any] struct {
	read  func(context.Context, []K, func(K, *R, int) error) error // calls the function with each row and its size
	limit int
	turn  chan struct{} // one reading of several rows at a time: those who wait find what it brought

	mu   sync.RWMutex
	rows map[K]*kept[R]
	held int // sizes of the rows
}

type kept[R any] struct {
	row  *R
	size int
}

func newMemo[K comparable, R any](limit int, read func(context.Context, []K, func(K, *R, int) error) error) *memo[K, R] {
	return &memo[K, R]{read: read, limit: limit, turn: make(chan struct{}, 1), rows: map[K]*kept[R]{}}
}

// ErrTooMuch reports rows that are larger together than the caller allows.
var ErrTooMuch = errors.New("more than one answer may be made of")

// get finds rows by their keys, and leaves out keys that do not exist. It returns [ErrTooMuch] if the rows are larger than most together.
func (m *memo[K, R]) get(ctx context.Context, keys []K, most int) (map[K]*R, error) {
	found := make(map[K]*R, len(keys))
	missing, size := m.find(keys, found)
	if len(missing) > 0 && size <= most {
		if len(missing) > 1 { // one row is sooner read, perhaps twice, than waited for
			select {
			case m.turn <- struct{}{}:
				defer func() { <-m.turn }()
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			missing, size = m.find(keys, found)
		}
		if len(missing) > 0 {
			err := m.read(ctx, missing, func(key K, row *R, n int) error {
				found[key] = row
				size += n
				if size > most {
					return ErrTooMuch
				}
				m.keep(key, row, n)
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
	}
	if size > most {
		return nil, ErrTooMuch
	}
	return found, nil
}

// find adds cached rows to found, and returns the keys of the others and the size of the found rows.
func (m *memo[K, R]) find(keys []K, found map[K]*R) (missing []K, size int) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for _, key := range keys {
		if k := m.rows[key]; k != nil {
			found[key] = k.row
			size += k.size
		} else {
			missing = append(missing, key)
		}
	}
	return missing, size
}

// has reports whether a row is kept.
func (m *memo[K, R]) has(key K) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.rows[key] != nil
}

func (m *memo[K, R]) keep(key K, row *R, size int) {
	if size++; size > m.limit {
		return // too large to cache: read on each use
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rows[key] != nil {
		return
	}
	if m.held+size > m.limit {
		m.rows, m.held = map[K]*kept[R]{}, 0
	}
	m.held += size
	m.rows[key] = &kept[R]{row, size}
}

package edition

import (
	"context"
	"errors"

	"github.com/maypok86/otter/v2"
)

// keptBytes bounds the rows of an edition that are read when a request needs them and stay in memory.
// It suffices for all calls of most feeds.
const keptBytes = 64 << 20

// A cache keeps rows of all kinds. It is an otter.Cache, whose type is not named in a field of an
// Edition: the compiler would compile otter's generic code again in each package that uses an
// Edition, for eight seconds each.
type cache interface {
	GetIfPresent(key rowKey) (keptRow, bool)
	Set(key rowKey, row keptRow) (keptRow, bool)
	BulkGet(ctx context.Context, keys []rowKey, loader otter.BulkLoader[rowKey, keptRow]) (map[rowKey]keptRow, error)
}

// A rowKey identifies a row by its kind and by numbers, an id or both.
type rowKey struct {
	kind   kind
	number int32
	other  int32
	id     string
}

type kind byte

const (
	patternKind kind = iota
	profileKind
	stopCallsKind
	pathKind
	headingKind
	textsKind
	orderKind
	patternOrderKind
)

type keptRow struct {
	row   any
	bytes int
}

// newCache returns a cache for at most limit bytes.
func newCache(limit uint64) cache {
	const overhead = 120 // measured memory of an entry without its row
	weigh := func(key rowKey, v keptRow) uint32 { return uint32(v.bytes + len(key.id) + overhead) }
	return otter.Must(&otter.Options[rowKey, keptRow]{MaximumWeight: limit, Weigher: weigh})
}

// A memo reads rows of one kind through a cache. Callers share the rows and must not change them.
type memo[K comparable, R any] struct {
	cache cache
	key   func(K) rowKey
	read  func(context.Context, []K, func(K, *R, int) error) error // calls its callback with each row and its bytes
}

func byNumber(k kind) func(int32) rowKey {
	return func(number int32) rowKey { return rowKey{kind: k, number: number} }
}

func byID(k kind) func(string) rowKey {
	return func(id string) rowKey { return rowKey{kind: k, id: id} }
}

// ErrTooMuch means that there are more rows than the caller allows.
var ErrTooMuch = errors.New("too many rows for one answer")

// get returns rows by key, or [ErrTooMuch] if they have more than most bytes in total. Keys without
// a row are omitted. Concurrent callers read a row once.
func (m *memo[K, R]) get(ctx context.Context, keys []K, most int) (map[K]*R, error) {
	found, bytes := make(map[K]*R, len(keys)), 0
	var missing []rowKey
	asked := map[rowKey]K{}
	for _, k := range keys {
		key := m.key(k)
		if v, ok := m.cache.GetIfPresent(key); ok {
			if found[k] == nil {
				bytes += v.bytes
			}
			found[k] = v.row.(*R)
		} else if _, again := asked[key]; !again {
			asked[key] = k
			missing = append(missing, key)
		}
	}
	if bytes > most {
		return nil, ErrTooMuch
	}
	if missing == nil {
		return found, nil
	}
	rows, err := m.load(ctx, missing, asked, most-bytes)
	if err != nil {
		return nil, err
	}
	for key, v := range rows {
		bytes += v.bytes
		found[asked[key]] = v.row.(*R)
	}
	if bytes > most {
		return nil, ErrTooMuch
	}
	return found, nil
}

// load reads rows that are not in the cache, or waits for callers that read them.
func (m *memo[K, R]) load(
	ctx context.Context, keys []rowKey, asked map[rowKey]K, most int,
) (map[rowKey]keptRow, error) {
	tooMuch := false
	loader := func(ctx context.Context, keys []rowKey) (map[rowKey]keptRow, error) {
		which := make([]K, len(keys))
		rows := make(map[rowKey]keptRow, len(keys))
		bytes := 0
		for i, key := range keys {
			which[i] = asked[key]
		}
		err := m.read(ctx, which, func(k K, row *R, n int) error {
			bytes += n
			rows[m.key(k)] = keptRow{row, n}
			if tooMuch = bytes > most; tooMuch {
				return ErrTooMuch
			}
			return nil
		})
		return rows, err
	}
	for {
		rows, err := m.cache.BulkGet(ctx, keys, otter.BulkLoaderFunc[rowKey, keptRow](loader))
		switch {
		case tooMuch:
			return nil, ErrTooMuch
		case errors.Is(err, ErrTooMuch) && ctx.Err() == nil:
			continue // another caller read these rows, and allows fewer
		}
		return rows, err
	}
}

// peek reports whether a row is in the cache.
func (m *memo[K, R]) peek(k K) bool {
	_, ok := m.cache.GetIfPresent(m.key(k))
	return ok
}

// keep adds a row that was read with others.
func (m *memo[K, R]) keep(k K, row *R, bytes int) { m.cache.Set(m.key(k), keptRow{row, bytes}) }

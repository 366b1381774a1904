// Package kept keeps rows that are read when a request needs them, in bounded memory: those of a feed
// version, and the figures of months that are over.
package kept

import (
	"context"
	"errors"

	"github.com/maypok86/otter/v2"
)

// A Cache keeps rows of all kinds. It is an otter.Cache, whose type is not named in a field of an
// Edition: the compiler would compile otter's generic code again in each package that uses an
// Edition, for eight seconds each.
type Cache interface {
	GetIfPresent(key Key) (Row, bool)
	Set(key Key, row Row) (Row, bool)
	BulkGet(ctx context.Context, keys []Key, loader otter.BulkLoader[Key, Row]) (map[Key]Row, error)
}

// A Key identifies a row by its kind and by numbers, an id or both.
type Key struct {
	Kind   Kind
	Number int32
	Other  int32
	ID     string
}

// A Kind tells the rows of the memos of a cache apart.
type Kind byte

// Kinds of rows.
const (
	Patterns Kind = iota
	Profiles
	StopCalls
	Texts
	Orders
	PatternOrders
	Paths
	Headings
	Blocks
	Months
)

// A Row is a row with its memory.
type Row struct {
	row   any
	bytes int
}

// NewCache returns a cache for at most limit bytes.
func NewCache(limit uint64) Cache {
	const overhead = 120 // measured memory of an entry without its row
	weigh := func(key Key, v Row) uint32 { return uint32(v.bytes + len(key.ID) + overhead) }
	return otter.Must(&otter.Options[Key, Row]{MaximumWeight: limit, Weigher: weigh})
}

// A Memo reads rows of one kind through a cache. Callers share the rows and must not change them.
type Memo[K comparable, R any] struct {
	Cache Cache
	Key   func(K) Key
	Read  func(context.Context, []K, func(K, *R, int) error) error // calls its callback with each row and its bytes
}

// ByNumber returns the function from numbers to the keys of a kind.
func ByNumber(k Kind) func(int32) Key {
	return func(number int32) Key { return Key{Kind: k, Number: number} }
}

// ByID returns the function from ids to the keys of a kind.
func ByID(k Kind) func(string) Key {
	return func(id string) Key { return Key{Kind: k, ID: id} }
}

// ErrTooMuch means that there are more rows than the caller allows.
var ErrTooMuch = errors.New("too many rows for one answer")

// Get returns rows by key, or [ErrTooMuch] if they have more than most bytes in total. Keys without
// a row are omitted. Concurrent callers read a row once.
func (m *Memo[K, R]) Get(ctx context.Context, keys []K, most int) (map[K]*R, error) {
	found, bytes := make(map[K]*R, len(keys)), 0
	var missing []Key
	asked := map[Key]K{}
	for _, k := range keys {
		key := m.Key(k)
		if v, ok := m.Cache.GetIfPresent(key); ok {
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
func (m *Memo[K, R]) load(
	ctx context.Context, keys []Key, asked map[Key]K, most int,
) (map[Key]Row, error) {
	tooMuch := false
	loader := func(ctx context.Context, keys []Key) (map[Key]Row, error) {
		which := make([]K, len(keys))
		rows := make(map[Key]Row, len(keys))
		bytes := 0
		for i, key := range keys {
			which[i] = asked[key]
		}
		err := m.Read(ctx, which, func(k K, row *R, n int) error {
			bytes += n
			rows[m.Key(k)] = Row{row, n}
			if tooMuch = bytes > most; tooMuch {
				return ErrTooMuch
			}
			return nil
		})
		return rows, err
	}
	for {
		rows, err := m.Cache.BulkGet(ctx, keys, otter.BulkLoaderFunc[Key, Row](loader))
		switch {
		case tooMuch:
			return nil, ErrTooMuch
		case errors.Is(err, ErrTooMuch) && ctx.Err() == nil:
			continue // another caller read these rows, and allows fewer
		}
		return rows, err
	}
}

// Find returns a row that is in the cache; nil if it is not.
func (m *Memo[K, R]) Find(k K) *R {
	v, ok := m.Cache.GetIfPresent(m.Key(k))
	if !ok {
		return nil
	}
	return v.row.(*R)
}

// Keep adds a row that was read with others.
func (m *Memo[K, R]) Keep(k K, row *R, bytes int) { m.Cache.Set(m.Key(k), Row{row, bytes}) }

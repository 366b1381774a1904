package transitapi

import (
	"context"
	"sync"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// A memo keeps rows of one feed version that many answers are made of, as they
// are met. It goes with the version, and starts anew when it holds too much.
type memo[R interface{ size() int }] struct {
	mu   sync.RWMutex
	rows map[int32]*R
	held int // sizes of the rows
}

// numbered asks for the row of a version with a number.
type numbered struct {
	VersionID replica.Version
	Number    int32
}

// get finds a row, which is shared by all who ask: nobody may change it.
func (m *memo[R]) get(ctx context.Context, db rest.DB, q *rest.Query[numbered, R], key numbered, limit int) (*R, error) {
	m.mu.RLock()
	row := m.rows[key.Number]
	m.mu.RUnlock()
	if row != nil {
		return row, nil
	}
	read, err := q.One(ctx, db, key)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	size := read.size() + 1
	if size > limit {
		return &read, nil // read each time it is asked for
	}
	if m.rows == nil || m.held+size > limit {
		m.rows, m.held = map[int32]*R{}, 0
	}
	if m.rows[key.Number] == nil {
		m.held += size
	}
	m.rows[key.Number] = &read
	return &read, nil
}

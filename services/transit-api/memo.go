package transitapi

import (
	"context"
	"sync"

	"github.com/townline/townline/pkg/rest"
)

// A memo keeps rows of one feed version that many answers are made of, as they
// are met. It goes with the version, and starts anew when it holds too many.
type memo[R any] struct {
	mu   sync.RWMutex
	rows map[int32]*R
}

// numbered asks for the row of a version with a number.
type numbered struct {
	VersionID versionID
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
	if m.rows == nil || len(m.rows) >= limit {
		m.rows = map[int32]*R{}
	}
	m.rows[key.Number] = &read
	return &read, nil
}

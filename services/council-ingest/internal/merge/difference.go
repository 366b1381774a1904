package merge

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/pg"
)

// A change is a row to insert (was is nil), to update, or to delete (is is nil).
type change[R any] struct {
	id      int64
	was, is *R
}

type difference struct {
	want          rows
	items         []change[itemRow]
	votes         []change[council.StoredVote]
	anomalies     []change[anomalyRow]
	newAttendance bool // the attendance is replaced as a whole
}

func compare(stored, want rows) difference {
	return difference{
		want:          want,
		items:         changes(stored.items, want.items, func(r *itemRow) int64 { return r.ID }),
		votes:         changes(stored.votes, want.votes, func(r *council.StoredVote) int64 { return r.ID }),
		anomalies:     changes(stored.anomalies, want.anomalies, func(r *anomalyRow) int64 { return r.ID }),
		newAttendance: !slices.Equal(stored.attendance, want.attendance),
	}
}

func (d *difference) isEmpty() bool {
	return len(d.items)+len(d.votes)+len(d.anomalies) == 0 && !d.newAttendance
}

func (d *difference) affectsTallies() bool { return len(d.votes)+len(d.items) > 0 }

// changes returns inserts and updates in the order of want, then deletions.
func changes[R any](stored, want []R, id func(*R) int64) []change[R] {
	var out []change[R]
	was := make(map[int64]*R, len(stored))
	for i := range stored {
		was[id(&stored[i])] = &stored[i]
	}
	for i := range want {
		key := id(&want[i])
		old := was[key]
		delete(was, key)
		if old == nil || !reflect.DeepEqual(*old, want[i]) {
			out = append(out, change[R]{key, old, &want[i]})
		}
	}
	for i := range stored {
		if key := id(&stored[i]); was[key] != nil {
			out = append(out, change[R]{key, was[key], nil})
		}
	}
	return out
}

func (r *rows) allocate(ctx context.Context, tx pgx.Tx) error {
	var items, votes []*int64
	for i := range r.items {
		items = append(items, &r.items[i].ID)
	}
	allocated, err := newIDs(ctx, tx, "council.item", items)
	if err != nil {
		return err
	}
	for i := range r.votes {
		v := &r.votes[i]
		votes = append(votes, &v.ID)
		if v.ItemID < 0 {
			v.ItemID = allocated[v.ItemID]
		}
	}
	_, err = newIDs(ctx, tx, "council.vote", votes)
	return err
}

// newIDs replaces ids that are not positive by new ids of a table. It returns a map from old to new
// ids.
func newIDs(ctx context.Context, tx pgx.Tx, table string, all []*int64) (map[int64]int64, error) {
	missing := slices.DeleteFunc(all, func(id *int64) bool { return *id > 0 })
	if len(missing) == 0 {
		return nil, nil
	}
	ids, err := pg.Column[int64](ctx, tx, `SELECT nextval(pg_get_serial_sequence($1, 'id'))
		FROM generate_series(1, $2)`, table, len(missing))
	if err != nil {
		return nil, fmt.Errorf("allocate ids of %s: %w", table, err)
	}
	allocated := make(map[int64]int64, len(ids))
	for i, id := range missing {
		allocated[*id] = ids[i]
		*id = ids[i]
	}
	return allocated, nil
}

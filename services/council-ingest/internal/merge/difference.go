package merge

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/pg"
)

// A change is one row that is not as it should be: was nil is a row to insert,
// is nil one to delete.
type change[R any] struct{ was, is *R }

// difference is what has to happen for the stored rows to be the wanted ones.
type difference struct {
	items     []change[itemRow]
	votes     []change[voteRow]
	anomalies []change[anomalyRow]
	// attendance is replaced as a whole when it differs.
	attendance    []attendanceRow
	newAttendance bool
	// counts of the meeting.
	itemCount, voteCount int
}

func compare(stored, want rows) difference {
	d := difference{itemCount: len(want.items), voteCount: len(want.votes)}
	d.items = changes(stored.items, want.items, func(r *itemRow) int64 { return r.ID })
	d.votes = changes(stored.votes, want.votes, func(r *voteRow) int64 { return r.ID })
	d.anomalies = changes(stored.anomalies, want.anomalies, func(r *anomalyRow) int64 { return r.ID })
	if !slices.Equal(stored.attendance, want.attendance) {
		d.attendance, d.newAttendance = want.attendance, true
	}
	return d
}

func (d *difference) empty() bool {
	return len(d.items)+len(d.votes)+len(d.anomalies) == 0 && !d.newAttendance
}

// tallied reports whether the tallies of members can be touched.
func (d *difference) tallied() bool { return len(d.votes)+len(d.items) > 0 }

// changes lists the rows to insert, update and delete, in the order of want.
func changes[R any](stored, want []R, id func(*R) int64) []change[R] {
	var out []change[R]
	was := make(map[int64]*R, len(stored))
	for i := range stored {
		was[id(&stored[i])] = &stored[i]
	}
	for i := range want {
		old := was[id(&want[i])]
		delete(was, id(&want[i]))
		if old == nil || !reflect.DeepEqual(*old, want[i]) {
			out = append(out, change[R]{old, &want[i]})
		}
	}
	for i := range stored {
		if old := was[id(&stored[i])]; old != nil {
			out = append(out, change[R]{old, nil})
		}
	}
	return out
}

// allocate gives new items and votes their ids. Anomalies point at the row of their item.
func (r *rows) allocate(ctx context.Context, tx pgx.Tx) error {
	items, err := newIDs(ctx, tx, "council.item", r.items, func(it *itemRow) *int64 { return &it.ID })
	if err != nil {
		return err
	}
	for i := range r.votes {
		if v := &r.votes[i]; v.ItemID < 0 {
			v.ItemID = items[v.ItemID]
		}
	}
	_, err = newIDs(ctx, tx, "council.vote", r.votes, func(v *voteRow) *int64 { return &v.ID })
	return err
}

// newIDs draws ids for the rows that have none, and returns which became which.
func newIDs[R any](ctx context.Context, tx pgx.Tx, table string, all []R, id func(*R) *int64) (map[int64]int64, error) {
	var fresh []*int64
	for i := range all {
		if at := id(&all[i]); *at < 0 {
			fresh = append(fresh, at)
		}
	}
	if len(fresh) == 0 {
		return nil, nil
	}
	ids, err := pg.Column[int64](ctx, tx, `SELECT nextval(pg_get_serial_sequence($1, 'id')) FROM generate_series(1, $2)`, table, len(fresh))
	if err != nil {
		return nil, fmt.Errorf("draw ids for %s: %w", table, err)
	}
	became := make(map[int64]int64, len(ids))
	for i, at := range fresh {
		became[*at] = ids[i]
		*at = ids[i]
	}
	return became, nil
}

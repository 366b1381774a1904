package observe

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
)

// What a message changes is found by its keys, also on a day whose table has no statistics yet: a join
// would read all visits of the feed for each message.
func TestWritesReadOnlyTheirRows(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	s := &store{db: pool, alias: "metro", days: map[int32]bool{}}
	const day, trips, stops = 20_000, 200, 20
	if err := s.partition(t.Context(), day); err != nil {
		t.Fatal(err)
	}
	var rows, gone []Row
	for i := range trips {
		for k := range stops {
			row := Row{Key: Key{Trip: fmt.Sprint("t", i), Day: day, Start: None}, Sequence: int32(k), Stop: "A", Route: "1",
				Place: Middle, Kind: Scheduled, Seen: Predicted}
			rows = append(rows, row)
			if i < trips/2 && k == i%stops {
				gone = append(gone, row)
			}
		}
	}
	write := func(kept, gone []Row) (read int64) {
		t.Helper()
		err := pg.Tx(t.Context(), pool, func(tx pgx.Tx) error {
			if err := s.count(t.Context(), tx, kept); err != nil {
				return err
			}
			batch := &pgx.Batch{}
			s.queueRows(batch, kept, gone, false)
			if err := tx.SendBatch(t.Context(), batch).Close(); err != nil {
				return err
			}
			var err error
			read, err = pg.Value[int64](t.Context(), tx, `
				SELECT coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::bigint FROM pg_stat_xact_user_tables
				WHERE relname LIKE 'stop_visit%'`)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return read
	}
	write(rows, nil)
	changed := rows[len(rows)-100:]
	for i := range changed {
		changed[i].Tally, changed[i].Counted = &Tally{}, true
	}
	if read, most := write(changed, gone), int64(3*(len(changed)+len(gone))); read > most {
		t.Errorf("%d rows were read, want at most %d of %d", read, most, len(rows))
	}
	left, err := pg.Value[int](t.Context(), pool, `SELECT count(*) FROM transit.stop_visit`)
	if err != nil || left != len(rows)-len(gone) {
		t.Errorf("%d rows are left, want %d: %v", left, len(rows)-len(gone), err)
	}
}

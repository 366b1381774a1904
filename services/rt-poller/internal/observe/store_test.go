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
	const (
		day   = 20_000
		trips = 200
		stops = 20
	)
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

// A day that is over takes half the space, with the same rows. A day that is still written stays as it
// is, and no day is packed twice.
func TestDaysArePacked(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	s := &store{db: pool, alias: "metro", days: map[int32]bool{}}
	for day := int32(20_000); day < 20_002; day++ {
		if err := s.partition(t.Context(), day); err != nil {
			t.Fatal(err)
		}
		execSQL(t, pool, `
			INSERT INTO transit.stop_visit (alias, trip_id, service_date, start_time, stop_sequence, stop_id, route_id,
			  direction_id, vehicle_id, seen, kind, place, timepoint, counted)
			SELECT 'metro', 'trip ' || i % 200, $1, -1, i, 'S', '1', '0', '', 'e', 's', 'm', true, false
			FROM generate_series(1, 5000) i ORDER BY md5(i::text)`, Date(day))
		execSQL(t, pool, `UPDATE transit.stop_visit SET seen = 's', vehicle_id = 'bus' WHERE service_date = $1`, Date(day))
		execSQL(t, pool, `INSERT INTO transit.observed_day (alias, service_date, written_at)
			VALUES ('metro', $1, now() - make_interval(days => $2))`, Date(day), 20_002-day)
	}
	execSQL(t, pool, `UPDATE transit.observed_day SET written_at = now() WHERE service_date = $1`, Date(20_001))
	state := func(day int32) (size, file, rows int64) {
		t.Helper()
		name := "transit.stop_visit_" + Date(day).Format("20060102")
		err := pool.QueryRow(t.Context(), `SELECT pg_total_relation_size($1::text), pg_relation_filenode($1::text)::bigint,
			(SELECT count(*) FROM transit.stop_visit WHERE service_date = $2 AND seen = 's')`, name, Date(day)).
			Scan(&size, &file, &rows)
		if err != nil {
			t.Fatal(err)
		}
		return size, file, rows
	}
	pack := func() {
		t.Helper()
		if err := s.packDays(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	before, _, _ := state(20_000)
	_, current, _ := state(20_001)
	pack()
	after, file, rows := state(20_000)
	if 10*after > 6*before || rows != 5000 {
		t.Errorf("%d rows took %d bytes and take %d", rows, before, after)
	}
	pack()
	if _, again, _ := state(20_000); again != file {
		t.Error("a day was packed twice")
	}
	if _, now, _ := state(20_001); now != current {
		t.Error("a day that is still written was packed")
	}
}

package observe

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/performance"
)

// The accuracy of predictions equals that of a second implementation: SQL over all raw predictions
// and the stored visits.
func TestAccuracyEqualsSQL(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	words := func(s int64) string { return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60) }
	var all []*Trip
	for i := range int32(8) {
		all = append(all, line(fmt.Sprintf("T%d", i), 8*3600+i*200, "ABCDEFGHIJ"))
	}
	pool := imported(t, all...)
	execSQL(t, pool, `CREATE TABLE raw (trip text, sequence integer, at bigint, predicted bigint)`)
	w := watching(pool)
	for at := int64(7*3600 + 2400); at < 9*3600+1500; at += 20 {
		var lines []sighting
		var raw [][]any
		for i, trip := range all {
			since := at - int64(trip.Start)
			call := int(min(max(0, (since+119)/120), 9))
			if since > 9*120+60 {
				continue
			}
			lines = append(lines, fmt.Sprintf("bus%d %s %d @%s", i, trip.ID, max(1, 10*call), words(at-random.Int64N(8))))
			update := trip.ID + ":"
			for k := call; k < 10; k++ {
				predicted := int64(trip.Start) + int64(120*k) + random.Int64N(240) - 100
				update += fmt.Sprintf(" %d=%s", max(1, 10*k), words(predicted))
				raw = append(raw, []any{trip.ID, int32(max(1, 10*k)), zero + at, zero + predicted})
			}
			lines = append(lines, update)
		}
		if _, err := pool.CopyFrom(t.Context(), pgx.Identifier{"raw"}, []string{"trip", "sequence", "at", "predicted"},
			pgx.CopyFromRows(raw)); err != nil {
			t.Fatal(err)
		}
		publish(t, pool, said{words(at), lines})
		step(t, w)
	}
	var want, got []int64
	err := pool.QueryRow(t.Context(), `
		WITH sample AS (SELECT DISTINCT ON (trip, sequence, at / 60) * FROM raw ORDER BY trip, sequence, at / 60, at),
		     event AS (SELECT s.*, $1 + CASE v.place WHEN 'f' THEN v.departure ELSE v.arrival END AS actual
		               FROM sample s JOIN transit.stop_visit v ON v.trip_id = s.trip AND v.stop_sequence = s.sequence
		               WHERE v.seen IN ('s', 'p')),
		     counted AS (
		       SELECT h.n, count(e.trip) AS samples, count(*) FILTER (WHERE actual - predicted BETWEEN h.early AND h.late) AS accurate,
		              coalesce(sum(actual - predicted), 0)::bigint AS off,
		              coalesce(sum((actual - predicted) * (actual - predicted)), 0)::bigint AS squares
		       FROM (VALUES (1, 0, 180, -30, 90), (2, 180, 360, -60, 150), (3, 360, 600, -60, 210), (4, 600, 900, -90, 270))
		            AS h (n, low, high, early, late)
		       LEFT JOIN event e ON e.actual - e.at >= h.low AND e.actual - e.at < h.high GROUP BY h.n)
		SELECT array_agg(x ORDER BY n, i), (SELECT accuracy FROM transit.performance_day WHERE accuracy IS NOT NULL)
		FROM counted, unnest(ARRAY[samples, accurate, off, squares]) WITH ORDINALITY AS u (x, i)`, int64(zero)).Scan(&want,
		&got)
	if err != nil {
		t.Fatal(err)
	}
	counted, err := performance.ReadAccuracy(got)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(want) != fmt.Sprint(got) || counted[3].Samples < 100 {
		t.Errorf("counted %v, want %v", got, want)
	}
}

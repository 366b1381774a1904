package diff

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/pg"
)

// departures counts the calls of the trips with times, by day. Repeated trips count as often as
// they run. Services are first grouped by their week, because a feed can have thousands.
const departures = `
	WITH runs AS (
		SELECT trip_id, sum(greatest(0, ceil((end_time - start_time)::float8 / headway_secs))) AS n
		FROM transit.frequency_{v} GROUP BY trip_id),
	calls AS MATERIALIZED (
		SELECT t.service_id, sum(cardinality(p.stop_sequence) * coalesce(runs.n, 1)) AS n
		FROM transit.trip_{v} t JOIN transit.pattern_{v} p USING (pattern) LEFT JOIN runs USING (trip_id)
		WHERE t.profile IS NOT NULL GROUP BY t.service_id),
	service AS MATERIALIZED (
		SELECT s.service_id, s.start_date, s.end_date, calls.n,
		       CASE WHEN s.in_calendar THEN s.monday || s.tuesday || s.wednesday || s.thursday || s.friday || s.saturday ||
		         s.sunday ELSE '0000000' END AS week
		FROM transit.service_{v} s JOIN calls USING (service_id)),
	weekly AS MATERIALIZED (SELECT start_date, end_date, week, sum(n) AS n FROM service GROUP BY 1, 2, 3),
	exceptions AS MATERIALIZED (
		SELECT d.date, sum(CASE WHEN (d.exception_type = '1') = r.regular THEN 0
		                        WHEN r.regular THEN -s.n ELSE s.n END) AS n
		FROM transit.service_date_{v} d JOIN service s USING (service_id), LATERAL (
			SELECT coalesce(d.date BETWEEN s.start_date AND s.end_date, false) AND
			       substr(s.week, extract(isodow FROM d.date)::integer, 1) = '1' AS regular) r
		WHERE d.date >= $1::date AND d.date < $1::date + $2::integer GROUP BY d.date)
	SELECT (coalesce((SELECT sum(n) FROM weekly WHERE day BETWEEN start_date AND end_date
	                  AND substr(week, extract(isodow FROM day)::integer, 1) = '1'), 0) +
	        coalesce((SELECT n FROM exceptions WHERE date = day), 0))::bigint
	FROM generate_series(0, $2::integer - 1) i, LATERAL (SELECT $1::date + i AS day) d
	ORDER BY i`

// Departures returns the number of departures of a version on each of some days.
func Departures(ctx context.Context, conn *pgx.Conn, version int32, from time.Time, days int) ([]int64, error) {
	sql := strings.ReplaceAll(departures, "{v}", strconv.Itoa(int(version)))
	d := &diff{conn: conn, names: strings.NewReplacer()}
	all, err := pg.Column[int64](ctx, d, sql, from, days)
	if err != nil {
		return nil, fmt.Errorf("count the departures of version %d: %w", version, err)
	}
	return all, nil
}

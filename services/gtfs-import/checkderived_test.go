package gtfsimport_test

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// checkDerived compares derived tables with plain queries over all stop times.
func checkDerived(t reporter, db querier, alias string) {
	t.Helper()
	for what, sql := range map[string]string{
		"agencies' routes are not where first_route says": `
			SELECT a.agency_id, r.route_id FROM transit.feed f JOIN transit.agency a USING (version_id) JOIN transit.route r
			       USING (version_id)
			WHERE f.alias = $1 AND (r.agency_id = a.agency_id) <> (r.ord >= a.first_route
			  AND r.ord < a.first_route + a.route_count)`,
		"routes' trips are not where first_trip says": `
			SELECT r.route_id, t.trip_id FROM transit.feed f JOIN transit.route r USING (version_id) JOIN transit.trip t
			       USING (version_id)
			WHERE f.alias = $1 AND (t.ord >= r.first_trip AND t.ord < r.first_trip + r.trip_count) AND r.route_id <> t.route_id`,
		"routes' trips are not counted right": `
			SELECT r.route_id, r.trip_count FROM transit.feed f JOIN transit.route r USING (version_id)
			LEFT JOIN (SELECT version_id, route_id, count(*) AS n FROM transit.trip GROUP BY 1, 2) t USING (version_id, route_id)
			WHERE f.alias = $1 AND coalesce(t.n, 0) <> r.trip_count`,
		"ranks have gaps": `
			SELECT what, n, last FROM (
				SELECT 'agency', count(*), max(ord) FROM transit.feed f JOIN transit.agency USING (version_id) WHERE f.alias = $1
				       UNION ALL
				SELECT 'route', count(*), max(ord) FROM transit.feed f JOIN transit.route USING (version_id) WHERE f.alias = $1
				       UNION ALL
				SELECT 'stop', count(*), max(ord) FROM transit.feed f JOIN transit.stop USING (version_id) WHERE f.alias = $1
				       UNION ALL
				SELECT 'service', count(*), max(ord) FROM transit.feed f JOIN transit.service USING (version_id) WHERE f.alias = $1
				       UNION ALL
				SELECT 'trip', count(*), max(ord) FROM transit.feed f JOIN transit.trip USING (version_id) WHERE f.alias = $1
				       UNION ALL
				SELECT 'shape', count(*), max(ord) FROM transit.feed f JOIN transit.shape USING (version_id) WHERE f.alias = $1
				       UNION ALL
				SELECT 'pattern', count(*), max(pattern) FROM transit.feed f JOIN transit.pattern USING (version_id)
				       WHERE f.alias = $1 UNION ALL
				SELECT 'direction', count(*), max(ord) FROM transit.feed f JOIN transit.route_direction USING (version_id)
				       WHERE f.alias = $1
			) x (what, n, last) WHERE n <> coalesce(last, -1) + 1`,
		"directions' trips are not counted right": `
			SELECT d.route_id, d.direction_id, d.trip_count, t.n
			FROM (SELECT d.* FROM transit.feed f JOIN transit.route_direction d USING (version_id) WHERE f.alias = $1) d
			FULL JOIN (SELECT route_id, coalesce(direction_id, '0') AS direction_id, count(*) AS n FROM transit.trips
			  WHERE feed = $1 GROUP BY 1, 2) t
			     USING (route_id, direction_id)
			WHERE d.trip_count IS DISTINCT FROM t.n`,
		"rows of the service order are not those of the calls": `
			SELECT p.route_id, p.direction_id, p.n, c.i
			FROM transit.feed f JOIN transit.route_pattern p USING (version_id)
			JOIN transit.route_direction d USING (version_id, route_id, direction_id) JOIN transit.pattern q
			  USING (version_id, pattern),
			LATERAL unnest(p.rows, q.stop_id) WITH ORDINALITY AS c (row, stop_id, i)
			WHERE f.alias = $1 AND (d.stop_id[c.row + 1] IS DISTINCT FROM c.stop_id OR c.row <= ANY (p.rows[:c.i - 1]))`,
		"rows of the service order that no call stands in": `
			SELECT d.route_id, d.direction_id, r.row
			FROM transit.feed f JOIN transit.route_direction d USING (version_id),
			  generate_series(0, cardinality(d.stop_id) - 1) r (row)
			WHERE f.alias = $1 AND NOT EXISTS (SELECT FROM transit.route_pattern p WHERE p.version_id = d.version_id
			  AND p.route_id = d.route_id
			                                   AND p.direction_id = d.direction_id AND r.row = ANY (p.rows))`,
		"stops' numbers are not unique": `
			SELECT num, count(*) FROM transit.feed f JOIN transit.stop USING (version_id) WHERE f.alias = $1 GROUP BY 1
			       HAVING count(*) > 1`,
	} {
		rows, err := db.Query(context.Background(), sql, alias)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		found := 0
		for rows.Next() {
			if found++; found <= 3 {
				values, _ := rows.Values()
				t.Errorf("%s: %v", what, values)
			}
		}
		if rows.Err() != nil {
			t.Fatalf("%s: %v", what, rows.Err())
		}
	}
}

func checkStopIndex(t reporter, db querier, alias string) {
	t.Helper()
	ctx := context.Background()
	each := func(sql string, into []any, fn func()) {
		rows, err := db.Query(ctx, sql, alias)
		if err == nil {
			_, err = pgx.ForEachRow(rows, into, func() error { fn(); return nil })
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var a, b string
	parent, direction := map[string]string{}, map[string]string{}
	each(`SELECT stop_id, coalesce(parent_station, '') FROM transit.stops
		WHERE feed = $1`, []any{&a, &b}, func() { parent[a] = b })
	each(`SELECT trip_id, route_id || ' ' || coalesce(direction_id, '0')
		FROM transit.trips WHERE feed = $1`, []any{&a, &b}, func() { direction[a] = b })
	type at struct {
		calls      int
		trips      map[string]bool
		directions map[string]bool
	}
	want := map[string]*at{}
	each(`SELECT stop_id, trip_id FROM transit.stop_times WHERE feed = $1 AND stop_id IS NOT NULL`, []any{&a, &b}, func() {
		stop := a
		for level := 0; stop != "" && level < 3; level++ {
			if want[stop] == nil {
				want[stop] = &at{trips: map[string]bool{}, directions: map[string]bool{}}
			}
			want[stop].calls++
			want[stop].trips[b] = true
			want[stop].directions[direction[b]] = true
			stop = parent[stop]
			if stop == a {
				break
			}
		}
	})
	var trips, calls, patternTrips int
	var names []string
	found := 0
	each(`
		SELECT i.stop_id, i.trip_count, i.call_count,
		       ARRAY(SELECT d.route_id || ' ' || d.direction_id FROM transit.route_direction d
		         WHERE d.version_id = i.version_id AND d.ord = ANY (i.directions)),
		       (SELECT sum(n) FROM unnest(i.trips) n)
		FROM transit.feed f JOIN transit.stop_index i USING (version_id)
		  WHERE f.alias = $1`, []any{&a, &trips, &calls, &names, &patternTrips}, func() {
		found++
		w := want[a]
		if w == nil || w.calls != calls || len(w.trips) != trips || len(w.directions) != len(names) || patternTrips != calls {
			t.Errorf("stop %s: %d trips, %d calls (%d by patterns), directions %v; want %+v", a, trips, calls, patternTrips,
				names, w)
			return
		}
		for _, n := range names {
			if !w.directions[n] {
				t.Errorf("stop %s: no calls of direction %s", a, n)
			}
		}
	})
	if found != len(want) {
		t.Errorf("%d stops have calls, want %d", found, len(want))
	}
}

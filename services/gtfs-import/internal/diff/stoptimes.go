package diff

import (
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
)

// group is how many trips go from one pattern and profile to another; shift is how
// much later they start.
type group struct {
	oldPattern, newPattern, oldProfile, newProfile, shift *int32
	trips                                                 int64
}

// stopTimes compares calls. Trips whose pattern, profile and start agree need no look
// at theirs; of the others one of each group is compared for all.
func stopTimes(ctx context.Context, conn *pgx.Conn, old, new int32) (c Counts, err error) {
	const trips = `
		SELECT t.trip_id, t.pattern, t.profile, t.start_time, p.digest, f.digest, cardinality(p.stop_sequence)
		FROM transit.trip t
		JOIN transit.pattern p USING (version_id, pattern)
		LEFT JOIN transit.profile f USING (version_id, profile)
		WHERE t.version_id = `
	rows, err := conn.Query(ctx, `
		SELECT CASE WHEN o.trip_id IS NULL THEN 'added' WHEN n.trip_id IS NULL THEN 'removed'
		            WHEN (o.calls_digest, o.times_digest, o.start_time) IS NOT DISTINCT FROM (n.calls_digest, n.times_digest, n.start_time)
		            THEN 'unchanged' ELSE 'changed' END AS what,
		       op, np, of, nf, shift, count(*), sum(coalesce(n.calls, o.calls))
		FROM (`+trips+`$1) AS o (trip_id, pattern, profile, start_time, calls_digest, times_digest, calls)
		FULL JOIN (`+trips+`$2) AS n (trip_id, pattern, profile, start_time, calls_digest, times_digest, calls) USING (trip_id),
		LATERAL (SELECT (o.calls_digest, o.times_digest, o.start_time) IS DISTINCT FROM (n.calls_digest, n.times_digest, n.start_time)
		                AND o.trip_id IS NOT NULL AND n.trip_id IS NOT NULL) AS x (differs),
		LATERAL (SELECT CASE WHEN differs THEN o.pattern END, CASE WHEN differs THEN n.pattern END, CASE WHEN differs THEN o.profile END,
		                CASE WHEN differs THEN n.profile END, CASE WHEN differs THEN n.start_time - o.start_time END) AS g (op, np, of, nf, shift)
		GROUP BY 1, 2, 3, 4, 5, 6`, old, new)
	if err != nil {
		return c, err
	}
	var groups []group
	var what string
	var g group
	var calls int64
	_, err = pgx.ForEachRow(rows, []any{&what, &g.oldPattern, &g.newPattern, &g.oldProfile, &g.newProfile, &g.shift, &g.trips, &calls}, func() error {
		switch what {
		case "added":
			c.Added += calls
		case "removed":
			c.Removed += calls
		case "unchanged":
			c.Unchanged += calls
		default:
			groups = append(groups, g)
		}
		return nil
	})
	if err != nil || len(groups) == 0 {
		return c, err
	}
	before, err := readCalls(ctx, conn, old, groups, func(g group) (*int32, *int32) { return g.oldPattern, g.oldProfile })
	if err != nil {
		return c, err
	}
	after, err := readCalls(ctx, conn, new, groups, func(g group) (*int32, *int32) { return g.newPattern, g.newProfile })
	if err != nil {
		return c, err
	}
	for _, g := range groups {
		shift := int32(0)
		if g.shift != nil {
			shift = *g.shift
		}
		d := merge(before.rows(g.oldPattern, g.oldProfile, 0), after.rows(g.newPattern, g.newProfile, shift))
		c.add(Counts{d.Added * g.trips, d.Changed * g.trips, d.Removed * g.trips, d.Unchanged * g.trips})
	}
	return c, nil
}

// call is one call of a trip: a hash of everything but the clock, and the clock.
type call struct {
	what               int64
	arrival, departure int32
}

// noTime stands for an empty cell.
const noTime = -1 << 31

// calls are the patterns and profiles of a version that matter.
type calls struct {
	patterns map[int32][]row[call] // without times
	profiles map[int32][2][]int32  // arrivals, departures
}

func readCalls(ctx context.Context, conn *pgx.Conn, version int32, groups []group, of func(group) (pattern, profile *int32)) (*calls, error) {
	c := &calls{patterns: map[int32][]row[call]{}, profiles: map[int32][2][]int32{}}
	for _, g := range groups {
		pattern, profile := of(g)
		c.patterns[*pattern] = nil
		if profile != nil {
			c.profiles[*profile] = [2][]int32{}
		}
	}
	rows, err := conn.Query(ctx, `
		SELECT p.pattern, p.stop_sequence, ARRAY(
			SELECT hashtextextended((c.stop_id,
			            CASE WHEN cardinality(p.stop_headsign) = 1 THEN p.stop_headsign[1] ELSE c.stop_headsign END,
			            CASE WHEN cardinality(p.pickup_type) = 1 THEN p.pickup_type[1] ELSE c.pickup_type END,
			            CASE WHEN cardinality(p.drop_off_type) = 1 THEN p.drop_off_type[1] ELSE c.drop_off_type END,
			            CASE WHEN cardinality(p.continuous_pickup) = 1 THEN p.continuous_pickup[1] ELSE c.continuous_pickup END,
			            CASE WHEN cardinality(p.continuous_drop_off) = 1 THEN p.continuous_drop_off[1] ELSE c.continuous_drop_off END,
			            CASE WHEN cardinality(p.shape_dist_traveled) = 1 THEN p.shape_dist_traveled[1] ELSE c.shape_dist_traveled END,
			            CASE WHEN cardinality(p.timepoint) = 1 THEN p.timepoint[1] ELSE c.timepoint END,
			            CASE WHEN cardinality(p.location_group_id) = 1 THEN p.location_group_id[1] ELSE c.location_group_id END,
			            CASE WHEN cardinality(p.start_pickup_drop_off_window) = 1 THEN p.start_pickup_drop_off_window[1] ELSE c.start_window END,
			            CASE WHEN cardinality(p.end_pickup_drop_off_window) = 1 THEN p.end_pickup_drop_off_window[1] ELSE c.end_window END,
			            CASE WHEN cardinality(p.pickup_booking_rule_id) = 1 THEN p.pickup_booking_rule_id[1] ELSE c.pickup_rule END,
			            CASE WHEN cardinality(p.drop_off_booking_rule_id) = 1 THEN p.drop_off_booking_rule_id[1] ELSE c.drop_off_rule END)::text, 0)
			FROM unnest(p.stop_id, p.stop_headsign, p.pickup_type, p.drop_off_type, p.continuous_pickup, p.continuous_drop_off,
			            p.shape_dist_traveled, p.timepoint, p.location_group_id, p.start_pickup_drop_off_window,
			            p.end_pickup_drop_off_window, p.pickup_booking_rule_id, p.drop_off_booking_rule_id) WITH ORDINALITY
			     AS c (stop_id, stop_headsign, pickup_type, drop_off_type, continuous_pickup, continuous_drop_off, shape_dist_traveled,
			           timepoint, location_group_id, start_window, end_window, pickup_rule, drop_off_rule, n)
			ORDER BY c.n)
		FROM transit.pattern p WHERE p.version_id = $1 AND p.pattern = ANY ($2)`, version, slices.Collect(maps.Keys(c.patterns)))
	if err != nil {
		return nil, err
	}
	var n int32
	var seqs []int32
	var hashes []int64
	_, err = pgx.ForEachRow(rows, []any{&n, &seqs, &hashes}, func() error {
		p := make([]row[call], len(seqs))
		for i := range p {
			p[i].seq, p[i].cells.what = seqs[i], hashes[i]
		}
		c.patterns[n] = p
		return nil
	})
	if err != nil {
		return nil, err
	}
	rows, err = conn.Query(ctx, `
		SELECT profile, array_replace(coalesce(arrivals, departures), NULL, -2147483648), array_replace(departures, NULL, -2147483648)
		FROM transit.profile WHERE version_id = $1 AND profile = ANY ($2)`, version, slices.Collect(maps.Keys(c.profiles)))
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		var arrivals, departures []int32
		if err := rows.Scan(&n, &arrivals, &departures); err != nil {
			return nil, err
		}
		c.profiles[n] = [2][]int32{arrivals, departures}
	}
	return c, rows.Err()
}

// rows returns the calls of a trip, its times counted from shift.
func (c *calls) rows(pattern, profile *int32, shift int32) []row[call] {
	p := slices.Clone(c.patterns[*pattern])
	for i := range p {
		p[i].cells.arrival, p[i].cells.departure = noTime, noTime
		if profile != nil {
			f := c.profiles[*profile]
			p[i].cells.arrival, p[i].cells.departure = clock(f[0], i, shift), clock(f[1], i, shift)
		}
	}
	return p
}

func clock(times []int32, i int, shift int32) int32 {
	if i >= len(times) || times[i] == noTime {
		return noTime
	}
	return times[i] + shift
}

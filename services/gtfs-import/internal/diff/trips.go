package diff

import (
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
)

// group is a number of trips that changed alike: in their own cells, and from one
// pattern to another. Where their calls changed, profiles and shift (how much later they
// start) are told, too.
type group struct {
	inOld, inNew, cellsDiffer, callsDiffer                bool
	oldPattern, newPattern, oldProfile, newProfile, shift *int32
	trips                                                 int64
}

// trips compares trips.txt and stop_times.txt. Calls need a look only where pattern,
// profile or start do not agree, and then once for each group.
func (d *diff) trips(ctx context.Context) error {
	rows, err := d.query(ctx, `
		WITH same_pattern AS (
			SELECT o.pattern, n.pattern AS same_pattern FROM transit.pattern_{old} o JOIN transit.pattern_{new} n USING (digest)),
		same_profile AS (
			SELECT o.profile, n.profile AS same_profile FROM transit.profile_{old} o JOIN transit.profile_{new} n USING (digest)),
		o AS (
			SELECT t.version_id, t.trip_id, t.pattern, t.profile, t.start_time, same_pattern, same_profile, t.route_id, t.service_id,
			       t.trip_headsign, t.trip_short_name, t.direction_id, t.block_id, t.shape_id, t.wheelchair_accessible, t.bikes_allowed
			FROM transit.trip_{old} t LEFT JOIN same_pattern USING (pattern) LEFT JOIN same_profile USING (profile))
		SELECT o.version_id IS NOT NULL, n.version_id IS NOT NULL, cells_differ, calls_differ, o.pattern, n.pattern,
		       CASE WHEN calls_differ THEN o.profile END, CASE WHEN calls_differ THEN n.profile END,
		       CASE WHEN calls_differ THEN n.start_time - o.start_time END, count(*)
		FROM o FULL JOIN transit.trip_{new} n USING (trip_id),
		LATERAL (SELECT
			o.version_id <> n.version_id AND (o.route_id, o.service_id, o.trip_headsign, o.trip_short_name, o.direction_id, o.block_id, o.shape_id,
			  o.wheelchair_accessible, o.bikes_allowed)
			  IS DISTINCT FROM (n.route_id, n.service_id, n.trip_headsign, n.trip_short_name, n.direction_id, n.block_id, n.shape_id,
			  n.wheelchair_accessible, n.bikes_allowed),
			o.version_id <> n.version_id AND (o.same_pattern, o.same_profile, o.start_time) IS DISTINCT FROM (n.pattern, n.profile, n.start_time)
		) AS x (cells_differ, calls_differ)
		GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9`)
	if err != nil {
		return err
	}
	var groups []group
	var g group
	var cellsDiffer, callsDiffer *bool // NULL where a side is missing
	_, err = pgx.ForEachRow(rows, []any{&g.inOld, &g.inNew, &cellsDiffer, &callsDiffer, &g.oldPattern, &g.newPattern,
		&g.oldProfile, &g.newProfile, &g.shift, &g.trips}, func() error {
		g.cellsDiffer, g.callsDiffer = cellsDiffer != nil && *cellsDiffer, callsDiffer != nil && *callsDiffer
		groups = append(groups, g)
		return nil
	})
	if err != nil {
		return err
	}
	before, err := d.readCalls(ctx, "{old}", groups, func(g group) (*int32, *int32) { return g.oldPattern, g.oldProfile })
	if err != nil {
		return err
	}
	after, err := d.readCalls(ctx, "{new}", groups, func(g group) (*int32, *int32) { return g.newPattern, g.newProfile })
	if err != nil {
		return err
	}
	var trips, calls Counts
	for _, g := range groups {
		switch {
		case !g.inOld:
			trips.Added += g.trips
			calls.Added += g.trips * after.count(g.newPattern)
		case !g.inNew:
			trips.Removed += g.trips
			calls.Removed += g.trips * before.count(g.oldPattern)
		default:
			if g.cellsDiffer {
				trips.Changed += g.trips
			} else {
				trips.Unchanged += g.trips
			}
			if !g.callsDiffer {
				calls.Unchanged += g.trips * after.count(g.newPattern)
				continue
			}
			shift := int32(0)
			if g.shift != nil {
				shift = *g.shift
			}
			calls.add(merge(before.rows(g.oldPattern, g.oldProfile, 0), after.rows(g.newPattern, g.newProfile, shift)), g.trips)
		}
	}
	d.all["trips.txt"], d.all["stop_times.txt"] = trips, calls
	return nil
}

// call is one call of a trip: a hash of everything but the clock, and the clock.
type call struct {
	what               int64
	arrival, departure int32
}

// noTime stands for an empty cell.
const noTime = -1 << 31

// calls are the patterns and profiles of a version.
type calls struct {
	counts   map[int32]int64       // by pattern: its calls
	patterns map[int32][]row[call] // those that differ, without times
	profiles map[int32][2][]int32  // arrivals, departures
}

// readCalls reads the patterns and profiles that matter.
func (d *diff) readCalls(ctx context.Context, version string, groups []group, of func(group) (pattern, profile *int32)) (*calls, error) {
	c := &calls{counts: map[int32]int64{}, patterns: map[int32][]row[call]{}, profiles: map[int32][2][]int32{}}
	for _, g := range groups {
		pattern, profile := of(g)
		if !g.callsDiffer {
			continue
		}
		if pattern != nil {
			c.patterns[*pattern] = nil
		}
		if profile != nil {
			c.profiles[*profile] = [2][]int32{}
		}
	}
	var n int32
	var count int64
	rows, err := d.query(ctx, `SELECT pattern, cardinality(stop_sequence) FROM transit.pattern_`+version)
	if err == nil {
		_, err = pgx.ForEachRow(rows, []any{&n, &count}, func() error { c.counts[n] = count; return nil })
	}
	if err != nil || len(c.patterns) == 0 {
		return c, err
	}
	rows, err = d.query(ctx, `
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
		FROM transit.pattern_`+version+` p WHERE p.pattern = ANY ($1)`, slices.Collect(maps.Keys(c.patterns)))
	if err != nil {
		return nil, err
	}
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
	rows, err = d.query(ctx, `
		SELECT profile, array_replace(coalesce(arrivals, departures), NULL, -2147483648), array_replace(departures, NULL, -2147483648)
		FROM transit.profile_`+version+` WHERE profile = ANY ($1)`, slices.Collect(maps.Keys(c.profiles)))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var arrivals, departures []int32
		if err := rows.Scan(&n, &arrivals, &departures); err != nil {
			return nil, err
		}
		c.profiles[n] = [2][]int32{arrivals, departures}
	}
	return c, rows.Err()
}

func (c *calls) count(pattern *int32) int64 {
	if pattern == nil {
		return 0
	}
	return c.counts[*pattern]
}

// rows returns the calls of a trip, its times counted from shift.
func (c *calls) rows(pattern, profile *int32, shift int32) []row[call] {
	if pattern == nil {
		return nil
	}
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

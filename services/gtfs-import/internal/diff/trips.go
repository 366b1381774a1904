package diff

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/services/gtfs-import/internal/stage"
)

// group counts trips that changed in the same way: in their own cells, and from one pattern to another. Where their calls
// changed, it also has profiles and shift, which is how much later they start.
type group struct {
	inOld, inNew, cellsDiffer, callsDiffer                bool
	oldPattern, newPattern, oldProfile, newProfile, shift *int32
	trips                                                 int64
}

// trips compares trips.txt and stop_times.txt. It compares calls only where pattern, profile or start differ, once for each group.
func (d *diff) trips(ctx context.Context) error {
	table, _ := gtfs.TableOf("trips.txt")
	cells := cellsOf(table)
	rows, err := d.query(ctx, `
		WITH same_pattern AS (
			SELECT o.pattern, n.pattern AS same_pattern FROM transit.pattern_{old} o JOIN transit.pattern_{new} n USING (digest)),
		same_profile AS (
			SELECT o.profile, n.profile AS same_profile FROM transit.profile_{old} o JOIN transit.profile_{new} n USING (digest)),
		o AS (
			SELECT t.version_id, t.trip_id, t.pattern, t.profile, t.start_time, same_pattern, same_profile, `+columns("t", cells)+`
			FROM transit.trip_{old} t LEFT JOIN same_pattern USING (pattern) LEFT JOIN same_profile USING (profile))
		SELECT o.version_id IS NOT NULL, n.version_id IS NOT NULL, cells_differ, calls_differ, o.pattern, n.pattern,
		       CASE WHEN calls_differ THEN o.profile END, CASE WHEN calls_differ THEN n.profile END,
		       CASE WHEN calls_differ THEN n.start_time - o.start_time END, count(*)
		FROM o FULL JOIN transit.trip_{new} n USING (trip_id),
		LATERAL (SELECT
			o.version_id <> n.version_id AND ROW(`+columns("o", cells)+`) IS DISTINCT FROM ROW(`+columns("n", cells)+`),
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
	var trips, calls Tally
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
	cells := make([]string, len(stage.PatternColumns()))
	for i, name := range stage.PatternColumns() {
		cells[i] = fmt.Sprintf("CASE WHEN cardinality(p.%[1]s) = 1 THEN p.%[1]s[1] ELSE c.%[1]s END", name)
	}
	arrays := "stop_id, " + strings.Join(stage.PatternColumns(), ", ")
	rows, err = d.query(ctx, `
		SELECT p.pattern, p.stop_sequence, ARRAY(
			SELECT hashtextextended((c.stop_id, `+strings.Join(cells, ", ")+`)::text, 0)
			FROM unnest(`+columns("p", strings.Split(arrays, ", "))+`) WITH ORDINALITY AS c (`+arrays+`, n)
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

package diff

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/services/gtfs-import/internal/stage"
)

// group counts trips that changed in the same way. Its profiles and Shift, the difference of start
// times, are set only if the stop times changed. A missing pattern or profile is -1.
type group struct {
	InOld, InNew, CellsDiffer, CallsDiffer                bool
	OldPattern, NewPattern, OldProfile, NewProfile, Shift int32
	Trips, OldCalls, NewCalls                             int64 // number of stop times per trip
}

// trips compares trips.txt and stop_times.txt. It compares stop times only if the pattern, profile
// or start differs, and once per group.
func (d *diff) trips(ctx context.Context) error {
	table, _ := gtfs.TableOf("trips.txt")
	cells := cellsOf(table)
	groups, err := pg.List[group](ctx, d, `
		WITH same_pattern AS (
			SELECT o.pattern, n.pattern AS same_pattern FROM transit.pattern_{old} o JOIN transit.pattern_{new} n
			       USING (digest)),
		same_profile AS (
			SELECT o.profile, n.profile AS same_profile FROM transit.profile_{old} o JOIN transit.profile_{new} n
			       USING (digest)),
		o AS (
			SELECT t.version_id, t.trip_id, t.pattern, t.profile, t.start_time, same_pattern, same_profile,
			       `+columns("t", cells)+`
			FROM transit.trip_{old} t LEFT JOIN same_pattern USING (pattern) LEFT JOIN same_profile USING (profile)),
		g AS (
			SELECT o.version_id IS NOT NULL AS in_old, n.version_id IS NOT NULL AS in_new, cells_differ, calls_differ,
			       coalesce(o.pattern, -1) AS old_pattern, coalesce(n.pattern, -1) AS new_pattern,
			       CASE WHEN calls_differ THEN coalesce(o.profile, -1) ELSE -1 END AS old_profile,
			       CASE WHEN calls_differ THEN coalesce(n.profile, -1) ELSE -1 END AS new_profile,
			       CASE WHEN calls_differ THEN coalesce(n.start_time - o.start_time, 0) ELSE 0 END AS shift, count(*) AS trips
			FROM o FULL JOIN transit.trip_{new} n USING (trip_id),
			LATERAL (SELECT
				coalesce(o.version_id <> n.version_id AND ROW(`+columns("o", cells)+`) IS DISTINCT FROM ROW(`+columns("n", cells)+
		`), false),
				coalesce(o.version_id <> n.version_id AND (o.same_pattern, o.same_profile, o.start_time)
				  IS DISTINCT FROM (n.pattern, n.profile, n.start_time), false)
			) AS x (cells_differ, calls_differ)
			GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9)
		SELECT in_old, in_new, cells_differ, calls_differ, old_pattern, new_pattern, old_profile, new_profile, shift, trips,
		       coalesce(cardinality(o.stop_sequence), 0)::bigint AS old_calls,
		         coalesce(cardinality(n.stop_sequence), 0)::bigint AS new_calls
		FROM g LEFT JOIN transit.pattern_{old} o ON o.pattern = old_pattern LEFT JOIN transit.pattern_{new} n
		  ON n.pattern = new_pattern`)
	if err != nil {
		return err
	}
	before, err := d.readCalls(ctx, "{old}", groups, func(g group) (int32, int32) { return g.OldPattern, g.OldProfile })
	if err != nil {
		return err
	}
	after, err := d.readCalls(ctx, "{new}", groups, func(g group) (int32, int32) { return g.NewPattern, g.NewProfile })
	if err != nil {
		return err
	}
	d.all["trips.txt"], d.all["stop_times.txt"] = countGroups(groups, before, after)
	return nil
}

func countGroups(groups []group, before, after *calls) (trips, calls Counts) {
	for _, g := range groups {
		switch {
		case !g.InOld:
			trips.Added += g.Trips
			calls.Added += g.Trips * g.NewCalls
			continue
		case !g.InNew:
			trips.Removed += g.Trips
			calls.Removed += g.Trips * g.OldCalls
			continue
		case g.CellsDiffer:
			trips.Changed += g.Trips
		default:
			trips.Unchanged += g.Trips
		}
		if g.CallsDiffer {
			calls.add(compareRows(before.rows(g.OldPattern, g.OldProfile, 0), after.rows(g.NewPattern, g.NewProfile, g.Shift)),
				g.Trips)
		} else {
			calls.Unchanged += g.Trips * g.NewCalls
		}
	}
	return trips, calls
}

// call has the times of a stop time and a hash of its other cells.
type call struct {
	hash               int64
	arrival, departure int32
}

const noTime = -1 << 31

type pattern struct {
	Pattern int32
	Seqs    []int32
	Hashes  []int64
}

type profile struct {
	Profile              int32
	Arrivals, Departures []int32
}

type calls struct {
	patterns map[int32]pattern
	profiles map[int32]profile
}

// readCalls reads the patterns and profiles of groups whose stop times changed.
func (d *diff) readCalls(ctx context.Context, version string, groups []group,
	of func(group) (pattern, profile int32)) (*calls, error) {
	c := &calls{patterns: map[int32]pattern{}, profiles: map[int32]profile{}}
	for _, g := range groups {
		if n, f := of(g); g.CallsDiffer {
			c.patterns[n], c.profiles[f] = pattern{}, profile{}
		}
	}
	names := append([]string{"stop_id"}, stage.PatternColumns()...)
	cells := []string{"c.stop_id"}
	for _, name := range stage.PatternColumns() {
		cells = append(cells, fmt.Sprintf("CASE WHEN cardinality(p.%[1]s) = 1 THEN p.%[1]s[1] ELSE c.%[1]s END", name))
	}
	patterns, err := pg.List[pattern](ctx, d, `
		SELECT p.pattern, p.stop_sequence AS seqs, ARRAY(
			SELECT hashtextextended((`+strings.Join(cells, ", ")+`)::text, 0)
			FROM unnest(`+columns("p", names)+`) WITH ORDINALITY AS c (`+strings.Join(names, ", ")+`, n)
			ORDER BY c.n) AS hashes
		FROM transit.pattern_`+version+` p WHERE p.pattern = ANY ($1)`, slices.Collect(maps.Keys(c.patterns)))
	if err != nil {
		return nil, err
	}
	for _, p := range patterns {
		c.patterns[p.Pattern] = p
	}
	profiles, err := pg.List[profile](ctx, d, `
		SELECT profile, array_replace(coalesce(arrivals, departures), NULL, -2147483648) AS arrivals,
		       array_replace(departures, NULL, -2147483648) AS departures
		FROM transit.profile_`+version+` WHERE profile = ANY ($1)`, slices.Collect(maps.Keys(c.profiles)))
	if err != nil {
		return nil, err
	}
	for _, f := range profiles {
		c.profiles[f.Profile] = f
	}
	return c, nil
}

func (c *calls) rows(pattern, profile, shift int32) []row[call] {
	p, f := c.patterns[pattern], c.profiles[profile]
	rows := make([]row[call], len(p.Seqs))
	for i, seq := range p.Seqs {
		rows[i] = row[call]{seq, call{p.Hashes[i], clock(f.Arrivals, i, shift), clock(f.Departures, i, shift)}}
	}
	return rows
}

func clock(times []int32, i int, shift int32) int32 {
	if i >= len(times) || times[i] == noTime {
		return noTime
	}
	return times[i] + shift
}

package check

import (
	"slices"

	"github.com/townline/townline/pkg/compact"
	"github.com/townline/townline/pkg/gtfs"
)

// ends returns the two stops of a pathway; -1 for a stop that is not in the feed.
func (r *row) ends() (from, to int32) { return r.stop("from_stop_id"), r.stop("to_stop_id") }

func pathwayEnds(broken func(c *Checker, stop int32) bool) func(*Checker, feedRule) {
	return func(c *Checker, rule feedRule) {
		for _, r := range c.kept["pathways.txt"] {
			from, to := r.ends()
			r.reportIf(from >= 0 && broken(c, from), rule.code, "from_stop_id")
			r.reportIf(to >= 0 && to != from && broken(c, to), rule.code, "to_stop_id")
		}
	}
}

func (c *Checker) noteStop(code gtfs.Code, stop int32, field string) {
	c.noteID(code, "stops.txt", c.stops.line[stop], field, c.refs.StopID(stop))
}

func (c *Checker) liftLevels(rule feedRule) {
	var reported compact.Set
	for _, r := range c.kept["pathways.txt"] {
		from, to := r.ends()
		for _, stop := range []int32{from, to} {
			if stop >= 0 && r.is("pathway_mode", "5") && !c.stops.leveled.Has(int(stop)) && !reported.Has(int(stop)) {
				reported.Add(int(stop))
				c.noteStop(rule.code, stop, "level_id")
			}
		}
	}
}

// danglingNodes reports nodes with pathways to only one other location.
func (c *Checker) danglingNodes(rule feedRule) {
	const several = -1
	other := map[int32]int32{}
	connect := func(node, to int32) {
		if node < 0 || c.stops.kind[node] != genericNode {
			return
		}
		if before, found := other[node]; found && before != to {
			to = several
		}
		other[node] = to
	}
	for _, r := range c.kept["pathways.txt"] {
		from, to := r.ends()
		connect(from, to)
		connect(to, from)
	}
	for n := range int32(len(c.stops.kind)) {
		if to, found := other[n]; found && to != several {
			c.noteStop(rule.code, n, "stop_id")
		}
	}
}

// unreachable reports places of stations with pathways that riders cannot reach from an entrance,
// or from which they cannot reach an exit.
func (c *Checker) unreachable(rule feedRule) {
	entries, exits := map[int32][]int32{}, map[int32][]int32{}
	var stations compact.Set
	for _, r := range c.kept["pathways.txt"] {
		from, to := r.ends()
		for _, stop := range []int32{from, to} {
			if s := c.stationOf(stop); s >= 0 {
				stations.Add(int(s))
			}
		}
		entries[from], exits[to] = append(entries[from], to), append(exits[to], from)
		if r.is("is_bidirectional", "1") {
			entries[to], exits[from] = append(entries[to], from), append(exits[from], to)
		}
	}
	in, out := c.reach(entries), c.reach(exits)
	for n := range int32(len(c.stops.kind)) {
		kind := c.stops.kind[n]
		place := kind == genericNode || kind == boardingArea || kind == platform && !c.stops.children.Has(int(n))
		if s := c.stationOf(n); place && s >= 0 && stations.Has(int(s)) && (!in.Has(int(n)) || !out.Has(int(n))) {
			c.noteStop(rule.code, n, "stop_id")
		}
	}
}

// reach returns the stops that can be reached from entrances.
func (c *Checker) reach(ways map[int32][]int32) (reached compact.Set) {
	var queue []int32
	visit := func(stop int32) {
		if stop >= 0 && !reached.Has(int(stop)) {
			reached.Add(int(stop))
			queue = append(queue, stop)
		}
	}
	for n, kind := range c.stops.kind {
		if kind == entrance {
			visit(int32(n))
		}
	}
	for len(queue) > 0 {
		last := queue[len(queue)-1]
		queue = slices.Delete(queue, len(queue)-1, len(queue))
		for _, stop := range ways[last] {
			visit(stop)
		}
	}
	return reached
}

// stationOf returns the station of a place, or the place itself if it is a station; -1 if there is
// none.
func (c *Checker) stationOf(stop int32) int32 {
	for stop >= 0 && c.stops.kind[stop] != station {
		stop = c.refs.Parent(stop)
	}
	return stop
}

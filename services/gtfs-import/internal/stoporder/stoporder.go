// Package stoporder merges the patterns of a direction into one list of stops in which every trip
// runs from top to bottom, as in a printed timetable.
//
// If the trips agree on an order, the list has each stop once. A stop gets two rows if one trip
// serves it twice or if trips serve it in contradictory order. The pattern with most trips stays
// together. Stops that only other patterns have come before the stop at which those patterns rejoin
// it, or at the end.
package stoporder

import "slices"

// Merge merges patterns, sorted by descending number of trips, into one list of rows. at[p][i] is
// the row of stop i of pattern p. The rows of a pattern are ascending, and rows[at[p][i]] is the
// stop. Every row belongs to a pattern. The result is deterministic.
func Merge(patterns [][]int32) (rows []int32, at [][]int32) {
	m := merger{nodes: map[int32][]int32{}, effort: 4_000_000}
	for _, p := range patterns {
		at = append(at, m.add(p))
	}
	for _, nodes := range at {
		for i, n := range nodes {
			nodes[i] = m.place[n]
		}
	}
	for _, n := range m.list {
		rows = append(rows, m.stop[n])
	}
	return rows, at
}

// merger keeps the rows as nodes of an acyclic graph, with an edge from each stop of a pattern to
// the pattern's next stop. list is an order that respects all edges.
type merger struct {
	stop  []int32           // by node
	next  [][]int32         // by node: targets of its edges
	place []int32           // by node: index in list
	list  []int32           // nodes in order
	nodes map[int32][]int32 // by stop: its nodes, oldest first

	// effort is the remaining number of search steps. Once it is 0, more stops get second rows; the
	// result stays valid.
	effort int
	seen   []int32 // by node: number of the last search that visited it
	mark   int32
}

// maxCandidates bounds the number of rows of one stop that are tried for a position in a pattern.
// Real timetables have fewer.
const maxCandidates = 32

// add finds or creates a node for each stop of p, and reorders list to respect their order.
func (m *merger) add(p []int32) []int32 {
	mapped := m.align(p)
	reorder := m.attach(p, mapped)
	m.create(p, mapped)
	for i := 1; i < len(mapped); i++ {
		if u, v := mapped[i-1], mapped[i]; !slices.Contains(m.next[u], v) {
			m.next[u] = append(m.next[u], v)
		}
	}
	if reorder {
		m.sort()
	}
	return mapped
}

// align maps as many stops as possible to nodes that are already in the pattern's order: the
// longest common subsequence of p and the list, by the algorithm of Hunt and Szymanski. The other
// stops get -1.
func (m *merger) align(p []int32) []int32 {
	type link struct {
		call, node int32
		before     int32 // index of the previous link; -1 if none
	}
	var links []link
	var best []int32 // best[k]: of the chains of k+1 links, the last link of the chain that ends at the lowest index
	for i, s := range p {
		nodes := m.nodes[s]
		candidates := slices.Clone(nodes[:min(len(nodes), maxCandidates)])
		// Descending order, so that a chain has each stop once.
		slices.SortFunc(candidates, func(a, b int32) int { return int(m.place[b] - m.place[a]) })
		for _, n := range candidates {
			k, _ := slices.BinarySearchFunc(best, m.place[n], func(l, place int32) int {
				return int(m.place[links[l].node] - place)
			})
			l := link{int32(i), n, -1}
			if k > 0 {
				l.before = best[k-1]
			}
			links = append(links, l)
			if k == len(best) {
				best = append(best, 0)
			}
			best[k] = int32(len(links) - 1)
		}
	}
	mapped := slices.Repeat([]int32{-1}, len(p))
	if len(best) > 0 {
		for l := best[len(best)-1]; l >= 0; l = links[l].before {
			mapped[links[l].call] = links[l].node
		}
	}
	return mapped
}

// attach maps more stops to nodes elsewhere in the list, if no pattern prevents moving them. It
// returns true if it mapped any: then the list must be sorted.
func (m *merger) attach(p, mapped []int32) (attached bool) {
	used := map[int32]bool{}
	for _, n := range mapped {
		used[n] = true
	}
	for i, s := range p {
		if mapped[i] >= 0 {
			continue
		}
		for _, n := range m.nodes[s][:min(len(m.nodes[s]), maxCandidates)] {
			if !used[n] && m.fits(mapped, i, n) {
				mapped[i] = n
				used[n] = true
				attached = true
				break
			}
		}
	}
	return attached
}

// fits reports whether node n can be stop i: no path leads to n from a later stop, or from n to an
// earlier stop.
func (m *merger) fits(mapped []int32, i int, n int32) bool {
	m.effort -= len(mapped)
	if m.effort < 0 {
		return false
	}
	earlier := map[int32]bool{}
	for _, u := range mapped[:i] {
		if u >= 0 {
			earlier[u] = true
		}
	}
	if len(earlier) > 0 && m.reaches([]int32{n}, func(x int32) bool { return earlier[x] }) {
		return false
	}
	var later []int32
	for _, u := range mapped[i+1:] {
		if u >= 0 {
			later = append(later, u)
		}
	}
	return len(later) == 0 || !m.reaches(later, func(x int32) bool { return x == n })
}

// reaches reports whether a path leads from a node in from to a target. If effort is used up it
// returns true, which is always valid.
func (m *merger) reaches(from []int32, isTarget func(int32) bool) bool {
	m.mark++
	todo := slices.Clone(from)
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, v := range m.next[n] {
			if m.effort--; m.effort < 0 || isTarget(v) {
				return true
			}
			if m.seen[v] != m.mark {
				m.seen[v] = m.mark
				todo = append(todo, v)
			}
		}
	}
	return false
}

// create makes nodes for the stops without a node. A run of such stops comes before the next stop
// that has a node, or at the end of the list.
func (m *merger) create(p, mapped []int32) {
	if !slices.Contains(mapped, -1) {
		return
	}
	fresh := map[int32][]int32{} // keyed by the node that follows; -1 is the end
	for i := len(p) - 1; i >= 0; i-- {
		if mapped[i] >= 0 {
			continue
		}
		run := i
		for run > 0 && mapped[run-1] < 0 {
			run--
		}
		anchor := int32(-1)
		if i+1 < len(p) {
			anchor = mapped[i+1]
		}
		for j := run; j <= i; j++ {
			n := int32(len(m.stop))
			m.stop = append(m.stop, p[j])
			m.next = append(m.next, nil)
			m.place = append(m.place, 0)
			m.seen = append(m.seen, 0)
			m.nodes[p[j]] = append(m.nodes[p[j]], n)
			mapped[j] = n
			fresh[anchor] = append(fresh[anchor], n)
		}
		i = run
	}
	list := make([]int32, 0, len(m.stop))
	for _, n := range m.list {
		list = append(append(list, fresh[n]...), n)
	}
	m.setList(append(list, fresh[-1]...))
}

func (m *merger) setList(list []int32) {
	m.list = list
	for i, n := range list {
		m.place[n] = int32(i)
	}
}

// sort makes list respect all edges and otherwise keeps its order: of the nodes that may come next,
// it takes the one with the lowest index.
func (m *merger) sort() {
	before := make([]int32, len(m.stop))
	for _, edges := range m.next {
		for _, v := range edges {
			before[v]++
		}
	}
	var ready []int32 // ordered by index
	first := func(a, b int32) int { return int(m.place[a] - m.place[b]) }
	for _, n := range m.list {
		if before[n] == 0 {
			ready = append(ready, n)
		}
	}
	list := make([]int32, 0, len(m.list))
	for len(ready) > 0 {
		n := ready[0]
		ready = ready[1:]
		list = append(list, n)
		for _, v := range m.next[n] {
			if before[v]--; before[v] == 0 {
				at, _ := slices.BinarySearchFunc(ready, v, first)
				ready = slices.Insert(ready, at, v)
			}
		}
	}
	m.setList(list)
}

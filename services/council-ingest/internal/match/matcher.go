package match

import "slices"

// A matcher finds for each of the old its new self. Rules are tried one after the other; what one
// has paired is out of the next.
type matcher[T any] struct {
	old, now []T
	to       []int // index into now; -1: not recognised
	taken    []bool
	// Gaps: how many recognised neighbours, that kept their order, stand before each.
	oldGap, nowGap []int
}

func newMatcher[T any](old, now []T) *matcher[T] {
	m := &matcher[T]{old: old, now: now, to: slices.Repeat([]int{-1}, len(old)), taken: make([]bool, len(now))}
	m.find()
	return m
}

func (m *matcher[T]) set(o, n int) { m.to[o], m.taken[n] = n, true }

// A rule pairs members of a group, given by their indices.
type rule func(old, now []int)

// match gives every group of old and new ones with the same key, that nobody has recognised yet, to
// a rule; "" is no key.
func (m *matcher[T]) match(key func(*T) string, pair rule) {
	type group struct{ old, now []int }
	groups := map[string]*group{}
	var order []*group
	at := func(t *T) *group {
		k := key(t)
		if k == "" {
			return &group{}
		}
		if groups[k] == nil {
			groups[k] = &group{}
			order = append(order, groups[k])
		}
		return groups[k]
	}
	for i := range m.old {
		if m.to[i] < 0 {
			g := at(&m.old[i])
			g.old = append(g.old, i)
		}
	}
	for j := range m.now {
		if !m.taken[j] {
			g := at(&m.now[j])
			g.now = append(g.now, j)
		}
	}
	for _, g := range order {
		if len(g.old) > 0 && len(g.now) > 0 {
			pair(g.old, g.now)
		}
	}
	m.find()
}

// one pairs the only old one with the only new one.
func (m *matcher[T]) one(may func(o, n *T) bool) rule {
	return func(old, now []int) {
		if len(old) == 1 && len(now) == 1 && may(&m.old[old[0]], &m.now[now[0]]) {
			m.set(old[0], now[0])
		}
	}
}

// inOrder pairs all members in order if they are as many after as before.
func (m *matcher[T]) inOrder(old, now []int) {
	if len(old) == len(now) {
		for k := range old {
			m.set(old[k], now[k])
		}
	}
}

// inPlace is inOrder for members that stand between the same neighbours, and of which each may be
// the other.
func (m *matcher[T]) inPlace(may func(o, n *T) bool) rule {
	return func(old, now []int) {
		if len(old) != len(now) {
			return
		}
		for k := range old {
			if !may(&m.old[old[k]], &m.now[now[k]]) || m.oldGap[old[k]] != m.nowGap[now[k]] {
				return
			}
		}
		m.inOrder(old, now)
	}
}

// allInGap pairs members in order where a gap has as many after as before.
func (m *matcher[T]) allInGap(may func(o, n *T) bool) rule {
	return func(old, now []int) {
		m.gaps(old, now, func(old, now []int) {
			if len(old) != len(now) {
				return
			}
			for k := range old {
				if may(&m.old[old[k]], &m.now[now[k]]) {
					m.set(old[k], now[k])
				}
			}
		})
	}
}

// onlyInGap pairs, within a gap, whose only candidate the other is, both ways.
func (m *matcher[T]) onlyInGap(may func(o, n *T) bool) rule {
	return func(old, now []int) {
		m.gaps(old, now, func(old, now []int) {
			if len(old)*len(now) > maxPairs {
				return
			}
			choice, rivals := map[int]int{}, map[int]int{}
			for _, o := range old {
				count := 0
				for _, n := range now {
					if may(&m.old[o], &m.now[n]) {
						choice[o] = n
						rivals[n]++
						count++
					}
				}
				if count != 1 {
					delete(choice, o)
				}
			}
			for _, o := range old {
				if n, is := choice[o]; is && rivals[n] == 1 {
					m.set(o, n)
				}
			}
		})
	}
}

// maxPairs bounds what comparing each with each may cost; no real agenda has a thousand items
// without a partner.
const maxPairs = 1_000_000

// align pairs members in order for the greatest sum of weights. A weight of 0 pairs nobody.
func (m *matcher[T]) align(weight func(o, n *T) float64) rule {
	return func(old, now []int) {
		n, k := len(old), len(now)
		if n*k > maxPairs {
			return
		}
		// weights is how much pairing i with j adds, best what the rest from i and j on can reach.
		weights, best := make([]float64, n*k), make([]float64, (n+1)*(k+1))
		at := func(i, j int) *float64 { return &best[i*(k+1)+j] }
		for i := n - 1; i >= 0; i-- {
			for j := k - 1; j >= 0; j-- {
				*at(i, j) = max(*at(i+1, j), *at(i, j+1))
				if w := weight(&m.old[old[i]], &m.now[now[j]]); w > 0 {
					weights[i*k+j] = w
					*at(i, j) = max(*at(i, j), w+*at(i+1, j+1))
				}
			}
		}
		for i, j := 0, 0; i < n && j < k; {
			w := weights[i*k+j]
			switch {
			case w > 0 && *at(i, j) == w+*at(i+1, j+1):
				m.set(old[i], now[j])
				i, j = i+1, j+1
			case *at(i, j) == *at(i+1, j):
				i++
			default:
				j++
			}
		}
	}
}

// gaps parts a group by the gap in which its members stand.
func (m *matcher[T]) gaps(old, now []int, each rule) {
	for len(old) > 0 && len(now) > 0 {
		gap := min(m.oldGap[old[0]], m.nowGap[now[0]])
		o := cutGap(&old, m.oldGap, gap)
		if n := cutGap(&now, m.nowGap, gap); len(o) > 0 && len(n) > 0 {
			each(o, n)
		}
	}
}

func cutGap(list *[]int, gaps []int, gap int) []int {
	n := 0
	for n < len(*list) && gaps[(*list)[n]] == gap {
		n++
	}
	head := (*list)[:n]
	*list = (*list)[n:]
	return head
}

// find finds the gaps: between those that are recognised and kept their order, the longest row of
// such.
func (m *matcher[T]) find() {
	// tails[k] is the old one that ends the best row of k+1; before leads back.
	var tails []int
	before := make([]int, len(m.old))
	for o, n := range m.to {
		if n < 0 {
			continue
		}
		k, _ := slices.BinarySearchFunc(tails, n, func(t, n int) int { return m.to[t] - n })
		before[o] = -1
		if k > 0 {
			before[o] = tails[k-1]
		}
		tails = append(tails[:k], append([]int{o}, tails[min(k+1, len(tails)):]...)...)
	}
	anchorOld, anchorNow := make([]bool, len(m.old)), make([]bool, len(m.now))
	if len(tails) > 0 {
		for o := tails[len(tails)-1]; o >= 0; o = before[o] {
			anchorOld[o], anchorNow[m.to[o]] = true, true
		}
	}
	m.oldGap, m.nowGap = countBefore(anchorOld), countBefore(anchorNow)
}

// countBefore is how many are true before each.
func countBefore(anchors []bool) []int {
	out, n := make([]int, len(anchors)), 0
	for i, is := range anchors {
		out[i] = n
		if is {
			n++
		}
	}
	return out
}

package match

import "slices"

// A matcher finds each old element among the new ones. It applies rules in order. A pair is final.
type matcher[T any] struct {
	old, now []T
	pairs    []int // index into now for each old element; -1 if not found
	paired   []bool
	// An element's gap is the number of paired elements before it whose order is unchanged.
	oldGap, nowGap []int
}

func newMatcher[T any](old, now []T) *matcher[T] {
	m := &matcher[T]{old: old, now: now, pairs: slices.Repeat([]int{-1}, len(old)), paired: make([]bool, len(now))}
	m.findGaps()
	return m
}

func (m *matcher[T]) pair(o, n int) { m.pairs[o], m.paired[n] = n, true }

// A rule pairs elements of one group, which consists of indices into the old and new elements.
type rule func(old, now []int)

// match groups the unpaired elements by key and applies a rule to each group. It ignores elements
// with the key "".
func (m *matcher[T]) match(key func(*T) string, apply rule) {
	type group struct{ old, now []int }
	groups := map[string]*group{}
	var order []*group
	groupOf := func(t *T) *group {
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
		if m.pairs[i] < 0 {
			g := groupOf(&m.old[i])
			g.old = append(g.old, i)
		}
	}
	for j := range m.now {
		if !m.paired[j] {
			g := groupOf(&m.now[j])
			g.now = append(g.now, j)
		}
	}
	for _, g := range order {
		if len(g.old) > 0 && len(g.now) > 0 {
			apply(g.old, g.now)
		}
	}
	m.findGaps()
}

// unique returns a rule that pairs a group's only old element with its only new element.
func (m *matcher[T]) unique(allowed func(o, n *T) bool) rule {
	return func(old, now []int) {
		if len(old) == 1 && len(now) == 1 && allowed(&m.old[old[0]], &m.now[now[0]]) {
			m.pair(old[0], now[0])
		}
	}
}

// inOrder pairs a group in order if it has as many old elements as new ones.
func (m *matcher[T]) inOrder(old, now []int) {
	if len(old) == len(now) {
		for k := range old {
			m.pair(old[k], now[k])
		}
	}
}

// inPlace is like inOrder, for groups in which every pair is allowed and lies in one gap.
func (m *matcher[T]) inPlace(allowed func(o, n *T) bool) rule {
	return func(old, now []int) {
		if len(old) != len(now) {
			return
		}
		for k := range old {
			if !allowed(&m.old[old[k]], &m.now[now[k]]) || m.oldGap[old[k]] != m.nowGap[now[k]] {
				return
			}
		}
		m.inOrder(old, now)
	}
}

// inOrderOfGap returns a rule that makes the allowed pairs in order, in each gap with as many old
// elements as new ones.
func (m *matcher[T]) inOrderOfGap(allowed func(o, n *T) bool) rule {
	return m.eachGap(func(old, now []int) {
		if len(old) != len(now) {
			return
		}
		for k := range old {
			if allowed(&m.old[old[k]], &m.now[now[k]]) {
				m.pair(old[k], now[k])
			}
		}
	})
}

// uniqueInGap returns a rule that pairs two elements of a gap if each is the other's only allowed
// partner.
func (m *matcher[T]) uniqueInGap(allowed func(o, n *T) bool) rule {
	return m.eachGap(func(old, now []int) {
		if len(old)*len(now) > maxPairs {
			return
		}
		choice, rivals := map[int]int{}, map[int]int{}
		for _, o := range old {
			count := 0
			for _, n := range now {
				if allowed(&m.old[o], &m.now[n]) {
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
			if n, ok := choice[o]; ok && rivals[n] == 1 {
				m.pair(o, n)
			}
		}
	})
}

// maxPairs bounds the cost of comparing all pairs. No real agenda has a thousand unpaired items.
const maxPairs = 1_000_000

// align returns a rule that pairs elements in order so that the sum of weights is greatest. It
// makes no pair of weight 0.
func (m *matcher[T]) align(weight func(o, n *T) float64) rule {
	return func(old, now []int) {
		n, k := len(old), len(now)
		if n*k > maxPairs {
			return
		}
		// best holds the greatest sum for the elements starting at i and j.
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
				m.pair(old[i], now[j])
				i, j = i+1, j+1
			case *at(i, j) == *at(i+1, j):
				i++
			default:
				j++
			}
		}
	}
}

// eachGap returns a rule that splits a group by gaps and applies another rule to each part.
func (m *matcher[T]) eachGap(apply rule) rule {
	return func(old, now []int) {
		for len(old) > 0 && len(now) > 0 {
			gap := min(m.oldGap[old[0]], m.nowGap[now[0]])
			o, n := cutGap(&old, m.oldGap, gap), cutGap(&now, m.nowGap, gap)
			if len(o) > 0 && len(n) > 0 {
				apply(o, n)
			}
		}
	}
}

// cutGap removes the elements of a gap from the front of a list and returns them.
func cutGap(list *[]int, gaps []int, gap int) []int {
	n := 0
	for n < len(*list) && gaps[(*list)[n]] == gap {
		n++
	}
	head := (*list)[:n]
	*list = (*list)[n:]
	return head
}

// findGaps computes the gaps. It uses the longest sequence of pairs whose order is unchanged.
func (m *matcher[T]) findGaps() {
	// tails[k] is the old element that ends the best sequence of length k+1. before has its
	// predecessor.
	var tails []int
	before := make([]int, len(m.old))
	for o, n := range m.pairs {
		if n < 0 {
			continue
		}
		k, _ := slices.BinarySearchFunc(tails, n, func(t, n int) int { return m.pairs[t] - n })
		before[o] = -1
		if k > 0 {
			before[o] = tails[k-1]
		}
		tails = append(tails[:k], append([]int{o}, tails[min(k+1, len(tails)):]...)...)
	}
	inOld, inNow := make([]bool, len(m.old)), make([]bool, len(m.now))
	if len(tails) > 0 {
		for o := tails[len(tails)-1]; o >= 0; o = before[o] {
			inOld[o], inNow[m.pairs[o]] = true, true
		}
	}
	m.oldGap, m.nowGap = countBefore(inOld), countBefore(inNow)
}

func countBefore(values []bool) []int {
	out, n := make([]int, len(values)), 0
	for i, v := range values {
		out[i] = n
		if v {
			n++
		}
	}
	return out
}

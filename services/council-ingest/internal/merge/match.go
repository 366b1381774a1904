package merge

import (
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/council"
)

// Compose puts outline and minutes together by what follows. Ids are another matter: see identity.go.

// An itemKey is what an item is recognised by, on both sides of a match.
type itemKey struct {
	natural  string // file number, else title, else number
	legifile int64
	number   string // item number, folded
	section  string
	title    []string // words, folded
}

func keysOf(items []Item) []itemKey {
	out := make([]itemKey, len(items))
	for i, it := range items {
		k := itemKey{number: council.FoldName(deref(it.ItemNumber)), section: council.FoldName(deref(it.Section)), title: strings.Fields(council.FoldName(it.Title))}
		switch file := council.FoldName(deref(it.FileNumber)); {
		case file != "":
			k.natural = "file:" + file
		case len(k.title) > 0:
			k.natural = "title:" + strings.Join(k.title, " ")
		default:
			k.natural = "number:" + k.number
		}
		if it.LegifileID != nil {
			k.legifile = *it.LegifileID
		}
		out[i] = k
	}
	return out
}

// pair finds for each item of one list the same item in another: by title and number; by natural
// key, several of one in order if both lists have as many; then by legislative file; then by a title that no other has, for the outline often lacks the
// file numbers that minutes print; then the pairing of what is left that keeps the
// order of both lists and has the most similar titles. It returns indices into b, -1 for what has no partner. Nobody gets two partners,
// and nothing is paired for its place alone.
func pair(a, b []itemKey) []int {
	to := make([]int, len(a))
	taken := make([]bool, len(b))
	for i := range to {
		to[i] = -1
	}
	match := func(of func(itemKey) string) {
		left, right := map[string][]int{}, map[string][]int{}
		for i, k := range a {
			if v := of(k); v != "" && to[i] < 0 {
				left[v] = append(left[v], i)
			}
		}
		for j, k := range b {
			if v := of(k); v != "" && !taken[j] {
				right[v] = append(right[v], j)
			}
		}
		for v, is := range left {
			if js := right[v]; len(is) == len(js) {
				for k, i := range is {
					to[i], taken[js[k]] = js[k], true
				}
			}
		}
	}
	match(func(k itemKey) string {
		if !strings.HasPrefix(k.natural, "file:") {
			return ""
		}
		return k.natural
	})
	match(func(k itemKey) string {
		if k.number == "" || len(k.title) == 0 {
			return ""
		}
		return strings.Join(k.title, " ") + "\x00" + k.number
	})
	match(func(k itemKey) string { return k.natural })
	match(func(k itemKey) string {
		if k.legifile == 0 {
			return ""
		}
		return strconv.FormatInt(k.legifile, 10)
	})
	match(func(k itemKey) string { return strings.Join(k.title, " ") })
	align(a, b, to, taken)
	return to
}

// threshold is the least similarity at which two items are the same one.
const threshold = 0.6

// maxAlign bounds the work of align; no real agenda has a thousand items without a partner.
const maxAlign = 1_000_000

// align pairs what is left of a and b in order, for the greatest sum of similarities.
func align(a, b []itemKey, to []int, taken []bool) {
	var left, right []int
	for i := range a {
		if to[i] < 0 {
			left = append(left, i)
		}
	}
	for j := range b {
		if !taken[j] {
			right = append(right, j)
		}
	}
	n, m := len(left), len(right)
	if n == 0 || m == 0 || n*m > maxAlign {
		return
	}
	// sim is how much pairing i with j adds, best what the rest from i and j on can reach.
	sim, best := make([]float64, n*m), make([]float64, (n+1)*(m+1))
	at := func(i, j int) *float64 { return &best[i*(m+1)+j] }
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			*at(i, j) = max(*at(i+1, j), *at(i, j+1))
			if s := similar(a[left[i]], b[right[j]]); s >= threshold {
				sim[i*m+j] = s
				*at(i, j) = max(*at(i, j), s+*at(i+1, j+1))
			}
		}
	}
	for i, j := 0, 0; i < n && j < m; {
		switch s := sim[i*m+j]; {
		case s > 0 && *at(i, j) == s+*at(i+1, j+1):
			to[left[i]], taken[right[j]] = right[j], true
			i, j = i+1, j+1
		case *at(i, j) == *at(i+1, j):
			i++
		default:
			j++
		}
	}
}

// similar says how alike two items are, from 0 to about 1.2: the share of words
// that their titles have in common, a little more for the same number and
// section. A title that begins like the other, such as one that was cut off, counts as
// the same words.
func similar(a, b itemKey) float64 {
	if len(a.title) == 0 || len(b.title) == 0 {
		return 0
	}
	s := dice(a.title, b.title)
	if short := min(len(a.title), len(b.title)); short >= 3 && equal(a.title[:short], b.title[:short]) {
		s = max(s, 0.9)
	}
	if a.number != "" && a.number == b.number {
		s += 0.1
	}
	if a.section == b.section {
		s += 0.1
	}
	return s
}

// dice is twice the common words over all words.
func dice(a, b []string) float64 {
	count := make(map[string]int, len(a))
	for _, w := range a {
		count[w]++
	}
	common := 0
	for _, w := range b {
		if count[w] > 0 {
			count[w]--
			common++
		}
	}
	return 2 * float64(common) / float64(len(a)+len(b))
}

func equal(a, b []string) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

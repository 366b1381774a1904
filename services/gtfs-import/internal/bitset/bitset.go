// Package bitset holds sets of small numbers, such as lines and rows of a file, in one bit each.
package bitset

// A Set holds numbers from 0. The zero value is empty.
type Set []uint64

// Add adds a number.
func (s *Set) Add(n int) {
	for len(*s) <= n>>6 {
		*s = append(*s, 0)
	}
	(*s)[n>>6] |= 1 << (n & 63)
}

// Has reports whether the set has a number.
func (s Set) Has(n int) bool { return n>>6 < len(s) && s[n>>6]>>(n&63)&1 != 0 }

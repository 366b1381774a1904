// Package spelling compares words letter by letter, so that searches and lists of names forgive
// typing errors. It knows no language and no vocabulary: callers decide which words are known.
package spelling

// Edits counts the letters to insert, drop, replace or swap with their neighbour to turn a into b
// (optimal string alignment).
func Edits[L comparable](a, b []L) int {
	before := make([]int, len(b)+1)
	prev := make([]int, len(b)+1)
	cur := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		spare := before
		before, prev = prev, cur
		cur = spare
	}
	return prev[len(b)]
}

// Errors returns the number of typing errors that turn a known word into a typed one. ok is false
// if there are more than a typed word of its length may have: one in a word of four or five
// letters, two in a longer word, none in a shorter one.
func Errors(typed, known []rune) (n int, ok bool) {
	most := 2
	switch {
	case len(typed) < 4:
		most = 0
	case len(typed) < 6:
		most = 1
	}
	if d := len(typed) - len(known); d > most || -d > most {
		return 0, false
	}
	n = Edits(typed, known)
	return n, n <= most
}

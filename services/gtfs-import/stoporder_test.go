package gtfsimport_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/townline/townline/services/gtfs-import/internal/stoporder"
)

// letters converts "ABC" to stops.
func letters(s string) []int32 {
	var p []int32
	for _, r := range s {
		p = append(p, r)
	}
	return p
}

func TestMerge(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, patterns, want string }{
		{"none", "", ""},
		{"one", "ABC", "ABC"},
		{"short turns", "ABCDE BCD CDE AB", "ABCDE"},
		{"express", "ABCDE ACE AE", "ABCDE"},
		{"a branch in the middle", "ABCD AXYD", "ABCXYD"},
		{"a branch at the end", "ABCD ABXY", "ABCDXY"},
		{"a branch at the start", "ABCD XYCD", "ABXYCD"},
		{"a loop calls twice where it starts", "ABCDA", "ABCDA"},
		{"half a loop", "ABCDA CDA AB", "ABCDA"},
		{"the same loop entered elsewhere", "ABCDE EABCDE", "EABCDE"},
		{"a lollipop", "ABCDCBA ABCD", "ABCDCBA"},
		{"contradiction", "ABC CBA", "CBABC"},
		{"apart, then joined by a third", "AB CD DA", "CDAB"},
		{"apart, then joined against each other", "AB CD DA BC", "BCDAB"},
		{"a stop of one row for all", "AX BX CX", "ABCX"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var patterns [][]int32
			for p := range strings.FieldsSeq(c.patterns) {
				patterns = append(patterns, letters(p))
			}
			rows, at := stoporder.Merge(patterns)
			if got := string(rows); got != c.want {
				t.Errorf("rows %q, want %q", got, c.want)
			}
			checkOrder(t, patterns, rows, at)
		})
	}
}

// checkOrder checks the guarantees of Merge.
func checkOrder(t interface {
	Helper()
	Fatalf(string, ...any)
}, patterns [][]int32, rows []int32, at [][]int32) {
	t.Helper()
	used := make([]bool, len(rows))
	for p, pattern := range patterns {
		if len(at[p]) != len(pattern) {
			t.Fatalf("pattern %d has %d calls and %d rows", p, len(pattern), len(at[p]))
		}
		for i, s := range pattern {
			r := at[p][i]
			if rows[r] != s {
				t.Fatalf("call %d of pattern %d is at stop %d, its row %d is of stop %d", i, p, s, r, rows[r])
			}
			if i > 0 && r <= at[p][i-1] {
				t.Fatalf("pattern %d goes from row %d up to row %d", p, at[p][i-1], r)
			}
			used[r] = true
		}
	}
	if i := slices.Index(used, false); i >= 0 {
		t.Fatalf("row %d of %v belongs to no pattern %v", i, rows, patterns)
	}
}

func TestMergeKeepsTheOrderOfPatterns(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		patterns := rapid.SliceOfN(rapid.SliceOfN(rapid.Int32Range(0, 12), 0, 20), 0, 12).Draw(t, "patterns")
		rows, at := stoporder.Merge(patterns)
		checkOrder(t, patterns, rows, at)
		again, atAgain := stoporder.Merge(patterns)
		if diff := cmp.Diff(rows, again) + cmp.Diff(at, atAgain); diff != "" {
			t.Fatalf("a second merge differs:\n%s", diff)
		}
		if len(patterns) > 0 && len(patterns[0]) > 0 {
			// The first pattern stays unchanged.
			first, _ := stoporder.Merge(patterns[:1])
			if diff := cmp.Diff(patterns[0], first); diff != "" {
				t.Fatalf("merging a single pattern changed it:\n%s", diff)
			}
		}
	})
}

// If all trips agree on an order, each stop has one row.
func TestMergeOfTripsThatAgree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.Permutation([]int32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}).Draw(t, "line")
		var patterns [][]int32
		stops := map[int32]bool{}
		for range rapid.IntRange(1, 15).Draw(t, "count") {
			var p []int32
			for _, s := range line {
				if rapid.IntRange(0, 4).Draw(t, "calls") == 0 {
					p = append(p, s)
					stops[s] = true
				}
			}
			patterns = append(patterns, p)
		}
		rows, at := stoporder.Merge(patterns)
		checkOrder(t, patterns, rows, at)
		if len(rows) != len(stops) {
			t.Fatalf("%d rows for %d stops: %v of %v", len(rows), len(stops), rows, patterns)
		}
	})
}

// Patterns made to be slow must not take long.
func TestMergeOfHostilePatternsEndsSoon(t *testing.T) {
	t.Parallel()
	loop := make([]int32, 5000)
	for i := range loop {
		loop[i] = int32(i % 3)
	}
	back := slices.Clone(loop)
	slices.Reverse(back)
	var many [][]int32
	for i := range 3000 {
		p := make([]int32, 40)
		for j := range p {
			p[j] = int32((j*(2*i+1) + i) % 40)
		}
		many = append(many, p)
	}
	start := time.Now()
	for _, patterns := range [][][]int32{{loop, back, loop[1:]}, many} {
		rows, at := stoporder.Merge(patterns)
		checkOrder(t, patterns, rows, at)
	}
	if took := time.Since(start); took > time.Minute {
		t.Errorf("took %s", took)
	}
}

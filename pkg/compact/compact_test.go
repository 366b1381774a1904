package compact_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/townline/townline/pkg/compact"
)

func TestStrings(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var all compact.Strings
		want := map[string]int32{}
		for _, s := range rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.StringMatching(`[ab]{0,3}`))).Draw(t, "strings") {
			before, known := want[s]
			if !known {
				before = -1
			}
			if got := all.Find([]byte(s)); got != before {
				t.Fatalf("find %q: %d, want %d", s, got, before)
			}
			n, added := all.Add([]byte(s))
			if added == known || known && n != before || !known && int(n) != len(want) {
				t.Fatalf("add %q: %d, %v; its number is %d", s, n, added, before)
			}
			want[s] = n
		}
		for s, n := range want {
			if got := string(all.Get(n)); got != s {
				t.Fatalf("string %d is %q, want %q", n, got, s)
			}
		}
	})
}

func TestManyAndLargeStrings(t *testing.T) {
	t.Parallel()
	var all compact.Strings
	text := func(i int) []byte {
		if i%1000 == 0 {
			return []byte(strings.Repeat("x", 100_000+i)) // larger than a chunk
		}
		return fmt.Appendf(nil, "trip:%d", i)
	}
	for i := range 20_000 {
		if n, added := all.Add(text(i)); int(n) != i || !added {
			t.Fatalf("add %d: %d, %v", i, n, added)
		}
	}
	for i := range 20_000 {
		if n := all.Find(text(i)); int(n) != i {
			t.Fatalf("find %d: %d", i, n)
		}
	}
	if all.Len() != 20_000 {
		t.Errorf("%d strings", all.Len())
	}
}

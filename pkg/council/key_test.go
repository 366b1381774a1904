package council_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/townline/townline/pkg/council"
)

func TestItemKeysStayWhenAnItemIsPutIn(t *testing.T) {
	t.Parallel()
	type item struct{ file, title, number string }
	before := []item{{"2026-11", "Fire Marshal", "1."}, {"", "Pays Bills", "2."}, {"", "Pays Bills", "3."}, {"", "", "4."}}
	after := append([]item{{"2026-10", "New First Item", "1."}}, before...)
	var old, now council.ItemKeys
	keys := map[string]bool{}
	for _, it := range after {
		keys[now.Key(it.file, it.title, it.number)] = true
	}
	if len(keys) != len(after) {
		t.Fatalf("%d keys for %d items: %v", len(keys), len(after), keys)
	}
	for _, it := range before {
		if key := old.Key(it.file, it.title, it.number); !keys[key] {
			t.Errorf("the key %q of %v is gone after an insertion", key, it)
		}
	}
}

func TestItemKeyDoesNotDependOnSpelling(t *testing.T) {
	t.Parallel()
	for _, same := range [][2][3]string{
		{{"CMA 2026-34", "x", "1."}, {"cma 2026–34", "another title", "9."}},
		{{"", "Pays  the Bills.", "1."}, {"—", "PAYS THE BILLS", "2."}},
	} {
		var a, b council.ItemKeys
		if x, y := a.Key(same[0][0], same[0][1], same[0][2]), b.Key(same[1][0], same[1][1], same[1][2]); x != y {
			t.Errorf("%q and %q differ", x, y)
		}
	}
	var k council.ItemKeys
	long := k.Key("", strings.Repeat("Zoë Ekström ", 100), "")
	if len(long) > 140 || !utf8.ValidString(long) {
		t.Errorf("a long title gives the key %q", long)
	}
	if a, b := council.VoteKey(long, 1), council.VoteKey(long, 2); a == b || !strings.HasPrefix(a, long) {
		t.Errorf("vote keys %q and %q", a, b)
	}
}

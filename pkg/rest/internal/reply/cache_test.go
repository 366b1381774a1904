package reply

import (
	"testing"
	"time"
)

// Realtime answers of past generations are evicted even without memory pressure. Static answers are
// evicted only under pressure.
func TestRealtimeBodiesExpire(t *testing.T) {
	t.Parallel()
	b, err := NewCache(1<<20, time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	static, realtime := Key{1, "stops", Identity}, Key{1, "vehicles", Identity}
	b.Keep(static, &Reply{})
	b.Keep(realtime, &Reply{Brief: true})
	deadline := time.After(20 * time.Second)
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	for there := true; there; _, there = b.Get(realtime) {
		select {
		case <-look.C:
		case <-deadline:
			t.Fatal("an answer of a past generation is still cached")
		}
	}
	if _, ok := b.Get(static); !ok {
		t.Error("the static answer was evicted")
	}
}

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
	static, realtime := Key{Gen: 1, Request: "stops"}, Key{Gen: 1, Request: "vehicles"}
	b.kept.Set(static, &File{Gen: 1, coded: &codings{}})
	b.kept.Set(realtime, &File{Gen: 1, Brief: true, coded: &codings{}})
	deadline := time.After(2 * time.Minute)
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	for there := true; there; _, there = b.kept.GetIfPresent(realtime) {
		select {
		case <-look.C:
		case <-deadline:
			t.Fatal("an answer of a past generation is still cached")
		}
	}
	if _, ok := b.kept.GetIfPresent(static); !ok {
		t.Error("the static answer was evicted")
	}
}

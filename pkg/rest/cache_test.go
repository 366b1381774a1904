package rest

import (
	"testing"
	"time"
)

// What is realtime makes room by itself, whatever room there is; what is static stays until others are wanted more.
func TestRealtimeBodiesGoWithTime(t *testing.T) {
	t.Parallel()
	b, err := newBodies(1<<20, time.Millisecond, newLoad(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	static, realtime := bodyKey{1, "stops", identity}, bodyKey{1, "vehicles", identity}
	b.keep(static, &reply{kind: Static, holder: &holder{}})
	b.keep(realtime, &reply{kind: Realtime, holder: &holder{}})
	deadline := time.After(20 * time.Second)
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	for there := true; there; _, there = b.get(realtime) {
		select {
		case <-look.C:
		case <-deadline:
			t.Fatal("an answer of a past generation is kept")
		}
	}
	if _, ok := b.get(static); !ok {
		t.Error("the static answer is gone")
	}
}

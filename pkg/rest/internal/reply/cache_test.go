package reply

import (
	"testing"
	"time"
)

// What is realtime makes room by itself, whatever room there is; what is static stays until others are wanted more.
func TestRealtimeBodiesGoWithTime(t *testing.T) {
	t.Parallel()
	b, err := NewCache(1<<20, time.Millisecond, NewLoad(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	static, realtime := Key{1, "stops", Identity}, Key{1, "vehicles", Identity}
	b.Keep(static, &Reply{holder: &holder{}})
	b.Keep(realtime, &Reply{Brief: true, holder: &holder{}})
	deadline := time.After(20 * time.Second)
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	for there := true; there; _, there = b.Get(realtime) {
		select {
		case <-look.C:
		case <-deadline:
			t.Fatal("an answer of a past generation is kept")
		}
	}
	if _, ok := b.Get(static); !ok {
		t.Error("the static answer is gone")
	}
}

// What is written counts once, and only while the cache has it not; while the budget is used up, the cache takes nothing that would push
// out what clients hold.
func TestWhatClientsHold(t *testing.T) {
	t.Parallel()
	l := NewLoad(100)
	made := func(size int) *Reply { return &Reply{Body: make([]byte, size), holder: &holder{}} }
	a, b, c := made(60), made(60), made(40)
	held := func(what string, want float64) {
		t.Helper()
		if got := l.Bytes(); got != want {
			t.Errorf("%s: %.0f bytes held, want %.0f", what, got, want)
		}
	}
	begin := func(r *Reply) {
		t.Helper()
		if err := l.Begin(r); err != nil {
			t.Error(err)
		}
	}
	if !l.keep(a) {
		t.Error("an empty load lets nothing be kept")
	}
	begin(a)
	begin(a)
	held("kept", 0)
	l.drop(a)
	held("pushed out while two read it", 60)
	if l.Begin(b) == nil {
		t.Error("the budget does not hold")
	}
	begin(c)
	held("used up", 100)
	if l.keep(b) {
		t.Error("the cache takes more while the budget is used up")
	}
	begin(a) // costs nothing more
	l.End(c)
	l.End(a)
	l.End(a)
	held("one still reads it", 60)
	if !l.keep(a) {
		t.Error("what is read may not be kept again")
	}
	held("kept again", 0)
	l.drop(a)
	l.End(a)
	held("all have read", 0)
}

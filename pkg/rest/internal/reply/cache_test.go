package reply

import (
	"testing"
	"time"
)

// What is realtime makes room by itself, whatever room there is; what is static stays until others are wanted more.
func TestRealtimeBodiesGoWithTime(t *testing.T) {
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
			t.Fatal("an answer of a past generation is kept")
		}
	}
	if _, ok := b.Get(static); !ok {
		t.Error("the static answer is gone")
	}
}

// A reply counts once while clients read it, and those beyond the budget are refused.
func TestLoadCountsWhatClientsHold(t *testing.T) {
	t.Parallel()
	l := NewLoad(100)
	reply := func(size int) *Reply { return &Reply{Body: make([]byte, size), readers: new(int)} }
	a, b, c := reply(60), reply(60), reply(40)
	held := func(when string, want float64) {
		t.Helper()
		if got := l.Bytes(); got != want {
			t.Errorf("%s: %.0f bytes held, want %.0f", when, got, want)
		}
	}
	begin := func(r *Reply) {
		t.Helper()
		if err := l.Begin(r); err != nil {
			t.Error(err)
		}
	}
	begin(a)
	begin(a)
	held("two readers of one reply", 60)
	if l.Begin(b) == nil {
		t.Error("a reply beyond the budget is written")
	}
	begin(c)
	begin(a) // costs nothing more
	held("budget used up", 100)
	l.End(c)
	l.End(a)
	l.End(a)
	held("one reader left", 60)
	l.End(a)
	held("no reader left", 0)
}

package performance

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Counts and percentiles equal those of the sorted list of all delays.
func TestHistogram(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	var a Adder
	var all []int32
	for range 40 {
		day := Delays{}
		for range 100 {
			delay := int32(r.NormFloat64() * 300)
			if r.IntN(20) == 0 {
				delay *= 100 // hours
			}
			day[delay]++
			all = append(all, delay)
		}
		if err := a.Add(day.Encode()); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(all)
	once := a.Histogram()
	if err := a.Add(once.Encode()); err != nil {
		t.Fatal(err)
	}
	again := a.Histogram()
	a.AddHistogram(again)
	for _, h := range []*Histogram{once, again, a.Histogram()} {
		for _, share := range []float64{0.001, 0.1, 0.5, 0.9, 1} {
			want := all[max(0, int(share*float64(len(all))+0.999999)-1)]
			if got, ok := h.Percentile(share); !ok || got != want {
				t.Errorf("%v: %d, want %d", share, got, want)
			}
		}
		for _, r := range [][2]int32{{-60, 300}, {-1 << 31, -61}, {301, 1<<31 - 1}, {-1 << 31, 1<<31 - 1}, {5, 4}, {7, 7}} {
			want := int64(0)
			for _, delay := range all {
				if delay >= r[0] && delay <= r[1] {
					want++
				}
			}
			if got := h.Count(r[0], r[1]); got != want {
				t.Errorf("%v: %d, want %d", r, got, want)
			}
		}
	}
	if err := a.Add([]byte{0x80}); err == nil {
		t.Error("damaged delays are read")
	}
	empty := a.Histogram()
	if _, ok := empty.Percentile(0.5); ok || empty.Count(-1, 1) != 0 || len(empty.Encode()) > 0 {
		t.Error("an empty histogram has delays")
	}
}

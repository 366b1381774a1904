package performance

import (
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"slices"
)

// A Histogram has the number of visits by delay, for reading.
type Histogram struct {
	delays []int32 // ascending
	upTo   []int64 // number of visits with at most that delay
}

// Count returns the number of delays from one to another, both included.
func (h *Histogram) Count(from, to int32) int64 {
	first, _ := slices.BinarySearch(h.delays, from)
	end, isThere := slices.BinarySearch(h.delays, to)
	if isThere {
		end++
	}
	if end <= first {
		return 0
	}
	return h.upTo[end-1] - h.before(first)
}

func (h *Histogram) before(i int) int64 {
	if i == 0 {
		return 0
	}
	return h.upTo[i-1]
}

// Percentile returns the smallest delay that at least the share of all delays does not exceed. ok
// is false if there are no delays.
func (h *Histogram) Percentile(share float64) (delay int32, ok bool) {
	if len(h.delays) == 0 {
		return 0, false
	}
	rank := int64(math.Ceil(share * float64(h.upTo[len(h.upTo)-1])))
	i, _ := slices.BinarySearch(h.upTo, max(rank, 1))
	return h.delays[i], true
}

// Encode returns the histogram in the form of [Delays.Encode].
func (h *Histogram) Encode() []byte {
	b, last := []byte{}, int64(0)
	for i, delay := range h.delays {
		if i > 0 {
			last = int64(h.delays[i-1])
		}
		b = binary.AppendVarint(b, int64(delay)-last)
		b = binary.AppendUvarint(b, uint64(h.upTo[i]-h.before(i)))
	}
	return b
}

// near is the delay in seconds up to which an Adder counts in an array.
const near = 4 * 3600

// An Adder adds up encoded delays. The zero value has none.
type Adder struct {
	counts  []int64 // by delay from -near on
	lo, hi  int     // the counts that are not zero are in counts[lo:hi]
	farther map[int32]int64
}

var errDelays = errors.New("delays are damaged")

// Add adds delays in the form of [Delays.Encode].
func (a *Adder) Add(b []byte) error {
	at := int64(0)
	for len(b) > 0 {
		step, n := binary.Varint(b)
		if n <= 0 {
			return errDelays
		}
		count, m := binary.Uvarint(b[n:])
		if at += step; m <= 0 || at < math.MinInt32 || at > math.MaxInt32 {
			return errDelays
		}
		a.count(at, int64(count))
		b = b[n+m:]
	}
	return nil
}

// AddHistogram adds the delays of a histogram.
func (a *Adder) AddHistogram(h *Histogram) {
	for i, delay := range h.delays {
		a.count(int64(delay), h.upTo[i]-h.before(i))
	}
}

func (a *Adder) count(delay, n int64) {
	if delay < -near || delay > near {
		if a.farther == nil {
			a.farther = map[int32]int64{}
		}
		a.farther[int32(delay)] += n
		return
	}
	if a.counts == nil {
		a.counts = make([]int64, 2*near+1)
	}
	i := int(delay + near)
	if a.hi == 0 {
		a.lo, a.hi = i, i+1
	}
	a.lo, a.hi = min(a.lo, i), max(a.hi, i+1)
	a.counts[i] += n
}

// Histogram returns what was added, and empties the Adder.
func (a *Adder) Histogram() *Histogram {
	h, sum := &Histogram{}, int64(0)
	add := func(delay int32, n int64) {
		if n != 0 {
			sum += n
			h.delays, h.upTo = append(h.delays, delay), append(h.upTo, sum)
		}
	}
	far := slices.Sorted(maps.Keys(a.farther))
	first, _ := slices.BinarySearch(far, 0)
	for _, delay := range far[:first] {
		add(delay, a.farther[delay])
	}
	for i := a.lo; i < a.hi; i++ {
		add(int32(i-near), a.counts[i])
	}
	for _, delay := range far[first:] {
		add(delay, a.farther[delay])
	}
	clear(a.counts[a.lo:a.hi])
	a.lo = 0
	a.hi = 0
	a.farther = nil
	return h
}

package assign

import (
	"slices"
	"testing"
)

// Calls without a time lie between those around them: by distance if the feed has one for each, else in
// equal steps. Boards and the observer take both from here.
func TestCallsWithoutTimes(t *testing.T) {
	t.Parallel()
	const none = -1
	cell := func(s string) *string { return &s }
	for _, c := range []struct {
		name                 string
		arrivals, departures []int32
		cells                []*string
		want                 []int32
	}{
		{"equal steps", []int32{0, none, none, 90, 100}, []int32{30, none, none, 95, 100}, nil, []int32{0, 50, 70, 90, 100}},
		{"by distance", []int32{0, none, none, 90}, []int32{30, none, none, 95},
			[]*string{cell("2"), cell("3"), cell("6.5"), cell("8")}, []int32{0, 40, 75, 90}},
		{"a distance is missing", []int32{0, none, none, 90}, []int32{30, none, none, 95},
			[]*string{cell("2"), cell("3"), nil, cell("8")}, []int32{0, 50, 70, 90}},
		{"distances fall", []int32{0, none, none, 90}, []int32{30, none, none, 95},
			[]*string{cell("2"), cell("9"), cell("6"), cell("8")}, []int32{0, 50, 70, 90}},
		{"fewer distances", []int32{0, none, 90}, []int32{0, none, 90}, []*string{cell("2")}, []int32{0, 45, 90}},
		{"the ends have none", []int32{none, none, 20, 40, none}, []int32{none, none, 25, 40, none}, nil,
			[]int32{20, 20, 20, 40, 40}},
		{"no time at all", []int32{none, none}, []int32{none, none}, nil, []int32{0, 0}},
	} {
		got := Expected(len(c.arrivals), func(i int) (arrival, departure int32, ok bool) {
			return c.arrivals[i], c.departures[i], c.arrivals[i] != none
		}, Distances(c.cells, len(c.arrivals)))
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

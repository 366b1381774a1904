package observe

import (
	"fmt"
	"slices"
	"testing"
)

// A run of a trip that keeps a headway stands for the planned one within half a headway, and has no
// planned times. A planned run for which there is none was not seen.
func TestRunsByHeadway(t *testing.T) {
	t.Parallel()
	trip := line("H", 0, "ABC")
	trip.Headways = []Headway{{From: 8 * 3600, To: 9 * 3600, Every: 1200}}
	o := observeAll(t, trips{"H": trip}, []said{
		{"8:03:50", []sighting{"bus H+08.04.00 1 stopped @8:03:50"}},
		{"8:04:10", []sighting{"bus H+08.04.00 10 @8:04:10"}},
		{"8:05:30", []sighting{"bus H+08.04.00 10 @8:05:30"}},
		{"8:06:10", []sighting{"bus H+08.04.00 20 @8:06:10"}},
	})
	var got []string
	for _, r := range o.Changes() {
		if r.Seen.IsVisit() {
			got = append(got, fmt.Sprintf("%d %d %c", r.Start, r.Sequence, r.Seen))
		}
		if r.Departs != nil || r.Arrives != nil {
			t.Errorf("a planned time: %+v", r)
		}
	}
	if want := []string{"29040 1 s", "29040 10 p"}; !slices.Equal(got, want) {
		t.Errorf("visits %q, want %q", got, want)
	}
	var planned []Planned
	for start := int32(8 * 3600); start < 9*3600; start += 1200 {
		planned = append(planned, Planned{Trip: trip, Start: start, Every: 1200})
	}
	covered := NewCoverage([]Gap{{Source: "mixed/0", To: zero, Reason: Started}},
		map[string]int64{"mixed/0": zero + 86400})
	starts := map[int32]int{}
	for _, r := range o.Settle(day, planned, covered) {
		if r.Seen != Unseen {
			t.Errorf("%+v", r)
		}
		starts[r.Start]++
	}
	if len(starts) != 2 || starts[8*3600+1200] != 3 || starts[8*3600+2400] != 3 {
		t.Errorf("not seen: %v, want the runs at 8:20 and 8:40", starts)
	}
}

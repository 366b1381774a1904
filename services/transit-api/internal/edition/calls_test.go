package edition

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgtype"
)

// offsets returns seconds, with NULL for -1.
func offsets(list ...int32) []pgtype.Int4 {
	out := make([]pgtype.Int4, len(list))
	for i, n := range list {
		out[i] = pgtype.Int4{Int32: n, Valid: n != -1}
	}
	return out
}

func TestMissingTimes(t *testing.T) {
	t.Parallel()
	text := func(list ...string) []*string {
		out := make([]*string, len(list))
		for i := range list {
			if list[i] != "" {
				out[i] = &list[i]
			}
		}
		return out
	}
	for name, c := range map[string]struct {
		profile Profile
		dist    Cells
		want    []int32
	}{
		"even": {Profile{Departures: offsets(0, -1, -1, 300)}, nil, []int32{0, 100, 200, 300}},
		"by distance": {Profile{Departures: offsets(0, -1, -1, 300)}, text("10", "11", "12", "13"),
			[]int32{0, 100, 200, 300}},
		"uneven distance": {Profile{Departures: offsets(0, -1, -1, 300)}, text("0", "0.5", "2.5", "3"),
			[]int32{0, 50, 250, 300}},
		"a distance missing": {Profile{Departures: offsets(0, -1, -1, 300)}, text("0", "", "2.5", "3"),
			[]int32{0, 100, 200, 300}},
		"distances go back": {Profile{Departures: offsets(0, -1, -1, 300)}, text("0", "2", "1", "3"),
			[]int32{0, 100, 200, 300}},
		"no distance at all": {Profile{Departures: offsets(0, -1, -1, 300)}, text("0", "0", "0", "0"),
			[]int32{0, 100, 200, 300}},
		"not a distance": {Profile{Departures: offsets(0, -1, -1, 300)}, text("0", "NaN", "x", "Inf"),
			[]int32{0, 100, 200, 300}},
		"one for all": {Profile{Departures: offsets(0, -1, -1, 300)}, text("0"), []int32{0, 100, 200, 300}},
		"at the ends": {Profile{Departures: offsets(-1, 50, 80, -1)}, nil, []int32{50, 50, 80, 80}},
		"after a wait": {Profile{Departures: offsets(0, 100, -1, 300), Arrivals: offsets(0, 60, -1, 300)}, nil,
			[]int32{0, 60, 200, 300}},
		"only departures": {Profile{Departures: offsets(0, 100), Arrivals: offsets(-1, -1)}, nil, []int32{0, 100}},
		"only arrivals": {Profile{Departures: offsets(-1, -1, -1), Arrivals: offsets(0, -1, 100)}, nil,
			[]int32{0, 50, 100}},
		"none":     {Profile{Departures: offsets(-1, -1)}, nil, []int32{0, 0}},
		"no calls": {Profile{}, nil, []int32{}},
	} {
		if diff := cmp.Diff(c.want, c.profile.arrivals(c.dist)); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}

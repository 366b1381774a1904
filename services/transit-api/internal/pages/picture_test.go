package pages

import (
	"strings"
	"testing"
	"time"

	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/eink"
	"github.com/townline/townline/services/transit-api/internal/realtimeapi"
)

func TestWake(t *testing.T) {
	t.Parallel()
	const now = 1_800_000_000
	for _, c := range []struct {
		kind string
		left []int64 // seconds to each departure; negative if it is cancelled
		want time.Duration
	}{
		{"live", []int64{300}, time.Minute},
		{"live", []int64{7200}, 10 * time.Minute},
		{"live", nil, 10 * time.Minute},
		{"timetable", []int64{300}, 345 * time.Second},
		{"timetable", []int64{-60, 600}, 645 * time.Second},
		{"timetable", []int64{5}, time.Minute},
		{"silent", []int64{7200}, 30 * time.Minute},
		{"never", nil, 30 * time.Minute},
	} {
		v := &Board{Departures: &realtimeapi.Departures{Time: now}, Status: Status{Kind: c.kind}}
		for _, left := range c.left {
			v.Rows = append(v.Rows, Row{At: now + max(left, -left), Row: eink.Row{Gone: left < 0}})
		}
		if got := v.Wake(); got != c.want {
			t.Errorf("%s, %v: %s, want %s", c.kind, c.left, got, c.want)
		}
	}
}

// The name of a screen lists its stops if they fit. Longer names have smaller letters.
func TestNamesOfScreens(t *testing.T) {
	t.Parallel()
	say := Speaker{site.Speaker{Words: map[string]string{"board.others": "{0} and {1} more"}}}
	stops := func(n, length int) (all []string) {
		for i := range n {
			all = append(all, strings.Repeat(string(rune('a'+i)), length))
		}
		return all
	}
	for _, c := range []struct {
		n, length int
		ends      string
		letters   string
	}{{1, 36, "a", ""}, {2, 20, "b", "long"}, {6, 20, "f", "longer"}, {20, 20, "and 12 more", "longer"},
		{2, 200, "and 1 more", "longer"}} {
		name := say.names(stops(c.n, c.length), c.n, mostName)
		if got := letters(name, largeName, smallName); !strings.HasSuffix(name, c.ends) || got != c.letters {
			t.Errorf("%d names for %d stops: %q in letters %q", c.n, c.length, name, got)
		}
	}
	if name := say.Name(stops(6, 20)); !strings.HasSuffix(name, "and 3 more") {
		t.Errorf("name on a phone: %q", name)
	}
}

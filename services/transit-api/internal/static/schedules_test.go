package static

import (
	"testing"
	"time"

	"github.com/townline/townline/pkg/rest"
)

func TestClock(t *testing.T) {
	t.Parallel()
	for at, want := range map[Clock]string{0: "00:00:00", 35999: "09:59:59", 36000: "10:00:00", 90061: "25:01:01",
		360_000: "100:00:00"} {
		if got, err := at.MarshalJSON(); err != nil || string(got) != `"`+want+`"` {
			t.Errorf("%d: %s %v, want %s", int32(at), got, err, want)
		}
	}
}

// Dates are local midnights, even if midnight does not exist on that day.
func TestMidnight(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, day, want string }{
		{"UTC", "2026-01-02", "2026-01-02T00:00:00+00:00"},
		{"America/New_York", "2026-03-08", "2026-03-08T00:00:00-05:00"},
		{"America/New_York", "2026-03-09", "2026-03-09T00:00:00-04:00"},
		{"America/New_York", "2026-11-01", "2026-11-01T00:00:00-04:00"},
		{"Asia/Kathmandu", "2026-01-02", "2026-01-02T00:00:00+05:45"},
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04T00:00:00-03:00"}, // clocks went from 00:00 to 01:00
		{"America/Sao_Paulo", "2018-11-05", "2018-11-05T00:00:00-02:00"},
		{"Pacific/Apia", "2011-12-30", "2011-12-30T00:00:00-10:00"}, // the zone skipped this day
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		day, err := rest.ParseDate(c.day)
		if err != nil {
			t.Fatal(err)
		}
		if got := midnight(day.Time, zone); got != c.want {
			t.Errorf("%s in %s: %s, want %s", c.day, c.zone, got, c.want)
		}
	}
}

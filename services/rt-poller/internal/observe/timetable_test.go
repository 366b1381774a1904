package observe

import (
	"testing"
	"time"
)

// A service day is counted from noon minus twelve hours: on the days when the clock changes, that is
// not midnight.
func TestServiceDaysOfClockChanges(t *testing.T) {
	t.Parallel()
	toronto, err := time.LoadLocation("America/Toronto")
	if err != nil {
		t.Fatal(err)
	}
	zone := Zone{toronto}
	for date, want := range map[string]string{
		"20260307": "2026-03-07T00:00:00-05:00", "20260308": "2026-03-07T23:00:00-05:00",
		"20261101": "2026-11-01T01:00:00-04:00", "20261102": "2026-11-02T00:00:00-05:00",
	} {
		day, ok := parseDay([]byte(date))
		if got := time.Unix(zone.Start(day), 0).In(toronto).Format(time.RFC3339); !ok || got != want {
			t.Errorf("%s starts at %s, want %s", date, got, want)
		}
		noon := zone.Start(day) + 12*3600
		if zone.Day(noon) != day || time.Unix(noon, 0).In(toronto).Hour() != 12 {
			t.Errorf("noon of %s is %s", date, time.Unix(noon, 0).In(toronto))
		}
	}
}

// Calls without a time lie between those around them, in equal steps.
func TestInterpolate(t *testing.T) {
	t.Parallel()
	got := Interpolate([]int32{0, None, None, 90, 100}, []int32{30, None, None, 95, None})
	for i, want := range []int32{0, 50, 70, 90, 100} {
		if got[i] != want {
			t.Errorf("%d: %v", i, got)
		}
	}
}

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

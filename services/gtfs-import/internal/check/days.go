package check

import (
	"math"
	"strconv"
	"time"

	"github.com/townline/townline/pkg/gtfs"
)

const (
	week  = 7         // what runs in it, runs soon
	month = 30        // service that ends in it, ends soon
	far   = 2*365 + 1 // service that ends later is a mistake
	gap   = 14        // days without service that are reported
)

// Days are the days from First to Last, which count from 1970.
type Days struct{ First, Last int32 }

// NoDays has its Last before its First.
var NoDays = Days{math.MaxInt32, -1}

// Including returns days that are extended to include a day.
func (d Days) Including(day int32) Days { return Days{min(d.First, day), max(d.Last, day)} }

// Day returns the number of days since 1970.
func Day(t time.Time) int32 {
	y, m, d := t.Date()
	return int32(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

// Date is the reverse of Day.
func Date(day int32) time.Time { return time.Unix(int64(day)*86400, 0).UTC() }

func gtfsDate(day int32) string { return Date(day).Format("20060102") }

// A Service has the first and the last day on which it may run.
type Service struct {
	ID []byte
	Days
	HasTrips bool
	// Weekly reports that it runs on some day of the week, even if its dates are invalid.
	Weekly bool
}

// IsOver reports whether a service with this last day is over.
func (c *Checker) IsOver(last int32) bool { return last < c.today }

// Over reports that the whole feed is over, since its last day.
func (c *Checker) Over(file string, last int32) {
	c.note(gtfs.Finding{Code: "expired_calendar", File: file, Value: []byte(gtfsDate(last))})
}

// Service checks service n. over is set if all services have expired, which Over reports once.
func (c *Checker) Service(n int, s Service, over bool) {
	f := gtfs.Finding{File: "calendar_dates.txt", Field: "service_id", Value: s.ID, RowID: s.ID}
	if n < len(c.services.line) {
		f.File, f.Line = "calendar.txt", int(c.services.line[n])
	}
	report := func(code gtfs.Code) { f.Code = code; c.note(f) }
	switch {
	case s.Last < s.First && s.Weekly:
	case s.Last < s.First:
		report("service_has_no_active_day_of_the_week")
	case s.Last < c.today && !over:
		report("expired_calendar")
	case s.Last > c.today+far:
		report("service_extends_far_in_the_future")
	}
	if !s.HasTrips {
		report("unused_service")
	}
}

// ServiceDays checks the days with service, in order. file defines them.
func (c *Checker) ServiceDays(file string, days []Days) {
	report := func(code gtfs.Code, value string) { c.note(gtfs.Finding{Code: code, File: file, Value: []byte(value)}) }
	if len(days) == 0 {
		report("trip_coverage_not_active_for_next7_days", "")
		return
	}
	first, last := days[0].First, days[len(days)-1].Last
	runsSoon := false
	for i, d := range days {
		runsSoon = runsSoon || d.First < c.today+week && d.Last >= c.today
		if i == 0 {
			continue
		}
		from, to := days[i-1].Last+1, d.First-1
		if n := to - from + 1; n >= gap && to >= c.today {
			report("feed_service_gap", gtfsDate(from)+"–"+gtfsDate(to)+", "+strconv.Itoa(int(n))+" d")
		}
	}
	if first > c.today {
		report("future_calendar", gtfsDate(first))
	}
	switch {
	case first > c.today:
		report("trip_coverage_not_active_for_next7_days", gtfsDate(first))
	case !runsSoon, last < c.today+week:
		report("trip_coverage_not_active_for_next7_days", gtfsDate(last))
	case last < c.today+month:
		report("service_ends_within_30_days", gtfsDate(last))
	}
}

package check

import (
	"math"
	"strconv"
	"time"

	"github.com/townline/townline/pkg/gtfs"
)

const (
	week  = 7         // a feed must have service within this time
	month = 30        // service that ends within this time ends soon
	far   = 2*365 + 1 // service that ends later is a mistake
	gap   = 14        // shortest period without service that is reported
)

// Days is a range of days. First and Last are days since 1970.
type Days struct{ First, Last int32 }

// NoDays is the empty range: Including replaces both ends.
var NoDays = Days{math.MaxInt32, -1}

// Including returns the range extended to include a day.
func (d Days) Including(day int32) Days { return Days{min(d.First, day), max(d.Last, day)} }

// Day returns the number of days since 1970.
func Day(t time.Time) int32 {
	y, m, d := t.Date()
	return int32(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

// Date is the inverse of Day, in UTC.
func Date(day int32) time.Time { return time.Unix(int64(day)*86400, 0).UTC() }

func gtfsDate(day int32) string { return Date(day).Format("20060102") }

// A Service has the first and the last day on which it may run.
type Service struct {
	ID []byte
	Days
	HasTrips bool
	// Weekly is set if the service runs on any day of the week, even if its dates are invalid.
	Weekly bool
}

// IsOver reports whether a service with this last day is over.
func (c *Checker) IsOver(last int32) bool { return last < c.today }

// Over reports that the whole feed has expired. last is its last day.
func (c *Checker) Over(file string, last int32) {
	c.note(gtfs.Finding{Code: "expired_calendar", File: file, Value: []byte(gtfsDate(last))})
}

// Service checks service n. If all services have expired, over is set, and Over reports that once.
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

// ServiceDays checks the days with service, which must be in order. file defines them.
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

func (r *row) calendar() {
	r.c.services.line = append(r.c.services.line, int32(r.line))
	r.inOrder("start_date", "end_date")
}

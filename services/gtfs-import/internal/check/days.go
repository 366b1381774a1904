package check

import (
	"strconv"
	"time"

	"github.com/townline/townline/pkg/gtfs"
)

// Days from today.
const (
	week  = 7
	month = 30
	far   = 2*365 + 1
	gap   = 14
)

// A Service is when a service runs: from First to Last as days since 1970, with single days added
// or not; Last is before First for one that never runs.
type Service struct {
	ID          []byte
	First, Last int32
	HasTrips    bool
}

// Over reports whether a service that ends on a day is over.
func (c *Checks) Over(last int32) bool { return last < c.today }

// Service judges service n. over says that all services are over, which is reported once for the
// feed.
func (c *Checks) Service(n int, s Service, over bool) {
	f := gtfs.Finding{File: "calendar_dates.txt", Field: "service_id", Value: s.ID}
	if n < len(c.services.line) {
		f.File, f.Line = "calendar.txt", int(c.services.line[n])
	}
	report := func(code gtfs.Code) { f.Code = code; c.note(f) }
	switch {
	case s.Last < s.First:
		report(gtfs.ServiceNoDays)
	case s.Last < c.today && !over:
		report(gtfs.ServiceExpired)
	case s.Last > c.today+far:
		report(gtfs.ServiceFar)
	}
	if !s.HasTrips {
		report(gtfs.ServiceUnused)
	}
}

// Days are those from First to Last.
type Days struct{ First, Last time.Time }

// Running judges the days on which anything runs, in order. file is where they are said.
func (c *Checks) Running(file string, days []Days) {
	report := func(code gtfs.Code, value string) { c.note(gtfs.Finding{Code: code, File: file, Value: []byte(value)}) }
	if len(days) == 0 {
		report(gtfs.ServiceNotNow, "")
		return
	}
	first, last := dayOf(days[0].First), dayOf(days[len(days)-1].Last)
	now := false
	for i, d := range days {
		now = now || dayOf(d.First) < c.today+week && dayOf(d.Last) >= c.today
		if i == 0 {
			continue
		}
		from, to := dayOf(days[i-1].Last)+1, dayOf(d.First)-1
		if n := to - from + 1; n >= gap && to >= c.today {
			report(gtfs.ServiceGap, dateOf(from)+"–"+dateOf(to)+", "+strconv.Itoa(int(n))+" d")
		}
	}
	switch {
	case first > c.today:
		report(gtfs.ServiceAllFuture, dateOf(first))
	case !now:
		report(gtfs.ServiceNotNow, dateOf(last))
	case last < c.today+month:
		report(gtfs.ServiceEndsSoon, dateOf(last))
	}
}
